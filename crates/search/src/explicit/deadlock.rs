//! Threads that wait for ever: see [`selvedge_vm::deadlock`].
//!
//! Whoever is found to wait in a state gives way to all others, so that all threads are run from it, and the last of a
//! circle to be found waiting closes it. Only then, and only along the circle, are steps looked at again; nothing
//! is kept for it.

use super::common::Common;
use super::pool::Item;
use super::search::End;
use super::store::StateId;
use super::worker::Worker;
use selvedge_program::{Loc, Property, Violation};
use selvedge_vm::deadlock::{Threads, Waiting};
use selvedge_vm::dependence::Roll;
use selvedge_vm::ways::Ways;

impl Worker<'_> {
    /// A thread that cannot go on gives way for free. `awaits`: it waits for them, in whatever way.
    pub(super) fn note_blocked(
        &mut self,
        common: &Common<'_>,
        state: StateId,
        thread: usize,
        awaits: Threads,
    ) -> Result<(), End> {
        let loc = self.machine.stopped_at;
        let waiting = common.store.visit(state).note_blocked();
        let roll = common.store.roll(&common.store.root(state));
        if self.deadlocks_matter()
            && (waiting == roll.alive()
                || self.waits_for_ever(common, state, roll, Waiting { thread, awaits }, waiting))
        {
            return Err(waits_for_ever(state, thread, loc));
        }
        if !common.all_switches_cost {
            let way = common.way(state, thread);
            self.enable_all(common, state, roll, way.as_ref());
        } else if roll.is_inside_atomic {
            self.later.push(Item { state, thread: Item::ALL }, common.order);
        }
        Ok(())
    }

    pub(super) fn deadlocks_matter(&self) -> bool {
        self.machine.properties().contains(Property::Deadlock)
    }

    /// Is the thread, and are those it waits for, beyond help? `waiting`: how many are known to wait.
    fn waits_for_ever(
        &mut self,
        common: &Common<'_>,
        state: StateId,
        roll: Roll,
        first: Waiting,
        waiting: usize,
    ) -> bool {
        if first.awaits == 0 {
            return false;
        }
        let mut looked_at = roll.finished | 1 << first.thread;
        let in_vain = first.awaits & looked_at != 0;
        if in_vain || waiting < 2 {
            return in_vain;
        }
        let mut circle = vec![first];
        let mut open = first.awaits & !looked_at;
        while open != 0 {
            let thread = open.trailing_zeros() as usize;
            looked_at |= 1 << thread;
            if let Some(awaits) = self.awaits(common, state, thread) {
                circle.push(Waiting { thread, awaits });
                open |= awaits;
            }
            open &= !looked_at;
        }
        self.load(common, state);
        self.machine.state.doomed(&circle) >> first.thread & 1 == 1
    }

    /// If the thread waits, whatever its inputs are: for whom in any case.
    pub(super) fn awaits(&mut self, common: &Common<'_>, state: StateId, thread: usize) -> Option<Threads> {
        let mut ways = Ways::new(thread, &mut self.machine);
        while ways.is_left(&mut self.machine) {
            self.load(common, state);
            ways.run(&mut self.machine);
            ways.awaits()?;
        }
        ways.awaits()
    }
}

pub fn waits_for_ever(at: StateId, thread: usize, loc: Loc) -> End {
    End::Found { at, thread, choices: None, violation: Box::new(Violation::of_deadlock(thread, loc)) }
}
