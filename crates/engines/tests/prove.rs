//! Proofs without bounds against the explicit engine, on generated programs with threads and iterations without end:
//! nothing is proved of a program of which a few thousand states show a violation, nor of the evil twins of programs
//! that are proved.
//!
//! `SELVEDGE_CASES` is the number of programs for each test, `SELVEDGE_SEED` where they begin.

use proptest::prelude::*;
use selvedge_engine::{Control, Engine, Progress, Task};
use selvedge_generate::endless::{Endless, endless, guarded};
use selvedge_generate::{Trial, twins};
use selvedge_passes::prepare;
use selvedge_program::{Finding, Program, Properties, Property};
use selvedge_prove::check::check;
use selvedge_prove::extract::extract;
use selvedge_prove::interpret::{Precision, interpret};
use selvedge_search::explicit::Explicit;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

const ASSERTION: Properties = Properties::NONE.with(Property::Assertion);

/// States of an instance that the explicit engine looks at.
const STATES: u64 = 2_000;

/// Twins of each program that are tried.
const TWINS: usize = 6;

/// Does abstract interpretation prove it? What it claims to be a proof must be one.
fn is_proved(program: &Program) -> Result<bool, String> {
    let Ok(mut system) = extract(program, ASSERTION) else { return Ok(false) };
    // A proof that is not found soon is none: some systems have no end of candidates.
    let control = Control { time_limit: Some(Duration::from_secs(5)), ..Control::default() };
    let mut is_proved = false;
    for precision in Precision::ALL {
        let precision = Precision { changes: 1_000, ..precision };
        let Some(found) = interpret(&mut system, precision, &control).filter(|found| found.proved()) else { continue };
        match check(&mut system, &found.invariant, &control) {
            Ok(_) => is_proved = true,
            Err(refuted) => return Err(format!("a proof by {:?} that does not hold: {refuted}", precision.sharing)),
        }
    }
    Ok(is_proved)
}

/// Do the first states that the explicit engine looks at have a violation?
fn goes_wrong(program: &Program) -> bool {
    let mut control = Control { time_limit: Some(Duration::from_secs(5)), ..Control::default() };
    let stop = Arc::clone(&control.stop);
    let watcher = move |progress: &Progress| {
        if progress.states > STATES {
            stop.store(true, Ordering::Relaxed);
        }
    };
    control.watcher = Some(Arc::new(watcher));
    let task = Task { properties: ASSERTION, ..Task::default() };
    matches!(Explicit::ONE.check(program, &task, &control).finding, Finding::Violation { .. })
}

#[test]
fn what_goes_wrong_is_not_proved_nor_are_evil_twins() {
    let (proved, twins_found) = (Cell::new(0), Cell::new(0));
    let sources = prop_oneof![endless(), guarded()];
    Trial { cases: 40, percent: 40 }.run_on(sources, Endless::text, |source, tally| {
        let program = prepare(source.program());
        let wrong = goes_wrong(&program);
        if !is_proved(&program)? {
            if wrong {
                tally.compared();
            } else {
                tally.skipped("neither proved nor refuted");
            }
            return Ok(());
        }
        if wrong {
            return Err("it is proved, but goes wrong".to_string());
        }
        tally.compared();
        proved.set(proved.get() + 1);
        let all = twins::twins(source);
        for twin in all.iter().step_by(all.len().div_ceil(TWINS).max(1)) {
            let program = prepare(twin.program());
            if goes_wrong(&program) {
                twins_found.set(twins_found.get() + 1);
                if is_proved(&program)? {
                    return Err(format!("its twin is proved, but goes wrong: {twin:?}\n{}", twin.text()));
                }
            }
        }
        Ok(())
    });
    println!("{} proved, of whose twins {} go wrong", proved.get(), twins_found.get());
    // Among a few programs there may be none with such a twin.
    assert!(proved.get() < 20 || twins_found.get() > 0, "no twin goes wrong");
}
