//! Dynamic partial order reduction against the exact search on generated programs: the same violations, the same
//! ends, and no two runs that differ only in the order of independent steps.
//!
//! `SELVEDGE_CASES` is the number of programs for each test, `SELVEDGE_SEED` where they begin.

mod common;

use common::{same, settles, summary, tasks};
use selvedge_engine::{Control, Engine, Task, conclude};
use selvedge_generate::{Features, Source, Tally, Trial, trial};
use selvedge_program::{Finding, MemoryModel, Program, Properties};
use selvedge_search::dpor::Dpor;
use selvedge_search::explicit::Explicit;
use std::collections::BTreeSet;

const EXACT: Explicit = Explicit::ONE;
/// A program may have few states and very many runs.
const RUNS: Dpor =
    Dpor { no_reduction: false, all_orders: false, keeps_states: false, most_runs: Some(5_000), jobs: 1 };

fn compare(source: &Source, program: &Program, by_conflicts: Dpor, tally: &Tally) -> Result<(), String> {
    for no_reduction in [false, true] {
        let exact = Explicit { no_reduction, ..EXACT };
        for task in tasks() {
            let expected = exact.check(program, &task, &Control::default());
            let (finding, statistics, ledger) = Dpor { no_reduction, ..by_conflicts }.search_with_ends(program, &task);
            if let Finding::GaveUp(reason) = &finding
                && reason.to_string().contains("by conflicts")
            {
                return Err(reason.to_string());
            }
            if !tally.compares(&[&finding, &expected.finding]) {
                continue;
            }
            // A run in vain may go round for ever before all who could end it sleep.
            let may_be_cut = by_conflicts.jobs > 1 && summary(&expected.finding) == "none";
            if may_be_cut && summary(&finding) == "none within" {
                continue;
            }
            same("by conflicts and exact", summary(&finding), summary(&expected.finding))?;
            if let Finding::Violation { schedule, .. } = &finding {
                let schedule = schedule.to_string();
                match conclude(program, task.properties, finding) {
                    Ok(conclusion) => same("verdict", conclusion.verdict.name(), "unsafe")?,
                    Err(error) => return Err(format!("{error}: {schedule}")),
                }
                continue;
            }
            if !by_conflicts.keeps_states {
                if by_conflicts.jobs == 1 {
                    same("runs in vain", statistics.runs_in_vain, 0)?;
                }
                same("different runs", ledger.traces.len() as u64, statistics.runs)?;
            }
            if settles(source) {
                let plain = |finals: BTreeSet<Vec<u64>>| -> BTreeSet<_> {
                    finals.into_iter().map(|words| words[..2].to_vec()).collect()
                };
                let Some(finals) = exact.final_globals(program, &task) else { continue };
                same("final globals", plain(ledger.finals), plain(finals))?;
            }
        }
    }
    Ok(())
}

#[test]
fn violations_and_ends_are_those_of_the_exact_search() {
    let features = Features { spins: trial::spins(), ..Features::ALL };
    Trial { cases: 200, percent: 90 }.run(features, |source, tally| compare(source, &source.program(), RUNS, tally));
}

const WITH_STATES: Dpor = Dpor { keeps_states: true, ..RUNS };

/// States that have been searched hide nothing behind them.
#[test]
fn violations_and_ends_are_those_of_the_exact_search_with_known_states() {
    let features = Features { spins: trial::spins(), ..Features::ALL };
    Trial { cases: 200, percent: 90 }
        .run(features, |source, tally| compare(source, &source.program(), WITH_STATES, tally));
}

/// Workers that share the tree of runs make the same runs as one.
#[test]
fn violations_and_ends_are_those_of_the_exact_search_with_several_workers() {
    let several = Dpor { jobs: 3, ..RUNS };
    let features = Features { spins: trial::spins(), ..Features::ALL };
    Trial { cases: 100, percent: 90 }.run(features, |source, tally| compare(source, &source.program(), several, tally));
    Trial { cases: 30, percent: 80 }.run(BUFFERED, |source, tally| {
        under_each_weak_model(source, |program| compare(source, program, several, tally))
    });
}

/// Small ones: buffers multiply the states.
const BUFFERED: Features = Features { orders: true, size: Features::SCALAR.size / 4, ..Features::SCALAR };

fn under_each_weak_model(source: &Source, compare: impl Fn(&Program) -> Result<(), String>) -> Result<(), String> {
    [MemoryModel::Tso, MemoryModel::Pso].into_iter().try_for_each(|memory_model| {
        let program = Program { memory_model, ..source.program() };
        compare(&program).map_err(|why| format!("{}: {why}", memory_model.name()))
    })
}

/// Stores that reach memory later are steps like others.
#[test]
fn violations_and_ends_are_those_of_the_exact_search_with_store_buffers() {
    Trial { cases: 60, percent: 80 }
        .run(BUFFERED, |source, tally| under_each_weak_model(source, |program| compare(source, program, RUNS, tally)));
}

#[test]
fn violations_and_ends_are_those_of_the_exact_search_with_store_buffers_and_known_states() {
    Trial { cases: 60, percent: 80 }.run(BUFFERED, |source, tally| {
        under_each_weak_model(source, |program| compare(source, program, WITH_STATES, tally))
    });
}

/// Every order of steps is equivalent to one of the runs, and each run to some order.
fn explores_every_class(program: &Program, tally: &Tally) -> Result<(), String> {
    for no_reduction in [false, true] {
        // A violation would end the search.
        let task = Task { properties: Properties::NONE, ..Task::default() };
        let few = Dpor { no_reduction, most_runs: Some(500), ..RUNS };
        let (expected, statistics, every) = Dpor { all_orders: true, ..few }.search_with_ends(program, &task);
        let (finding, of_runs, ledger) = few.search_with_ends(program, &task);
        // Each may have learnt of other places that are shared.
        if statistics.restarts + of_runs.restarts > 0 {
            tally.skipped("began anew");
        } else if tally.compares(&[&expected, &finding]) {
            same("classes of runs", ledger.traces.len(), every.traces.len())?;
            if !program.memory_model.has_buffers() {
                // Queues of buffers are numbered as they are found.
                same("runs", ledger.traces, every.traces)?;
            }
            same("final globals", ledger.finals, every.finals)?;
        }
    }
    Ok(())
}

#[test]
fn every_class_of_runs_is_explored() {
    Trial { cases: 60, percent: 15 }.run(Features::ALL, |source, tally| explores_every_class(&source.program(), tally));
}

#[test]
fn every_class_of_runs_is_explored_with_store_buffers() {
    let features = Features { size: BUFFERED.size / 4, ..BUFFERED };
    Trial { cases: 40, percent: 10 }
        .run(features, |source, tally| under_each_weak_model(source, |program| explores_every_class(program, tally)));
}
