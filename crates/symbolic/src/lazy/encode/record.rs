//! The record of what was encoded: all that there is to ask about, and to tell a run by.

use super::memory::Memory;
use selvedge_engine::counterexample;
use selvedge_formula::{Term, Terms};
use selvedge_program::Loc;

pub type Check = counterexample::Check<Term>;
pub type Event = counterexample::Event<Term>;
pub type EventKind = counterexample::EventKind<Term>;

/// A condition under which a run goes where the formula does not follow.
#[derive(Clone, Debug)]
pub struct Obstacle {
    pub when: Term,
    pub what: String,
    pub loc: Loc,
}

#[derive(Default)]
pub struct Record {
    /// All of them hold in every run.
    pub constraints: Vec<Term>,
    /// In the order in which they happen.
    pub events: Vec<Event>,
    pub checks: Vec<Check>,
    /// Reaching a step at which something is checked, and found to be fine at once.
    pub settled: Vec<Term>,
    pub obstacles: Vec<Obstacle>,
    /// Obstacles where a thread goes no further because something is left out, or where it cannot be told whether
    /// threads wait for ever.
    pub doubts: Vec<Obstacle>,
    /// Reaching a place where a bound ends the run.
    pub cuts: Vec<Term>,
    /// Reaching such a place inside a section.
    pub section_cuts: Vec<Term>,
}

impl Record {
    pub fn constrain(&mut self, constraint: Term) {
        if constraint != Terms::TRUE {
            self.constraints.push(constraint);
        }
    }

    /// Adds a check. The caller says for which threads it is an event.
    pub fn check(&mut self, check: Check) -> EventKind {
        self.checks.push(check);
        EventKind::Check(self.checks.len() - 1)
    }

    /// A check on the way here was found to hold at once.
    pub fn settle(&mut self, reached: Term) {
        if reached != Terms::FALSE && self.settled.last() != Some(&reached) {
            self.settled.push(reached);
        }
    }

    /// A thread's copies of thread-locals begin to exist with it.
    pub fn create_thread_locals(&mut self, memory: &Memory<'_>, thread: usize, when: Term) {
        if when != Terms::FALSE {
            let kinds = memory
                .thread_locals(thread)
                .map(|object| EventKind::Create { object, window: memory.pointers.number(object) });
            self.events.extend(kinds.map(|kind| Event { thread, when, kind }));
        }
    }

    /// The events with the checks that they name, for a counterexample.
    pub fn evidence(&self) -> (&[Event], &[Check]) {
        (&self.events, &self.checks)
    }

    /// How much there is by now.
    pub fn extent(&self) -> Extent {
        Extent {
            constraints: self.constraints.len(),
            checks: self.checks.len(),
            settled: self.settled.len(),
            obstacles: self.obstacles.len(),
            doubts: self.doubts.len(),
            cuts: self.cuts.len(),
            section_cuts: self.section_cuts.len(),
        }
    }
}

/// A part of a record, from its beginning: how many of each.
#[derive(Clone, Copy, Default)]
pub struct Extent {
    pub constraints: usize,
    pub checks: usize,
    pub settled: usize,
    pub obstacles: usize,
    pub doubts: usize,
    pub cuts: usize,
    pub section_cuts: usize,
}
