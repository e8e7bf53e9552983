//! The explicit engine against itself on generated programs: reductions, passes and bounds change
//! neither verdicts nor results.
//!
//! `SELVEDGE_CASES` is the number of programs for each test, `SELVEDGE_SEED` where they begin.

mod common;

use common::{same, settles, summary, tasks};
use selvedge_engine::{Control, Disk, Engine, Outcome, Task, conclude};
use selvedge_generate::{Features, Source, Stmt, Tally, Trial, trial};
use selvedge_passes::prepare;
use selvedge_program::verify::verify;
use selvedge_program::{Bounds, Finding, MemoryModel, Program, Property, Schedule, Verdict};
use selvedge_search::explicit::{Explicit, Memory};
use selvedge_vm::replay::{Replayed, replay};
use std::collections::BTreeSet;

const REDUCED: Explicit = Explicit::ONE;
const FULL: Explicit = Explicit { no_reduction: true, ..Explicit::ONE };

/// Runs `check` on many programs; so many percent of the searches must have an answer.
fn for_all(cases: u32, percent: u64, check: impl Fn(&Source, &Program, &Tally) -> Result<(), String>) {
    let features = Features { spins: trial::spins(), orders: true, ..Features::ALL };
    Trial { cases, percent }.run(features, |source, tally| {
        // Every program has the same one of the models each time. Buffers multiply the states of large ones.
        let is_small = source.size() <= Features::SCALAR.size / 4;
        let memory_model = if is_small { MemoryModel::ALL[(source.size() % 3) as usize] } else { MemoryModel::Sc };
        check(source, &Program { memory_model, ..source.program() }, tally)
    });
}

fn check(engine: Explicit, program: &Program, task: &Task) -> Outcome {
    engine.check(program, task, &Control::default())
}

/// With more than one property asked, which one is found first is not fixed.
fn comparable(task: &Task, outcome: &Outcome) -> String {
    match &outcome.finding {
        Finding::Violation { .. } if task.properties.iter().count() > 1 => "violation".to_string(),
        _ => summary(&outcome.finding),
    }
}

/// Does somebody offer to give way? A pause at a `yield` is free, and a reduction may merge the
/// `yield` into the step before.
fn yields(source: &Source) -> bool {
    source.any(&|s| matches!(s, Stmt::Yield | Stmt::Spin { yields: true, .. }))
}

/// A step that is given up is not told apart from what else it contains, and the reduced search has
/// longer steps: only answers are compared.
fn reduction(source: &Source, program: &Program, tally: &Tally) -> Result<(), String> {
    for task in tasks() {
        let (reduced, full) = (check(REDUCED, program, &task), check(FULL, program, &task));
        if !tally.compares(&[&reduced.finding, &full.finding]) {
            continue;
        }
        same("reduced and full", comparable(&task, &reduced), comparable(&task, &full))?;
        if matches!(full.finding, Finding::Violation { .. }) && !yields(source) {
            same("preemptions", reduced.statistics.preemptions, full.statistics.preemptions)?;
        }
    }
    if !settles(source) {
        return Ok(());
    }
    let task = tasks().swap_remove(0);
    same_finals(REDUCED.final_globals(program, &task), FULL.final_globals(program, &task))
}

/// Supersteps change no answer, and a complete search with them has the same final states.
fn supersteps(source: &Source, program: &Program, tally: &Tally) -> Result<(), String> {
    for plain in [REDUCED, FULL] {
        let running_on = Explicit { supersteps: true, ..plain };
        for task in tasks() {
            let (with, without) = (check(running_on, program, &task), check(plain, program, &task));
            if !tally.compares(&[&with.finding, &without.finding]) {
                continue;
            }
            same("with supersteps and without", comparable(&task, &with), comparable(&task, &without))?;
            let (found, fewest) = (with.statistics.preemptions, without.statistics.preemptions);
            if matches!(with.finding, Finding::Violation { .. }) && !yields(source) && found < fewest {
                return Err(format!("{found:?} preemptions with supersteps, {fewest:?} without"));
            }
            let (more, less) = (with.statistics.states, without.statistics.states);
            if matches!(with.finding, Finding::NoneWithin(_)) && more > less {
                return Err(format!("{more} states with supersteps, {less} without"));
            }
            confirmed(program, &task, with.finding)?;
        }
        if settles(source) {
            let task = tasks().swap_remove(0);
            same_finals(running_on.final_globals(program, &task), plain.final_globals(program, &task))?;
        }
    }
    Ok(())
}

/// Compares the final values of the plain variables, which come first. The pointers behind them depend
/// on the order of allocations. `None`: the search was not complete, or the program is not safe.
fn same_finals(a: Option<BTreeSet<Vec<u64>>>, b: Option<BTreeSet<Vec<u64>>>) -> Result<(), String> {
    let plain = |finals: BTreeSet<Vec<u64>>| -> BTreeSet<_> { finals.into_iter().map(|w| w[..2].to_vec()).collect() };
    match (a, b) {
        (Some(a), Some(b)) => same("final globals", plain(a), plain(b)),
        _ => Ok(()),
    }
}

/// The verdict on a violation, which must be "unsafe".
fn confirmed(program: &Program, task: &Task, finding: Finding) -> Result<Option<Verdict>, String> {
    let schedule = match &finding {
        Finding::Violation { schedule, .. } => schedule.to_string(),
        _ => return Ok(None),
    };
    match conclude(program, task.properties, finding) {
        Ok(conclusion) => same("verdict", conclusion.verdict.name(), "unsafe").map(|()| Some(conclusion.verdict)),
        Err(error) => Err(format!("{error}: {schedule}")),
    }
}

#[test]
fn reduction_changes_no_verdict() {
    for_all(25, 90, reduction);
}

/// Where a lock protects all that threads share, nobody can tell memory models apart, nor does the search.
#[test]
fn locked_programs_have_the_same_states_under_all_models() {
    let features = Features { spins: trial::spins(), ..Features::SCALAR };
    Trial { cases: 20, percent: 90 }.run(features, |source, tally| {
        let threads = source.threads.iter().map(|body| vec![Stmt::Locked(0, body.clone())]).collect();
        let source = Source { threads, between: Vec::new(), joins: true, nested: None, ..source.clone() };
        for task in tasks() {
            let outcomes = MemoryModel::ALL.map(|memory_model| {
                let program = Program { memory_model, ..source.program() };
                check(REDUCED, &program, &task)
            });
            if tally.compares(&outcomes.each_ref().map(|outcome| &outcome.finding)) {
                let counts = |o: &Outcome| (summary(&o.finding), o.statistics.states, o.statistics.transitions);
                let [sc, tso, pso] = outcomes.each_ref().map(counts);
                same("sc and tso", &sc, &tso)?;
                same("sc and pso", &sc, &pso)?;
            }
        }
        Ok(())
    });
}

#[test]
fn supersteps_change_no_verdict() {
    for_all(25, 90, supersteps);
}

/// Gives both outcomes of a program where they can be compared.
fn sleep_sets(
    program: &Program,
    tally: &Tally,
    compare: fn(&Outcome, &Outcome) -> Result<(), String>,
) -> Result<(), String> {
    for plain in [REDUCED, FULL] {
        for task in tasks() {
            let sleeping = Explicit { sleep_sets: true, ..plain };
            let (with, without) = (check(sleeping, program, &task), check(plain, program, &task));
            if !tally.compares(&[&with.finding, &without.finding]) {
                continue;
            }
            same("with sleep sets and without", comparable(&task, &with), comparable(&task, &without))?;
            // With several workers the order in which sharing is noticed varies, and with it what a search learns.
            let restarts = with.statistics.restarts + without.statistics.restarts;
            if restarts == 0 && matches!(with.finding, Finding::NoneWithin(_)) {
                compare(&with, &without)?;
            }
            confirmed(program, &task, with.finding)?;
        }
    }
    Ok(())
}

#[test]
fn sleep_sets_change_no_verdict() {
    for_all(20, 90, |_, program, tally| {
        sleep_sets(program, tally, |with, without| match with.statistics.states <= without.statistics.states {
            true => Ok(()),
            false => Err(format!("{:?} and {:?}", with.statistics, without.statistics)),
        })
    });
}

/// Can an object end while a pointer names it? Its number is free again only when none does, so that the numbers of
/// later ones depend on who comes first.
fn leaves_dangling_pointers(source: &Source) -> bool {
    source.any(&|s| matches!(s, Stmt::Free | Stmt::Publish))
}

/// Sleep sets leave out transitions, but no state; up to the numbers of objects.
#[test]
fn sleep_sets_visit_the_same_states() {
    for_all(25, 60, |source, program, tally| {
        if leaves_dangling_pointers(source) {
            tally.skipped("numbers of objects differ");
            return Ok(());
        }
        sleep_sets(program, tally, |with, without| {
            same("states", with.statistics.states, without.statistics.states)?;
            match with.statistics.transitions <= without.statistics.transitions {
                true => Ok(()),
                false => Err(format!("{:?} and {:?}", with.statistics, without.statistics)),
            }
        })
    });
}

#[test]
fn several_workers_find_what_one_finds() {
    for_all(20, 90, |_, program, tally| {
        for supersteps in [false, true] {
            let one = Explicit { supersteps, ..REDUCED };
            let several = Explicit { jobs: 3, ..one };
            for task in tasks() {
                let (a, b) = (check(one, program, &task), check(several, program, &task));
                tally.compares(&[&a.finding, &b.finding]);
                same("one and several", comparable(&task, &a), comparable(&task, &b))?;
                // With several workers the order in which sharing is noticed varies, and with it what a search learns.
                if a.statistics.restarts + b.statistics.restarts == 0 {
                    match a.finding {
                        Finding::NoneWithin(_) => same("states", a.statistics.states, b.statistics.states)?,
                        Finding::Violation { .. } => {
                            same("preemptions", a.statistics.preemptions, b.statistics.preemptions)?;
                        }
                        _ => {}
                    }
                }
                confirmed(program, &task, b.finding)?;
            }
        }
        Ok(())
    });
}

/// On small programs no two states have the same hash; what is approximate never says "all".
#[test]
fn approximate_stores_find_the_same_violations() {
    for_all(20, 90, |_, program, tally| {
        for memory in [Memory::Compact, Memory::Bitstate { megabytes: 1 }] {
            for task in tasks() {
                let exact = check(REDUCED, program, &task);
                let approximate = check(Explicit { memory, jobs: 2, ..REDUCED }, program, &task);
                if !tally.compares(&[&exact.finding, &approximate.finding]) {
                    continue;
                }
                let expected = match summary(&exact.finding).as_str() {
                    "none" => "none within".to_string(),
                    other => other.to_string(),
                };
                same("approximate and exact", summary(&approximate.finding), expected)?;
                confirmed(program, &task, approximate.finding)?;
            }
        }
        Ok(())
    });
}

/// The frontier is on disk, in tiny blocks: answers and states stay the same, exact or not.
#[test]
fn the_disk_changes_no_verdict() {
    for_all(20, 90, |_, program, tally| {
        let on_disk = |engine: Explicit, task: &Task| {
            let disk = Some(Disk { block: 2, ..Disk::new(std::env::temp_dir()) });
            engine.check(program, task, &Control { disk, ..Control::default() })
        };
        for task in tasks() {
            for supersteps in [false, true] {
                let engine = Explicit { supersteps, ..REDUCED };
                let (memory, disk) = (check(engine, program, &task), on_disk(engine, &task));
                tally.compares(&[&memory.finding, &disk.finding]);
                same("in memory and on disk", summary(&memory.finding), summary(&disk.finding))?;
                let counts = |o: &Outcome| (o.statistics.states, o.statistics.transitions, o.statistics.preemptions);
                same("counts", counts(&memory), counts(&disk))?;
                confirmed(program, &task, disk.finding)?;
            }
            let engine = Explicit { memory: Memory::Compact, ..REDUCED };
            let (memory, disk) = (check(engine, program, &task), on_disk(engine, &task));
            if !tally.compares(&[&memory.finding, &disk.finding]) {
                continue;
            }
            same("depth first and on disk", summary(&memory.finding), summary(&disk.finding))?;
            if matches!(disk.finding, Finding::NoneWithin(_)) && memory.statistics.restarts == disk.statistics.restarts
            {
                same("states", memory.statistics.states, disk.statistics.states)?;
            }
            confirmed(program, &task, disk.finding)?;
        }
        Ok(())
    });
}

/// Whatever is merged, a run has as many context switches; and a violation needs no more with a larger bound.
#[test]
fn context_switches_are_counted_exactly() {
    let switches_of = |outcome: &Outcome| match &outcome.finding {
        Finding::Violation { schedule, violation } => Some(schedule.switches(violation)),
        _ => None,
    };
    for_all(20, 90, move |_, program, tally| {
        for task in tasks() {
            let unbounded = check(REDUCED, program, &task);
            let enough = switches_of(&unbounded);
            let mut found = false;
            let mut found_by_supersteps = false;
            for switches in 0..6 {
                let bounds = Bounds { switches: Some(switches), ..Bounds::default() };
                let task = Task { bounds, ..task.clone() };
                let (reduced, full) = (check(REDUCED, program, &task), check(FULL, program, &task));
                let running_on = check(Explicit { supersteps: true, ..REDUCED }, program, &task);
                if !tally.compares(&[&unbounded, &reduced, &full, &running_on].map(|outcome| &outcome.finding)) {
                    continue;
                }
                let is_violation = |outcome: &Outcome| switches_of(outcome).is_some();
                // Invisible steps before a thread waits for ever count as a turn only without the reduction.
                let may_be_less = task.properties.contains(Property::Deadlock) && is_violation(&reduced);
                if !may_be_less {
                    same(&format!("within {switches} switches"), is_violation(&reduced), is_violation(&full))?;
                }
                if found && !is_violation(&reduced) || is_violation(&reduced) && enough.is_none() {
                    return Err(format!("{switches} switches: {}", summary(&reduced.finding)));
                }
                if !is_violation(&reduced) && enough.is_some_and(|enough| enough <= switches as usize) {
                    return Err(format!("{enough:?} switches are enough, but within {switches} nothing is found"));
                }
                found = is_violation(&reduced);
                let by_supersteps = is_violation(&running_on);
                let is_complete = summary(&running_on.finding) == "none";
                if by_supersteps && !found || found_by_supersteps && !by_supersteps {
                    return Err(format!("{switches} switches of supersteps: {}", summary(&running_on.finding)));
                }
                if is_complete && enough.is_some() {
                    return Err(format!(
                        "{switches} switches of supersteps are all, but: {}",
                        summary(&unbounded.finding)
                    ));
                }
                found_by_supersteps = by_supersteps;
                for outcome in [reduced, running_on] {
                    if let Some(switched) = switches_of(&outcome).filter(|switched| *switched > switches as usize) {
                        return Err(format!("{switched} switches within {switches}: {:?}", outcome.finding));
                    }
                    confirmed(program, &task, outcome.finding)?;
                }
            }
        }
        Ok(())
    });
}

#[test]
fn every_violation_replays_from_its_text() {
    for_all(25, 25, |_, program, tally| {
        for engine in [REDUCED, FULL] {
            let task = Task::default();
            let outcome = check(engine, program, &task);
            let Finding::Violation { schedule, violation } = outcome.finding.clone() else {
                tally.skipped("no violation");
                continue;
            };
            tally.compared();
            let Some(Verdict::Unsafe(trace)) = confirmed(program, &task, outcome.finding)? else { continue };
            let text = schedule.to_string();
            let again: Schedule = text.parse().map_err(|e| format!("{text}: {e}"))?;
            same("schedule", &again, &schedule)?;
            match replay(program, task.properties, &again) {
                Replayed::Violation(second) => same("trace", &second, &trace)?,
                Replayed::Nothing { why } => return Err(format!("{text}: {why}")),
            }
            same("property", trace.violation.property, violation.property)?;
        }
        Ok(())
    });
}

#[test]
fn passes_change_no_verdict() {
    for_all(25, 90, |source, program, tally| {
        let prepared = prepare(program.clone());
        let problems = verify(&prepared);
        same("problems", problems.len(), 0)?;
        let task = Task::default();
        for task in tasks() {
            let (plain, after) = (check(REDUCED, program, &task), check(REDUCED, &prepared, &task));
            if !tally.compares(&[&plain.finding, &after.finding]) {
                continue;
            }
            same("plain and prepared", comparable(&task, &plain), comparable(&task, &after))?;
            confirmed(&prepared, &task, after.finding)?;
        }
        let finals = |program| REDUCED.final_globals(program, &task);
        if settles(source) { same_finals(finals(program), finals(&prepared)) } else { Ok(()) }
    });
}

#[test]
fn larger_bounds_lose_no_bug() {
    for_all(20, 90, |_, program, tally| {
        let task = Task::default();
        let unbounded = check(REDUCED, program, &task);
        if !tally.compares(&[&unbounded.finding]) {
            return Ok(());
        }
        for bound in 0..4 {
            let bounds = Bounds { preemptions: Some(bound), ..Bounds::default() };
            let bounded = check(REDUCED, program, &Task { bounds, ..task.clone() });
            // It may be stuck before it gets to the violation.
            if !tally.compares(&[&bounded.finding]) {
                continue;
            }
            let expected = match (&unbounded.finding, unbounded.statistics.preemptions) {
                (Finding::Violation { .. }, Some(least)) if least <= bound => summary(&unbounded.finding),
                (Finding::Violation { .. }, _) => "none within".to_string(),
                // The last level of a complete search is the first that leaves nothing for the next.
                _ if matches!(&bounded.finding, Finding::NoneWithin(c) if c.is_complete()) => "none".to_string(),
                _ => "none within".to_string(),
            };
            same(&format!("within {bound} preemptions"), summary(&bounded.finding), expected)?;
            if let Finding::Violation { .. } = bounded.finding {
                same("preemptions", bounded.statistics.preemptions, unbounded.statistics.preemptions)?;
            }
        }
        Ok(())
    });
}

#[test]
fn the_same_answer_twice() {
    for_all(20, 90, |_, program, tally| {
        let task = Task::default();
        let (first, second) = (check(REDUCED, program, &task), check(REDUCED, program, &task));
        tally.compares(&[&first.finding, &second.finding]);
        same("finding", first.finding, second.finding)?;
        same("states", first.statistics.states, second.statistics.states)?;
        same("transitions", first.statistics.transitions, second.statistics.transitions)
    });
}
