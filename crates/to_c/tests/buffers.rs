//! Store buffers: the programs below `tests/weak` say in their first line under which memory models they go wrong.
//!
//! ```c
//! // wrong: tso pso              (or: pso, never)
//! ```
//!
//! CBMC says just that of the printed programs. Compiled and run with random choices they go wrong under these models only,
//! and under each of them with some choices.

mod common;

use common::{compile, load, printed_in, programs_below, properties};
use selvedge_program::{MemoryModel, Program};
use selvedge_to_c::{Backend, Style};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ROUNDS: u32 = 3;
/// So many runs find what is there, and so many are tried where nothing is.
const ENOUGH: u64 = 20_000;
const IN_VAIN: u64 = 150;

struct Case {
    path: PathBuf,
    program: Program,
    model: MemoryModel,
    is_wrong: bool,
}

/// Each program under each model.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for path in programs_below("crates/to_c/tests/weak") {
        let text = std::fs::read_to_string(&path).expect("a program");
        let first =
            text.lines().next().and_then(|line| line.strip_prefix("// wrong: ")).expect("a first line that says it");
        let program = load(&path);
        for model in MemoryModel::ALL {
            let program = Program { memory_model: model, ..program.clone() };
            let is_wrong = first.split_whitespace().any(|name| name == model.name());
            cases.push(Case { path: path.clone(), program, model, is_wrong });
        }
    }
    cases
}

fn style(case: usize) -> Style {
    if case.is_multiple_of(2) { Style::Tacas17 } else { Style::Cav14 }
}

fn cbmc_fails(text: &str, folder: &Path) -> bool {
    let source = folder.join("sequential.c");
    std::fs::write(&source, text).expect("a file");
    let checks = ["--no-standard-checks", "--stop-on-fail", "--pointer-check", "--bounds-check"];
    let cbmc = std::env::var_os("CBMC").unwrap_or_else(|| "cbmc".into());
    let output = Command::new(cbmc).arg(&source).args(checks).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!said.contains("unsupported: ") || output.status.code() == Some(0), "{said}");
    match output.status.code() {
        Some(0) => false,
        Some(10) => true,
        code => panic!("cbmc ended with {code:?}: {said}\n{text}"),
    }
}

#[test]
fn cbmc_finds_what_the_models_allow_and_nothing_else() {
    if !selvedge_requires::cbmc() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (number, case) in cases().into_iter().enumerate() {
        let text = printed_in(ROUNDS, &case.program, properties(), Backend::Cbmc, style(number), true).text;
        let (name, model) = (case.path.display(), case.model.name());
        assert_eq!(cbmc_fails(&text, folder.path()), case.is_wrong, "{name} under {model}");
    }
}

#[test]
fn random_runs_show_what_the_models_allow_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let binary = folder.path().join("run");
    for (number, case) in cases().into_iter().enumerate().filter(|(_, case)| case.model.has_buffers()) {
        let (name, model) = (case.path.display(), case.model.name());
        let text = printed_in(ROUNDS, &case.program, properties(), Backend::Generic, style(number), true).text;
        let said = compile("gcc".as_ref(), &text, &binary, false, true);
        assert!(said.is_empty(), "{name} under {model}: {said}");
        let goes_wrong = |seed: u64| {
            let run = Command::new(&binary).env("SELVEDGE_SEED", seed.to_string()).stdout(Stdio::null()).output();
            let run = run.expect("it runs");
            let said = String::from_utf8_lossy(&run.stderr).into_owned();
            assert!(!said.starts_with("unsupported: "), "{name} under {model}: {said}");
            !run.status.success()
        };
        let found = (0..if case.is_wrong { ENOUGH } else { IN_VAIN }).find(|seed| goes_wrong(*seed));
        assert_eq!(found.is_some(), case.is_wrong, "{name} under {model}: seed {found:?}");
    }
}
