//! Lists and pairs, each stored once and numbered.

use super::chunks::Chunks;
use super::heap::INVALID;
use super::table::Table;
use foldhash::fast::FixedState;
use std::hash::BuildHasher;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const HASHER: FixedState = FixedState::with_seed(0x5e1f);
/// Entries of a cursor's caches, as a power of two.
pub const CACHE: u32 = 12;

#[inline]
fn slot(hash: u64) -> usize {
    (hash >> (64 - CACHE)) as usize
}

#[inline]
pub fn both(left: u32, right: u32) -> u64 {
    u64::from(left) | u64::from(right) << 32
}

#[inline]
pub fn parted(pair: u64) -> (u32, u32) {
    (pair as u32, (pair >> 32) as u32)
}

/// Lists of words, each stored once and numbered.
pub struct Leaves {
    table: Table,
    lists: Chunks<OnceLock<Box<[u64]>>>,
    count: AtomicU32,
    words: AtomicU64,
}

impl Leaves {
    pub fn new() -> Leaves {
        Leaves { table: Table::new(), lists: Chunks::new(), count: AtomicU32::new(0), words: AtomicU64::new(0) }
    }

    #[inline]
    pub fn get(&self, number: u32) -> &[u64] {
        self.lists.get(number).get().map_or(&[], |list| list)
    }

    #[inline]
    pub fn insert(&self, words: &[u64], recent: &mut [(u64, u32)]) -> u32 {
        let hash = HASHER.hash_one(words);
        let recent = &mut recent[slot(hash)];
        if recent.0 == hash && recent.1 != INVALID && self.get(recent.1) == words {
            return recent.1;
        }
        let is_it = |number: u32| self.get(number) == words;
        let (number, _) = self.table.find_or_insert(hash, is_it, || {
            let number = self.count.fetch_add(1, Ordering::Relaxed);
            self.words.fetch_add(words.len() as u64, Ordering::Relaxed);
            self.lists.get(number).get_or_init(|| words.into());
            number
        });
        *recent = (hash, number);
        number
    }

    pub fn len(&self) -> u32 {
        self.count.load(Ordering::Relaxed)
    }

    pub fn bytes(&self) -> u64 {
        // An allocation has a header of its own.
        let lists = u64::from(self.count.load(Ordering::Relaxed)) * 16 + self.words.load(Ordering::Relaxed) * 8;
        self.table.bytes() + self.lists.bytes() + lists
    }
}

/// Pairs of numbers, each stored once and numbered.
pub struct Nodes {
    table: Table,
    pairs: Chunks<AtomicU64>,
    count: AtomicU32,
}

impl Nodes {
    pub fn new() -> Nodes {
        Nodes { table: Table::new(), pairs: Chunks::new(), count: AtomicU32::new(0) }
    }

    #[inline]
    pub fn get(&self, number: u32) -> (u32, u32) {
        parted(self.pairs.get(number).load(Ordering::Relaxed))
    }

    #[inline]
    pub fn insert(&self, left: u32, right: u32, recent: &mut [(u64, u32)]) -> u32 {
        let pair = both(left, right);
        let hash = HASHER.hash_one(pair);
        let recent = &mut recent[slot(hash)];
        if recent.0 == pair {
            return recent.1;
        }
        let is_it = |number: u32| self.pairs.get(number).load(Ordering::Relaxed) == pair;
        let (number, _) = self.table.find_or_insert(hash, is_it, || {
            let number = self.count.fetch_add(1, Ordering::Relaxed);
            self.pairs.get(number).store(pair, Ordering::Relaxed);
            number
        });
        *recent = (pair, number);
        number
    }

    pub fn len(&self) -> u32 {
        self.count.load(Ordering::Relaxed)
    }

    pub fn bytes(&self) -> u64 {
        self.table.bytes() + self.pairs.bytes()
    }
}
