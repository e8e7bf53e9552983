//! One thread by itself, from one of its points to the next.
//!
//! For engines that choose schedules themselves. A step is then executed at most once in a run, so nothing
//! needs to be remembered from one walk to the next, and what is not executed is not walked at all.
//!
//! Branches that meet again before the next point are joined, as in a whole walk. Where they lead to different
//! points the segment *forks*: one way is walked at a time, with its condition assumed rather than made a guard,
//! so that it decides no value. A way that only leads to a violation, to a bound, or to the end of the process is no
//! way of its own: what is left of the run is the guard under which the others are taken.
//!
//! A store that waits in a store buffer stays there until it is [flushed](SegmentEncoder::flush), or its thread drains.

use super::Encoder;
use super::footprint::Footprint;
use super::forks::Forks;
use super::memory::{Objects, Uninitialised};
use super::probe::Probe;
use super::process::Process;
use super::record::Record;
use super::store_buffer::{Contents, StoreId};
use super::walk::{Edges, Mode, Walk};
use selvedge_analyze::Facts;
use selvedge_analyze::points::Inside;
use selvedge_bound::{BlockId, Terminator};
use selvedge_formula::{Node, Term, Terms, mask};
use selvedge_program::{EntityRef, Properties};
use std::mem::take;
use std::rc::Rc;

/// Inputs that are tried, from either end of the numbers, to see whether an assumption can hold.
const SAMPLES: u128 = 32;

/// Encodes one segment at a time, for engines that choose schedules themselves.
pub struct SegmentEncoder<'b> {
    pub encoder: Encoder<'b>,
    /// By thread.
    forks: Vec<Forks>,
}

/// A walk through a segment, as far as it has got.
pub(super) struct Segment {
    /// The way that is taken at each fork.
    ways: Ways,
    /// The conditions of these.
    assumed: Term,
    next: Option<(Stand, Term)>,
    /// Inputs of the segment that have had no effect yet which another thread could see.
    inputs: Vec<Term>,
    pub footprint: Footprint,
}

/// The position of a thread: before a step, with the values of the registers that matter there.
#[derive(Clone, Debug)]
pub struct Stand {
    block: BlockId,
    step: usize,
    registers: Vec<Term>,
}

impl Stand {
    fn is_beginning(&self) -> bool {
        self.block.index() == 0 && self.step == 0
    }
}

/// All that changes in a run, to go back to.
#[derive(Clone)]
pub struct State {
    memory: Objects,
    process: Process,
    buffers: Contents,
}

impl State {
    pub fn created(&self, thread: usize) -> Term {
        self.process.threads[thread].created
    }

    pub fn exited(&self) -> Term {
        self.process.exited
    }

    /// The stores that may be waiting in store buffers.
    pub fn waiting(&self) -> Vec<StoreId> {
        self.buffers.waiting()
    }
}

/// Which way is taken at each fork of a segment, and how many there are.
#[derive(Clone, Default, Debug)]
pub struct Ways {
    taken: Vec<(usize, usize)>,
    at: usize,
}

impl Ways {
    fn choose(&mut self, of: usize) -> usize {
        if self.at == self.taken.len() {
            self.taken.push((0, of));
        }
        self.at += 1;
        self.taken[self.at - 1].0
    }

    pub fn has_forks(&self) -> bool {
        !self.taken.is_empty()
    }

    /// On to the next way. False: there is none.
    pub fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some((taken, of)) = self.taken.pop() {
            if taken + 1 < of {
                self.taken.push((taken + 1, of));
                return true;
            }
        }
        false
    }
}

/// One way through a segment. Conditions in it are about runs that take it.
pub struct Execution {
    /// This is the way that is taken.
    pub assumed: Term,
    /// Nothing in the segment waits.
    pub enabled: Term,
    /// Something in it has gone wrong.
    pub violated: Term,
    pub record: Record,
    /// Uninitialised bytes, as far as anybody has looked.
    pub uninitialised: Rc<Vec<Uninitialised>>,
    /// The thread's position afterwards, and the condition of getting there: `None` if it has ended or goes no further.
    pub next: Option<(Stand, Term)>,
    pub footprint: Footprint,
}

impl Default for Execution {
    /// Nothing happens.
    fn default() -> Execution {
        Execution {
            assumed: Terms::TRUE,
            enabled: Terms::TRUE,
            violated: Terms::FALSE,
            record: Record::default(),
            uninitialised: Rc::default(),
            next: None,
            footprint: Footprint::default(),
        }
    }
}

impl<'b> SegmentEncoder<'b> {
    /// `None`: an object is too large for our pointers. `capacity`: how many stores may wait in a store buffer.
    pub fn new(facts: &'b Facts<'b>, capacity: Option<u32>, stop: &'b dyn Fn() -> bool) -> Option<SegmentEncoder<'b>> {
        let encoder = Encoder::new(facts, Terms::new(), None, None, capacity, stop)?;
        let threads = facts.bounded.threads.iter().zip(&facts.points).zip(&encoder.live_in);
        let forks = threads.map(|((thread, points), live_in)| Forks::new(thread, points, live_in)).collect();
        Some(SegmentEncoder { encoder, forks })
    }

    pub fn threads(&self) -> usize {
        self.forks.len()
    }

    /// How many threads there are, and stores that may wait.
    pub fn moves(&self) -> usize {
        self.threads() + self.encoder.buffers.stores()
    }

    /// A number for the flush of a store, behind those of threads.
    pub fn number_of(&self, store: StoreId) -> usize {
        self.threads() + self.encoder.buffers.index(store)
    }

    pub fn properties(&self) -> Properties {
        self.encoder.facts.properties
    }

    pub fn state(&self) -> State {
        State {
            memory: self.encoder.memory.objects(),
            process: self.encoder.process.clone(),
            buffers: self.encoder.buffers.contents(),
        }
    }

    pub fn resume(&mut self, state: &State) {
        self.encoder.memory.set_objects(&state.memory);
        self.encoder.process.clone_from(&state.process);
        self.encoder.buffers.set_contents(&state.buffers);
    }

    /// Forgets all terms but the first so many, which must be enough for the state that is resumed next.
    pub fn forget(&mut self, kept: usize) {
        self.encoder.terms.truncate(kept);
        self.encoder.memory.forget(kept);
        self.encoder.inputs.retain(|_, input| input.index() < kept);
    }

    /// The beginning of a thread, with its arguments as they are now.
    pub fn beginning(&mut self, thread: usize) -> Stand {
        Stand { block: BlockId::new(0), step: 0, registers: self.encoder.first_registers(thread) }
    }

    /// Executes the thread's segment from here, in the way that is to be taken.
    pub fn execute(&mut self, thread: usize, from: &Stand, ways: &mut Ways) -> Execution {
        let SegmentEncoder { encoder, forks } = self;
        if thread == 0 && from.is_beginning() {
            encoder.record.create_thread_locals(&encoder.memory, 0, Terms::TRUE);
        }
        let mut segment = Segment {
            ways: take(ways),
            assumed: Terms::TRUE,
            next: None,
            inputs: Vec::new(),
            footprint: Footprint::default(),
        };
        let mut walk = encoder.walk(thread, Mode::Segment(&forks[thread], &mut segment));
        walk.segment(&forks[thread], from, Terms::TRUE);
        let violated = walk.violated;
        let Segment { assumed, next, footprint, .. } = segment;
        *ways = segment.ways;
        Execution { assumed, violated, next, footprint, ..encoder.harvest() }
    }

    /// A store that waits reaches memory.
    pub fn flush(&mut self, store: StoreId) -> Execution {
        let footprint = self.encoder.flush(store);
        Execution { footprint, ..self.encoder.harvest() }
    }

    /// Does the thread wait where it stands, whatever the others do?
    pub fn is_stuck(&self, thread: usize) -> Term {
        self.encoder.process.threads[thread].stuck
    }

    /// Adds a check: where threads stand now, some wait for ever. By thread: where, and whether it got there; none if
    /// it does not wait.
    pub fn deadlock(&mut self, stands: &[Option<Rc<(Stand, Term)>>]) -> Execution {
        let SegmentEncoder { encoder, forks } = self;
        encoder.deadlock(|encoder, thread, probe| match &stands[thread] {
            None => Probe::default(),
            Some(at) => encoder.probe(thread, probe, |walk| walk.segment(&forks[thread], &at.0, at.1)),
        });
        encoder.harvest()
    }

    /// Adds a check: two threads are about to race where threads stand now. By thread, as above.
    pub fn race(&mut self, stands: &[Option<Rc<(Stand, Term)>>]) -> Execution {
        let SegmentEncoder { encoder, forks } = self;
        encoder.races(|encoder, thread, probe| match &stands[thread] {
            None => probe,
            Some(at) => encoder.probe(thread, probe, |walk| walk.segment(&forks[thread], &at.0, at.1)),
        });
        encoder.harvest()
    }

    /// May the thread have to wait here for one thread in particular?
    pub fn may_wait_for_somebody(&self, thread: usize, stand: &Stand) -> bool {
        self.forks[thread].waits.contains(&(stand.block, stand.step))
    }
}

impl Encoder<'_> {
    /// Takes away what was found since the last time.
    fn harvest(&mut self) -> Execution {
        let mut record = take(&mut self.record);
        let constraints = take(&mut record.constraints);
        let enabled = constraints.into_iter().fold(Terms::TRUE, |all, one| self.terms.and(all, one));
        Execution { enabled, record, uninitialised: self.memory.shared_uninitialised(), ..Execution::default() }
    }
}

impl Walk<'_, '_> {
    /// From where the thread stands, if it does, to its next point.
    fn segment(&mut self, forks: &Forks, from: &Stand, stands: Term) {
        let live = if from.is_beginning() { &self.live_in[0] } else { &forks.live[&(from.block, from.step)] };
        for (reg, value) in live.iter().zip(&from.registers) {
            self.here.registers[reg.index()] = *value;
        }
        if from.is_beginning() {
            self.note_thread(self.here.thread, false);
        }
        self.here.block = from.block;
        (self.here.guard, self.here.active, self.here.decided) = (stands, stands, stands);
        let mut edges = Edges::new();
        self.part_of_block(from.block, Some(from.step), &mut edges);
        while let Some((block, edges_in)) = edges.pop_first() {
            let decided: Vec<Term> = edges_in.iter().map(|edge| edge.decided).collect();
            if self.enter(block, edges_in) {
                self.part_of_block(block, None, &mut edges);
            } else {
                self.settle_checks(&self.bounded().threads[self.here.thread].blocks[block], &decided);
            }
        }
    }

    /// Up to the next point, behind the one where the thread stands.
    fn part_of_block(&mut self, block: BlockId, stands: Option<usize>, edges: &mut Edges) {
        let body = &self.bounded().threads[self.here.thread].blocks[block];
        for step in stands.unwrap_or(0)..body.steps.len() {
            if self.points.at(block, step).is_some() && stands != Some(step) {
                self.stop_at(block, step);
                return;
            }
            self.step(step);
        }
        self.end_block();
        match &self.mode {
            Mode::Segment(forks, _) if forks.forks[block.index()] => self.take_one(&body.term, edges),
            Mode::Segment(..) | Mode::Round(_) | Mode::Probe(_) => self.leave(&body.term, edges),
        }
    }

    fn stop_at(&mut self, block: BlockId, step: usize) {
        if let Mode::Segment(forks, segment) = &mut self.mode {
            let live = forks.live[&(block, step)].iter();
            let registers = live.map(|reg| self.here.registers[reg.index()]).collect();
            segment.next = Some((Stand { block, step, registers }, self.here.guard));
        }
    }

    /// At a fork: only one way at a time.
    fn take_one(&mut self, term: &Terminator, edges: &mut Edges) {
        let mut options: Vec<(BlockId, Term)> = Vec::new();
        for (to, condition) in self.branches(term) {
            match options.iter_mut().find(|(other, _)| *other == to) {
                Some((_, either)) => *either = self.terms.or(*either, condition),
                None => options.push((to, condition)),
            }
        }
        options.retain(|(_, condition)| *condition != Terms::FALSE);
        let Mode::Segment(_, segment) = &mut self.mode else { return };
        let (to, condition) = match options[..] {
            [] => return,
            [only] => only,
            _ => options[segment.ways.choose(options.len())],
        };
        segment.assumed = self.terms.and(segment.assumed, condition);
        self.go(to, Terms::TRUE, self.here.active, edges);
    }

    /// An input outside of sections is invisible until the thread does something that others may notice.
    pub(super) fn note_input(&mut self, input: Term) {
        if let Mode::Segment(_, segment) = &mut self.mode
            && self.here.inside == Inside::Nothing
        {
            segment.inputs.push(input);
        }
    }

    /// Others may notice what is done now, and whether it is done may depend on the inputs so far.
    pub(super) fn tell_inputs(&mut self) {
        if let Mode::Segment(_, segment) = &mut self.mode {
            segment.inputs.clear();
        }
    }

    /// An assumption about nothing but inputs that nobody else can know of yet: whatever others can do while
    /// the thread stands there for ever, they can do as well while it has a better input and stands at its next
    /// point. So the other inputs need not be followed, if there is a better one.
    pub(super) fn chooses_inputs(&mut self, condition: Term) -> bool {
        let Mode::Segment(_, segment) = &mut self.mode else { return false };
        let not_taken = self.terms.not(self.here.active);
        let chosen = self.terms.or(not_taken, condition);
        let all = self.terms.and(segment.assumed, chosen);
        let cone = self.terms.cone([all]);
        let mut variables = cone.into_iter().filter(|part| matches!(self.terms.node(*part), Node::Var { .. }));
        if !variables.all(|variable| segment.inputs.contains(&variable)) {
            return false;
        }
        let terms = &*self.terms;
        let holds = |input: u128| terms.evaluate(all, &mut |t| input & mask(terms.bits(t))) == 1;
        let is_possible = (0..SAMPLES).any(|input| holds(input) || holds(!input));
        if is_possible {
            let excused = self.terms.or(chosen, self.violated);
            segment.assumed = self.terms.and(segment.assumed, excused);
        }
        is_possible
    }
}
