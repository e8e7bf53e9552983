//! Ghosts: variables that remember what proofs need.
//!
//! - *created(t)*: some thread of template t has begun. What main does before it creates threads is then known to be
//!   undisturbed, by an invariant like any other.
//! - *owner(x)*: who was the last to change x from its first value. For a lock made by hand (a test-and-set, a
//!   compare-and-swap, a flag that is set in an atomic section), this is who holds it. No pattern has to be recognised
//!   for that: the ghost is added wherever x has few values, and whether `owner(x) = me` holds somewhere is a question
//!   that an invariant answers.
//! - *counts*: how many threads stand at certain locations.
//!
//! Ghosts are written by edges and read by statements only (see `system.rs`), so they change no run.

use crate::system::{COPIES, Place, Role, SharedId, System, TemplateId, Variable};
use selvedge_formula::{Node, Term, Terms};

/// What was added.
#[derive(Clone, Debug, Default)]
pub struct Ghosts {
    pub created: Vec<(TemplateId, SharedId)>,
    pub locks: Vec<Lock>,
}

/// A shared variable that may be a lock.
#[derive(Clone, Copy, Debug)]
pub struct Lock {
    pub variable: SharedId,
    /// Its first value, as a constant.
    pub free: Term,
    /// Who changed it from that value last.
    pub owner: SharedId,
}

impl Ghosts {
    pub fn add(system: &mut System) -> Ghosts {
        let created = add_created(system);
        let candidates: Vec<SharedId> = system.shared.keys().filter(|&id| may_be_lock(system, id)).collect();
        let locks = candidates.into_iter().filter_map(|id| add_owner(system, id)).collect();
        Ghosts { created, locks }
    }
}

fn add_shared(system: &mut System, name: String, bits: u32) -> SharedId {
    let term = system.terms.variable(bits, name.clone());
    system.shared.push(Variable { name, bits, copies: [term; COPIES], role: Role::Ghost })
}

fn add_created(system: &mut System) -> Vec<(TemplateId, SharedId)> {
    let spawned: Vec<TemplateId> = system.templates.keys().filter(|&id| id != system.main).collect();
    let mut added = Vec::new();
    for id in spawned {
        let ghost = add_shared(system, format!("created({})", system.templates[id].name), 1);
        let not_yet = system.terms.not(system.shared[ghost].copies[0]);
        system.initial = system.terms.and(system.initial, not_yet);
        for template in system.templates.values_mut() {
            for edge in &mut template.edges {
                if edge.spawns.iter().any(|spawn| spawn.template == id) {
                    edge.updates.push((Place::Shared(ghost), Terms::TRUE));
                }
            }
        }
        added.push((id, ghost));
    }
    added
}

/// The value that `initial` names for a variable.
pub fn first_value(system: &System, variable: Term) -> Option<u128> {
    let terms = &system.terms;
    conjuncts(terms, system.initial).into_iter().find_map(|fact| match terms.node(fact) {
        Node::Eq(a, b) if a == variable => terms.as_constant(b),
        Node::Eq(a, b) if b == variable => terms.as_constant(a),
        Node::Not(a) if a == variable => Some(0),
        Node::Var { .. } if fact == variable => Some(1),
        _ => None,
    })
}

/// The parts of a conjunction.
pub fn conjuncts(terms: &Terms, term: Term) -> Vec<Term> {
    let (mut found, mut waiting) = (Vec::new(), vec![term]);
    while let Some(term) = waiting.pop() {
        match terms.node(term) {
            Node::And(a, b) => waiting.extend([b, a]),
            _ => found.push(term),
        }
    }
    found
}

/// The values that a chain of choices chooses from.
pub fn leaves(terms: &Terms, term: Term) -> Vec<Term> {
    let (mut found, mut waiting) = (Vec::new(), vec![term]);
    while let Some(term) = waiting.pop() {
        match terms.node(term) {
            Node::Ite(_, a, b) => waiting.extend([a, b]),
            // Extending a bit is choosing between two constants.
            Node::ZeroExtend { of, .. } if terms.bits(of) == 1 => {}
            _ if found.contains(&term) => {}
            _ => found.push(term),
        }
    }
    found
}

/// It begins with a constant, has few values, and somebody writes another one.
fn may_be_lock(system: &System, id: SharedId) -> bool {
    let variable = system.shared[id].copies[0];
    let Some(first) = first_value(system, variable) else { return false };
    if system.shared[id].role == Role::Ghost {
        return false;
    }
    let edges = system.templates.values().flat_map(|template| &template.edges);
    let written = edges.flat_map(|edge| &edge.updates).filter(|(place, _)| *place == Place::Shared(id));
    let values: Vec<Term> = written.flat_map(|(_, value)| leaves(&system.terms, *value)).collect();
    let few = values.iter().all(|&value| value == variable || system.terms.as_constant(value).is_some());
    few && !values.is_empty() && values.iter().any(|&value| system.terms.as_constant(value) != Some(first))
}

fn add_owner(system: &mut System, id: SharedId) -> Option<Lock> {
    let (variable, bits) = (system.shared[id].copies[0], system.shared[id].bits);
    let free = first_value(system, variable)?;
    let free = system.terms.constant(bits, free);
    let number = |template: &crate::system::Template| template.locals[template.number].copies[0];
    let widths: Vec<u32> = system.templates.values().map(|template| system.terms.bits(number(template))).collect();
    let owner = add_shared(system, format!("owner({})", system.shared[id].name), *widths.first()?);
    let before = system.shared[owner].copies[0];
    for template in system.templates.keys().collect::<Vec<_>>() {
        let number = number(&system.templates[template]);
        for index in 0..system.templates[template].edges.len() {
            let edge = &system.templates[template].edges[index];
            let Some((_, value)) = edge.updates.iter().find(|(place, _)| *place == Place::Shared(id)).copied() else {
                continue;
            };
            let terms = &mut system.terms;
            let (was_free, is_taken) = (terms.eq(variable, free), terms.ne(value, free));
            let takes = terms.and(was_free, is_taken);
            let after = terms.ite(takes, number, before);
            if after != before {
                system.templates[template].edges[index].updates.push((Place::Shared(owner), after));
            }
        }
    }
    Some(Lock { variable: id, free, owner })
}
