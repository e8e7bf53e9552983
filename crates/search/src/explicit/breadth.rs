//! Breadth-first search that keeps only hashes of states in memory: states that wait to be expanded, and how all were
//! found, are on disk.
//!
//! The queue is read in the order in which it was written, so both are sequential (Stern and Dill, "Using magnetic disk
//! instead of main memory in the Murφ verifier", CAV 1998). The violation that is found is one of the nearest.
//!
//! A bound on preemptions is part of the state, as in [`super::approximate`].

use super::approximate::Hashed;
use super::disk::{Block, Blocks, Log};
use super::end::End;
use super::swarm::Member;
use selvedge_engine::counterexample::{Leg, of_path};
use selvedge_engine::{Control, Progress, Task};
use selvedge_program::{Coverage, Reason, Violation};
use selvedge_vm::expand::{Expander, Expansion, Outcome, Successor, members};
use selvedge_vm::watch::Watch;
use selvedge_vm::{Code, Ended, Sharing, State};
use std::collections::VecDeque;
use std::sync::Arc;

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
    expander: Expander<'c>,
    start: State,
    queue: Queue,
    /// For each state: where in here the one before it is, the thread, how many choices, and those.
    log: Log,
    hashed: Hashed,
    control: &'c Control,
    flat: Vec<u64>,
}

impl<'c> Breadth<'c> {
    pub fn new(
        code: &'c Code<'c>,
        sharing: Sharing,
        task: &Task,
        control: &'c Control,
        hashed: Hashed,
        blocks: &Arc<Blocks>,
    ) -> Breadth<'c> {
        let expander = Expander::new(code, sharing, Watch::new(&code.program.observers), task.max_input_values)
            .with_store_buffer(task.bounds.store_buffer);
        Breadth {
            start: expander.machine.state.clone(),
            expander,
            queue: Queue::new(Arc::clone(blocks)),
            log: Log::new(Arc::clone(blocks)),
            hashed,
            control,
            flat: Vec::new(),
        }
    }

    /// Runs all threads that may run: first who ran before, whose next steps cost nothing.
    fn expand(&mut self, from: &Waits) -> Result<(), End> {
        if let Some(race) = self.expander.race(|to| to.clone_from(&from.state))? {
            let violation = race.violation(self.expander.machine.code);
            return Err(self.found(from.way, None, violation));
        }
        self.expander.machine.state.clone_from(&from.state);
        let goes_on = self.expander.machine.goes_on(from.last);
        let mut order: VecDeque<usize> = members(from.state.runnable()).collect();
        order.make_contiguous().sort_by_key(|thread| *thread != from.last);
        let mut waiting = Vec::new();
        while let Some(thread) = order.pop_front() {
            let price = self.hashed.price(from.preemptions, thread, from.last, goes_on, &waiting);
            let Some(price) = price else { continue };
            let mut expansion = Expansion::new(thread, &mut self.expander);
            while let Some(outcome) = expansion.next(&mut self.expander, |to| to.clone_from(&from.state))? {
                match outcome {
                    Outcome::To(Successor { ended: Ended::Exited, .. }) | Outcome::WaitsIfNamed(_) => {}
                    Outcome::To(successor) => self.arrive(from.way, thread, price, successor)?,
                    Outcome::Wrong(wrong) => {
                        return Err(self.found(from.way, Some(Leg::new(thread, wrong.choices)), *wrong.violation));
                    }
                    Outcome::Waits(one) => {
                        waiting.push(one);
                        if from.state.inside_atomic() == Some(thread) {
                            // The others go on while it cannot.
                            order.extend(members(from.state.unfinished() & !(1 << thread)));
                        }
                        self.expander.machine.state.clone_from(&from.state);
                        if let Some(violation) = self.expander.machine.wait_for_ever(&waiting, thread) {
                            return Err(self.found(from.way, None, violation));
                        }
                    }
                }
            }
            self.look()?;
        }
        Ok(())
    }

    /// The machine is in a state that a transition led to.
    fn arrive(&mut self, from: u64, thread: usize, preemptions: u32, to: Successor) -> Result<(), End> {
        self.expander.machine.state.flatten(&mut self.flat);
        if !self.hashed.insert(&self.flat, to.seen.key, thread, preemptions) {
            return Ok(());
        }
        let mut words = vec![from, thread as u64, to.choices.len() as u64];
        words.extend(to.choices.iter().map(|choice| u64::from(*choice)));
        let way = self.log.append(&words).map_err(End::Stopped)?;
        self.queue.push(way, thread, preemptions, &self.flat).map_err(End::Stopped)
    }

    fn found(&mut self, from: u64, last: Option<Leg>, violation: Violation) -> End {
        match self.path(from) {
            Ok(mut path) => {
                path.extend(last);
                self.expander.machine.state.clone_from(&self.start);
                End::Found(Box::new(of_path(&mut self.expander, &path, violation)))
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
            path.push(Leg::new(words[1] as usize, choices));
            at = words[0];
        }
        path.reverse();
        Ok(path)
    }

    fn look(&mut self) -> Result<(), End> {
        if !self.expander.is_time_to_look() {
            return Ok(());
        }
        let progress = Progress {
            states: self.states(),
            transitions: self.transitions(),
            frontier: self.queue.states,
            memory: self.memory(),
            ..Progress::default()
        };
        self.control.should_stop(&progress).map_or(Ok(()), |reason| Err(End::Stopped(reason)))
    }
}

impl Member for Breadth<'_> {
    fn run(&mut self) -> Result<Coverage, End> {
        let (_, broken) = self.expander.look_at_start()?;
        broken.map_or(Ok(()), |violation| Err(self.found(START, None, violation)))?;
        self.start.flatten(&mut self.flat);
        self.queue.push(START, 0, 0, &self.flat).map_err(End::Stopped)?;
        while let Some(from) = self.queue.pop().map_err(End::Stopped)? {
            self.expand(&from)?;
        }
        let limits = self.hashed.limits().into_iter().chain(self.expander.limits());
        let machine = &mut self.expander.machine;
        let ends = machine.ends.describe(machine.code, true);
        let coverage = Coverage::within(limits).with_ends(ends);
        machine.obstacle.take().map_or(Ok(coverage), |reason| Err(End::Stopped(reason)))
    }

    fn states(&self) -> u64 {
        self.hashed.seen.len()
    }

    fn transitions(&self) -> u64 {
        self.expander.transitions
    }

    fn memory(&self) -> u64 {
        self.hashed.seen.bytes() + self.queue.bytes() + self.log.bytes()
    }

    fn sharing(&mut self) -> Sharing {
        std::mem::take(&mut self.expander.machine.sharing)
    }
}
