//! Owners of locks, which make mutual exclusion a statement about one thread.
//!
//! *Words that hold thread numbers* (the mutexes of the models) exclude by themselves: two threads that both know the word to be
//! their own number contradict each other. But a new thread might seem to have the number of whoever holds the lock just now, since a statement
//! about the creator knows nothing of the holder. So edges that create threads get a guard: the new number is in no such word.
//!
//! *Flags taken by hand* (`while (__sync_lock_test_and_set(&flag, 1));`, a compare-and-swap from 0 to 1) say that somebody holds the
//! lock, not who. Each gets a ghost that does: it becomes the number of whoever changes the flag from 0 to something else, and 0 when
//! the flag does. A ghost may always be added; it is useful if the flag is a lock, and harmless if not (Owicki and Gries 1976).
//!
//! The guard removes no run but for names. Numbers are names: a run of the program is a run of the system under each choice of
//! numbers in which the living have different ones. There are more numbers than living threads and words together, so there is
//! a choice in which new threads get none that is in a word, and that choice keeps the guard true.

use crate::system::{COPIES, Edge, LocalId, Place, Role, SharedId, System, Template, Variable};
use hashbrown::HashSet;
use selvedge_formula::{Node, Term, Terms};

/// A shared variable that holds thread numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Word {
    shared: SharedId,
    /// The constant that is added to the number.
    offset: u128,
}

/// Adds ghosts and guards.
pub fn name_owners(system: &mut System) {
    for flag in flags(system) {
        add_owner(system, flag);
    }
    let words = words(system);
    if !words.is_empty() {
        keep_new_numbers_apart(system, &words);
    }
}

/// The constant that a term adds to a thread's number, if it is such a sum.
pub fn offset_of_number(terms: &Terms, term: Term, number: Term) -> Option<u128> {
    let is_number =
        |term: Term| term == number || matches!(terms.node(term), Node::ZeroExtend { of, .. } if of == number);
    match terms.node(term) {
        _ if is_number(term) => Some(0),
        Node::Add(a, b) if is_number(a) => terms.as_constant(b),
        Node::Add(a, b) if is_number(b) => terms.as_constant(a),
        _ => None,
    }
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
            if let Some(offset) = offset_of_number(&system.terms, leaf, number(template)) {
                let word = Word { shared, offset };
                if !words.contains(&word) {
                    words.push(word);
                }
            }
        }
    }
    words
}

/// Shared variables that are assigned constants only, 0 in the beginning, and something else by an edge that also reads them.
fn flags(system: &System) -> Vec<SharedId> {
    let terms = &system.terms;
    let mut candidates: Vec<SharedId> = Vec::new();
    let mut others: HashSet<SharedId> = HashSet::new();
    for (_, edge, shared, term) in updates(system) {
        let variable = system.shared[shared].copies[0];
        let leaves = leaves(terms, term);
        let is_constant = |leaf: &Term| *leaf == variable || terms.as_constant(*leaf).is_some();
        if !leaves.iter().all(is_constant) || system.shared[shared].role == Role::Ghost {
            others.insert(shared);
        }
        let takes = leaves.iter().any(|leaf| terms.as_constant(*leaf).is_some_and(|value| value != 0));
        let mut roots = [edge.guard].into_iter().chain(edge.updates.iter().map(|update| update.1));
        if takes && roots.any(|root| terms.cone([root]).contains(&variable)) && !candidates.contains(&shared) {
            candidates.push(shared);
        }
    }
    candidates.retain(|shared| !others.contains(shared));
    candidates
}

/// A ghost that holds the number, plus one, of the thread that changed the flag from 0.
fn add_owner(system: &mut System, flag: SharedId) {
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
    let free = terms.constant(terms.bits(old), zero);
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
                    let held = system.shared[word.shared].copies[0];
                    let width = terms.bits(held);
                    let new = terms.zero_extend(new, width);
                    let offset = terms.constant(width, word.offset);
                    let named = terms.add(new, offset);
                    let apart = terms.ne(held, named);
                    edge.guard = terms.and(edge.guard, apart);
                }
            }
        }
    }
}
