//! Threads that wait for ever: see [`selvedge_vm::deadlock`].
//!
//! Whoever is found to wait in a state gives way to all others, so that all threads are run from it, and the last of a
//! circle to be found waiting closes it. Only then, and only along the circle, are steps looked at again; nothing
//! is kept for it.

use super::store::StateId;
use super::{End, Search};
use selvedge_program::{Property, Violation};
use selvedge_vm::Stopped;
use selvedge_vm::deadlock::{Threads, Waiting};

impl Search<'_> {
    /// A thread that cannot go on gives way for free. `awaits`: it waits for them, in whatever way.
    pub(super) fn note_blocked(&mut self, state: StateId, thread: usize, awaits: Threads) -> Result<(), End> {
        let loc = self.machine.stopped_at;
        self.store.load(state, &mut self.machine.state);
        let count = &mut self.visits[state.0 as usize].blocked;
        *count += 1;
        let (waiting, is_checked) = (usize::from(*count), self.machine.properties().contains(Property::Deadlock));
        let all_wait = waiting == self.machine.state.alive();
        if is_checked && (all_wait || self.waits_for_ever(state, Waiting { thread, awaits }, waiting)) {
            let text = "threads wait for ever".to_string();
            let violation = Box::new(Violation { property: Property::Deadlock, text, loc, thread: thread as u32 });
            return Err(End::Found { at: state, thread, choices: None, violation });
        }
        self.enable_all(state);
        Ok(())
    }

    /// Is the thread, and are those it waits for, beyond help? `waiting`: how many are known to wait.
    fn waits_for_ever(&mut self, state: StateId, first: Waiting, waiting: usize) -> bool {
        if first.awaits == 0 {
            return false;
        }
        let mut looked_at = self.machine.state.finished() | 1 << first.thread;
        let in_vain = first.awaits & looked_at != 0;
        if in_vain || waiting < 2 {
            return in_vain;
        }
        let mut circle = vec![first];
        let mut open = first.awaits & !looked_at;
        while open != 0 {
            let thread = open.trailing_zeros() as usize;
            looked_at |= 1 << thread;
            if let Some(awaits) = self.awaits(state, thread) {
                circle.push(Waiting { thread, awaits });
                open |= awaits;
            }
            open &= !looked_at;
        }
        self.store.load(state, &mut self.machine.state);
        self.machine.state.doomed(&circle) >> first.thread & 1 == 1
    }

    /// If the thread waits, whatever its inputs are: for whom in any case.
    fn awaits(&mut self, state: StateId, thread: usize) -> Option<Threads> {
        self.machine.oracle.reset();
        let mut awaits = Threads::MAX;
        loop {
            self.store.load(state, &mut self.machine.state);
            self.machine.oracle.rewind();
            if self.machine.step(thread) != Err(Stopped::Blocked) {
                return None;
            }
            awaits &= self.machine.awaits();
            if !self.machine.oracle.advance() {
                return Some(awaits);
            }
        }
    }
}
