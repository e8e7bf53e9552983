//! Threads that wait for ever: see [`selvedge_vm::deadlock`].
//!
//! A thread that is found to wait in a state gives way to all others, so that all threads are run from it, and the last
//! of a circle to be found waiting closes it. Only then, and only along the circle, are steps looked at again; nothing
//! is kept for it.

use super::path::Evidence;
use super::pool::Item;
use super::search::End;
use super::shared::Shared;
use super::store::StateId;
use super::worker::Worker;
use selvedge_program::{Property, Violation};
use selvedge_vm::deadlock::Waiting;
use selvedge_vm::dependence::Roll;

impl Worker<'_> {
    /// A thread that cannot go on gives way for free.
    pub(super) fn note_blocked(&mut self, shared: &Shared<'_>, state: StateId, one: Waiting) -> Result<(), End> {
        if one.for_store {
            self.give_way(shared, state, one.thread);
            return Ok(());
        }
        let waiting = shared.store.visit(state).note_blocked();
        let roll = shared.store.roll(&shared.store.root(state));
        if self.deadlocks_matter()
            && (waiting == roll.alive() || self.waits_for_ever(shared, state, roll, one, waiting))
        {
            return Err(Evidence::in_state(state, Violation::of_deadlock(one.thread, one.at)));
        }
        self.give_way(shared, state, one.thread);
        Ok(())
    }

    /// A thread cannot go on from a state, at least not now: others may.
    pub(super) fn give_way(&mut self, shared: &Shared<'_>, state: StateId, thread: usize) {
        let roll = shared.store.roll(&shared.store.root(state));
        if !shared.all_switches_cost {
            let way = shared.way(state, thread);
            self.enable_all(shared, state, roll, way.as_ref());
        } else if roll.is_inside_atomic {
            self.later.push(Item { state, thread: Item::ALL }, shared.order);
        }
    }

    pub(super) fn deadlocks_matter(&self) -> bool {
        self.expander.machine.properties().contains(Property::Deadlock)
    }

    /// Is the thread, and are those it waits for, beyond help? `waiting`: how many are known to wait.
    fn waits_for_ever(
        &mut self,
        shared: &Shared<'_>,
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
            if let Some(one) = self.waiting(shared, state, thread).filter(|one| !one.for_store) {
                circle.push(one);
                open |= one.awaits;
            }
            open &= !looked_at;
        }
        self.load(shared, state);
        self.expander.machine.state.doomed(&circle) >> first.thread & 1 == 1
    }

    /// If the thread waits, whatever its inputs are: for whom in any case.
    pub(super) fn waiting(&mut self, shared: &Shared<'_>, state: StateId, thread: usize) -> Option<Waiting> {
        let root = shared.store.root(state);
        let Worker { expander, cursor, .. } = self;
        expander.machine.waiting(thread, |to| shared.store.unfold(cursor, root, to))
    }
}
