//! A cache of an observer's answers, as a decision tree over the memory that it reads.
//!
//! The function is deterministic, so the place that it reads first is always the same; the value found there
//! decides which is the next, and so on to the answer. The answers so far form a tree of such reads.
//! In another state the tree is walked by reading these few places; the function runs again only where the tree ends
//! without an answer, because a place that it reads holds a value not seen before.

use crate::machine::Machine;
use crate::observe::{Observation, ObserverAnswer, Read, Writes};
use crate::oracle::Oracle;
use selvedge_program::{Observer, Reason};
use std::collections::HashMap;

pub struct ObserverCache {
    observer: Observer,
    writes: Writes,
    nodes: Vec<Node>,
    /// The last answer that was not cached, because it depends on open inputs.
    fresh: ObserverAnswer,
    /// The number of times that the function was run.
    pub runs: u64,
}

enum Node {
    Unknown,
    Ask { read: Read, then: HashMap<u64, usize> },
    Known(ObserverAnswer),
}

impl ObserverCache {
    pub fn new(observer: &Observer, writes: Writes) -> ObserverCache {
        ObserverCache {
            observer: observer.clone(),
            writes,
            nodes: vec![Node::Unknown],
            fresh: ObserverAnswer::default(),
            runs: 0,
        }
    }

    pub fn name(&self) -> &str {
        &self.observer.name
    }

    /// The function's answer in the machine's state. Places that it reads are watched from now on, unless it is an
    /// abstraction.
    pub fn ask<O: Oracle>(&mut self, machine: &mut Machine<'_, O>) -> Result<&ObserverAnswer, Reason> {
        if let Some(found) = self.find(machine) {
            let Node::Known(answer) = &self.nodes[found] else { return Ok(&self.fresh) };
            return Ok(answer);
        }
        self.runs += 1;
        let Observation { answer, reads, is_open } = machine.observe(&self.observer, self.writes)?;
        // An abstraction is evaluated when a state is stored anyway: its reads need no further states.
        for read in reads.iter().filter(|_| self.writes == Writes::Never) {
            machine.sharing.watch(read.spot, read.bytes);
        }
        if is_open {
            self.fresh = answer;
            return Ok(&self.fresh);
        }
        let node = self.insert(reads);
        self.nodes[node] = Node::Known(answer);
        match &self.nodes[node] {
            Node::Known(answer) => Ok(answer),
            _ => Ok(&self.fresh),
        }
    }

    fn find<O: Oracle>(&self, machine: &Machine<'_, O>) -> Option<usize> {
        let mut at = 0;
        loop {
            match &self.nodes[at] {
                Node::Unknown => return None,
                Node::Known(_) => return Some(at),
                Node::Ask { read, then } => at = *then.get(&machine.peek(read)?)?,
            }
        }
    }

    /// The node reached by these reads and their values; it is created if necessary.
    fn insert(&mut self, reads: Vec<Read>) -> usize {
        let mut at = 0;
        for read in reads {
            let next = self.nodes.len();
            if let Node::Unknown = self.nodes[at] {
                self.nodes[at] = Node::Ask { read, then: HashMap::new() };
            }
            let Node::Ask { then, .. } = &mut self.nodes[at] else { break };
            let to = *then.entry(read.value).or_insert(next);
            if to == next {
                self.nodes.push(Node::Unknown);
            }
            at = to;
        }
        at
    }
}
