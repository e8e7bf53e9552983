//! Balances: what a variable is, by how many threads stand where.
//!
//! If every step of a thread changes `x` by a number that depends on the step only, then each place has a potential, by
//! how much a thread has changed `x` until it stands there (by how much at least and at most, if ways differ); and `x`
//! is its first value, plus the potentials of all threads. Places with the same potentials are counted together. With
//! `counters.rs` that is a statement about one state: `x = first + Σ potential(place) · threads(place)`, which is a
//! place invariant as Petri nets have them. A lock by hand is such a variable (how many hold it: at most one), and so
//! is a count of those who are inside, of those who have begun, or of what is left to do.
//!
//! *Lost updates.* Where `x` is read in one step and written in another, others come between, and `x` changes by at
//! most as much as was added to what was read: then `x` is at most the sum, and so is the local, with its addition.
//!
//! *Variables of two kinds.* The word of a read-write lock counts readers, or names a writer. Its changes are not
//! constant in all of their ways; those that would leave nothing behind when a thread has ended are guessed, and the
//! sum is what the variable is while some comparison of the program holds; while another one holds, nobody stands at
//! the counted places ([`Balance::is_certain`]).
//!
//! All this only proposes candidates; `houdini.rs` finds out which of them hold.

use crate::counters::{BITS, count_threads, resized};
use crate::expression::parts;
use crate::houdini::Statements;
use crate::invariant::At;
use crate::live::variables;
use crate::owners::first_value;
use crate::rules::Subject;
use crate::system::{Edge, LocalId, LocationId, LocationKind, Place, Role, SharedId, System, TemplateId};
use hashbrown::HashMap;
use selvedge_formula::{Node, Term, Terms, mask, signed};
use std::collections::BTreeMap;

/// The most groups of places that are counted.
const GROUPS: usize = 24;
/// The most changes of a thread that are guessed.
const GUESSES: usize = 6;
/// The most comparisons under which such a sum may hold.
const ATOMS: usize = 12;

/// A variable, and the sums that it may be between.
pub struct Balance {
    pub variable: Term,
    pub least: Term,
    pub most: Term,
    /// Locals from which it is written, and what was added to it for them.
    pub writers: Vec<(TemplateId, Term, Term)>,
    /// No change had to be guessed.
    pub is_certain: bool,
}

/// By how much an edge changes a variable, modulo a power of two; and the local that it is written from.
#[derive(Clone, Copy)]
struct Change {
    by: u128,
    writer: Option<LocalId>,
}

/// What is known of the change that an edge makes.
enum Choice {
    Certain(Change),
    /// It is not constant; one of these is to be guessed.
    OneOf(Vec<u128>),
}

impl Choice {
    fn is_certain(&self) -> bool {
        matches!(self, Choice::Certain(_))
    }

    fn ways(&self) -> Vec<Change> {
        match self {
            Choice::Certain(change) => vec![*change],
            Choice::OneOf(all) => all.iter().map(|&by| Change { by, writer: None }).collect(),
        }
    }
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
    is_certain: bool,
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
        let mut found = Potentials {
            variable,
            first,
            at: HashMap::new(),
            end: HashMap::new(),
            writers: Vec::new(),
            is_certain: true,
        };
        let mut is_written = false;
        for template in system.templates.keys().collect::<Vec<_>>() {
            let choices = choices(system, known, variable, template)?;
            let is_certain = choices.iter().all(Choice::is_certain);
            found.is_certain &= is_certain;
            let (changes, [least, most]) = combinations(&choices)?.into_iter().find_map(|changes| {
                let least = potentials(system, template, &changes, bits, |new, old| new < old)?;
                let most = potentials(system, template, &changes, bits, |new, old| new > old)?;
                let leaves_nothing = least == most && least.1 == 0;
                (is_certain || leaves_nothing).then_some((changes, [least, most]))
            })?;
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
            let end = [least.1, most.1];
            // Whoever is no longer alive has the potential of the end, and counts as created.
            for (place, of_place) in least.0 {
                let both =
                    [of_place.wrapping_sub(end[0]) & mask(bits), most.0[&place].wrapping_sub(end[1]) & mask(bits)];
                found.at.insert((template, place), both);
            }
            found.end.insert(template, end);
        }
        let leaves_nothing = found.end.values().flatten().all(|end| *end == 0);
        (is_written && (found.is_certain || leaves_nothing)).then_some(found)
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
        Balance { variable, least, most, writers: self.writers, is_certain: self.is_certain }
    }
}

/// All ways to choose, if they are few.
fn combinations(choices: &[Choice]) -> Option<Vec<Vec<Change>>> {
    if choices.iter().filter(|choice| !choice.is_certain()).count() > GUESSES {
        return None;
    }
    let mut all: Vec<Vec<Change>> = vec![Vec::new()];
    for choice in choices {
        let longer = |some: &Vec<Change>| {
            let some = some.clone();
            let ways = choice.ways().into_iter();
            ways.map(move |change| some.iter().copied().chain([change]).collect()).collect::<Vec<Vec<Change>>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    Some(all)
}

/// The constants that each edge of a template may add. None: for some edge it is not constant.
fn choices(system: &mut System, known: &Statements, id: SharedId, template: TemplateId) -> Option<Vec<Choice>> {
    let mut found = Vec::new();
    for index in 0..system.templates[template].edges.len() {
        let edge = system.templates[template].edges[index].clone();
        let written = edge.updates.iter().find(|(place, _)| *place == Place::Shared(id)).map(|update| update.1);
        found.push(match written {
            None => Choice::Certain(Change { by: 0, writer: None }),
            Some(value) => choice(system, known, id, (template, &edge), value)?,
        });
    }
    Some(found)
}

fn choice(
    system: &mut System,
    known: &Statements,
    id: SharedId,
    (template, edge): (TemplateId, &Edge),
    value: Term,
) -> Option<Choice> {
    let variable = system.shared[id].copies[0];
    let mut facts = parts(&system.terms, edge.guard);
    facts.extend(known.get(&Subject::One((template, edge.from))).into_iter().flatten().copied());
    if facts.contains(&Terms::FALSE) {
        return Some(Choice::Certain(Change { by: 0, writer: None }));
    }
    let value = decided(&mut system.terms, value, &facts);
    if let Some(by) = added(&mut system.terms, value, variable, &facts) {
        return Some(Choice::Certain(Change { by, writer: None }));
    }
    if let Some(change) = copied(system, (template, value), variable) {
        return change.map(Choice::Certain);
    }
    let mut ways: Vec<u128> = sums(&mut system.terms, value, variable).into_iter().flatten().collect();
    ways.sort_unstable();
    ways.dedup();
    ways.retain(|by| *by != 0);
    // Nothing that is left behind is a guess of its own, but the last.
    ways.push(0);
    Some(Choice::OneOf(ways))
}

/// What a local that is written into a variable was read as, and what was added meanwhile. The outer None: it is no
/// local.
fn copied(system: &mut System, (template, value): (TemplateId, Term), variable: Term) -> Option<Option<Change>> {
    let (local, _) = system.templates[template].locals.iter().find(|(_, local)| local.copies[0] == value)?;
    let mut by = None;
    for edge in system.templates[template].edges.clone() {
        for (place, value) in &edge.updates {
            if *place == Place::Local(local) {
                let Some(more) = added(&mut system.terms, *value, variable, &[]) else { return Some(None) };
                if *by.get_or_insert(more) != more {
                    return Some(None);
                }
            }
        }
    }
    Some(by.map(|by| Change { by, writer: Some(local) }))
}

/// The constants that are added to a variable, by the ways in which a value comes about. None: it is no such sum.
fn sums(terms: &mut Terms, value: Term, variable: Term) -> Vec<Option<u128>> {
    let bits = terms.bits(value);
    match terms.node(value) {
        _ if value == variable => vec![Some(0)],
        Node::Ite(_, yes, no) => {
            let mut all = sums(terms, yes, variable);
            all.extend(sums(terms, no, variable));
            all
        }
        Node::Add(a, b) => match (terms.as_constant(a), terms.as_constant(b)) {
            (Some(more), None) => plus(sums(terms, b, variable), more, bits),
            (None, Some(more)) => plus(sums(terms, a, variable), more, bits),
            _ => vec![None],
        },
        _ => vec![None],
    }
}

fn plus(sums: Vec<Option<u128>>, more: u128, bits: u32) -> Vec<Option<u128>> {
    sums.into_iter().map(|sum| sum.map(|sum| sum.wrapping_add(more) & mask(bits))).collect()
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

/// By how much a thread has changed a variable when it stands at a place, and when it has ended, by the ways for which
/// that is better. None: it changes it again and again.
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

/// A sum that was guessed is right while some comparison of its variable holds, and zero while another one does.
fn guesses(terms: &mut Terms, balance: &Balance, atoms: &[Term]) -> Vec<Term> {
    let zero = terms.constant(terms.bits(balance.most), 0);
    let (is_sum, is_nobody) = (terms.eq(balance.variable, balance.most), terms.eq(balance.most, zero));
    let about = atoms.iter().copied().filter(|&atom| variables(terms, [atom])[..] == [balance.variable]);
    let about: Vec<Term> = about.take(ATOMS).collect();
    let mut found = vec![is_sum];
    for atom in about {
        for when in [atom, terms.not(atom)] {
            found.extend([terms.implies(when, is_sum), terms.implies(when, is_nobody)]);
        }
    }
    found
}

/// Candidates about a thread at a place: balances, and how many threads there are. `atoms`: comparisons of the program.
pub fn candidates(system: &mut System, balances: &[Balance], atoms: &[Term], at: At) -> Vec<Term> {
    let mut found = Vec::new();
    for balance in balances.iter().filter(|balance| !balance.is_certain) {
        found.extend(guesses(&mut system.terms, balance, atoms));
    }
    for balance in balances.iter().filter(|balance| balance.is_certain) {
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
