//! A run with its happens-before relation, by vector clocks (Mattern 1989).
//!
//! A step happens before another if it comes first and they belong to the same thread or conflict, or if it creates the
//! thread of the other; and so on transitively. The clock of a step counts, for each thread, how many of its steps
//! happen before (itself included). Clocks and choices together identify a run up to the order of independent steps.

use super::spin::Streak;
use super::step::{Reach, Step};
use std::sync::Arc;

/// For each thread a number of its steps; threads beyond the end have none.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Clock(Vec<u32>);

impl Clock {
    pub fn of(&self, thread: usize) -> u32 {
        self.0.get(thread).copied().unwrap_or(0)
    }

    fn set(&mut self, thread: usize, count: u32) {
        if self.0.len() <= thread {
            self.0.resize(thread + 1, 0);
        }
        self.0[thread] = count;
    }

    pub fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(own, its)| *own = (*own).max(*its));
    }

    pub fn words(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().copied()
    }
}

/// A step in a run.
#[derive(Clone, Debug)]
pub struct Event {
    pub step: Step,
    /// How many steps of its thread there are up to this one.
    pub number: u32,
    pub clock: Clock,
    /// The threads that it creates, by number.
    pub births: std::ops::Range<usize>,
    /// The lanes of the stores that it makes, in order.
    pub made: Vec<usize>,
    pub streak: Streak,
}

impl Event {
    /// Does this one happen before an event with that clock, or is it that event?
    #[inline]
    pub fn is_in(&self, clock: &Clock) -> bool {
        clock.of(self.step.thread) >= self.number
    }

    pub fn happens_before(&self, other: &Event) -> bool {
        self.is_in(&other.clock)
    }
}

/// All that happens before the next step of a thread because of the thread itself.
pub struct Past {
    pub clock: Clock,
    /// Steps that the thread has taken.
    pub taken: u32,
    pub streak: Streak,
}

impl Past {
    pub fn of<'e>(thread: usize, events: impl DoubleEndedIterator<Item = &'e Arc<Event>>) -> Past {
        for event in events.rev() {
            if event.step.thread == thread {
                return Past { clock: event.clock.clone(), taken: event.number, streak: event.streak.clone() };
            }
            if event.births.contains(&thread) {
                return Past { clock: event.clock.clone(), taken: 0, streak: Streak::default() };
            }
        }
        Past { clock: Clock::default(), taken: 0, streak: Streak::default() }
    }

    /// The past of a lane, which flushes the stores that were made for it, one after another.
    pub fn of_lane<'e>(lane: usize, events: impl Iterator<Item = &'e Arc<Event>> + Clone) -> Past {
        let last = events.clone().filter(|event| event.step.thread == lane).last();
        let (mut clock, taken) = last.map_or((Clock::default(), 0), |event| (event.clock.clone(), event.number));
        let mut makings =
            events.flat_map(|event| event.made.iter().filter(move |made| **made == lane).map(move |_| event));
        if let Some(making) = makings.nth(taken as usize) {
            clock.join(&making.clock);
        }
        Past { clock, taken, streak: Streak::default() }
    }
}

/// The latest events that accesses of a thread conflict with, beyond its past: those that happen before no other such
/// event. Gives their positions, and the clock of all that happens before the accesses.
pub fn races<'e>(
    past: &Past,
    reach: &Reach<'_>,
    events: impl DoubleEndedIterator<Item = (usize, &'e Arc<Event>)>,
) -> (Vec<usize>, Clock) {
    let mut clock = past.clock.clone();
    let mut found = Vec::new();
    for (at, event) in events.rev() {
        if !event.is_in(&clock) && reach.conflicts(&event.step) {
            clock.join(&event.clock);
            found.push(at);
        }
    }
    (found, clock)
}

/// The event of a step that comes after `past`.
pub fn event(step: Step, past: &Past, mut clock: Clock, made: Made, streak: Streak) -> Event {
    let number = past.taken + 1;
    clock.set(step.thread, number);
    let Made { births, lanes } = made;
    Event { step, number, clock, births, made: lanes, streak }
}

/// Threads and stores that a step makes.
pub struct Made {
    pub births: std::ops::Range<usize>,
    pub lanes: Vec<usize>,
}
