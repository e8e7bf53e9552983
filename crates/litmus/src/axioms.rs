//! Outcomes of litmus tests from the axioms of memory models (Alglave, Maranget, Tautschnig: Herding cats, TOPLAS
//! 2014), independent of every machine with store buffers.
//!
//! A candidate execution says which store each load reads from (*rf*) and in which order the stores to a place reach
//! memory (*co*); then a load comes before (*fr*) each store that follows, in co, the one it reads from. All
//! candidates are enumerated; a model allows those that fulfil three axioms:
//!
//! - *uniproc*: for each place, program order, rf, co and fr together have no cycle;
//! - *atomicity*: between the store that a read-modify-write reads from and its own no other comes in co;
//! - *order*: the program order that the model preserves, rf between threads, co and fr together have no cycle.
//!
//! A load may read from an earlier store of its own thread before that reaches memory, so this rf is not in the last
//! axiom. Preserved are, under
//!
//! | pair | SC | TSO | PSO |
//! |---|---|---|---|
//! | a load, and anything | yes | yes | yes |
//! | a store, and a later load | yes | if a drain is between | if a drain is between |
//! | a store, and a later store | yes | yes | if they share a byte, a drain or a release fence is between, or the later is a release or seq_cst store |
//!
//! A drain is between if a seq_cst fence is, if one of the two belongs to a read-modify-write (a failed one, too) or to
//! an operation on a mutex, or if the store is seq_cst.
//!
//! **Sizes.** Variables are cut into *cells*, the largest pieces that every access has as a whole or not at all. A load
//! reads every cell from a store of its own; rf, co and fr are the unions over cells, and uniproc holds for each. This
//! is exact because a store reaches memory as a whole: order the accesses along the acyclic relation of the last axiom,
//! let each store reach memory at its place and each load read at its own. The machine with buffers can do so: what a
//! load reads from its own thread is in the buffer still, or is the newest in memory by fr; what it reads from another
//! has arrived, and own stores to that cell had before, by uniproc. In the other direction the order in which a run of
//! the machine reads, and makes stores arrive, has no cycle.

use crate::{Action, Litmus, MODELS, Observed, Outcome, Place, Value};
use selvedge_program::{MemoryModel, MemoryOrder};
use std::collections::BTreeSet;

/// The outcomes that each model allows, in the order of [`MemoryModel::ALL`].
pub fn outcomes(test: &Litmus) -> [BTreeSet<Outcome>; MODELS] {
    let mut allowed: [BTreeSet<Outcome>; MODELS] = Default::default();
    let conditional = test.actions().filter(|action| matches!(action, Action::CompareExchange { .. })).count();
    for successes in 0..1_u32 << conditional {
        Events::new(test, successes).each_candidate(&mut |candidate| {
            // Whatever a model allows, so do those that follow it.
            let first = MemoryModel::ALL.iter().position(|model| candidate.is_ordered(*model));
            if let Some(first) = first {
                let outcome: Outcome = test.observed.iter().map(|observed| candidate.observed(observed)).collect();
                allowed[first..].iter_mut().for_each(|set| _ = set.insert(outcome.clone()));
            }
        });
    }
    allowed
}

/// A piece of a variable that every access has as a whole or not at all.
struct Cell {
    place: Place,
    /// The first is the initial store, which belongs to no thread.
    writes: Vec<usize>,
    reads: Vec<usize>,
}

enum Kind {
    Read {
        register: Option<String>,
        condition: Condition,
    },
    /// `partner`: the read of the same read-modify-write.
    Write {
        value: Value,
        release: bool,
        partner: Option<usize>,
    },
}

/// The value that must have been read for the action to go as it was assumed to.
enum Condition {
    None,
    Is(u32),
    IsNot(u32),
}

struct Event {
    thread: Option<usize>,
    kind: Kind,
    place: Place,
    /// How often the thread has drained its buffer, and separated its stores, before it.
    drains: u32,
    separations: u32,
}

/// All accesses of a test, in program order, given which of its compare-exchanges succeed.
struct Events {
    events: Vec<Event>,
    cells: Vec<Cell>,
}

impl Events {
    fn new(test: &Litmus, mut successes: u32) -> Events {
        let mut events = Vec::new();
        for (thread, actions) in test.threads.iter().enumerate() {
            let mut maker = Maker { events: &mut events, thread, drains: 0, separations: 0 };
            for action in actions {
                maker.action(action, &mut successes);
            }
        }
        let cells = cells(&mut events);
        Events { events, cells }
    }

    fn each_candidate(&self, found: &mut impl FnMut(&Candidate)) {
        let reads: Vec<(usize, usize)> =
            self.cells.iter().enumerate().flat_map(|(c, cell)| cell.reads.iter().map(move |read| (*read, c))).collect();
        let mut sources = vec![vec![usize::MAX; self.cells.len()]; self.events.len()];
        self.choose_sources(&reads, &mut sources, found);
    }

    /// Every way to read the rest from some store.
    fn choose_sources(
        &self,
        rest: &[(usize, usize)],
        sources: &mut Vec<Vec<usize>>,
        found: &mut impl FnMut(&Candidate),
    ) {
        let Some(((read, cell), rest)) = rest.split_first() else {
            return self.choose_orders(sources, &mut Vec::new(), found);
        };
        for write in &self.cells[*cell].writes {
            sources[*read][*cell] = *write;
            self.choose_sources(rest, sources, found);
        }
    }

    /// Every order of the stores to the rest of the cells.
    fn choose_orders(&self, sources: &[Vec<usize>], orders: &mut Vec<Vec<usize>>, found: &mut impl FnMut(&Candidate)) {
        let Some(cell) = self.cells.get(orders.len()) else {
            let candidate = Candidate { all: self, sources, orders };
            if candidate.conditions_hold() {
                found(&candidate);
            }
            return;
        };
        let (first, others) = cell.writes.split_first().expect("the initial store is one");
        for order in permutations(others) {
            orders.push([&[*first], &order[..]].concat());
            if self.is_coherent(orders.len() - 1, sources, orders) {
                self.choose_orders(sources, orders, found);
            }
            orders.pop();
        }
    }

    /// Uniproc and atomicity of one cell.
    fn is_coherent(&self, cell: usize, sources: &[Vec<usize>], orders: &[Vec<usize>]) -> bool {
        let candidate = Candidate { all: self, sources, orders };
        let mut relation = Relation::new(self.events.len());
        candidate.communicate(cell, true, &mut relation);
        let accesses: Vec<usize> = self.cells[cell].writes.iter().chain(&self.cells[cell].reads).copied().collect();
        for (a, b) in accesses.iter().flat_map(|a| accesses.iter().map(move |b| (*a, *b))) {
            if self.is_before(a, b) {
                relation.add(a, b);
            }
        }
        let is_atomic = |write: &usize| match self.events[*write].kind {
            Kind::Write { partner: Some(read), .. } => {
                candidate.position(cell, *write) == candidate.position(cell, sources[read][cell]) + 1
            }
            Kind::Write { partner: None, .. } | Kind::Read { .. } => true,
        };
        relation.is_acyclic() && self.cells[cell].writes.iter().all(is_atomic)
    }

    /// Program order.
    fn is_before(&self, a: usize, b: usize) -> bool {
        a < b && self.events[a].thread.is_some() && self.events[a].thread == self.events[b].thread
    }

    fn is_preserved(&self, model: MemoryModel, a: usize, b: usize) -> bool {
        let (first, second) = (&self.events[a], &self.events[b]);
        let is_drained = first.drains < second.drains;
        let stores_are_kept = |release: bool| match model {
            MemoryModel::Sc | MemoryModel::Tso => true,
            MemoryModel::Pso => {
                release || first.separations < second.separations || overlap(&first.place, &second.place)
            }
        };
        match (&first.kind, &second.kind) {
            (Kind::Read { .. }, _) => true,
            (Kind::Write { .. }, Kind::Read { .. }) => model == MemoryModel::Sc || is_drained,
            (Kind::Write { .. }, Kind::Write { release, .. }) => is_drained || stores_are_kept(*release),
        }
    }
}

/// Makes the accesses of a thread.
struct Maker<'a> {
    events: &'a mut Vec<Event>,
    thread: usize,
    drains: u32,
    separations: u32,
}

impl Maker<'_> {
    fn action(&mut self, action: &Action, successes: &mut u32) {
        match action {
            Action::Store { to, value, order } => {
                let release = matches!(order, Some(MemoryOrder::Release | MemoryOrder::AcqRel | MemoryOrder::SeqCst));
                self.push(to, Kind::Write { value: value.clone(), release, partner: None });
                self.drains += u32::from(*order == Some(MemoryOrder::SeqCst));
            }
            Action::Load { register, from, .. } => {
                self.push(from, Kind::Read { register: Some(register.clone()), condition: Condition::None });
            }
            Action::Exchange { register, at, value, .. } => {
                self.read_modify_write(at, Some(register), Condition::None, Some(value));
            }
            Action::CompareExchange { register, at, expected, value, .. } => {
                let succeeds = *successes & 1 == 1;
                *successes >>= 1;
                match succeeds {
                    true => self.read_modify_write(at, Some(register), Condition::Is(*expected), Some(value)),
                    false => self.read_modify_write(at, Some(register), Condition::IsNot(*expected), None),
                }
            }
            Action::Fence { order: MemoryOrder::SeqCst } => self.drains += 1,
            Action::Fence { order: MemoryOrder::Release | MemoryOrder::AcqRel } => self.separations += 1,
            Action::Fence { order: MemoryOrder::Relaxed | MemoryOrder::Acquire } => {}
            Action::Lock { mutex } => {
                self.read_modify_write(&word_of(mutex), None, Condition::Is(0), Some(&Value::Constant(1)));
            }
            Action::Unlock { mutex } => {
                self.read_modify_write(&word_of(mutex), None, Condition::Is(1), Some(&Value::Constant(0)));
            }
        }
    }

    /// Drains, reads, and writes unless it fails. What it writes is in memory at once, so that it has drained
    /// afterwards, too.
    fn read_modify_write(
        &mut self,
        at: &Place,
        register: Option<&String>,
        condition: Condition,
        value: Option<&Value>,
    ) {
        self.drains += 1;
        let read = self.push(at, Kind::Read { register: register.cloned(), condition });
        if let Some(value) = value {
            self.push(at, Kind::Write { value: value.clone(), release: false, partner: Some(read) });
        }
        self.drains += 1;
    }

    fn push(&mut self, place: &Place, kind: Kind) -> usize {
        let event = Event {
            thread: Some(self.thread),
            kind,
            place: place.clone(),
            drains: self.drains,
            separations: self.separations,
        };
        self.events.push(event);
        self.events.len() - 1
    }
}

/// A variable of its own.
fn word_of(mutex: &str) -> Place {
    Place::word(&format!("mutex {mutex}"))
}

fn overlap(a: &Place, b: &Place) -> bool {
    a.variable == b.variable && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes
}

/// Cuts all variables into cells, and gives each an initial store.
fn cells(events: &mut Vec<Event>) -> Vec<Cell> {
    let mut ends: BTreeSet<(String, u32)> = BTreeSet::new();
    for Event { place, .. } in &*events {
        ends.extend([place.offset, place.offset + place.bytes].map(|end| (place.variable.clone(), end)));
    }
    let ends: Vec<(String, u32)> = ends.into_iter().collect();
    let pieces = ends.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    let mut cells: Vec<Cell> = pieces
        .map(|pair| Place { variable: pair[0].0.clone(), offset: pair[0].1, bytes: pair[1].1 - pair[0].1 })
        .map(|place| Cell { place, writes: Vec::new(), reads: Vec::new() })
        .collect();
    for cell in &mut cells {
        let accesses: Vec<usize> =
            (0..events.len()).filter(|event| overlap(&events[*event].place, &cell.place)).collect();
        let (reads, writes): (Vec<usize>, Vec<usize>) =
            accesses.into_iter().partition(|event| matches!(events[*event].kind, Kind::Read { .. }));
        let kind = Kind::Write { value: Value::Constant(0), release: false, partner: None };
        events.push(Event { thread: None, kind, place: cell.place.clone(), drains: 0, separations: 0 });
        cell.writes = [&[events.len() - 1], &writes[..]].concat();
        cell.reads = reads;
    }
    cells
}

/// Events with rf and co.
struct Candidate<'a> {
    all: &'a Events,
    /// By read and cell: the store that it reads from.
    sources: &'a [Vec<usize>],
    /// By cell: its stores in the order in which they reach memory.
    orders: &'a [Vec<usize>],
}

impl Candidate<'_> {
    fn is_ordered(&self, model: MemoryModel) -> bool {
        let count = self.all.events.len();
        let mut relation = Relation::new(count);
        (0..self.all.cells.len()).for_each(|cell| self.communicate(cell, false, &mut relation));
        for (a, b) in (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))) {
            if self.all.is_before(a, b) && self.all.is_preserved(model, a, b) {
                relation.add(a, b);
            }
        }
        relation.is_acyclic()
    }

    /// Adds rf (within threads only if asked), co and fr of a cell.
    fn communicate(&self, cell: usize, within_threads: bool, relation: &mut Relation) {
        let order = &self.orders[cell];
        order.windows(2).for_each(|pair| relation.add(pair[0], pair[1]));
        for read in &self.all.cells[cell].reads {
            let source = self.sources[*read][cell];
            if within_threads || self.all.events[source].thread != self.all.events[*read].thread {
                relation.add(source, *read);
            }
            if let Some(next) = order.get(self.position(cell, source) + 1) {
                relation.add(*read, *next);
            }
        }
    }

    fn position(&self, cell: usize, write: usize) -> usize {
        self.orders[cell].iter().position(|other| *other == write).expect("the order has every store to the cell")
    }

    /// Each read-modify-write saw what it was assumed to see.
    fn conditions_hold(&self) -> bool {
        (0..self.all.events.len()).all(|event| match self.all.events[event].kind {
            Kind::Read { condition: Condition::Is(expected), .. } => self.value_read(event) == expected,
            Kind::Read { condition: Condition::IsNot(expected), .. } => self.value_read(event) != expected,
            Kind::Read { condition: Condition::None, .. } | Kind::Write { .. } => true,
        })
    }

    fn observed(&self, observed: &Observed) -> u32 {
        match observed {
            Observed::Register(name) => self.value_of(&Value::Register(name.clone()), self.all.events.len()),
            Observed::Variable(name) => {
                let cells = (0..self.all.cells.len()).filter(|cell| self.all.cells[*cell].place.variable == *name);
                let last = |cell: usize| *self.orders[cell].last().expect("the initial store is one");
                cells.map(|cell| self.piece(cell, last(cell), 0, self.all.events.len())).sum()
            }
        }
    }

    fn value_read(&self, read: usize) -> u32 {
        self.value_at(read, self.all.events.len())
    }

    /// `depth`: a value that comes from itself comes from nowhere. No model allows that, whatever it is.
    fn value_at(&self, read: usize, depth: usize) -> u32 {
        let place = &self.all.events[read].place;
        let cells = (0..self.all.cells.len()).filter(|cell| overlap(&self.all.cells[*cell].place, place));
        cells.map(|cell| self.piece(cell, self.sources[read][cell], place.offset, depth)).sum()
    }

    /// The byte that a store leaves in a cell, as part of a value whose lowest byte is at `offset` in the variable.
    fn piece(&self, cell: usize, write: usize, offset: u32, depth: usize) -> u32 {
        let Event { kind: Kind::Write { value, .. }, place, .. } = &self.all.events[write] else {
            unreachable!("reads are no sources")
        };
        let Place { offset: begin, bytes, .. } = self.all.cells[cell].place;
        let mask = u32::MAX >> (32 - 8 * bytes);
        let stored = self.value_of(value, depth) >> (8 * (begin - place.offset)) & mask;
        stored << (8 * (begin - offset))
    }

    fn value_of(&self, value: &Value, depth: usize) -> u32 {
        match value {
            Value::Constant(value) => *value,
            Value::Register(_) if depth == 0 => 0,
            Value::Register(name) => {
                let writes_it = |event: &Event| matches!(&event.kind, Kind::Read { register: Some(register), .. } if register == name);
                let read = self.all.events.iter().position(writes_it).expect("some action writes every register");
                self.value_at(read, depth - 1)
            }
        }
    }
}

/// Which events come before which.
struct Relation {
    successors: Vec<u64>,
}

impl Relation {
    fn new(events: usize) -> Relation {
        assert!(events <= 64, "litmus tests have at most 64 accesses");
        Relation { successors: vec![0; events] }
    }

    fn add(&mut self, a: usize, b: usize) {
        self.successors[a] |= 1 << b;
    }

    /// Takes away what has no successor left, until nothing has one or everything has.
    fn is_acyclic(&self) -> bool {
        let mut left: Vec<usize> = (0..self.successors.len()).collect();
        loop {
            let remaining = left.iter().fold(0, |set, event| set | 1_u64 << event);
            let before = left.len();
            left.retain(|event| self.successors[*event] & remaining != 0);
            if left.is_empty() || left.len() == before {
                return left.is_empty();
            }
        }
    }
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    let Some((first, rest)) = items.split_first() else { return vec![Vec::new()] };
    let insert = |order: Vec<usize>| (0..=order.len()).map(move |at| [&order[..at], &[*first], &order[at..]].concat());
    permutations(rest).into_iter().flat_map(insert).collect()
}
