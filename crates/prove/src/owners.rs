//! Owners of locks, which make mutual exclusion a statement about one thread.
//!
//! *Words that hold thread numbers* (the mutexes of the models) exclude by themselves: two threads that both know the
//! word to be their own number contradict each other. But a new thread might seem to have the number of whoever holds
//! the lock just now, since a statement about the creator knows nothing of the holder. So edges that create threads get
//! a guard: the new number is in no such word.
//!
//! *Flags taken by hand* (`while (__sync_lock_test_and_set(&flag, 1));`, a compare-and-swap, a flag that is set in an
//! atomic section) say that somebody holds the lock, not who. Each gets a ghost that does: it becomes the number of
//! whoever changes the flag from its first value to something else, and 0 when the flag gets its first value again. No
//! pattern has to be recognised for that: whether the ghost holds a thread's number somewhere is a question that an
//! invariant answers. A ghost may always be added; it is useful if the flag is a lock, and harmless if not (Owicki and
//! Gries 1976).
//!
//! The guard removes no run but for names. Numbers are names: a run of the program is a run of the system under each
//! choice of numbers in which the living have different ones. There are more numbers than living threads and words
//! together, so there is a choice in which new threads get none that is in a word, and that choice keeps the guard
//! true.

use crate::expression::parts;
use crate::system::{COPIES, Edge, LocalId, Place, Role, SharedId, System, Template, TemplateId, Variable};
use hashbrown::{HashMap, HashSet};
use selvedge_formula::{Node, Term, Terms, mask};

/// A shared variable that holds thread numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Word {
    shared: SharedId,
    of_number: OfNumber,
}

/// A function of a thread's number that tells numbers apart: a constant is added, and bits above are set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OfNumber {
    pub offset: u128,
    /// So many of the highest bits are set.
    pub set: u32,
}

impl OfNumber {
    /// The constant that is added, set bits included.
    pub fn sum(self, bits: u32) -> u128 {
        match self.set {
            0 => self.offset,
            set => self.offset.wrapping_add(mask(set) << (bits - set)) & mask(bits),
        }
    }

    /// Its value for a number, in so many bits.
    pub fn of(self, terms: &mut Terms, number: Term, bits: u32) -> Term {
        let low = bits - self.set;
        let number = terms.zero_extend(number, low);
        let offset = terms.constant(low, self.offset);
        let low = terms.add(number, offset);
        if self.set == 0 {
            return low;
        }
        let set = terms.constant(self.set, mask(self.set));
        terms.concat(set, low)
    }
}

/// A candidate for a lock, and its holder.
#[derive(Clone, Copy, Debug)]
pub struct Lock {
    word: Word,
    /// Nobody holds it.
    pub free: Term,
    /// Somebody does.
    taken: Term,
}

impl Lock {
    /// The word that says who holds it.
    pub fn variable(&self) -> SharedId {
        self.word.shared
    }

    /// The thread of this template that has a certain copy of its locals holds the lock.
    pub fn is_held_by(&self, system: &mut System, (template, copy): (TemplateId, usize)) -> Term {
        let number = system.templates[template].locals[system.templates[template].number].copies[copy];
        let held = self.word.names(&mut system.terms, system.shared[self.word.shared].copies[0], number);
        system.terms.and(self.taken, held)
    }
}

impl Word {
    /// It holds this number.
    fn names(&self, terms: &mut Terms, held: Term, number: Term) -> Term {
        let width = terms.bits(held);
        let named = self.of_number.of(terms, number, width);
        terms.eq(held, named)
    }
}

/// Adds ghosts and guards.
pub fn name_owners(system: &mut System) -> Vec<Lock> {
    let mut flag_of: HashMap<SharedId, SharedId> = HashMap::new();
    for (flag, first) in flags(system) {
        let owner = add_owner(system, flag, first);
        flag_of.insert(owner, flag);
    }
    let words = words(system);
    if !words.is_empty() {
        keep_new_numbers_apart(system, &words);
    }
    let lock = |word: Word| {
        let variable = flag_of.get(&word.shared).copied().unwrap_or(word.shared);
        let variable = system.shared[variable].copies[0];
        let free = first_value(system, variable).unwrap_or(0);
        let terms = &mut system.terms;
        let free = terms.constant(terms.bits(variable), free);
        let free = terms.eq(variable, free);
        Lock { word, free, taken: terms.not(free) }
    };
    words.into_iter().map(lock).collect()
}

/// The value that `initial` names for a variable.
pub fn first_value(system: &System, variable: Term) -> Option<u128> {
    let terms = &system.terms;
    parts(terms, system.initial).into_iter().find_map(|fact| match terms.node(fact) {
        Node::Eq(a, b) if a == variable => terms.as_constant(b),
        Node::Eq(a, b) if b == variable => terms.as_constant(a),
        Node::Not(a) if a == variable => Some(0),
        Node::Var { .. } if fact == variable => Some(1),
        _ => None,
    })
}

/// The function of a thread's number that a term is, if it is one.
pub fn function_of_number(terms: &Terms, term: Term, number: Term) -> Option<OfNumber> {
    let is_number =
        |term: Term| term == number || matches!(terms.node(term), Node::ZeroExtend { of, .. } if of == number);
    let (sum, set) = match terms.node(term) {
        // Bits above are set: the complement has zeros there.
        Node::Not(a) => match terms.node(a) {
            Node::ZeroExtend { of, .. } => match terms.node(of) {
                Node::Not(low) if terms.bits(low) > terms.bits(number) => (low, terms.bits(term) - terms.bits(low)),
                _ => return None,
            },
            _ => return None,
        },
        _ => (term, 0),
    };
    let offset = match terms.node(sum) {
        _ if is_number(sum) => Some(0),
        Node::Add(a, b) if is_number(a) => terms.as_constant(b),
        Node::Add(a, b) if is_number(b) => terms.as_constant(a),
        _ => None,
    };
    offset.map(|offset| OfNumber { offset, set })
}

/// The terms among which choices select a value.
pub fn leaves(terms: &Terms, term: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut waiting = vec![term];
    while let Some(term) = waiting.pop() {
        if seen.insert(term) {
            match terms.node(term) {
                Node::Ite(_, a, b) => waiting.extend([a, b]),
                _ => found.push(term),
            }
        }
    }
    found
}

/// The values of a constant, or of a truth value as a number. None, if it is neither.
pub fn values(terms: &Terms, term: Term) -> Vec<u128> {
    match terms.node(term) {
        Node::Const { value, .. } => vec![value],
        Node::ZeroExtend { of, .. } if terms.bits(of) == 1 => vec![0, 1],
        _ => Vec::new(),
    }
}

fn number(template: &Template) -> Term {
    template.locals[template.number].copies[0]
}

fn updates(system: &System) -> impl Iterator<Item = (&Template, &Edge, SharedId, Term)> {
    let edges = system.templates.values().flat_map(|template| template.edges.iter().map(move |edge| (template, edge)));
    edges.flat_map(|(template, edge)| {
        edge.updates.iter().filter_map(move |(place, term)| match place {
            Place::Shared(shared) => Some((template, edge, *shared, *term)),
            Place::Local(_) => None,
        })
    })
}

fn words(system: &System) -> Vec<Word> {
    let mut words = Vec::new();
    for (template, _, shared, term) in updates(system) {
        for leaf in leaves(&system.terms, term) {
            if let Some(of_number) = function_of_number(&system.terms, leaf, number(template)) {
                let word = Word { shared, of_number };
                if !words.contains(&word) {
                    words.push(word);
                }
            }
        }
    }
    words
}

/// Shared variables that are assigned constants only, and something else than their first value by an edge that also
/// reads them.
fn flags(system: &System) -> Vec<(SharedId, u128)> {
    let terms = &system.terms;
    let mut candidates: Vec<SharedId> = Vec::new();
    let mut others: HashSet<SharedId> = HashSet::new();
    for (_, edge, shared, term) in updates(system) {
        let variable = system.shared[shared].copies[0];
        let leaves = leaves(terms, term);
        let is_constant = |leaf: &Term| *leaf == variable || !values(terms, *leaf).is_empty();
        if !leaves.iter().all(is_constant) || system.shared[shared].role == Role::Ghost {
            others.insert(shared);
        }
        let first = first_value(system, variable);
        let takes =
            leaves.iter().flat_map(|leaf| values(terms, *leaf)).any(|value| first.is_some_and(|it| it != value));
        let mut roots = [edge.guard].into_iter().chain(edge.updates.iter().map(|update| update.1));
        if takes && roots.any(|root| terms.cone([root]).contains(&variable)) && !candidates.contains(&shared) {
            candidates.push(shared);
        }
    }
    candidates.retain(|shared| !others.contains(shared));
    candidates
        .into_iter()
        .filter_map(|shared| Some((shared, first_value(system, system.shared[shared].copies[0])?)))
        .collect()
}

/// A ghost that holds the number, plus one, of the thread that changed the flag from its first value.
fn add_owner(system: &mut System, flag: SharedId, first: u128) -> SharedId {
    let bits = 1 + system.templates.values().map(|template| template.locals[template.number].bits).max().unwrap_or(0);
    let name = format!("owner of {}", system.shared[flag].name);
    let owner = system.terms.variable(bits, name.clone());
    let ghost = Variable { name, bits, copies: [owner; COPIES], role: Role::Ghost };
    let ghost = system.shared.push(ghost);
    let (terms, zero) = (&mut system.terms, 0);
    let nobody = terms.constant(bits, zero);
    let at_first = terms.eq(owner, nobody);
    system.initial = terms.and(system.initial, at_first);
    let old = system.shared[flag].copies[0];
    let free = terms.constant(terms.bits(old), first);
    let was_free = terms.eq(old, free);
    for template in system.templates.values_mut() {
        let mine = terms.zero_extend(number(template), bits);
        let one = terms.constant(bits, 1);
        let mine = terms.add(mine, one);
        for edge in &mut template.edges {
            let Some(&(_, new)) = edge.updates.iter().find(|(place, _)| *place == Place::Shared(flag)) else {
                continue;
            };
            let becomes_free = terms.eq(new, free);
            let taken = terms.ite(was_free, mine, owner);
            let next = terms.ite(becomes_free, nobody, taken);
            edge.updates.push((Place::Shared(ghost), next));
        }
    }
    ghost
}

fn keep_new_numbers_apart(system: &mut System, words: &[Word]) {
    let numbers: Vec<(LocalId, u32)> =
        (system.templates.values()).map(|template| (template.number, template.locals[template.number].bits)).collect();
    let terms = &mut system.terms;
    for template in system.templates.values_mut() {
        for edge in &mut template.edges {
            for spawn in &mut edge.spawns {
                let (local, bits) = numbers[spawn.template.as_u32() as usize];
                let given = spawn.arguments.iter().find(|argument| argument.0 == local).map(|argument| argument.1);
                let new = given.unwrap_or_else(|| {
                    let new = terms.variable(bits, "number");
                    edge.inputs.push(new);
                    spawn.arguments.push((local, new));
                    new
                });
                for word in words {
                    let named = word.names(terms, system.shared[word.shared].copies[0], new);
                    let apart = terms.not(named);
                    edge.guard = terms.and(edge.guard, apart);
                }
            }
        }
    }
}
