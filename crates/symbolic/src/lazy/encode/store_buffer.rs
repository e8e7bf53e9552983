//! Store buffers: stores that reach memory later than they are made (TSO, PSO).
//!
//! Tomasco, Nguyen, Inverso, Fischer, La Torre and Parlato (Lazy sequentialization for TSO and PSO via shared memory
//! abstractions, FMCAD 2016) let every shared access go to an abstract memory, which keeps for each location a list of
//! stores with the guessed times at which they arrive. Here the schedule is order-encoded (`turns.rs`), and so are
//! arrivals: `arrived` says of a store that it has reached memory by the end of its thread's turn in a round. It is
//! monotone in the round. A store that is made in a turn arrives
//!
//! - *in place*, in the same turn: then it is written to its cells where it is made; or
//! - *late*, when a later turn of its thread begins, which may do nothing else; or
//! - never.
//!
//! That is every run, in enough rounds. What a thread sees does not change when one of its own stores arrives, and
//! nobody else runs in its turn, so an arrival in the middle of a turn is as good as one at its beginning or where the
//! store is made; and one in the middle of another thread's turn is one between two turns.
//!
//! A store must not arrive before those that the memory model keeps before it. What drains the buffer requires
//! that all stores made so far have arrived, by the beginning of the turn or in place. A load looks at the
//! thread's own stores that have not arrived, the newest first and byte by byte, and then at the cell. In a probe for
//! waiting the thread is alone, so all that waits is in memory.
//!
//! [`selvedge_analyze::buffers`] says which stores may wait at all, and where. All others are made in place. Where
//! nothing may wait, and that is everywhere under sequential consistency, there are no terms and no constraints.
//!
//! Segments (`segment.rs`) have no rounds: there a store waits until the engine that chooses the schedule flushes it,
//! or its thread drains the buffer. A store that is made in place is not enabled before those that must come first.

use super::Encoder;
use super::footprint::Footprint;
use super::memory::{Cell, Memory, joined};
use super::record::{Event, EventKind};
use super::walk::{Mode, StepId, Walk};
use hashbrown::HashMap;
use selvedge_analyze::buffers::{effect, store_rule};
use selvedge_analyze::points::Inside;
use selvedge_analyze::{Access, Facts};
use selvedge_bound::StepOp;
use selvedge_formula::{Term, Terms};
use selvedge_program::{BufferEffect, GlobalId, Intrinsic, Limit, MemoryModel, StoreRule};
use std::rc::Rc;

/// Bytes of a store, in one of the places that it may go to.
#[derive(Clone, Debug)]
struct Piece {
    object: GlobalId,
    at: u32,
    cell: Cell,
    /// The store was made, and went here.
    made: Term,
}

impl Piece {
    fn overlaps(&self, object: GlobalId, at: u32, bytes: u32) -> bool {
        self.object == object && self.at < at + bytes && at < self.at + self.cell.bytes
    }
}

/// A store that may wait, as far as it has got.
#[derive(Clone, Debug)]
struct Store {
    /// It was made, in this turn or before.
    made: Term,
    /// It has reached memory.
    arrived: Term,
    pieces: Vec<Piece>,
    /// Earlier stores, and when they must arrive before it.
    after: Vec<(usize, Term)>,
    /// An operation that separates stores came behind it.
    separated: Term,
}

impl Default for Store {
    fn default() -> Store {
        let (made, arrived, separated) = (Terms::FALSE, Terms::FALSE, Terms::FALSE);
        Store { made, arrived, pieces: Vec::new(), after: Vec::new(), separated }
    }
}

impl Store {
    fn add_after(&mut self, terms: &mut Terms, earlier: usize, when: Term) {
        match self.after.iter_mut().find(|(other, _)| *other == earlier) {
            Some((_, before)) => *before = terms.or(*before, when),
            None => self.after.push((earlier, when)),
        }
    }

    /// A piece of it is made if this holds. Returns whether it arrives in place.
    fn make(&mut self, terms: &mut Terms, (object, at, cell): (GlobalId, u32, Cell), when: Term) -> Term {
        self.made = terms.or(self.made, when);
        let same = |piece: &&mut Piece| (piece.object, piece.at, piece.cell.bytes) == (object, at, cell.bytes);
        match self.pieces.iter_mut().find(same) {
            Some(piece) => {
                piece.made = terms.or(piece.made, when);
                piece.cell.value = terms.ite(when, cell.value, piece.cell.value);
            }
            None => self.pieces.push(Piece { object, at, cell, made: when }),
        }
        self.arrived
    }

    fn waits(&self, terms: &mut Terms) -> Term {
        let not = terms.not(self.arrived);
        terms.and(self.made, not)
    }
}

/// The limit that a bound on the stores in a buffer means, if a buffer can ever be full.
pub fn capacity_limit(facts: &Facts<'_>, capacity: Option<u32>) -> Option<Limit> {
    let capacity = capacity?;
    let is_full = |thread: usize| {
        let mut stores = facts.interference.buffered(thread).iter();
        stores.any(|store| facts.interference.waiting(thread, store.block, store.step).len() >= capacity as usize)
    };
    (0..facts.bounded.threads.len()).any(is_full).then_some(Limit::StoreBuffer(capacity))
}

/// The contents of the buffers at some time, by thread and store: copies share whatever does not change.
#[derive(Clone, Debug, Default)]
pub struct Contents(Vec<Rc<Vec<Store>>>);

impl Contents {
    /// The stores that may be waiting.
    pub fn waiting(&self) -> Vec<StoreId> {
        let mut all = Vec::new();
        for (thread, stores) in self.0.iter().enumerate() {
            let waits = |store: &Store| store.made != Terms::FALSE && store.arrived != Terms::TRUE;
            let waiting = stores.iter().enumerate().filter(|(_, store)| waits(store));
            all.extend(waiting.map(|(number, _)| StoreId { thread, number }));
        }
        all
    }
}

/// A store that may wait: its number among those of its thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct StoreId {
    pub thread: usize,
    pub number: usize,
}

pub(super) struct Buffers {
    model: MemoryModel,
    /// How many stores may wait in one buffer at a time.
    capacity: Option<u32>,
    numbers: HashMap<StepId, usize>,
    contents: Contents,
}

impl Buffers {
    pub fn new(facts: &Facts<'_>, capacity: Option<u32>) -> Buffers {
        let mut buffers = Buffers {
            model: facts.bounded.program.memory_model,
            capacity,
            numbers: HashMap::new(),
            contents: Contents::default(),
        };
        for thread in 0..facts.bounded.threads.len() {
            let stores = facts.interference.buffered(thread);
            buffers.numbers.extend(stores.iter().enumerate().map(|(n, store)| ((thread, store.block, store.step), n)));
            buffers.contents.0.push(Rc::new(vec![Store::default(); stores.len()]));
        }
        buffers
    }

    pub fn contents(&self) -> Contents {
        self.contents.clone()
    }

    pub fn set_contents(&mut self, contents: &Contents) {
        self.contents.clone_from(contents);
    }

    /// How many stores may wait, of all threads.
    pub fn stores(&self) -> usize {
        self.contents.0.iter().map(|stores| stores.len()).sum()
    }

    /// The place of a store among those of all threads.
    pub fn index(&self, StoreId { thread, number }: StoreId) -> usize {
        self.contents.0[..thread].iter().map(|stores| stores.len()).sum::<usize>() + number
    }

    fn of(&self, thread: usize) -> &[Store] {
        &self.contents.0[thread]
    }

    fn store_mut(&mut self, thread: usize, number: usize) -> &mut Store {
        &mut Rc::make_mut(&mut self.contents.0[thread])[number]
    }

    /// Nothing waits in any buffer.
    pub fn all_empty(&self, terms: &mut Terms) -> Term {
        let stores: Vec<&Store> = self.contents.0.iter().flat_map(|thread| thread.iter()).collect();
        let waiting: Vec<Term> = stores.into_iter().map(|store| store.waits(terms)).collect();
        let some = terms.or_all(waiting);
        terms.not(some)
    }

    /// Writes all that waits in a thread's buffer to memory. The buffer stays as it is.
    pub fn drain(&self, terms: &mut Terms, memory: &mut Memory<'_>, thread: usize) {
        for (number, store) in self.of(thread).iter().enumerate() {
            let waits = store.waits(terms);
            self.write(terms, memory, (thread, number), waits);
        }
    }

    /// Writes a store to its cells, if this holds.
    fn write(&self, terms: &mut Terms, memory: &mut Memory<'_>, (thread, number): (usize, usize), condition: Term) {
        for Piece { object, at, cell, made } in &self.of(thread)[number].pieces {
            let when = terms.and(*made, condition);
            if when != Terms::FALSE {
                let old = memory.cell(terms, *object, *at, cell.bytes);
                let value = terms.ite(when, cell.value, old.value);
                memory.put(terms, *object, *at, Cell { bytes: cell.bytes, value });
            }
        }
    }
}

impl Encoder<'_> {
    /// The limit that the bound on store buffers means.
    pub fn capacity_limit(&self) -> Option<Limit> {
        capacity_limit(self.facts, self.buffers.capacity)
    }

    /// A thread's turn begins: stores of earlier turns may arrive, in their order, if the thread can run. By store:
    /// does it?
    pub(super) fn arrive(&mut self, thread: usize, could_run: Term) -> Vec<Term> {
        let Encoder { buffers, terms, memory, record, .. } = self;
        let mut arrivals = vec![Terms::FALSE; buffers.of(thread).len()];
        for (number, arrives) in arrivals.iter_mut().enumerate() {
            let store = buffers.store_mut(thread, number);
            if store.made == Terms::FALSE {
                continue;
            }
            let before = std::mem::replace(&mut store.arrived, new_arrival(terms, thread, number));
            let (now, made) = (store.arrived, store.made);
            record.constrain(terms.implies(before, now));
            let not_before = terms.not(before);
            let new = terms.and(now, not_before);
            let late = terms.and(made, new);
            record.constrain(terms.implies(late, could_run));
            buffers.write(terms, memory, (thread, number), new);
            record.events.push(Event { thread, when: late, kind: EventKind::Arrival { store: number } });
            *arrives = late;
        }
        arrivals
    }

    /// A store that waits reaches memory, which it can if those that must come first have. What that touches.
    pub(super) fn flush(&mut self, StoreId { thread, number }: StoreId) -> Footprint {
        let Encoder { buffers, terms, memory, record, .. } = self;
        let mut footprint = Footprint::default();
        footprint.add_store(thread, number, true);
        let stores = buffers.of(thread);
        let store = &stores[number];
        for (earlier, when) in &store.after {
            record.constrain(terms.implies(*when, stores[*earlier].arrived));
            footprint.add_store(thread, *earlier, false);
        }
        for Piece { object, at, cell, .. } in &store.pieces {
            let (from, to) = (i64::from(*at), i64::from(*at) + i64::from(cell.bytes));
            footprint.add(Access { object: *object, from, to, write: true });
        }
        let waits = store.waits(terms);
        record.constrain(waits);
        record.events.push(Event { thread, when: waits, kind: EventKind::Arrival { store: number } });
        buffers.write(terms, memory, (thread, number), waits);
        buffers.store_mut(thread, number).arrived = Terms::TRUE;
        footprint
    }

    /// The turn is over: nothing has arrived that was not made, nor before what must come first.
    pub(super) fn keep_order(&mut self, thread: usize) {
        let Encoder { buffers, terms, record, .. } = self;
        let stores = buffers.of(thread);
        for store in stores.iter().filter(|store| store.arrived != Terms::FALSE) {
            record.constrain(terms.implies(store.arrived, store.made));
            for (earlier, when) in &store.after {
                let asked = terms.and(store.arrived, *when);
                record.constrain(terms.implies(asked, stores[*earlier].arrived));
            }
        }
    }
}

fn new_arrival(terms: &mut Terms, thread: usize, store: usize) -> Term {
    terms.variable(1, format!("arrived {thread}.{store}"))
}

impl<'b> Walk<'_, 'b> {
    /// The stores of the thread that may be waiting before the step, by number, in the order of the code.
    fn waiting(&self) -> &'b [usize] {
        self.facts.interference.waiting(self.here.thread, self.here.block, self.here.step)
    }

    /// The number of the step's store, if that may wait.
    pub(super) fn number(&self) -> Option<usize> {
        self.buffers.numbers.get(&self.here.id()).copied().filter(|_| !self.is_probe())
    }

    /// The step drains the buffer, or separates stores. For a section that cannot be completed nothing is drained.
    pub(super) fn before_acting(&mut self, op: &StepOp) {
        self.stored = Terms::FALSE;
        if self.is_probe() || self.here.active == Terms::FALSE {
            return;
        }
        match effect(self.buffers.model, op) {
            BufferEffect::None => {}
            // No thread is left to look.
            BufferEffect::Drain if op.is(Intrinsic::ProcessExit) => {}
            BufferEffect::Drain => {
                for earlier in self.waiting() {
                    self.drain_store(*earlier);
                }
            }
            BufferEffect::Separate => {
                for earlier in self.waiting() {
                    let store = self.buffers.store_mut(self.here.thread, *earlier);
                    store.separated = self.terms.or(store.separated, self.here.active);
                }
            }
        }
        if let (Some(number), Mode::Round(_)) = (self.number(), &self.mode) {
            let store = self.buffers.store_mut(self.here.thread, number);
            if store.arrived == Terms::FALSE {
                store.arrived = new_arrival(self.terms, self.here.thread, number);
            }
        }
    }

    /// An earlier store must have arrived before the step acts: in a turn at its beginning or in place, in a segment
    /// now.
    fn drain_store(&mut self, number: usize) {
        let thread = self.here.thread;
        let waits = self.buffers.of(thread)[number].waits(self.terms);
        if let Mode::Round(_) = self.mode {
            let arrived = self.terms.not(waits);
            self.require(arrived);
            return;
        }
        let when = self.terms.and(waits, self.here.active);
        if when == Terms::FALSE {
            return;
        }
        for Piece { object, at, cell, .. } in self.buffers.of(thread)[number].pieces.clone() {
            self.note_access(object, at, cell.bytes, true);
        }
        self.note_store(number, true);
        self.buffers.write(self.terms, self.memory, (thread, number), when);
        let store = self.buffers.store_mut(thread, number);
        store.arrived = self.terms.or(store.arrived, when);
    }

    /// A store to these bytes is made, if this holds: it waits, or is made in place.
    pub(super) fn write(&mut self, object: GlobalId, at: u32, new: Cell, condition: Term) {
        let rule = self.rule().filter(|_| !self.is_probe() && !self.memory.is_own(object));
        let Some(StoreRule::Buffered { release }) = rule else {
            self.write_cell(object, at, new, condition);
            return;
        };
        let when = self.terms.and(self.here.active, condition);
        if when == Terms::FALSE {
            return;
        }
        self.stored = self.terms.or(self.stored, when);
        let number = self.number();
        for earlier in self.waiting() {
            let first = self.must_come_first(*earlier, (object, at, new.bytes), release);
            let first = self.terms.and(first, when);
            match number {
                Some(number) => self.buffers.store_mut(self.here.thread, number).add_after(self.terms, *earlier, first),
                None => {
                    let arrived = self.buffers.of(self.here.thread)[*earlier].arrived;
                    let fine = self.terms.implies(first, arrived);
                    self.require(fine);
                    self.note_store(*earlier, false);
                }
            }
        }
        let in_place = match number {
            Some(number) => {
                self.note_store(number, true);
                self.buffers.store_mut(self.here.thread, number).make(self.terms, (object, at, new), when)
            }
            None => Terms::TRUE,
        };
        let in_place = self.terms.and(condition, in_place);
        self.write_cell(object, at, new, in_place);
    }

    fn op(&self) -> &'b StepOp {
        &self.bounded().threads[self.here.thread].blocks[self.here.block].steps[self.here.step].op
    }

    /// Nothing waits any more when the step acts.
    fn drains(&self) -> bool {
        effect(self.buffers.model, self.op()) == BufferEffect::Drain
    }

    /// The way of the step's store to memory, unless others cannot see it and it can be made in place.
    fn rule(&self) -> Option<StoreRule> {
        let (thread, block, step) = self.here.id();
        let rule = store_rule(self.buffers.model, self.op()).filter(|_| self.here.inside == Inside::Nothing);
        rule.filter(|_| self.number().is_some() || self.facts.interference.visible(thread, block, step))
    }

    /// When must an earlier store arrive before one to these bytes?
    fn must_come_first(&mut self, earlier: usize, (object, at, bytes): (GlobalId, u32, u32), release: bool) -> Term {
        let model = self.buffers.model;
        let earlier = &self.buffers.of(self.here.thread)[earlier];
        if model.keeps_order(false, false, release) {
            return earlier.made;
        }
        let separated = self.terms.and(earlier.made, earlier.separated);
        let overlapping = earlier.pieces.iter().filter(|piece| piece.overlaps(object, at, bytes));
        overlapping.fold(separated, |any, piece| self.terms.or(any, piece.made))
    }

    /// The thread's view of these bytes, given those in memory: its own stores that have not arrived come first.
    pub(super) fn over_memory(&mut self, object: GlobalId, at: u32, mut cell: Cell) -> Cell {
        if self.is_probe() || self.memory.is_own(object) || self.drains() {
            return cell;
        }
        for earlier in self.waiting() {
            let store = &self.buffers.of(self.here.thread)[*earlier];
            let late = self.terms.not(store.arrived);
            let bytes = cell.bytes;
            for piece in store.pieces.iter().filter(|piece| piece.overlaps(object, at, bytes)) {
                let waits = self.terms.and(piece.made, late);
                cell = overlaid(self.terms, (at, cell), piece, waits);
            }
        }
        cell
    }

    /// The step was counted in the schedule: tells of the store that it has made.
    pub(super) fn after_acting(&mut self) {
        let (thread, stored) = (self.here.thread, self.stored);
        if stored == Terms::FALSE || self.is_probe() {
            return;
        }
        let Some(number) = self.number() else {
            self.record.events.push(Event { thread, when: stored, kind: EventKind::ArrivesAtOnce });
            return;
        };
        self.keep_within_capacity(number);
        let in_place = self.terms.and(stored, self.buffers.of(thread)[number].arrived);
        self.record.events.push(Event { thread, when: stored, kind: EventKind::Store { store: number } });
        if in_place != Terms::FALSE {
            self.record.events.push(Event { thread, when: in_place, kind: EventKind::Arrival { store: number } });
        }
    }

    /// With this store no more of them wait than the buffer can hold.
    fn keep_within_capacity(&mut self, number: usize) {
        let Some(capacity) = self.buffers.capacity else { return };
        let stores: Vec<usize> = self.waiting().iter().copied().chain([number]).collect();
        if stores.len() <= capacity as usize {
            return;
        }
        let bits = usize::BITS - stores.len().leading_zeros();
        let mut waiting = self.terms.constant(bits, 0);
        for store in stores {
            self.note_store(store, false);
            let waits = self.buffers.of(self.here.thread)[store].waits(self.terms);
            let one = self.terms.zero_extend(waits, bits);
            waiting = self.terms.add(waiting, one);
        }
        let capacity = self.terms.constant(bits, u128::from(capacity));
        let fits = self.terms.ule(waiting, capacity);
        self.require(fits);
    }
}

/// A cell as it looks if a piece of a store lies over it.
fn overlaid(terms: &mut Terms, (at, under): (u32, Cell), piece: &Piece, when: Term) -> Cell {
    if when == Terms::FALSE {
        return under;
    }
    if (piece.at, piece.cell.bytes) == (at, under.bytes) {
        return Cell { bytes: under.bytes, value: terms.ite(when, piece.cell.value, under.value) };
    }
    let value = joined(terms, at, under.bytes, |terms, byte| {
        let below = terms.extract(under.value, 8 * (byte - at), 8);
        if !(piece.at..piece.at + piece.cell.bytes).contains(&byte) {
            return below;
        }
        let above = terms.extract(piece.cell.value, 8 * (byte - piece.at), 8);
        terms.ite(when, above, below)
    });
    Cell { bytes: under.bytes, value }
}
