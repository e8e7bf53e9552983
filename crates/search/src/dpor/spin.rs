//! Threads that go round in a loop and change nothing: they wait for a change.
//!
//! Suppose that a thread comes back to a local state (its stack) in which it was before, and that none of its steps
//! since then has changed anything else. Leaving out these steps leads the others, and the thread, to the same states.
//! So the step that closes such a *round* is not taken: the thread waits, like one that is blocked, until another value
//! makes the step go elsewhere. Every state is still reached by a run without rounds. ([`selvedge_vm::spin`] says what
//! a round is.)
//!
//! Whether a step closes a round depends on the steps of its own thread only, and on what it reads itself. It is
//! therefore the same in all runs that differ in the order of independent steps. Objects of the thread are not part of
//! its local state, because others may write to them; nor is whether stores of its own are still buffered, because they
//! may arrive on the way.

use selvedge_vm::State;
use selvedge_vm::spin::{LONGEST, is_silent};
use std::sync::Arc;

/// The local states of a thread before each of its last steps, as far as those changed nothing.
#[derive(Clone, Debug, Default)]
pub struct Streak {
    before: Vec<Arc<[u64]>>,
}

impl Streak {
    /// The streak after a step of `thread` that led `from` one state `to` another; `None` if the step closes a round.
    pub fn extended(&self, thread: usize, from: &State, to: &State) -> Option<Streak> {
        if !is_silent(thread, from, to) {
            return Some(Streak::default());
        }
        let [first, last] = [from, to].map(|state| state.threads[thread].stack_without_stores());
        if first == last || self.before.iter().any(|before| before[..] == last[..]) {
            return None;
        }
        let skip = (self.before.len() + 1).saturating_sub(LONGEST);
        let before = self.before.iter().skip(skip).cloned().chain([first.into()]).collect();
        Some(Streak { before })
    }

    /// Appends it to the key of a state, unless it is empty.
    pub fn write(&self, thread: usize, key: &mut Vec<u64>) {
        if self.before.is_empty() {
            return;
        }
        key.extend([thread as u64, self.before.len() as u64]);
        for stack in &self.before {
            key.push(stack.len() as u64);
            key.extend(stack.iter());
        }
    }
}
