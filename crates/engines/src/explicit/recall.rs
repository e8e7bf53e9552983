//! Steps that were taken before need not be run again.
//!
//! A state is a combination of its threads and its globals, and a step depends on, and changes, little but one thread and
//! the globals ([`selvedge_vm::dependence`]). Of these there are far fewer than of states: most transitions of a search
//! are ones that it has taken already, from a state that differs only in threads that do not matter. Since the store has
//! numbers for the parts of a state, such a transition replaces two numbers in its root: nothing is loaded, run or
//! stored. This is the local transition cache of LTSmin (Blom, van de Pol, Weber, CAV 2010), with dependences seen while
//! running instead of declared.
//!
//! What is recalled is exact. It may be forgotten: a slot holds the last step that fell into it.

use super::store::{BASE, DIRECT, Root};
use selvedge_program::Loc;
use selvedge_vm::Ended;
use selvedge_vm::deadlock::Threads;

/// Slots, as powers of two.
const FEWEST: u32 = 8;
const MOST: u32 = 18;
/// More places than these, in which threads can be blocked, are not told apart.
const PLACES: usize = 256;

/// What a thread did before, from a state that agrees on all that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It led there; the thread is at `pc` now.
    To {
        root: Root,
        ended: Ended,
        pc: u32,
    },
    Blocked {
        awaits: Threads,
        loc: Loc,
    },
}

pub struct Recall {
    slots: Box<[Slot]>,
    /// Steps that took another one's slot, since there were last more slots.
    conflicts: usize,
    /// For each number of a thread: the others that any of its steps so far looked at, a bit each.
    looks_at: Vec<u8>,
    places: Vec<(Threads, Loc)>,
}

/// A line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Slot {
    key: Key,
    outcome: Outcome,
    pc: u32,
    /// In place of those of the key.
    to: [u32; PARTS],
}

/// The thread itself, the base, others.
const PARTS: usize = 7;

#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    /// [`EMPTY`] if there is none.
    thread: u8,
    looks_at: u8,
    parts: [u32; PARTS],
}

const EMPTY: u8 = u8::MAX;

#[derive(Clone, Copy)]
enum Outcome {
    Paused,
    Finished,
    /// Where, and for whom it waits, is a place with this number.
    Blocked,
}

impl Key {
    #[inline]
    fn new(root: &Root, thread: usize, looks_at: u8) -> Key {
        let mut parts = [0; PARTS];
        (parts[0], parts[1]) = (root[thread + 1], root[BASE]);
        others(looks_at).zip(&mut parts[2..]).for_each(|(other, part)| *part = root[other + 1]);
        Key { thread: thread as u8, looks_at, parts }
    }

    #[inline]
    fn hash(&self) -> u64 {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let pair = |at: usize| u64::from(self.parts[at]) << 32 | u64::from(self.parts[at + 1]);
        let mut hash = (pair(0) ^ u64::from(self.thread)).wrapping_mul(FACTOR);
        if self.looks_at != 0 {
            for at in [2, 4] {
                hash = (hash.rotate_left(32) ^ pair(at)).wrapping_mul(FACTOR);
            }
        }
        hash ^ hash >> 32
    }
}

/// The threads of a set of few.
#[inline]
fn others(mut looks_at: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = looks_at.trailing_zeros() as usize;
        looks_at &= looks_at.wrapping_sub(1);
        (next < 8).then_some(next)
    })
}

const NOTHING: Slot = Slot {
    key: Key { thread: EMPTY, looks_at: 0, parts: [0; PARTS] },
    outcome: Outcome::Paused,
    pc: 0,
    to: [0; PARTS],
};

impl Recall {
    pub fn new() -> Recall {
        let slots = vec![NOTHING; 1 << FEWEST].into_boxed_slice();
        Recall { slots, conflicts: 0, looks_at: Vec::new(), places: Vec::new() }
    }

    #[inline]
    fn slot(&self, key: &Key) -> usize {
        key.hash() as usize & (self.slots.len() - 1)
    }

    /// What `thread` did from such a state, if that is known. It must not have ended.
    #[inline]
    pub fn find(&self, root: &Root, thread: usize) -> Option<Step> {
        if thread >= DIRECT {
            return None;
        }
        let looks_at = *self.looks_at.get(root[thread + 1] as usize)?;
        let key = Key::new(root, thread, looks_at);
        let slot = &self.slots[self.slot(&key)];
        if slot.key != key {
            return None;
        }
        let ended = match slot.outcome {
            Outcome::Paused => Ended::Paused,
            Outcome::Finished => Ended::Finished,
            Outcome::Blocked => {
                let (awaits, loc) = self.places[slot.pc as usize];
                return Some(Step::Blocked { awaits, loc });
            }
        };
        let mut root = *root;
        (root[thread + 1], root[BASE]) = (slot.to[0], slot.to[1]);
        others(looks_at).zip(&slot.to[2..]).for_each(|(other, part)| root[other + 1] = *part);
        Some(Step::To { root, ended, pc: slot.pc })
    }

    /// `thread` was run from a state with at most [`DIRECT`] threads, and looked at others.
    pub fn note(&mut self, from: &Root, thread: usize, looks_at: Threads, step: Step) {
        let own = from[thread + 1] as usize;
        if self.looks_at.len() <= own {
            self.looks_at.resize(own + 1, 0);
        }
        if let Step::To { root, .. } = &step {
            let may_change = looks_at << 1 | 1 << (thread + 1) | 1 << BASE;
            let same = |at: usize| from[at] == root[at];
            debug_assert!((0..from.len()).all(|at| may_change >> at & 1 == 1 || same(at)), "{from:?} {root:?}");
        }
        // Whatever was found with fewer is not found any more, but will be again.
        self.looks_at[own] |= looks_at as u8;
        let looks_at = self.looks_at[own];
        if looks_at.count_ones() as usize > PARTS - 2 {
            return;
        }
        let (outcome, pc, to) = match step {
            Step::To { root, ended, pc } => {
                let key = Key::new(&root, thread, looks_at);
                let outcome = if ended == Ended::Finished { Outcome::Finished } else { Outcome::Paused };
                (outcome, pc, key.parts)
            }
            Step::Blocked { awaits, loc } => match self.place(awaits, loc) {
                Some(place) => (Outcome::Blocked, place, [0; PARTS]),
                None => return,
            },
        };
        self.put(Slot { key: Key::new(from, thread, looks_at), outcome, pc, to });
    }

    fn place(&mut self, awaits: Threads, loc: Loc) -> Option<u32> {
        let known = self.places.iter().position(|place| *place == (awaits, loc));
        let place = known.unwrap_or_else(|| {
            self.places.push((awaits, loc));
            self.places.len() - 1
        });
        self.places.truncate(PLACES);
        (place < PLACES).then_some(place as u32)
    }

    fn put(&mut self, slot: Slot) {
        let at = self.slot(&slot.key);
        self.conflicts += usize::from(self.slots[at].key.thread != EMPTY);
        self.slots[at] = slot;
        if self.conflicts > self.slots.len() / 4 && self.slots.len() < 1 << MOST {
            self.grow();
        }
    }

    fn grow(&mut self) {
        self.conflicts = 0;
        let more = vec![NOTHING; 4 * self.slots.len()].into_boxed_slice();
        for slot in std::mem::replace(&mut self.slots, more) {
            let at = self.slot(&slot.key);
            if slot.key.thread != EMPTY {
                self.slots[at] = slot;
            }
        }
    }

    pub fn bytes(&self) -> u64 {
        (self.slots.len() * size_of::<Slot>() + self.looks_at.capacity()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_step_looks_at_matters() {
        let mut recall = Recall::new();
        let (from, to) = ([10, 20, 30, 40, 0, 0, 0, 0], [11, 20, 31, 40, 0, 0, 0, 0]);
        recall.note(&from, 1, 0, Step::To { root: to, ended: Ended::Paused, pc: 7 });
        let elsewhere = [10, 21, 30, 41, 0, 0, 0, 0];
        let there = [11, 21, 31, 41, 0, 0, 0, 0];
        assert_eq!(recall.find(&elsewhere, 1), Some(Step::To { root: there, ended: Ended::Paused, pc: 7 }));
        assert_eq!(recall.find(&elsewhere, 0), None);
        assert_eq!(recall.find(&[12, 20, 30, 40, 0, 0, 0, 0], 1), None, "other globals");
        // Now it looks at thread 2, and changes that.
        recall.note(&from, 1, 1 << 2, Step::To { root: [11, 20, 31, 42, 0, 0, 0, 0], ended: Ended::Finished, pc: 0 });
        assert_eq!(recall.find(&elsewhere, 1), None);
        let step = Step::To { root: [11, 25, 31, 42, 0, 0, 0, 0], ended: Ended::Finished, pc: 0 };
        assert_eq!(recall.find(&[10, 25, 30, 40, 0, 0, 0, 0], 1), Some(step));
    }

    #[test]
    fn a_blocked_thread_is_recalled_until_its_slot_is_taken() {
        let mut recall = Recall::new();
        let from = |number: u32| [1, number, 0, 0, 0, 0, 0, 0];
        let blocked = Step::Blocked { awaits: 2, loc: selvedge_program::SourceMap::NOWHERE };
        for number in 0..1 << 20 {
            recall.note(&from(number), 0, 0, blocked);
            assert_eq!(recall.find(&from(number), 0), Some(blocked));
        }
        assert_eq!(recall.slots.len(), 1 << MOST);
        let kept = (0..1 << 20).filter(|number| recall.find(&from(*number), 0).is_some()).count();
        assert!((1 << (MOST - 1)..=1 << MOST).contains(&kept), "{kept}");
    }
}
