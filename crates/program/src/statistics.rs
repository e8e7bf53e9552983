//! Numbers about a search, for reports.

use serde::{Serialize, Serializer};
use std::time::Instant;

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
    /// The size of the largest formula.
    pub variables: u64,
    pub clauses: u64,
    /// The bits of all values that steps give, in all rounds, and those that their ranges leave open.
    pub bits: u64,
    pub bits_needed: u64,
    /// Context-switch points of that formula.
    pub switch_points: u64,
    /// The points left after each reduction, in order. A name completes
    /// "31 …": "accesses", "shared", "after locks".
    #[serde(serialize_with = "reductions")]
    pub reductions: Vec<(String, u64)>,
    /// The part of `seconds` that an outside checker took.
    pub outside_seconds: f64,
    /// Complete runs, if runs are explored one by one, and those that turned out to be explored already.
    #[serde(skip_serializing_if = "is_zero")]
    pub runs: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub runs_in_vain: u64,
    /// Questions about all schedules at once, or about more and more of them.
    #[serde(skip_serializing_if = "is_zero")]
    pub iterations: u64,
    /// Refutations of CaDiCaL whose proofs were checked.
    #[serde(skip_serializing_if = "is_zero")]
    pub proofs_checked: u64,
    /// Counts of the tree engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interleavings: Option<Interleavings>,
    /// Counts of random walks, if there were any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub walked: Option<Walked>,
}

impl Statistics {
    /// The time since then, and what that makes of the states.
    pub fn take_time(&mut self, started: Instant) {
        self.seconds = started.elapsed().as_secs_f64();
        self.states_per_second = (self.states as f64 / self.seconds.max(1e-6)) as u64;
    }
}

/// Numbers about random walks: what they visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Walked {
    pub runs: u64,
    /// Steps of all runs, and of the longest.
    pub steps: u64,
    pub longest: u64,
    /// Different switches: pairs of a place where a thread was left and one where another went on.
    pub switches: u64,
}

/// Numbers about a tree of interleavings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Interleavings {
    /// The leaves of the last tree, and how many of them fail.
    pub generated: u64,
    pub failed: u64,
    /// Totals over all trees.
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
