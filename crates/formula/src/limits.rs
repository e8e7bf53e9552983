//! Limits at which a solver gives up.

use crate::solver::Unknown;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Unlimited by default.
#[derive(Clone, Default, Debug)]
pub struct Limits {
    /// Set by another thread, after Ctrl-C or when the answer is no longer needed.
    pub stop: Option<Arc<AtomicBool>>,
    /// The deadline of all checks.
    pub deadline: Option<Instant>,
    /// The time for each single check.
    pub per_check: Option<Duration>,
}

impl Limits {
    /// The limits of a check that begins now, with `per_check` turned into a deadline.
    pub(crate) fn of_one_check(&self) -> Limits {
        let own = self.per_check.and_then(|time| Instant::now().checked_add(time));
        let deadline = [self.deadline, own].into_iter().flatten().min();
        Limits { stop: self.stop.clone(), deadline, per_check: None }
    }

    /// The limit that has been reached, if any.
    pub(crate) fn reached(&self) -> Option<Unknown> {
        if self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Some(Unknown::Interrupted);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Unknown::OutOfTime)
    }
}
