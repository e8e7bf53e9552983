//! From arguments to a program and the properties to check.

use crate::args::{DataModelName, LoadArgs, OptLevel, PropertyArgs, WatchArgs, needs_progress};
use crate::failure::Failure;
use crate::property_file::{self, Asked};
use selvedge_from_llvm::clang::{self, ClangOptions};
use selvedge_from_llvm::{LoadOptions, ObserverTexts};
use selvedge_program::{Program, Properties};
use std::path::Path;

/// The program as it is checked.
pub fn program(args: &LoadArgs) -> Result<Program, Failure> {
    watched_program(args, &WatchArgs::default())
}

/// The same, with functions that look at it.
pub fn watched_program(args: &LoadArgs, watch: &WatchArgs) -> Result<Program, Failure> {
    kept_program(args, watch, &[])
}

/// The same, with functions that nobody in the program calls.
pub fn kept_program(args: &LoadArgs, watch: &WatchArgs, keep: &[String]) -> Result<Program, Failure> {
    Ok(selvedge_passes::prepare(load_kept(args, watch, keep)?))
}

/// The program as C has it; [`selvedge_passes::prepare`] makes it ready for engines.
pub fn load(args: &LoadArgs) -> Result<Program, Failure> {
    load_watched(args, &WatchArgs::default())
}

pub fn load_watched(args: &LoadArgs, watch: &WatchArgs) -> Result<Program, Failure> {
    load_kept(args, watch, &[])
}

fn load_kept(args: &LoadArgs, watch: &WatchArgs, keep: &[String]) -> Result<Program, Failure> {
    let observers = watch.texts().map_err(Failure::BadInput)?;
    for path in args.files.iter().chain(&args.models) {
        check_readable(path)?;
    }
    let options = LoadOptions { keep: keep.to_vec(), ..options(args, observers) };
    selvedge_from_llvm::load(&args.files, &options).map_err(|error| Failure::BadInput(error.to_string()))
}

fn options(args: &LoadArgs, observers: ObserverTexts) -> LoadOptions {
    // Waits may end without a signal, but not for ever: no program has a run that only such wake-ups keep from its end.
    let spurious_wakeups = !args.no_spurious_wakeups && observers.specification.is_none();
    LoadOptions {
        clang: ClangOptions {
            include_dirs: args.include_dirs.clone(),
            defines: args.defines.clone(),
            undefines: args.undefines.clone(),
            std: args.std.clone(),
            data_model: match args.data_model {
                DataModelName::Ilp32 => clang::DataModel::Ilp32,
                DataModelName::Lp64 => clang::DataModel::Lp64,
            },
            opt: match args.opt {
                OptLevel::O0 => clang::OptLevel::O0,
                OptLevel::O1 => clang::OptLevel::O1,
                OptLevel::O2 => clang::OptLevel::O2,
                OptLevel::O3 => clang::OptLevel::O3,
            },
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

/// What to check: named on the command line, in a property file, or the default.
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

/// The same for commands that know nothing of whole runs.
pub fn properties_of_steps(args: &PropertyArgs) -> Result<Asked, Failure> {
    let asked = properties(args)?;
    match asked.includes_termination() {
        true => Err(Failure::BadInput("termination is about runs without end: ask `selvedge check`".to_string())),
        false => Ok(asked),
    }
}

/// The arguments that read the same program again and check the same properties, for a shell.
pub fn again(load: &LoadArgs, property: &PropertyArgs, watch: Option<&WatchArgs>) -> String {
    let mut words: Vec<String> = load.files.iter().map(|path| path.display().to_string()).collect();
    words.extend(load.include_dirs.iter().map(|dir| format!("-I{}", dir.display())));
    words.extend(load.defines.iter().map(|name| format!("-D{name}")));
    words.extend(load.undefines.iter().map(|name| format!("-U{name}")));
    words.extend(load.std.iter().map(|std| format!("--std={std}")));
    if DataModelName::Lp64 != load.data_model {
        words.push("-m32".to_string());
    }
    if OptLevel::O0 != load.opt {
        words.push(format!("-{}", load.opt.name()));
    }
    words.extend(load.clang.iter().map(|path| format!("--clang={}", path.display())));
    words.extend(load.models.iter().map(|path| format!("--model={}", path.display())));
    words.extend(load.no_spurious_wakeups.then(|| "--no-spurious-wakeups".to_string()));
    words.extend(load.malloc_may_fail.then(|| "--malloc-may-fail".to_string()));
    if !property.properties.is_empty() {
        let names: Vec<&str> = property.properties.iter().map(|p| p.name()).collect();
        words.push(format!("--property={}", names.join(",")));
    }
    words.extend(property.property_file.iter().map(|path| format!("--property-file={}", path.display())));
    words.extend(watch.into_iter().flat_map(WatchArgs::words));
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
