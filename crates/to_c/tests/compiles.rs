//! What is printed is C: compilers take it without a warning, for every backend.

mod common;

use common::{compile, is_narrow, load, printed, programs_below, properties};
use selvedge_from_llvm::clang::Clang;
use selvedge_generate::trial;
use selvedge_program::Program;
use selvedge_to_c::{Backend, Style};
use std::path::Path;

/// Every so many programs of the test suite; all with `SELVEDGE_ALL=1`.
const STEP: usize = 7;

fn check(compiler: &Path, path: &Path, program: &Program, backend: Backend, style: Style) {
    let folder = tempfile::tempdir().expect("a folder");
    let text = printed(program, properties(), backend, style).text;
    let said = compile(compiler, &text, &folder.path().join("out"), is_narrow(path), false);
    assert!(said.is_empty(), "{} for {}: {said}", path.display(), backend.name());
}

#[test]
fn the_test_suite_compiles_without_a_warning() {
    let step = if std::env::var_os("SELVEDGE_ALL").is_some() { 1 } else { STEP };
    let paths: Vec<_> = programs_below("tests/programs").into_iter().step_by(step).collect();
    assert!(paths.len() > 20);
    for path in paths {
        check(Path::new("gcc"), &path, &load(&path), Backend::Generic, Style::Tacas17);
    }
}

#[test]
fn every_backend_compiles_without_a_warning() {
    let clang = Clang::find(None).expect("clang, which reads the programs too");
    for path in programs_below("examples") {
        let program = load(&path);
        for backend in Backend::ALL {
            check(Path::new("gcc"), &path, &program, backend, Style::Tacas17);
            check(&clang.path, &path, &program, backend, Style::Cav14);
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
