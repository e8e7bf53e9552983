//! Which states were seen, by their hashes alone: little memory, and some states may be taken for others.
//!
//! *Hash compaction* (Wolper and Leroy, CAV 1993) keeps 64 bits of every state, *bitstate hashing* (Holzmann 1998) sets
//! a few bits for it in one large array. Neither can say "all", so their coverage says how much.

use foldhash::fast::FixedState;
use selvedge_program::Limit;
use std::hash::BuildHasher;

/// The kind of store, which decides how states are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// By all that is in them.
    #[default]
    Exact,
    /// By 64 bits.
    Compact,
    /// By a few bits in an array of so many megabytes.
    Bitstate { megabytes: u64 },
}

/// Bits set for each state.
const FUNCTIONS: u32 = 3;
const FIRST_SLOTS: usize = 1 << 12;

/// A set of hashes.
pub enum Seen {
    /// Open addressing; 0 is empty.
    Compact {
        slots: Vec<u64>,
        used: usize,
    },
    Bitstate {
        words: Vec<u64>,
        set: u64,
        states: u64,
    },
}

impl Seen {
    pub fn compact() -> Seen {
        Seen::Compact { slots: vec![0; FIRST_SLOTS], used: 0 }
    }

    pub fn bitstate(megabytes: u64) -> Seen {
        Seen::Bitstate { words: vec![0; (megabytes.max(1) as usize) << 17], set: 0, states: 0 }
    }

    /// Is it new?
    pub fn insert(&mut self, hash: u64) -> bool {
        match self {
            Seen::Compact { slots, used } => {
                if *used * 4 >= slots.len() * 3 {
                    grow(slots);
                }
                let new = put(slots, hash.max(1));
                *used += usize::from(new);
                new
            }
            Seen::Bitstate { words, set, states } => {
                let bits = words.len() as u64 * 64;
                let mut new = false;
                for function in 0..FUNCTIONS {
                    let bit = FixedState::with_seed(u64::from(function)).hash_one(hash) % bits;
                    let (word, mask) = (&mut words[(bit / 64) as usize], 1 << (bit % 64));
                    let was_clear = *word & mask == 0;
                    *word |= mask;
                    *set += u64::from(was_clear);
                    new |= was_clear;
                }
                *states += u64::from(new);
                new
            }
        }
    }

    pub fn len(&self) -> u64 {
        match self {
            Seen::Compact { used, .. } => *used as u64,
            Seen::Bitstate { states, .. } => *states,
        }
    }

    pub fn bytes(&self) -> u64 {
        match self {
            Seen::Compact { slots: words, .. } | Seen::Bitstate { words, .. } => words.len() as u64 * 8,
        }
    }

    /// The limit that it puts on verdicts.
    pub fn limit(&self) -> Limit {
        match self {
            Seen::Compact { used, .. } => {
                // The chance that any two states collide: the birthday bound.
                Limit::HashCompaction { chance: (*used as f64).powi(2) / 2f64.powi(65) }
            }
            Seen::Bitstate { words, set, .. } => {
                // The array filled up evenly: the mean over its life of the chance that all bits of a new state were
                // set already.
                let full = *set as f64 / (words.len() as f64 * 64.0);
                Limit::Bitstate { missed: full.powi(FUNCTIONS as i32) / f64::from(FUNCTIONS + 1) }
            }
        }
    }
}

/// Puts a hash into a table with room for it: is it new?
fn put(slots: &mut [u64], hash: u64) -> bool {
    let mask = slots.len() - 1;
    let mut at = hash as usize & mask;
    loop {
        match slots[at] {
            0 => {
                slots[at] = hash;
                return true;
            }
            found if found == hash => return false,
            _ => at = (at + 1) & mask,
        }
    }
}

fn grow(slots: &mut Vec<u64>) {
    let old = std::mem::take(slots);
    *slots = vec![0; 2 * old.len()];
    for hash in old.into_iter().filter(|hash| *hash != 0) {
        put(slots, hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_stays_seen() {
        for mut seen in [Seen::compact(), Seen::bitstate(1)] {
            let hash = |n: u64| FixedState::with_seed(7).hash_one(n);
            let new = (0..20_000).filter(|n| seen.insert(hash(*n))).count();
            assert!(new > 19_900, "{new}");
            assert!((0..20_000).all(|n| !seen.insert(hash(n))));
            assert_eq!(seen.len(), new as u64);
        }
    }

    #[test]
    fn a_full_array_admits_that_it_missed_much() {
        let mut seen = Seen::bitstate(1);
        assert_eq!(seen.limit().to_string(), "bitstate hashing, by estimate less than 0.0001 % of the states missed");
        for n in 0..20_000_000u64 {
            seen.insert(FixedState::with_seed(7).hash_one(n));
        }
        assert_eq!(seen.limit().to_string(), "bitstate hashing, by estimate 24.9 % of the states missed");
    }
}
