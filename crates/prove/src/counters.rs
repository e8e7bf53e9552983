//! Counting threads: ghosts that say how many threads stand at some places, and how many of a template there have been.
//!
//! A statement about one thread cannot say that there are as many increments to come as there are threads; one that
//! speaks of counters can (Farzan, Kincaid, Podelski: Proofs that count, POPL 2014; the place invariants of Petri nets,
//! Lautenbach 1973). Counters have an axiom: a thread in view is counted where it stands ([`about`]). It holds because
//! every edge counts exactly the threads that it moves and creates, which [`problems`] checks of every system that a
//! proof is about.
//!
//! Counters have as many bits as it takes for sums of them not to wrap around: less than [`MOST`] threads live at the
//! same time, as many as Linux can give numbers to. The number of all that there have been is not limited, and has no
//! axiom.

use crate::invariant::At;
use crate::owners::first_value;
use crate::system::{COPIES, Edge, LocationKind, Place, Role, SharedId, System, TemplateId, Variable};
use hashbrown::HashMap;
use selvedge_formula::{Term, Terms};

pub const BITS: u32 = 32;
/// No place has as many threads at the same time.
pub const MOST: u128 = 1 << 22;
/// The ghosts that count, by what they count.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// The threads that stand at a place, or at others that are counted together with it. Not all places are counted.
    pub at: HashMap<At, SharedId>,
    /// All threads of a template there have been. Of main there is always one.
    pub created: HashMap<TemplateId, SharedId>,
}

/// Adds a counter for each group of places. Places that are not running count nobody.
pub fn count_threads(system: &mut System, groups: &[Vec<At>]) {
    for group in groups {
        let Some(&(template, location)) = group.first() else { continue };
        let name = format!("threads({} at {})", system.templates[template].name, location.as_u32());
        let first = u128::from(group.contains(&(system.main, system.first(system.main))));
        let counter = add(system, name, first);
        for &at in group.iter().filter(|&&at| is_counted(system, at)).collect::<Vec<_>>() {
            system.counters.at.insert(at, counter);
        }
    }
    for template in system.templates.keys().filter(|&id| id != system.main).collect::<Vec<_>>() {
        let counter = add(system, format!("threads({})", system.templates[template].name), 0);
        system.counters.created.insert(template, counter);
    }
    for template in system.templates.keys().collect::<Vec<_>>() {
        for index in 0..system.templates[template].edges.len() {
            let edge = system.templates[template].edges[index].clone();
            let mut counts: Vec<(SharedId, Term)> = changes(system, template, &edge).into_iter().collect();
            counts.sort_unstable();
            let counts = counts.into_iter().map(|(counter, value)| (Place::Shared(counter), value));
            system.templates[template].edges[index].updates.extend(counts);
        }
    }
}

fn is_counted(system: &System, (template, location): At) -> bool {
    system.templates[template].locations[location].kind == LocationKind::Running
}

fn add(system: &mut System, name: String, first: u128) -> SharedId {
    let term = system.terms.variable(BITS, name.clone());
    let value = system.terms.constant(BITS, first);
    let first = system.terms.eq(term, value);
    system.initial = system.terms.and(system.initial, first);
    system.shared.push(Variable { name, bits: BITS, copies: [term; COPIES], role: Role::Ghost })
}

/// The counters that an edge changes, and their new values.
fn changes(system: &mut System, template: TemplateId, edge: &Edge) -> HashMap<SharedId, Term> {
    let counter = |system: &System, at: At| system.counters.at.get(&at).copied();
    let mut by: HashMap<SharedId, i32> = HashMap::new();
    let mut count = |counter: Option<SharedId>, number: i32| {
        if let Some(counter) = counter {
            *by.entry(counter).or_default() += number;
        }
    };
    count(counter(system, (template, edge.from)), -1);
    count(counter(system, (template, edge.to)), 1);
    for spawn in &edge.spawns {
        count(counter(system, (spawn.template, system.first(spawn.template))), 1);
        count(system.counters.created.get(&spawn.template).copied(), 1);
    }
    let mut values = HashMap::new();
    for (counter, by) in by.into_iter().filter(|(_, by)| *by != 0) {
        let by = system.terms.constant(BITS, u128::from(by.cast_unsigned()));
        let before = system.shared[counter].copies[0];
        values.insert(counter, system.terms.add(before, by));
    }
    values
}

/// Facts about counters that hold while threads stand at these places.
pub fn about(system: &mut System, view: impl IntoIterator<Item = At>) -> Vec<Term> {
    let mut threads: HashMap<SharedId, u128> = HashMap::new();
    for at in view {
        if let Some(&counter) = system.counters.at.get(&at) {
            *threads.entry(counter).or_default() += 1;
        }
    }
    let mut certain = Vec::new();
    for counter in counters(system) {
        let now = system.shared[counter].copies[0];
        let most = system.terms.constant(BITS, MOST);
        certain.push(system.terms.ult(now, most));
        if let Some(&there) = threads.get(&counter) {
            let there = system.terms.constant(BITS, there);
            certain.push(system.terms.ule(there, now));
        }
    }
    certain
}

/// All counters of places, in order.
pub fn counters(system: &System) -> Vec<SharedId> {
    let mut all: Vec<SharedId> = system.counters.at.values().copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Whatever would make the axiom wrong.
pub fn problems(system: &mut System) -> Vec<String> {
    let mut problems = Vec::new();
    let begins = system.counters.at.get(&(system.main, system.first(system.main))).copied();
    let counters = counters(system);
    for &counter in &counters {
        let variable = &system.shared[counter];
        let first = u128::from(begins == Some(counter));
        if variable.bits != BITS || first_value(system, variable.copies[0]) != Some(first) {
            problems.push(format!("{} does not begin with {first}", variable.name));
        }
    }
    for (template, index) in system.edges().collect::<Vec<_>>() {
        let edge = system.templates[template].edges[index].clone();
        let expected = changes(system, template, &edge);
        for &counter in &counters {
            let written =
                edge.updates.iter().find(|(place, _)| *place == Place::Shared(counter)).map(|update| update.1);
            let before = system.shared[counter].copies[0];
            if written.unwrap_or(before) != expected.get(&counter).copied().unwrap_or(before) {
                problems.push(format!("edge {index} of {template} miscounts {}", system.shared[counter].name));
            }
        }
    }
    let is_wrong = |at: &&At| !is_counted(system, **at);
    problems.extend(system.counters.at.keys().filter(is_wrong).map(|at| format!("nobody stands at {at:?}")));
    problems.sort_unstable();
    problems
}

/// The threads of a template that are counted just now, and how many there have been.
pub fn alive_and_created(system: &mut System, template: TemplateId) -> Option<(Term, Term)> {
    let created = match system.counters.created.get(&template) {
        Some(&created) => system.shared[created].copies[0],
        None if template == system.main => system.terms.constant(BITS, 1),
        None => return None,
    };
    let mut of_template: Vec<SharedId> =
        system.counters.at.iter().filter(|(at, _)| at.0 == template).map(|(_, counter)| *counter).collect();
    of_template.sort_unstable();
    of_template.dedup();
    let zero = system.terms.constant(BITS, 0);
    let all = of_template.into_iter().map(|counter| system.shared[counter].copies[0]).collect::<Vec<_>>();
    let alive = all.into_iter().fold(zero, |sum, counter| system.terms.add(sum, counter));
    Some((alive, created))
}

/// A term of so many bits that is equal to a counter modulo their power of two.
pub fn resized(terms: &mut Terms, counter: Term, bits: u32) -> Term {
    if bits <= BITS { terms.extract(counter, 0, bits) } else { terms.zero_extend(counter, bits) }
}
