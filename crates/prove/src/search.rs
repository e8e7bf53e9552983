//! In which order invariants are looked for: cheap and certain first.
//!
//! 1. Houdini with locks, then with the program's words: no solver needed, exact over bits.
//! 2. Horn clauses about one thread, with all that Houdini left.
//! 3. Houdini and Horn clauses about pairs of threads.
//!
//! Each step keeps what the steps before it have found: statements that hold are never looked for again.

use crate::candidates::{Plan, candidates};
use crate::ghosts::Ghosts;
use crate::horn::{self, NoProof, Variant};
use crate::houdini::{Statements, excludes_errors, houdini, invariant};
use crate::invariant::Invariant;
use crate::rules::{Level, rules};
use crate::system::System;
use selvedge_engine::Control;

/// The technique that found an invariant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Means {
    Candidates(Plan),
    Clauses(Level, Variant),
}

/// Looks for an invariant that excludes every error, with a solver for Horn clauses if there is one. Adds ghosts to the system.
pub fn search(system: &mut System, solver: Option<&str>, control: &Control) -> Option<(Invariant, Means)> {
    let ghosts = Ghosts::add(system);
    let alone = rules(system, Level::One);
    let mut known = Statements::new();
    for plan in [Plan::Locks, Plan::Words] {
        let tried = candidates(system, &ghosts, plan);
        let left = houdini(system, &alone, &known, &tried, control)?;
        extend(&mut known, left);
        if excludes_errors(system, &known) {
            return Some((invariant(system, &known), Means::Candidates(plan)));
        }
    }
    for level in [Level::One, Level::Two] {
        if level == Level::Two {
            let pairs = rules(system, Level::Two);
            let tried = candidates(system, &ghosts, Plan::Pairs);
            let left = houdini(system, &pairs, &known, &tried, control)?;
            extend(&mut known, left);
            if excludes_errors(system, &known) {
                return Some((invariant(system, &known), Means::Candidates(Plan::Pairs)));
            }
        }
        if let Some(solver) = solver {
            match horn::prove(system, &known, level, solver, control) {
                Ok(proof) => return Some((proof.invariant, Means::Clauses(level, proof.variant))),
                Err(NoProof::Refuted | NoProof::Unknown | NoProof::NoSolver(_)) => {}
            }
        }
    }
    None
}

fn extend(known: &mut Statements, found: Statements) {
    for (subject, said) in found {
        let all = known.entry(subject).or_default();
        for statement in said {
            if !all.contains(&statement) {
                all.push(statement);
            }
        }
    }
}
