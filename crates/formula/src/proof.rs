//! An independent check of CaDiCaL's refutations.
//!
//! CaDiCaL names, with every clause that it derives, the clauses from which it follows by unit propagation, in order:
//! LRAT, by Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp (CADE 2017); with assumptions and clauses that are
//! added later, as in Fazekas, Pollitt, Fleury and Biere, "Certifying Incremental SAT Solving" (LPAR 2024). [`Proof`]
//! repeats these propagations and does nothing else, so all that it accepts follows from the clauses that we gave.
//!
//! It is simpler than a general checker in two ways. It forgets no clause, so a deletion or a restored
//! clause needs no argument. It refuses steps that keep nothing but satisfiability (RAT): CaDiCaL needs them only for
//! bounded variable addition, which is off.

use cadical_sys::ProofTracer;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use std::cell::RefCell;
use std::rc::Rc;
use thiserror::Error;

/// A clause, as DIMACS numbers.
type Clause = Box<[i32]>;

/// Why a proof is rejected.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ProofError {
    #[error("clause {id} is not one of those that were given: {clause:?}")]
    NotGiven { id: i64, clause: Clause },
    #[error("there are two clauses {id}")]
    Twice { id: i64 },
    #[error("clause {id} is said to follow from clause {from}, which does not exist")]
    Missing { id: i64, from: i64 },
    #[error("clause {id} does not follow from the clauses named: {clause:?}")]
    DoesNotFollow { id: i64, clause: Clause },
    #[error("nothing was concluded")]
    NoConclusion,
    #[error("the conclusion {clause:?} does not refute the assumptions {assumptions:?}")]
    WrongConclusion { clause: Clause, assumptions: Vec<i32> },
}

/// Everything that follows from the given clauses, so far.
#[derive(Default)]
pub struct Proof {
    given: HashSet<Clause, FixedState>,
    /// By the number that the solver gave it.
    clauses: HashMap<i64, Clause, FixedState>,
}

/// Sorted, and without repetitions.
fn normal(clause: &[i32]) -> Clause {
    let mut clause = clause.to_vec();
    clause.sort_unstable();
    clause.dedup();
    clause.into()
}

impl Proof {
    /// We give this clause to the solver.
    pub fn give(&mut self, clause: &[i32]) {
        self.given.insert(normal(clause));
    }

    /// The solver calls a given clause by this number.
    pub fn original(&mut self, id: i64, clause: &[i32]) -> Result<(), ProofError> {
        let clause = normal(clause);
        match self.given.contains(&clause) {
            true => self.add(id, clause),
            false => Err(ProofError::NotGiven { id, clause }),
        }
    }

    /// A clause that the solver took out for a while comes back.
    pub fn restored(&mut self, id: i64, clause: &[i32]) -> Result<(), ProofError> {
        let clause = normal(clause);
        match self.clauses.get(&id) == Some(&clause) {
            true => Ok(()),
            false => Err(ProofError::NotGiven { id, clause }),
        }
    }

    /// A clause that follows from those named, if its literals are false: each of them leaves one literal that must be
    /// true, and the last of them leaves none.
    pub fn derived(&mut self, id: i64, clause: &[i32], from: &[i64]) -> Result<(), ProofError> {
        let clause = normal(clause);
        let mut falsified: HashSet<i32, FixedState> = clause.iter().copied().collect();
        if clause.iter().any(|lit| falsified.contains(&-lit)) {
            return self.add(id, clause);
        }
        for &from in from {
            let premise = self.clauses.get(&from).ok_or(ProofError::Missing { id, from })?;
            let mut left = premise.iter().filter(|lit| !falsified.contains(*lit));
            match (left.next(), left.next()) {
                (None, _) => return self.add(id, clause),
                (Some(unit), None) => falsified.insert(-unit),
                (Some(_), Some(_)) => break,
            };
        }
        Err(ProofError::DoesNotFollow { id, clause })
    }

    fn add(&mut self, id: i64, clause: Clause) -> Result<(), ProofError> {
        match self.clauses.insert(id, clause) {
            None => Ok(()),
            Some(_) => Err(ProofError::Twice { id }),
        }
    }

    /// Does the clause with this number say that these assumptions cannot hold together?
    pub fn refutes(&self, id: i64, assumptions: &[i32]) -> Result<(), ProofError> {
        let clause = self.clauses.get(&id).ok_or(ProofError::NoConclusion)?;
        match clause.iter().all(|lit| assumptions.contains(&-lit)) {
            true => Ok(()),
            false => Err(ProofError::WrongConclusion { clause: clause.clone(), assumptions: assumptions.to_vec() }),
        }
    }
}

/// Follows a solver. Callbacks cannot fail, so the first error waits for [`Checker::refutes`].
#[derive(Default)]
struct Follower {
    proof: Proof,
    wrong: Option<ProofError>,
    /// The clause that the last answer rests on.
    conclusion: Option<i64>,
}

impl Follower {
    fn note(&mut self, result: Result<(), ProofError>) {
        self.wrong = self.wrong.take().or(result.err());
    }
}

impl ProofTracer for Follower {
    fn add_original_clause(&mut self, id: i64, _redundant: bool, clause: &[i32], restored: bool) {
        let result = if restored { self.proof.restored(id, clause) } else { self.proof.original(id, clause) };
        self.note(result);
    }

    fn add_derived_clause(&mut self, id: i64, _redundant: bool, _witness: i32, clause: &[i32], antecedents: &[i64]) {
        let result = self.proof.derived(id, clause, antecedents);
        self.note(result);
    }

    fn add_assumption_clause(&mut self, id: i64, clause: &[i32], antecedents: &[i64]) {
        let result = self.proof.derived(id, clause, antecedents);
        self.note(result);
    }

    fn conclude_unsat(&mut self, _conclusion_type: i32, clause_ids: &[i64]) {
        self.conclusion = clause_ids.last().copied();
    }

    fn solve_query(&mut self) {
        self.conclusion = None;
    }

    fn delete_clause(&mut self, _id: i64, _redundant: bool, _clause: &[i32]) {}
    fn weaken_minus(&mut self, _id: i64, _clause: &[i32]) {}
    fn strengthen(&mut self, _id: i64) {}
    fn finalize_clause(&mut self, _id: i64, _clause: &[i32]) {}
    fn add_assumption(&mut self, _lit: i32) {}
    fn add_constraint(&mut self, _clause: &[i32]) {}
    fn reset_assumptions(&mut self) {}
    fn conclude_sat(&mut self, _conclusion_type: i32, _model: &[i32]) {}
    fn conclude_unknown(&mut self, _trail: &[i32]) {}
}

/// A solver's proof, shared with the solver that reports it.
#[derive(Default)]
pub(crate) struct Checker(Rc<RefCell<Follower>>);

impl Checker {
    /// Connects to a solver that has no clauses yet.
    pub fn connect(solver: &mut cadical_sys::CaDiCal) -> Checker {
        let checker = Checker::default();
        solver.connect_proof_tracer1(Rc::clone(&checker.0), true, false);
        checker
    }

    pub fn give(&self, clause: &[i32]) {
        self.0.borrow_mut().proof.give(clause);
    }

    /// After the solver has concluded: are its steps right so far, and do they refute these assumptions?
    pub fn refutes(&self, assumptions: &[i32]) -> Result<(), ProofError> {
        let follower = self.0.borrow();
        match (&follower.wrong, follower.conclusion) {
            (Some(wrong), _) => Err(wrong.clone()),
            (None, None) => Err(ProofError::NoConclusion),
            (None, Some(id)) => follower.proof.refutes(id, assumptions),
        }
    }
}
