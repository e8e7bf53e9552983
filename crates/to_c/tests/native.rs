//! Printed programs, compiled and run with random choices: what goes wrong there is also found by the lazy
//! engine within the same bounds.

mod common;

use common::{ROUNDS, UNWIND, compile, load, printed, programs_below, project, properties};
use selvedge_engine::{Control, Engine, Task};
use selvedge_generate::{Tally, trial};
use selvedge_program::{Bounds, Finding, Program, Properties, Property};
use selvedge_symbolic::lazy::Lazy;
use selvedge_to_c::{Backend, Style};
use std::process::{Command, Stdio};

const PROGRAMS: u64 = 60;

/// Does a run with one of these seeds end in a violation? What it says, if so.
fn fails(program: &Program, asked: Properties, style: Style, seeds: u64) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let binary = folder.path().join("run");
    let text = printed(program, asked, Backend::Generic, style).text;
    let said = compile("gcc".as_ref(), &text, &binary, false, true);
    // Warnings are looked at by `compiles.rs`.
    assert!(binary.exists(), "{said}");
    (0..seeds).find_map(|seed| {
        let run = Command::new(&binary).env("SELVEDGE_SEED", seed.to_string()).stdout(Stdio::null()).output();
        let run = run.expect("it runs");
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        // A crash says nothing, and neither does what is not supported.
        (!run.status.success() && !said.is_empty() && !said.starts_with("unsupported: ")).then_some(said)
    })
}

fn is_unsafe(program: &Program, asked: Properties) -> bool {
    let bounds = Bounds { unwind: Some(UNWIND), rounds: Some(ROUNDS), ..Bounds::default() };
    let task = Task { properties: asked, bounds, ..Task::default() };
    matches!(Lazy::default().check(program, &task, &Control::default()).finding, Finding::Violation { .. })
}

#[test]
fn random_runs_of_generated_programs_find_only_what_is_there() {
    let runs = Tally::default();
    for seed in trial::seeds(PROGRAMS) {
        let program = selvedge_passes::prepare(selvedge_generate::program(seed));
        let style = if seed % 2 == 0 { Style::Tacas17 } else { Style::Cav14 };
        let Some(said) = fails(&program, properties(), style, 60) else {
            runs.skipped("no run went wrong");
            continue;
        };
        runs.compared();
        assert!(is_unsafe(&program, properties()), "program {seed}: {said}");
    }
    runs.require(12, PROGRAMS);
}

#[test]
fn a_lost_update_is_found_by_running() {
    let program = load(&project().join("examples/bank_transfer.c"));
    let said = fails(&program, properties(), Style::Tacas17, 2000);
    assert!(said.is_some_and(|said| said.starts_with("assertion: ")));
}

#[test]
fn deadlocks_are_found_by_running_only_where_they_are() {
    let asked: Properties = [Property::Deadlock].into_iter().collect();
    let mut found = 0;
    for (number, path) in programs_below("tests/programs/deadlock").into_iter().enumerate() {
        let program = load(&path);
        let style = if number % 2 == 0 { Style::Tacas17 } else { Style::Cav14 };
        if let Some(said) = fails(&program, asked, style, 300) {
            found += 1;
            assert!(said.starts_with("deadlock: "), "{}: {said}", path.display());
            assert!(is_unsafe(&program, asked), "{}", path.display());
        }
    }
    assert!(found >= 5, "only {found} programs went wrong: the runs test nothing");
}
