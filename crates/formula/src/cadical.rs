//! CaDiCaL, compiled in.
//!
//! Biere, Faller, Fazekas, Fleury, Froleyks, Pollitt, "CaDiCaL 2.0" (CAV 2024). Its inprocessing
//! finds equivalent gates again (congruence closure), which suits circuits with much repetition.
//!
//! The model is copied out when it is found: adding a clause would destroy the solver's own.

use crate::exchange::{Exchange, Member};
use crate::limits::Limits;
use crate::proof::Checker;
use crate::sat::{Lit, Sat, SatStatistics, Solved};
use crate::temperament::Temperament;
use cadical_sys::{CaDiCal, Status, Terminator};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

impl Terminator for Limits {
    fn terminated(&mut self) -> bool {
        self.reached().is_some()
    }
}

/// How many literals it is given before the clock is looked at again.
const AT_ONCE: usize = 1 << 20;

/// The solver. It stays in the thread that made it.
#[derive(Default)]
pub struct Cadical {
    solver: CaDiCal,
    limits: Limits,
    variables: i32,
    /// Clauses that it has not been given yet, each with a 0 at its end: for every new variable it moves all
    /// its tables, unless it is told beforehand how many there will be.
    pending: Vec<i32>,
    /// By variable, from 0.
    model: Vec<bool>,
    failed: Vec<Lit>,
    solved: u64,
    gave_up: bool,
    /// With others that have the same formula.
    exchange: Option<Member>,
    /// Checks every refutation.
    checker: Option<Checker>,
    proofs_checked: u64,
}

impl Cadical {
    /// It does not try its luck first (all variables false, clauses in order, …): our formulas are satisfied
    /// by no such thing, and every question would pay for it; a third of all time was spent so.
    ///
    /// It does not backtrack chronologically: that made chains of conflicts without an end, during which it asks nobody
    /// whether to go on. On formulas of ours it is as fast without.
    pub fn new() -> Cadical {
        let mut cadical = Cadical::default();
        cadical.solver.set("lucky", 0);
        cadical.solver.set("chrono", 0);
        cadical
    }

    /// One that goes about its search in this way.
    pub fn with_temperament(temperament: Temperament) -> Cadical {
        let mut cadical = Cadical::new();
        temperament.give(&mut cadical.solver);
        cadical
    }

    /// A solver that gives up when the flag is set or the time has come.
    pub fn with_limits(stop: Arc<AtomicBool>, deadline: Option<Instant>) -> Cadical {
        let mut solver = Cadical::new();
        solver.set_limits(Some(stop), deadline);
        solver
    }

    /// From the next call of `solve` on.
    pub fn set_limits(&mut self, stop: Option<Arc<AtomicBool>>, deadline: Option<Instant>) {
        self.limits = Limits { stop, deadline, per_check: None };
        self.solver.connect_terminator(self.limits.clone());
    }

    /// It gives up the next question, and only that one, after so many conflicts.
    pub fn limit_next(&mut self, conflicts: Option<u32>) {
        self.gave_up = false;
        self.solver.limit("conflicts", conflicts.map_or(-1, |conflicts| i32::try_from(conflicts).unwrap_or(i32::MAX)));
    }

    /// Has it done so?
    pub fn gave_up(&self) -> bool {
        self.gave_up
    }

    /// The seed of its random choices. Only before the first variable.
    pub fn set_seed(&mut self, seed: u32) {
        assert_eq!(self.variables, 0, "options come before variables");
        self.solver.set("seed", (seed & i32::MAX.cast_unsigned()).cast_signed());
    }

    /// From now on every answer "unsatisfiable" is checked by its proof; what others tell it counts as given. Only before the
    /// first variable.
    pub fn check_proofs(&mut self) {
        assert_eq!(self.variables, 0, "a proof begins with the formula");
        self.checker = Some(Checker::connect(&mut self.solver));
    }

    /// From now on it tells others that have the same formula what it learns, and hears from them. Only before the
    /// first clause.
    pub fn join(&mut self, exchange: &Exchange) {
        assert_eq!(self.variables, 0, "all of the formula is compared");
        let member = Member::new(exchange);
        self.solver.connect_learner(member.ear());
        self.exchange = Some(member);
    }

    /// Adds what follows from the clauses that there are, unless there is no time left.
    pub fn add_lemma(&mut self, clause: &[Lit]) {
        if !self.give_clauses() {
            return;
        }
        let clause: Vec<i32> = clause.iter().map(|lit| lit.dimacs()).collect();
        self.add_to_solver(&clause);
        if let Some(member) = &self.exchange {
            member.tell(&clause);
            member.publish();
        }
    }

    fn leave(&mut self) {
        self.exchange = None;
        self.solver.disconnect_learner();
    }

    fn hear(&mut self) {
        match self.exchange.as_mut().map(Member::hear) {
            None => {}
            Some(None) => self.leave(),
            Some(Some(news)) => {
                for clause in news {
                    self.add_to_solver(&clause);
                }
            }
        }
    }

    /// The value to try first whenever it decides this variable.
    pub fn prefer(&mut self, lit: Lit) {
        self.give_clauses();
        self.solver.phase(lit.dimacs());
    }

    /// Has it all of them now? Not if there was no time: millions take a minute.
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
            && !clauses.iter().all(|lit| member.note(*lit))
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

    /// A wrong refutation would be a wrong "safe".
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
        self.hear();
        for lit in assumptions {
            self.solver.assume(lit.dimacs());
        }
        let status = self.solver.solve();
        match (&self.exchange, status) {
            (None, _) => {}
            (Some(member), Status::SATISFIABLE) => member.forget(),
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
