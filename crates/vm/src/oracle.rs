//! Who decides what the program leaves open, what it can watch, and how a step ends.

use crate::code::Code;
use crate::memory::Spot;
use crate::state::State;
use selvedge_program::schedule::NewObject;
use selvedge_program::{FuncId, Loc, Property, Reason, Violation};

/// Decides what the program leaves open, and watches.
pub trait Oracle {
    /// Is [`Oracle::note`] called?
    const WATCHES: bool = false;

    /// One of several ways to go on.
    fn choose(&mut self, ways: usize) -> Result<usize, Stopped>;

    /// The same, of threads that nobody can tell apart ([`crate::symmetry`]): no choice of the program's.
    fn choose_thread(&mut self, ways: usize) -> Result<usize, Stopped> {
        self.choose(ways)
    }

    /// The value of the thread's next input, if it is known from the start. It is at least `low`.
    fn input(&mut self, _thread: usize, _low: u64) -> Option<Result<u128, Stopped>> {
        None
    }

    /// What the next object that the thread makes holds, and where it lies, if that is known from the start.
    fn object(&mut self, _thread: usize) -> Option<NewObject> {
        None
    }

    /// An input that is still open, and of which nothing is known, falls into two: so many low bits, and the others.
    /// Gives their numbers.
    fn split(&mut self, _event: u32, _low_bits: u8) -> (u32, u32) {
        (0, 0)
    }

    /// An input of a thread appears whose value is still open; gives its number in the run.
    fn new_event(&mut self, _thread: usize, _low: u64, _high: u64) -> u32 {
        0
    }

    /// The values that are left for an input.
    fn narrow(&mut self, _event: u32, _low: u64, _high: u64) {}

    /// Something happened. Only called if [`Oracle::WATCHES`].
    fn note(&mut self, _machine: &View<'_>, _note: Note) {}
}

/// What a watching oracle sees of the machine.
pub struct View<'a> {
    pub code: &'a Code<'a>,
    pub state: &'a State,
    pub thread: usize,
    pub pc: u32,
    pub depth: u32,
    pub stack: &'a [u64],
    pub base: usize,
}

/// What happened.
#[derive(Clone, Debug)]
#[rustfmt::skip]
pub enum Note {
    /// An instruction is about to run.
    At,
    Read { spot: Spot, bytes: u64, value: u128 },
    Write { spot: Spot, bytes: u64, value: u128 },
    /// A frame was pushed; its parameters are in place.
    Entered { function: FuncId },
    /// About to return these values.
    Leaving { values: Vec<u64> },
    Input { value: u128 },
    Created { thread: usize, function: FuncId },
    Ended,
    Allocated { index: usize, size: u64 },
    Freed { owner: usize, index: usize },
    /// By a model: this thread holds a lock now, or no longer.
    Acquired { lock: u64 },
    Released { lock: u64 },
}

/// How a step ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Before the thread's next visible step.
    Paused,
    /// The thread is over.
    Finished,
    /// The process is over.
    Exited,
}

/// Why a step did not end.
#[derive(Clone, Debug, PartialEq)]
pub enum Stopped {
    /// The thread is disabled in this state.
    Blocked,
    /// An assumption failed: there is no such run.
    Infeasible,
    /// A misuse that is not checked: the run ends here, for a program that faults does not go on.
    Unchecked {
        misuse: Property,
        at: Loc,
    },
    Violation(Box<Violation>),
    GaveUp(Reason),
}
