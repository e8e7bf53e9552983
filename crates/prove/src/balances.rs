//! Balances: what a variable is, by how many threads stand where.
//!
//! If every step of a thread changes `x` by a number that depends on the step only, then each place has a potential, by how
//! much a thread has changed `x` until it stands there (by how much at least and at most, if ways differ); and `x` is its first value,
//! plus the potentials of all threads. Places with the same potentials are counted together. With
//! `counters.rs` that is a statement about one state: `x = first + Σ potential(place) · threads(place)`, which is a place invariant
//! as Petri nets have them. A lock by hand is such a variable (how many hold it: at most one), and so is a count of those who are
//! inside, of those who have begun, or of what is left to do.
//!
//! *Lost updates.* Where `x` is read in one step and written in another, others come between, and `x` changes by at most as much as
//! was added to what was read: then `x` is at most the sum, and so is the local, with its addition.
//!
//! All this only proposes candidates; `houdini.rs` finds out which of them hold.

use crate::counters::{BITS, count_threads, resized};
use crate::expression::parts;
use crate::houdini::Statements;
use crate::invariant::At;
use crate::owners::first_value;
use crate::rules::Subject;
use crate::system::{Edge, LocalId, LocationId, LocationKind, Place, Role, SharedId, System, TemplateId};
use hashbrown::HashMap;
use selvedge_formula::{Node, Term, Terms, mask, signed};
use std::collections::BTreeMap;

/// The most groups of places that are counted.
const GROUPS: usize = 24;

/// A variable, and the sums that it may be between.
pub struct Balance {
    pub variable: Term,
    pub least: Term,
    pub most: Term,
    /// Locals from which it is written, and what was added to it for them.
    pub writers: Vec<(TemplateId, Term, Term)>,
}

/// By how much an edge changes a variable, modulo a power of two; and the local that it is written from.
struct Change {
    by: u128,
    writer: Option<LocalId>,
}

/// The changes to a variable that threads have made on the way to where they stand.
struct Potentials {
    variable: SharedId,
    first: u128,
    /// The least and the most at each place, less what it is in the end.
    at: HashMap<At, [u128; 2]>,
    /// In the end.
    end: HashMap<TemplateId, [u128; 2]>,
    writers: Vec<(TemplateId, Term, Term)>,
}

/// All balances of a system. Threads are counted for them: where that makes a difference.
pub fn balances(system: &mut System, known: &Statements) -> Vec<Balance> {
    let variables: Vec<SharedId> = (system.shared.iter())
        .filter(|(_, variable)| variable.role != Role::Ghost && variable.bits <= 2 * BITS)
        .map(|(id, _)| id)
        .collect();
    let all: Vec<Potentials> =
        variables.into_iter().filter_map(|variable| Potentials::of(system, known, variable)).collect();
    let mut groups: BTreeMap<(TemplateId, Vec<[u128; 2]>), Vec<At>> = BTreeMap::new();
    for at in system.places().collect::<Vec<_>>() {
        let potentials: Vec<[u128; 2]> = all.iter().map(|of| of.at.get(&at).copied().unwrap_or_default()).collect();
        if potentials.iter().flatten().any(|potential| *potential != 0) {
            groups.entry((at.0, potentials)).or_default().push(at);
        }
    }
    let groups: Vec<Vec<At>> = groups.into_values().collect();
    if all.is_empty() || groups.len() > GROUPS {
        return Vec::new();
    }
    count_threads(system, &groups);
    all.into_iter().map(|potentials| potentials.balance(system, &groups)).collect()
}

impl Potentials {
    fn of(system: &mut System, known: &Statements, variable: SharedId) -> Option<Potentials> {
        let term = system.shared[variable].copies[0];
        let bits = system.terms.bits(term);
        let first = first_value(system, term)?;
        let mut found = Potentials { variable, first, at: HashMap::new(), end: HashMap::new(), writers: Vec::new() };
        let mut is_written = false;
        for template in system.templates.keys().collect::<Vec<_>>() {
            let changes = changes(system, known, variable, template)?;
            is_written |= changes.iter().any(|change| change.by != 0);
            for change in &changes {
                if let Some(local) = change.writer {
                    let local = system.templates[template].locals[local].copies[0];
                    let by = system.terms.constant(bits, change.by);
                    if !found.writers.contains(&(template, local, by)) {
                        found.writers.push((template, local, by));
                    }
                }
            }
            let least = potentials(system, template, &changes, bits, |new, old| new < old)?;
            let most = potentials(system, template, &changes, bits, |new, old| new > old)?;
            let end = [least.1, most.1];
            // Whoever is no longer alive has the potential of the end, and counts as created.
            for (place, of_place) in least.0 {
                let both =
                    [of_place.wrapping_sub(end[0]) & mask(bits), most.0[&place].wrapping_sub(end[1]) & mask(bits)];
                found.at.insert((template, place), both);
            }
            found.end.insert(template, end);
        }
        is_written.then_some(found)
    }

    fn balance(self, system: &mut System, groups: &[Vec<At>]) -> Balance {
        let variable = system.shared[self.variable].copies[0];
        let [least, most] = [0, 1].map(|side| {
            let bits = system.terms.bits(variable);
            let mut sum = system.terms.constant(bits, self.first);
            let mut summands: Vec<(SharedId, u128)> = Vec::new();
            for group in groups {
                let Some(&counter) = system.counters.at.get(&group[0]) else { continue };
                summands.push((counter, self.at.get(&group[0]).map_or(0, |both| both[side])));
            }
            for (template, end) in &self.end {
                match system.counters.created.get(template) {
                    Some(&created) => summands.push((created, end[side])),
                    None => {
                        let end = system.terms.constant(bits, end[side]);
                        sum = system.terms.add(sum, end);
                    }
                }
            }
            summands.sort_unstable();
            for (counter, factor) in summands.into_iter().filter(|(_, factor)| *factor != 0) {
                let counter = system.shared[counter].copies[0];
                let terms = &mut system.terms;
                let counter = resized(terms, counter, bits);
                sum = match factor {
                    1 => terms.add(sum, counter),
                    minus_one if minus_one == mask(bits) => terms.sub(sum, counter),
                    many => {
                        let many = terms.constant(bits, many);
                        let summand = terms.mul(counter, many);
                        terms.add(sum, summand)
                    }
                };
            }
            sum
        });
        Balance { variable, least, most, writers: self.writers }
    }
}

/// The constant that each edge of a template adds. None: for some edge it is not constant.
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

/// The constant that is added to a variable to get a value, if there is one.
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

/// By how much a thread has changed a variable when it stands at a place, and when it has ended, by the ways for which that is
/// better. None: it changes it again and again.
fn potentials(
    system: &System,
    template: TemplateId,
    changes: &[Change],
    bits: u32,
    is_better: impl Fn(i128, i128) -> bool,
) -> Option<(HashMap<LocationId, u128>, u128)> {
    let graph = &system.templates[template];
    let first = system.first(template);
    let mut at: HashMap<LocationId, i128> = [(first, 0)].into();
    let mut waiting = vec![first];
    let mut end: Option<i128> = None;
    let mut left = graph.locations.len() * graph.edges.len() + 1;
    while let Some(place) = waiting.pop() {
        left = left.checked_sub(1)?;
        for (edge, change) in graph.edges.iter().zip(changes).filter(|(edge, _)| edge.from == place) {
            let potential = at[&place].checked_add(signed(bits, change.by))?;
            let is_new = |old: Option<i128>| old.is_none_or(|old| is_better(potential, old));
            match graph.locations[edge.to].kind {
                LocationKind::Running if is_new(at.get(&edge.to).copied()) => {
                    at.insert(edge.to, potential);
                    waiting.push(edge.to);
                }
                LocationKind::Ended if is_new(end) => end = Some(potential),
                LocationKind::Running | LocationKind::Ended => {}
                // The run is over.
                LocationKind::ProcessEnded | LocationKind::Error { .. } | LocationKind::Unchecked { .. } => {}
            }
        }
    }
    let within = |potential: i128| potential.cast_unsigned() & mask(bits);
    Some((at.into_iter().map(|(place, potential)| (place, within(potential))).collect(), within(end.unwrap_or(0))))
}

/// Candidates about a thread at a place: balances, and how many threads there are.
pub fn candidates(system: &mut System, balances: &[Balance], at: At) -> Vec<Term> {
    let mut found = Vec::new();
    for balance in balances {
        let terms = &mut system.terms;
        let is_one = balance.least == balance.most;
        found.extend(is_one.then(|| terms.eq(balance.variable, balance.most)));
        found.push(terms.sle(balance.variable, balance.most));
        found.push(terms.sle(balance.least, balance.variable));
        for &(template, local, by) in &balance.writers {
            if template == at.0 {
                let [least, most] = [balance.least, balance.most].map(|sum| terms.add(sum, by));
                found.extend([terms.sle(local, most), terms.sle(least, local)]);
            }
        }
    }
    for template in system.templates.keys().collect::<Vec<_>>() {
        let Some((alive, created)) = crate::counters::alive_and_created(system, template) else { continue };
        let terms = &mut system.terms;
        let (zero, one) = (terms.constant(BITS, 0), terms.constant(BITS, 1));
        found.extend([terms.sle(alive, created), terms.sle(zero, created), terms.eq(created, zero)]);
        found.extend([terms.ule(created, one), terms.ule(alive, one)]);
        found.extend([terms.eq(created, one), terms.eq(alive, one)]);
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
