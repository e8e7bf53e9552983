//! The ends of all runs, for comparisons.

use super::node::Node;
use super::run::Event;
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// The globals, as words, wherever the process ends.
    pub finals: BTreeSet<Vec<u64>>,
    /// The runs up to the order of independent steps.
    pub traces: BTreeSet<Vec<u32>>,
}

impl Ledger {
    /// A run is complete.
    pub fn note(&mut self, run: &[Node], has_ended: bool) {
        if has_ended {
            self.finals.extend(run.last().map(|node| node.state.globals.to_vec()));
        }
        self.traces.insert(normal_form(run));
    }

    pub fn join(&mut self, other: Ledger) {
        self.finals.extend(other.finals);
        self.traces.extend(other.traces);
    }
}

/// The normal form of a run, equal for all orders of independent steps.
fn normal_form(run: &[Node]) -> Vec<u32> {
    let mut events: Vec<&Arc<Event>> = run.iter().filter_map(|node| node.current.as_ref()).collect();
    events.sort_by_key(|event| (event.step.thread, event.number));
    let mut words = Vec::new();
    for event in events {
        words.extend([u32::MAX, event.step.thread as u32]);
        words.extend(event.step.choices.iter());
        words.push(u32::MAX);
        words.extend(event.clock.words());
    }
    words
}
