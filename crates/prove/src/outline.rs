//! A system in outline: what threads do to shared variables, and nothing else that takes thought.
//!
//! Most proofs of race freedom are about locks, flags and the order of threads. Loops over input, results of calls and
//! the guards of joins only make them slow. In outline an edge keeps those parts of its guard, and those new values,
//! that are short and speak of shared variables and the thread's number, or of its other locals as well; all else may
//! be anything. So the outline has at least the runs of the system, over the same variables, and an invariant of it is
//! one of the system, which the checker confirms on the whole edges. (Localization reduction: Kurshan, Computer-aided
//! verification of coordinating processes, 1994.)

use crate::expression::parts;
use crate::live::variables;
use crate::system::{Edge, System, TemplateId};
use hashbrown::HashSet;
use selvedge_formula::Term;

/// Terms of more nodes are too long.
const LONGEST: usize = 40;

/// What is left of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outline {
    /// Shared variables and numbers.
    Shared,
    /// All variables.
    Short,
}

/// Lets `look` look at the outline of a system, which is then as it was.
pub fn in_outline<R>(system: &mut System, kind: Outline, look: impl FnOnce(&mut System) -> R) -> R {
    let (shared, templates, initial) = (system.shared.clone(), system.templates.clone(), system.initial);
    let counters = system.counters.clone();
    for (id, template) in &templates {
        system.templates[id].edges = template.edges.iter().map(|edge| outline(system, kind, id, edge)).collect();
    }
    let result = look(system);
    (system.shared, system.templates, system.initial, system.counters) = (shared, templates, initial, counters);
    result
}

fn outline(system: &mut System, kind: Outline, id: TemplateId, edge: &Edge) -> Edge {
    let template = &system.templates[id];
    let number = template.locals[template.number].copies[0];
    let locals = template.locals.values().map(|local| local.copies[0]);
    let dropped: HashSet<Term> = match kind {
        Outline::Shared => locals.filter(|local| *local != number).collect(),
        Outline::Short => HashSet::new(),
    };
    let is_kept = |system: &System, term: Term| {
        let cone = system.terms.cone([term]);
        cone.len() <= LONGEST && cone.iter().all(|part| !dropped.contains(part))
    };
    let mut guard = system.terms.bool(true);
    for part in parts(&system.terms, edge.guard) {
        if is_kept(system, part) {
            guard = system.terms.and(guard, part);
        }
    }
    let anything = |system: &mut System, value: Term| {
        if is_kept(system, value) {
            return value;
        }
        let bits = system.terms.bits(value);
        system.terms.variable(bits, "anything")
    };
    let mut outline = Edge { guard, ..edge.clone() };
    for (_, value) in &mut outline.updates {
        *value = anything(system, *value);
    }
    for spawn in &mut outline.spawns {
        let number = system.templates[spawn.template].number;
        for (local, value) in &mut spawn.arguments {
            if *local != number {
                *value = anything(system, *value);
            }
        }
    }
    outline.inputs = inputs(system, id, &outline);
    outline
}

/// The variables of an edge that the system does not have.
fn inputs(system: &System, id: TemplateId, edge: &Edge) -> Vec<Term> {
    let arguments = edge.spawns.iter().flat_map(|spawn| &spawn.arguments).map(|(_, value)| *value);
    let values = edge.updates.iter().map(|(_, value)| *value);
    let known: HashSet<Term> = (system.shared.values().map(|variable| variable.copies[0]))
        .chain(system.templates[id].locals.values().map(|local| local.copies[0]))
        .collect();
    let roots = values.chain(arguments).chain([edge.guard]);
    let free = variables(&system.terms, roots).into_iter();
    free.filter(|term| !known.contains(term)).collect()
}
