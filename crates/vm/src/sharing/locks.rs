//! The locks that protect places: small sets, numbered.

use super::{ATOMIC, FOR_READING, Held, LockSet, NO_LOCK, ONLY_ATOMIC, SetId, Sharing};

impl Sharing {
    /// The locks of a thread that protect its reads and its writes.
    pub fn held(&mut self, locks: &[u64], atomic: bool) -> Held {
        if self.everything {
            return Held::default();
        }
        if locks.iter().all(|lock| *lock == 0) {
            let set = if atomic { ONLY_ATOMIC } else { NO_LOCK };
            return Held { read: set, write: set };
        }
        let good = locks.iter().copied().filter(|lock| *lock != 0 && !self.broken.contains(&(lock & !FOR_READING)));
        let (mut read, mut write) = (LockSet::default(), LockSet::default());
        for (at, lock) in good.chain(atomic.then_some(ATOMIC)).take(3).enumerate() {
            read[at] = lock & !FOR_READING;
            write[at] = if lock & FOR_READING == 0 { lock } else { 0 };
        }
        Held { read: self.set(read), write: self.set(write) }
    }

    /// Notes that two threads hold a lock: it protects nothing.
    pub fn break_lock(&mut self, lock: u64) {
        let lock = lock & !FOR_READING;
        if !self.everything && !self.broken.contains(&lock) {
            self.broken.push(lock);
            self.grew = true;
        }
    }

    pub(super) fn set(&mut self, mut locks: LockSet) -> SetId {
        locks.sort_unstable();
        match self.sets.iter().position(|set| *set == locks) {
            Some(number) => number as SetId,
            // That many sets mean that locks are created in a loop. Without their protection everything is visible,
            // which is sound.
            None if self.sets.len() >= usize::from(SetId::MAX) => NO_LOCK,
            None => {
                self.sets.push(locks);
                self.sets.len() as SetId - 1
            }
        }
    }

    pub(super) fn common(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || a == NO_LOCK {
            return a;
        }
        if b == NO_LOCK {
            return b;
        }
        let (a, b) = (self.sets[usize::from(a)], self.sets[usize::from(b)]);
        let mut both = LockSet::default();
        for (at, lock) in a.into_iter().filter(|lock| *lock != 0 && b.contains(lock)).enumerate() {
            both[at] = lock;
        }
        self.set(both)
    }
}
