//! CaDiCaL, compiled in.
//!
//! Biere, Faller, Fazekas, Fleury, Froleyks, Pollitt, "CaDiCaL 2.0" (CAV 2024). Its inprocessing
//! finds equivalent gates again (congruence closure), which suits circuits with much repetition.
//!
//! The model is copied out when it is found: adding a clause would destroy the solver's own.

use crate::exchange::{Exchange, Member};
use crate::limits::Limits;
use crate::profile::SolverProfile;
use crate::proof::Checker;
use crate::sat::{Lit, Sat, SatStatistics, Solved};
use cadical_sys::{CaDiCal, Status, Terminator};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

impl Terminator for Limits {
    fn terminated(&mut self) -> bool {
        self.reached().is_some()
    }
}

/// How many literals are added between two checks of the time limit.
const AT_ONCE: usize = 1 << 20;

/// The solver. It stays on the thread that created it.
#[derive(Default)]
pub struct Cadical {
    solver: CaDiCal,
    limits: Limits,
    variables: i32,
    /// Clauses not yet added to the solver, each terminated by 0. They are added in batches because CaDiCaL moves all
    /// its tables for every new variable unless it knows the number of variables beforehand.
    pending: Vec<i32>,
    /// By variable, from 0.
    model: Vec<bool>,
    failed: Vec<Lit>,
    solved: u64,
    gave_up: bool,
    /// The exchange with solvers of the same formula.
    exchange: Option<Member>,
    /// Checks every refutation.
    checker: Option<Checker>,
    proofs_checked: u64,
}

impl Cadical {
    /// "Lucky" assignments (all variables false, clauses in order, …) are not tried first: they never satisfy our
    /// formulas, every check would pay for them, and they took a third of the total time.
    ///
    /// Chronological backtracking is off: it led to endless chains of conflicts, during which CaDiCaL does not call the
    /// terminator. Our formulas are solved as fast without it.
    pub fn new() -> Cadical {
        let mut cadical = Cadical::default();
        cadical.solver.set("lucky", 0);
        cadical.solver.set("chrono", 0);
        cadical
    }

    /// A solver that searches according to a profile.
    pub fn with_profile(profile: SolverProfile) -> Cadical {
        let mut cadical = Cadical::new();
        profile.apply(&mut cadical.solver);
        cadical
    }

    /// A solver that gives up when the flag is set or the deadline has passed.
    pub fn with_limits(stop: Arc<AtomicBool>, deadline: Option<Instant>) -> Cadical {
        let mut solver = Cadical::new();
        solver.set_limits(Some(stop), deadline);
        solver
    }

    /// Takes effect at the next call of `solve`.
    pub fn set_limits(&mut self, stop: Option<Arc<AtomicBool>>, deadline: Option<Instant>) {
        self.limits = Limits { stop, deadline, per_check: None };
        self.solver.connect_terminator(self.limits.clone());
    }

    /// Limits the number of conflicts in the next call of `solve`, and only in that one.
    pub fn limit_next(&mut self, conflicts: Option<u32>) {
        self.gave_up = false;
        self.solver.limit("conflicts", conflicts.map_or(-1, |conflicts| i32::try_from(conflicts).unwrap_or(i32::MAX)));
    }

    /// Whether the last call of `solve` ended because of [`Cadical::limit_next`].
    pub fn gave_up(&self) -> bool {
        self.gave_up
    }

    /// From now on every answer "unsatisfiable" is checked by its proof, in which clauses from the exchange count as
    /// given. To be called before the first variable.
    pub fn check_proofs(&mut self) {
        assert_eq!(self.variables, 0, "a proof begins with the formula");
        self.checker = Some(Checker::connect(&mut self.solver));
    }

    /// From now on the solver exchanges learnt clauses with solvers of the same formula. To be called before the first
    /// variable.
    pub fn join(&mut self, exchange: &Exchange) {
        assert_eq!(self.variables, 0, "all of the formula is compared");
        let member = Member::new(exchange);
        self.solver.connect_learner(member.listener());
        self.exchange = Some(member);
    }

    /// Adds a clause that follows from the others, unless the time limit has been reached.
    pub fn add_lemma(&mut self, clause: &[Lit]) {
        if !self.give_clauses() {
            return;
        }
        let clause: Vec<i32> = clause.iter().map(|lit| lit.dimacs()).collect();
        self.add_to_solver(&clause);
        if let Some(member) = &self.exchange {
            member.share(&clause);
            member.publish();
        }
    }

    fn leave(&mut self) {
        self.exchange = None;
        self.solver.disconnect_learner();
    }

    fn receive(&mut self) {
        match self.exchange.as_mut().map(Member::receive) {
            None => {}
            Some(None) => self.leave(),
            Some(Some(clauses)) => {
                for clause in clauses {
                    self.add_to_solver(&clause);
                }
            }
        }
    }

    /// Sets the value to try first whenever the solver decides this variable.
    pub fn prefer(&mut self, lit: Lit) {
        self.give_clauses();
        self.solver.phase(lit.dimacs());
    }

    /// Adds the pending clauses. Returns whether all of them were added before the time limit: millions take a minute.
    fn give_clauses(&mut self) -> bool {
        if self.pending.is_empty() {
            return true;
        }
        self.solver.resize(self.variables);
        let mut pending = std::mem::take(&mut self.pending);
        let mut left = pending.as_slice();
        while !left.is_empty() && self.limits.reached().is_none() {
            let about = left.len().min(AT_ONCE);
            let end = left[about - 1..].iter().position(|lit| *lit == 0).map_or(left.len(), |zero| about + zero);
            let (now, later) = left.split_at(end);
            self.give(now);
            left = later;
        }
        let given = pending.len() - left.len();
        pending.drain(..given);
        self.pending = pending;
        self.pending.is_empty()
    }

    fn give(&mut self, clauses: &[i32]) {
        if let Some(member) = &mut self.exchange
            && !member.note_given(clauses)
        {
            self.leave();
        }
        clauses.split_inclusive(|lit| *lit == 0).for_each(|clause| self.add_to_solver(&clause[..clause.len() - 1]));
    }

    fn add_to_solver(&mut self, clause: &[i32]) {
        if let Some(checker) = &self.checker {
            checker.give(clause);
        }
        clause.iter().chain([&0]).for_each(|lit| self.solver.add(*lit));
    }

    /// Checks the proof of the last answer: a wrong refutation would become a wrong "safe".
    fn check_refutation(&mut self) {
        if let Some(checker) = &self.checker {
            self.solver.conclude();
            let failed: Vec<i32> = self.failed.iter().map(|lit| lit.dimacs()).collect();
            if let Err(error) = checker.refutes(&failed) {
                panic!("CaDiCaL's proof is wrong: {error}");
            }
            self.proofs_checked += 1;
        }
    }

    /// Name and version.
    pub fn signature() -> String {
        CaDiCal::signature()
    }

    fn count(&self, name: &str) -> u64 {
        u64::try_from(self.solver.get_statistic_value(name)).unwrap_or(0)
    }
}

impl Sat for Cadical {
    fn new_var(&mut self) -> Lit {
        self.variables = self.variables.checked_add(1).expect("fewer than 2^31 variables");
        Lit::from_dimacs(self.variables)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.pending.extend(clause.iter().map(|lit| lit.dimacs()));
        self.pending.push(0);
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Solved {
        self.solved += 1;
        if self.limits.reached().is_some() {
            return Solved::Interrupted;
        }
        if !self.give_clauses() {
            return Solved::Interrupted;
        }
        self.receive();
        for lit in assumptions {
            self.solver.assume(lit.dimacs());
        }
        let status = self.solver.solve();
        match (&self.exchange, status) {
            (None, _) => {}
            (Some(member), Status::SATISFIABLE) => member.discard(),
            (Some(member), Status::UNSATISFIABLE | Status::UNKNOWN) => member.publish(),
        }
        match status {
            Status::SATISFIABLE => {
                self.model = (1..=self.variables).map(|variable| self.solver.val(variable) > 0).collect();
                Solved::Sat
            }
            Status::UNSATISFIABLE => {
                let mut failed = assumptions.to_vec();
                failed.retain(|lit| self.solver.failed(lit.dimacs()));
                self.failed = failed;
                self.check_refutation();
                Solved::Unsat
            }
            Status::UNKNOWN => {
                self.gave_up = self.limits.reached().is_none();
                Solved::Interrupted
            }
        }
    }

    fn value(&self, lit: Lit) -> bool {
        self.model.get(lit.variable() - 1).is_some_and(|&value| value) != lit.is_negated()
    }

    fn failed(&self) -> Vec<Lit> {
        self.failed.clone()
    }

    fn statistics(&self) -> SatStatistics {
        SatStatistics {
            solved: self.solved,
            conflicts: self.count("conflicts"),
            decisions: self.count("decisions"),
            propagations: self.count("propagations"),
            proofs_checked: self.proofs_checked,
        }
    }
}
