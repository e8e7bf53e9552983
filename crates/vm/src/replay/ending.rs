//! The end of a schedule: its last thread goes on into the violation, or waits, possibly for ever.

use super::livelock::livelock;
use super::{Advanced, Replayer, advance, flush};
use crate::deadlock::{Awaited, Waiting};
use crate::oracle::Ended;
use selvedge_program::{Loc, Property, Violation};

/// The most steps that the last thread may take after its slice to reach the violation.
const STEPS_AT_THE_END: u32 = 100_000;

/// A thread that waits for ever, with its position and the threads that it waits for.
#[derive(Clone)]
pub(crate) struct Stuck {
    pub thread: usize,
    pub at: Loc,
    pub awaited: Vec<Awaited>,
}

pub(super) fn finish(machine: &mut Replayer<'_>, thread: usize) -> Result<Violation, String> {
    machine.oracle.past_the_end = true;
    if let Some(race) = machine.race_violation() {
        return Ok(race);
    }
    if let Some(spins) = livelock(machine)? {
        return Ok(spins);
    }
    for _ in 0..STEPS_AT_THE_END {
        if machine.state.threads.get(thread).is_none_or(|t| t.is_finished()) {
            break;
        }
        match advance(machine, thread)? {
            Advanced::Violation(violation) => return Ok(violation),
            Advanced::Blocked => break,
            Advanced::To(Ended::Exited) => return Err("the process ended".to_string()),
            Advanced::To(_) => {}
        }
    }
    if unfinished(machine).is_empty() {
        return Err("all threads ended".to_string());
    }
    if !machine.properties().contains(Property::Deadlock) {
        return Err("the schedule is over, and deadlocks are not checked".to_string());
    }
    // As long as something can arrive, something can happen.
    while let Some(store) = machine.flushes().first() {
        if let Some(violation) = flush(machine, *store)? {
            return Ok(violation);
        }
    }
    let mut stuck = stuck(machine);
    if stuck.is_empty() {
        run_on(machine);
        stuck = self::stuck(machine);
    }
    for thread in &stuck {
        // Record the call in which it waits.
        advance(machine, thread.thread)?;
    }
    deadlock(machine, stuck)
}

pub(super) fn unfinished(machine: &Replayer<'_>) -> Vec<usize> {
    (0..machine.state.threads.len()).filter(|t| !machine.state.threads[*t].is_finished()).collect()
}

/// The threads that wait for ever in the current state.
pub(super) fn stuck(machine: &mut Replayer<'_>) -> Vec<Stuck> {
    let (mut waiting, mut stuck) = (Vec::<Waiting>::new(), Vec::new());
    for thread in unfinished(machine) {
        let used = machine.oracle.leave_record();
        if let Some(waits) = machine.is_waiting(thread) {
            waiting.push(waits);
            stuck.push(Stuck { thread, at: machine.stopped_at, awaited: machine.awaited().to_vec() });
        }
        machine.oracle.back_on_record(used);
    }
    let doomed = machine.state.doomed(&waiting);
    stuck.retain(|one| doomed >> one.thread & 1 == 1);
    stuck
}

/// Lets each thread run on to where it waits, if it does: the schedule may leave out the invisible beginning of a
/// blocked step.
fn run_on(machine: &mut Replayer<'_>) {
    let mut left = STEPS_AT_THE_END;
    let mut someone_moved = true;
    while someone_moved && left > 0 {
        someone_moved = false;
        for thread in unfinished(machine) {
            let before = (machine.state.clone(), machine.oracle.clone());
            let mut steps = 0;
            let waits = loop {
                match advance(machine, thread) {
                    Ok(Advanced::Blocked) => break true,
                    Ok(Advanced::To(Ended::Paused)) if steps < left => steps += 1,
                    _ => break false,
                }
            };
            left -= steps;
            if waits && steps > 0 {
                someone_moved = true;
            } else {
                (machine.state, machine.oracle) = before;
            }
        }
    }
}

fn deadlock(machine: &mut Replayer<'_>, stuck: Vec<Stuck>) -> Result<Violation, String> {
    let others = unfinished(machine).len() - stuck.len();
    // Main usually just waits for the others: name another thread first.
    let Some(first) = stuck.iter().find(|one| one.thread != 0).or(stuck.first()) else {
        return Err("the schedule is over, and threads could go on".to_string());
    };
    let who = match stuck.len() {
        1 => "a thread waits for ever".to_string(),
        n => format!("{n} threads wait for ever"),
    };
    let text = if others > 0 { format!("{who}, while others could go on") } else { who };
    let violation = Violation { property: Property::Deadlock, text, loc: first.at, thread: first.thread as u32 };
    machine.oracle.synchronisation.stuck = stuck;
    Ok(violation)
}
