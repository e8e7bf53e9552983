//! Against CBMC, where it is installed: on generated programs, and those about deadlocks, it finds a violation exactly
//! when the lazy engine does, within the same bounds.

mod common;

use common::{ROUNDS, UNWIND, load, printed_with, programs_below, properties};
use selvedge_engine::{Control, Engine, Task};
use selvedge_generate::{Tally, trial};
use selvedge_program::{Bounds, Finding, MemoryModel, Program, Properties, Property};
use selvedge_symbolic::lazy::Lazy;
use selvedge_to_c::{Backend, Style};
use std::path::Path;
use std::process::Command;

/// `SELVEDGE_CASES` for more.
const CASES: u64 = 48;

/// CBMC's answer: is something wrong? None: it met something unsupported.
fn cbmc(program: &Program, asked: Properties, seed: u64, folder: &Path) -> Option<(bool, String)> {
    let source = folder.join("sequential.c");
    let style = if seed.is_multiple_of(2) { Style::Tacas17 } else { Style::Cav14 };
    let text = printed_with(program, asked, Backend::Cbmc, style, !seed.is_multiple_of(3)).text;
    std::fs::write(&source, &text).expect("a file");
    let checks = ["--no-standard-checks", "--stop-on-fail"];
    let memory: &[&str] = if asked.contains(Property::Memory) { &["--pointer-check", "--bounds-check"] } else { &[] };
    let cbmc = std::env::var_os("CBMC").unwrap_or_else(|| "cbmc".into());
    let output = Command::new(cbmc).arg(&source).args(checks).args(memory).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.stderr.is_empty(), "cbmc complains: {}\n{text}", String::from_utf8_lossy(&output.stderr));
    if said.contains("unsupported: ") && output.status.code() == Some(10) {
        return None;
    }
    match output.status.code() {
        Some(0) => Some((false, said)),
        Some(10) => Some((true, said)),
        code => panic!("cbmc ended with {code:?}: {said}\n{text}"),
    }
}

fn is_deadlock(finding: &Finding) -> bool {
    matches!(finding, Finding::Violation { violation, .. } if violation.property == Property::Deadlock)
}

#[test]
fn generated_programs_get_the_same_verdicts() {
    generated(|_| MemoryModel::Sc);
}

#[test]
fn generated_programs_get_the_same_verdicts_with_store_buffers() {
    generated(|seed| if seed % 5 < 2 { MemoryModel::Tso } else { MemoryModel::Pso });
}

/// `model`: by seed.
fn generated(model: impl Fn(u64) -> MemoryModel) {
    if !selvedge_requires::cbmc() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let bounds = Bounds { unwind: Some(UNWIND), rounds: Some(ROUNDS), ..Bounds::default() };
    let (mut deadlocks, tally) = (0, Tally::default());
    for seed in trial::seeds(CASES) {
        let mut program = selvedge_passes::prepare(selvedge_generate::program(seed));
        program.memory_model = model(seed);
        // Other violations must not hide deadlocks. Memory is checked, too, since freed objects end only where it is.
        let only_deadlocks = seed / 2 % 2 == 1;
        let few = Properties::NONE.with(Property::Deadlock).with(Property::Memory);
        let asked = if only_deadlocks { few } else { properties() };
        let task = Task { properties: asked, bounds: bounds.clone(), ..Task::default() };
        let ours = Lazy::default().check(&program, &task, &Control::default()).finding;
        deadlocks += u64::from(is_deadlock(&ours));
        let theirs = cbmc(&program, asked, seed, folder.path());
        match (&ours, &theirs) {
            (Finding::GaveUp(_), _) => {
                tally.compares(&[&ours]);
            }
            (_, None) => tally.skipped("not supported by CBMC"),
            (Finding::Violation { .. }, Some((true, _))) | (Finding::NoneWithin(_), Some((false, _))) => {
                tally.compared()
            }
            _ => panic!(
                "program {seed}, {}: {ours:?}\n{}\n{}",
                program.memory_model.name(),
                theirs.map_or(String::new(), |(_, said)| said),
                selvedge_generate::source(seed, selvedge_generate::Features::ALL).text()
            ),
        }
    }
    assert!(trial::cases(CASES) < CASES || deadlocks > 0, "no deadlocks");
    tally.require(70, CASES);
}

/// How many programs of a folder are wrong, and how many are not; those that only one of the two understands do not
/// count. None where there is no CBMC.
fn compared(folder: &str, asked: Properties) -> Option<(usize, usize)> {
    if !selvedge_requires::cbmc() {
        return None;
    }
    let scratch = tempfile::tempdir().expect("a folder");
    let bounds = Bounds { unwind: Some(UNWIND), rounds: Some(ROUNDS), ..Bounds::default() };
    let task = Task { properties: asked, bounds, ..Task::default() };
    let (mut found, mut free) = (0, 0);
    for (number, path) in programs_below(folder).into_iter().enumerate() {
        let program = load(&path);
        let theirs = cbmc(&program, asked, number as u64, scratch.path());
        match (Lazy::default().check(&program, &task, &Control::default()).finding, theirs) {
            (Finding::Violation { .. }, Some((true, _))) => found += 1,
            (Finding::NoneWithin(_), Some((false, _))) => free += 1,
            (Finding::GaveUp(_), _) | (_, None) => {}
            (ours, theirs) => panic!("{}: {ours:?}, {theirs:?}", path.display()),
        }
    }
    Some((found, free))
}

#[test]
fn deadlocks_are_the_same() {
    let asked = Properties::NONE.with(Property::Deadlock);
    let Some((found, free)) = compared("tests/programs/deadlock", asked) else { return };
    assert!(found >= 8 && free >= 5, "{found} deadlocks, {free} programs without");
}

/// Where nobody asks for memory, a run ends with a wrong access: what comes behind it does not count.
#[test]
fn misused_memory_ends_a_run() {
    let asked = Properties::NONE.with(Property::Assertion);
    let Some((found, free)) = compared("tests/programs/memory", asked) else { return };
    assert!(found + free >= 20, "{found} wrong, {free} free");
}
