//! Word buffers that know whether they may have been changed, so that a search examines only what a step changed.

use crate::memory;
use std::ops::{Deref, DerefMut, Range};

/// Words with a flag that tells whether they may have been changed: any borrow for writing counts as a change.
/// A search thus examines only what a step changed. The flag is not part of the content.
#[derive(Debug)]
pub struct Buffer {
    words: Vec<u64>,
    changed: bool,
}

impl Buffer {
    /// Whether they have been borrowed for writing since they were last [settled](Buffer::settle).
    #[inline]
    pub fn is_changed(&self) -> bool {
        self.changed
    }

    /// Marks the words as unchanged.
    #[inline]
    pub fn settle(&mut self) {
        self.changed = false;
    }

    /// Marks the words as changed, because the buffer has moved.
    pub(crate) fn unsettle(&mut self) {
        self.changed = true;
    }

    /// Replaces the words and marks them as unchanged.
    pub fn refill(&mut self, words: &[u64]) {
        self.words.clear();
        self.words.extend_from_slice(words);
        self.changed = false;
    }
}

impl Default for Buffer {
    /// An empty buffer, which counts as changed.
    fn default() -> Buffer {
        Vec::new().into()
    }
}

impl From<Vec<u64>> for Buffer {
    fn from(words: Vec<u64>) -> Buffer {
        Buffer { words, changed: true }
    }
}

impl PartialEq for Buffer {
    fn eq(&self, other: &Buffer) -> bool {
        self.words == other.words
    }
}

impl Eq for Buffer {}

impl Deref for Buffer {
    type Target = Vec<u64>;

    #[inline]
    fn deref(&self) -> &Vec<u64> {
        &self.words
    }
}

impl DerefMut for Buffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut Vec<u64> {
        self.changed = true;
        &mut self.words
    }
}

/// The globals are divided into pieces of this many words: one changed counter must not make a large array new.
const PIECE: usize = 16;

/// The globals, and which pieces of them may have been changed. Their number never changes.
#[derive(Debug, Default)]
pub struct Globals {
    words: Vec<u64>,
    /// A bit for each of the first pieces.
    changed: u64,
    /// All further pieces that may have been changed are in this range.
    far: Range<usize>,
}

/// The number of pieces with a bit of their own.
const NEAR: usize = 64;

impl Globals {
    #[inline]
    pub fn write(&mut self, at: usize, bytes: usize, value: u64) {
        self.mark(at / (8 * PIECE));
        self.mark((at + bytes.max(1) - 1) / (8 * PIECE));
        memory::write(&mut self.words, at, bytes, value);
    }

    #[inline]
    fn mark(&mut self, piece: usize) {
        if piece < NEAR {
            self.changed |= 1 << piece;
        } else if self.far.is_empty() {
            self.far = piece..piece + 1;
        } else {
            self.far = self.far.start.min(piece)..self.far.end.max(piece + 1);
        }
    }

    #[inline]
    pub fn is_any_changed(&self) -> bool {
        self.changed != 0 || !self.far.is_empty()
    }

    /// The pieces that may have been changed.
    #[inline]
    pub fn changed_pieces(&self) -> impl Iterator<Item = usize> + use<> {
        let (mut near, far) = (self.changed, self.far.clone());
        let near = std::iter::from_fn(move || {
            let next = (near != 0).then_some(near.trailing_zeros() as usize);
            near &= near.wrapping_sub(1);
            next
        });
        near.chain(far)
    }

    #[inline]
    pub fn settle(&mut self) {
        (self.changed, self.far) = (0, 0..0);
    }

    pub fn piece_count(&self) -> usize {
        self.words.len().div_ceil(PIECE)
    }

    #[inline]
    pub fn piece(&self, piece: usize) -> &[u64] {
        let from = piece * PIECE;
        &self.words[from..self.words.len().min(from + PIECE)]
    }

    /// Replaces the words of a piece without marking it as changed.
    #[inline]
    pub fn refill(&mut self, piece: usize, words: &[u64]) {
        self.words[piece * PIECE..][..words.len()].copy_from_slice(words);
    }
}

impl From<Vec<u64>> for Globals {
    fn from(words: Vec<u64>) -> Globals {
        let pieces = words.len().div_ceil(PIECE);
        let changed = if pieces >= NEAR { u64::MAX } else { (1 << pieces) - 1 };
        Globals { words, changed, far: NEAR..pieces.max(NEAR) }
    }
}

impl PartialEq for Globals {
    fn eq(&self, other: &Globals) -> bool {
        self.words == other.words
    }
}

impl Eq for Globals {}

impl Deref for Globals {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        &self.words
    }
}

// `Clone` is written by hand, because the derived version allocates new buffers instead of reusing old ones.

impl Clone for Buffer {
    fn clone(&self) -> Buffer {
        Buffer { words: self.words.clone(), changed: self.changed }
    }

    fn clone_from(&mut self, other: &Buffer) {
        self.words.clone_from(&other.words);
        self.changed = other.changed;
    }
}

impl Clone for Globals {
    fn clone(&self) -> Globals {
        Globals { words: self.words.clone(), changed: self.changed, far: self.far.clone() }
    }

    fn clone_from(&mut self, other: &Globals) {
        self.words.clone_from(&other.words);
        (self.changed, self.far) = (other.changed, other.far.clone());
    }
}
