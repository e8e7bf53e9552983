//! What a thread has to itself where it stands, where data races are asked about: blocks of the heap of which nobody
//! else knows, and locks that no variable can tell of, because they lie in blocks or elements of which there are many.
//!
//! Both are facts about addresses, as terms over the thread's own registers, and hold whenever a thread stands there
//! (must-analysis along the edges; where ways meet, what both know). An address keeps its fact over an edge if a
//! register behind the edge still tells it, up to a known distance ([`Extraction::carry`]). So that one address has one
//! name, registers that tell the same one are known by one of them.
//!
//! *Own blocks.* A block is its maker's own until a pointer to some block of the same origin gets where other threads
//! may find it, directly or through other objects. What a thread does in a block of its own nobody can notice, so it is
//! no access that could race. (Escape analysis, flow-sensitive: Blanchet, OOPSLA 1999; Choi and others, OOPSLA 1999.)
//!
//! *Locks.* The models say by `acquired` and `released` when a thread has a lock. Two threads never have the same one,
//! unless both for reading: so two accesses, each under a lock whose address the thread knows, race only if the addresses of
//! these locks differ. That `&p->lock` protects `p->data`, and `lock[i]` protects `data[i]`, then follows from
//! arithmetic. (Symbolic locksets: Vojdani and Vene, Goblint: Path-sensitive data race analysis, 2009; their domain is
//! one of expressions, ours of addresses.)
//!
//! *A lock is trusted as long as its word is the models' alone.* A write that may reach it is harmless if the writer
//! then says that it has the lock, or had it before (and has it no more as far as it knows); if it has just read that
//! nobody has it; if the block is its own; or if there is only one thread yet. Any other makes what is known of locks at
//! such places worthless ([`Extraction::protectors`]). For if all writes are of these kinds, the first of them that
//! takes a lock away from a thread would have to be made by another thread that has it, too. A block that is
//! freed may be followed by another one at its address, whose lock is not the old one: where that can be, a lock
//! counts for its own block only.

use super::contexts::Point;
use super::objects::{ObjectId, Origin};
use super::state::{State, Var};
use super::targets::{Offset, Value, Wild};
use super::{Extraction, Home, Targets};
use crate::races::Protector;
use crate::system::substitute;
use hashbrown::{HashMap, HashSet};
use selvedge_formula::{Node, Term, Terms, mask};
use selvedge_program::Origin as Written;
use std::collections::{BTreeMap, BTreeSet};

/// Terms of more nodes are no names.
const LONGEST: usize = 30;
/// Bytes of a lock that tell who has it.
const WORD_BYTES: u64 = 4;

/// Where an address may be.
type Where = BTreeSet<(ObjectId, Offset)>;

/// The facts of a place.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Holdings {
    /// Addresses of blocks, and their origin.
    own: BTreeSet<(Term, ObjectId)>,
    /// Addresses of locks, and whether the thread has them for itself alone.
    locks: BTreeMap<(Term, bool), Where>,
    /// Registers whose addresses others tell.
    equal: BTreeMap<Var, Term>,
}

/// What an atomic section has done to words so far.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Words {
    /// What it has read, by address.
    read: BTreeMap<Term, Term>,
    /// What it has written, without a word about locks.
    written: BTreeMap<Term, Where>,
}

/// The locks that a thread has where it makes an access.
pub struct Protected(Vec<Lock>);

struct Lock {
    protector: Protector,
    /// In the block that is accessed, if it is in a block.
    is_beside: bool,
    places: Where,
}

/// What walks have found out.
#[derive(Default)]
pub struct Found {
    /// What was assumed of places in this round, and what led there.
    assumed: HashMap<Point, Holdings>,
    arrived: HashMap<Point, Holdings>,
    /// Of the place where the thread stands that is walked through.
    standing: Holdings,
    /// Pointers to these became visible to others in this operation.
    shown: BTreeSet<ObjectId>,
    /// Writes that may have taken a lock from somebody.
    disturbed: HashMap<ObjectId, BTreeSet<(Offset, Option<u64>)>>,
}

impl Holdings {
    pub fn common(mut self, other: &Holdings) -> Holdings {
        self.own.retain(|own| other.own.contains(own));
        self.equal.retain(|var, known| other.equal.get(var) == Some(known));
        self.locks.retain(|key, places| {
            let others = other.locks.get(key);
            others.into_iter().for_each(|others| places.extend(others));
            others.is_some()
        });
        self
    }

    fn is_within(&self, other: &Holdings) -> bool {
        self.own.is_subset(&other.own)
            && self.equal.iter().all(|(var, known)| other.equal.get(var) == Some(known))
            && self
                .locks
                .iter()
                .all(|(key, places)| other.locks.get(key).is_some_and(|others| others.is_subset(places)))
    }

    /// Nothing is known any more of locks that may lie there.
    fn lose_locks(&mut self, written: &Where, bytes: Option<u64>) {
        self.locks.retain(|_, places| {
            !places.iter().any(|(object, at)| {
                let is_there = |(other, from): &(ObjectId, Offset)| {
                    other == object && bytes.is_none_or(|bytes| from.meets(bytes, *at, WORD_BYTES))
                };
                written.iter().any(is_there)
            })
        });
    }
}

impl Words {
    pub fn merge(&mut self, other: Words) {
        self.read.retain(|address, value| other.read.get(address) == Some(value));
        for (address, places) in other.written {
            self.written.entry(address).or_default().extend(places);
        }
    }
}

/// The names of addresses.
#[derive(Default)]
struct Names {
    /// Registers with addresses that have changed: each has the value of a term, and a distance.
    values: BTreeMap<Var, (Term, u128)>,
    /// Variables of registers.
    known: HashSet<Term>,
    /// New values by the variables of registers, and the other way round.
    forth: Vec<(Term, Term)>,
    back: Vec<(Term, Term)>,
    /// What tells such a term, and how much further it is.
    bases: HashMap<Term, (Term, u128)>,
}

/// A term as another one and a known distance.
fn split(terms: &Terms, term: Term) -> (Term, u128) {
    let (base, distance) = match terms.node(term) {
        Node::Add(one, other) if terms.as_constant(other).is_some() => (one, terms.as_constant(other)),
        Node::Add(one, other) if terms.as_constant(one).is_some() => (other, terms.as_constant(one)),
        _ => (term, None),
    };
    (base, distance.unwrap_or(0))
}

fn base(terms: &Terms, term: Term) -> Term {
    split(terms, term).0
}

impl Extraction<'_> {
    /// A round begins. `again`: nothing but such facts was new in the last one; else the most is hoped for.
    pub fn begin_holdings(&mut self, again: bool) {
        let Found { assumed, arrived, disturbed, .. } = &mut self.found;
        disturbed.clear();
        let new = std::mem::take(arrived);
        let old = std::mem::take(assumed);
        if again {
            let both = |(point, new): (Point, Holdings)| {
                let all = old.get(&point).cloned().map_or(new.clone(), |old| old.common(&new));
                (point, all)
            };
            *assumed = new.into_iter().map(both).collect();
        }
    }

    /// Was everything true that was assumed of places?
    pub fn are_holdings_settled(&self) -> bool {
        let Found { assumed, arrived, .. } = &self.found;
        assumed.iter().all(|(point, assumed)| arrived.get(point).is_none_or(|arrived| assumed.is_within(arrived)))
    }

    /// What a thread has where it stands. `is_first`: at its beginning.
    fn holdings_at(&mut self, point: Point, is_first: bool) -> Holdings {
        let Found { assumed, arrived, standing, .. } = &mut self.found;
        if is_first {
            assumed.insert(point, Holdings::default());
        }
        let hoped = || arrived.get(&point).cloned().unwrap_or_default();
        *standing = assumed.entry(point).or_insert_with(hoped).clone();
        standing.clone()
    }

    /// A thread has come to a place.
    pub fn arrive(&mut self, point: Point, state: &State) {
        let arrived = &mut self.found.arrived;
        let all = arrived.remove(&point).map_or_else(|| state.holdings.clone(), |known| known.common(&state.holdings));
        arrived.insert(point, all);
    }

    /// The state of a thread that stands at a place.
    pub fn state_at(&mut self, point: Point, is_first: bool) -> State {
        if !self.asks_for_races() {
            return State::default();
        }
        let holdings = self.holdings_at(point, is_first);
        let mut state = State::default();
        for (&var, &term) in &holdings.equal {
            let current = self.current(var);
            if self.terms.as_constant(current.term).is_none() {
                state.changed.insert(var, Value { term, ..current });
            }
        }
        State { holdings, ..state }
    }

    fn further(&mut self, address: Term, distance: u128) -> Term {
        let distance = self.terms.constant(self.space.bits, distance);
        self.terms.add(address, distance)
    }

    /// Changes the facts of a path that ends at a location into ones in terms of the variables as they are there.
    pub fn carry(&mut self, state: &mut State) {
        if !self.asks_for_races() {
            return;
        }
        let names = self.names(state);
        let before = std::mem::take(&mut state.holdings);
        let now = &mut state.holdings;
        for (address, object) in before.own {
            now.own.extend(self.named(&names, address).into_iter().map(|address| (address, object)));
        }
        for ((address, exclusively), places) in before.locks {
            let all = self.named(&names, address).into_iter();
            now.locks.extend(all.map(|address| ((address, exclusively), places.clone())));
        }
        let bits = self.space.bits;
        for (&var, &(base, distance)) in &names.values {
            let (of, from) = names.bases[&base];
            let told = self.further(of, distance.wrapping_sub(from) & mask(bits));
            if self.variables[&var][0] != told {
                now.equal.insert(var, told);
            }
        }
        // A register that is known by another one has not changed by that.
        for (var, same) in &self.found.standing.equal {
            if state.changed.get(var).is_some_and(|value| value.term == *same) {
                state.changed.remove(var);
            }
        }
    }

    /// What registers tell about addresses behind a path.
    fn names(&mut self, state: &State) -> Names {
        let mut names = Names::default();
        for (&var, value) in state.changed.iter().filter(|(var, _)| matches!(var, Var::Register(..))) {
            let variable = self.variable(var)[0];
            names.back.push((variable, value.term));
            if self.terms.as_constant(value.term).is_none() {
                names.forth.push((value.term, variable));
                // An index that was made wider need not contain itself.
                if self.bits(var) > 1 && self.bits(var) < self.space.bits {
                    let bits = self.space.bits;
                    let wide = (self.terms.zero_extend(value.term, bits), self.terms.zero_extend(variable, bits));
                    let signed = (self.terms.sign_extend(value.term, bits), self.terms.sign_extend(variable, bits));
                    names.forth.extend([wide, signed]);
                }
                if self.bits(var) == self.space.bits {
                    names.values.insert(var, split(&self.terms, value.term));
                }
            }
        }
        let registers = self.variables.iter().filter(|(var, _)| matches!(var, Var::Register(..)));
        names.known = registers.map(|(_, copies)| copies[0]).collect();
        for (var, (base, distance)) in names.values.clone() {
            if !names.bases.contains_key(&base) {
                let others = names.values.iter().filter(|(_, (other, _))| *other != base);
                let others: Vec<Term> = others.map(|(var, _)| self.variables[var][0]).collect();
                let own: Vec<Term> = names.values.keys().map(|var| self.variables[var][0]).collect();
                let is_of_others =
                    |pair: &&(Term, Term)| pair.0 != base && (others.contains(&pair.1) || !own.contains(&pair.1));
                let forth: Vec<(Term, Term)> = names.forth.iter().filter(is_of_others).copied().collect();
                let first = match self.told(&names, &forth, base) {
                    Some(told) => (told, 0),
                    None => (self.variables[&var][0], distance),
                };
                names.bases.insert(base, first);
            }
        }
        names
    }

    /// A term over the values behind a path, if these tell it. `forth`: variables by their new values.
    fn told(&mut self, names: &Names, forth: &[(Term, Term)], term: Term) -> Option<Term> {
        let told = substitute(&mut self.terms, term, forth);
        let is_known = |term: Term| !matches!(self.terms.node(term), Node::Var { .. }) || names.known.contains(&term);
        let parts = self.terms.cone([told]);
        let is_told = parts.len() <= LONGEST && parts.into_iter().all(is_known);
        (is_told && substitute(&mut self.terms, told, &names.back) == term).then_some(told)
    }

    /// An address by what registers tell behind a path: by one that is near, and by those that it was computed from.
    fn named(&mut self, names: &Names, address: Term) -> BTreeSet<Term> {
        let (base, distance) = split(&self.terms, address);
        let near = names.bases.get(&base).copied();
        let near = near.map(|(of, from)| self.further(of, distance.wrapping_sub(from) & mask(self.space.bits)));
        let computed = self.told(names, &names.forth, address);
        near.into_iter().chain(computed).collect()
    }

    /// A new block that only its maker knows.
    pub fn own(&mut self, state: &mut State, pointer: &Value, object: ObjectId) {
        if self.asks_for_races() && matches!(self.objects[object].origin, Origin::Heap(..)) {
            state.holdings.own.insert((pointer.term, object));
        }
    }

    /// Does it point into a block of the thread's own?
    pub fn is_own(&self, state: &State, pointer: &Value) -> bool {
        pointer.targets.wild != Wild::MadeUp && self.owns(state, pointer.term, &pointer.targets.objects())
    }

    fn owns(&self, state: &State, address: Term, objects: &BTreeSet<ObjectId>) -> bool {
        let (Some(&object), 1) = (objects.first(), objects.len()) else { return false };
        let is_constant = |term: Term| self.terms.as_constant(term).is_some();
        let start = base(&self.terms, address);
        // A constant address leads to the only block of its origin.
        let is_in = |own: Term| own == address || own == start || is_constant(own) && is_constant(address);
        state.holdings.own.iter().any(|(own, origin)| *origin == object && is_in(*own))
    }

    /// Does no other thread ever find a pointer to it?
    pub fn is_hidden(&self, object: ObjectId) -> bool {
        let known = &self.objects[object];
        self.asks_for_races()
            && matches!(known.origin, Origin::Stack(..) | Origin::Heap(..))
            && !known.escaped
            && !known.foreign
    }

    /// Others may find pointers to objects now.
    pub fn show(&mut self, objects: &BTreeSet<ObjectId>) {
        self.found.shown.extend(objects);
    }

    /// The state is behind an operation.
    pub fn hide_no_more(&mut self, state: &mut State) {
        let shown = std::mem::take(&mut self.found.shown);
        state.holdings.own.retain(|(_, origin)| !shown.contains(origin));
    }

    /// The targets of pointers, and of pointers in these, and so on.
    pub fn reachable(&mut self, targets: &Targets) -> BTreeSet<ObjectId> {
        let mut waiting: Vec<ObjectId> = targets.objects().into_iter().collect();
        let mut reached = BTreeSet::new();
        while let Some(object) = waiting.pop() {
            if reached.insert(object) {
                waiting.extend(self.pointers_in(object).objects());
            }
        }
        reached
    }

    /// Blocks end.
    pub fn give_up(&mut self, state: &mut State, pointer: &Value) {
        let objects = pointer.targets.objects();
        state.holdings.own.retain(|(_, origin)| !objects.contains(origin));
    }

    pub fn note_word_read(&mut self, point: Point, state: &mut State, address: Term, value: Term) {
        if self.asks_for_races() && point.depth > 0 && self.is_in_model(point) {
            state.words.read.insert(address, value);
        }
    }

    /// Bytes are written, perhaps of a lock.
    pub fn note_word_written(&mut self, point: Point, state: &mut State, addr: &Value, bytes: Option<u64>) {
        if !self.asks_for_races() {
            return;
        }
        let places: Where = addr.targets.iter().collect();
        if point.depth > 0 && self.is_in_model(point) && bytes.is_some_and(|bytes| bytes <= WORD_BYTES) {
            state.words.written.entry(addr.term).or_default().extend(places);
            return;
        }
        let is_harmless = point.alone || self.is_own(state, addr);
        self.disturb(state, &places, bytes, is_harmless);
    }

    fn disturb(&mut self, state: &mut State, places: &Where, bytes: Option<u64>, is_harmless: bool) {
        state.holdings.lose_locks(places, bytes);
        if !is_harmless {
            for (object, offset) in places {
                self.found.disturbed.entry(*object).or_default().insert((*offset, bytes));
            }
        }
    }

    fn is_in_model(&self, point: Point) -> bool {
        self.program.functions[self.contexts[point.context].function].origin == Written::Model
    }

    /// A model says that the thread has a lock now.
    pub fn acquired(&mut self, state: &mut State, lock: &Value, exclusively: Term) {
        if self.asks_for_races() {
            state.words.written.remove(&lock.term);
            let exclusively = exclusively == Terms::TRUE;
            state.holdings.locks.insert((lock.term, exclusively), lock.targets.iter().collect());
        }
    }

    /// A model says that the thread has a lock no more.
    pub fn released(&mut self, state: &mut State, lock: &Value) {
        let places: Where = lock.targets.iter().collect();
        // The word has been written before: whether it was the thread's is judged at the end of the section.
        if !state.words.written.contains_key(&lock.term) {
            state.holdings.lose_locks(&places, Some(WORD_BYTES));
        }
    }

    /// An atomic section ends, or others may come between in it.
    pub fn settle_words(&mut self, point: Point, state: &mut State) {
        let Words { read, written } = std::mem::take(&mut state.words);
        let mut judged: Vec<(Where, bool)> = Vec::new();
        for (address, places) in written {
            let had_it = [true, false].into_iter().any(|how| state.holdings.locks.contains_key(&(address, how)));
            let was_free = read.get(&address).is_some_and(|word| {
                let zero = self.terms.constant(self.terms.bits(*word), 0);
                let is_free = self.terms.eq(*word, zero);
                is_free == Terms::TRUE || state.path.contains(&is_free)
            });
            let objects = places.iter().map(|(object, _)| *object).collect();
            let is_own = self.owns(state, address, &objects);
            judged.push((places, point.alone || had_it || was_free || is_own));
        }
        for (places, is_harmless) in judged {
            self.disturb(state, &places, Some(WORD_BYTES), is_harmless);
        }
    }

    /// The locks that a thread has where it stands and until it accesses an address.
    pub fn locks_until(&self, state: &State, address: Term) -> Protected {
        let address = base(&self.terms, address);
        let lock = |(&(lock, exclusively), places): (&(Term, bool), &Where)| Lock {
            protector: Protector { lock, exclusively },
            is_beside: base(&self.terms, lock) == address,
            places: places.clone(),
        };
        let now = &state.holdings.locks;
        Protected(self.found.standing.locks.iter().filter(|(key, _)| now.contains_key(*key)).map(lock).collect())
    }

    /// Those of these locks that are trusted, of which no variable tells.
    pub fn protectors(&self, locks: Protected) -> Vec<Protector> {
        let is_trusted = |lock: &Lock| {
            let is_one = self.terms.as_constant(lock.protector.lock).is_some();
            !lock.places.is_empty()
                && lock.places.iter().all(|(object, at)| {
                    let known = &self.objects[*object];
                    let lasts = match known.origin {
                        Origin::Global(id) => !self.program.globals[id].thread_local,
                        Origin::Heap(..) => lock.is_beside || !known.freed,
                        Origin::Function(_) | Origin::ThreadLocal(..) | Origin::AnyThreads(..) | Origin::Stack(..) => {
                            false
                        }
                    };
                    let disturbed = self.found.disturbed.get(object);
                    let meets = |(from, bytes): &(Offset, Option<u64>)| {
                        bytes.is_none_or(|bytes| from.meets(bytes, *at, WORD_BYTES))
                    };
                    let has_variable = is_one && known.home() != Home::Unknown;
                    lasts && !has_variable && !disturbed.is_some_and(|writes| writes.iter().any(meets))
                })
        };
        locks.0.into_iter().filter(is_trusted).map(|lock| lock.protector).collect()
    }
}
