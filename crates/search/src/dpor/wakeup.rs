//! Wake-up trees: the continuations of a run that have to be explored, as sequences of steps that share prefixes.
//!
//! A branch that is a leaf stands for everything that can follow. So a sequence that a leaf is an initial part of, up
//! to the order of independent steps, need not be added.

use super::step::{Initial, Step};

#[derive(Debug)]
pub struct Branch {
    pub step: Step,
    pub then: Tree,
}

/// The branches in the order in which they are explored.
#[derive(Debug, Default)]
pub struct Tree {
    branches: std::collections::VecDeque<Branch>,
}

impl Tree {
    pub fn is_empty(&self) -> bool {
        self.branches.is_empty()
    }

    /// The number of branches at its root.
    pub fn width(&self) -> usize {
        self.branches.len()
    }

    pub fn pop(&mut self) -> Option<Branch> {
        self.branches.pop_front()
    }

    /// Is this the first step of a branch?
    pub fn begins_with(&self, step: &Step) -> bool {
        self.branches.iter().any(|branch| branch.step.is_same(step.thread, &step.choices))
    }

    pub fn push_leaf(&mut self, step: Step) {
        self.branches.push_back(Branch { step, then: Tree::default() });
    }

    /// Adds a sequence, unless it is covered by what is there. (*insert* of the paper.)
    pub fn insert(&mut self, mut sequence: Vec<Step>) {
        for branch in &mut self.branches {
            match branch.step.initial(&sequence) {
                Initial::No => continue,
                Initial::Apart => {}
                Initial::At(at) => {
                    sequence.remove(at);
                }
            }
            if !sequence.is_empty() && !branch.then.is_empty() {
                branch.then.insert(sequence);
            }
            return;
        }
        self.append(sequence);
    }

    fn append(&mut self, sequence: Vec<Step>) {
        let mut tree = Tree::default();
        for step in sequence.into_iter().rev() {
            tree = Tree { branches: [Branch { step, then: tree }].into() };
        }
        self.branches.append(&mut tree.branches);
    }

    /// Is every sequence covered that begins with these steps and goes on with an unknown one?
    pub fn covers(&self, known: &[Step]) -> bool {
        for branch in &self.branches {
            match branch.step.initial(known) {
                Initial::No => continue,
                // Whether it goes with the unknown step is open.
                Initial::Apart => return false,
                Initial::At(_) if branch.then.is_empty() => return true,
                Initial::At(at) => {
                    let mut rest = known.to_vec();
                    rest.remove(at);
                    return branch.then.covers(&rest);
                }
            }
        }
        false
    }
}
