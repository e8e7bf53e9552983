//! The tools we know how to call: one table of their options, and who reads their answers.
//!
//! Emitted programs have no loops, so no tool needs a bound. What is checked is written in them as assertions,
//! except what the tools that know C see by themselves: uses of memory that is not there. All other checks of theirs
//! are off, for they would check our translation and not the user's program.

use super::answer::{self, Answer};
use super::klee;
use crate::complaints::{self, Manner};
use crate::process::Ended;
use selvedge_program::{Properties, Property, Reason};
use selvedge_to_c::{Backend, Style};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A checker of sequential C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tool {
    Cbmc,
    Esbmc,
    Klee,
    /// For a shell; `{file}` is the program. It must answer as CBMC does.
    Command(String),
}

/// A question to a tool.
pub struct Question<'a> {
    pub file: &'a Path,
    /// For what the tool writes; it does not exist yet.
    pub folder: &'a Path,
    pub properties: Properties,
    pub style: Style,
    /// Are pointers wider than 32 bits?
    pub wide: bool,
    /// The first number of the tool's version.
    pub version: u32,
    /// All that is wrong, and not only what is found first.
    pub all: bool,
}

impl Tool {
    pub fn name(&self) -> &'static str {
        match self {
            Tool::Cbmc => "cbmc",
            Tool::Esbmc => "esbmc",
            Tool::Klee => "klee",
            Tool::Command(_) => "command",
        }
    }

    /// The names that it uses for assertions and inputs.
    pub fn dialect(&self) -> Backend {
        match self {
            Tool::Cbmc | Tool::Command(_) => Backend::Cbmc,
            Tool::Esbmc => Backend::Esbmc,
            Tool::Klee => Backend::Klee,
        }
    }

    /// `CBMC=/opt/cbmc/bin/cbmc` names one that is not on the search path.
    fn executable(&self) -> OsString {
        let given = std::env::var_os(self.name().to_uppercase()).filter(|path| !path.is_empty());
        given.unwrap_or_else(|| self.name().into())
    }

    pub fn is_missing(&self) -> String {
        match self {
            Tool::Command(command) => format!("not found: the backend command `{command}`"),
            _ => {
                let (name, variable) = (self.name(), self.name().to_uppercase());
                format!("{name} is not installed: put it on the search path, or set {variable} to its file")
            }
        }
    }

    /// The command that tells the version, of tools for which it matters.
    pub fn asks_version(&self) -> Option<Vec<OsString>> {
        matches!(self, Tool::Cbmc).then(|| vec![self.executable(), "--version".into()])
    }

    /// The command, as words.
    pub fn words(&self, question: &Question<'_>) -> Vec<OsString> {
        let Question { file, folder, properties, style, wide, version, all } = *question;
        let choose = |when: bool, option: &'static str| if when { option } else { "" };
        let checks = |property: Property| properties.contains(property);
        let options = match self {
            // From version 6 on, checks are on unless they are switched off. The size of formulas is told from
            // verbosity 8 on.
            Tool::Cbmc => vec![
                "--trace --verbosity 8 --no-unwinding-assertions --object-bits 12",
                choose(version >= 6, "--no-standard-checks"),
                choose(checks(Property::Memory), "--pointer-check --bounds-check"),
                // For `--ILP32` alone it has its library preprocessed for x32, whose headers nobody has.
                if wide { "--LP64" } else { "--arch i386" },
                choose(!all, "--stop-on-fail"),
                // A third of the formula is left; but slicing takes `ct` out of counterexamples.
                choose(style == Style::Tacas17, "--slice-formula"),
            ],
            Tool::Esbmc => vec![
                "--no-unwinding-assertions --no-align-check --no-div-by-zero-check",
                choose(!checks(Property::Memory), "--no-pointer-check --no-bounds-check"),
                if wide { "--64" } else { "--32" },
                choose(all, "--multi-property"),
            ],
            // Tests of paths that end well are of no use.
            Tool::Klee => vec!["--only-output-states-covering-new", choose(!all, "--exit-on-error")],
            Tool::Command(command) => {
                let command = command.replace("{file}", &quoted(file));
                return ["sh", "-c", &command].map(OsString::from).to_vec();
            }
        };
        let options = options.iter().flat_map(|options| options.split_whitespace()).map(OsString::from);
        let mut words: Vec<OsString> = [self.executable()].into_iter().chain(options).collect();
        if *self == Tool::Klee {
            // It reads bitcode, from a clang of its own version.
            words.push(format!("--output-dir={}", folder.display()).into());
            let compile = "program=$1; shift; ${CLANG:-clang} $0 -c -g -emit-llvm -O0 -Xclang -disable-O0-optnone \
                           -Wno-everything \"$program\" -o \"$program.bc\" && exec \"$@\" \"$program.bc\"";
            let shell = ["sh", "-c", compile, if wide { "-m64" } else { "-m32" }].map(OsString::from);
            return shell.into_iter().chain([file.into()]).chain(words).collect();
        }
        words.push(file.into());
        words
    }

    pub fn answer(&self, ended: &Ended, question: &Question<'_>) -> Result<Answer, Reason> {
        let (answer, manner) = match self {
            Tool::Cbmc | Tool::Command(_) => (answer::answer(self.name(), ended), Manner::StandardError),
            Tool::Esbmc => (answer::answer(self.name(), ended), Manner::Severity),
            Tool::Klee => (klee::answer(ended, question.folder), Manner::Klee),
        };
        complaints::unless_complained(self.name(), manner, ended, answer?)
    }
}

/// `6.6.0 (cbmc-6.6.0)`: 6.
pub fn first_number(version: &str) -> Option<u32> {
    version.trim().split('.').next()?.parse().ok()
}

/// For a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

/// A file and a folder that does not exist yet, of a run of our own.
pub fn places(folder: &Path) -> (PathBuf, PathBuf) {
    (folder.join("sequential.c"), folder.join("out"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(tool: &Tool, version: u32, properties: Properties) -> String {
        let (file, folder) = (Path::new("p.c"), Path::new("out"));
        let style = Style::Cav14;
        let question = Question { file, folder, properties, style, wide: true, version, all: false };
        let words: Vec<String> = tool.words(&question).iter().map(|w| w.to_string_lossy().into_owned()).collect();
        words.join(" ")
    }

    #[test]
    fn only_what_is_asked_is_checked() {
        let some = Properties::NONE.with(Property::Memory);
        assert!(words(&Tool::Cbmc, 6, some).contains("--no-standard-checks --pointer-check --bounds-check --LP64"));
        assert!(!words(&Tool::Cbmc, 5, some).contains("--no-standard-checks"));
        assert!(!words(&Tool::Cbmc, 5, Properties::NONE).contains("-check "));
        assert!(words(&Tool::Esbmc, 0, Properties::NONE).contains("--no-pointer-check --no-bounds-check"));
    }

    #[test]
    fn versions() {
        assert_eq!(first_number("6.6.0 (cbmc-6.6.0)\n"), Some(6));
        assert_eq!(first_number("5.12 (cbmc-5.12)\n"), Some(5));
        assert_eq!(first_number("cbmc: error"), None);
    }

    #[test]
    fn a_command_gets_the_file() {
        assert_eq!(
            words(&Tool::Command("check --fast {file}".to_string()), 0, Properties::NONE),
            "sh -c check --fast 'p.c'"
        );
        assert_eq!(quoted(Path::new("it's.c")), "'it'\\''s.c'");
    }
}
