//! The next segments of threads, as far as they are known from nodes nearby.
//!
//! At every node all threads are tried, but most of what they would do is never followed: they wait, the bound forbids
//! it, or the interleaving need not be looked at. All of this can be told from whether the segment waits and from what
//! it touches. And that is the same on both sides of a segment of another thread on which it does not depend; so it
//! goes down the path when a node is made, and up when it is left. Nor need a thread that can go on be asked whether it
//! waits for ever.

use crate::lazy::encode::{Execution, Footprint, Ways};
use selvedge_formula::{Term, Terms};
use std::rc::Rc;

/// A segment that does not fork, and of which constants decide whether it waits.
pub struct Trial {
    pub waits: bool,
    pub footprint: Footprint,
}

/// By thread.
#[derive(Clone, Default)]
pub struct Trials(Vec<Option<Rc<Trial>>>);

impl Trials {
    pub fn none(threads: usize) -> Trials {
        Trials(vec![None; threads])
    }

    pub fn get(&self, thread: usize) -> Option<Rc<Trial>> {
        self.0[thread].clone()
    }

    /// `is_stuck`: the segment leads to where the thread waits for ever.
    pub fn note(&mut self, thread: usize, execution: &Execution, ways: &Ways, is_stuck: Term) {
        let is_decided = [Terms::TRUE, Terms::FALSE].contains(&execution.enabled) && execution.assumed == Terms::TRUE;
        if is_decided && !ways.has_forks() && is_stuck == Terms::FALSE {
            let waits = execution.enabled == Terms::FALSE;
            self.0[thread] = Some(Rc::new(Trial { waits, footprint: execution.footprint.clone() }));
        }
    }

    /// Is it known that the thread can go on?
    pub fn goes_on(&self, thread: usize) -> bool {
        self.0[thread].as_ref().is_some_and(|trial| !trial.waits)
    }

    /// On the other side of a segment of this thread, or of a flush.
    pub fn across(&self, thread: Option<usize>, footprint: &Footprint) -> Trials {
        let stays = |(other, trial): (usize, &Option<Rc<Trial>>)| {
            trial.clone().filter(|trial| Some(other) != thread && !trial.footprint.depends_on(footprint))
        };
        Trials(self.0.iter().enumerate().map(stays).collect())
    }

    /// Both sides know something.
    pub fn join(&mut self, other: Trials) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine = mine.take().or(theirs);
        }
    }
}
