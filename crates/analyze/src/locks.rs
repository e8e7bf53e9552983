//! The locks that a thread surely holds at each step (the locksets of Eraser, Savage et al. 1997, but proved).
//!
//! The models declare where a lock is taken and released (`Acquired`, `Released`). Inside a thread this is
//! a forward analysis: a lock is held if it was acquired on every path and not released since.
//!
//! A model's declaration is valid as long as the lock's own bytes change by the rules. Those are the bytes that
//! sections that acquire or release the lock write in its object. A thread that writes them must hold the lock, or
//! acquire it in the same section; any other write (an unlock by another thread, a second initialisation) breaks the
//! lock if another thread may hold it then, and a broken lock protects nothing. A write by the holder itself ends our
//! belief that it holds the lock, until it declares so again.
//!
//! Releasing a lock needs no context switch before it (Lipton, CACM 1975: it commutes to the left). While the
//! lock is held, the bytes that the release writes are read by other threads only in sections that end by acquiring
//! the lock; and those cannot be completed, nor find a violation, as long as another thread has it. This is the rest
//! of the model's promise. Such a section therefore counts as a holder to the thread that holds the lock, though not to
//! itself.
//!
//! Under a memory model with store buffers, what a thread wrote under a lock is in memory when the lock is free for
//! others, because the section that releases the lock drains the buffer. A lock that is given back by a store that is
//! itself buffered, or without any section, promises nothing of the kind.

use crate::accesses::{Access, Accesses};
use crate::buffers::store_rule;
use crate::graph::Graph;
use crate::order::Order;
use crate::points_to::PointsTo;
use crate::values::{Values, bit};
use hashbrown::HashMap;
use selvedge_bound::{Block, Bounded, StepOp};
use selvedge_program::{EntityRef, GlobalId, Intrinsic, Op, Operand, StoreRule};

/// Locks by number, as bits. More locks than bits protect nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Held {
    pub exclusive: u128,
    pub shared: u128,
    /// Surely acquired by the end of the atomic section.
    pub acquiring: u128,
}

impl Held {
    /// Whether a lock keeps a step that holds `other` from getting between a step that holds `self` and the steps that
    /// led to it.
    pub fn protected_from(&self, other: &Held) -> bool {
        let all = other.exclusive | other.shared;
        self.exclusive & (all | other.acquiring) != 0 || self.shared & other.exclusive != 0
    }
}

pub(crate) struct Locks {
    sets: Vec<Held>,
    /// For each thread and position an index into `sets`.
    at: Vec<Vec<u32>>,
}

struct Builder<'a, 'p> {
    bounded: &'a Bounded<'p>,
    graphs: &'a [Graph],
    points_to: &'a PointsTo,
    values: &'a Values,
    accesses: &'a Accesses,
    numbers: HashMap<(GlobalId, i64), usize>,
    /// For each object the locks in it, and the bytes that belong to them.
    bytes: HashMap<GlobalId, Vec<(usize, i64, i64)>>,
}

/// For each position of a thread the events that surely happen before its atomic section ends.
struct Anticipated {
    acquired: Vec<u128>,
    released: Vec<u128>,
}

impl Locks {
    pub fn none(graphs: &[Graph]) -> Locks {
        Locks { sets: vec![Held::default()], at: graphs.iter().map(|graph| vec![0; graph.len()]).collect() }
    }

    pub fn new(
        bounded: &Bounded<'_>,
        graphs: &[Graph],
        points_to: &PointsTo,
        values: &Values,
        accesses: &Accesses,
        order: &Order,
    ) -> Locks {
        let mut builder =
            Builder { bounded, graphs, points_to, values, accesses, numbers: HashMap::new(), bytes: HashMap::new() };
        builder.collect();
        if builder.numbers.is_empty() {
            return Locks::none(graphs);
        }
        let threads = 0..bounded.threads.len();
        let anticipated: Vec<Anticipated> = threads.clone().map(|thread| builder.anticipated(thread)).collect();
        builder.collect_bytes(&anticipated);
        let mut held: Vec<Vec<Held>> = threads.map(|thread| builder.held(thread, &anticipated[thread])).collect();
        let good =
            builder.whole_locks() & !builder.broken(&anticipated, &held, order) & !builder.given_back_late(&held);
        for held in held.iter_mut().flatten() {
            held.exclusive &= good;
            held.shared &= good;
            held.acquiring &= good;
        }
        Locks::intern(&held)
    }

    fn intern(held: &[Vec<Held>]) -> Locks {
        let mut numbers: HashMap<Held, u32> = HashMap::new();
        let mut sets = Vec::new();
        let mut number = |held: &Held| {
            *numbers.entry(*held).or_insert_with(|| {
                sets.push(*held);
                sets.len() as u32 - 1
            })
        };
        let at = held.iter().map(|thread| thread.iter().map(&mut number).collect()).collect();
        Locks { sets, at }
    }

    pub fn held(&self, thread: usize, position: u32) -> Held {
        self.sets[self.at[thread][position as usize] as usize]
    }
}

/// The declaration of a step about locks.
enum Said {
    Acquired { lock: Operand, exclusively: Operand },
    Released(Operand),
}

fn said(op: &StepOp) -> Option<Said> {
    let StepOp::Plain(Op::Intrinsic { which, args, .. }) = op else { return None };
    if *which == Intrinsic::Acquired {
        return Some(Said::Acquired { lock: args[0], exclusively: args[1] });
    }
    (*which == Intrinsic::Released).then(|| Said::Released(args[0]))
}

impl Builder<'_, '_> {
    /// Numbers the locks.
    fn collect(&mut self) {
        for (number, thread) in self.bounded.threads.iter().enumerate() {
            for step in thread.blocks.values().flat_map(|block| &block.steps) {
                if let Some(Said::Acquired { lock, .. }) = said(&step.op)
                    && let Some(place) = self.points_to.of(number, lock).single()
                {
                    let next = self.numbers.len();
                    self.numbers.entry(place).or_insert(next);
                }
            }
        }
    }

    /// The lock that an address surely names, as a set.
    fn lock(&self, thread: usize, address: Operand) -> u128 {
        let place = self.points_to.of(thread, address).single();
        place.and_then(|place| self.numbers.get(&place)).map_or(0, |number| bit(*number))
    }

    /// All locks that an address may name.
    fn may_name(&self, thread: usize, address: Operand) -> u128 {
        let targets = self.points_to.of(thread, address);
        if targets.places.is_empty() {
            return u128::MAX;
        }
        let hit = |(object, at): &(GlobalId, i64)| targets.contains(*object, *at);
        self.numbers.iter().filter(|(place, _)| hit(place)).fold(0, |all, (_, number)| all | bit(*number))
    }

    /// The events that the rest of each atomic section surely contains, by a backward pass.
    fn anticipated(&self, number: usize) -> Anticipated {
        let (thread, graph) = (&self.bounded.threads[number], &self.graphs[number]);
        let depths = self.depths(number);
        let mut anticipated = Anticipated { acquired: vec![0; graph.len()], released: vec![0; graph.len()] };
        for (id, block) in thread.blocks.iter().rev() {
            let index = id.index();
            let last = block.steps.len();
            let ways = self.values.successors(number, block);
            let first = |to: &usize| graph.position(*to, 0) as usize;
            let meet = |all: &[u128]| {
                if ways.is_empty() { 0 } else { ways.iter().fold(u128::MAX, |met, to| met & all[first(to)]) }
            };
            let goes_on = self.values.is_live(number, index, last);
            let (mut acquired, mut released) =
                if goes_on { (meet(&anticipated.acquired), meet(&anticipated.released)) } else { (0, 0) };
            if self.gives_up(number, index, block) {
                // The section is undone, or the run discarded: nothing in it has happened.
                (acquired, released) = (u128::MAX, u128::MAX);
            }
            let end = graph.position(index, last) as usize;
            (anticipated.acquired[end], anticipated.released[end]) = (acquired, released);
            for (step, body) in block.steps.iter().enumerate().rev() {
                let position = graph.position(index, step) as usize;
                match said(&body.op) {
                    Some(Said::Acquired { lock, .. }) => acquired |= self.lock(number, lock),
                    Some(Said::Released(lock)) => released |= self.lock(number, lock),
                    None => {}
                }
                let before = depths[position];
                // Outside of sections nothing is promised.
                if before == 0 || body.op.nesting(before) == 0 {
                    (acquired, released) = (0, 0);
                }
                (anticipated.acquired[position], anticipated.released[position]) = (acquired, released);
            }
        }
        anticipated
    }

    /// Whether the block ends at a condition that never holds.
    fn gives_up(&self, number: usize, index: usize, block: &Block) -> bool {
        let is_live = |step: usize| self.values.is_live(number, index, step);
        let last = (0..block.steps.len()).rev().find(|step| is_live(*step)).map(|step| &block.steps[step].op);
        let waits = |op: &StepOp| op.is(Intrinsic::BlockUntil) || op.is(Intrinsic::Assume);
        !is_live(block.steps.len()) && last.is_some_and(waits)
    }

    /// For each position the minimal depth in atomic sections.
    fn depths(&self, number: usize) -> Vec<u32> {
        let (thread, graph) = (&self.bounded.threads[number], &self.graphs[number]);
        let mut at_start = vec![u32::MAX; thread.blocks.len()];
        if let Some(first) = at_start.first_mut() {
            *first = 0;
        }
        let mut depths = vec![0; graph.len()];
        for (id, block) in &thread.blocks {
            let mut depth = at_start[id.index()];
            if depth == u32::MAX {
                continue;
            }
            for (step, body) in block.steps.iter().enumerate() {
                depths[graph.position(id.index(), step) as usize] = depth;
                depth = body.op.nesting(depth);
            }
            depths[graph.position(id.index(), block.steps.len()) as usize] = depth;
            for to in self.values.successors(number, block) {
                at_start[to] = at_start[to].min(depth);
            }
        }
        depths
    }

    /// The bytes that acquiring and releasing a lock write in its object.
    fn collect_bytes(&mut self, anticipated: &[Anticipated]) {
        let mut found: Vec<(GlobalId, usize, i64, i64)> = Vec::new();
        let mut by_object: HashMap<GlobalId, Vec<usize>> = HashMap::new();
        for ((object, _), number) in &self.numbers {
            by_object.entry(*object).or_default().push(*number);
        }
        for (thread, anticipated) in anticipated.iter().enumerate() {
            for position in 0..self.graphs[thread].len() {
                let soon = anticipated.acquired[position] | anticipated.released[position];
                if soon == 0 || soon == u128::MAX {
                    continue;
                }
                for access in self.accesses.at(thread, position as u32).iter().filter(|access| access.write) {
                    for lock in by_object.get(&access.object).into_iter().flatten() {
                        if soon & bit(*lock) != 0 {
                            found.push((access.object, *lock, access.from, access.to));
                        }
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        for (object, lock, from, to) in found {
            self.bytes.entry(object).or_default().push((lock, from, to));
        }
    }

    /// Locks whose bytes are known.
    fn whole_locks(&self) -> u128 {
        self.bytes.values().flatten().fold(0, |all, (lock, ..)| all | bit(*lock))
    }

    /// Locks whose bytes an access writes.
    fn written(&self, access: &Access) -> u128 {
        if !access.write {
            return 0;
        }
        let bytes = self.bytes.get(&access.object).into_iter().flatten();
        let hit = bytes.filter(|(_, from, to)| access.from < *to && *from < access.to);
        hit.fold(0, |all, (lock, ..)| all | bit(*lock))
    }

    /// The locks held at each position, by a forward pass.
    fn held(&self, number: usize, anticipated: &Anticipated) -> Vec<Held> {
        let (thread, graph) = (&self.bounded.threads[number], &self.graphs[number]);
        let mut ways: Vec<Option<Held>> = vec![None; thread.blocks.len()];
        if let Some(first) = ways.first_mut() {
            *first = Some(Held::default());
        }
        let mut at = vec![Held::default(); graph.len()];
        for (id, block) in &thread.blocks {
            let index = id.index();
            let Some(mut held) = ways[index] else { continue };
            for (step, body) in block.steps.iter().enumerate() {
                let position = graph.position(index, step);
                held.acquiring = anticipated.acquired[position as usize];
                at[position as usize] = held;
                let written = self.accesses.at(number, position).iter().fold(0, |all, a| all | self.written(a));
                held = Held { exclusive: held.exclusive & !written, shared: held.shared & !written, ..held };
                match said(&body.op) {
                    Some(Said::Acquired { lock, exclusively }) => {
                        let lock = self.lock(number, lock);
                        if self.values.of(number, exclusively).may_fail() {
                            held.shared |= lock;
                        } else {
                            held.exclusive |= lock;
                        }
                    }
                    Some(Said::Released(lock)) => {
                        let gone = self.may_name(number, lock);
                        held = Held { exclusive: held.exclusive & !gone, shared: held.shared & !gone, ..held };
                    }
                    None => {}
                }
            }
            if !self.values.is_live(number, index, block.steps.len()) {
                continue;
            }
            for to in self.values.successors(number, block) {
                ways[to] = Some(match ways[to] {
                    None => held,
                    Some(other) => Held {
                        exclusive: held.exclusive & other.exclusive,
                        shared: held.shared & other.shared,
                        acquiring: 0,
                    },
                });
            }
        }
        at
    }

    /// Locks that may be free for others before all that was written under them has arrived.
    fn given_back_late(&self, held: &[Vec<Held>]) -> u128 {
        let model = self.bounded.program.memory_model;
        if !model.has_buffers() {
            return 0;
        }
        let mut late = 0;
        for (number, thread) in self.bounded.threads.iter().enumerate() {
            let depths = self.depths(number);
            for (block, body) in &thread.blocks {
                for (step, body) in body.steps.iter().enumerate() {
                    let position = self.graphs[number].position(block.index(), step);
                    if depths[position as usize] > 0 {
                        continue;
                    }
                    if let Some(Said::Released(lock)) = said(&body.op) {
                        late |= self.may_name(number, lock);
                    }
                    if let Some(StoreRule::Buffered { .. }) = store_rule(model, &body.op) {
                        let written = self.accesses.at(number, position).iter().fold(0, |all, a| all | self.written(a));
                        let held = held[number][position as usize];
                        late |= written & (held.exclusive | held.shared);
                    }
                }
            }
        }
        late
    }

    /// Locks whose bytes a thread may write while another thread holds them.
    fn broken(&self, anticipated: &[Anticipated], held: &[Vec<Held>], order: &Order) -> u128 {
        // For each lock the threads that hold it, and the threads that may run in parallel then.
        let mut holders: HashMap<usize, Vec<(usize, u128)>> = HashMap::new();
        for (thread, held) in held.iter().enumerate() {
            for (position, held) in held.iter().enumerate() {
                let mut all = held.exclusive | held.shared;
                while all != 0 {
                    let lock = all.trailing_zeros() as usize;
                    all &= all - 1;
                    let holder = (thread, order.alive(thread, position as u32));
                    let holders = holders.entry(lock).or_default();
                    if !holders.contains(&holder) {
                        holders.push(holder);
                    }
                }
            }
        }
        let mut broken = 0;
        for (thread, held) in held.iter().enumerate() {
            for (position, held) in held.iter().enumerate() {
                let written = self.accesses.at(thread, position as u32).iter().fold(0, |all, a| all | self.written(a));
                let fine = held.exclusive
                    | anticipated[thread].acquired[position]
                    | held.shared & anticipated[thread].released[position];
                let mut foreign = written & !fine & !broken;
                let alive = order.alive(thread, position as u32);
                while foreign != 0 {
                    let lock = foreign.trailing_zeros() as usize;
                    foreign &= foreign - 1;
                    let meets = |(holder, others): &(usize, u128)| {
                        *holder != thread
                            && (bit(*holder) == 0 || alive & bit(*holder) != 0)
                            && (bit(thread) == 0 || others & bit(thread) != 0)
                    };
                    if holders.get(&lock).is_some_and(|holders| holders.iter().any(meets)) {
                        broken |= bit(lock);
                    }
                }
            }
        }
        broken
    }
}
