//! Breadth-first search that keeps only hashes of states in memory: states that wait to be expanded, and how all were
//! found, are on disk.
//!
//! The queue is read in the order in which it was written, so both are sequential (Stern and Dill, "Using magnetic disk
//! instead of main memory in the Murφ verifier", CAV 1998). The violation that is found is one of the nearest.
//!
//! A bound on preemptions is part of the state, as in [`super::approximate`].

use super::approximate::End;
use super::disk::{Block, Blocks, Log};
use super::path::{Leg, tell};
use super::seen::Seen;
use super::swarm::Member;
use foldhash::fast::FixedState;
use selvedge_engine::{Control, Progress, Task};
use selvedge_program::{Coverage, Limit, Property, Reason, Violation};
use selvedge_vm::Ins;
use selvedge_vm::choices::Choices;
use selvedge_vm::deadlock::Waiting;
use selvedge_vm::ways::{Way, Ways};
use selvedge_vm::{Code, Ended, Machine, Sharing, State};
use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::sync::Arc;

/// Steps between two looks at the clock.
const PATIENCE: u64 = 2048;
/// The log's place of the state that comes first.
const START: u64 = u64::MAX;

/// Words in, words out, first in first out.
struct Queue {
    blocks: Arc<Blocks>,
    head: Vec<u64>,
    /// How much of it was read.
    at: usize,
    on_disk: VecDeque<Block>,
    tail: Vec<u64>,
    states: u64,
}

/// A state that waits, and how it was reached.
struct Waits {
    /// In the log.
    way: u64,
    /// The thread that led there.
    last: usize,
    preemptions: u32,
    state: State,
}

impl Queue {
    fn new(blocks: Arc<Blocks>) -> Queue {
        Queue { blocks, head: Vec::new(), at: 0, on_disk: VecDeque::new(), tail: Vec::new(), states: 0 }
    }

    /// `state`: flat.
    fn push(&mut self, way: u64, last: usize, preemptions: u32, state: &[u64]) -> Result<(), Reason> {
        self.tail.extend([way, last as u64, u64::from(preemptions), state.len() as u64]);
        self.tail.extend_from_slice(state);
        self.states += 1;
        if self.tail.len() >= self.blocks.size {
            self.on_disk.push_back(self.blocks.write(&self.tail)?);
            self.tail.clear();
        }
        Ok(())
    }

    fn pop(&mut self) -> Result<Option<Waits>, Reason> {
        if self.at == self.head.len() {
            self.at = 0;
            self.head = match self.on_disk.pop_front() {
                Some(block) => self.blocks.read(block)?,
                None => std::mem::take(&mut self.tail),
            };
        }
        let Some([way, last, preemptions, length]) = self.head.get(self.at..self.at + 4) else { return Ok(None) };
        let from = self.at + 4;
        self.at = from + *length as usize;
        self.states -= 1;
        let damaged = || Reason::Limit("the file for waiting states was changed by somebody else".to_string());
        let state = self.head.get(from..self.at).and_then(State::unflatten).ok_or_else(damaged)?;
        Ok(Some(Waits { way: *way, last: *last as usize, preemptions: *preemptions as u32, state }))
    }

    fn bytes(&self) -> u64 {
        let blocks = self.on_disk.capacity() * size_of::<Block>();
        ((self.head.capacity() + self.tail.capacity()) * 8 + blocks) as u64
    }
}

pub struct Breadth<'c> {
    machine: Machine<'c, Choices>,
    queue: Queue,
    /// For each state: where in here the one before it is, the thread, how many choices, and those.
    log: Log,
    seen: Seen,
    hasher: FixedState,
    bound: Option<u32>,
    control: &'c Control,
    transitions: u64,
    flat: Vec<u64>,
}

impl<'c> Breadth<'c> {
    pub fn new(
        code: &'c Code<'c>,
        sharing: Sharing,
        task: &Task,
        control: &'c Control,
        seen: Seen,
        member: u64,
        blocks: &Arc<Blocks>,
    ) -> Breadth<'c> {
        let seed = task.seed.wrapping_mul(0x9e37_79b9).wrapping_add(member);
        Breadth {
            machine: Machine::new(code, sharing, Choices::default(), task.max_input_values),
            queue: Queue::new(Arc::clone(blocks)),
            log: Log::new(Arc::clone(blocks)),
            seen,
            hasher: FixedState::with_seed(seed),
            bound: task.bounds.preemptions,
            control,
            transitions: 0,
            flat: Vec::new(),
        }
    }

    fn expand(&mut self, start: &State, from: &Waits) -> Result<(), End> {
        let mut waiting = Vec::new();
        let mut is_stuck = false;
        for thread in self.order(from) {
            let price = from.preemptions + u32::from(!is_stuck && self.is_preemption(from, thread));
            if self.bound.is_some_and(|bound| price > bound) {
                continue;
            }
            let mut ways = Ways::new(thread, &mut self.machine);
            while ways.is_left(&mut self.machine) {
                self.machine.state.clone_from(&from.state);
                self.transitions += 1;
                let way = ways.run(&mut self.machine);
                let choices = self.machine.oracle.path();
                match way {
                    Way::Nowhere | Way::To(Ended::Exited) => {}
                    Way::To(_) => self.arrive(from.way, thread, price, &choices)?,
                    Way::Violation(violation) => {
                        return Err(self.found(start, from.way, Some(Leg { thread, length: 1, choices }), *violation));
                    }
                    Way::Learnt => return Err(End::Shared),
                }
            }
            if let Some(awaits) = ways.awaits() {
                waiting.push(Waiting { thread, awaits });
                is_stuck |= thread == from.last;
                if self.machine.properties().contains(Property::Deadlock) && from.state.doomed(&waiting) != 0 {
                    let violation = Violation::of_deadlock(thread, self.machine.stopped_at);
                    return Err(self.found(start, from.way, None, violation));
                }
            }
            for way in ways.blocked() {
                self.machine.state.clone_from(&from.state);
                way.enter(&mut self.machine.state);
                self.arrive(from.way, thread, price, &way.choices)?;
            }
            self.look()?;
        }
        Ok(())
    }

    /// The threads that may run: first who ran before, whose next steps cost nothing.
    fn order(&self, from: &Waits) -> Vec<usize> {
        let state = &from.state;
        let mut order: Vec<usize> = (0..state.threads.len()).filter(|t| !state.threads[*t].is_finished()).collect();
        if let Some(inside) = state.inside_atomic() {
            order.retain(|thread| *thread == inside);
        }
        order.sort_by_key(|thread| *thread != from.last);
        order
    }

    /// Is a switch to `thread` away from one that could have gone on, if it is not blocked?
    fn is_preemption(&self, from: &Waits, thread: usize) -> bool {
        let last = &from.state.threads[from.last];
        let yields = || matches!(self.machine.code.ins[last.pc() as usize], Ins::Yield);
        thread != from.last && !last.is_finished() && !yields()
    }

    /// The machine is in a state that a step led to.
    fn arrive(&mut self, from: u64, thread: usize, preemptions: u32, choices: &[u32]) -> Result<(), End> {
        self.machine.state.flatten(&mut self.flat);
        let key = self.bound.map(|_| (thread, preemptions));
        if !self.seen.insert(self.hasher.hash_one((&self.flat, key))) {
            return Ok(());
        }
        let mut words = vec![from, thread as u64, choices.len() as u64];
        words.extend(choices.iter().map(|choice| u64::from(*choice)));
        let way = self.log.append(&words).map_err(End::Stopped)?;
        self.queue.push(way, thread, preemptions, &self.flat).map_err(End::Stopped)
    }

    fn found(&mut self, start: &State, from: u64, last: Option<Leg>, violation: Violation) -> End {
        match self.path(from) {
            Ok(mut path) => {
                path.extend(last);
                self.machine.state.clone_from(start);
                End::Found(Box::new(tell(&mut self.machine, None, path, violation)))
            }
            Err(reason) => End::Stopped(reason),
        }
    }

    fn path(&self, to: u64) -> Result<Vec<Leg>, Reason> {
        let mut path = Vec::new();
        let mut at = to;
        while at != START {
            let words = self.log.get(at, 3)?;
            let choices = self.log.get(at, 3 + words[2] as usize)?.split_off(3);
            let choices = choices.into_iter().map(|choice| choice as u32).collect();
            path.push(Leg { thread: words[1] as usize, length: 1, choices });
            at = words[0];
        }
        path.reverse();
        Ok(path)
    }

    fn look(&self) -> Result<(), End> {
        if !self.transitions.is_multiple_of(PATIENCE) {
            return Ok(());
        }
        let progress = Progress {
            states: self.states(),
            transitions: self.transitions,
            frontier: self.queue.states,
            memory: self.memory(),
            ..Progress::default()
        };
        self.control.should_stop(&progress).map_or(Ok(()), |reason| Err(End::Stopped(reason)))
    }
}

impl Member for Breadth<'_> {
    fn run(&mut self) -> Result<Coverage, End> {
        let start = self.machine.state.clone();
        start.flatten(&mut self.flat);
        self.queue.push(START, 0, 0, &self.flat).map_err(End::Stopped)?;
        while let Some(from) = self.queue.pop().map_err(End::Stopped)? {
            self.expand(&start, &from)?;
        }
        if let Some(reason) = self.machine.obstacle.take() {
            return Err(End::Stopped(reason));
        }
        let preemptions = self.bound.map(|most| Limit::Preemptions { most, of_supersteps: false });
        let ends = self.machine.ends.describe(&self.machine.code.program.source);
        Ok(Coverage::within([self.seen.limit()].into_iter().chain(preemptions)).with_ends(ends))
    }

    fn states(&self) -> u64 {
        self.seen.len()
    }

    fn transitions(&self) -> u64 {
        self.transitions
    }

    fn memory(&self) -> u64 {
        self.seen.bytes() + self.queue.bytes() + self.log.bytes()
    }

    fn sharing(&mut self) -> Sharing {
        std::mem::take(&mut self.machine.sharing)
    }
}
