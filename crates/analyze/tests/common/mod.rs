//! Shared by several tests: the project's C programs, limits, numbers from the environment.

use selvedge_bound::Limits;
use selvedge_c_programs::{Compiler, own};
use selvedge_from_llvm::clang::DataModel;
use selvedge_program::verify::verify;
use selvedge_program::{Program, text};
use std::path::Path;

pub fn limits(unwind: u32) -> Limits {
    Limits { unwind, recursion: unwind, threads: 8, max_steps: 20_000, ..Limits::default() }
}

pub fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Every so many of the C programs for 64 bits in `tests/programs`, with the models, as the engines see them.
pub fn c_programs(every: usize, mut check: impl FnMut(&str, &Program)) {
    let Some(compiler) = Compiler::find() else { return };
    let sources = own(&["tests/programs"]).into_iter().filter(|source| source.data_model == DataModel::Lp64);
    let mut count = 0;
    for source in sources.step_by(every) {
        let Ok(program) = compiler.source(&source) else { continue };
        check(&source.name(), &program);
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
