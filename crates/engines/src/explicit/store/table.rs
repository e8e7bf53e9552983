//! A set of numbers, found by the hash of what they stand for; for several threads at once.
//!
//! Open addressing with linear probing. A slot has a number and 32 bits of the hash, so that growing needs
//! nothing but the slots, and what a number stands for is looked at only if those bits agree. The table is cut
//! into parts with a lock each.

use std::sync::{Mutex, PoisonError};

const PARTS: usize = 64;
const FIRST_SLOTS: usize = 16;

pub struct Table {
    parts: Box<[Part]>,
}

/// On a cache line of its own.
#[repr(align(64))]
#[derive(Default)]
struct Part(Mutex<Slots>);

#[derive(Default)]
struct Slots {
    /// 0: empty. Else bits of the hash in the high half, and the number plus one in the low one.
    slots: Vec<u64>,
    used: usize,
}

impl Table {
    pub fn new() -> Table {
        Table { parts: (0..PARTS).map(|_| Part::default()).collect() }
    }

    /// The number with this hash that `is_it` says yes to, and false; else what `make` gives, and true.
    #[inline]
    pub fn find_or_insert(&self, hash: u64, is_it: impl Fn(u32) -> bool, make: impl FnOnce() -> u32) -> (u32, bool) {
        let part = &self.parts[(hash >> 58) as usize % PARTS];
        let mut part = part.0.lock().unwrap_or_else(PoisonError::into_inner);
        if part.used * 4 >= part.slots.len() * 3 {
            part.grow();
        }
        let tag = hash as u32;
        let mask = part.slots.len() - 1;
        let mut at = tag as usize & mask;
        loop {
            let slot = part.slots[at];
            if slot == 0 {
                let number = make();
                part.slots[at] = u64::from(tag) << 32 | u64::from(number + 1);
                part.used += 1;
                return (number, true);
            }
            if (slot >> 32) as u32 == tag && is_it(slot as u32 - 1) {
                return (slot as u32 - 1, false);
            }
            at = (at + 1) & mask;
        }
    }

    pub fn bytes(&self) -> u64 {
        let slots = |part: &Part| part.0.lock().unwrap_or_else(PoisonError::into_inner).slots.capacity();
        (self.parts.iter().map(slots).sum::<usize>() * size_of::<u64>()) as u64
    }
}

impl Slots {
    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(FIRST_SLOTS);
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
        for slot in old.into_iter().filter(|slot| *slot != 0) {
            let mut at = (slot >> 32) as usize & (size - 1);
            while self.slots[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = slot;
        }
    }
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
