//! Steps as partial order reduction sees them, and which of them can be exchanged.

use selvedge_vm::footprint::{Access, conflict, is_everything, is_watched};
use std::sync::Arc;

/// A transition of a thread, with the choices that it makes and its footprint. Two runs that differ only in the order
/// of independent steps consist of the same steps.
#[derive(Clone, Debug)]
pub struct Step {
    pub thread: usize,
    pub choices: Arc<[u32]>,
    pub footprint: Arc<[Access]>,
    kind: Kind,
}

/// Facts about a footprint.
#[derive(Clone, Copy, Debug)]
struct Kind {
    /// It may change the values of observers.
    watched: bool,
    /// It conflicts even with steps that touch nothing.
    everything: bool,
}

impl Kind {
    fn of(footprint: &[Access]) -> Kind {
        Kind { watched: is_watched(footprint), everything: is_everything(footprint) }
    }
}

/// Accesses that need not belong to a step: those of an attempt that failed, for example.
pub struct Reach<'f> {
    footprint: &'f [Access],
    kind: Kind,
}

impl<'f> Reach<'f> {
    pub fn new(footprint: &'f [Access]) -> Reach<'f> {
        Reach { footprint, kind: Kind::of(footprint) }
    }

    /// Must the order of this and the step be kept? Observers see the state between any two changes of what they read.
    #[inline]
    pub fn conflicts(&self, step: &Step) -> bool {
        self.kind.watched && step.kind.watched
            || self.kind.everything
            || step.kind.everything
            || conflict(self.footprint, &step.footprint)
    }
}

/// The relation of a step to a sequence of steps that can be taken from the same state.
pub enum Initial {
    /// It is the step at this position, and could as well be the first.
    At(usize),
    /// It is not in the sequence, and independent of all of it.
    Apart,
    No,
}

impl Step {
    pub fn new(thread: usize, choices: &[u32], footprint: &[Access]) -> Step {
        Step { thread, choices: choices.into(), footprint: footprint.into(), kind: Kind::of(footprint) }
    }

    pub fn reach(&self) -> Reach<'_> {
        Reach { footprint: &self.footprint, kind: self.kind }
    }

    pub fn is_dependent(&self, other: &Step) -> bool {
        self.thread == other.thread || self.reach().conflicts(other)
    }

    pub fn is_same(&self, thread: usize, choices: &[u32]) -> bool {
        self.thread == thread && *self.choices == *choices
    }

    /// Is it a *weak initial* of the sequence: can the sequence, with this step added if it is not in it, be reordered
    /// to begin with it?
    pub fn initial(&self, sequence: &[Step]) -> Initial {
        for (at, step) in sequence.iter().enumerate() {
            if step.thread == self.thread {
                return if step.choices == self.choices { Initial::At(at) } else { Initial::No };
            }
            if self.reach().conflicts(step) {
                return Initial::No;
            }
        }
        Initial::Apart
    }
}
