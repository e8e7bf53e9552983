//! The engine `prove`: techniques in turn, from cheap to dear, until one has an invariant that the checker accepts.
//!
//! It never reports a bug: what a system violates need not be a run of the program. It never says "safe" without
//! [`check`]: a technique's own claim counts for nothing.
//!
//! *A claim that fails the check.* Techniques differ in what they promise. Some reason exactly about bit-vectors, so
//! that an invariant of theirs which is not inductive is an error of ours, and is reported as one, with evidence.
//! Others guess (integers in place of machine words, an abstraction of more threads than two): what they find and the
//! checker refuses is no proof, and the next technique's turn.

use crate::check::obligations::Condition;
use crate::check::{Checked, Refuted, check};
use crate::contents::with_contents;
use crate::counter;
use crate::extract::extract;
use crate::houdini::Statements;
use crate::interpret::{Precision, interpret};
use crate::invariant::{At, Invariant};
use crate::lock_order::lock_order;
use crate::outline::{Outline, in_outline};
use crate::owners::{Lock, name_owners};
use crate::print::print;
use crate::proof::proof;
use crate::search::{Searched, part_of, search, statements};
use crate::system::{LocationKind, System};
use selvedge_engine::{Control, Engine, Outcome, Task};
use selvedge_formula::Terms;
use selvedge_program::{
    Coverage, Ends, Finding, Program, Proof, Properties, Property, Reason, Scope, Statistics, UncheckedEnd,
};

/// Proofs without bounds.
#[derive(Clone, Debug)]
pub struct Prove {
    /// Write down every obligation, for other solvers.
    pub with_script: bool,
    /// The solver of Horn clauses: a name, or a command line.
    pub solver: String,
}

impl Default for Prove {
    fn default() -> Prove {
        Prove { with_script: false, solver: Prove::SOLVER.to_string() }
    }
}

impl Prove {
    /// Whom we ask about Horn clauses if nobody says otherwise.
    pub const SOLVER: &str = "z3";

    /// Violations in a step of one thread. A deadlock, in contrast, is a statement about all threads at once.
    pub const SCOPE: Scope = Scope {
        properties: Properties::NONE
            .with(Property::Assertion)
            .with(Property::Memory)
            .with(Property::Arithmetic)
            .with(Property::Lock)
            .with(Property::Thread)
            .with(Property::Abort)
            .with(Property::Exit)
            .with(Property::Overflow)
            .with(Property::Race),
        init: false,
        abstraction: false,
        store_buffers: false,
    };
}

impl Engine for Prove {
    fn name(&self) -> &'static str {
        "prove"
    }

    fn scope(&self) -> Scope {
        Prove::SCOPE
    }

    fn search(&self, program: &Program, task: &Task, control: &Control) -> Outcome {
        Outcome::of("prove", |statistics| self.prove(program, task, control, statistics))
    }
}

impl Prove {
    fn prove(
        &self,
        program: &Program,
        task: &Task,
        control: &Control,
        statistics: &mut Statistics,
    ) -> Result<Finding, Reason> {
        let mut system = extract(program, task.properties)?;
        let contents = |control: &Control| with_contents(program, task.properties, control);
        match attempt_with(&mut system, contents, &self.solver, control) {
            Ok(Proved { technique, invariant, checked, locks }) => {
                statistics.iterations = checked.obligations as u64;
                let proof = proof((program, &mut system), (technique, &invariant), &checked, self.with_script);
                let advice = lock_order(program, &mut system, (&locks, &invariant), control);
                let proof = Proof { advice, ..proof };
                let coverage = coverage(program, &system, &invariant, &checked);
                Ok(Finding::NoneWithin(Coverage { proof: Some(Box::new(proof)), ..coverage }))
            }
            Err(Unproved::Reason(reason)) => Err(reason),
            Err(Unproved::Wrong { technique, refuted }) => {
                let evidence = vec![("system", print(&system, program)), ("refuted", refuted.to_string())];
                Ok(Finding::NoProof { technique, claim: refuted.to_string(), evidence })
            }
        }
    }
}

/// An invariant that was checked.
pub struct Proved {
    pub technique: &'static str,
    pub invariant: Invariant,
    pub checked: Checked,
    /// Candidates for locks.
    pub locks: Vec<Lock>,
}

/// Why there is none.
pub enum Unproved {
    Reason(Reason),
    /// An exact technique was wrong.
    Wrong {
        technique: &'static str,
        refuted: Refuted,
    },
}

/// The promise of a technique about an invariant that it takes for a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Promise {
    /// It is one.
    Exact,
    /// It may be one.
    Guess,
}

/// Facts that one technique leaves to the next.
struct Known {
    locks: Vec<Lock>,
    statements: Statements,
}

/// The outcome of a technique.
enum Attempt {
    Found(Box<Invariant>),
    Nothing,
    /// It cannot work here, for a reason that somebody can do something about.
    Hindered(Reason),
}

/// Everything techniques work with.
struct Setting<'a> {
    known: Known,
    solver: &'a str,
    control: &'a Control,
}

/// So much of the time that is left the cheaper techniques may take: half of it.
const SHARE: u32 = 2;
/// And an outline, which is soon found or not at all.
const SHARE_OF_OUTLINE: u32 = 8;
const CHANGES_OF_OUTLINE: usize = 5_000;

type Find = fn(&mut System, &mut Setting<'_>) -> Attempt;

/// Its name, what it promises, and the search.
type Technique = (&'static str, Promise, Find);

/// From cheap to dear.
const TECHNIQUES: [Technique; 7] = [
    ("abstract interpretation of shared variables", Promise::Guess, by_shared_variables),
    ("abstract interpretation in outline", Promise::Guess, by_outline),
    ("thread-modular invariants in outline", Promise::Guess, by_search_in_outline),
    ("abstract interpretation by common facts", Promise::Guess, by_common_facts),
    ("abstract interpretation", Promise::Exact, by_interpretation),
    ("counter abstraction", Promise::Guess, by_counting),
    ("thread-modular invariants", Promise::Guess, by_search),
];

/// So many of them are tried before contents of memory are guessed.
const CHEAP: usize = 4;

fn by_shared_variables(system: &mut System, setting: &mut Setting<'_>) -> Attempt {
    outlined(system, setting, Outline::Shared)
}

fn by_outline(system: &mut System, setting: &mut Setting<'_>) -> Attempt {
    outlined(system, setting, Outline::Short)
}

/// For races: where something else may go wrong, values matter.
fn outlined(system: &mut System, setting: &mut Setting<'_>, kind: Outline) -> Attempt {
    if has_errors(system) {
        return Attempt::Nothing;
    }
    let part = part_of(setting.control, SHARE_OF_OUTLINE);
    let precision = Precision { changes: CHANGES_OF_OUTLINE, ..Precision::LARGE };
    let Some(found) = in_outline(system, kind, |outline| interpret(outline, precision, &part)) else {
        return Attempt::Nothing;
    };
    setting.known.statements = statements(system, &found);
    Attempt::Found(Box::new(found.invariant))
}

fn by_search_in_outline(system: &mut System, setting: &mut Setting<'_>) -> Attempt {
    if has_errors(system) {
        return Attempt::Nothing;
    }
    let part = part_of(setting.control, SHARE_OF_OUTLINE);
    let known = setting.known.statements.clone();
    let locks = &setting.known.locks;
    let searched = in_outline(system, Outline::Short, |outline| {
        let searched = search(outline, locks, known, setting.solver, &part);
        // The counters of an outline are not the system's.
        if outline.counters.at.is_empty() && outline.counters.created.is_empty() { searched } else { Searched::Nothing }
    });
    match searched {
        Searched::Found(found, _) => Attempt::Found(found),
        Searched::Nothing | Searched::NoSolver(_) => Attempt::Nothing,
    }
}

fn has_errors(system: &System) -> bool {
    let is_error = |(template, location): At| {
        matches!(system.templates[template].locations[location].kind, LocationKind::Error { .. })
    };
    system.places().any(is_error)
}

fn by_common_facts(system: &mut System, setting: &mut Setting<'_>) -> Attempt {
    interpreted(system, setting, Precision::LARGE)
}

fn by_interpretation(system: &mut System, setting: &mut Setting<'_>) -> Attempt {
    interpreted(system, setting, Precision::SMALL)
}

fn interpreted(system: &mut System, setting: &mut Setting<'_>, precision: Precision) -> Attempt {
    let part = part_of(setting.control, SHARE);
    let Some(found) = interpret(system, precision, &part) else { return Attempt::Nothing };
    // Whether there are races is not known yet.
    if !found.proved() || !system.accesses.is_empty() {
        setting.known.statements = statements(system, &found);
    }
    if found.proved() { Attempt::Found(Box::new(found.invariant)) } else { Attempt::Nothing }
}

fn by_counting(system: &mut System, setting: &mut Setting<'_>) -> Attempt {
    counter::count(system, &part_of(setting.control, SHARE))
        .map_or(Attempt::Nothing, |found| Attempt::Found(Box::new(found)))
}

fn by_search(system: &mut System, setting: &mut Setting<'_>) -> Attempt {
    let statements = std::mem::take(&mut setting.known.statements);
    match search(system, &setting.known.locks, statements, setting.solver, setting.control) {
        Searched::Found(found, _) => Attempt::Found(found),
        Searched::Nothing => Attempt::Nothing,
        Searched::NoSolver(error) => {
            Attempt::Hindered(Reason::Limit(format!("no proof was found without a solver for Horn clauses: {error}")))
        }
    }
}

/// The first technique's invariant that is a proof.
pub fn attempt(system: &mut System, solver: &str, control: &Control) -> Result<Proved, Unproved> {
    attempt_with(system, |_| None, solver, control)
}

/// The same. `contents` makes a system with guesses about contents, which takes the place of `system` if it is proved.
fn attempt_with(
    system: &mut System,
    contents: impl FnOnce(&Control) -> Option<System>,
    solver: &str,
    control: &Control,
) -> Result<Proved, Unproved> {
    let locks = name_owners(system);
    let mut setting = Setting { known: Known { locks, statements: Statements::new() }, solver, control };
    let mut hindrance = None;
    let (first, others) = TECHNIQUES.split_at(CHEAP);
    if let Some(proved) = try_all(first, system, &mut setting, &mut hindrance)? {
        return Ok(proved);
    }
    if let Some(mut guessed) = contents(&part_of(control, SHARE)) {
        let known = Known { locks: Vec::new(), statements: Statements::new() };
        let mut setting = Setting { known, solver, control };
        if let Some(proved) = try_all(first, &mut guessed, &mut setting, &mut hindrance)? {
            *system = guessed;
            return Ok(proved);
        }
    }
    if let Some(proved) = try_all(others, system, &mut setting, &mut hindrance)? {
        return Ok(proved);
    }
    let none = || hindrance.unwrap_or_else(|| Reason::Limit("no proof was found".to_string()));
    Err(Unproved::Reason(control.over().unwrap_or_else(none)))
}

/// The invariant of the first of these techniques that is a proof.
fn try_all(
    techniques: &[Technique],
    system: &mut System,
    setting: &mut Setting<'_>,
    hindrance: &mut Option<Reason>,
) -> Result<Option<Proved>, Unproved> {
    let control = setting.control;
    for &(technique, promise, find) in techniques {
        if let Some(reason) = control.over() {
            return Err(Unproved::Reason(reason));
        }
        let invariant = match find(system, setting) {
            Attempt::Found(invariant) => *invariant,
            Attempt::Nothing => continue,
            Attempt::Hindered(reason) => {
                *hindrance = Some(reason);
                continue;
            }
        };
        match (check(system, &invariant, control), promise) {
            (Ok(checked), _) => {
                let locks = std::mem::take(&mut setting.known.locks);
                return Ok(Some(Proved { technique, invariant, checked, locks }));
            }
            (Err(Refuted::Stopped(reason)), _) => return Err(Unproved::Reason(reason)),
            // No technique promises more than that errors are not reached.
            (Err(Refuted::Violated(why)), Promise::Exact) if why.condition == Condition::NoRace => {}
            (Err(refuted @ Refuted::Malformed(_)), _) | (Err(refuted), Promise::Exact) => {
                return Err(Unproved::Wrong { technique, refuted });
            }
            (Err(Refuted::Violated(_)), Promise::Guess) => {}
        }
    }
    Ok(None)
}

/// Everything, as far as properties go; and what the proof says about how far runs get.
fn coverage(program: &Program, system: &System, invariant: &Invariant, checked: &Checked) -> Coverage {
    let end = |&(template, location): &At| {
        let location = &system.templates[template].locations[location];
        let LocationKind::Unchecked { property } = location.kind else { return None };
        Some(UncheckedEnd { misuse: property, at: program.source.describe(location.loc) })
    };
    let mut possible: Vec<UncheckedEnd> = checked.ends.iter().filter_map(end).collect();
    possible.dedup();
    let is_reached = |at: At| invariant.single.get(&at).is_some_and(|statement| *statement != Terms::FALSE);
    let others = system.templates.keys().filter(|template| *template != system.main);
    let begins = others.into_iter().any(|template| is_reached((template, system.first(template))));
    Coverage {
        ends: Some(Ends { possible, ..Ends::default() }),
        // How many there are is not known, unless there are none.
        threads: (!begins).then_some(0),
        ..Coverage::default()
    }
}
