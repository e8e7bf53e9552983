//! From the evidence of an engine to a counterexample: a schedule that the VM can replay, and the violation at its end.
//!
//! | evidence | way in |
//! |---|---|
//! | a path through states to a violation | [`of_path`] |
//! | a path to a cycle, and the cycle | [`of_lasso`] |
//! | a trail that another tool recorded, to the violation in it | [`of_trail`] |
//! | a solver's model of the events along a run | [`of_model`] |
//!
//! A sequential checker says only how far each thread gets in each turn. A solver makes a model of that first
//! (`symbolic/src/lazy/from_turns.rs`).

mod model;
mod path;

pub use model::{Check, Event, EventKind, Uninitialised, of_model, terms};
pub use path::{Leg, of_lasso, of_path, of_trail};

use selvedge_program::{Finding, Schedule, Violation};

/// A violation and how to get there.
pub struct Counterexample {
    pub schedule: Schedule,
    pub violation: Violation,
}

impl From<Counterexample> for Finding {
    fn from(Counterexample { schedule, violation }: Counterexample) -> Finding {
        Finding::Violation { schedule, violation }
    }
}
