//! Work for several workers: who has much gives to who has none.
//!
//! Every worker has a list of its own and looks here only when that is empty, or when another one waits.

use super::store::StateId;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

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

pub struct Pool {
    workers: usize,
    given: Mutex<Vec<Item>>,
    arrival: Condvar,
    /// How many wait.
    waiting: AtomicUsize,
    /// Nothing more is to be done.
    over: AtomicBool,
}

impl Pool {
    pub fn new(workers: usize) -> Pool {
        Pool {
            workers,
            given: Mutex::default(),
            arrival: Condvar::new(),
            waiting: AtomicUsize::new(0),
            over: AtomicBool::new(false),
        }
    }

    fn given(&self) -> MutexGuard<'_, Vec<Item>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends everybody home.
    pub fn close(&self) {
        let _given = self.given();
        self.over.store(true, Ordering::Relaxed);
        self.arrival.notify_all();
    }

    #[inline]
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Gives some of the oldest work to those who wait, if any do.
    #[inline]
    pub fn share(&self, own: &mut VecDeque<Item>) {
        if self.waiting.load(Ordering::Relaxed) > 0 && own.len() >= ENOUGH {
            self.give(own);
        }
    }

    fn give(&self, own: &mut VecDeque<Item>) {
        let mut given = self.given();
        if given.is_empty() {
            given.extend(own.drain(..(own.len() / 2).min(MOST)));
            self.arrival.notify_one();
        }
    }

    /// Waits for work; false if there will be none, because all wait or the pool is closed.
    pub fn take(&self, own: &mut VecDeque<Item>) -> bool {
        let mut given = self.given();
        let waiting = self.waiting.fetch_add(1, Ordering::Relaxed) + 1;
        if waiting == self.workers && given.is_empty() {
            self.over.store(true, Ordering::Relaxed);
            self.arrival.notify_all();
        }
        loop {
            if self.is_over() {
                return false;
            }
            if !given.is_empty() {
                own.extend(given.drain(..));
                self.waiting.fetch_sub(1, Ordering::Relaxed);
                return true;
            }
            given = self.arrival.wait(given).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
