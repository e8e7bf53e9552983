//! Word buffers that know whether they may have been changed, so that a search examines only what a step changed.

use crate::memory;
use std::ops::{Deref, DerefMut};

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
    /// A bit for each piece; the last bit stands for all further pieces.
    changed: u64,
}

impl Globals {
    #[inline]
    pub fn write(&mut self, at: usize, bytes: usize, value: u64) {
        self.changed |= piece_bit(at / (8 * PIECE)) | piece_bit((at + bytes.max(1) - 1) / (8 * PIECE));
        memory::write(&mut self.words, at, bytes, value);
    }

    #[inline]
    pub fn is_any_changed(&self) -> bool {
        self.changed != 0
    }

    #[inline]
    pub fn is_changed(&self, piece: usize) -> bool {
        self.changed & piece_bit(piece) != 0
    }

    #[inline]
    pub fn settle(&mut self) {
        self.changed = 0;
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

#[inline]
fn piece_bit(piece: usize) -> u64 {
    1 << piece.min(63)
}

impl From<Vec<u64>> for Globals {
    fn from(words: Vec<u64>) -> Globals {
        Globals { words, changed: u64::MAX }
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
        Globals { words: self.words.clone(), changed: self.changed }
    }

    fn clone_from(&mut self, other: &Globals) {
        self.words.clone_from(&other.words);
        self.changed = other.changed;
    }
}
