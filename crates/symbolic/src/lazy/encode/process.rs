//! The process and its threads: which exist, which have ended, which wait for ever.

use super::probe::WaitsFor;
use selvedge_formula::{Term, Terms};

#[derive(Clone)]
pub struct Process {
    pub threads: Vec<Life>,
    pub exited: Term,
}

/// The life of a thread so far.
#[derive(Clone)]
pub struct Life {
    pub created: Term,
    pub finished: Term,
    /// It waits for ever, whatever the others do.
    pub stuck: Term,
    /// The threads that it waits for then.
    pub stuck_for: Vec<WaitsFor>,
    pub args: Vec<Term>,
}

impl Process {
    /// Only main exists.
    pub fn new(threads: usize) -> Process {
        let life = |number| Life {
            created: if number == 0 { Terms::TRUE } else { Terms::FALSE },
            finished: Terms::FALSE,
            stuck: Terms::FALSE,
            stuck_for: Vec::new(),
            args: Vec::new(),
        };
        Process { threads: (0..threads).map(life).collect(), exited: Terms::FALSE }
    }
}
