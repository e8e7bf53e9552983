//! Runs an infinite schedule, and checks whether it violates the specification.
//!
//! The cycle is run once: it must lead back to the very state in which it began. The values of the propositions after
//! every single step form a word, and the formula is evaluated on that word by its definition. Neither the automaton
//! nor the reductions of the search are thus trusted. A cycle is fair if every thread moves in it, or is disabled at
//! some moment, and if the oldest store of every buffer arrives in it, or the buffer is empty at some moment.

use crate::observe::Writes;
use crate::oracle::{Ended, Stopped};
use crate::replay::{Advanced, Replayer, broken_at_the_start, run_slice};
use crate::store_buffer::flush::Flush;
use crate::store_buffer::noticed_places::NoticedPlaces;
use selvedge_ltl::Lasso;
use selvedge_program::{Action, Schedule, Slice, Violation};

pub(crate) fn run(machine: &mut Replayer<'_>, schedule: &Schedule, cycle: usize) -> Result<Violation, String> {
    let observers = &machine.code.program.observers;
    let Some(specification) = &observers.specification else {
        return Err("the schedule has no end, and there is no formula to check".to_string());
    };
    if let Some(violation) = broken_at_the_start(machine)? {
        return Ok(violation);
    }
    let Some((prefix, cycle)) = schedule.slices.split_at_checked(cycle) else {
        return Err("the cycle begins behind the schedule's end".to_string());
    };
    let mut walk = Walk::default();
    // The run begins after the initial function, if there is one.
    if observers.init.is_none() {
        walk.look(machine)?;
    }
    if let Some(violation) = walk.along(machine, prefix, 0)? {
        return Ok(violation);
    }
    machine.oracle.cycle = Some(machine.oracle.event_count());
    // The first state of the cycle appears again at its end.
    let Some(first) = walk.word.len().checked_sub(1) else {
        return Err("the run has not begun before its cycle".to_string());
    };
    let start = machine.state.clone();
    if cycle.is_empty() {
        walk.must_be_over(machine)?;
    } else {
        walk.begin_cycle(machine);
        if let Some(violation) = walk.along(machine, cycle, prefix.len())? {
            return Ok(violation);
        }
        if walk.ended || machine.state != start {
            return Err("the cycle does not lead back to where it begins".to_string());
        }
        let moves = cycle.iter().filter(|slice| matches!(slice.action, Action::Steps(_)));
        let moved = moves.fold(0u128, |moved, slice| moved | 1 << slice.thread.min(127));
        let left = u128::MAX << machine.state.threads.len();
        if specification.fair && moved | walk.idle | left != u128::MAX {
            return Err("a thread that could always go on does not".to_string());
        }
        if specification.fair && walk.drained | left != u128::MAX {
            return Err("a buffered store never arrives".to_string());
        }
        if walk.word.len() > first + 1 {
            walk.word.pop();
        }
    }
    let mut word = walk.word;
    let cycle = word.split_off(first);
    if (Lasso { prefix: word, cycle }).satisfies(&specification.formula) {
        return Err("the formula holds of the run".to_string());
    }
    Ok(Violation::of_specification(specification))
}

#[derive(Default)]
struct Walk {
    /// The propositions at every moment.
    word: Vec<u64>,
    ended: bool,
    /// Threads that were disabled at some moment.
    idle: u128,
    /// Threads whose buffer was empty at some moment, or lost its oldest store.
    drained: u128,
}

impl Walk {
    fn along(
        &mut self,
        machine: &mut Replayer<'_>,
        slices: &[Slice],
        number: usize,
    ) -> Result<Option<Violation>, String> {
        for (at, slice) in slices.iter().enumerate() {
            let oldest = match slice.action {
                Action::Flush(step) => machine.oracle.numbers.store(slice.thread as usize, step),
                Action::Steps(_) => None,
            };
            if let Some(Flush { thread, number: 0 }) = oldest {
                self.drained |= 1 << thread;
            }
            let end = run_slice(machine, number + at, slice, |machine| {
                self.drained |= !storing(machine);
                if machine.code.program.observers.specification.as_ref().is_some_and(|s| s.fair) {
                    self.idle |= idle_threads(machine);
                }
                self.look(machine)
            })?;
            match end {
                Some(Advanced::Violation(violation)) => return Ok(Some(violation)),
                Some(Advanced::To(Ended::Exited)) => {
                    self.ended = true;
                    self.look(machine)?;
                }
                _ => {}
            }
        }
        Ok(None)
    }

    fn begin_cycle(&mut self, machine: &mut Replayer<'_>) {
        self.idle = idle_threads(machine);
        self.drained = !storing(machine);
    }

    fn look(&mut self, machine: &mut Replayer<'_>) -> Result<(), String> {
        let observers = &machine.code.program.observers;
        let over = self.ended || machine.state.alive() == 0;
        let mut letter = if over { observers.end_bit() } else { 0 };
        for (bit, proposition) in observers.proposition_bits() {
            let observation = machine.observe(proposition, Writes::Never).map_err(|reason| reason.to_string())?;
            letter |= if observation.answer.value == 0 { 0 } else { bit };
            if let Some(places) = &mut machine.oracle.places {
                observation.reads.iter().for_each(|read| places.touch(None, read.spot, read.bytes));
            }
        }
        self.word.push(letter);
        Ok(())
    }

    /// Checks that no thread can go on, so that the last moment lasts for ever.
    fn must_be_over(&self, machine: &mut Replayer<'_>) -> Result<(), String> {
        let alive = (0..machine.state.threads.len()).filter(|t| !machine.state.threads[*t].is_finished());
        let alive = alive.fold(0, |all, thread| all | 1 << thread);
        match self.ended || idle_threads(machine) & alive == alive {
            true => Ok(()),
            false => Err("the schedule ends where the run does not".to_string()),
        }
    }
}

/// The threads whose buffers are not empty, as bits.
fn storing(machine: &Replayer<'_>) -> u128 {
    machine.state.storing().fold(0, |all, thread| all | 1 << thread)
}

/// The places that somebody notices in a run; the machine is at its start.
pub(crate) fn noticed_places(machine: &mut Replayer<'_>, schedule: &Schedule) -> NoticedPlaces {
    machine.oracle.places = Some(NoticedPlaces::default());
    let mut walk = Walk::default();
    // Whatever is wrong with it shows again.
    let _ = walk.look(machine).and_then(|()| walk.along(machine, &schedule.slices, 0).map(|_| ()));
    machine.oracle.places.take().unwrap_or_default()
}

/// The threads that have ended, or are blocked, as bits.
fn idle_threads(machine: &mut Replayer<'_>) -> u128 {
    let mut idle = 0;
    let before = machine.state.clone();
    let (used, steps) = (machine.oracle.leave_record(), machine.steps);
    for thread in 0..before.threads.len() {
        let is_idle = before.threads[thread].is_finished() || machine.step(thread) == Err(Stopped::Blocked);
        machine.state = before.clone();
        idle |= u128::from(is_idle) << thread;
    }
    machine.oracle.back_on_record(used);
    machine.steps = steps;
    idle
}
