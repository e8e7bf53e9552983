//! A search's notes on a state: how it was found, and what has been done with it.

use super::StateId;
use std::sync::atomic::{AtomicU64, Ordering};

/// The way to the state is written once, by the worker that finds it, unless another finds it with fewer preemptions;
/// counters are written by all.
#[derive(Default)]
pub struct Visit {
    /// From below: the parent (32 bits), the thread that led here (7), its transitions (6), how many threads are known
    /// to be blocked (7), the level (12).
    found: AtomicU64,
    /// The threads that were expanded, or are about to be; the last bit: so was the whole state.
    expanded: [AtomicU64; 2],
    /// Another way to get here, for the thread in the place of what is blocked: it may run because of that one. 0 if
    /// there is none.
    again: AtomicU64,
}

/// The way to a state: its parent and the transition from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub parent: StateId,
    /// The thread that ran from there.
    pub thread: usize,
    /// With so many transitions.
    pub length: usize,
    /// With so many preemptions.
    pub level: u32,
}

const THREAD_SHIFT: u32 = 32;
const LENGTH_SHIFT: u32 = 39;
const BLOCKED_SHIFT: u32 = 45;
const LEVEL_SHIFT: u32 = 52;
/// The most transitions from one state to the next.
pub const MAX_LENGTH: usize = (1 << (BLOCKED_SHIFT - LENGTH_SHIFT)) - 1;
/// The most levels that can be told apart.
pub const MAX_LEVEL: u32 = (1 << (64 - LEVEL_SHIFT)) - 1;
/// Beyond all threads, and what stands for all of them.
const WHOLE: usize = 127;

impl Found {
    fn word(self) -> u64 {
        let Found { parent, thread, length, level } = self;
        let threads = (thread as u64) << THREAD_SHIFT | (length as u64) << LENGTH_SHIFT;
        u64::from(parent.0) | threads | u64::from(level) << LEVEL_SHIFT
    }

    fn from_word(word: u64) -> Found {
        Found {
            parent: StateId(word as u32),
            thread: (word >> THREAD_SHIFT) as usize & 0x7f,
            length: (word >> LENGTH_SHIFT) as usize & MAX_LENGTH,
            level: (word >> LEVEL_SHIFT) as u32,
        }
    }
}

impl Visit {
    /// To be called once, before anything else.
    pub(super) fn note(&self, found: Found) {
        self.found.store(found.word(), Ordering::Relaxed);
    }

    pub fn found(&self) -> Found {
        Found::from_word(self.found.load(Ordering::Relaxed))
    }

    /// `thread` may run because the state was found in another way, too. False if there is no room to note it.
    pub fn note_again(&self, thread: usize, way: Found) -> bool {
        let word = way.word() | (thread as u64) << BLOCKED_SHIFT;
        // A transition of no length is none, so that the word is not 0.
        debug_assert!(way.length > 0);
        self.again.compare_exchange(0, word, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// The way that was noted for `thread`.
    pub fn again(&self, thread: usize) -> Option<Found> {
        let word = self.again.load(Ordering::Relaxed);
        (word != 0 && (word >> BLOCKED_SHIFT) as usize & 0x7f == thread).then(|| Found::from_word(word))
    }

    /// It was found in another way: is that with fewer preemptions? Not together with [`Visit::note_blocked`].
    pub fn lower(&self, found: Found) -> bool {
        let lower = |word: u64| ((word >> LEVEL_SHIFT) as u32 > found.level).then(|| found.word());
        self.found.fetch_update(Ordering::Relaxed, Ordering::Relaxed, lower).is_ok()
    }

    /// One more thread is blocked: so many are.
    pub fn note_blocked(&self) -> usize {
        let before = self.found.fetch_add(1 << BLOCKED_SHIFT, Ordering::Relaxed);
        (before >> BLOCKED_SHIFT) as usize % 128 + 1
    }

    pub fn is_any_blocked(&self) -> bool {
        self.found.load(Ordering::Relaxed) >> BLOCKED_SHIFT & 0x7f != 0
    }

    /// Marks `thread` as expanded. Was it not before?
    #[inline]
    pub fn expand(&self, thread: usize) -> bool {
        let (word, bit) = (&self.expanded[thread / 64], 1 << (thread % 64));
        word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
    }

    /// As above, for the whole state.
    pub fn expand_whole(&self) -> bool {
        self.expand(WHOLE)
    }

    pub fn is_whole(&self) -> bool {
        self.is_expanded(WHOLE)
    }

    pub fn is_expanded(&self, thread: usize) -> bool {
        self.expanded[thread / 64].load(Ordering::Relaxed) >> (thread % 64) & 1 == 1
    }
}
