//! One thread by itself, from one of its points to the next.
//!
//! For engines that choose schedules themselves. A step is then executed at most once in a run, so nothing
//! needs to be remembered from one walk to the next, and what is not executed is not walked at all.
//!
//! Branches that meet again before the next point are joined, as in a whole walk. Where they lead to different
//! points the segment *forks*: one way is walked at a time, with its condition assumed rather than made a guard,
//! so that it decides no value. A way that only leads to a violation, to a bound, or to the end of the process is no
//! way of its own: what is left of the run is the guard under which the others are taken.

use super::deadlock::Needs;
use super::footprint::Footprint;
use super::forks::Segments;
use super::memory::Objects;
use super::{Check, Coming, Encoder, Garbage, Mode, Obstacle, Record};
use selvedge_analyze::points::Inside;
use selvedge_bound::{BlockId, Terminator};
use selvedge_formula::{Node, Term, Terms, mask};
use selvedge_program::{EntityRef, Properties};
use std::mem::take;
use std::rc::Rc;

/// Inputs that are tried, from either end of the numbers, to see whether an assumption can hold.
const SAMPLES: u128 = 32;

/// Of a walk by itself.
pub(super) struct Single {
    segments: Vec<Segments>,
    ways: Ways,
    /// The forks on the way.
    assumed: Term,
    next: Option<(Stand, Term)>,
    /// Inputs of the segment that have had no effect yet which another thread could see.
    inputs: Vec<Term>,
    pub footprint: Footprint,
}

/// Where a thread stands: before a step, with the values of the registers that matter there.
#[derive(Clone, Debug)]
pub struct Stand {
    block: BlockId,
    step: usize,
    registers: Vec<Term>,
}

/// All that changes in a run, to go back to.
#[derive(Clone)]
pub struct Run {
    memory: Objects,
    threads: Vec<Life>,
    pub exited: Term,
}

/// Of a thread.
#[derive(Clone)]
pub struct Life {
    pub created: Term,
    finished: Term,
    stuck: Term,
    stuck_for: Vec<Needs>,
    args: Vec<Term>,
}

impl Run {
    pub fn created(&self, thread: usize) -> Term {
        self.threads[thread].created
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
pub struct Passage {
    /// This is the way that is taken.
    pub assumed: Term,
    /// Nothing in the segment waits.
    pub enabled: Term,
    /// Something in it has gone wrong.
    pub violated: Term,
    pub log: Vec<Record>,
    /// What uninitialised bytes hold, as far as anybody has looked.
    pub garbage: Rc<Vec<Garbage>>,
    pub checks: Vec<Check>,
    /// Reaching a step at which something is checked, and found to be fine at once.
    pub settled: Vec<Term>,
    pub obstacles: Vec<Obstacle>,
    /// Where the thread goes no further because of what is left out, or it cannot be told whether threads wait for ever.
    pub doubts: Vec<Obstacle>,
    pub cuts: Vec<Term>,
    pub section_cuts: Vec<Term>,
    /// Where the thread stands then, if it gets there: `None` if it has ended or goes no further.
    pub next: Option<(Stand, Term)>,
    pub footprint: Footprint,
}

impl Default for Passage {
    /// Nothing happens.
    fn default() -> Passage {
        Passage {
            assumed: Terms::TRUE,
            enabled: Terms::TRUE,
            violated: Terms::FALSE,
            log: Vec::new(),
            garbage: Rc::default(),
            checks: Vec::new(),
            settled: Vec::new(),
            obstacles: Vec::new(),
            doubts: Vec::new(),
            cuts: Vec::new(),
            section_cuts: Vec::new(),
            next: None,
            footprint: Footprint::default(),
        }
    }
}

impl Encoder<'_> {
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    pub fn properties(&self) -> Properties {
        self.properties
    }

    /// From now on threads are walked by themselves.
    pub fn walk_alone(&mut self) {
        let threads = self.bounded.threads.iter().zip(&self.threads);
        let segments = threads.map(|(thread, state)| Segments::new(thread, state.points, &state.live_in)).collect();
        let (ways, footprint) = (Ways::default(), Footprint::default());
        self.single = Some(Single { segments, ways, assumed: Terms::TRUE, next: None, inputs: Vec::new(), footprint });
    }

    pub fn run(&self) -> Run {
        let threads = self.threads.iter().map(|thread| Life {
            created: thread.created,
            finished: thread.finished,
            stuck: thread.stuck,
            stuck_for: thread.stuck_for.clone(),
            args: thread.args.clone(),
        });
        Run { memory: self.memory.objects(), threads: threads.collect(), exited: self.exited }
    }

    pub fn resume(&mut self, run: &Run) {
        self.memory.set_objects(&run.memory);
        for (thread, life) in self.threads.iter_mut().zip(&run.threads) {
            (thread.created, thread.finished, thread.stuck) = (life.created, life.finished, life.stuck);
            thread.stuck_for.clone_from(&life.stuck_for);
            thread.args.clone_from(&life.args);
        }
        self.exited = run.exited;
    }

    /// Forgets all terms but the first so many, which must be enough for the run that is resumed next.
    pub fn forget(&mut self, kept: usize) {
        self.terms.truncate(kept);
        self.memory.forget(kept);
        self.value_sets.forget(kept);
        self.low_bits.retain(|term, _| term.index() < kept);
        self.failed.clear();
        for thread in &mut self.threads {
            thread.results.retain(|_, values| values.iter().all(|value| value.index() < kept));
        }
    }

    /// Where a thread begins, with its arguments as they are now.
    pub fn beginning(&mut self, thread: usize) -> Stand {
        Stand { block: BlockId::new(0), step: 0, registers: self.first_registers(thread) }
    }

    /// Executes the thread's segment from here, in the way that is to be taken.
    pub fn passage(&mut self, thread: usize, from: &Stand, ways: &mut Ways) -> Passage {
        self.mode = Mode::Run;
        self.violated = Terms::FALSE;
        self.failed.clear();
        self.said.clear();
        if let Some(single) = &mut self.single {
            single.ways = take(ways);
            single.assumed = Terms::TRUE;
            single.inputs.clear();
        }
        if thread == 0 && from.block.index() == 0 && from.step == 0 {
            self.create_thread_locals(0, Terms::TRUE);
        }
        self.walk_segment(thread, from, Terms::TRUE);
        let passage = self.harvest();
        if let Some(single) = &mut self.single {
            *ways = take(&mut single.ways);
        }
        passage
    }

    /// Does the thread wait where it stands, whatever the others do?
    pub fn is_stuck(&self, thread: usize) -> Term {
        self.threads[thread].stuck
    }

    /// Adds a check: where threads stand now, some wait for ever. By thread: where, and whether it got there; none if
    /// it does not wait.
    pub fn deadlock_here(&mut self, stands: &[Option<Rc<(Stand, Term)>>]) -> Passage {
        self.deadlock_if(|this, thread| match &stands[thread] {
            None => Terms::FALSE,
            Some(at) => this.waits_at(thread, &at.0, at.1),
        });
        self.violated = Terms::FALSE;
        self.harvest()
    }

    /// May the thread have to wait here for somebody in particular?
    pub fn may_wait_for_somebody(&self, thread: usize, stand: &Stand) -> bool {
        let segments = self.single.as_ref().map(|single| &single.segments[thread]);
        segments.is_some_and(|segments| segments.waits.contains(&(stand.block, stand.step)))
    }

    /// Is the thread's next section one that it cannot complete now?
    fn waits_at(&mut self, thread: usize, stand: &Stand, guard: Term) -> Term {
        let memory = self.memory.objects();
        self.begin_probe();
        self.walk_segment(thread, stand, guard);
        self.end_probe(&memory)
    }

    /// Takes away what was found since the last time.
    fn harvest(&mut self) -> Passage {
        let constraints = take(&mut self.constraints);
        let enabled = constraints.into_iter().fold(Terms::TRUE, |all, one| self.terms.and(all, one));
        let single = self.single.as_mut();
        let (assumed, next, footprint) = single.map_or((Terms::TRUE, None, Footprint::default()), |single| {
            (single.assumed, single.next.take(), take(&mut single.footprint))
        });
        Passage {
            assumed,
            enabled,
            violated: self.violated,
            log: take(&mut self.log),
            garbage: self.memory.shared_garbage(),
            checks: take(&mut self.checks),
            settled: take(&mut self.settled),
            obstacles: take(&mut self.obstacles),
            doubts: take(&mut self.doubts),
            cuts: take(&mut self.cuts),
            section_cuts: take(&mut self.section_cuts),
            next,
            footprint,
        }
    }

    fn walk_segment(&mut self, number: usize, from: &Stand, guard: Term) {
        let thread = &self.bounded.threads[number];
        self.here.thread = number;
        self.here.registers.clear();
        self.here.registers.resize(thread.regs.len(), Terms::FALSE);
        let is_beginning = from.block.index() == 0 && from.step == 0;
        let live = match &self.single {
            Some(single) if !is_beginning => &single.segments[number].live[&(from.block, from.step)],
            _ => &self.threads[number].live_in[0],
        };
        for (reg, value) in live.iter().zip(&from.registers) {
            self.here.registers[reg.index()] = *value;
        }
        if is_beginning {
            self.note_thread(number, false);
        }
        (self.here.block, self.here.guard, self.here.active) = (from.block, guard, guard);
        (self.here.decided, self.here.section, self.here.span) = (guard, None, None);
        let mut ways = Coming::new();
        self.walk_block(from.block, Some(from.step), &mut ways);
        while let Some((block, ways_in)) = ways.pop_first() {
            let decided: Vec<Term> = ways_in.iter().map(|way| way.decided).collect();
            if self.enter(block, ways_in) {
                self.walk_block(block, None, &mut ways);
            } else {
                self.settle_checks(&thread.blocks[block], &decided);
            }
        }
    }

    /// Up to the next point, behind the one where the thread stands.
    fn walk_block(&mut self, block: BlockId, stands: Option<usize>, ways: &mut Coming) {
        let number = self.here.thread;
        let body = &self.bounded.threads[number].blocks[block];
        for (step, this) in body.steps.iter().enumerate().skip(stands.unwrap_or(0)) {
            if self.threads[number].points.at(block, step).is_some() && stands != Some(step) {
                self.stop_at(block, step);
                return;
            }
            self.here.step = step;
            self.here.origin = this.origin;
            self.here.inside = self.threads[number].points.inside(block, step);
            self.step(&this.op);
        }
        self.here.origin = body.origin;
        self.settle_proved(body);
        let forks = self.single.as_ref().is_some_and(|single| single.segments[number].forks[block.index()]);
        if forks && self.mode == Mode::Run {
            self.take_one(&body.term, ways);
        } else {
            self.leave(&body.term, ways);
        }
    }

    /// An input outside of sections is invisible until the thread does something that others may notice.
    pub(super) fn note_input(&mut self, input: Term) {
        if let Some(single) = &mut self.single
            && self.here.inside == Inside::Nothing
        {
            single.inputs.push(input);
        }
    }

    /// Others may notice what is done now, and whether it is done may depend on the inputs so far.
    pub(super) fn tell_inputs(&mut self) {
        if let Some(single) = &mut self.single {
            single.inputs.clear();
        }
    }

    /// An assumption about nothing but inputs that nobody else can know of yet: whatever others can do while
    /// the thread stands there for ever, they can do as well while it has a better input and stands at its next
    /// point. So the other inputs need not be followed, if there is a better one.
    pub(super) fn chooses_inputs(&mut self, condition: Term) -> bool {
        let Some(single) = &mut self.single else { return false };
        let not_taken = self.terms.not(self.here.active);
        let chosen = self.terms.or(not_taken, condition);
        let all = self.terms.and(single.assumed, chosen);
        let cone = self.terms.cone([all]);
        let mut variables = cone.into_iter().filter(|part| matches!(self.terms.node(*part), Node::Var { .. }));
        if !variables.all(|variable| single.inputs.contains(&variable)) {
            return false;
        }
        let terms = &self.terms;
        let holds = |input: u128| terms.evaluate(all, &mut |t| input & mask(terms.bits(t))) == 1;
        let is_possible = (0..SAMPLES).any(|input| holds(input) || holds(!input));
        if is_possible {
            let excused = self.terms.or(chosen, self.violated);
            single.assumed = self.terms.and(single.assumed, excused);
        }
        is_possible
    }

    fn stop_at(&mut self, block: BlockId, step: usize) {
        let (thread, guard) = (self.here.thread, self.here.guard);
        let (mode, registers) = (self.mode, &self.here.registers);
        if let Some(single) = &mut self.single
            && mode == Mode::Run
        {
            let live = &single.segments[thread].live[&(block, step)];
            let registers = live.iter().map(|reg| registers[reg.index()]).collect();
            single.next = Some((Stand { block, step, registers }, guard));
        }
    }

    /// At a fork: only one way at a time.
    fn take_one(&mut self, term: &Terminator, ways: &mut Coming) {
        let mut options: Vec<(BlockId, Term)> = Vec::new();
        for (to, condition) in self.branches(term) {
            match options.iter_mut().find(|(other, _)| *other == to) {
                Some((_, either)) => *either = self.terms.or(*either, condition),
                None => options.push((to, condition)),
            }
        }
        options.retain(|(_, condition)| *condition != Terms::FALSE);
        let Some(single) = &mut self.single else { return };
        let (to, condition) = match options[..] {
            [] => return,
            [only] => only,
            _ => options[single.ways.choose(options.len())],
        };
        single.assumed = self.terms.and(single.assumed, condition);
        self.go(to, Terms::TRUE, self.here.active, ways);
    }
}
