//! The engine `prove`: techniques in turn, from cheap to dear, until one has an invariant that the checker accepts.
//!
//! It never reports a bug: what a system violates need not be a run of the program. It never says "safe" without
//! [`check`]: a technique's own claim counts for nothing.
//!
//! *A claim that fails the check.* Techniques differ in what they promise. Some reason exactly about bit-vectors, so that an
//! invariant of theirs which is not inductive is an error of ours, and is reported as one, with evidence. Others guess
//! (integers in place of machine words, an abstraction of more threads than two): what they find and the checker refuses is no
//! proof, and the next technique's turn.

use crate::check::obligations::Condition;
use crate::check::{Checked, Refuted, check};
use crate::extract::extract;
use crate::interpret::{Interpretation, Precision, interpret};
use crate::invariant::Invariant;
use crate::print::print;
use crate::proof::proof;
use crate::system::{LocationKind, System};
use crate::{counter, invariant::At};
use selvedge_engine::{Control, Engine, Outcome, Task};
use selvedge_formula::Terms;
use selvedge_program::{
    Coverage, Ends, Finding, Program, Properties, Property, Reason, Scope, Statistics, UncheckedEnd,
};

/// Proofs without bounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prove {
    /// Write down every obligation, for other solvers.
    pub with_script: bool,
}

impl Prove {
    /// What goes wrong in a step of one thread. That nobody can go on is a statement about all threads at once.
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
        match attempt(&mut system, control) {
            Ok(Proved { technique, invariant, checked }) => {
                statistics.iterations = checked.obligations as u64;
                let proof = proof((program, &mut system), (technique, &invariant), &checked, self.with_script);
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

/// What a technique promises of an invariant that it takes for a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Promise {
    /// It is one.
    Exact,
    /// It may be one.
    Guess,
}

/// Facts that one technique leaves to the next.
#[derive(Default)]
struct Known {
    interpretation: Option<Interpretation>,
}

type Find = fn(&mut System, &mut Known, &Control) -> Option<Invariant>;

/// From cheap to dear.
const TECHNIQUES: [(&str, Promise, Find); 2] = [
    ("abstract interpretation", Promise::Exact, by_interpretation),
    ("counter abstraction", Promise::Guess, by_counting),
];

fn by_interpretation(system: &mut System, known: &mut Known, control: &Control) -> Option<Invariant> {
    let found = interpret(system, Precision::default(), control)?;
    let proved = found.proved().then(|| found.invariant.clone());
    known.interpretation = Some(found);
    proved
}

fn by_counting(system: &mut System, _: &mut Known, control: &Control) -> Option<Invariant> {
    counter::count(system, control)
}

/// The first technique's invariant that is a proof.
pub fn attempt(system: &mut System, control: &Control) -> Result<Proved, Unproved> {
    let mut known = Known::default();
    for (technique, promise, find) in TECHNIQUES {
        if let Some(reason) = control.over() {
            return Err(Unproved::Reason(reason));
        }
        let Some(invariant) = find(system, &mut known, control) else { continue };
        match (check(system, &invariant, control), promise) {
            (Ok(checked), _) => return Ok(Proved { technique, invariant, checked }),
            (Err(Refuted::Stopped(reason)), _) => return Err(Unproved::Reason(reason)),
            // No technique promises more than that errors are not reached.
            (Err(Refuted::Violated(why)), Promise::Exact) if why.condition == Condition::NoRace => {}
            (Err(refuted @ Refuted::Malformed(_)), _) | (Err(refuted), Promise::Exact) => {
                return Err(Unproved::Wrong { technique, refuted });
            }
            (Err(Refuted::Violated(_)), Promise::Guess) => {}
        }
    }
    let reason = control.over().unwrap_or_else(|| Reason::Limit("no proof was found".to_string()));
    Err(Unproved::Reason(reason))
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
