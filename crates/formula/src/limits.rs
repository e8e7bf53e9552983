//! When a solver gives up.

use crate::solver::Unknown;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// None by default.
#[derive(Clone, Default, Debug)]
pub struct Limits {
    /// Set from outside: Ctrl-C, or somebody else who has the answer.
    pub stop: Option<Arc<AtomicBool>>,
    /// The end of all checks.
    pub deadline: Option<Instant>,
    /// For each check by itself.
    pub per_check: Option<Duration>,
}

impl Limits {
    /// Those of a check that begins now: its own time is part of the deadline.
    pub(crate) fn of_one_check(&self) -> Limits {
        let own = self.per_check.and_then(|time| Instant::now().checked_add(time));
        let deadline = [self.deadline, own].into_iter().flatten().min();
        Limits { stop: self.stop.clone(), deadline, per_check: None }
    }

    /// Why to give up now.
    pub(crate) fn reached(&self) -> Option<Unknown> {
        if self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Some(Unknown::Interrupted);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Unknown::OutOfTime)
    }
}
