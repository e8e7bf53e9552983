//! The stores that must be able to wait in a store buffer, and the steps at which they may still be waiting.
//!
//! Under a memory model with store buffers ([`selvedge_program::MemoryModel`]) a store reaches memory when it is made,
//! or later. Most stores can be made in place without losing a run:
//!
//! - *Inside atomic sections* stores are made in memory by definition.
//! - *Invisible stores*: no other thread can look at the bytes before the thread drains. Nobody is there yet (creating
//!   a thread drains), nobody is there any more, or a lock keeps the others away (releasing it drains). One exception:
//!   an invisible store to bytes of a store that waits must come after it, so it waits as well.
//! - *Stores with nothing behind them that could tell the difference*: under TSO, if the thread executes no visible
//!   load before it drains, and under PSO no visible store either. Lifetimes count as memory that is never buffered:
//!   whoever ends an object acts at once, and a store to one that another thread may end looks when it is made. Then
//!   each run in which the store arrives at a time t is a run in which the thread stops in front of the store, and goes
//!   on at t: nothing that it does in between looks at memory that others change, or changes memory that others look
//!   at, in an order that the model does not keep. Such a store is made in place, when the stores that must arrive
//!   before it have arrived; unless its step also looks at something when it is executed (a copy of a block, a store to
//!   an object that may end), which it may do before they have.
//!
//! The last of these arguments takes a context switch where the arrival of a store is none, so it is not used where
//! switches are counted (`Reductions::in_place`).
//!
//! All other stores *may wait*. A store waits at most until the thread drains, so one pass in the order of the code
//! finds for each step the stores that may be waiting then. A step that drains while something may wait is visible: it
//! makes stores arrive. (In `x = 1; r = y;` at the end of a thread, a switch is needed between the load and the end,
//! which drains.)

use crate::accesses::{Access, Accesses};
use crate::graph::{Graph, Position};
use crate::values::Values;
use selvedge_bound::{BlockId, Bounded, ObjectKind, StepOp, Thread};
use selvedge_program::memory_model::Queues;
use selvedge_program::{BufferEffect, EntityRef, GlobalId, Intrinsic, MemoryModel, Op, StoreRule};

/// The way of a step's store to memory outside atomic sections; `None`: the step stores nothing, or is a
/// read-modify-write, which acts on memory.
pub fn store_rule(model: MemoryModel, op: &StepOp) -> Option<StoreRule> {
    match op {
        StepOp::Plain(Op::Store { access, .. }) => Some(model.store(*access)),
        StepOp::Plain(Op::MemCopy { .. } | Op::MemSet { .. }) => Some(model.store(selvedge_program::Access::Plain)),
        StepOp::Plain(_)
        | StepOp::Create { .. }
        | StepOp::End { .. }
        | StepOp::Spawn { .. }
        | StepOp::Finish { .. } => None,
    }
}

/// The effect of a step on the buffer of its thread before it acts. A store that drains is one of them: with the
/// earlier stores in memory, it is made in place.
pub fn effect(model: MemoryModel, op: &StepOp) -> BufferEffect {
    let drains = |which: Intrinsic| match model.has_buffers() && which.drains() {
        true => BufferEffect::Drain,
        false => BufferEffect::None,
    };
    match op {
        StepOp::Plain(plain) => match store_rule(model, op) {
            Some(StoreRule::Draining) => BufferEffect::Drain,
            Some(StoreRule::Direct | StoreRule::Buffered { .. }) | None => model.effect(plain),
        },
        StepOp::Spawn { .. } => drains(Intrinsic::Spawn),
        StepOp::Finish { .. } => drains(Intrinsic::ThreadExit),
        StepOp::Create { .. } | StepOp::End { .. } => BufferEffect::None,
    }
}

/// A store that may wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    pub block: BlockId,
    pub step: usize,
    /// All earlier stores of the thread arrive before it.
    pub release: bool,
}

/// The buffers of all threads.
#[derive(Default)]
pub struct Buffers {
    threads: Vec<Buffer>,
}

#[derive(Default)]
struct Buffer {
    stores: Vec<Waiting>,
    /// Sets of stores, by number, sorted.
    sets: Vec<Vec<usize>>,
    /// For each position an index into `sets`.
    at: Vec<u32>,
}

impl Buffers {
    /// `visible`: by thread and position. `in_place`: if nothing can tell the difference.
    pub(crate) fn new(
        bounded: &Bounded<'_>,
        graphs: &[Graph],
        values: &Values,
        accesses: &Accesses,
        visible: &[Vec<bool>],
        in_place: bool,
    ) -> Buffers {
        let model = bounded.program.memory_model;
        if !model.has_buffers() {
            return Buffers::default();
        }
        let threads = bounded.threads.iter().enumerate().map(|(number, thread)| {
            let walk = Walk { bounded, model, number, thread, graph: &graphs[number], values, accesses, visible };
            let tells = if in_place { walk.can_tell() } else { vec![true; walk.graph.len()] };
            walk.buffer(&tells)
        });
        Buffers { threads: threads.collect() }
    }

    /// The stores of a thread that may wait, in the order of the code.
    pub fn stores(&self, thread: usize) -> &[Waiting] {
        self.threads.get(thread).map_or(&[], |buffer| &buffer.stores)
    }

    /// The stores, as numbers of [`Buffers::stores`], that may be waiting right before a step.
    pub(crate) fn waiting(&self, thread: usize, position: usize) -> &[usize] {
        self.threads.get(thread).map_or(&[], |buffer| &buffer.sets[buffer.at[position] as usize])
    }
}

struct Walk<'a, 'p> {
    bounded: &'a Bounded<'p>,
    model: MemoryModel,
    number: usize,
    thread: &'a Thread,
    graph: &'a Graph,
    values: &'a Values,
    accesses: &'a Accesses,
    visible: &'a [Vec<bool>],
}

impl Walk<'_, '_> {
    fn position(&self, block: BlockId, step: usize) -> usize {
        self.graph.position(block.index(), step) as usize
    }

    fn is_live(&self, block: BlockId, step: usize) -> bool {
        self.values.is_live(self.number, block.index(), step)
    }

    fn is_mortal(&self, object: GlobalId) -> bool {
        matches!(self.bounded.objects[object].kind, ObjectKind::Heap | ObjectKind::Stack)
    }

    /// Backwards, for each position: may the thread, before it drains, execute a step by which a store that waits
    /// differs from one made in place?
    fn can_tell(&self) -> Vec<bool> {
        let mut tells = vec![false; self.graph.len()];
        for (id, block) in self.thread.blocks.iter().rev() {
            let mut ahead = block.term.successors().into_iter().any(|to| tells[self.position(to, 0)]);
            tells[self.position(id, block.steps.len())] = ahead;
            for (step, body) in block.steps.iter().enumerate().rev() {
                let position = self.position(id, step);
                let loads = self.acts_at_once(position);
                let stores = self.visible[self.number][position];
                ahead |= match self.model.queues() {
                    Queues::None => false,
                    Queues::One => loads,
                    Queues::PerPlace => loads || stores,
                };
                ahead &= effect(self.model, &body.op) != BufferEffect::Drain;
                tells[position] = ahead;
            }
        }
        tells
    }

    /// Does a visible step look at memory or at lifetimes, or end an object? It does so when it is executed, also if it
    /// makes a store besides that arrives later.
    fn acts_at_once(&self, position: usize) -> bool {
        let at_once = |access: &Access| !access.write || access.ends_object() || self.is_mortal(access.object);
        let accesses = self.accesses.at(self.number, position as Position);
        self.visible[self.number][position] && accesses.iter().any(at_once)
    }

    fn buffer(&self, tells: &[bool]) -> Buffer {
        let mut buffer = Buffer { stores: Vec::new(), sets: vec![Vec::new()], at: vec![0; self.graph.len()] };
        // At the beginning of each block: the stores that may wait, and the least nesting of sections.
        let mut entries: Vec<Option<(Vec<usize>, u32)>> = vec![None; self.thread.blocks.len()];
        entries[0] = Some((Vec::new(), 0));
        for (id, block) in &self.thread.blocks {
            let Some((mut waiting, mut depth)) = entries[id.index()].take() else { continue };
            for (step, body) in block.steps.iter().enumerate() {
                let position = self.position(id, step);
                buffer.note(position, &waiting);
                if effect(self.model, &body.op) == BufferEffect::Drain {
                    waiting.clear();
                }
                if let Some(StoreRule::Buffered { release }) = store_rule(self.model, &body.op)
                    && depth == 0
                    && self.is_live(id, step)
                    && self.may_wait(position, tells[position + 1], &waiting, &buffer.stores)
                {
                    waiting.push(buffer.stores.len());
                    buffer.stores.push(Waiting { block: id, step, release });
                }
                depth = body.op.nesting(depth);
            }
            buffer.note(self.position(id, block.steps.len()), &waiting);
            for to in block.term.successors() {
                let entry = entries[to.index()].get_or_insert_with(|| (Vec::new(), depth));
                entry.0.extend(&waiting);
                entry.0.sort_unstable();
                entry.0.dedup();
                entry.1 = entry.1.min(depth);
            }
        }
        buffer
    }

    /// `ahead`: can something behind the store tell?
    fn may_wait(&self, position: usize, ahead: bool, waiting: &[usize], stores: &[Waiting]) -> bool {
        if self.visible[self.number][position] {
            return ahead || self.acts_at_once(position) && !waiting.is_empty();
        }
        let written =
            |position: usize| self.accesses.at(self.number, position as Position).iter().filter(|access| access.write);
        waiting.iter().any(|store| {
            let earlier = self.position(stores[*store].block, stores[*store].step);
            written(earlier).any(|earlier| written(position).any(|later| later.conflicts(earlier)))
        })
    }
}

impl Buffer {
    fn note(&mut self, position: usize, waiting: &[usize]) {
        // Sets change rarely from one step to the next.
        let last = self.sets.len() - 1;
        let number = match waiting {
            [] => 0,
            same if *same == self.sets[last] => last,
            new => {
                self.sets.push(new.to_vec());
                self.sets.len() - 1
            }
        };
        self.at[position] = number as u32;
    }
}
