//! The work of the exact search, and how much of it is shared.

use super::store::StateId;
use std::collections::VecDeque;

/// A state, and which of its threads to run.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub state: StateId,
    pub thread: u8,
}

impl Item {
    /// In place of a thread: all that have not been run.
    pub const ALL: u8 = 126;

    /// For [`super::store::Visit::expand`].
    pub fn bit(self) -> usize {
        usize::from(self.thread)
    }
}

/// A worker with fewer items keeps them.
const ENOUGH: usize = 4;
/// Given away at once, at most.
const MOST: usize = 256;

pub type Pool = crate::pool::Pool<Item>;

/// Gives some of the oldest work to those who wait, if any do.
#[inline]
pub fn share(pool: &Pool, own: &mut VecDeque<Item>) {
    if pool.is_wanted() && own.len() >= ENOUGH {
        pool.give(|| own.drain(..(own.len() / 2).min(MOST)));
    }
}
