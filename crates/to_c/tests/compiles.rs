//! The emitted text is C: compilers take it without a warning, for every backend.

mod common;

use common::{ROUNDS, compile, is_narrow, load, printed, printed_or_refused, programs_below, properties};
use selvedge_from_llvm::clang::Clang;
use selvedge_generate::trial;
use selvedge_program::Program;
use selvedge_to_c::{Backend, Style};
use std::path::{Path, PathBuf};

/// Every so many programs of the test suite; all with `SELVEDGE_ALL=1`.
const STEP: usize = 7;

/// False: the program is refused.
fn check(compiler: &Path, path: &Path, program: &Program, backend: Backend, style: Style) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let Ok(printed) = printed_or_refused(ROUNDS, program, properties(), backend, style, true) else { return false };
    let said = compile(compiler, &printed.text, &folder.path().join("out"), is_narrow(path), false);
    assert!(said.is_empty(), "{} for {}: {said}", path.display(), backend.name());
    true
}

#[test]
fn the_test_suite_compiles_without_a_warning() {
    let step = if std::env::var_os("SELVEDGE_ALL").is_some() { 1 } else { STEP };
    let paths: Vec<_> = programs_below("tests/programs").into_iter().step_by(step).collect();
    assert!(paths.len() > 20);
    let compiles = |path: &&PathBuf| check(Path::new("gcc"), path, &load(path), Backend::Generic, Style::Tacas17);
    let compiled = paths.iter().filter(compiles).count();
    assert!(compiled * 100 >= paths.len() * 95, "{compiled} of {}", paths.len());
}

#[test]
fn every_backend_compiles_without_a_warning() {
    let clang = Clang::find(None).expect("clang, which reads the programs too");
    let is_whole = |path: &PathBuf| std::fs::read_to_string(path).expect("it is readable").contains("int main(");
    let examples: Vec<PathBuf> = programs_below("examples").into_iter().filter(is_whole).collect();
    assert!(examples.len() > 10);
    for path in examples {
        let program = load(&path);
        for backend in Backend::ALL {
            assert!(check(Path::new("gcc"), &path, &program, backend, Style::Tacas17));
            assert!(check(&clang.path, &path, &program, backend, Style::Cav14));
        }
    }
}

#[test]
fn generated_programs_compile_without_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    for seed in trial::seeds(40) {
        let program = selvedge_passes::prepare(selvedge_generate::program(seed));
        let text = printed(&program, properties(), Backend::Generic, Style::Tacas17).text;
        let said = compile(Path::new("gcc"), &text, &folder.path().join("out"), false, false);
        assert!(said.is_empty(), "program {seed}: {said}\n{text}");
    }
}
