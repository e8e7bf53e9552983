//! The oracle, which decides everything that a program leaves open, its view of the machine, and the outcomes of steps.

use crate::code::Code;
use crate::memory::Spot;
use crate::state::State;
use selvedge_program::schedule::NewObject;
use selvedge_program::{FuncId, Loc, Property, Reason, Violation};

/// Decides everything that the program leaves open, and may watch the run.
pub trait Oracle {
    /// Whether [`Oracle::note`] is called.
    const WATCHES: bool = false;

    /// Chooses one of several alternatives.
    fn choose(&mut self, ways: usize) -> Result<usize, Stopped>;

    /// Chooses one of several threads that cannot be told apart ([`crate::symmetry`]). This is no choice of the
    /// program.
    fn choose_thread(&mut self, ways: usize) -> Result<usize, Stopped> {
        self.choose(ways)
    }

    /// The value of the thread's next input, if it is known from the start. It must be at least `low`.
    fn input(&mut self, _thread: usize, _low: u64) -> Option<Result<u128, Stopped>> {
        None
    }

    /// The contents and the place of the next object that the thread creates, if they are known from the start.
    fn object(&mut self, _thread: usize) -> Option<NewObject> {
        None
    }

    /// Splits an unconstrained open input into its lowest `low_bits` bits and the others. Returns the numbers of the
    /// two.
    fn split(&mut self, _event: u32, _low_bits: u8) -> (u32, u32) {
        (0, 0)
    }

    /// Announces an input of a thread whose value is still open. Returns its number in the run.
    fn new_event(&mut self, _thread: usize, _low: u64, _high: u64) -> u32 {
        0
    }

    /// Announces the remaining values of an input.
    fn narrow(&mut self, _event: u32, _low: u64, _high: u64) {}

    /// Announces an event. Only called if [`Oracle::WATCHES`].
    fn note(&mut self, _machine: &MachineView<'_>, _note: Note) {}
}

/// The view of the machine that a watching oracle gets.
pub struct MachineView<'a> {
    pub code: &'a Code<'a>,
    pub state: &'a State,
    pub thread: usize,
    pub pc: u32,
    pub depth: u32,
    pub stack: &'a [u64],
    pub base: usize,
}

/// An event of a run.
#[derive(Clone, Debug)]
#[rustfmt::skip]
pub enum Note {
    /// An instruction is about to run.
    At,
    Read { spot: Spot, bytes: u64, value: u128 },
    Write { spot: Spot, bytes: u64, value: u128 },
    /// A store is made, and waits in the thread's buffer.
    Buffered { spot: Spot, bytes: u64, value: u128 },
    /// The store of this number leaves the buffer of a thread: it reaches memory, or its object has ended.
    Left { thread: usize, number: usize },
    /// A frame was pushed; its parameters are in place.
    Entered { function: FuncId },
    /// About to return these values.
    Leaving { values: Vec<u64> },
    Input { value: u128 },
    Created { thread: usize, function: FuncId },
    Ended,
    /// `uninitialised`: nobody has written to it yet.
    Allocated { index: usize, size: u64, uninitialised: bool },
    Freed { owner: usize, index: usize },
    /// An object is used that was freed.
    UsedTooLate { owner: usize, index: usize },
    /// Declared by a model: this thread holds a lock now, or no longer.
    Acquired { lock: u64 },
    Released { lock: u64 },
}

/// The normal end of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Before the thread's next visible step.
    Paused,
    /// The thread ended.
    Finished,
    /// The process ended.
    Exited,
}

/// Why a step was not completed.
#[derive(Clone, Debug, PartialEq)]
pub enum Stopped {
    /// The thread is disabled in this state.
    Blocked,
    /// An assumption failed: there is no such run.
    Infeasible,
    /// A misuse that is not checked for: the run ends here, since a program that faults does not go on.
    Unchecked {
        misuse: Property,
        at: Loc,
    },
    Violation(Box<Violation>),
    GaveUp(Reason),
}
