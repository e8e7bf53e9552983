//! Horn clauses with thread-modular invariants.
//!
//! Every place of a thread, at level 2 also every pair of places, has an unknown predicate; the rules of `rules.rs` are
//! clauses about them, and a solver finds the predicates (Gupta, Popeea, Rybalchenko: Threader, CAV 2011; Hoenicke,
//! Majumdar, Podelski: Thread modularity at many levels, POPL 2017). `clauses.rs` makes them small with what `houdini.rs` has found
//! before: a statement that is known to hold is a constraint of every clause, and clauses whose constraints contradict each
//! other are left out. Static locksets are such statements: two threads that both own a lock do not disturb each other.
//!
//! Which encoding a solver can do something with is a matter of luck, so several are tried in turns, each turn with more
//! time: predicates for places or the program counter as an argument; integers or bits; Spacer's global guidance (Hari Govind,
//! Chen, Shoham, Gurfinkel, CAV 2020), which z3 has since 4.8.13.
//!
//! What is refuted at a level is no bug: it is the next level's turn.

mod clauses;

pub use clauses::Layout;

use crate::check::{Refuted, check};
use crate::houdini::{Statements, houdini, invariant};
use crate::invariant::Invariant;
use crate::rules::Level;
use crate::system::System;
use clauses::Encoded;
use selvedge_engine::Control;
use selvedge_formula::smt::horn::{HornAnswer, Interpretation, Question};
use selvedge_formula::{Limits, SolverError, Theory};
use std::time::{Duration, Instant};

/// The time of each variant, turn by turn; then all that is left.
const TURNS: [Duration; 4] =
    [Duration::from_secs(2), Duration::from_secs(6), Duration::from_secs(20), Duration::from_secs(100_000)];

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

/// What a technique found, and how.
#[derive(Clone, Debug)]
pub struct Proof {
    pub invariant: Invariant,
    pub level: Level,
    pub variant: Variant,
}

/// Why there is no proof.
#[derive(Debug)]
pub enum NoProof {
    /// The unknowns of this level cannot be found: nothing to wait for.
    Refuted,
    /// Nobody knows: there was no time, or every solver gave up.
    Unknown,
    /// There is no solver, or it does not work.
    NoSolver(SolverError),
}

/// Looks for an invariant of a level, with statements that are known to hold. What is returned was checked.
pub fn prove(
    system: &mut System,
    known: &Statements,
    level: Level,
    solver: &str,
    control: &Control,
) -> Result<Proof, NoProof> {
    let Some(problem) = clauses::Problem::new(system, known, level, control) else { return Err(NoProof::Unknown) };
    let mut variants = VARIANTS.to_vec();
    let mut failure = None;
    for time in TURNS {
        let mut index = 0;
        while index < variants.len() {
            if control.is_over() {
                return Err(NoProof::Unknown);
            }
            let variant = variants[index];
            let encoded = problem.encode(system, variant.layout);
            let answer = encoded.clauses.solve(&system.terms, &question(solver, variant, time, control));
            let is_done = match answer {
                Ok(HornAnswer::Solved(found)) => {
                    if let Some(invariant) = believed(system, &problem, &encoded, &found, control) {
                        return Ok(Proof { invariant, level, variant });
                    }
                    true
                }
                // Values that linear arithmetic cannot express are any values; bits are exact.
                Ok(HornAnswer::Refuted) if variant.theory == Theory::BitVectors || !encoded.is_approximate => {
                    return Err(NoProof::Refuted);
                }
                Ok(HornAnswer::Refuted) => true,
                Ok(HornAnswer::Unknown(selvedge_formula::Unknown::GaveUp(_))) => true,
                Ok(HornAnswer::Unknown(_)) => false,
                Err(error) => {
                    failure = Some(error);
                    true
                }
            };
            if is_done {
                variants.remove(index);
            } else {
                index += 1;
            }
        }
    }
    Err(match failure {
        Some(error @ SolverError::NotStarted { .. }) => NoProof::NoSolver(error),
        _ => NoProof::Unknown,
    })
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
    problem: &clauses::Problem,
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
