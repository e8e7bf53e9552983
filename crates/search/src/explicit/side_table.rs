//! A side table: what is known of a few states, beside the store, by the state and one more number. Several workers
//! write to it, each mostly of states that it has found itself, and those are in parts of the table of their own.

use super::store::StateId;
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

const PARTS: usize = 64;
/// Bytes that an entry has elsewhere, about.
const BESIDE: usize = 32;

pub struct SideTable<T> {
    parts: Box<[Part<T>]>,
    is_any: AtomicBool,
}

type Map<T> = HashMap<(StateId, u32), T, FixedState>;

#[repr(align(128))]
struct Part<T>(Mutex<Map<T>>);

impl<T: Clone> SideTable<T> {
    pub fn new() -> SideTable<T> {
        let parts = (0..PARTS).map(|_| Part(Mutex::new(Map::default()))).collect();
        SideTable { parts, is_any: AtomicBool::new(false) }
    }

    fn part(&self, state: StateId) -> MutexGuard<'_, Map<T>> {
        lock(&self.parts[state.batch() % PARTS])
    }

    pub fn insert(&self, state: StateId, number: u32, note: T) {
        if !self.is_any.load(Ordering::Relaxed) {
            self.is_any.store(true, Ordering::Relaxed);
        }
        self.part(state).insert((state, number), note);
    }

    #[inline]
    pub fn get(&self, state: StateId, number: u32) -> Option<T> {
        if self.is_any.load(Ordering::Relaxed) { self.part(state).get(&(state, number)).cloned() } else { None }
    }

    pub fn bytes(&self) -> u64 {
        let part = |part: &Part<T>| {
            let map = lock(part);
            map.capacity() * (size_of::<((StateId, u32), T)>() + 1) + map.len() * BESIDE
        };
        self.parts.iter().map(part).sum::<usize>() as u64
    }
}

fn lock<T>(Part(map): &Part<T>) -> MutexGuard<'_, Map<T>> {
    map.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_state_and_number() {
        let table = SideTable::new();
        assert_eq!((table.get(StateId(0), 0), table.bytes()), (None, 0));
        (0..100_000).for_each(|state| table.insert(StateId(state), state % 3, state));
        assert!((0..100_000).all(|state| table.get(StateId(state), state % 3) == Some(state)));
        assert_eq!(table.get(StateId(7), 2), None);
        assert!(table.bytes() > 100_000 * 12);
    }
}
