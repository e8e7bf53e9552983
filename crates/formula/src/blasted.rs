//! Our own solver for terms: the bit-blaster and CaDiCaL.
//!
//! Levels are activation literals (Eén and Sörensson 2003): the literal of a level implies everything asserted on that
//! level, and every check assumes it; leaving the level makes the literal false for good.
//! Learnt clauses stay, on whatever level they were learnt. Cores are failed assumptions.
//!
//! Forgetting terms starts a new solver, because CaDiCaL never frees a variable; the clauses of the remaining terms are
//! added again when they are needed. (A literal for each level in every clause would let it drop clauses, but every
//! check would carry all those literals.) The caller therefore has to wait until forgetting pays off.

use crate::blast::Blaster;
use crate::cadical::Cadical;
use crate::limits::Limits;
use crate::sat::{Lit, Sat, Solved};
use crate::solver::{Answer, Cores, Forget, Solver, SolverError, Stack, Theory, Unknown, Work};
use crate::terms::{Term, Terms};
use foldhash::fast::FixedState;
use hashbrown::HashSet;
use std::time::{Duration, Instant};

/// Estimated bytes of a clause, with its share of gates and variables.
const CLAUSE: usize = 64;

/// The last answer, as long as no assertion or level has changed since.
enum Last {
    Nothing,
    Model,
    Core(Vec<Term>),
}

pub struct Blasted {
    blaster: Blaster<Cadical>,
    /// Innermost last.
    levels: Vec<Lit>,
    limits: Limits,
    last: Last,
    time: Duration,
    asserts: bool,
    /// The work of the solvers that this one replaced.
    before: Work,
}

impl Default for Blasted {
    fn default() -> Blasted {
        Blasted::new(Cadical::new())
    }
}

impl Blasted {
    pub const NAME: &str = "cadical";

    pub fn new(solver: Cadical) -> Blasted {
        Blasted {
            blaster: Blaster::new(solver),
            levels: Vec::new(),
            limits: Limits::default(),
            last: Last::Nothing,
            time: Duration::ZERO,
            asserts: false,
            before: Work::default(),
        }
    }

    fn solve(&mut self, terms: &Terms, assumptions: &[Term]) -> Answer {
        let limits = self.limits.of_one_check();
        let lits: Vec<Lit> = assumptions.iter().map(|&t| self.blaster.literal(terms, t)).collect();
        let all: Vec<Lit> = self.levels.iter().chain(&lits).copied().collect();
        self.blaster.solver_mut().set_limits(limits.stop.clone(), limits.deadline);
        match self.blaster.solve(&all) {
            Solved::Sat => {
                self.last = Last::Model;
                Answer::Sat
            }
            Solved::Unsat => {
                // Several terms may share a literal: keep only the first of them.
                let mut failed: HashSet<Lit, FixedState> = self.blaster.failed().into_iter().collect();
                let core = assumptions.iter().zip(&lits).filter(|(_, lit)| failed.remove(*lit)).map(|(&t, _)| t);
                self.last = Last::Core(core.collect());
                Answer::Unsat
            }
            Solved::Interrupted => Answer::Unknown(limits.reached().unwrap_or(Unknown::Interrupted)),
        }
    }
}

impl Solver for Blasted {
    fn name(&self) -> &str {
        Blasted::NAME
    }

    fn theory(&self) -> Theory {
        Theory::BitVectors
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn assert(&mut self, terms: &Terms, t: Term) {
        self.last = Last::Nothing;
        self.asserts = true;
        let lit = self.blaster.literal(terms, t);
        match self.levels.last() {
            Some(&level) => self.blaster.add_clause(&[!level, lit]),
            None => self.blaster.add_clause(&[lit]),
        }
    }

    fn check(&mut self, terms: &Terms, assumptions: &[Term]) -> Result<Answer, SolverError> {
        self.last = Last::Nothing;
        let started = Instant::now();
        let answer = self.solve(terms, assumptions);
        self.time += started.elapsed();
        Ok(answer)
    }

    fn value(&mut self, terms: &Terms, t: Term) -> Result<u128, SolverError> {
        assert!(matches!(self.last, Last::Model), "values are asked for right after Sat");
        Ok(self.blaster.value(terms, t))
    }

    fn work(&self) -> Work {
        let checks = self.before.checks + self.blaster.solver().statistics().solved;
        let size = self.before.size + self.blaster.statistics().clauses;
        Work { checks, time: self.time, size, restarts: 0 }
    }
}

impl Forget for Blasted {
    fn forget(&mut self, _: usize) {
        assert!(!self.asserts && self.levels.is_empty(), "what is asserted cannot be forgotten");
        self.last = Last::Nothing;
        self.before = self.work();
        self.blaster = Blaster::new(Cadical::new());
    }

    fn held(&self) -> usize {
        self.blaster.statistics().clauses * CLAUSE
    }
}

impl Cores for Blasted {
    fn core(&mut self) -> Result<Vec<Term>, SolverError> {
        match &self.last {
            Last::Core(core) => Ok(core.clone()),
            Last::Nothing | Last::Model => panic!("a core is asked for right after Unsat"),
        }
    }
}

impl Stack for Blasted {
    fn push(&mut self) {
        self.last = Last::Nothing;
        let level = self.blaster.fresh();
        self.levels.push(level);
    }

    fn pop(&mut self) {
        self.last = Last::Nothing;
        let level = self.levels.pop().expect("a level to leave");
        self.blaster.add_clause(&[!level]);
    }

    fn depth(&self) -> usize {
        self.levels.len()
    }
}
