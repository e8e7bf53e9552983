//! Shared by several tests: the project's C programs, limits, numbers from the environment.

use selvedge_bound::Limits;
use selvedge_from_llvm::clang::{Clang, ClangOptions, DataModel};
use selvedge_from_llvm::{Unit, ll, lower};
use selvedge_program::verify::verify;
use selvedge_program::{Origin, Program, text};
use selvedge_requires::{Need, found};
use std::path::Path;

pub fn limits(unwind: u32) -> Limits {
    Limits { unwind, recursion: unwind, threads: 8, max_steps: 20_000, ..Limits::default() }
}

pub fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Every so many of the C programs in `tests/programs`, with the models, as the engines see them.
pub fn c_programs(every: usize, mut check: impl FnMut(&str, &Program)) {
    let Some(clang) = found(Need::Clang, Clang::find(None)) else { return };
    let options = ClangOptions { data_model: DataModel::Lp64, ..ClangOptions::default() };
    let models = clang
        .compile_source(
            "models",
            &selvedge_models::translation_unit(&selvedge_models::World::default(), |_| true),
            &options,
        )
        .unwrap();
    let models = ll::parse(&models).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join("tests").join("programs");
    let mut folders = vec![root];
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "c") && !folder.ends_with("ilp32") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let mut count = 0;
    for path in paths.iter().step_by(every) {
        let name = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let Ok(text) = clang.compile(path, &options) else { continue };
        let Ok(module) = ll::parse(&text) else { continue };
        let units = [Unit { module, origin: Origin::User }, Unit { module: models.clone(), origin: Origin::Model }];
        let Ok(program) = lower(&units, &[]) else { continue };
        check(&name, &selvedge_passes::prepare(program));
        count += 1;
    }
    assert!(count > 0);
}

/// The programs in `programs` beside the tests, with their text: each is about something that generated programs
/// rarely do.
pub fn written(mut check: impl FnMut(&str, &str, &Program)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join("programs");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let source = std::fs::read_to_string(&path).unwrap();
        let program = text::parse(&source).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(verify(&program), [], "{}", path.display());
        check(&path.file_stem().unwrap_or_default().to_string_lossy(), &source, &program);
    }
}
