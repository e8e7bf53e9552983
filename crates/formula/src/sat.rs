//! The interface of SAT solvers: the incremental one of Eén and Sörensson, "Temporal Induction by
//! Incremental SAT Solving" (BMC 2003), also known as IPASIR.

use std::fmt;
use std::ops::Not;

/// A variable or its negation, numbered as in DIMACS: from 1, negated ones negative.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(i32);

impl Lit {
    /// The number is neither 0 nor `i32::MIN`.
    pub fn from_dimacs(number: i32) -> Lit {
        assert!(number != 0 && number != i32::MIN, "no literal has the number {number}");
        Lit(number)
    }

    pub fn dimacs(self) -> i32 {
        self.0
    }

    /// The number of the variable, from 1.
    pub fn variable(self) -> usize {
        self.0.unsigned_abs() as usize
    }

    pub fn is_negated(self) -> bool {
        self.0 < 0
    }

    /// The negated literal if `negate` holds.
    pub fn negated_if(self, negate: bool) -> Lit {
        if negate { !self } else { self }
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A solver's answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Solved {
    Sat,
    Unsat,
    /// Stopped by a limit, without an answer.
    Interrupted,
}

/// Counters of a solver's work so far.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct SatStatistics {
    pub solved: u64,
    pub conflicts: u64,
    pub decisions: u64,
    pub propagations: u64,
    /// Answers "unsatisfiable" whose proof was checked.
    pub proofs_checked: u64,
}

/// An incremental SAT solver: clauses stay, assumptions hold for one call of `solve`.
pub trait Sat {
    /// The positive literal of a new variable.
    fn new_var(&mut self) -> Lit;

    fn add_clause(&mut self, clause: &[Lit]);

    fn solve(&mut self, assumptions: &[Lit]) -> Solved;

    /// The value in the last model. Only after `Solved::Sat`, but also when clauses were added since.
    fn value(&self, lit: Lit) -> bool;

    /// Assumptions of the last call that cannot hold together, in the order they were given; none
    /// if the clauses alone are unsatisfiable. Only after `Solved::Unsat`.
    fn failed(&self) -> Vec<Lit>;

    fn statistics(&self) -> SatStatistics;
}
