//! Threads that go round in a loop and change nothing: they wait for a change.
//!
//! Suppose that a thread comes back to a local state in which it was before, and that none of its steps since then has
//! changed anything but its own private state. Leaving out these steps leads the others, and the thread, to the same states.
//! So the step that closes such a *round* is not taken: the thread waits, like one that is blocked, until another value
//! makes the step go elsewhere. Every state is still reached by a run without rounds. (Kokologiannakis, Ren and
//! Vafeiadis, "Dynamic Partial Order Reductions for Spinloops", FMCAD 2021, have the same idea for loops that they find in
//! the program's text.)
//!
//! Whether a step closes a round depends on the steps of its own thread only, and on what it reads itself. It is
//! therefore the same in all runs that differ in the order of independent steps.

use selvedge_vm::State;
use selvedge_vm::footprint::{Access, is_write};
use std::rc::Rc;

/// Rounds of more steps are not noticed.
const LONGEST: usize = 32;

/// The local states of a thread before each of its last steps, as far as those changed nothing.
#[derive(Clone, Debug, Default)]
pub struct Streak {
    before: Vec<Rc<[u64]>>,
}

impl Streak {
    /// The streak after a step of `thread` that led `from` one state `to` another; `None` if the step closes a round.
    pub fn extended(&self, thread: usize, from: &State, to: &State, footprint: &[Access]) -> Option<Streak> {
        if !is_silent(thread, from, to, footprint) {
            return Some(Streak::default());
        }
        let (first, last) = (local(thread, from), local(thread, to));
        if first == last || self.before.iter().any(|before| **before == *last) {
            return None;
        }
        let skip = (self.before.len() + 1).saturating_sub(LONGEST);
        let before = self.before.iter().skip(skip).cloned().chain([first.into()]).collect();
        Some(Streak { before })
    }
}

/// Has a step changed nothing but private state of its thread?
fn is_silent(thread: usize, from: &State, to: &State, footprint: &[Access]) -> bool {
    let is_same = |other: usize| other == thread || from.threads[other] == to.threads[other];
    from.threads.len() == to.threads.len()
        && from.late_inputs.is_empty()
        && to.late_inputs.is_empty()
        && from.globals == to.globals
        && (!footprint.iter().any(is_write) || from.threads[thread].data == to.threads[thread].data)
        && (0..from.threads.len()).all(is_same)
}

fn local(thread: usize, state: &State) -> Vec<u64> {
    let thread = &state.threads[thread];
    let lengths = [thread.stack.len() as u64, thread.objects.len() as u64];
    lengths.iter().chain(thread.stack.iter()).chain(thread.objects.iter()).chain(thread.data.iter()).copied().collect()
}
