//! From arguments to a program and the properties to check.

use crate::args::{Given, LoadArgs, ObserverArgs, ProgramArgs, PropertyArgs, needs_progress};
use crate::engines::Capability;
use crate::failure::Failure;
use crate::property_file::{self, Asked};
use crate::sources::Sources;
use selvedge_from_llvm::clang::ClangOptions;
use selvedge_from_llvm::{FrontEndError, LoadOptions, ObserverTexts};
use selvedge_program::{Program, Properties};
use std::path::{Path, PathBuf};

/// The program as engines see it, with the functions that look at it.
pub fn program(args: &LoadArgs, observers: &ObserverArgs) -> Result<Program, Failure> {
    program_with(args, observers, &[])
}

/// The program, read from these copies of its files.
pub fn program_in_place_of(args: &LoadArgs, observers: &ObserverArgs, copies: &[PathBuf]) -> Result<Program, Failure> {
    let mut sources = Sources::of(args)?;
    let files = std::mem::replace(&mut sources.files, copies.to_vec());
    for (file, _) in &mut sources.file_args {
        if let Some(number) = files.iter().position(|other| other == file) {
            file.clone_from(&copies[number]);
        }
    }
    let mut options = options(args, &sources, observers.texts().map_err(Failure::BadInput)?);
    for folder in files.iter().filter_map(|file| file.parent()) {
        // Headers in quotes lie beside the file that includes them.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        options.clang.extra_args.extend(["-iquote".to_string(), folder.display().to_string()]);
    }
    prepared(args, selvedge_from_llvm::load(copies, &options))
}

/// The program, with functions that nobody in it calls.
pub fn program_with(args: &LoadArgs, observers: &ObserverArgs, keep: &[String]) -> Result<Program, Failure> {
    let observers = observers.texts().map_err(Failure::BadInput)?;
    let sources = Sources::of(args)?;
    for path in sources.files.iter().chain(&args.models) {
        check_readable(path)?;
    }
    let options = LoadOptions { keep: keep.to_vec(), ..options(args, &sources, observers) };
    prepared(args, selvedge_from_llvm::load(&sources.files, &options))
}

fn prepared(args: &LoadArgs, loaded: Result<Program, FrontEndError>) -> Result<Program, Failure> {
    let loaded = loaded.map(|program| Program { memory_model: args.memory_model, ..program });
    loaded.map(selvedge_passes::prepare).map_err(|error| Failure::BadInput(error.to_string()))
}

fn options(args: &LoadArgs, sources: &Sources, observers: ObserverTexts) -> LoadOptions {
    // Waits may end without a signal, but not for ever: no program has a run that only such wake-ups keep from its end.
    let spurious_wakeups = !args.no_spurious_wakeups && observers.specification.is_none();
    LoadOptions {
        clang: ClangOptions {
            include_dirs: args.include_dirs.clone(),
            defines: args.defines.clone(),
            undefines: args.undefines.clone(),
            std: args.std.clone(),
            data_model: sources.data_model,
            opt: args.opt,
            extra_args: sources.args.clone(),
            file_args: sources.file_args.clone(),
            ..ClangOptions::default()
        },
        clang_path: args.clang.clone(),
        models: args.models.clone(),
        option_values: vec![
            ("spurious_wakeups".to_string(), i64::from(spurious_wakeups)),
            ("malloc_may_fail".to_string(), i64::from(args.malloc_may_fail)),
            ("livelock".to_string(), i64::from(needs_progress(&observers))),
        ],
        observers,
        keep: Vec::new(),
        allow_undefined: args.allow_undefined,
    }
}

/// A missing file is said by us, in one line, not by the compiler in three.
fn check_readable(path: &Path) -> Result<(), Failure> {
    let opened = std::fs::File::open(path).and_then(|file| file.metadata());
    match opened {
        Ok(meta) if meta.is_dir() => Err(Failure::BadInput(format!("cannot read {}: it is a folder", path.display()))),
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::BadInput(format!("cannot read {}: {error}", path.display()))),
    }
}

/// The properties to check: named on the command line, in a property file, or the default.
pub fn properties(args: &PropertyArgs) -> Result<Asked, Failure> {
    if let Some(path) = &args.property_file {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::BadInput(format!("cannot read {}: {error}", path.display())))?;
        return property_file::parse(&text)
            .map_err(|error| Failure::BadInput(format!("{} is no property file: {error}", path.display())));
    }
    Ok(Asked::Check(match args.properties.is_empty() {
        true => Properties::default(),
        false => args.properties.iter().copied().collect(),
    }))
}

/// The properties to check, for commands that know nothing of whole runs.
pub fn properties_of_steps(args: &PropertyArgs) -> Result<Asked, Failure> {
    let asked = properties(args)?;
    match asked.includes_termination() {
        true => Err(Failure::BadInput("termination is about runs without end: ask `selvedge check`".to_string())),
        false => Ok(asked),
    }
}

/// The properties to check. Termination is a formula; in a property file it is meant of fair runs, since its tasks have
/// threads that wait for one another in loops.
pub fn asked(args: &mut ProgramArgs, given: &mut Given) -> Result<Asked, Failure> {
    let asked = properties(&args.property)?;
    if asked.includes_termination() {
        args.observers.termination = true;
        args.observers.fair |= args.property.property_file.is_some();
        given.ask(Capability::Temporal, "--property termination");
    }
    Ok(asked)
}

/// The command that replays a schedule of the same program and properties, for a shell.
pub fn replay_line(given: &Given, schedule: String) -> String {
    let program = given.words::<ProgramArgs>();
    let words = ["selvedge".into(), "replay".into()].into_iter().chain(program).chain(["--schedule".into(), schedule]);
    words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
