//! Work for several workers: who has much gives to who has none.
//!
//! Every worker has work of its own and looks here only when that is done, or when another one waits.

use crate::explicit::end::End;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

pub struct Pool<T> {
    workers: usize,
    given: Mutex<Vec<T>>,
    arrival: Condvar,
    /// How many wait.
    waiting: AtomicUsize,
    /// Nothing more is to be done.
    over: AtomicBool,
}

impl<T: Send> Pool<T> {
    pub fn new(workers: usize) -> Pool<T> {
        Pool {
            workers,
            given: Mutex::new(Vec::new()),
            arrival: Condvar::new(),
            waiting: AtomicUsize::new(0),
            over: AtomicBool::new(false),
        }
    }

    fn given(&self) -> MutexGuard<'_, Vec<T>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets all workers search at once, the first of them on this thread, and joins their ends. A worker that panics
    /// sends the others home first.
    pub fn run<W: Send, E: Send>(
        &self,
        workers: &mut [W],
        search: impl Fn(&mut W) -> Result<(), End<E>> + Sync,
    ) -> Result<(), End<E>> {
        let (first, others) = workers.split_at_mut(1);
        let search = &search;
        let mut results = Vec::new();
        std::thread::scope(|scope| {
            let others: Vec<_> = others.iter_mut().map(|worker| scope.spawn(|| search(worker))).collect();
            results.push(search(&mut first[0]));
            results.extend(others.into_iter().map(|other| {
                other.join().unwrap_or_else(|panic| {
                    self.close();
                    std::panic::resume_unwind(panic)
                })
            }));
        });
        // News about sharing spoil all else; a violation counts more than a reason to stop.
        let mut end = None;
        for result in results {
            match (result, &end) {
                (Ok(()), _) | (Err(_), Some(End::Shared)) => {}
                (Err(End::Stopped(_)), Some(End::Found(_))) => {}
                (Err(worse), _) => end = Some(worse),
            }
        }
        end.map_or(Ok(()), Err)
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

    /// Does anybody wait?
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Gives work to one of those who wait, unless there is some already.
    pub fn give<W: IntoIterator<Item = T>>(&self, work: impl FnOnce() -> W) {
        let mut given = self.given();
        if given.is_empty() {
            given.extend(work());
            self.arrival.notify_one();
        }
    }

    /// Waits for work; false if there will be none, because all wait or the pool is closed.
    pub fn take(&self, own: &mut impl Extend<T>) -> bool {
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
