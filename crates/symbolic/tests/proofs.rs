//! Refutations that verdicts of the lazy engine rest on are proofs: on generated programs, and on a sample of the
//! project's C programs. Whatever is not a proof panics.

use selvedge_engine::{Control, Engine, Task};
use selvedge_from_llvm::{LoadOptions, load};
use selvedge_generate::{Features, Trial};
use selvedge_passes::prepare;
use selvedge_program::{Bounds, Finding, Program};
use selvedge_symbolic::lazy::Lazy;
use std::path::{Path, PathBuf};

/// Every so many of the project's programs.
const STEP: usize = 12;

/// Proofs that were checked for the finding.
fn check(program: &Program) -> (Finding, u64) {
    let bounds = Bounds { unwind: Some(2), rounds: Some(2), ..Bounds::default() };
    let task = Task { bounds, ..Task::default() };
    let outcome = Lazy { check_proofs: true, ..Lazy::default() }.check(program, &task, &Control::default());
    (outcome.finding, outcome.statistics.proofs_checked)
}

#[test]
fn of_generated_programs() {
    Trial { cases: 100, percent: 40 }.run(Features::ALL, |source, tally| {
        match check(&prepare(source.program())) {
            (Finding::NoneWithin(_), 0) => tally.skipped("nothing wrong without a solver"),
            (Finding::NoneWithin(_), _) => tally.compared(),
            (Finding::Violation { .. }, _) => tally.skipped("violation"),
            (finding, _) => drop(tally.compares(&[&finding])),
        }
        Ok(())
    });
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { programs(&path) } else { vec![path] };
    let is_c = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "c");
    paths.into_iter().filter(|path| !path.ends_with("ilp32")).flat_map(below).filter(is_c).collect()
}

#[test]
fn of_the_projects_programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let (mut proofs, mut refuted) = (0, 0);
    for path in programs(&folder).into_iter().step_by(STEP) {
        // Some are there to be refused.
        let Ok(program) = load(std::slice::from_ref(&path), &LoadOptions::default()) else { continue };
        let (finding, checked) = check(&prepare(program));
        proofs += checked;
        refuted += u64::from(matches!(finding, Finding::NoneWithin(_)) && checked > 0);
    }
    println!("{proofs} proofs, {refuted} programs without a violation");
    assert!(proofs >= 10 && refuted >= 5, "{proofs} proofs, {refuted} programs without a violation");
}
