//! Thread-modular abstract interpretation of a system, in the manner of Goblint and AstréeA.
//!
//! Every location of every template gets abstract states over the shared variables and the thread's own locals, apart
//! for each value of the control variables (`partition`). A thread's own steps carry states from location to location,
//! and steps of other threads change the states of a thread that stands still: both are interpreted on terms (`case`,
//! `transfer`) until nothing is new (`fixpoint`). The states then hold whatever the number of threads and iterations,
//! and say so as an [`Invariant`], which is to be checked by somebody else.
//!
//! Threads learn from one another only through facts about shared variables that all have in common (`modular`,
//! `common`): that scales. Where a proof needs what two threads know together, the states of the one meet those of the
//! other (`fixpoint`), which systems with few locations can afford.
//!
//! Domains: intervals and small sets (`value`), equalities modulo 2^n (`affine`), orders and differences of pairs
//! (`state`).
//!
//! Miné: Static analysis of run-time errors in embedded real-time parallel C programs, LMCS 2012; Relational
//! thread-modular static value analysis by abstract interpretation, VMCAI 2014. Schwarz and others: Improving
//! thread-modular abstract interpretation, SAS 2021. We differ in that a lock is nothing special: its word holds its
//! owner's number, so that two threads which both know to own it contradict each other, and what a lock protects is
//! what states with a free word have in common.

mod affine;
mod block;
mod case;
mod common;
mod fixpoint;
mod frame;
mod modular;
mod partition;
mod state;
mod transfer;
mod value;

use crate::invariant::{At, Invariant};
use crate::system::{LocationKind, Place, System, TemplateId};
use cranelift_entity::PrimaryMap;
pub use fixpoint::thresholds;
use frame::Frame;
use hashbrown::HashMap;
use selvedge_engine::Control;
use selvedge_formula::Term;
use std::collections::BTreeMap;
pub use value::Value;

/// How threads learn from one another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// By facts about shared variables that all have in common. For systems of any size.
    Common,
    /// By the states of those who step, one by one, which also knows what two threads know together. For small systems.
    States,
}

/// How much is kept apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Precision {
    pub sharing: Sharing,
    /// The most ways through one edge that are interpreted apart.
    pub splits: usize,
    /// The most states of one location.
    pub cases: usize,
    /// The most changes of states before giving up.
    pub changes: usize,
    /// Descending rounds after the ascending ones.
    pub narrowings: usize,
}

impl Precision {
    /// For systems of any size.
    pub const LARGE: Precision =
        Precision { sharing: Sharing::Common, splits: 16, cases: 6, changes: 100_000, narrowings: 2 };
    /// For small systems.
    pub const SMALL: Precision =
        Precision { sharing: Sharing::States, splits: 32, cases: 48, changes: 20_000, narrowings: 3 };
    /// In the order in which they are tried.
    pub const ALL: [Precision; 2] = [Precision::LARGE, Precision::SMALL];
}

/// The result, which is not believed before it is checked.
pub struct Interpretation {
    pub invariant: Invariant,
    /// Error locations that could not be excluded; none: the invariant proves the system.
    pub open: Vec<At>,
    /// Misuses nobody asked about that could not be excluded.
    pub unchecked: Vec<At>,
    /// For each location that may be reached a weaker statement without disjunctions: bounds of variables, equalities,
    /// orders.
    pub lemmas: HashMap<At, Term>,
    /// The possible values of variables.
    pub values: HashMap<(At, Place), Value>,
    /// For people: the states of each location.
    pub texts: BTreeMap<At, Vec<String>>,
    /// For people: what holds of shared variables everywhere.
    pub common: Vec<String>,
    /// How often a state changed.
    pub changes: usize,
}

impl Interpretation {
    pub fn proved(&self) -> bool {
        self.open.is_empty()
    }
}

/// Interprets a system. `None`: stopped, or too large for the precision that was asked for.
pub fn interpret(system: &mut System, precision: Precision, control: &Control) -> Option<Interpretation> {
    let (found, frames, common, changes) = match precision.sharing {
        Sharing::Common => {
            let mut modular = modular::Modular::new(system, precision);
            modular.run(control)?;
            (modular.found(), modular.frames(), Some(modular.common.clone()), modular.changes())
        }
        Sharing::States => {
            let mut fixpoint = fixpoint::Fixpoint::new(system, precision);
            fixpoint.run(control)?;
            let frames = system.templates.keys().map(|id| fixpoint.frame(id).clone());
            (fixpoint.found(), frames.collect::<PrimaryMap<TemplateId, Frame>>(), None, fixpoint.changes())
        }
    };
    let shared: Vec<Term> = system.shared.values().map(|variable| variable.copies[0]).collect();
    let in_common = common.as_ref().map_or(Vec::new(), |common| common.says(&mut system.terms, &shared));
    let in_common = system.terms.and_all(in_common);
    let names: Vec<String> = system.shared.values().map(|variable| variable.name.clone()).collect();
    let in_common_text = common.map_or(Vec::new(), |common| common.describe(&names));
    let mut result = Interpretation {
        invariant: Invariant::default(),
        open: Vec::new(),
        unchecked: Vec::new(),
        lemmas: HashMap::new(),
        values: HashMap::new(),
        texts: BTreeMap::new(),
        common: in_common_text,
        changes,
    };
    for (at, states) in found {
        let kind = system.templates[at.0].locations[at.1].kind.clone();
        match kind {
            LocationKind::Running => {}
            LocationKind::Error { .. } => result.open.push(at),
            LocationKind::Unchecked { .. } => result.unchecked.push(at),
            LocationKind::Ended | LocationKind::ProcessEnded => {}
        }
        if kind != LocationKind::Running {
            let anything = system.terms.bool(true);
            result.invariant.single.insert(at, anything);
            continue;
        }
        let frame = &frames[at.0];
        let statements: Vec<Term> = states.iter().map(|state| state.says(&mut system.terms, &frame.terms)).collect();
        let statement = system.terms.or_all(statements);
        result.invariant.single.insert(at, system.terms.and(in_common, statement));
        result.texts.insert(at, states.iter().map(|state| state.describe(&frame.names)).collect());
        if let Some(all) = states.iter().cloned().reduce(|a, b| a.join(&b)) {
            result.lemmas.insert(at, all.says(&mut system.terms, &frame.terms));
            let shared = system.shared.keys().map(Place::Shared);
            let places = shared.chain(system.templates[at.0].locals.keys().map(Place::Local));
            result.values.extend(places.zip(all.values).map(|(place, value)| ((at, place), value)));
        }
    }
    result.open.sort_unstable();
    result.unchecked.sort_unstable();
    Some(result)
}
