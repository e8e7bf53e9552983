//! In which order invariants are looked for where abstract interpretation and counting find none: cheap and certain
//! first.
//!
//! 1. Houdini with locks, then with the program's words: no solver needed, exact over bits.
//! 2. Houdini with counted threads.
//! 3. Horn clauses about one thread, with all that Houdini left.
//! 4. Houdini and Horn clauses about pairs of threads.
//!
//! Each step keeps what the steps before it have found: statements that hold are never looked for again. Which encoding
//! of clauses a solver can do something with is a matter of luck, so all get a little time in turns, then more.

use crate::balances::{Balance, balances};
use crate::candidates::{Plan, candidates};
use crate::counters::Counters;
use crate::expression::parts;
use crate::horn::{Asked, Problem, VARIANTS, Variant};
use crate::houdini::{Statements, excludes_errors, houdini, invariant};
use crate::interpret::Interpretation;
use crate::invariant::Invariant;
use crate::owners::Lock;
use crate::rules::{Level, Subject, rules};
use crate::system::System;
use selvedge_engine::Control;
use selvedge_formula::{SolverError, Terms};
use std::time::Duration;

/// The time of each variant, turn by turn; then all that is left.
const TURNS: [Duration; 4] =
    [Duration::from_secs(1), Duration::from_secs(4), Duration::from_secs(20), Duration::from_secs(100_000)];

/// The technique that found an invariant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Means {
    Candidates(Plan),
    Clauses(Level, Variant),
}

/// The outcome of a search.
#[derive(Debug)]
pub enum Searched {
    Found(Box<Invariant>, Means),
    /// No candidates are enough, and clauses are refuted, too hard, or there was no time.
    Nothing,
    /// No candidates are enough, and there is no solver for clauses.
    NoSolver(SolverError),
}

/// The facts of abstract interpretation, as statements. They hold if it is right, which is checked in the end.
pub fn statements(system: &System, known: &Interpretation) -> Statements {
    let mut all = Statements::new();
    for at in system.places() {
        let said = match known.invariant.single.get(&at) {
            None => vec![Terms::FALSE],
            Some(whole) => {
                let lemmas = known.lemmas.get(&at).map(|&lemma| parts(&system.terms, lemma)).unwrap_or_default();
                lemmas.into_iter().chain(parts(&system.terms, *whole)).filter(|&said| said != Terms::TRUE).collect()
            }
        };
        all.insert(Subject::One(at), said);
    }
    all
}

/// Looks for an invariant that excludes every error, beginning with what is known.
pub fn search(system: &mut System, locks: &[Lock], known: Statements, solver: &str, control: &Control) -> Searched {
    Search { system, locks, known, balances: Vec::new(), control }.run(solver).unwrap_or(Searched::Nothing)
}

struct Search<'a> {
    system: &'a mut System,
    locks: &'a [Lock],
    known: Statements,
    balances: Vec<Balance>,
    control: &'a Control,
}

/// The clauses of a level, and the encodings that may still be answered.
struct Open {
    level: Level,
    problem: Problem,
    variants: Vec<Variant>,
}

/// So much of the time that is left may be spent on candidates of one kind: a third.
const SHARE: u32 = 3;

/// These limits, with only a part of the time that is left.
pub fn part_of(control: &Control, share: u32) -> Control {
    let elapsed = control.started.elapsed();
    let left = control.time_limit.map(|limit| limit.saturating_sub(elapsed));
    Control { time_limit: left.map(|left| elapsed + left / share), ..control.clone() }
}

impl Search<'_> {
    /// `None`: there was no time.
    fn run(mut self, solver: &str) -> Option<Searched> {
        for plan in [Plan::Locks, Plan::Words, Plan::Sums] {
            if let Some(found) = self.try_candidates(plan) {
                return Some(found);
            }
        }
        if let Some(found) = self.try_counting() {
            return Some(found);
        }
        let mut open: Vec<Open> = vec![self.open(Level::One)?];
        for (turn, time) in TURNS.into_iter().enumerate() {
            if turn == 1 {
                if let Some(found) = self.try_candidates(Plan::Pairs) {
                    return Some(found);
                }
                open.push(self.open(Level::Two)?);
            }
            for of_level in &mut open {
                match self.ask(of_level, solver, time)? {
                    None => {}
                    Some(found) => return Some(found),
                }
            }
            if turn > 0 && open.iter().all(|of_level| of_level.variants.is_empty()) {
                break;
            }
        }
        Some(Searched::Nothing)
    }

    /// Candidates that hold are known facts from then on.
    fn try_candidates(&mut self, plan: Plan) -> Option<Searched> {
        let level = if plan == Plan::Pairs { Level::Two } else { Level::One };
        let rules = rules(self.system, level);
        let tried = candidates(self.system, self.locks, &self.balances, plan);
        let left = houdini(self.system, &rules, &self.known, &tried, &part_of(self.control, SHARE))?;
        extend(&mut self.known, left);
        let found = excludes_errors(self.system, &rules, &self.known, self.control)?;
        found.then(|| Searched::Found(Box::new(invariant(self.system, &self.known)), Means::Candidates(plan)))
    }

    /// Counters and what is known of them cost all that comes after, so they are there for this only.
    fn try_counting(&mut self) -> Option<Searched> {
        let system = &self.system;
        let (shared, templates, initial) = (system.shared.clone(), system.templates.clone(), system.initial);
        let known = self.known.clone();
        self.balances = balances(self.system, &self.known);
        let found = if self.balances.is_empty() { None } else { self.try_candidates(Plan::Counts) };
        if found.is_none() {
            self.balances.clear();
            self.known = known;
            (self.system.shared, self.system.templates, self.system.initial) = (shared, templates, initial);
            self.system.counters = Counters::default();
        }
        found
    }

    fn open(&mut self, level: Level) -> Option<Open> {
        let problem = Problem::new(self.system, &self.known, level, self.control)?;
        Some(Open { level, problem, variants: VARIANTS.to_vec() })
    }

    /// Asks about each variant that is left, for so long.
    fn ask(&mut self, open: &mut Open, solver: &str, time: Duration) -> Option<Option<Searched>> {
        for variant in std::mem::take(&mut open.variants) {
            if self.control.is_over() {
                return None;
            }
            let asked = open.problem.ask(self.system, variant, solver, time, self.control);
            match asked {
                Asked::Proved(found) => {
                    return Some(Some(Searched::Found(found, Means::Clauses(open.level, variant))));
                }
                Asked::Refuted => {
                    open.variants.clear();
                    break;
                }
                Asked::GaveUp => {}
                Asked::Unknown => open.variants.push(variant),
                Asked::NoSolver(error) => return Some(Some(Searched::NoSolver(error))),
            }
        }
        Some(None)
    }
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
