//! The engines, and what they have in common.
//!
//! An engine looks at a [`Program`] and says what it found; it never talks to the user. How to turn
//! its [`Finding`] into a [`Verdict`] is written once, in [`judge`].

pub mod auto;
pub mod bounding;
pub mod control;
mod counterexample;
pub mod ends;
pub mod explicit;
pub mod judge;
pub mod lazy;
pub mod ltl;
pub mod outside;
pub mod spin;
mod superstep;
mod telling;
pub mod tree;
pub mod watchdog;

pub use control::{Control, Disk, Level, Progress};
pub use judge::{Claim, InternalError, Judgement, judge};

use selvedge_program::{Bounds, Finding, Program, Properties, Scope};
use selvedge_vm::watch;
use serde::{Deserialize, Serialize, Serializer};
use std::time::Instant;

/// Whose intervals say how many bits values need.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Narrowing {
    /// Nobody's: all that C declares.
    None,
    #[default]
    Own,
    /// Those of Frama-C's Eva on the sequential program, for the number of rounds that is asked for.
    FramaC,
}

/// What is asked of an engine.
#[derive(Clone, Debug)]
pub struct Task {
    pub properties: Properties,
    pub bounds: Bounds,
    /// For everything that is drawn at random.
    pub seed: u64,
    /// An input with more values than this is not enumerated.
    pub max_input_values: u64,
    /// For comparison: values get the bits of their types in formulas, whatever they may be.
    pub narrowing: Narrowing,
    /// The lazy engine looks for what is wrong in few schedules first, and then in more.
    pub widen: bool,
    /// The lazy engine has every refutation of CaDiCaL checked by its proof.
    pub check_proofs: bool,
}

impl Default for Task {
    fn default() -> Task {
        Task {
            properties: Properties::default(),
            bounds: Bounds::default(),
            seed: 0,
            max_input_values: 256,
            narrowing: Narrowing::Own,
            widen: false,
            check_proofs: false,
        }
    }
}

/// Numbers about a run. Those that an engine does not have stay zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Statistics {
    pub states: u64,
    pub transitions: u64,
    pub states_per_second: u64,
    /// Bytes.
    pub peak_memory: u64,
    /// The size of the file for waiting states, in bytes.
    #[serde(skip_serializing_if = "is_zero")]
    pub on_disk: u64,
    pub seconds: f64,
    /// With a violation: the preemptions of its run, of which there are no fewer in any. Without: the
    /// number of preemptions up to which every run was searched, if a search got that far.
    pub preemptions: Option<u32>,
    /// Searches begun anew because more turned out to be shared than was assumed.
    pub restarts: u32,
    /// Of the largest formula: its size.
    pub variables: u64,
    pub clauses: u64,
    /// The bits of all values that steps give, in all rounds, and those that their ranges leave open.
    pub bits: u64,
    pub bits_needed: u64,
    /// Context-switch points of that formula.
    pub switch_points: u64,
    /// How they became so few: the points left after each reduction, in order. A name completes
    /// "31 …": "accesses", "shared", "after locks".
    #[serde(serialize_with = "reductions")]
    pub reductions: Vec<(String, u64)>,
    /// Of `seconds`, those that an outside checker took.
    pub outside_seconds: f64,
    /// Questions about all schedules at once, or about more and more of them.
    #[serde(skip_serializing_if = "is_zero")]
    pub iterations: u64,
    /// Refutations of CaDiCaL whose proofs were checked.
    #[serde(skip_serializing_if = "is_zero")]
    pub proofs_checked: u64,
    /// Of the tree engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interleavings: Option<Interleavings>,
}

impl Statistics {
    /// Those of work that was left behind: what it had told.
    fn so_far(progress: &Progress, started: Instant) -> Statistics {
        let mut statistics = Statistics {
            states: progress.states,
            transitions: progress.transitions,
            peak_memory: progress.memory,
            variables: progress.variables,
            clauses: progress.clauses,
            ..Statistics::default()
        };
        statistics.take_time(started);
        statistics
    }

    /// The time since then, and what that makes of the states.
    fn take_time(&mut self, started: Instant) {
        self.seconds = started.elapsed().as_secs_f64();
        self.states_per_second = (self.states as f64 / self.seconds.max(1e-6)) as u64;
    }
}

/// Numbers about a tree of interleavings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Interleavings {
    /// Of the last tree: its leaves, and how many of them go wrong.
    pub generated: u64,
    pub failed: u64,
    /// Of all trees.
    pub nodes: u64,
    pub solver_calls: u64,
    /// Terms at a time: all, and those that the open path needs.
    pub most_terms: u64,
    pub most_needed: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn reductions<S: Serializer>(reductions: &[(String, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Reduction<'a> {
        name: &'a str,
        switch_points: u64,
    }
    serializer.collect_seq(reductions.iter().map(|(name, left)| Reduction { name, switch_points: *left }))
}

/// A finding with its numbers.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub finding: Finding,
    pub statistics: Statistics,
    /// The engine whose answer it is.
    pub by: &'static str,
}

/// A way to check programs.
pub trait Engine: Send + Sync {
    /// As the user names it: `--engine NAME`.
    fn name(&self) -> &'static str;

    /// All it looks for.
    fn scope(&self) -> Scope;

    /// Looks for a violation of what is in its scope. Returns soon after `control` says stop.
    fn search(&self, program: &Program, task: &Task, control: &Control) -> Outcome;

    /// Searches; what is asked and not in scope limits the finding.
    fn check(&self, program: &Program, task: &Task, control: &Control) -> Outcome {
        let Outcome { finding, statistics, by } = self.search(program, task, control);
        Outcome { finding: judge::in_scope(self.scope(), program, task.properties, finding), statistics, by }
    }
}
