//! The interface between the command and its engines: tasks, limits, and findings that become verdicts.
//!
//! An engine searches a [`Program`] and returns a [`Finding`]; it never talks to the user. [`conclude`] is the only
//! place that turns a finding into a verdict.
//!
//! | module | what it holds |
//! |---|---|
//! | [`control`] | limits of time and memory, interrupts, progress |
//! | [`watchdog`] | work that ends in time even if it does not look at its limits |
//! | [`verdict`] | from a finding to a verdict: the replay, what limits it, what it assumes |
//! | [`counterexample`] | from the evidence of an engine to a schedule |
//! | [`instances`] | the results of a search that is split into instances |

pub mod control;
pub mod counterexample;
pub mod instances;
pub mod verdict;
pub mod watchdog;

pub use control::{Control, Disk, Level, Progress};
pub use verdict::{Conclusion, conclude};

use selvedge_program::{Bounds, Finding, Program, Properties, Reason, Scope, Statistics};
use std::time::Instant;

/// The number of values of an input that are enumerated by default.
pub const MAX_INPUT_VALUES: u64 = 256;

/// The question to an engine. Code that makes one from a user's question names every field.
#[derive(Clone, Debug)]
pub struct Task {
    pub properties: Properties,
    pub bounds: Bounds,
    /// The seed of everything that is drawn at random.
    pub seed: u64,
    /// An input with more values than this is not enumerated.
    pub max_input_values: u64,
}

impl Default for Task {
    fn default() -> Task {
        Task {
            properties: Properties::default(),
            bounds: Bounds::default(),
            seed: 0,
            max_input_values: MAX_INPUT_VALUES,
        }
    }
}

/// A finding with its numbers.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub finding: Finding,
    pub statistics: Statistics,
    /// The engine whose answer it is.
    pub by: &'static str,
}

impl Outcome {
    /// The outcome of a search that counts as it goes; the time it takes is counted here.
    pub fn of(by: &'static str, search: impl FnOnce(&mut Statistics) -> Result<Finding, Reason>) -> Outcome {
        let started = Instant::now();
        let mut statistics = Statistics::default();
        let finding = search(&mut statistics).unwrap_or_else(Finding::GaveUp);
        statistics.take_time(started);
        Outcome { finding, statistics, by }
    }
}

/// A way to check programs.
pub trait Engine: Send + Sync {
    /// As the user names it: `--engine NAME`.
    fn name(&self) -> &'static str;

    /// Everything that it looks for.
    fn scope(&self) -> Scope;

    /// Looks for a violation of what is in its scope. Returns soon after `control` says stop.
    fn search(&self, program: &Program, task: &Task, control: &Control) -> Outcome;

    /// Searches, if anything that is asked is in scope; what is not limits the finding.
    fn check(&self, program: &Program, task: &Task, control: &Control) -> Outcome {
        let asked = task.properties;
        if !asked.is_empty() && asked.without(self.scope().properties) == asked {
            let reason = Reason::NotLookedFor { properties: asked.iter().collect() };
            return Outcome { finding: Finding::GaveUp(reason), statistics: Statistics::default(), by: self.name() };
        }
        let Outcome { finding, statistics, by } = self.search(program, task, control);
        Outcome { finding: verdict::in_scope(self.scope(), program, task.properties, finding), statistics, by }
    }
}
