//! Candidates for statements, from the program's own words.
//!
//! What a proof speaks of stands in the program in most cases: the atoms of its guards and assertions, its constants, pairs of
//! variables that are compared with or copied to each other, and its locks. `houdini.rs` finds out which of them hold.
//!
//! | plan | about a thread | about a pair |
//! |---|---|---|
//! | locks | who holds which lock; who has begun; constants of small variables | |
//! | words | in addition: atoms of guards, `x = c`, `x ≤ c`, `x ≤ y`; each also under "the lock is free" | |
//! | pairs | | never both here; `xᵢ ≠ xⱼ`, `xᵢ ≤ xⱼ` for the locals of both |

use crate::ghosts::{Ghosts, leaves};
use crate::houdini::Statements;
use crate::invariant::At;
use crate::live::{live_locals, variables};
use crate::rules::{Level, Subject, subjects};
use crate::system::{Place, Role, System, TemplateId};
use hashbrown::{HashMap, HashSet};
use selvedge_formula::{Node, Term, Terms};

/// The most constants that one variable is compared with.
const CONSTANTS: usize = 6;
/// The most pairs of variables at one location.
const PAIRS: usize = 40;

/// How much is tried.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Plan {
    Locks,
    Words,
    Pairs,
}

/// Which variables are compared with or copied to each other: each, as copy 0, has the number of its class.
pub fn classes(system: &System) -> HashMap<Term, usize> {
    Words::of(system).class
}

/// What the program says about its variables; locals stand for all threads of their template, as copy 0.
struct Words {
    /// Variables that are compared or copied belong together: each has the number of its class.
    class: HashMap<Term, usize>,
    constants: HashMap<usize, Vec<u128>>,
    /// Comparisons that stand in guards and choices, without inputs.
    atoms: Vec<Term>,
    /// All shared variables, in order.
    shared: Vec<Term>,
    live: HashMap<At, HashSet<Term>>,
}

/// Candidates for every subject, `false` first.
pub fn candidates(system: &mut System, ghosts: &Ghosts, plan: Plan) -> Statements {
    let words = Words::of(system);
    let level = if plan == Plan::Pairs { Level::Two } else { Level::One };
    let mut all = Statements::new();
    for subject in subjects(system, level) {
        let mut found = Found { seen: HashSet::new(), list: Vec::new() };
        found.add(Terms::FALSE);
        if subject.runs(system) {
            match subject {
                Subject::One(at) => {
                    locks(system, &words, ghosts, at, &mut found);
                    if plan >= Plan::Words {
                        words.about_one(system, ghosts, at, &mut found);
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

fn number(system: &System, template: TemplateId, copy: usize) -> Term {
    system.templates[template].locals[system.templates[template].number].copies[copy]
}

/// Who holds what, who has begun, and the values of small variables.
fn locks(system: &mut System, words: &Words, ghosts: &Ghosts, at: At, found: &mut Found) {
    let me = number(system, at.0, 0);
    for &(_, created) in &ghosts.created {
        let created = system.shared[created].copies[0];
        found.add(created);
        found.add(system.terms.not(created));
    }
    let zero = system.terms.constant(system.terms.bits(me), 0);
    found.add(system.terms.ne(me, zero));
    // Locks by the model of the library hold a number themselves.
    for variable in words.shared.clone() {
        if system.terms.bits(variable) == system.terms.bits(me) {
            found.add(system.terms.eq(variable, me));
        }
    }
    let mut flags: Vec<Term> = words.live_at(at).filter(|&local| words.few(local)).collect();
    flags.sort_unstable();
    for lock in &ghosts.locks {
        let (variable, owner) = (system.shared[lock.variable].copies[0], system.shared[lock.owner].copies[0]);
        let taken = system.terms.ne(variable, lock.free);
        let mine = system.terms.eq(owner, me);
        let held = system.terms.and(taken, mine);
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
        let mut classes = Classes { parent: HashMap::new() };
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
        for (variable, value) in constants {
            let values = by_class.entry(class[&variable]).or_default();
            if !values.contains(&value) && values.len() < CONSTANTS {
                values.push(value);
            }
        }
        Words { class, constants: by_class, atoms, shared, live: live_locals(system) }
    }

    fn live_at(&self, at: At) -> impl Iterator<Item = Term> {
        self.live.get(&at).into_iter().flatten().copied()
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

    fn about_one(&self, system: &mut System, ghosts: &Ghosts, at: At, found: &mut Found) {
        let mut locals: Vec<Term> = self.live_at(at).collect();
        locals.sort_unstable();
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
        for lock in &ghosts.locks {
            let variable = system.shared[lock.variable].copies[0];
            let free = system.terms.eq(variable, lock.free);
            for &word in &of_shared {
                found.add(system.terms.implies(free, word));
            }
        }
        let me = number(system, at.0, 0);
        let zero = system.terms.constant(system.terms.bits(me), 0);
        for variable in self.shared.clone() {
            if system.terms.bits(variable) == system.terms.bits(me) {
                let free = system.terms.eq(variable, zero);
                for &word in &of_shared {
                    found.add(system.terms.implies(free, word));
                }
            }
        }
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
                let related = self.class.get(&one) == self.class.get(&other);
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

    fn about_two(&self, system: &mut System, one: At, other: At, found: &mut Found) {
        let locals = |words: &Words, at: At| {
            let mut locals: Vec<Term> = words.live_at(at).collect();
            locals.sort_unstable();
            locals
        };
        for mine in locals(self, one) {
            for theirs in locals(self, other) {
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

/// `variable` is set to or compared with `value`.
fn relate(
    terms: &Terms,
    known: &HashSet<Term>,
    classes: &mut Classes,
    constants: &mut Vec<(Term, u128)>,
    variable: Term,
    value: Term,
) {
    if !known.contains(&variable) {
        return;
    }
    match terms.node(value) {
        Node::Const { value, .. } => constants.push((variable, value)),
        Node::Var { .. } if known.contains(&value) => classes.join(variable, value),
        Node::Add(a, b) | Node::Sub(a, b) => {
            for part in [a, b].into_iter().filter(|part| known.contains(part)) {
                classes.join(variable, part);
            }
        }
        _ => {}
    }
}

struct Classes {
    parent: HashMap<Term, Term>,
}

impl Classes {
    fn find(&self, mut term: Term) -> Term {
        while let Some(&parent) = self.parent.get(&term) {
            term = parent;
        }
        term
    }

    fn join(&mut self, one: Term, other: Term) {
        let (one, other) = (self.find(one), self.find(other));
        if one != other {
            self.parent.insert(one.max(other), one.min(other));
        }
    }
}
