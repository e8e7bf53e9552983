//! The locks that a thread holds, as declared by the models: accesses that they protect need not be visible.

use crate::Machine;
use crate::oracle::{Note, Oracle};
use crate::sharing::FOR_READING;
use crate::state::{STACK_HEADER, Thread};

impl<O: Oracle> Machine<'_, O> {
    pub(crate) fn look_at_locks(&mut self) {
        self.held = self.sharing.held(&self.stack[2..STACK_HEADER], self.atomic > 0);
    }

    /// A model declares that this thread holds a lock now.
    pub(crate) fn acquired(&mut self, lock: u64, exclusively: bool) {
        let conflict = |held: &u64| held & !FOR_READING == lock && (exclusively || held & FOR_READING == 0);
        let others = self.state.threads.iter().enumerate().filter(|(number, _)| *number != self.thread);
        if lock & 3 != 0 || others.flat_map(|(_, thread)| thread.locks()).any(conflict) {
            self.sharing.break_lock(lock);
        }
        if self.symmetric {
            self.note_owner(lock, exclusively);
        }
        let locks = &mut self.stack[2..STACK_HEADER];
        // A model may declare this again for a lock that was never released.
        let again = exclusively && locks.contains(&lock);
        if let Some(free) = locks.iter_mut().find(|held| !again && **held == 0) {
            *free = if exclusively { lock } else { lock | FOR_READING };
        }
        locks.sort_unstable();
        self.look_at_locks();
        if O::WATCHES {
            self.note(Note::Acquired { lock });
        }
    }

    /// A lock that cannot be recorded exposes the thread to its twins; a lock that does not name its owner in its first
    /// word is noted, since that owner cannot be renamed.
    fn note_owner(&mut self, lock: u64, exclusively: bool) {
        let locks = &self.stack[2..STACK_HEADER];
        if !locks.contains(&0) && !locks.contains(&lock) {
            self.show_itself();
        }
        if !exclusively || !self.told_owner {
            Thread::note_other_locks(&mut self.stack[0], true);
        }
    }

    /// A model declares that this thread no longer holds a lock.
    pub(crate) fn released(&mut self, lock: u64) {
        let locks = &mut self.stack[2..STACK_HEADER];
        if let Some(held) = locks.iter_mut().find(|held| **held & !FOR_READING == lock) {
            *held = 0;
        }
        locks.sort_unstable();
        if self.symmetric && self.stack[2..STACK_HEADER].iter().all(|held| *held == 0) {
            Thread::note_other_locks(&mut self.stack[0], false);
        }
        self.look_at_locks();
        if O::WATCHES {
            self.note(Note::Released { lock });
        }
    }
}
