//! Balances: what a variable is, by how many threads stand where.
//!
//! If every step of a thread changes `x` by a number that depends on the step only, then each place has a potential, by how
//! much a thread has changed `x` until it stands there; and `x` is its first value, plus the potentials of all threads. With
//! `counters.rs` that is a statement about one state: `x = first + Σ potential(place) · threads(place)`, which is a place invariant
//! as Petri nets have them. A lock by hand is such a variable (how many hold it: at most one), and so is a count of those who are
//! inside, of those who have begun, or of what is left to do.
//!
//! *Lost updates.* Where `x` is read in one step and written in another, others come between, and `x` changes by at most as much as
//! was added to what was read: then `x` is at most the sum, and so is the local, with its addition.
//!
//! All this only proposes candidates; `houdini.rs` finds out which of them hold.

use crate::counters::{BITS, resized};
use crate::expression::parts;
use crate::houdini::Statements;
use crate::invariant::At;
use crate::owners::first_value;
use crate::rules::Subject;
use crate::system::{Edge, LocalId, LocationId, LocationKind, Place, Role, SharedId, System, TemplateId};
use hashbrown::HashMap;
use selvedge_formula::{Node, Term, Terms, mask};

/// A variable, and the sum that it may be.
pub struct Balance {
    pub variable: Term,
    pub sum: Term,
    /// Locals from which it is written, and what was added to it for them.
    pub writers: Vec<(TemplateId, Term, Term)>,
}

/// By how much an edge changes a variable, modulo a power of two; and the local that it is written from.
struct Change {
    by: u128,
    writer: Option<LocalId>,
}

/// All balances of a system whose threads are counted.
pub fn balances(system: &mut System, known: &Statements) -> Vec<Balance> {
    if system.counters.at.is_empty() {
        return Vec::new();
    }
    let variables: Vec<SharedId> = (system.shared.iter())
        .filter(|(_, variable)| variable.role != Role::Ghost && variable.bits <= 2 * BITS)
        .map(|(id, _)| id)
        .collect();
    variables.into_iter().filter_map(|variable| balance(system, known, variable)).collect()
}

fn balance(system: &mut System, known: &Statements, id: SharedId) -> Option<Balance> {
    let variable = system.shared[id].copies[0];
    let bits = system.terms.bits(variable);
    let first = first_value(system, variable)?;
    let mut sum = system.terms.constant(bits, first);
    let mut writers: Vec<(TemplateId, Term, Term)> = Vec::new();
    let mut is_written = false;
    for template in system.templates.keys().collect::<Vec<_>>() {
        let changes = changes(system, known, id, template)?;
        is_written |= changes.iter().any(|change| change.by != 0);
        for change in &changes {
            if let Some(local) = change.writer {
                let local = system.templates[template].locals[local].copies[0];
                let by = system.terms.constant(bits, change.by);
                if !writers.contains(&(template, local, by)) {
                    writers.push((template, local, by));
                }
            }
        }
        let (at, end) = potentials(system, template, &changes, bits)?;
        let mut summands: Vec<(SharedId, u128)> = Vec::new();
        // Whoever is no longer alive has the potential of the end, and counts as created.
        for (place, &potential) in &at {
            let counter = system.counters.at.get(&(template, *place)).copied();
            summands.extend(counter.map(|counter| (counter, potential.wrapping_sub(end) & mask(bits))));
        }
        match system.counters.created.get(&template) {
            Some(&created) => summands.push((created, end)),
            None => {
                let end = system.terms.constant(bits, end);
                sum = system.terms.add(sum, end);
            }
        }
        summands.sort_unstable();
        for (counter, factor) in summands.into_iter().filter(|(_, factor)| *factor != 0) {
            let counter = system.shared[counter].copies[0];
            let counter = resized(&mut system.terms, counter, bits);
            let factor = system.terms.constant(bits, factor);
            let summand = system.terms.mul(counter, factor);
            sum = system.terms.add(sum, summand);
        }
    }
    is_written.then_some(Balance { variable, sum, writers })
}

/// What each edge of a template adds. None: something that is not the same each time.
fn changes(system: &mut System, known: &Statements, id: SharedId, template: TemplateId) -> Option<Vec<Change>> {
    let mut found = Vec::new();
    for index in 0..system.templates[template].edges.len() {
        let edge = system.templates[template].edges[index].clone();
        let written = edge.updates.iter().find(|(place, _)| *place == Place::Shared(id)).map(|update| update.1);
        found.push(match written {
            None => Change { by: 0, writer: None },
            Some(value) => change(system, known, id, (template, &edge), value)?,
        });
    }
    Some(found)
}

fn change(
    system: &mut System,
    known: &Statements,
    id: SharedId,
    (template, edge): (TemplateId, &Edge),
    value: Term,
) -> Option<Change> {
    let variable = system.shared[id].copies[0];
    let mut facts = parts(&system.terms, edge.guard);
    facts.extend(known.get(&Subject::One((template, edge.from))).into_iter().flatten().copied());
    if facts.contains(&Terms::FALSE) {
        return Some(Change { by: 0, writer: None });
    }
    let value = decided(&mut system.terms, value, &facts);
    if let Some(by) = added(&mut system.terms, value, variable, &facts) {
        return Some(Change { by, writer: None });
    }
    // Written from a local that was read before.
    let (local, _) = system.templates[template].locals.iter().find(|(_, local)| local.copies[0] == value)?;
    let mut by = None;
    for edge in system.templates[template].edges.clone() {
        for (place, value) in &edge.updates {
            if *place == Place::Local(local) {
                let more = added(&mut system.terms, *value, variable, &[])?;
                if *by.get_or_insert(more) != more {
                    return None;
                }
            }
        }
    }
    by.map(|by| Change { by, writer: Some(local) })
}

/// A choice, where facts decide it.
fn decided(terms: &mut Terms, value: Term, facts: &[Term]) -> Term {
    let Node::Ite(condition, yes, no) = terms.node(value) else { return value };
    let opposite = terms.not(condition);
    if facts.contains(&condition) {
        decided(terms, yes, facts)
    } else if facts.contains(&opposite) {
        decided(terms, no, facts)
    } else {
        value
    }
}

/// What is added to a variable to get a value, if that is always the same.
fn added(terms: &mut Terms, value: Term, variable: Term, facts: &[Term]) -> Option<u128> {
    let difference = terms.sub(value, variable);
    if let Some(by) = terms.as_constant(difference) {
        return Some(by);
    }
    match terms.node(value) {
        _ if value == variable => Some(0),
        Node::Add(a, b) if a == variable => terms.as_constant(b),
        Node::Add(a, b) if b == variable => terms.as_constant(a),
        Node::Sub(a, b) if a == variable => terms.as_constant(b).map(|by| by.wrapping_neg() & mask(terms.bits(value))),
        Node::Const { bits, value } => facts
            .iter()
            .find_map(|fact| match terms.node(*fact) {
                Node::Eq(a, b) if a == variable => terms.as_constant(b),
                Node::Eq(a, b) if b == variable => terms.as_constant(a),
                _ => None,
            })
            .map(|before| value.wrapping_sub(before) & mask(bits)),
        _ => None,
    }
}

/// By how much a thread has changed a variable when it stands at a place, and when it has ended. None: that depends on the way.
fn potentials(
    system: &System,
    template: TemplateId,
    changes: &[Change],
    bits: u32,
) -> Option<(HashMap<LocationId, u128>, u128)> {
    let graph = &system.templates[template];
    let first = system.first(template);
    let mut at: HashMap<LocationId, u128> = [(first, 0)].into();
    let mut waiting = vec![first];
    let mut end = None;
    while let Some(place) = waiting.pop() {
        for (edge, change) in graph.edges.iter().zip(changes).filter(|(edge, _)| edge.from == place) {
            let potential = at[&place].wrapping_add(change.by) & mask(bits);
            match graph.locations[edge.to].kind {
                LocationKind::Running => match at.get(&edge.to) {
                    Some(known) if *known != potential => return None,
                    Some(_) => {}
                    None => {
                        at.insert(edge.to, potential);
                        waiting.push(edge.to);
                    }
                },
                LocationKind::Ended => {
                    if *end.get_or_insert(potential) != potential {
                        return None;
                    }
                }
                // The run is over.
                LocationKind::ProcessEnded | LocationKind::Error { .. } | LocationKind::Unchecked { .. } => {}
            }
        }
    }
    Some((at, end.unwrap_or(0)))
}

/// Candidates about a thread at a place: balances, and how many threads there are.
pub fn candidates(system: &mut System, balances: &[Balance], at: At) -> Vec<Term> {
    let mut found = Vec::new();
    for balance in balances {
        let terms = &mut system.terms;
        found.push(terms.eq(balance.variable, balance.sum));
        found.push(terms.sle(balance.variable, balance.sum));
        found.push(terms.sle(balance.sum, balance.variable));
        for &(template, local, by) in &balance.writers {
            if template == at.0 {
                let sum = terms.add(balance.sum, by);
                found.extend([terms.eq(local, sum), terms.sle(local, sum), terms.sle(sum, local)]);
            }
        }
    }
    for template in system.templates.keys().collect::<Vec<_>>() {
        let Some((alive, created)) = crate::counters::alive_and_created(system, template) else { continue };
        let terms = &mut system.terms;
        let (zero, one) = (terms.constant(BITS, 0), terms.constant(BITS, 1));
        found.extend([terms.sle(alive, created), terms.sle(zero, created), terms.eq(created, zero)]);
        found.extend([terms.ule(created, one), terms.ule(alive, one)]);
    }
    let locals: Vec<Term> = (system.templates[at.0].locals.values())
        .filter(|local| local.bits == BITS && local.role != Role::Number)
        .map(|local| local.copies[0])
        .collect();
    let shared: Vec<Term> = (system.shared.values())
        .filter(|shared| shared.bits == BITS && shared.role != Role::Ghost)
        .map(|shared| shared.copies[0])
        .collect();
    let mut created: Vec<SharedId> = system.counters.created.values().copied().collect();
    created.sort_unstable();
    for created in created.into_iter().map(|created| system.shared[created].copies[0]).collect::<Vec<_>>() {
        for &other in locals.iter().chain(&shared) {
            let terms = &mut system.terms;
            let one = terms.constant(BITS, 1);
            let next = terms.add(other, one);
            found.extend([terms.eq(created, other), terms.eq(created, next), terms.sle(created, other)]);
        }
    }
    found
}
