//! Printed programs, compiled and run with random choices: what goes wrong there is also found by the lazy
//! engine within the same bounds.

mod common;

use common::{ROUNDS, UNWIND, compile, load, printed, project, properties};
use selvedge_engines::lazy::Lazy;
use selvedge_engines::{Control, Engine, Task};
use selvedge_program::{Bounds, Finding, Program};
use selvedge_to_c::{Backend, Style};
use std::process::{Command, Stdio};

/// Does a run with one of these seeds end in a violation? What it says, if so.
fn fails(program: &Program, style: Style, seeds: u64) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let binary = folder.path().join("run");
    let text = printed(program, properties(), Backend::Generic, style).text;
    let said = compile("gcc", &text, &binary, false, true);
    assert!(said.is_empty(), "{said}");
    (0..seeds).find_map(|seed| {
        let run = Command::new(&binary).env("SELVEDGE_SEED", seed.to_string()).stdout(Stdio::null()).output();
        let run = run.expect("it runs");
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        // A crash says nothing, and neither does what is not supported.
        (!run.status.success() && !said.is_empty() && !said.starts_with("unsupported: ")).then_some(said)
    })
}

fn is_unsafe(program: &Program) -> bool {
    let bounds = Bounds { unwind: Some(UNWIND), rounds: Some(ROUNDS), ..Bounds::default() };
    let task = Task { properties: properties(), bounds, ..Task::default() };
    matches!(Lazy.check(program, &task, &Control::default()).finding, Finding::Violation { .. })
}

#[test]
fn random_runs_of_generated_programs_find_only_what_is_there() {
    let mut found = 0;
    for seed in 0..60 {
        let program = selvedge_passes::prepare(selvedge_generate::program(seed));
        let style = if seed % 2 == 0 { Style::Tacas17 } else { Style::Cav14 };
        if let Some(said) = fails(&program, style, 60) {
            found += 1;
            assert!(is_unsafe(&program), "program {seed}: {said}");
        }
    }
    assert!(found >= 10, "only {found} of 60 programs went wrong: the runs test nothing");
}

#[test]
fn a_lost_update_is_found_by_running() {
    let program = load(&project().join("examples/bank_transfer.c"));
    let said = fails(&program, Style::Tacas17, 2000);
    assert!(said.is_some_and(|said| said.starts_with("assertion: ")));
}
