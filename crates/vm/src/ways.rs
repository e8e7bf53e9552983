//! All ways of a thread to go on from a state: one, unless there is something to choose.
//!
//! Whoever searches brings the machine into the state again before each of them, each in a manner of its own:
//!
//! ```text
//! let mut ways = Ways::new(thread, &mut machine);
//! while ways.is_left(&mut machine) {
//!     // … the machine's state becomes the one to start from
//!     match ways.run(&mut machine) { … }
//! }
//! for way in ways.blocked() { … }
//! ```

use crate::choices::Choices;
use crate::deadlock::Threads;
use crate::lazy::Narrowed;
use crate::machine::Machine;
use crate::oracle::{Ended, Stopped};
use crate::state::State;
use selvedge_program::Violation;

pub struct Ways {
    thread: usize,
    is_first: bool,
    all_block: bool,
    awaits: Threads,
    blocked: Vec<BlockedWay>,
}

/// Where a way leads.
pub enum Way {
    /// The machine is in another state.
    To(Ended),
    Violation(Box<Violation>),
    /// There is no such run, the thread waits, or it is beyond us: then the machine has noted so.
    Nowhere,
    /// Something turned out to be shared: begin anew.
    Learnt,
}

/// A way that blocks, but only for some values of inputs that were open.
pub struct BlockedWay {
    narrowed: Vec<Narrowed>,
    pub choices: Vec<u32>,
}

impl BlockedWay {
    /// A state with open inputs is many states at once. In those where the thread is blocked it is so for good: they
    /// become a state of their own, in which that shows.
    pub fn enter(&self, from: &mut State) {
        self.narrowed.iter().for_each(|narrowed| from.narrow(*narrowed));
        from.tidy_symbols();
    }
}

impl Ways {
    #[inline]
    pub fn new(thread: usize, machine: &mut Machine<'_, Choices>) -> Ways {
        machine.oracle.reset();
        Ways { thread, is_first: true, all_block: true, awaits: Threads::MAX, blocked: Vec::new() }
    }

    /// Is there another one?
    #[inline]
    pub fn is_left(&mut self, machine: &mut Machine<'_, Choices>) -> bool {
        std::mem::take(&mut self.is_first) || machine.oracle.advance()
    }

    /// Takes the next one.
    #[inline]
    pub fn run(&mut self, machine: &mut Machine<'_, Choices>) -> Way {
        machine.oracle.rewind();
        let result = machine.step(self.thread);
        self.all_block &= result == Err(Stopped::Blocked);
        if machine.sharing.grew {
            return Way::Learnt;
        }
        match result {
            Ok(ended) => Way::To(ended),
            Err(Stopped::Blocked) => {
                self.awaits &= machine.awaits();
                if !machine.narrowed.is_empty() {
                    let choices = machine.oracle.path();
                    self.blocked.push(BlockedWay { narrowed: machine.narrowed.clone(), choices });
                }
                Way::Nowhere
            }
            Err(Stopped::Infeasible) => Way::Nowhere,
            Err(Stopped::Violation(violation)) => Way::Violation(violation),
            Err(Stopped::GaveUp(reason)) => {
                // There may be a violation elsewhere.
                machine.obstacle.get_or_insert(reason);
                Way::Nowhere
            }
        }
    }

    /// If the thread waits, in all ways so far: for whom in any case.
    #[inline]
    pub fn awaits(&self) -> Option<Threads> {
        self.all_block.then_some(self.awaits)
    }

    /// Those that block, if others do not.
    #[inline]
    pub fn blocked(self) -> Vec<BlockedWay> {
        if self.all_block { Vec::new() } else { self.blocked }
    }
}
