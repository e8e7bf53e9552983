//! Numbers for what is new. Every worker takes some at a time: so none waits for a counter that another has just
//! written, and what is written together is of one worker.

use super::platform::{AtomicU32, BATCH, Ordering};

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
