//! From arguments to a program.

use crate::args::{Given, LoadArgs, ObserverArgs, OverflowAlso, ProgramArgs, PropertyArgs, needs_progress};
use crate::failure::Failure;
use crate::sources::Sources;
use crate::{harness, question};
use selvedge_from_llvm::clang::{Clang, ClangOptions};
use selvedge_from_llvm::{FrontEndError, LoadOptions, ObserverTexts, Overflow};
use selvedge_program::{Assumption, Program, Suppression};
use std::path::{Path, PathBuf};

/// The program as engines see it, with the functions that look at it.
pub fn program(args: &LoadArgs, property: &PropertyArgs, observers: &ObserverArgs) -> Result<Program, Failure> {
    program_with(args, property, observers, &[])
}

/// The program, read from these copies of its files.
pub fn program_in_place_of(args: &ProgramArgs, copies: &[PathBuf]) -> Result<Program, Failure> {
    let ProgramArgs { load: args, property, observers } = args;
    let mut sources = Sources::plain(args)?;
    let files = std::mem::replace(&mut sources.files, copies.to_vec());
    for (file, _) in &mut sources.file_args {
        if let Some(number) = files.iter().position(|other| other == file) {
            file.clone_from(&copies[number]);
        }
    }
    let mut options = options(args, property, &sources, observers.texts().map_err(Failure::BadInput)?);
    for folder in files.iter().filter_map(|file| file.parent()) {
        // Headers in quotes lie beside the file that includes them.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        options.clang.extra_args.extend(["-iquote".to_string(), folder.display().to_string()]);
    }
    prepared(args, property, selvedge_from_llvm::load(copies, &options))
}

/// The program, with functions that nothing in it calls.
pub fn program_with(
    args: &LoadArgs,
    property: &PropertyArgs,
    observers: &ObserverArgs,
    keep: &[String],
) -> Result<Program, Failure> {
    let observers = observers.texts().map_err(Failure::BadInput)?;
    let sources = harness::sources(args)?;
    for path in sources.files.iter().chain(&args.models) {
        check_readable(path)?;
    }
    let options = LoadOptions { keep: keep.to_vec(), ..options(args, property, &sources, observers) };
    prepared(args, property, selvedge_from_llvm::load(&sources.files, &options))
}

/// The program of these sources, which nobody asked a question about.
pub fn program_of(args: &LoadArgs, sources: &Sources) -> Result<Program, Failure> {
    let property = PropertyArgs::default();
    let options = options(args, &property, sources, ObserverTexts::default());
    prepared(args, &property, selvedge_from_llvm::load(&sources.files, &options))
}

/// Whether a file of these sources compiles, and declares the functions that it calls.
pub fn compiles(args: &LoadArgs, sources: &Sources, file: &Path) -> Result<(), Failure> {
    let mut options = clang_options(args, sources);
    options.extra_args.push("-Werror=implicit-function-declaration".to_string());
    let compiled = Clang::find(args.clang.as_deref()).and_then(|clang| clang.compile(file, &options));
    compiled.map(drop).map_err(|error| Failure::BadInput(harness::without_folder(&error.to_string())))
}

fn prepared(
    args: &LoadArgs,
    property: &PropertyArgs,
    loaded: Result<Program, FrontEndError>,
) -> Result<Program, Failure> {
    let refused = |error: FrontEndError| Failure::BadInput(harness::without_folder(&error.to_string()));
    let program = loaded.map_err(refused)?;
    for place in &property.suppress {
        let is_file = |path: &String| place.is_in(path);
        if !program.source.files.values().any(is_file) {
            let message = format!("--suppress {place}: the program has no source file {}", place.file);
            return Err(Failure::BadInput(message));
        }
    }
    let mut program =
        selvedge_passes::prepare_with(Program { memory_model: args.memory_model, ..program }, args.aggregate_steps);
    program.assumptions.extend(property.suppress.iter().cloned().map(Assumption::Suppressed));
    program.assumptions.extend(property.race_ignore.iter().cloned().map(Assumption::IgnoredRace));
    Ok(program)
}

fn options(args: &LoadArgs, property: &PropertyArgs, sources: &Sources, observers: ObserverTexts) -> LoadOptions {
    // Waits may end without a signal, but not for ever: no program has a run that only such wake-ups keep from its end.
    let spurious_wakeups = !args.no_spurious_wakeups && observers.specification.is_none();
    LoadOptions {
        clang: clang_options(args, sources),
        clang_path: args.clang.clone(),
        models: args.models.clone(),
        option_values: vec![
            ("spurious_wakeups".to_string(), i64::from(spurious_wakeups)),
            ("livelock".to_string(), i64::from(needs_progress(&observers))),
        ],
        may_fail: args.world.may_fail(),
        world: args.world.world(),
        checks_status: question::includes_exit(property),
        observers,
        keep: Vec::new(),
        unknown_functions: args.unknown_functions,
        overflow: question::includes_overflow(property).then(|| Overflow {
            conversions: args.overflow_also.contains(&OverflowAlso::Conversions),
            pointers: args.overflow_also.contains(&OverflowAlso::Pointers),
        }),
        allow_undefined: args.allow_undefined,
    }
}

pub fn clang_options(args: &LoadArgs, sources: &Sources) -> ClangOptions {
    ClangOptions {
        include_dirs: args.include_dirs.clone(),
        defines: args.defines.clone(),
        undefines: args.undefines.clone(),
        std: args.std.clone(),
        data_model: sources.data_model,
        opt: args.opt,
        extra_args: sources.args.clone(),
        file_args: sources.file_args.clone(),
        ..ClangOptions::default()
    }
}

/// A missing file is said by us, in one line, not by the compiler in three.
pub fn check_readable(path: &Path) -> Result<(), Failure> {
    let opened = std::fs::File::open(path).and_then(|file| file.metadata());
    match opened {
        Ok(meta) if meta.is_dir() => Err(Failure::BadInput(format!("cannot read {}: it is a folder", path.display()))),
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::BadInput(format!("cannot read {}: {error}", path.display()))),
    }
}

/// The command that replays a schedule of the same program and properties, for a shell.
/// `suppressed`: violations that were left out, beyond those that the user named.
pub fn replay_line(given: &Given, suppressed: &[Suppression], schedule: String) -> String {
    let suppressed = suppressed.iter().map(|place| format!("--suppress={place}"));
    let program = given.words::<ProgramArgs>().into_iter().chain(suppressed);
    let words = ["selvedge".into(), "replay".into()].into_iter().chain(program).chain(["--schedule".into(), schedule]);
    words.chain(given.last_words::<ProgramArgs>()).map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
