//! Horn clauses with thread-modular invariants.
//!
//! Every place of a thread, at level 2 also every pair of places, has an unknown predicate; the rules of `rules.rs` are
//! clauses about them, and a solver finds the predicates (Gupta, Popeea, Rybalchenko: Threader, CAV 2011; Hoenicke,
//! Majumdar, Podelski: Thread modularity at many levels, POPL 2017). `clauses.rs` makes them small with what
//! `houdini.rs` has found before: a statement that is known to hold is a constraint of every clause, and clauses whose
//! constraints contradict each other are left out. Static locksets are such statements: two threads that both own a
//! lock do not disturb each other.
//!
//! There are several encodings: predicates for places or the program counter as an argument; integers or bits; with
//! Spacer's global guidance (Hari Govind, Chen, Shoham, Gurfinkel, CAV 2020), which z3 has since 4.8.13, or without.
//! `search.rs` tries them in turns.
//!
//! A refutation at a level is no bug: the next level is tried.

mod clauses;

pub use clauses::{Layout, Problem};

use crate::check::{Refuted, check};
use crate::houdini::{Statements, houdini, invariant};
use crate::invariant::Invariant;
use crate::system::System;
use clauses::Encoded;
use selvedge_engine::Control;
use selvedge_formula::smt::horn::{HornAnswer, Interpretation, Question};
use selvedge_formula::{Limits, SolverError, Theory, Unknown};
use std::time::{Duration, Instant};

/// One way to ask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variant {
    pub layout: Layout,
    pub theory: Theory,
    /// Spacer's global guidance.
    pub global: bool,
}

pub const VARIANTS: [Variant; 5] = [
    Variant { layout: Layout::Places, theory: Theory::Integers, global: true },
    Variant { layout: Layout::Places, theory: Theory::Integers, global: false },
    Variant { layout: Layout::Counter, theory: Theory::Integers, global: true },
    Variant { layout: Layout::Counter, theory: Theory::Integers, global: false },
    Variant { layout: Layout::Places, theory: Theory::BitVectors, global: false },
];

/// The outcome of one query.
#[derive(Debug)]
pub enum Asked {
    /// An invariant that was checked.
    Proved(Box<Invariant>),
    /// Nothing that speaks of so few threads is enough.
    Refuted,
    /// This variant will not do, however long it is asked.
    GaveUp,
    /// There was no time.
    Unknown,
    /// There is no solver, or it does not work.
    NoSolver(SolverError),
}

impl Problem {
    /// Asks a solver about one variant. What is returned was checked.
    pub fn ask(&self, system: &mut System, variant: Variant, solver: &str, time: Duration, control: &Control) -> Asked {
        let encoded = self.encode(system, variant.layout);
        match encoded.clauses.solve(&system.terms, &question(solver, variant, time, control)) {
            Ok(HornAnswer::Solved(found)) => match believed(system, self, &encoded, &found, control) {
                Some(invariant) => Asked::Proved(Box::new(invariant)),
                None => Asked::GaveUp,
            },
            // Values that linear arithmetic cannot express are any values; bits are exact.
            Ok(HornAnswer::Refuted) if variant.theory == Theory::BitVectors || !encoded.is_approximate => {
                Asked::Refuted
            }
            Ok(HornAnswer::Refuted | HornAnswer::Unknown(Unknown::GaveUp(_))) => Asked::GaveUp,
            Ok(HornAnswer::Unknown(_)) => Asked::Unknown,
            Err(error @ (SolverError::NotStarted { .. } | SolverError::NoSuchSolver { .. })) => Asked::NoSolver(error),
            // It died, or said something that nobody understands: another encoding may fare better.
            Err(_) => Asked::GaveUp,
        }
    }
}

fn question(solver: &str, variant: Variant, time: Duration, control: &Control) -> Question {
    let deadline = control.time_limit.and_then(|limit| control.started.checked_add(limit));
    let own = Instant::now().checked_add(time);
    let deadline = [deadline, own].into_iter().flatten().min();
    Question {
        solver: solver.to_owned(),
        theory: variant.theory,
        options: if variant.global { vec!["fp.spacer.global=true".to_owned()] } else { Vec::new() },
        memory: control.memory_limit,
        limits: Limits { stop: Some(control.stop.clone()), deadline, per_check: None },
    }
}

/// The invariant of an answer, if it is one. Where the solver was wrong, those of its words may do that hold.
fn believed(
    system: &mut System,
    problem: &Problem,
    encoded: &Encoded,
    found: &[Interpretation],
    control: &Control,
) -> Option<Invariant> {
    let words = encoded.words(system, problem, found)?;
    let whole = invariant(system, &words);
    match check(system, &whole, control) {
        Ok(_) => return Some(whole),
        Err(Refuted::Stopped(_)) => return None,
        Err(Refuted::Violated(_) | Refuted::Malformed(_)) => {}
    }
    let left = houdini(system, &problem.rules, &Statements::new(), &words, control)?;
    let rest = invariant(system, &left);
    check(system, &rest, control).is_ok().then_some(rest)
}
