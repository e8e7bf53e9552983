//! Arrays that grow while others read them: their chunks never move.

use super::slab::Slab;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Entries of the first chunk, as a power of two. The next ones double, up to the largest.
const FIRST: u32 = 8;
const LARGEST: u32 = 18;
const DOUBLING: usize = (LARGEST - FIRST) as usize;
/// Enough for numbers of 32 bits.
const CHUNKS: usize = DOUBLING + (1 << (32 - LARGEST)) + 1;

pub struct Chunks<T> {
    chunks: Box<[OnceLock<Slab<T>>]>,
    make: fn(usize) -> Slab<T>,
    bytes: AtomicU64,
}

impl<T> Chunks<T> {
    /// `make`: so many entries that were never written.
    pub fn new(make: fn(usize) -> Slab<T>) -> Chunks<T> {
        Chunks { chunks: (0..CHUNKS).map(|_| OnceLock::new()).collect(), make, bytes: AtomicU64::new(0) }
    }

    /// An entry; a new one if it was never written.
    #[inline]
    pub fn get(&self, index: u32) -> &T {
        let (chunk, offset) = place(index);
        let chunk = self.chunks[chunk].get_or_init(|| {
            let size = 1usize << (FIRST + chunk as u32).min(LARGEST);
            self.bytes.fetch_add((size * size_of::<T>()) as u64, Ordering::Relaxed);
            (self.make)(size)
        });
        &chunk[offset]
    }

    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

#[inline]
fn place(index: u32) -> (usize, usize) {
    let shifted = index as usize + (1 << FIRST);
    let log = usize::BITS - 1 - shifted.leading_zeros();
    if log < LARGEST {
        ((log - FIRST) as usize, shifted - (1 << log))
    } else {
        (DOUBLING + (shifted >> LARGEST) - 1, shifted & ((1 << LARGEST) - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_has_a_place_of_its_own() {
        let mut last = (0, usize::MAX);
        for index in 0..3u32 << LARGEST {
            let (chunk, offset) = place(index);
            let next = chunk == last.0 && offset == last.1.wrapping_add(1);
            let size = 1usize << (FIRST + last.0 as u32).min(LARGEST);
            let first_of_next = chunk == last.0 + 1 && offset == 0 && last.1 + 1 == size;
            assert!(next || first_of_next, "{index}: {chunk} {offset} after {last:?}");
            last = (chunk, offset);
        }
        assert!(place(u32::MAX).0 < CHUNKS);
    }
}
