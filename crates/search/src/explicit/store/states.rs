//! The roots of all states, numbered, and what a search notes of each.

use super::chunks::Chunks;
use super::hints::prefetch;
use super::interned::{both, parted};
use super::numbers::{Batch, Numbers};
use super::platform::BATCH;
use super::slab::{Slab, Zero};
use super::table::Table;
use super::visit::{Found, Visit};
use std::sync::atomic::{AtomicU64, Ordering};

/// A state's number; if one worker searches, in the order of discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

impl StateId {
    /// States of the same batch were found by the same worker.
    pub fn batch(self) -> usize {
        (self.0 / BATCH) as usize
    }
}

/// All but the threads ([`BASE`]), then the threads, or what is two levels below the top of the tree of the threads if
/// there are too many; then 0.
pub type Root = [u32; 8];
pub const BASE: usize = 0;
/// Threads that a root has room for: thread t is at t + 1.
pub const DIRECT: usize = 7;

/// Roots of trees. What a search notes of a state is beside it, on the same cache line.
pub struct States {
    table: Table,
    records: Chunks<Record>,
    numbers: Numbers,
}

#[derive(Default)]
#[repr(align(64))]
struct Record {
    /// The root, as pairs.
    root: [AtomicU64; 4],
    visit: Visit,
}

// SAFETY: it consists of atomic numbers.
unsafe impl Zero for Record {}

impl Record {
    #[inline]
    fn root(&self) -> Root {
        let mut root = Root::default();
        for (at, pair) in self.root.iter().enumerate() {
            (root[2 * at], root[2 * at + 1]) = parted(pair.load(Ordering::Relaxed));
        }
        root
    }
}

/// The hash of a root, for the table of states.
#[inline]
pub fn hash(root: &Root) -> u64 {
    let pair = |at: usize| both(root[2 * at], root[2 * at + 1]);
    let first = folded(pair(0) ^ 0x9e37_79b9_7f4a_7c15, pair(1) ^ 0xd1b5_4a32_d192_ed03);
    let second = folded(pair(2) ^ 0x8cb9_2ba7_2f3d_8dd7, pair(3) ^ 0xaaaf_0b1f_3a5c_7b31);
    folded(first ^ 0x2545_f491_4f6c_dd1d, second ^ 0xbf58_476d_1ce4_e5b9)
}

#[inline]
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

impl States {
    pub fn new() -> States {
        States { table: Table::new(), records: Chunks::new(Slab::blank), numbers: Numbers::default() }
    }

    pub fn len(&self) -> usize {
        self.table.len()
    }

    pub fn is_full(&self) -> bool {
        self.numbers.are_few()
    }

    pub fn bytes(&self) -> u64 {
        self.table.bytes() + self.records.bytes()
    }

    #[inline]
    pub fn root(&self, id: StateId) -> Root {
        self.records.get(id.0).root()
    }

    #[inline]
    pub fn visit(&self, id: StateId) -> &Visit {
        &self.records.get(id.0).visit
    }

    /// A worker that sees the state also sees how it was found.
    #[inline]
    pub fn insert(&self, batch: &mut Batch, root: Root, hash: u64, found: Found) -> (StateId, bool) {
        let is_it = |number: u32| self.records.get(number).root() == root;
        let (number, new) = self.table.find_or_insert(hash, is_it, || {
            let number = self.numbers.take(batch);
            let record = self.records.get(number);
            for (at, pair) in record.root.iter().enumerate() {
                pair.store(both(root[2 * at], root[2 * at + 1]), Ordering::Relaxed);
            }
            record.visit.note(found);
            number
        });
        (StateId(number), new)
    }

    #[inline]
    pub fn expect(&self, id: StateId) {
        prefetch(self.records.get(id.0));
    }

    #[inline]
    pub fn expect_root(&self, hash: u64) {
        self.table.expect(hash);
    }

    #[inline]
    pub fn expect_state(&self, hash: u64) {
        if let Some(number) = self.table.guess(hash) {
            self.expect(StateId(number));
        }
    }
}
