//! The store's lock-free table and its numbers, under loom: every interleaving of two or three threads with at most
//! a few preemptions, and every value that the memory model lets an atomic load return.
//!
//! Loom (a reimplementation of CDSChecker: Norris, Demsky, OOPSLA 2013) needs its own atomics. So the two files are
//! compiled here a second time, on another [`platform`]: with those, and with sizes so small that a table grows at its
//! fourth entry. What an entry stands for is in relaxed atomics, as in the store: whoever finds a number must see it,
//! so a weaker order anywhere on the way shows as an entry without content.

/// In the place of `store/platform.rs`.
mod platform {
    pub use loom::sync::Mutex;
    pub use loom::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
    pub use std::sync::PoisonError;

    pub const PARTS: usize = 1;
    pub const FIRST: u32 = 2;
    pub const BATCH: u32 = 2;

    /// Loom has none. The standard library's will do, for no thread gives way while it initialises one.
    pub use std::sync::OnceLock;
}

/// In the place of `store/slab.rs`: loom's atomics are not zero when their bytes are.
///
/// Whoever reads a segment of the table may rely on its being initialised: `OnceLock` sees to that. Here all are made
/// before the threads begin, so that the model has this order and no other.
mod slab {
    use loom::sync::atomic::AtomicU64;
    use std::cell::RefCell;

    /// Slots of the first segment, and of the second; more are not needed.
    const SEGMENT: usize = 4;

    thread_local! {
        /// Loom runs all threads of a model in one thread.
        static MADE: RefCell<Vec<Vec<AtomicU64>>> = const { RefCell::new(Vec::new()) };
    }

    pub struct Slab<T>(Vec<T>);

    impl Slab<AtomicU64> {
        pub fn blank(length: usize) -> Slab<AtomicU64> {
            assert_eq!(length, SEGMENT);
            Slab(MADE.with_borrow_mut(|made| made.pop().expect("as many segments as are needed")))
        }
    }

    pub fn make_segments() {
        let segment = || (0..SEGMENT).map(|_| AtomicU64::new(0)).collect();
        MADE.set(vec![segment(), segment()]);
    }

    impl<T> std::ops::Deref for Slab<T> {
        type Target = [T];

        fn deref(&self) -> &[T] {
            &self.0
        }
    }
}

mod hints {
    pub fn prefetch<T>(_: &T) {}
}

#[allow(dead_code)]
#[path = "../src/explicit/store/numbers.rs"]
mod numbers;
#[allow(dead_code)]
#[path = "../src/explicit/store/table.rs"]
#[allow(clippy::modulo_one, reason = "the table has a single part here")]
mod table;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering};
use numbers::{Batch, Numbers};
use std::collections::BTreeSet;
use table::Table;

/// More than all that are given in a model.
const ENTRIES: usize = 10;

/// A set of values, as the store has it.
struct Set {
    table: Table,
    numbers: Numbers,
    /// By number: the value; 0 if there is none yet.
    contents: Vec<AtomicU64>,
}

impl Set {
    fn new() -> Set {
        slab::make_segments();
        let contents = (0..ENTRIES).map(|_| AtomicU64::new(0)).collect();
        Set { table: Table::new(), numbers: Numbers::default(), contents }
    }

    /// The number of a value that is not 0, and whether it is new.
    fn insert(&self, value: u64, hash: u64, batch: &mut Batch) -> (u32, bool) {
        let is_it = |number: u32| {
            let content = self.contents[number as usize].load(Ordering::Relaxed);
            assert_ne!(content, 0, "entry {number} was found before it was written");
            content == value
        };
        let make = || {
            let number = self.numbers.take(batch);
            self.contents[number as usize].store(value, Ordering::Relaxed);
            number
        };
        self.table.find_or_insert(hash, is_it, make)
    }
}

fn check(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    builder.check(model);
}

/// Threads that insert these values, each in its order; all values have one hash, or as many as there are. Then
/// everything has one number, and was new once.
fn insert_together(before: &[u64], threads: &[&[u64]], hash: fn(u64) -> u64) {
    let set = Arc::new(Set::new());
    let mut batch = Batch::default();
    let mut new: Vec<u64> = Vec::new();
    for value in before {
        assert!(set.insert(*value, hash(*value), &mut batch).1);
        new.push(*value);
    }
    let threads: Vec<_> = threads
        .iter()
        .map(|values| {
            let (set, values) = (Arc::clone(&set), values.to_vec());
            loom::thread::spawn(move || {
                let mut batch = Batch::default();
                values.into_iter().filter(|value| set.insert(*value, hash(*value), &mut batch).1).collect::<Vec<u64>>()
            })
        })
        .collect();
    new.extend(threads.into_iter().flat_map(|thread| thread.join().expect("no panic")));
    let values: BTreeSet<u64> = new.iter().copied().collect();
    assert_eq!(values.len(), new.len(), "what was inserted twice: {new:?}");
    let numbers: BTreeSet<u32> = values
        .iter()
        .map(|value| {
            let (number, is_new) = set.insert(*value, hash(*value), &mut batch);
            assert!(!is_new, "{value} was lost");
            number
        })
        .collect();
    assert_eq!((numbers.len(), set.table.len()), (values.len(), values.len()));
}

const SAME_HASH: fn(u64) -> u64 = |_| 3;
const OWN_HASH: fn(u64) -> u64 = |value| value;

#[test]
fn two_threads_insert_the_same() {
    check(3, || insert_together(&[], &[&[1], &[1]], SAME_HASH));
}

#[test]
fn two_threads_insert_what_collides() {
    check(3, || insert_together(&[], &[&[1, 2], &[2, 1]], SAME_HASH));
}

#[test]
fn three_threads_insert_the_same() {
    check(2, || insert_together(&[], &[&[1], &[1], &[1]], SAME_HASH));
}

/// The fourth entry makes the table grow, while another thread looks for what was there before.
#[test]
fn nothing_is_lost_while_the_table_grows() {
    check(3, || insert_together(&[1, 2, 3], &[&[4], &[1]], SAME_HASH));
    check(3, || insert_together(&[1, 2, 3], &[&[4], &[3]], OWN_HASH));
}

/// An entry of one thread is moved, and then found by the other.
#[test]
fn what_was_moved_is_found_with_its_content() {
    check(3, || insert_together(&[1, 2], &[&[3, 4], &[3]], OWN_HASH));
    check(2, || insert_together(&[1, 2], &[&[3], &[4], &[3]], SAME_HASH));
}

#[test]
fn nothing_is_inserted_twice_while_the_table_grows() {
    check(2, || insert_together(&[1, 2, 3], &[&[4], &[4, 2]], OWN_HASH));
    check(2, || insert_together(&[1, 2, 3], &[&[4, 5], &[5]], SAME_HASH));
}

#[test]
fn no_number_is_given_twice() {
    check(3, || {
        let numbers = Arc::new(Numbers::default());
        let take = |numbers: Arc<Numbers>| {
            let mut batch = Batch::default();
            move || (0..3).map(|_| numbers.take(&mut batch)).collect::<Vec<u32>>()
        };
        let other = loom::thread::spawn(take(Arc::clone(&numbers)));
        let mut all = take(Arc::clone(&numbers))();
        all.extend(other.join().expect("no panic"));
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 6, "{all:?}");
    });
}
