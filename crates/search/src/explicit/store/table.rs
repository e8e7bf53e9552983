//! A set of numbers, found by the hash of what they stand for; for several threads at once.
//!
//! Open addressing with linear probing. A slot has a number and 32 bits of the hash, so that growing needs nothing but
//! the slots, and what a number stands for is looked at only if those bits agree. The table is cut into parts, each
//! with a lock for those who write. Who reads needs none (as in Laarman, van de Pol, Weber, FMCAD 2010): slots never
//! move in memory, what is found is compared in full, and what is not found is looked for again under the lock.
//!
//! Data read at every look is apart from data written at every insertion: no reader waits for a cache line that a
//! writer has just taken. Parts grow alike, so the slots of all of them are in common, and in large pages.

use super::hints::prefetch;
use super::platform::{AtomicU64, AtomicUsize, FIRST, Mutex, OnceLock, Ordering, PARTS, PoisonError};
use super::slab::Slab;

/// A tag has 32 bits, and no more slots than that are needed.
const SEGMENTS: usize = 32 - FIRST as usize + 1;

pub struct Table {
    /// For each part the number of its slots, less one.
    masks: Box<[AtomicUsize]>,
    /// The first slots of all parts, and as many as all before again and again.
    segments: [OnceLock<Slab<AtomicU64>>; SEGMENTS],
    writers: Box<[Writer]>,
}

/// The part's data for writers.
#[derive(Default)]
#[repr(align(128))]
struct Writer {
    lock: Mutex<()>,
    /// Slots that are taken; changed under the lock.
    used: AtomicUsize,
}

/// The place where something is looked for.
#[derive(Clone, Copy)]
struct Key {
    part: usize,
    tag: u32,
}

impl Key {
    #[inline]
    fn new(hash: u64) -> Key {
        Key { part: (hash >> 58) as usize % PARTS, tag: hash as u32 }
    }
}

impl Table {
    pub fn new() -> Table {
        Table {
            masks: (0..PARTS).map(|_| AtomicUsize::new((1 << FIRST) - 1)).collect(),
            segments: [const { OnceLock::new() }; SEGMENTS],
            writers: (0..PARTS).map(|_| Writer::default()).collect(),
        }
    }

    /// The number with this hash that `is_it` says yes to, and false; else what `make` gives, and true.
    #[inline]
    pub fn find_or_insert(&self, hash: u64, is_it: impl Fn(u32) -> bool, make: impl FnOnce() -> u32) -> (u32, bool) {
        let key = Key::new(hash);
        match self.find(key, &is_it) {
            Ok(number) => (number, false),
            Err(_) => self.insert(key, is_it, make),
        }
    }

    #[inline]
    fn first_slot(&self, hash: u64) -> &AtomicU64 {
        let Key { part, tag } = Key::new(hash);
        self.slot(part, tag as usize & self.masks[part].load(Ordering::Relaxed))
    }

    /// Prefetches for this hash, which will be asked for soon.
    #[inline]
    pub fn expect(&self, hash: u64) {
        prefetch(self.first_slot(hash));
    }

    /// The number that is likely to be found, if any is.
    #[inline]
    pub fn guess(&self, hash: u64) -> Option<u32> {
        (self.first_slot(hash).load(Ordering::Relaxed) as u32).checked_sub(1)
    }

    pub fn len(&self) -> usize {
        self.writers.iter().map(|writer| writer.used.load(Ordering::Relaxed)).sum()
    }

    pub fn bytes(&self) -> u64 {
        let slots = |mask: &AtomicUsize| mask.load(Ordering::Relaxed) + 1;
        (self.masks.iter().map(slots).sum::<usize>() * size_of::<u64>()) as u64
    }

    /// 0: empty. Else bits of the hash in the high half, and the number plus one in the low one.
    #[inline]
    fn slot(&self, part: usize, at: usize) -> &AtomicU64 {
        let log = (at >> FIRST).checked_ilog2().map_or(0, |log| log + 1);
        let size = 1 << (FIRST + log.saturating_sub(1));
        let segment = self.segments[log as usize].get_or_init(|| Slab::blank(size * PARTS));
        &segment[part * size + (at & (size - 1))]
    }

    /// The number, or the empty slot where the search for it ended.
    #[inline]
    fn find(&self, Key { part, tag }: Key, is_it: &impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mask = self.masks[part].load(Ordering::Acquire);
        let mut at = tag as usize & mask;
        loop {
            let slot = self.slot(part, at).load(Ordering::Acquire);
            if slot == 0 {
                return Err(at);
            }
            if (slot >> 32) as u32 == tag && is_it(slot as u32 - 1) {
                return Ok(slot as u32 - 1);
            }
            at = (at + 1) & mask;
        }
    }

    fn insert(&self, key: Key, is_it: impl Fn(u32) -> bool, make: impl FnOnce() -> u32) -> (u32, bool) {
        let writer = &self.writers[key.part];
        let _lock = writer.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let used = writer.used.load(Ordering::Relaxed);
        if used * 4 >= (self.masks[key.part].load(Ordering::Relaxed) + 1) * 3 {
            self.grow(key.part);
        }
        match self.find(key, &is_it) {
            Ok(number) => (number, false),
            Err(at) => {
                let number = make();
                writer.used.store(used + 1, Ordering::Relaxed);
                self.slot(key.part, at).store(slot_of(key.tag, number), Ordering::Release);
                (number, true)
            }
        }
    }

    /// Twice as many slots for a part, under its lock. Who reads meanwhile may find too little.
    ///
    /// In place: what is moved in the order of slots never jumps over what is still to be moved. It stays where it is,
    /// goes down to where its run began, or up to the new half. Only the first run, which may belong to the last, and
    /// which what goes up may run into, has to be out of the way.
    #[cold]
    fn grow(&self, part: usize) {
        let size = self.masks[part].load(Ordering::Relaxed) + 1;
        let mask = 2 * size - 1;
        let take = |at: usize| self.slot(part, at).swap(0, Ordering::Relaxed);
        let put = |slot: u64| {
            let mut at = (slot >> 32) as usize & mask;
            while self.slot(part, at).load(Ordering::Relaxed) != 0 {
                at = (at + 1) & mask;
            }
            self.slot(part, at).store(slot, Ordering::Release);
        };
        let first: Vec<u64> = (0..size).map(take).take_while(|slot| *slot != 0).collect();
        (first.len()..size).map(take).filter(|slot| *slot != 0).for_each(put);
        first.into_iter().for_each(put);
        self.masks[part].store(mask, Ordering::Release);
    }
}

#[inline]
fn slot_of(tag: u32, number: u32) -> u64 {
    u64::from(tag) << 32 | u64::from(number + 1)
}
