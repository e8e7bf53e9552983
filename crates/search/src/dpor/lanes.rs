//! Store buffers: that a store reaches memory is a step of its own.
//!
//! Every queue of a thread's buffer is a *lane*, which takes steps like a thread: one lane a thread under TSO, one a
//! place under PSO. The step of a lane, a *flush*, writes the bytes of its oldest store. The lane goes on whenever the
//! thread has made another store for it, which therefore happens before. (Abdulla, Aronis, Atig, Jonsson, Leonardsson
//! and Sagonas: Stateless Model Checking for TSO and PSO, TACAS 2015, have auxiliary threads as well. Their relation on
//! steps tells fewer runs apart: a load that finds its value in the buffer depends here on the flush of that store, and
//! on those of others.)
//!
//! A thread's own step never lets stores arrive: one that drains waits until the buffer is empty
//! ([`selvedge_vm::Machine::flushes_apart`]), and depends on all of its lanes. Making a store touches nothing, only
//! that an object is there; if the object ends before the store arrives, the flush is still a step, and writes nothing.
//! Of places that overlap without being the same each has a lane, and flushes keep their order because they write the
//! same bytes. If a program has release stores or fences that separate stores, all lanes of a thread depend on one
//! another under PSO: which of them has to wait would otherwise depend on their order.

use super::attempt::{Attempt, Failed, Spare, Way, attempt};
use super::spin::Streak;
use super::step::Step;
use selvedge_engine::counterexample::Leg;
use selvedge_program::{
    BufferEffect, MemoryModel, Op, Program,
    memory_model::{Queues, StoreRule},
};
use selvedge_vm::deadlock::Threads;
use selvedge_vm::expand::{Expander, Stop};
use selvedge_vm::footprint::Access;
use selvedge_vm::store_buffer::flush::Flush;
use selvedge_vm::store_buffer::{BufferedStore, Place};
use selvedge_vm::{Ended, State};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

fn ops(program: &Program) -> impl Iterator<Item = &Op> {
    let blocks = program.functions.values().flat_map(|function| function.blocks.values());
    blocks.flat_map(|block| &block.insts).map(|inst| &inst.op)
}

/// Lanes have the numbers that threads cannot have.
const FIRST: usize = Threads::BITS as usize;

#[derive(Clone, Copy, PartialEq, Eq)]
struct Lane {
    thread: usize,
    /// The bytes that its stores write, if there are other lanes for other bytes.
    place: Option<(Place, usize)>,
}

/// The lanes that stores were made for, by number. Workers share the numbers.
#[derive(Clone)]
pub struct Lanes {
    model: MemoryModel,
    /// May a store have to wait for those of other lanes?
    are_ordered: bool,
    known: Arc<Mutex<Vec<Lane>>>,
}

impl Lanes {
    pub fn of(program: &Program) -> Lanes {
        let model = program.memory_model;
        let orders = |op: &Op| match op {
            Op::Store { access, .. } => model.store(*access) == StoreRule::Buffered { release: true },
            op => model.effect(op) == BufferEffect::Separate,
        };
        let are_ordered = model.queues() == Queues::PerPlace && ops(program).any(orders);
        Lanes { model, are_ordered, known: Arc::default() }
    }

    pub fn is_lane(number: usize) -> bool {
        number >= FIRST
    }

    fn lane(&self, number: usize) -> Lane {
        self.known()[number - FIRST]
    }

    fn of_store(&self, thread: usize, store: &BufferedStore) -> Lane {
        let place = match self.model.queues() {
            Queues::None | Queues::One => None,
            Queues::PerPlace => Some((store.place, store.bytes)),
        };
        Lane { thread, place }
    }

    fn known(&self) -> MutexGuard<'_, Vec<Lane>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn number(&self, lane: Lane) -> usize {
        let mut known = self.known();
        let index = known.iter().position(|known| *known == lane).unwrap_or(known.len());
        if index == known.len() {
            known.push(lane);
        }
        FIRST + index
    }

    /// The lanes of the youngest stores of a thread, all but the `first` of them.
    pub fn made(&self, thread: usize, first: usize, state: &State) -> Vec<usize> {
        let stores = state.threads[thread].stores();
        stores.iter().skip(first).map(|store| self.number(self.of_store(thread, store))).collect()
    }

    /// The lanes that can go on.
    pub fn open(&self, state: &State) -> Vec<usize> {
        let mut open = Vec::new();
        for thread in state.storing() {
            for lane in self.made(thread, 0, state) {
                if !open.contains(&lane) {
                    open.push(lane);
                }
            }
        }
        open
    }

    /// The next flush of a lane.
    fn flush(&self, number: usize, state: &State) -> Option<Flush> {
        let lane = self.lane(number);
        let stores = state.threads.get(lane.thread)?.stores();
        let oldest = stores.iter().position(|store| self.of_store(lane.thread, store) == lane)?;
        Some(Flush { thread: lane.thread, number: oldest })
    }

    /// The flush that a step is.
    pub fn flush_of(&self, step: &Step, state: &State) -> Option<Flush> {
        if Lanes::is_lane(step.thread) { self.flush(step.thread, state) } else { None }
    }

    /// A step as a leg of a path from that state.
    pub fn leg(&self, step: &Step, state: &State) -> Leg {
        match self.flush_of(step, state) {
            Some(flush) => Leg::new(flush.thread, flush.with(step.choices.to_vec())),
            None => Leg::new(step.thread, step.choices.to_vec()),
        }
    }

    /// Runs a thread, or a lane, from a state; `streak`: of its last step.
    pub fn run(
        &self,
        expander: &mut Expander<'_>,
        spare: &mut Spare,
        from: &State,
        number: usize,
        streak: &Streak,
    ) -> Result<Attempt, Failed> {
        match Lanes::is_lane(number) {
            true => self.attempt(number, expander, spare, from),
            false => attempt(expander, spare, from, number, streak),
        }
    }

    /// Takes the next step of a lane from a state, in all ways.
    fn attempt(
        &self,
        number: usize,
        expander: &mut Expander<'_>,
        spare: &mut Spare,
        from: &State,
    ) -> Result<Attempt, Failed> {
        let thread = self.lane(number).thread;
        let disabled = Attempt::Disabled { footprint: vec![Access::awaits_buffer(thread)], waiting: None };
        let Some(flush) = self.flush(number, from) else { return Ok(disabled) };
        expander.machine.state.clone_from(from);
        if !expander.machine.flushes().contains(&flush) {
            return Ok(disabled);
        }
        let queue = Access::leaves_buffer(thread, (!self.are_ordered).then_some(number));
        let mut ways = Vec::new();
        expander.machine.oracle.reset();
        loop {
            expander.machine.state.clone_from(from);
            expander.machine.oracle.rewind();
            let result = expander.machine.flush(flush);
            expander.transitions += 1;
            expander.effort += expander.machine.effort();
            if expander.machine.sharing.grew {
                return Err(Failed::Stop(Stop::Shared));
            }
            let choices = expander.machine.oracle.path();
            let mut footprint = vec![queue];
            match expander.machine.footprint() {
                // Its object has ended.
                [] => footprint.extend(from.access_of(flush)),
                touched => footprint.extend_from_slice(touched),
            }
            if !choices.is_empty() {
                footprint.push(Access::EVERYTHING);
            }
            if result.is_ok() {
                if let Some(violation) = expander.broken(thread)? {
                    return Err(Failed::Wrong(Leg::new(thread, flush.with(choices)), Box::new(violation)));
                }
                let to = spare.swap(&mut expander.machine.state);
                let step = Step::new(number, &choices, &footprint);
                ways.push(Way { step, to, ended: Ended::Paused, streak: Streak::default(), can_come_last: false });
            }
            if !expander.machine.oracle.advance() {
                return Ok(Attempt::Ways(ways));
            }
        }
    }
}
