//! Lists and pairs, each stored once and numbered.

use super::chunks::Chunks;
use super::heap::INVALID;
use super::numbers::{Batch, Numbers};
use super::slab::Slab;
use super::table::Table;
use foldhash::fast::FixedState;
use std::hash::BuildHasher;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

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
    numbers: Numbers,
    words: Words,
}

/// How many words there are in all; on cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
struct Words(AtomicU64);

/// A worker's own cache: values found lately, by hash, which needs no table; and numbers for new values.
pub struct Recent {
    found: Box<[(u64, u32)]>,
    batch: Batch,
}

impl Recent {
    pub fn new() -> Recent {
        Recent { found: vec![(u64::MAX, INVALID); 1 << CACHE].into_boxed_slice(), batch: Batch::default() }
    }
}

impl Leaves {
    pub fn new() -> Leaves {
        let lists = Chunks::new(|size| Slab::filled(size, OnceLock::new));
        Leaves { table: Table::new(), lists, numbers: Numbers::default(), words: Words::default() }
    }

    #[inline]
    pub fn get(&self, number: u32) -> &[u64] {
        self.lists.get(number).get().map_or(&[], |list| list)
    }

    #[inline]
    pub fn insert(&self, words: &[u64], Recent { found, batch }: &mut Recent) -> u32 {
        let hash = HASHER.hash_one(words);
        let recent = &mut found[slot(hash)];
        if recent.0 == hash && recent.1 != INVALID && self.get(recent.1) == words {
            return recent.1;
        }
        let is_it = |number: u32| self.get(number) == words;
        let (number, _) = self.table.find_or_insert(hash, is_it, || {
            let number = self.numbers.take(batch);
            self.words.0.fetch_add(words.len() as u64, Ordering::Relaxed);
            self.lists.get(number).get_or_init(|| words.into());
            number
        });
        *recent = (hash, number);
        number
    }

    pub fn is_full(&self) -> bool {
        self.numbers.are_few()
    }

    pub fn bytes(&self) -> u64 {
        // An allocation has a header of its own.
        let lists = self.table.len() as u64 * 16 + self.words.0.load(Ordering::Relaxed) * 8;
        self.table.bytes() + self.lists.bytes() + lists
    }
}

/// Pairs of numbers, each stored once and numbered.
pub struct Nodes {
    table: Table,
    pairs: Chunks<AtomicU64>,
    numbers: Numbers,
}

impl Nodes {
    pub fn new() -> Nodes {
        Nodes { table: Table::new(), pairs: Chunks::new(Slab::blank), numbers: Numbers::default() }
    }

    #[inline]
    pub fn get(&self, number: u32) -> (u32, u32) {
        parted(self.pairs.get(number).load(Ordering::Relaxed))
    }

    #[inline]
    pub fn insert(&self, left: u32, right: u32, Recent { found, batch }: &mut Recent) -> u32 {
        let pair = both(left, right);
        let hash = HASHER.hash_one(pair);
        let recent = &mut found[slot(hash)];
        if recent.0 == pair {
            return recent.1;
        }
        let is_it = |number: u32| self.pairs.get(number).load(Ordering::Relaxed) == pair;
        let (number, _) = self.table.find_or_insert(hash, is_it, || {
            let number = self.numbers.take(batch);
            self.pairs.get(number).store(pair, Ordering::Relaxed);
            number
        });
        *recent = (pair, number);
        number
    }

    pub fn is_full(&self) -> bool {
        self.numbers.are_few()
    }

    pub fn bytes(&self) -> u64 {
        self.table.bytes() + self.pairs.bytes()
    }
}
