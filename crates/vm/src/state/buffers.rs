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
    /// Further pieces that may have been changed, in order, with gaps between the ranges.
    far: Vec<Range<usize>>,
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
        if piece < NEAR { self.changed |= 1 << piece } else { self.mark_far(piece) }
    }

    /// Two variables that lie far apart must not make all between them count as changed.
    fn mark_far(&mut self, piece: usize) {
        let next = self.far.partition_point(|range| range.end < piece);
        match self.far.get_mut(next) {
            Some(range) if range.contains(&piece) => {}
            Some(range) if range.end == piece => {
                range.end += 1;
                let end = range.end;
                if self.far.get(next + 1).is_some_and(|behind| behind.start == end) {
                    self.far[next].end = self.far.remove(next + 1).end;
                }
            }
            Some(range) if range.start == piece + 1 => range.start = piece,
            _ => self.far.insert(next, piece..piece + 1),
        }
    }

    #[inline]
    pub fn is_any_changed(&self) -> bool {
        self.changed != 0 || !self.far.is_empty()
    }

    /// The pieces that may have been changed.
    #[inline]
    pub fn changed_pieces(&self) -> impl Iterator<Item = usize> + use<'_> {
        pieces(self.changed, &self.far)
    }

    /// Makes the changed pieces what they are in `kept`, and marks them as unchanged.
    pub fn restore(&mut self, kept: &Globals) {
        let far = std::mem::take(&mut self.far);
        pieces(self.changed, &far).for_each(|piece| self.refill(piece, kept.piece(piece)));
        self.far = far;
        self.settle();
    }

    #[inline]
    pub fn settle(&mut self) {
        self.changed = 0;
        self.far.clear();
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

/// The pieces that these bits and ranges stand for, in order.
#[inline]
fn pieces(mut near: u64, far: &[Range<usize>]) -> impl Iterator<Item = usize> + use<'_> {
    let near = std::iter::from_fn(move || {
        let next = (near != 0).then_some(near.trailing_zeros() as usize);
        near &= near.wrapping_sub(1);
        next
    });
    near.chain(far.iter().cloned().flatten())
}

impl From<Vec<u64>> for Globals {
    fn from(words: Vec<u64>) -> Globals {
        let pieces = words.len().div_ceil(PIECE);
        let changed = if pieces >= NEAR { u64::MAX } else { (1 << pieces) - 1 };
        let far = (pieces > NEAR).then_some(NEAR..pieces);
        Globals { words, changed, far: far.into_iter().collect() }
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
        self.changed = other.changed;
        self.far.clone_from(&other.far);
    }
}

#[cfg(test)]
mod tests {
    use super::{Globals, NEAR};

    fn changed(pieces: &[usize]) -> Vec<usize> {
        let mut globals = Globals::default();
        pieces.iter().for_each(|piece| globals.mark(*piece));
        globals.changed_pieces().collect()
    }

    #[test]
    fn pieces_that_lie_far_apart_are_changed_by_themselves() {
        let far = NEAR + 10;
        assert_eq!(changed(&[3, 9_000, far]), [3, far, 9_000]);
        assert_eq!(changed(&[far, far + 2, far + 1, far + 1]), [far, far + 1, far + 2]);
        assert_eq!(changed(&[far + 1, far, far - 2, far - 1]), [far - 2, far - 1, far, far + 1]);
    }
}
