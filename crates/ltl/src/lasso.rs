//! Ultimately periodic runs, and whether a formula holds on one: the definition of LTL, as directly as it can
//! be written. Automata are tested against it, and counterexamples are checked with it.

use crate::formula::Formula;

/// The propositions that hold at a moment, as bits.
pub type Letter = u64;

/// The prefix once, then the cycle for ever. The cycle is not empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    pub prefix: Vec<Letter>,
    pub cycle: Vec<Letter>,
}

impl Lasso {
    /// The number of different moments.
    pub fn len(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn letter(&self, at: usize) -> Letter {
        *self.prefix.get(at).unwrap_or_else(|| &self.cycle[at - self.prefix.len()])
    }

    /// The moment after this one.
    pub fn next(&self, at: usize) -> usize {
        if at + 1 == self.len() { self.prefix.len() } else { at + 1 }
    }

    /// Whether the formula holds of the run, from its beginning.
    pub fn satisfies(&self, formula: &Formula) -> bool {
        self.truth(formula)[0]
    }

    /// For each moment, whether the formula holds.
    fn truth(&self, formula: &Formula) -> Vec<bool> {
        let moments = 0..self.len();
        match formula {
            Formula::Const(value) => vec![*value; self.len()],
            Formula::Literal { atom, holds } => {
                moments.map(|at| (self.letter(at) >> atom & 1 == 1) == *holds).collect()
            }
            Formula::And(one, other) => pairwise(self.truth(one), self.truth(other), |a, b| a && b),
            Formula::Or(one, other) => pairwise(self.truth(one), self.truth(other), |a, b| a || b),
            Formula::Next(of) => {
                let of = self.truth(of);
                moments.map(|at| of[self.next(at)]).collect()
            }
            // The least fixed point of: goal, or left and this in the next moment.
            Formula::Until(left, goal) => {
                let (left, goal) = (self.truth(left), self.truth(goal));
                self.solve(false, |at, next| goal[at] || left[at] && next)
            }
            // The greatest fixed point of: kept, and left or this in the next moment.
            Formula::Release(left, kept) => {
                let (left, kept) = (self.truth(left), self.truth(kept));
                self.solve(true, |at, next| kept[at] && (left[at] || next))
            }
        }
    }

    fn solve(&self, start: bool, rule: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut truth = vec![start; self.len()];
        loop {
            let before = truth.clone();
            for at in (0..self.len()).rev() {
                truth[at] = rule(at, truth[self.next(at)]);
            }
            if truth == before {
                return truth;
            }
        }
    }
}

fn pairwise(one: Vec<bool>, other: Vec<bool>, both: impl Fn(bool, bool) -> bool) -> Vec<bool> {
    one.into_iter().zip(other).map(|(a, b)| both(a, b)).collect()
}
