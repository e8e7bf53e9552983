//! Runs clang: C or C++ in, textual LLVM IR out.
//!
//! clang is a separate program, found at run time, so any version from 14 on
//! will do. Its options:
//!
//! * `-O0` without `optnone`, names and debug info kept: every access to memory
//!   in the C text is one load or store, and can be traced back to it.
//! * No builtins: `malloc`, `printf` and the rest are ordinary functions, to be
//!   found among the models or reported missing, not replaced by intrinsics.
//!   Their types, which clang then no longer knows, are declared in `library.h`.
//! * All warnings off, including those that became errors in newer versions
//!   (implicit declarations, for example): existing programs were accepted by
//!   some compiler.
//! * Debug paths relative to `.`, so that messages name files as the user did
//!   and the output does not depend on the folder.
//! * A header before everything else, `bridge.h`, for extensions of C that only gcc has.
//! * C++ is read with the headers of the system's standard library; what they leave to the library itself is modelled.

mod options;

pub use options::{ClangOptions, DataModel, Language, OptLevel};

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::TempDir;

use crate::cache::Key;
use crate::complaints;

const BRIDGE: &str = include_str!("bridge.h");

/// The oldest clang whose output we read.
pub const OLDEST_VERSION: u32 = 14;

/// The names tried on the search path, in this order: the version tested most,
/// the default, then newest first.
const CANDIDATES: [&str; 13] = [
    "clang-19", "clang", "clang-25", "clang-24", "clang-23", "clang-22", "clang-21", "clang-20", "clang-18",
    "clang-17", "clang-16", "clang-15", "clang-14",
];

/// Why there is no IR.
#[derive(Debug, thiserror::Error)]
pub enum FrontEndError {
    #[error(
        "clang was not found: install it (on Debian: apt install clang), or name it in \
         SELVEDGE_CLANG"
    )]
    ClangMissing,

    #[error("`{}` cannot be run as clang: {reason}", path.display())]
    ClangUnusable { path: PathBuf, reason: String },

    #[error(
        "`{}` is clang {version}, and {OLDEST_VERSION} or newer is needed (on Debian: apt install \
         clang)", path.display()
    )]
    ClangTooOld { path: PathBuf, version: u32 },

    /// clang rejects the C text; the messages are clang's own, with file and line.
    #[error("{file} does not compile:\n{messages}")]
    Compile { file: String, messages: String },

    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },

    #[error("{}: {what}", path.display())]
    Unsupported { path: PathBuf, what: String },
}

/// The kind of an input file, by its extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// `.c`, and `.i` too: preprocessed text still needs the bridge.
    C,
    /// `.cpp`, `.cc`, `.cxx`, `.C`, and preprocessed `.ii`
    Cxx,
    /// `.ll`: needs no clang.
    IrText,
    /// `.bc`
    IrBitcode,
}

impl InputKind {
    pub fn of(path: &Path) -> Result<InputKind, FrontEndError> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        let unsupported = |what: &str| Err(FrontEndError::Unsupported { path: path.to_owned(), what: what.to_owned() });
        match extension {
            "c" | "i" => Ok(InputKind::C),
            "ll" => Ok(InputKind::IrText),
            "bc" => Ok(InputKind::IrBitcode),
            "cpp" | "cc" | "cxx" | "C" | "ii" => Ok(InputKind::Cxx),
            _ => unsupported("not a .c, .i, .cpp, .ll or .bc file"),
        }
    }
}

fn read_text(path: &Path) -> Result<String, FrontEndError> {
    std::fs::read_to_string(path).map_err(|source| FrontEndError::Io { path: path.to_owned(), source })
}

/// A clang that has been found, and whose version is known.
#[derive(Clone, Debug)]
pub struct Clang {
    pub path: PathBuf,
    pub version: u32,
    /// Flags of the user's that this clang does not know, and that were left out.
    ignored: Arc<Mutex<BTreeSet<String>>>,
}

impl Clang {
    /// The clang to use: `chosen`, else what SELVEDGE_CLANG names, else the
    /// first suitable one on the search path.
    pub fn find(chosen: Option<&Path>) -> Result<Clang, FrontEndError> {
        if let Some(path) = chosen {
            return Clang::at(path);
        }
        if let Some(path) = std::env::var_os("SELVEDGE_CLANG").filter(|p| !p.is_empty()) {
            return Clang::at(Path::new(&path));
        }
        let mut too_old = None;
        for name in CANDIDATES {
            match Clang::at(Path::new(name)) {
                Ok(clang) => return Ok(clang),
                Err(error @ FrontEndError::ClangTooOld { .. }) => drop(too_old.get_or_insert(error)),
                // Not there, or not clang.
                Err(_) => {}
            }
        }
        Err(too_old.unwrap_or(FrontEndError::ClangMissing))
    }

    /// One clang of every suitable version on the search path.
    pub fn installed() -> Vec<Clang> {
        let mut found: Vec<Clang> = CANDIDATES.iter().filter_map(|name| Clang::at(Path::new(name)).ok()).collect();
        found.sort_by_key(|clang| clang.version);
        found.dedup_by_key(|clang| clang.version);
        found
    }

    /// The clang at this path, or of this name on the search path.
    pub fn at(path: &Path) -> Result<Clang, FrontEndError> {
        let unusable = |reason: String| FrontEndError::ClangUnusable { path: path.to_owned(), reason };
        let key = Key::new("version").with_program(path);
        let known = key.as_ref().and_then(|key| key.entry()?.parse().ok());
        let ask = || -> Result<u32, FrontEndError> {
            let output = Command::new(path).arg("--version").stdin(Stdio::null()).output();
            let output = output.map_err(|e| unusable(e.to_string()))?;
            let text = String::from_utf8_lossy(&output.stdout);
            let version = parse_version(&text).ok_or_else(|| unusable("it does not say `clang version`".to_owned()))?;
            key.iter().for_each(|key| key.keep(&version.to_string()));
            Ok(version)
        };
        let version = known.map_or_else(ask, Ok)?;
        if version < OLDEST_VERSION {
            return Err(FrontEndError::ClangTooOld { path: path.to_owned(), version });
        }
        Ok(Clang { path: path.to_owned(), version, ignored: Arc::default() })
    }

    /// The textual IR of a file.
    pub fn compile(&self, input: &Path, options: &ClangOptions) -> Result<String, FrontEndError> {
        // clang's message about a missing file does not say which option or
        // argument it was; the system's does.
        std::fs::metadata(input).map_err(|source| FrontEndError::Io { path: input.to_owned(), source })?;
        let file = input.display().to_string();
        match InputKind::of(input)? {
            InputKind::IrText => read_text(input),
            InputKind::IrBitcode => {
                let mut command = Command::new(&self.path);
                command.args(["-S", "-emit-llvm", "-x", "ir", "-Xclang", "-disable-llvm-passes"]);
                command.args(["-Wno-everything", "-o", "-", "--"]).arg(input);
                self.run(command, &file, None, options)
            }
            InputKind::C => self.compile_text(Language::C, &file, None, options, |command| {
                command.arg("--").arg(input);
            }),
            InputKind::Cxx => self.compile_text(Language::Cxx, &file, None, options, |command| {
                command.arg("--").arg(input);
            }),
        }
    }

    /// The textual IR of a C file with more C appended.
    pub fn compile_with(&self, input: &Path, more: &str, options: &ClangOptions) -> Result<String, FrontEndError> {
        let file = input.display().to_string();
        let quoted = file.replace('\\', "\\\\").replace('"', "\\\"");
        let text = format!("#include \"{quoted}\"\n{more}");
        self.compile_text(Language::C, &file, Some(&text), options, |command| {
            // Included files are named after the folder in which they were found: here.
            command.arg("-ffile-prefix-map=./=");
            command.arg("-");
        })
    }

    /// The textual IR of C text that is not in a file. Messages and debug
    /// information call it `name`.
    pub fn compile_source(&self, name: &str, text: &str, options: &ClangOptions) -> Result<String, FrontEndError> {
        self.compile_source_of(Language::C, name, text, options)
    }

    /// Like [`Clang::compile_source`], for a text that includes nothing: compiled once, and kept.
    pub fn compile_once(&self, name: &str, text: &str, options: &ClangOptions) -> Result<String, FrontEndError> {
        let command = self.command(Language::C, Path::new("private"), "-fhosted", name, options);
        let from = Key::new("ir").with(text.as_bytes()).with(BRIDGE.as_bytes()).with(options.declarations.as_bytes());
        let from = command.get_args().fold(from, |from, argument| from.with(argument.as_encoded_bytes()));
        let key = from.with_program(&self.path);
        if let Some(known) = key.as_ref().and_then(Key::entry) {
            return Ok(known);
        }
        let made = self.compile_source(name, text, options)?;
        key.iter().for_each(|key| key.keep(&made));
        Ok(made)
    }

    /// Like [`Clang::compile_source`], for a text in another language.
    pub fn compile_source_of(
        &self,
        language: Language,
        name: &str,
        text: &str,
        options: &ClangOptions,
    ) -> Result<String, FrontEndError> {
        let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
        let text = format!("# 1 \"{escaped}\"\n{text}");
        self.compile_text(language, name, Some(&text), options, |command| {
            command.arg("-");
        })
    }

    /// The functions that a C file calls without having declared them.
    pub(crate) fn undeclared_functions(&self, input: &Path, options: &ClangOptions) -> Vec<String> {
        let mut options = options.clone();
        let asked = ["-fsyntax-only", "-ferror-limit=0", "-Werror=implicit-function-declaration"];
        options.extra_args.extend(asked.map(str::to_owned));
        let messages = match self.compile(input, &options) {
            Err(FrontEndError::Compile { messages, .. }) => messages,
            _ => return vec![],
        };
        complaints::undeclared_functions(&messages)
    }

    /// clang's tree of the declarations in a C file whose name contains this one.
    pub(crate) fn syntax_tree(
        &self,
        input: &Path,
        name: &str,
        options: &ClangOptions,
    ) -> Result<String, FrontEndError> {
        let mut options = ClangOptions { opt: OptLevel::O0, ..options.clone() };
        let filter = format!("-ast-dump-filter={name}");
        let asked = ["-fsyntax-only", "-Xclang", "-ast-dump", "-Xclang", &filter];
        options.extra_args.extend(asked.map(str::to_owned));
        self.compile(input, &options)
    }

    fn compile_text(
        &self,
        language: Language,
        file: &str,
        stdin: Option<&str>,
        options: &ClangOptions,
        add_input: impl Fn(&mut Command),
    ) -> Result<String, FrontEndError> {
        let private = self.private_dir(options)?;
        let attempt = |hosting: &str| {
            let text = loop {
                let mut command = self.command(language, private.path(), hosting, file, options);
                add_input(&mut command);
                match self.run(command, file, stdin, options) {
                    Err(FrontEndError::Compile { messages, .. }) if self.ignore_unknown_flags(&messages) => {}
                    result => break result?,
                }
            };
            match options.opt {
                OptLevel::O0 => Ok(text),
                level => self.optimise(&text, level, file, options),
            }
        };
        // Freestanding would lose the implicit `return 0` of main and half of
        // <limits.h>, so it is used only for a main with nonstandard parameters,
        // which clang rejects otherwise.
        match attempt("-fhosted") {
            Err(FrontEndError::Compile { messages, .. }) if messages.contains("parameter of 'main'") => {
                attempt("-ffreestanding")
            }
            result => result,
        }
    }

    /// Leaves out the flags that clang says it does not know; false if there are no more of them. They are for another
    /// compiler's optimiser or diagnostics, as a rule.
    fn ignore_unknown_flags(&self, messages: &str) -> bool {
        let mut ignored = self.ignored.lock().unwrap_or_else(PoisonError::into_inner);
        let before = ignored.len();
        ignored.extend(complaints::unknown_flags(messages));
        ignored.len() > before
    }

    /// The flags that were left out so far.
    pub(crate) fn ignored_flags(&self) -> Vec<String> {
        self.ignored.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// A directory, removed when dropped, with the bridge and the headers that
    /// are given as text.
    fn private_dir(&self, options: &ClangOptions) -> Result<TempDir, FrontEndError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| FrontEndError::Io { path, source }
        };
        let dir = TempDir::with_prefix("selvedge-").map_err(io(&std::env::temp_dir()))?;
        let bridge = [("selvedge-bridge.h".to_owned(), format!("{BRIDGE}{}", options.declarations))];
        for (name, text) in bridge.iter().chain(&options.headers) {
            let path = dir.path().join(name);
            std::fs::write(&path, text).map_err(io(&path))?;
        }
        Ok(dir)
    }

    fn command(
        &self,
        language: Language,
        private: &Path,
        hosting: &str,
        file: &str,
        options: &ClangOptions,
    ) -> Command {
        let ignored = self.ignored_flags();
        let known = |flag: &&String| !ignored.contains(flag) && language.knows(flag);
        let mut command = Command::new(&self.path);
        command.args(["-x", language.name(), "-S", "-emit-llvm", "-o", "-", "-g", "-fno-discard-value-names"]);
        match language {
            Language::C => command.arg("-include").arg(private.join("selvedge-bridge.h")),
            // Debug information would otherwise leave out classes whose vtable is elsewhere.
            Language::Cxx => command.arg("-fstandalone-debug"),
        };
        command.arg(language.default_standard());
        for (_, args) in options.file_args.iter().filter(|(path, _)| path == Path::new(file)) {
            command.args(args.iter().filter(known));
        }
        command.args(options.std.iter().map(|std| format!("-std={std}")).filter(|flag| language.knows(flag)));
        command.args([hosting, "-fno-builtin", "-fbracket-depth=65536"]);
        // The private directory has another name each time; debug information
        // must not.
        let mut without_private = OsString::from("-ffile-prefix-map=");
        without_private.push(private);
        without_private.push("=selvedge");
        command.arg("-fdebug-compilation-dir=.").arg(without_private);
        // a*b+c stays two operations, as on the machine; and distributions'
        // defaults are switched off.
        command.args(["-ffp-contract=off", "-U_FORTIFY_SOURCE", "-fno-stack-protector"]);
        command.args(["-w", "-Wno-everything", "-fno-color-diagnostics"]);
        command.arg(options.data_model.flag());
        match options.opt {
            // The code of -O0, but with marks where the objects of blocks begin and end, and with the bodies of C99's
            // `inline` functions, which -O0 leaves to other files. Headers must not notice the difference.
            OptLevel::O0 => command.args(["-O1", "-U__OPTIMIZE__"]),
            level => command.arg(level.flag()),
        };
        // The optimiser comes later, if at all.
        command.args(["-Xclang", "-disable-llvm-passes"]);
        command.args(options.defines.iter().map(|d| format!("-D{d}")));
        command.args(options.undefines.iter().map(|u| format!("-U{u}")));
        for dir in &options.include_dirs {
            let mut flag = OsString::from("-I");
            flag.push(dir);
            command.arg(flag);
        }
        // Last among the include paths, so that a user's own header of the same name
        // wins.
        command.arg("-idirafter").arg(private);
        // The kernel's headers are the same for both widths, but lie where only the compilers of 64 bits look.
        if options.data_model == DataModel::Ilp32 {
            command.args(["-idirafter", "/usr/include/x86_64-linux-gnu"]);
        }
        command.args(options.extra_args.iter().filter(known));
        command
    }

    /// Runs clang with `stdin` as its input and returns its output.
    pub(crate) fn run(
        &self,
        mut command: Command,
        file: &str,
        stdin: Option<&str>,
        options: &ClangOptions,
    ) -> Result<String, FrontEndError> {
        let output = run_with_input(&mut command, stdin)
            .map_err(|e| FrontEndError::ClangUnusable { path: self.path.clone(), reason: e.to_string() })?;
        if !output.status.success() {
            let mut messages = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
            if messages.is_empty() {
                messages = format!("clang ended with {}", output.status);
            }
            for advice in complaints::advice(&messages, options.data_model) {
                messages.push('\n');
                messages.push_str(&advice);
            }
            return Err(FrontEndError::Compile { file: file.to_owned(), messages });
        }
        String::from_utf8(output.stdout).map_err(|_| FrontEndError::Unsupported {
            path: file.into(),
            what: "clang's output is not UTF-8".to_owned(),
        })
    }
}

/// Feeds the input from a thread of its own, so that neither side waits for the
/// other to make room in a pipe.
fn run_with_input(command: &mut Command, input: Option<&str>) -> std::io::Result<Output> {
    let Some(input) = input else {
        return command.stdin(Stdio::null()).output();
    };
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let pipe = child.stdin.take();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // A compiler that stops reading reports an error of its own.
            pipe.map(|mut pipe| pipe.write_all(input.as_bytes()))
        });
        child.wait_with_output()
    })
}

/// The major version in the output of `clang --version`.
fn parse_version(text: &str) -> Option<u32> {
    let (_, after) = text.split_once("clang version ")?;
    let digits = after.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(parse_version("Debian clang version 14.0.6\nTarget: …"), Some(14));
        assert_eq!(parse_version("clang version 21.0.0git"), Some(21));
        assert_eq!(parse_version("gcc (Debian 12.2.0) 12.2.0"), None);
    }

    #[test]
    fn kinds_by_extension() {
        assert_eq!(InputKind::of(Path::new("a.i")).ok(), Some(InputKind::C));
        assert_eq!(InputKind::of(Path::new("a.ll")).ok(), Some(InputKind::IrText));
        assert_eq!(InputKind::of(Path::new("a.cpp")).ok(), Some(InputKind::Cxx));
        let refusal = InputKind::of(Path::new("a.rs")).map_err(|e| e.to_string());
        assert_eq!(refusal, Err("a.rs: not a .c, .i, .cpp, .ll or .bc file".to_owned()));
    }

    #[test]
    fn a_missing_clang_is_named() {
        let error = Clang::at(Path::new("no-such-clang")).expect_err("there is none");
        assert!(error.to_string().contains("no-such-clang"), "{error}");
        assert!(!FrontEndError::ClangMissing.to_string().contains('\n'));
    }
}
