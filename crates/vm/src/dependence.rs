//! The parts of a state that a step depends on and changes. In another state with the same parts the thread does
//! the same, so a search need not run the step again.
//!
//! Every step may depend on its thread, on the globals, and on the [`Mark`]s of all threads. Beyond that it may read
//! the memory of other threads, where their objects are; the machine records which ([`Machine::looks_at`]).
//!
//! A repeated step would report nothing new to [`crate::sharing`]: its accesses depend only on its thread and on the
//! places that it touches.

use crate::deadlock::Threads;
use crate::layout::{Slot, Slots};
use crate::machine::Machine;
use crate::oracle::Oracle;
use crate::state::{STACK_HEADER, State, Thread};

/// The step may depend on the whole state.
pub(crate) const EVERYBODY: Threads = Threads::MAX;

impl<O: Oracle> Machine<'_, O> {
    /// The threads whose memory the last call of [`Machine::step`] read or changed, beyond the parts that all steps
    /// depend on. `None` if it may depend on the whole state. Not valid for a step that ended the process, had choices,
    /// or stopped for another reason than being blocked.
    #[inline]
    pub fn looks_at(&self) -> Option<Threads> {
        let has_inputs = self.symbols_before > 0 || !self.state.late_inputs.is_empty();
        (self.looks_at != EVERYBODY && !has_inputs).then_some(self.looks_at & !(1 << self.thread))
    }
}

/// The facts about a thread that any step of another thread may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    is_finished: bool,
    is_inside_atomic: bool,
    is_joined: bool,
    /// Dead objects are removed with the last pointer to them.
    has_dead_objects: bool,
    /// Its store buffer is not empty: then steps look at its contents.
    has_stores: bool,
    locks: [u64; STACK_HEADER - 2],
    /// The other threads to whose objects it has pointers: whether such an object is removed when it dies depends on
    /// it.
    names: Threads,
}

impl Mark {
    pub const NONE: Mark = Mark {
        is_finished: false,
        is_inside_atomic: false,
        is_joined: false,
        has_dead_objects: false,
        has_stores: false,
        locks: [0; STACK_HEADER - 2],
        names: 0,
    };

    pub fn new(number: usize, thread: &Thread, slots: Slots) -> Mark {
        let mut names = 0;
        let mut name = |pointer: u64| {
            if let Slot::Dynamic { thread: owner, .. } = slots.named_by(pointer)
                && owner != number
            {
                names |= bit(owner);
            }
        };
        slots.for_each_pointer(&thread.stack, &mut name);
        slots.for_each_pointer(&thread.data, &mut name);
        let mut locks = [0; STACK_HEADER - 2];
        thread.locks().iter().zip(&mut locks).for_each(|(lock, own)| *own = *lock);
        Mark {
            is_finished: thread.is_finished(),
            is_inside_atomic: thread.atomic_depth() != 0,
            is_joined: thread.is_joined(),
            has_dead_objects: thread.has_dead_objects(),
            has_stores: thread.has_stores(),
            locks,
            names,
        }
    }

    fn is_remarkable(&self) -> bool {
        self.is_joined
            || self.has_dead_objects
            || self.has_stores
            || self.names != 0
            || self.locks.iter().any(|lock| *lock != 0)
    }
}

/// Numbers beyond all threads have no bit.
fn bit(thread: usize) -> Threads {
    (1 as Threads).checked_shl(thread as u32).unwrap_or(0)
}

/// A summary of all threads, for searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roll {
    pub threads: usize,
    pub finished: Threads,
    /// Whether a thread stopped inside an atomic section.
    pub is_inside_atomic: bool,
}

/// The number of words that every roll has.
const HEADER: usize = 3;

impl Roll {
    pub fn of(state: &State) -> Roll {
        let is_inside_atomic = state.inside_atomic().is_some();
        Roll { threads: state.threads.len(), finished: state.finished(), is_inside_atomic }
    }

    /// Appends words that identify all marks.
    pub fn write<'m>(marks: impl Iterator<Item = &'m Mark>, words: &mut Vec<u64>) {
        let start = words.len();
        words.extend([0; HEADER]);
        let mut roll = Roll { threads: 0, finished: 0, is_inside_atomic: false };
        for mark in marks {
            roll.finished |= Threads::from(mark.is_finished) << roll.threads;
            roll.is_inside_atomic |= mark.is_inside_atomic;
            if mark.is_remarkable() {
                let flags = u64::from(mark.is_joined) | u64::from(mark.has_dead_objects) << 1;
                let flags = flags | u64::from(mark.has_stores) << 2;
                words.push((roll.threads as u64) << 3 | flags);
                words.extend(mark.locks);
                words.extend([mark.names as u64, (mark.names >> 64) as u64]);
            }
            roll.threads += 1;
        }
        let length = (words.len() - start) as u64;
        words[start] = roll.threads as u64 | u64::from(roll.is_inside_atomic) << 31 | length << 32;
        words[start + 1] = roll.finished as u64;
        words[start + 2] = (roll.finished >> 64) as u64;
    }

    /// The roll, and the words after it.
    #[inline]
    pub fn read(words: &[u64]) -> (Roll, &[u64]) {
        let [first, low, high, ..] = *words else {
            return (Roll { threads: 0, finished: 0, is_inside_atomic: false }, words);
        };
        let finished = Threads::from(low) | Threads::from(high) << 64;
        let threads = (first & 0x7fff_ffff) as usize;
        (Roll { threads, finished, is_inside_atomic: first >> 31 & 1 == 1 }, &words[(first >> 32) as usize..])
    }

    /// The number of threads that have not ended.
    #[inline]
    pub fn alive(&self) -> usize {
        self.threads - self.finished.count_ones() as usize
    }

    #[inline]
    pub fn is_finished(&self, thread: usize) -> bool {
        self.finished >> thread & 1 == 1
    }
}
