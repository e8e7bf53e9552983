//! The end of a schedule after which all threads spin or wait for ever ([`crate::spin`]).
//!
//! Here every step counts, and a thread may have something to do before it goes round that nobody can see. So each is
//! first led to where it goes round or waits, as long as it changes nothing but what is its own; only then is it looked
//! whether all of them do so for ever.

use super::ending::{stuck, unfinished};
use super::{Replayer, advance};
use crate::oracle::Ended;
use crate::spin::{Spin, are_apart, is_own};
use crate::state::State;
use selvedge_program::{Property, Violation};

/// The most steps of a round, and before it.
const LONGEST: usize = 2000;

/// A thread has got to where it waits, or goes round; with so many steps.
enum Settled {
    Waits { steps: usize },
    GoesRound { steps: usize },
}

/// The way of each thread to the place where it stays.
type AllSettled = Vec<(usize, Settled)>;

/// The violation, if all threads spin or wait in the machine's state. Then the trace has a round of each.
pub(super) fn livelock(machine: &mut Replayer<'_>) -> Result<Option<Violation>, String> {
    if machine.is_weak || !machine.properties().contains(Property::Deadlock) {
        return Ok(None);
    }
    let before = (machine.state.clone(), machine.oracle.clone());
    machine.oracle.leave_record();
    let all = all_stuck(machine);
    (machine.state, machine.oracle) = before;
    let Some((settled, spins)) = all else { return Ok(None) };
    for (thread, settled) in &settled {
        let (Settled::Waits { steps } | Settled::GoesRound { steps }) = settled;
        for _ in 0..*steps {
            advance(machine, *thread)?;
        }
        if let Settled::Waits { .. } = settled {
            // Record the call in which it waits.
            advance(machine, *thread)?;
        }
    }
    Ok(Some(violation_of(machine, &spins, settled.len() - spins.len())))
}

/// The way of all threads there, and those that go round; `None` if one of them can do something else.
fn all_stuck(machine: &mut Replayer<'_>) -> Option<(AllSettled, Vec<Spin>)> {
    let threads = unfinished(machine);
    let settled =
        threads.iter().map(|thread| Some((*thread, settle(machine, *thread)?))).collect::<Option<Vec<_>>>()?;
    if !stuck(machine).is_empty() {
        // It is a deadlock, whatever the others do.
        return None;
    }
    let mut spins = Vec::new();
    for thread in threads {
        let spin = machine.spin(thread, LONGEST, |machine, from| {
            let taken = machine.oracle.inputs_taken();
            machine.step(thread) == Ok(Ended::Paused)
                && machine.oracle.inputs_taken() == taken
                && is_own(thread, from, &machine.state)
        });
        match spin {
            Some(spin) => spins.push(spin),
            None if machine.is_waiting(thread).is_some() => {}
            None => return None,
        }
    }
    (spins.iter().any(|spin| spin.waits) && are_apart(&spins)).then_some((settled, spins))
}

/// Leads a thread to where it waits, or has gone round once.
fn settle(machine: &mut Replayer<'_>, thread: usize) -> Option<Settled> {
    let mut seen: Vec<State> = Vec::new();
    for steps in 0..LONGEST {
        if machine.is_waiting(thread).is_some() {
            return Some(Settled::Waits { steps });
        }
        let from = machine.state.clone();
        if machine.step(thread) != Ok(Ended::Paused) || !is_own(thread, &from, &machine.state) {
            return None;
        }
        seen.push(from);
        if seen.iter().any(|before| before.threads[thread] == machine.state.threads[thread]) {
            return Some(Settled::GoesRound { steps: steps + 1 });
        }
    }
    None
}

fn violation_of(machine: &mut Replayer<'_>, spins: &[Spin], waiting: usize) -> Violation {
    let source = &machine.code.program.source;
    let place = |spin: &Spin| format!("thread {} at {}", spin.thread, source.describe(spin.at));
    let places: Vec<String> = spins.iter().map(place).collect();
    let who = match spins.len() {
        1 => "a thread spins for ever".to_string(),
        n => format!("{n} threads spin for ever"),
    };
    let others = match waiting {
        0 => String::new(),
        1 => ", while another one waits".to_string(),
        n => format!(", while {n} others wait"),
    };
    let first = spins.iter().find(|spin| spin.thread != 0 && spin.waits).or(spins.iter().find(|spin| spin.waits));
    let (loc, thread) = first.map_or((selvedge_program::SourceMap::NOWHERE, 0), |spin| (spin.at, spin.thread));
    let text = format!("{who} ({}){others}", places.join(", "));
    Violation { property: Property::Deadlock, text, loc, thread: thread as u32 }
}
