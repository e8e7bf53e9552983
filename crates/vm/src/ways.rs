//! All ways of a thread to go on from a state: a single one, unless it makes choices.
//!
//! A search restores the machine's state before each of them, in its own manner:
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
use crate::late_inputs::Narrowed;
use crate::layout::Layout;
use crate::machine::Machine;
use crate::oracle::{Ended, Stopped};
use crate::state::State;
use selvedge_program::{Loc, Property, Reason, Violation};

pub struct Ways {
    thread: usize,
    is_first: bool,
    chose: bool,
    all_block: bool,
    awaits: Threads,
    /// The position of a step that blocks because of an input that it takes itself: no state has its value.
    blocked_by_own_input: Option<Loc>,
    blocked: Vec<BlockedWay>,
    /// Ways that block for some bindings of the names that they use.
    pub named: Vec<NamedWay>,
}

/// A way that blocks only for some of the threads that a name may belong to.
pub struct NamedWay {
    bindings: Vec<(usize, usize)>,
    pub choices: Vec<u32>,
    pub awaits: Threads,
    pub stopped_at: Loc,
}

impl NamedWay {
    /// Binds the names to those threads.
    pub fn enter(&self, from: &mut State, layout: &Layout) {
        self.bindings.iter().for_each(|(name, twin)| {
            let _was_done_before = from.bind(layout, *name, *twin);
        });
    }
}

/// The outcome of a way.
pub enum Way {
    /// The machine is in a new state.
    To(Ended),
    Violation(Box<Violation>),
    /// There is no such run, the thread waits, or something is not supported, which the machine has noted.
    Nowhere,
    /// A place turned out to be shared: the search has to begin anew.
    Learnt,
}

/// A way that blocks only for some values of inputs that were open.
pub struct BlockedWay {
    narrowed: Vec<Narrowed>,
    pub choices: Vec<u32>,
}

impl BlockedWay {
    /// Restricts a state to the values for which the thread blocks. A state with open inputs stands for many states; those
    /// in which the thread blocks for good become a state of their own, in which that shows.
    pub fn enter(&self, from: &mut State) {
        self.narrowed.iter().for_each(|narrowed| from.narrow(*narrowed));
        from.tidy_symbols();
    }
}

impl Ways {
    #[inline]
    pub fn new(thread: usize, machine: &mut Machine<'_, Choices>) -> Ways {
        machine.oracle.reset();
        Ways {
            thread,
            is_first: true,
            chose: false,
            all_block: true,
            awaits: Threads::MAX,
            blocked_by_own_input: None,
            blocked: Vec::new(),
            named: Vec::new(),
        }
    }

    /// Whether there is another way.
    #[inline]
    pub fn is_left(&mut self, machine: &mut Machine<'_, Choices>) -> bool {
        std::mem::take(&mut self.is_first) || machine.oracle.advance()
    }

    /// Runs the next way.
    #[inline]
    pub fn run(&mut self, machine: &mut Machine<'_, Choices>) -> Way {
        machine.oracle.rewind();
        let result = machine.step(self.thread);
        self.chose |= machine.oracle.has_chosen();
        self.all_block &= result == Err(Stopped::Blocked);
        if machine.sharing.grew {
            return Way::Learnt;
        }
        if result == Err(Stopped::Blocked) && machine.oracle.has_chosen() {
            let noted = machine.narrowed.is_empty() && machine.bindings.is_empty();
            self.blocked_by_own_input = self.blocked_by_own_input.or(noted.then_some(machine.stopped_at));
        }
        self.give_up_on_own_inputs(machine);
        match result {
            Ok(ended) => {
                machine.note_end(ended);
                Way::To(ended)
            }
            Err(Stopped::Blocked) => {
                self.awaits &= machine.awaits();
                if !machine.bindings.is_empty() {
                    self.named.push(NamedWay {
                        bindings: machine.bindings.clone(),
                        choices: machine.oracle.path(),
                        awaits: machine.awaits(),
                        stopped_at: machine.stopped_at,
                    });
                }
                if !machine.narrowed.is_empty() {
                    let choices = machine.oracle.path();
                    self.blocked.push(BlockedWay { narrowed: machine.narrowed.clone(), choices });
                }
                Way::Nowhere
            }
            Err(Stopped::Infeasible) => Way::Nowhere,
            Err(Stopped::Unchecked { misuse, at }) => {
                machine.ends.note_unchecked(misuse, at);
                Way::Nowhere
            }
            Err(Stopped::Violation(violation)) => Way::Violation(violation),
            Err(Stopped::GaveUp(reason)) => {
                // Go on: there may be a violation elsewhere.
                machine.obstacle.get_or_insert(reason);
                Way::Nowhere
            }
        }
    }

    /// Gives up on an atomic section that takes an input and then waits for some of its values only: a thread with such a
    /// value may wait for ever, but the section has not happened, and neither has its input.
    #[inline]
    fn give_up_on_own_inputs(&self, machine: &mut Machine<'_, Choices>) {
        let Some(at) = self.blocked_by_own_input.filter(|_| !self.all_block) else { return };
        if machine.properties().contains(Property::Deadlock) && machine.obstacle.is_none() {
            let what = "an atomic section that waits for some values of its own inputs only".to_string();
            let at = machine.code.program.source.describe(at);
            machine.obstacle = Some(Reason::Unsupported { what, at });
        }
    }

    /// Whether there was no choice.
    #[inline]
    pub fn is_only_one(&self) -> bool {
        !self.chose
    }

    /// If the thread waits in all ways so far, the threads that it waits for in each of them.
    #[inline]
    pub fn awaits(&self) -> Option<Threads> {
        self.all_block.then_some(self.awaits)
    }

    /// The ways that block, if others do not.
    #[inline]
    pub fn blocked(self) -> Vec<BlockedWay> {
        if self.all_block { Vec::new() } else { self.blocked }
    }
}
