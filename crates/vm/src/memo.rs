//! What a function that observes has said before, and when it would say the same again.
//!
//! The function is deterministic, so the place that it reads first is always the same; the value found there
//! decides which is the next, and so on to the answer. The answers so far make a tree of such questions.
//! In another state the tree is walked by reading these few places; only where it ends without an answer, because
//! something that the function reads holds a value that it has never held before, the function runs again.

use crate::machine::Machine;
use crate::observe::{Answer, Observation, Read, Writes};
use crate::oracle::Oracle;
use selvedge_program::{Observer, Reason};
use std::collections::HashMap;

pub struct Memo {
    observer: Observer,
    writes: Writes,
    nodes: Vec<Node>,
    /// The last answer that no memory holds.
    fresh: Answer,
    /// How often the function was run.
    pub runs: u64,
}

enum Node {
    Unknown,
    Ask { read: Read, then: HashMap<u64, usize> },
    Known(Answer),
}

impl Memo {
    pub fn new(observer: &Observer, writes: Writes) -> Memo {
        Memo { observer: observer.clone(), writes, nodes: vec![Node::Unknown], fresh: Answer::default(), runs: 0 }
    }

    pub fn name(&self) -> &str {
        &self.observer.name
    }

    /// What the function says about the machine's state. Places that it reads are watched from now on, unless it is an
    /// abstraction.
    pub fn ask<O: Oracle>(&mut self, machine: &mut Machine<'_, O>) -> Result<&Answer, Reason> {
        if let Some(found) = self.find(machine) {
            let Node::Known(answer) = &self.nodes[found] else { return Ok(&self.fresh) };
            return Ok(answer);
        }
        self.runs += 1;
        let Observation { answer, reads, is_open } = machine.observe(&self.observer, self.writes)?;
        // An abstraction is asked when a state is stored, and needs no more states than there are.
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

    /// The node behind these questions and answers.
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
