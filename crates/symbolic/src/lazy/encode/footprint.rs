//! Footprints: the shared things that a segment touched, as it was executed.
//!
//! Two segments of different threads can be exchanged if neither touches what the other changes. An address
//! that is a constant term, in the run at hand, leaves a footprint of one place, whatever it might be in others.

use super::walk::{Mode, Walk};
use selvedge_analyze::Access;
use selvedge_bound::ObjectKind;
use selvedge_program::GlobalId;

#[derive(Clone, Default, Debug)]
pub struct Footprint {
    accesses: Vec<Access>,
    /// Threads that it asks about, and those that it creates or ends (true).
    threads: Vec<(usize, bool)>,
    /// Stores of threads, by number, that it needs in memory, and those that it makes or flushes (true).
    stores: Vec<(usize, usize, bool)>,
    /// It ends the process: nothing comes after it.
    exits: bool,
}

impl Footprint {
    /// Must the two stay in their order?
    pub fn depends_on(&self, other: &Footprint) -> bool {
        let threads =
            |(thread, changes): &(usize, bool)| other.threads.iter().any(|(t, c)| t == thread && (*changes || *c));
        let stores = |(thread, store, changes): &(usize, usize, bool)| {
            other.stores.iter().any(|(t, s, c)| (t, s) == (thread, store) && (*changes || *c))
        };
        let accesses = |mine: &Access| other.accesses.iter().any(|theirs| mine.conflicts(theirs));
        self.exits
            || other.exits
            || self.threads.iter().any(threads)
            || self.stores.iter().any(stores)
            || self.accesses.iter().any(accesses)
    }

    /// It needs a store in memory, or makes or flushes it.
    pub(super) fn add_store(&mut self, thread: usize, store: usize, changes: bool) {
        if !self.stores.contains(&(thread, store, changes)) {
            self.stores.push((thread, store, changes));
        }
    }

    pub(super) fn add(&mut self, access: Access) {
        // Neighbours, as in a copy, become one.
        if let Some(last) = self.accesses.last_mut()
            && (last.object, last.write, last.to) == (access.object, access.write, access.from)
        {
            last.to = access.to;
        } else if !self.accesses.contains(&access) {
            self.accesses.push(access);
        }
    }
}

impl Walk<'_, '_> {
    fn footprint(&mut self) -> Option<&mut Footprint> {
        match &mut self.mode {
            Mode::Segment(_, segment) => Some(&mut segment.footprint),
            Mode::Round(_) | Mode::Probe(_) => None,
        }
    }

    pub(super) fn note_access(&mut self, object: GlobalId, from: u32, bytes: u32, write: bool) {
        if write && !self.memory.is_own(object) {
            self.tell_inputs();
        }
        // A store that waits touches nothing that others can see.
        let waits = write && self.number().is_some();
        if !self.memory.is_own(object)
            && !waits
            && let Some(footprint) = self.footprint()
        {
            footprint.add(Access { object, from: i64::from(from), to: i64::from(from) + i64::from(bytes), write });
        }
    }

    pub(super) fn note_store(&mut self, store: usize, changes: bool) {
        let thread = self.here.thread;
        if let Some(footprint) = self.footprint() {
            footprint.add_store(thread, store, changes);
        }
    }

    /// It matters whether the object is alive.
    pub(super) fn note_life(&mut self, object: GlobalId) {
        let mortal = matches!(self.bounded().objects[object].kind, ObjectKind::Heap | ObjectKind::Stack);
        if mortal
            && !self.memory.is_own(object)
            && let Some(footprint) = self.footprint()
        {
            footprint.add(Access::is_alive(object));
        }
    }

    pub(super) fn note_end(&mut self, object: GlobalId) {
        if !self.memory.is_own(object) {
            self.tell_inputs();
        }
        if !self.memory.is_own(object)
            && let Some(footprint) = self.footprint()
        {
            footprint.add(Access::end(object));
        }
    }

    pub(super) fn note_thread(&mut self, thread: usize, changes: bool) {
        if changes {
            self.tell_inputs();
        }
        if let Some(footprint) = self.footprint() {
            footprint.threads.push((thread, changes));
        }
    }

    pub(super) fn note_exit(&mut self) {
        if let Some(footprint) = self.footprint() {
            footprint.exits = true;
        }
    }
}
