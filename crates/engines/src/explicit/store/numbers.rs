//! Numbers for what is new. Every worker takes some at a time: so none waits for a counter that another has just
//! written, and what is written together is of one worker.

use std::sync::atomic::{AtomicU32, Ordering};

/// Taken at once.
pub const BATCH: u32 = 256;

/// All numbers; on cache lines of its own, for what is beside it is read all the time.
#[derive(Default)]
#[repr(align(128))]
pub struct Numbers(AtomicU32);

/// Those that one worker has taken, and not yet used.
#[derive(Clone, Copy, Default)]
pub struct Batch {
    next: u32,
    left: u32,
}

impl Numbers {
    #[inline]
    pub fn take(&self, batch: &mut Batch) -> u32 {
        if batch.left == 0 {
            *batch = Batch { next: self.0.fetch_add(BATCH, Ordering::Relaxed), left: BATCH };
        }
        let number = batch.next;
        *batch = Batch { next: number + 1, left: batch.left - 1 };
        number
    }

    /// Are they about to run out?
    pub fn are_few(&self) -> bool {
        self.0.load(Ordering::Relaxed) > u32::MAX - (1 << 24)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_number_is_given_twice_and_one_worker_gets_them_in_order() {
        let numbers = Numbers::default();
        let (mut one, mut other) = (Batch::default(), Batch::default());
        let mut all: Vec<u32> = (0..1000).map(|_| numbers.take(&mut one)).collect();
        assert!(all.iter().copied().eq(0..1000));
        all.extend((0..2000).map(|n| numbers.take(if n % 3 == 0 { &mut one } else { &mut other })));
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    }
}
