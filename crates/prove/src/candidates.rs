//! Candidates for statements, from the program's own words.
//!
//! The vocabulary of a proof is found in the program in most cases: the atoms of its guards and assertions, its
//! constants, pairs of variables that are compared with or copied to each other, and its locks. `houdini.rs` finds out
//! which of them hold.
//!
//! | plan | about a thread | about a pair |
//! |---|---|---|
//! | locks | who holds which lock; who has begun; constants of small variables | |
//! | words | in addition: atoms of guards, `x = c`, `x ≤ c`, `x ≤ y`; each also under "the lock is free" | |
//! | sums | `x + y` and `x - y` are as in the beginning, or differ by a local; also under "the lock is free" | |
//! | counts | in addition: balances, and how many threads there are (`balances.rs`) | |
//! | pairs | | never both here; `xᵢ ≠ xⱼ`, `xᵢ ≤ xⱼ` for the locals of both |

mod classes;

use crate::balances::{self, Balance};
use crate::counters;
use crate::houdini::Statements;
use crate::invariant::At;
use crate::live::{live_locals, variables};
use crate::owners::{Lock, first_value, leaves};
use crate::rules::{Level, Subject, subjects};
use crate::system::{Place, Role, SharedId, System, substitute};
use classes::{Classes, relate};
use hashbrown::{HashMap, HashSet};
use selvedge_formula::{Node, Term, Terms, mask};

/// The most constants that one variable is compared with.
const CONSTANTS: usize = 6;
/// The most constants that a number of threads is compared with.
const MANY: usize = 12;
/// The most comparisons, with those of variables that are alike.
const ATOMS: usize = 200;
/// The most sums of shared variables.
const SUMS: usize = 12;
/// The most values of small variables whose consequences are looked for.
const PHASES: usize = 16;
/// The least number that is something's limit, and not a state that it is in.
const LIMIT: u128 = 4;
/// The most pairs of variables at one location.
const PAIRS: usize = 40;

/// How much is tried.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Plan {
    Locks,
    Words,
    Sums,
    Counts,
    Pairs,
}

/// Which variables are compared with or copied to each other: each, as copy 0, has the number of its class.
pub fn classes(system: &System) -> HashMap<Term, usize> {
    Words::of(system).class
}

/// The atoms of the program about its variables; locals stand for all threads of their template, as copy 0.
struct Words {
    /// Variables that are compared or copied belong together: each has the number of its class.
    class: HashMap<Term, usize>,
    constants: HashMap<usize, Vec<u128>>,
    /// The numbers of some size that each variable is compared with or set to: who has one in common may count the same
    /// things.
    limits: HashMap<Term, HashSet<u128>>,
    /// Comparisons that stand in guards and choices, without inputs.
    atoms: Vec<Term>,
    /// All shared variables, in order.
    shared: Vec<Term>,
    live: HashMap<At, HashSet<Term>>,
    /// Locals that are compared with shared variables: worth speaking of even where nobody reads them again.
    compared: Vec<Term>,
}

/// Candidates for every subject, `false` first.
pub fn candidates(system: &mut System, known: &[Lock], balances: &[Balance], plan: Plan) -> Statements {
    let mut words = Words::of(system);
    words.say_of_others(system);
    let level = if plan == Plan::Pairs { Level::Two } else { Level::One };
    let mut all = Statements::new();
    for subject in subjects(system, level) {
        let mut found = Found { seen: HashSet::new(), list: Vec::new() };
        found.add(Terms::FALSE);
        if subject.runs(system) {
            match subject {
                Subject::One(at) => {
                    locks(system, &words, known, at, &mut found);
                    if plan == Plan::Sums {
                        let sums = words.sums(system, known, at);
                        sums.into_iter().for_each(|word| found.add(word));
                    } else if plan >= Plan::Words {
                        words.about_one(system, known, at, &mut found);
                    }
                    if plan == Plan::Pairs {
                        words.about_entering(system, at).into_iter().for_each(|word| found.add(word));
                    }
                    if plan >= Plan::Counts {
                        let counted = balances::candidates(system, balances, &words.atoms, at);
                        let phases = words.about_phases(system);
                        let counted = counted.into_iter().chain(words.about_counters(system)).chain(phases);
                        counted.for_each(|word| found.add(word));
                    }
                }
                Subject::Two(one, other) => words.about_two(system, one, other, &mut found),
            }
        }
        all.insert(subject, found.list);
    }
    all
}

struct Found {
    seen: HashSet<Term>,
    list: Vec<Term>,
}

impl Found {
    fn add(&mut self, term: Term) {
        if term != Terms::TRUE && self.seen.insert(term) {
            self.list.push(term);
        }
    }
}

/// Holders of locks, threads that have begun, and the values of small variables.
fn locks(system: &mut System, words: &Words, known: &[Lock], at: At, found: &mut Found) {
    // Threads that have begun, and those that have ended.
    let ghosts = system.shared.values().filter(|variable| variable.role == Role::Ghost && variable.bits == 1);
    for ghost in ghosts.map(|variable| variable.copies[0]).collect::<Vec<_>>() {
        found.add(ghost);
        found.add(system.terms.not(ghost));
    }
    let mut flags: Vec<Term> = words.live_at(at).filter(|&local| words.few(local)).collect();
    flags.sort_unstable();
    for lock in known {
        let held = lock.is_held_by(system, (at.0, 0));
        found.add(held);
        // A test-and-set says afterwards whether it was successful.
        for &flag in &flags {
            for condition in words.values_of(system, flag) {
                found.add(system.terms.implies(condition, held));
            }
        }
    }
    let small: Vec<Term> = words.shared.iter().copied().chain(flags).filter(|&variable| words.few(variable)).collect();
    for variable in small {
        for condition in words.values_of(system, variable) {
            found.add(condition);
            found.add(system.terms.not(condition));
        }
    }
}

impl Words {
    fn of(system: &System) -> Words {
        let terms = &system.terms;
        let mut own: Vec<Term> = system.shared.values().map(|variable| variable.copies[0]).collect();
        let shared: Vec<Term> =
            system.shared.values().filter(|variable| variable.role != Role::Ghost).map(|v| v.copies[0]).collect();
        own.extend(
            system.templates.values().flat_map(|template| template.locals.values().map(|local| local.copies[0])),
        );
        let known: HashSet<Term> = own.iter().copied().collect();
        let mut classes = Classes::default();
        let mut constants: Vec<(Term, u128)> = Vec::new();
        let mut atoms = Vec::new();
        let mut roots = vec![system.initial];
        for template in system.templates.values() {
            for edge in &template.edges {
                roots.push(edge.guard);
                let local = |place: Place| match place {
                    Place::Shared(shared) => system.shared[shared].copies[0],
                    Place::Local(local) => template.locals[local].copies[0],
                };
                let begun = edge.spawns.iter().flat_map(|spawn| {
                    let locals = &system.templates[spawn.template].locals;
                    spawn.arguments.iter().map(|&(local, value)| (locals[local].copies[0], value))
                });
                let written = edge.updates.iter().map(|&(place, value)| (local(place), value));
                for (variable, value) in written.chain(begun) {
                    roots.push(value);
                    for leaf in leaves(terms, value) {
                        relate(terms, &known, &mut classes, &mut constants, variable, leaf);
                    }
                }
            }
        }
        for term in terms.cone(roots) {
            let (a, b) = match terms.node(term) {
                Node::Eq(a, b) | Node::Ult(a, b) | Node::Slt(a, b) => (a, b),
                // A bit of a number.
                Node::Extract { of, bits: 1, .. } => (of, of),
                _ => continue,
            };
            if variables(terms, [term]).iter().all(|variable| known.contains(variable)) {
                atoms.push(term);
            }
            for (one, other) in [(a, b), (b, a)] {
                if known.contains(&one) {
                    relate(terms, &known, &mut classes, &mut constants, one, other);
                }
            }
        }
        let class: HashMap<Term, usize> =
            own.iter().map(|&variable| (variable, classes.find(variable).index())).collect();
        let mut by_class: HashMap<usize, Vec<u128>> = HashMap::new();
        let mut limits: HashMap<Term, HashSet<u128>> = HashMap::new();
        for (variable, value) in constants {
            if value >= LIMIT && value < mask(terms.bits(variable)) {
                limits.entry(variable).or_default().insert(value);
            }
            let values = by_class.entry(class[&variable]).or_default();
            if !values.contains(&value) && values.len() < CONSTANTS {
                values.push(value);
            }
        }
        let mut compared: Vec<Term> = Vec::new();
        for &atom in &atoms {
            let (of_all, own): (Vec<Term>, Vec<Term>) =
                variables(terms, [atom]).into_iter().partition(|variable| shared.contains(variable));
            if !of_all.is_empty() {
                compared.extend(own);
            }
        }
        compared.sort_unstable();
        compared.dedup();
        Words { class, constants: by_class, limits, atoms, shared, live: live_locals(system), compared }
    }

    /// An atom about one variable may hold for others that it is copied to or from.
    fn say_of_others(&mut self, system: &mut System) {
        for atom in self.atoms.clone() {
            let [variable] = variables(&system.terms, [atom])[..] else { continue };
            for &other in self.class.keys().collect::<Vec<_>>() {
                let is_alike = other != variable && self.class.get(&other) == self.class.get(&variable);
                if is_alike && system.terms.bits(other) == system.terms.bits(variable) && self.atoms.len() < ATOMS {
                    let said = substitute(&mut system.terms, atom, &[(variable, other)]);
                    if !self.atoms.contains(&said) {
                        self.atoms.push(said);
                    }
                }
            }
        }
        // Classes have no order.
        self.atoms.sort_unstable();
    }

    fn live_at(&self, at: At) -> impl Iterator<Item = Term> {
        self.live.get(&at).into_iter().flatten().copied()
    }

    /// The locals to speak of, in order.
    fn spoken_at(&self, system: &System, at: At) -> Vec<Term> {
        let own = system.templates[at.0].locals.values().map(|local| local.copies[0]);
        let mut locals: Vec<Term> = own.filter(|local| self.compared.contains(local)).chain(self.live_at(at)).collect();
        locals.sort_unstable();
        locals.dedup();
        locals
    }

    /// Whether a variable is compared with and set to few constants, so that naming one is a statement of use.
    fn few(&self, variable: Term) -> bool {
        self.class.get(&variable).and_then(|class| self.constants.get(class)).is_some_and(|all| all.len() <= 3)
    }

    /// `variable = c` for its constants.
    fn values_of(&self, system: &mut System, variable: Term) -> Vec<Term> {
        let bits = system.terms.bits(variable);
        let constants = self.class.get(&variable).and_then(|class| self.constants.get(class)).cloned();
        let each = constants.unwrap_or_default().into_iter().map(|value| {
            let value = system.terms.constant(bits, value);
            system.terms.eq(variable, value)
        });
        each.collect()
    }

    fn about_one(&self, system: &mut System, known: &[Lock], at: At, found: &mut Found) {
        let locals = self.spoken_at(system, at);
        let spoken: Vec<Term> = self.shared.iter().copied().chain(locals.iter().copied()).collect();
        let mut of_shared = Vec::new();
        let is_shared =
            |terms: &Terms, term: Term| variables(terms, [term]).iter().all(|variable| self.shared.contains(variable));
        let mut words = Vec::new();
        for &atom in &self.atoms {
            if variables(&system.terms, [atom]).iter().all(|variable| spoken.contains(variable)) {
                words.push(atom);
                words.push(system.terms.not(atom));
            }
        }
        for &variable in &spoken {
            words.extend(self.bounds(system, variable));
        }
        words.extend(self.relations(system, &spoken));
        for word in words {
            found.add(word);
            if is_shared(&system.terms, word) {
                of_shared.push(word);
            }
        }
        for lock in known {
            for &word in &of_shared {
                found.add(system.terms.implies(lock.free, word));
            }
        }
    }

    /// There have been so many threads of a template, at most.
    fn about_counters(&self, system: &mut System) -> Vec<Term> {
        let mut values: Vec<u128> = self.constants.values().flatten().copied().filter(|value| *value > 1).collect();
        values.sort_unstable();
        values.dedup();
        values.truncate(MANY);
        let mut created: Vec<SharedId> = system.counters.created.values().copied().collect();
        created.sort_unstable();
        let mut words = Vec::new();
        for counter in created {
            let counter = system.shared[counter].copies[0];
            for &value in &values {
                let value = system.terms.constant(counters::BITS, value);
                words.push(system.terms.sle(counter, value));
            }
        }
        words
    }

    /// If a local compares with a shared variable in a certain way, it is one's turn, say, then a small variable has a
    /// value.
    fn about_entering(&self, system: &mut System, at: At) -> Vec<Term> {
        let own = self.spoken_at(system, at);
        let spoken: Vec<Term> = self.shared.iter().chain(&own).copied().collect();
        let is_own = |system: &System, atom: Term| {
            let said = variables(&system.terms, [atom]);
            said.iter().any(|variable| own.contains(variable)) && said.iter().all(|variable| spoken.contains(variable))
        };
        let turns: Vec<Term> = self.atoms.iter().copied().filter(|&atom| is_own(system, atom)).take(PHASES).collect();
        let mut words = Vec::new();
        for &variable in self.shared.iter().filter(|&&variable| self.few(variable)) {
            for is in self.values_of(system, variable) {
                words.extend(turns.iter().map(|&turn| system.terms.implies(turn, is)).collect::<Vec<_>>());
            }
        }
        words
    }

    /// While a small variable has a value, another one has a certain value, or nobody stands at a certain place.
    fn about_phases(&self, system: &mut System) -> Vec<Term> {
        let mut phases: Vec<(Term, Term)> = Vec::new();
        for &variable in self.shared.iter().filter(|&&variable| self.few(variable)) {
            for is in self.values_of(system, variable) {
                phases.push((variable, is));
                phases.push((variable, system.terms.not(is)));
            }
        }
        phases.truncate(PHASES);
        let counters: Vec<Term> =
            counters::counters(system).into_iter().map(|counter| system.shared[counter].copies[0]).collect();
        let mut words = Vec::new();
        let terms = &mut system.terms;
        for &(variable, is) in &phases {
            words.extend(
                phases.iter().filter(|(other, _)| *other != variable).map(|&(_, then)| terms.implies(is, then)),
            );
            for &counter in &counters {
                let zero = terms.constant(counters::BITS, 0);
                let nobody = terms.eq(counter, zero);
                words.push(terms.implies(is, nobody));
            }
        }
        words
    }

    fn bounds(&self, system: &mut System, variable: Term) -> Vec<Term> {
        let mut words = Vec::new();
        let bits = system.terms.bits(variable);
        let constants = self.class.get(&variable).and_then(|class| self.constants.get(class)).cloned();
        for value in constants.unwrap_or_default() {
            let terms = &mut system.terms;
            let value = terms.constant(bits, value);
            let equal = terms.eq(variable, value);
            words.extend([equal, terms.not(equal)]);
            words.extend([terms.ule(variable, value), terms.ule(value, variable)]);
            words.extend([terms.sle(variable, value), terms.sle(value, variable)]);
        }
        words
    }

    fn relations(&self, system: &mut System, spoken: &[Term]) -> Vec<Term> {
        let mut words = Vec::new();
        let mut pairs = 0;
        for (i, &one) in spoken.iter().enumerate() {
            for &other in &spoken[..i] {
                let limits = self.limits.get(&one).zip(self.limits.get(&other));
                let related = self.class.get(&one) == self.class.get(&other)
                    || limits.is_some_and(|(one, other)| !one.is_disjoint(other));
                if related && system.terms.bits(one) == system.terms.bits(other) && system.terms.bits(one) > 1 {
                    pairs += 1;
                    if pairs <= PAIRS {
                        words.extend(compared(&mut system.terms, one, other));
                    }
                }
            }
        }
        words
    }

    /// Two shared variables have the sum, or the difference, that they began with; or a local says by how much they are
    /// off.
    fn sums(&self, system: &mut System, known: &[Lock], at: At) -> Vec<Term> {
        let locals = self.spoken_at(system, at);
        let mut pairs = Vec::new();
        for (i, &one) in self.shared.iter().enumerate() {
            for &other in &self.shared[..i] {
                let is_number = !self.few(one) && !self.few(other) && system.terms.bits(one) > 1;
                let first = first_value(system, one).zip(first_value(system, other));
                if let Some((a, b)) = first
                    && is_number
                    && system.terms.bits(one) == system.terms.bits(other)
                {
                    pairs.push((one, other, a, b));
                }
            }
        }
        pairs.truncate(SUMS);
        let mut words = Vec::new();
        for (one, other, a, b) in pairs {
            let terms = &mut system.terms;
            let bits = terms.bits(one);
            let (sum, difference) = (terms.add(one, other), terms.sub(one, other));
            let (a, b) = (terms.constant(bits, a), terms.constant(bits, b));
            for (value, first) in [(sum, terms.add(a, b)), (difference, terms.sub(a, b))] {
                let same = terms.eq(value, first);
                words.push(same);
                words.extend(known.iter().map(|lock| terms.implies(lock.free, same)));
                for &local in locals.iter().filter(|&&local| terms.bits(local) == bits).take(SUMS).collect::<Vec<_>>() {
                    let (more, less) = (terms.add(value, local), terms.sub(value, local));
                    words.extend([terms.eq(more, first), terms.eq(less, first)]);
                }
            }
        }
        words
    }

    fn about_two(&self, system: &mut System, one: At, other: At, found: &mut Found) {
        // How far something shared has got when both are there.
        for &variable in self.shared.iter().filter(|&&variable| self.few(variable)).take(PHASES) {
            for word in self.bounds(system, variable) {
                found.add(word);
                found.add(system.terms.not(word));
            }
        }
        for mine in self.spoken_at(system, one) {
            for theirs in self.spoken_at(system, other) {
                if self.class.get(&mine) == self.class.get(&theirs)
                    && system.terms.bits(mine) == system.terms.bits(theirs)
                {
                    let theirs = system.of_copy(theirs, other.0, 1);
                    for word in compared(&mut system.terms, mine, theirs) {
                        found.add(word);
                    }
                }
            }
        }
    }
}

fn compared(terms: &mut Terms, one: Term, other: Term) -> Vec<Term> {
    let equal = terms.eq(one, other);
    let (above, below) = (terms.ult(one, other), terms.ult(other, one));
    let (more, less) = (terms.slt(one, other), terms.slt(other, one));
    [equal, above, below, more, less].into_iter().flat_map(|word| [word, terms.not(word)]).collect()
}
