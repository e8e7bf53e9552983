//! The table and the numbers, used by one thread. `tests/store_under_loom.rs` uses them from several.

use super::numbers::{Batch, Numbers};
use super::table::Table;
use std::collections::BTreeSet;

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
    assert_eq!(table.len(), 5000);
}

/// Runs that go round the end of the table are where growing could go wrong.
#[test]
fn nothing_is_lost_where_runs_go_round_the_end() {
    for seed in 0..200 {
        let mut random = fastrand::Rng::with_seed(seed);
        let table = Table::new();
        let tags: Vec<u32> = (0..700).map(|_| random.u32(..) | !random.u32(..=0xf) >> random.u32(..28)).collect();
        for count in 1..=tags.len() {
            let new = count as u32 - 1;
            assert_eq!(table.find_or_insert(u64::from(tags[new as usize]), |found| found == new, || new), (new, true));
            if count.is_power_of_two() || count == tags.len() {
                for number in 0..count as u32 {
                    let hash = u64::from(tags[number as usize]);
                    assert_eq!(table.find_or_insert(hash, |found| found == number, || 0), (number, false));
                }
            }
        }
    }
}

#[test]
fn no_number_is_given_twice_and_one_worker_gets_them_in_order() {
    let numbers = Numbers::default();
    let (mut one, mut other) = (Batch::default(), Batch::default());
    let mut all: Vec<u32> = (0..1000).map(|_| numbers.take(&mut one)).collect();
    assert!(all.iter().copied().eq(0..1000));
    all.extend((0..2000).map(|n| numbers.take(if n % 3 == 0 { &mut one } else { &mut other })));
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
}
