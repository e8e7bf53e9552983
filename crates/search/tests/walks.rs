//! Random walks against the exact search on generated programs: every violation is confirmed by its replay, and most
//! that there are are found.
//!
//! `SELVEDGE_CASES` is the number of programs for each test, `SELVEDGE_SEED` where they begin.

use selvedge_engine::{Control, Engine, Task, conclude};
use selvedge_generate::{Features, Trial};
use selvedge_program::{Finding, MemoryModel, Program, Properties, Property};
use selvedge_search::explicit::Explicit;
use selvedge_search::walks::Walks;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Enough for small programs.
const STEPS: u64 = 2_000;

#[test]
fn walks_find_most_violations_and_nothing_else() {
    compare(Trial { cases: 60, percent: 50 }, Features::ALL, MemoryModel::Sc);
}

#[test]
fn walks_find_most_violations_and_nothing_else_with_store_buffers() {
    let small = Features { orders: true, size: Features::SCALAR.size / 4, ..Features::SCALAR };
    compare(Trial { cases: 60, percent: 50 }, small, MemoryModel::Tso);
    compare(Trial { cases: 60, percent: 50 }, small, MemoryModel::Pso);
}

fn compare(trial: Trial, features: Features, memory_model: MemoryModel) {
    let (found, missed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    trial.run(features, |source, tally| {
        let program = Program { memory_model, ..source.program() };
        for property in [Property::Assertion, Property::Deadlock, Property::Memory] {
            let task = Task { properties: Properties::NONE.with(property), ..Task::default() };
            let exact = Explicit::ONE.check(&program, &task, &Control::default()).finding;
            if !tally.compares(&[&exact]) {
                continue;
            }
            let walks = Walks { most: Some(STEPS) }.check(&program, &task, &Control::default()).finding;
            match (&exact, walks) {
                (_, walked @ Finding::Violation { .. }) => {
                    let verdict =
                        conclude(&program, task.properties, walked).map_err(|error| error.to_string())?.verdict;
                    if verdict.name() != "unsafe" || !matches!(exact, Finding::Violation { .. }) {
                        return Err(format!("{} by walks, but {exact:?}", verdict.name()));
                    }
                    found.fetch_add(1, Ordering::Relaxed);
                }
                (Finding::Violation { .. }, _) => drop(missed.fetch_add(1, Ordering::Relaxed)),
                _ => {}
            }
        }
        Ok(())
    });
    let (found, missed) = (found.into_inner(), missed.into_inner());
    // One of a few may be missed.
    assert!(missed <= 1 + found / 10, "{found} found, {missed} missed");
}
