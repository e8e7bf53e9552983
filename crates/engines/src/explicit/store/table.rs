//! A set of numbers, found by the hash of what they stand for; for several threads at once.
//!
//! Open addressing with linear probing. A slot has a number and 32 bits of the hash, so that growing needs
//! nothing but the slots, and what a number stands for is looked at only if those bits agree. The table is cut
//! into parts, each with a lock for those who write. Who reads needs none (as in Laarman, van de Pol, Weber, FMCAD
//! 2010): slots never move in memory, what is found is compared in full, and what is not found is looked for again under
//! the lock.

use super::hints::{prefetch, spread};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

const PARTS: usize = 64;
/// Slots of a part at first, as a power of two.
const FIRST: u32 = 4;
/// A tag has 32 bits, and no more slots than that are needed.
const SEGMENTS: usize = 32 - FIRST as usize + 1;

pub struct Table {
    parts: Box<[Part]>,
}

/// On cache lines of its own.
#[repr(align(64))]
struct Part {
    /// The number of slots, less one.
    mask: AtomicUsize,
    /// How many are used.
    used: Mutex<usize>,
    /// The first, and as many as all before again and again.
    segments: [OnceLock<Box<[AtomicU64]>>; SEGMENTS],
}

impl Table {
    pub fn new() -> Table {
        Table { parts: (0..PARTS).map(|_| Part::new()).collect() }
    }

    #[inline]
    fn part(&self, hash: u64) -> &Part {
        &self.parts[(hash >> 58) as usize % PARTS]
    }

    /// The number with this hash that `is_it` says yes to, and false; else what `make` gives, and true.
    #[inline]
    pub fn find_or_insert(&self, hash: u64, is_it: impl Fn(u32) -> bool, make: impl FnOnce() -> u32) -> (u32, bool) {
        let part = self.part(hash);
        match part.find(hash as u32, &is_it) {
            Ok(number) => (number, false),
            Err(_) => part.find_or_insert(hash as u32, is_it, make),
        }
    }

    #[inline]
    fn first_slot(&self, hash: u64) -> &AtomicU64 {
        let part = self.part(hash);
        part.slot(hash as u32 as usize & part.mask.load(Ordering::Relaxed))
    }

    /// Somebody will ask for this hash soon.
    #[inline]
    pub fn expect(&self, hash: u64) {
        prefetch(self.first_slot(hash));
    }

    /// The number that is likely to be found, if any is.
    #[inline]
    pub fn guess(&self, hash: u64) -> Option<u32> {
        (self.first_slot(hash).load(Ordering::Relaxed) as u32).checked_sub(1)
    }

    pub fn bytes(&self) -> u64 {
        let slots = |part: &Part| part.mask.load(Ordering::Relaxed) + 1;
        (self.parts.iter().map(slots).sum::<usize>() * size_of::<u64>()) as u64
    }
}

impl Part {
    fn new() -> Part {
        let segments = [const { OnceLock::new() }; SEGMENTS];
        Part { mask: AtomicUsize::new((1 << FIRST) - 1), used: Mutex::new(0), segments }
    }

    /// 0: empty. Else bits of the hash in the high half, and the number plus one in the low one.
    #[inline]
    fn slot(&self, at: usize) -> &AtomicU64 {
        let log = (at >> FIRST).checked_ilog2().map_or(0, |log| log + 1);
        let size = 1 << (FIRST + log.saturating_sub(1));
        let segment = self.segments[log as usize].get_or_init(|| spread(size, AtomicU64::default));
        &segment[at & (size - 1)]
    }

    /// The number, or the empty slot where the search for it ended.
    #[inline]
    fn find(&self, tag: u32, is_it: &impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mask = self.mask.load(Ordering::Acquire);
        let mut at = tag as usize & mask;
        loop {
            let slot = self.slot(at).load(Ordering::Acquire);
            if slot == 0 {
                return Err(at);
            }
            if (slot >> 32) as u32 == tag && is_it(slot as u32 - 1) {
                return Ok(slot as u32 - 1);
            }
            at = (at + 1) & mask;
        }
    }

    fn find_or_insert(&self, tag: u32, is_it: impl Fn(u32) -> bool, make: impl FnOnce() -> u32) -> (u32, bool) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if *used * 4 >= (self.mask.load(Ordering::Relaxed) + 1) * 3 {
            self.grow();
        }
        match self.find(tag, &is_it) {
            Ok(number) => (number, false),
            Err(at) => {
                let number = make();
                *used += 1;
                self.slot(at).store(slot_of(tag, number), Ordering::Release);
                (number, true)
            }
        }
    }

    /// Under the lock. Who reads meanwhile may find too little.
    #[cold]
    fn grow(&self) {
        let size = self.mask.load(Ordering::Relaxed) + 1;
        let old: Vec<u64> = (0..size).map(|at| self.slot(at).swap(0, Ordering::Relaxed)).collect();
        let mask = 2 * size - 1;
        for slot in old.into_iter().filter(|slot| *slot != 0) {
            let mut at = (slot >> 32) as usize & mask;
            while self.slot(at).load(Ordering::Relaxed) != 0 {
                at = (at + 1) & mask;
            }
            self.slot(at).store(slot, Ordering::Release);
        }
        self.mask.store(mask, Ordering::Release);
    }
}

#[inline]
fn slot_of(tag: u32, number: u32) -> u64 {
    u64::from(tag) << 32 | u64::from(number + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_again_also_where_hashes_collide() {
        let table = Table::new();
        let hash = |number: u32| u64::from(number % 100) << 58 | u64::from(number % 7);
        for number in 0..5000 {
            assert_eq!(table.find_or_insert(hash(number), |found| found == number, || number), (number, true));
        }
        for number in 0..5000 {
            assert_eq!(table.find_or_insert(hash(number), |found| found == number, || 0), (number, false));
        }
    }
}
