//! Explicit-state search over all interleavings, fewest preemptions first.
//!
//! Every reachable state is visited, and stored exactly. Musuvathi and Qadeer (PLDI 2007) order runs
//! by their preemptions: switches away from a thread that could have gone on. We search level by
//! level, all runs with no preemption, then with one, and so on, without ever expanding a transition twice:
//!
//! If a state was first reached with c preemptions, each of its threads is run with at most c + 1 of
//! them, so reaching it again with more adds nothing. If it is reached again with exactly c, by
//! another thread u, then u may go on for free: (state, u) is expanded on this level instead of the next.
//!
//! So the first violation has the fewest preemptions there are, and when a level leaves nothing for
//! the next, everything has been searched.
//!
//! A transition is a visible step with the invisible ones behind it ([`selvedge_vm::sharing`]).
//!
//! Within a level we go depth first, which gets to the end of programs with many threads. That may
//! make a long way of a short one, so a long counterexample is looked for again, breadth first, for
//! as long as the first search took at most.

pub mod instances;
pub(crate) mod store;
pub(crate) mod warmup;

use crate::telling::Telling;
use crate::watch::{self, Watch};
use crate::{Control, Engine, Outcome, Progress, Statistics, Task};
use choices::Choices;
use instances::Stops;
use selvedge_program::{Coverage, Finding, Program, Reason, Schedule, Violation};
pub(crate) use selvedge_vm::choices;
use selvedge_vm::lazy::Narrowed;
use selvedge_vm::{Code, Ended, Machine, Sharing, Stopped};
use std::collections::{BTreeSet, VecDeque};
use std::time::Instant;
use store::{StateId, Store};

/// Effort between two looks at the clock, in words copied: states may be large, and steps long.
const PATIENCE: usize = 1 << 19;

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Explicit {
    /// Take every access for visible. Slow; for comparison.
    pub no_reduction: bool,
}

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn check(&self, program: &Program, task: &Task, control: &Control) -> Outcome {
        let started = Instant::now();
        let code = match Code::new(program, task.properties) {
            Ok(code) => code,
            Err(error) => return self.gave_up(Reason::Limit(error.to_string())),
        };
        if let Err(reason) = watch::check_init(&code) {
            return self.gave_up(reason);
        }
        let mut watch = Watch::new(&program.observers);
        let mut sharing = self.sharing(&code, task);
        let mut statistics = Statistics::default();
        let finding = loop {
            let mut search = Search::new(&code, sharing, task, control, Order::DepthFirst);
            search.watch = watch.take();
            let result = search.run();
            statistics.transitions += search.transitions;
            statistics.peak_memory = statistics.peak_memory.max(search.memory());
            statistics.states = search.store.len() as u64;
            statistics.preemptions = search.level.checked_sub(1);
            match result {
                Err(End::Shared) => {
                    statistics.restarts += 1;
                    watch = search.watch;
                    sharing = search.machine.sharing.widened();
                }
                Err(End::Found { at, thread, choices, violation }) => {
                    statistics.preemptions = Some(search.level);
                    let path = search.path(at, thread, choices);
                    let long = search.tell(path, *violation);
                    let Counterexample { schedule, violation, .. } = search.shorter(task, long);
                    break Finding::Violation { schedule, violation };
                }
                Err(End::Stopped(reason)) => break Finding::GaveUp(reason),
                Ok(coverage) => {
                    statistics.preemptions = Some(search.level);
                    break Finding::NoneWithin(coverage);
                }
            }
        };
        statistics.seconds = started.elapsed().as_secs_f64();
        statistics.states_per_second = (statistics.states as f64 / statistics.seconds.max(1e-6)) as u64;
        Outcome { finding, statistics, by: self.name() }
    }
}

impl Explicit {
    fn gave_up(&self, reason: Reason) -> Outcome {
        Outcome { finding: Finding::GaveUp(reason), statistics: Statistics::default(), by: self.name() }
    }

    pub(crate) fn sharing(&self, code: &Code<'_>, task: &Task) -> Sharing {
        if self.no_reduction {
            return Sharing::everything();
        }
        let fresh = Sharing::new(code.layout.initial.len() * 8, code.layout.variable_starts());
        warmup::learn(code, fresh, task.seed, task.max_input_values)
    }

    /// The contents of all globals, as words, in every way in which the process can end; `None` if
    /// the search is not complete or finds a violation. For comparing reductions.
    pub fn final_globals(&self, program: &Program, task: &Task) -> Option<BTreeSet<Vec<u64>>> {
        let code = Code::new(program, task.properties).ok()?;
        let control = Control::default();
        let mut sharing = self.sharing(&code, task);
        loop {
            let mut search = Search::new(&code, sharing, task, &control, Order::DepthFirst);
            search.finals = Some(BTreeSet::new());
            match search.run() {
                Err(End::Shared) => sharing = search.machine.sharing.widened(),
                Ok(coverage) if coverage.is_complete() => return search.finals,
                _ => return None,
            }
        }
    }
}

/// A counterexample with more transitions than this is long.
const LONG: usize = 150;

/// Which of the transitions that cost the same comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    DepthFirst,
    BreadthFirst,
}

/// Why a search ends before it is complete.
enum End {
    /// `thread`'s step from `at`, with these choices (`None`: no step, the state itself), is wrong.
    Found {
        at: StateId,
        thread: usize,
        choices: Option<Vec<u32>>,
        violation: Box<Violation>,
    },
    /// Something turned out to be shared: begin anew.
    Shared,
    Stopped(Reason),
}

/// What is known of a state besides its content.
struct Visit {
    parent: StateId,
    /// The transition from the parent that found it.
    thread: u8,
    choices: u32,
    /// How many of its threads are known to be blocked.
    blocked: u8,
    /// The level it was found on.
    level: u16,
    /// The threads that were expanded, or are about to be.
    expanded: u128,
}

struct Search<'c> {
    machine: Machine<'c, Choices>,
    store: Store,
    visits: Vec<Visit>,
    /// Lists of choices that led to states; 0 is the empty one.
    choices: Vec<Vec<u32>>,
    /// What costs no preemption more than the current level.
    now: VecDeque<(StateId, u8)>,
    /// States with threads that cost one more.
    later: Vec<StateId>,
    level: u32,
    /// What the globals were when the process ended, if somebody wants to know.
    finals: Option<BTreeSet<Vec<u64>>>,
    transitions: u64,
    /// Since the last look at the clock.
    work: usize,
    /// The most transitions to take.
    budget: u64,
    max_level: u32,
    order: Order,
    /// Where threads may be preempted, if not everywhere.
    stops: Option<&'c Stops>,
    /// Functions that observe the program, if there are any.
    watch: Option<Watch>,
    control: &'c Control,
}

/// The transitions from the start: thread and choices of each.
type Path = Vec<(usize, Vec<u32>)>;

impl<'c> Search<'c> {
    fn new(code: &'c Code<'c>, sharing: Sharing, task: &Task, control: &'c Control, order: Order) -> Self {
        Search {
            machine: Machine::new(code, sharing, Choices::default(), task.max_input_values),
            store: Store::new(),
            visits: Vec::new(),
            choices: vec![Vec::new()],
            now: VecDeque::new(),
            later: Vec::new(),
            level: 0,
            finals: None,
            transitions: 0,
            work: 0,
            budget: u64::MAX,
            order,
            stops: None,
            watch: None,
            max_level: task.bounds.preemptions.unwrap_or(u32::from(u16::MAX)),
            control,
        }
    }

    fn run(&mut self) -> Result<Coverage, End> {
        self.begin()?;
        loop {
            while let Some((state, thread)) = self.next() {
                self.expand(state, usize::from(thread))?;
                self.pause_to_look()?;
            }
            if self.later.is_empty() {
                return self.conclude(Coverage::default());
            }
            if self.level == self.max_level {
                let plural = if self.level == 1 { "" } else { "s" };
                return self.conclude(Coverage { limits: vec![format!("{} preemption{plural}", self.level)] });
            }
            self.next_level();
        }
    }

    fn next(&mut self) -> Option<(StateId, u8)> {
        match self.order {
            Order::DepthFirst => self.now.pop_back(),
            Order::BreadthFirst => self.now.pop_front(),
        }
    }

    fn begin(&mut self) -> Result<(), End> {
        let (root, _) = self.insert(None)?;
        self.visits.push(Visit { parent: root, thread: 0, choices: 0, blocked: 0, level: 0, expanded: 1 });
        self.now.push_back((root, 0));
        if self.machine.code.program.observers.init.is_some() { Ok(()) } else { self.look(root, 0, None) }
    }

    /// Asks the observers about the machine's state, to which a step of `thread` from `at` led, if there was one.
    fn look(&mut self, at: StateId, thread: usize, choices: Option<()>) -> Result<(), End> {
        let Some(watch) = &mut self.watch else { return Ok(()) };
        let broken = watch.broken(&mut self.machine, thread).map_err(End::Stopped)?;
        if self.machine.sharing.grew {
            return Err(End::Shared);
        }
        let choices = choices.map(|()| self.machine.oracle.path());
        broken.map_or(Ok(()), |violation| Err(End::Found { at, thread, choices, violation: Box::new(violation) }))
    }

    /// The number of the machine's state, and whether it is new.
    fn insert(&mut self, from: Option<StateId>) -> Result<(StateId, bool), End> {
        let key = match &mut self.watch {
            Some(watch) => watch.key(&mut self.machine).map_err(End::Stopped)?,
            None => None,
        };
        if self.machine.sharing.grew {
            return Err(End::Shared);
        }
        Ok(self.store.insert(&self.machine.state, from, key))
    }

    /// All threads of the states left over, at the price of one preemption.
    fn next_level(&mut self) {
        self.level += 1;
        for state in std::mem::take(&mut self.later) {
            self.store.load(state, &mut self.machine.state);
            self.enable_all(state);
        }
    }

    fn conclude(&mut self, coverage: Coverage) -> Result<Coverage, End> {
        match self.machine.obstacle.take() {
            Some(reason) => Err(End::Stopped(reason)),
            None => Ok(coverage),
        }
    }

    /// Runs `thread` from `state`, in all ways that its choices allow.
    fn expand(&mut self, state: StateId, thread: usize) -> Result<(), End> {
        self.machine.oracle.reset();
        let mut blocked = true;
        // Ways that block, each with the values of inputs for which it does.
        let mut blocked_ways = Vec::new();
        loop {
            self.store.load(state, &mut self.machine.state);
            self.machine.oracle.rewind();
            let result = self.machine.step(thread);
            self.transitions += 1;
            if self.machine.sharing.grew {
                return Err(End::Shared);
            }
            blocked &= result == Err(Stopped::Blocked);
            match result {
                Err(Stopped::Infeasible) => {}
                Err(Stopped::Blocked) if self.machine.narrowed.is_empty() => {}
                Err(Stopped::Blocked) => {
                    blocked_ways.push((self.machine.narrowed.clone(), self.machine.oracle.path()));
                }
                Ok(Ended::Exited) => {
                    self.look(state, thread, Some(()))?;
                    self.note_final();
                }
                Ok(ended) => {
                    self.look(state, thread, Some(()))?;
                    self.arrive(state, thread, ended, None)?;
                }
                Err(Stopped::Violation(violation)) => {
                    let choices = Some(self.machine.oracle.path());
                    return Err(End::Found { at: state, thread, choices, violation });
                }
                Err(Stopped::GaveUp(reason)) => {
                    // There may be a violation elsewhere.
                    self.machine.obstacle.get_or_insert(reason);
                }
            }
            if !self.machine.oracle.advance() {
                break;
            }
        }
        if blocked {
            return self.note_blocked(state, thread);
        }
        for (narrowed, choices) in blocked_ways {
            self.arrive_blocked(state, thread, &narrowed, choices)?;
        }
        Ok(())
    }

    /// A state with open inputs is many states at once. In those where `thread` is blocked it is so
    /// for good: they become a state of their own, in which that shows.
    fn arrive_blocked(
        &mut self,
        from: StateId,
        thread: usize,
        narrowed: &[Narrowed],
        choices: Vec<u32>,
    ) -> Result<(), End> {
        self.machine.oracle.reset();
        self.store.load(from, &mut self.machine.state);
        narrowed.iter().for_each(|narrowed| self.machine.state.narrow(*narrowed));
        self.machine.state.tidy_symbols();
        self.arrive(from, thread, Ended::Paused, Some(choices))
    }

    /// The machine is in a state that `thread` led to; by these choices, or else those of the last run.
    fn arrive(&mut self, from: StateId, thread: usize, ended: Ended, choices: Option<Vec<u32>>) -> Result<(), End> {
        if ended == Ended::Finished && self.machine.state.alive() == 0 {
            self.note_final();
        }
        let (state, new) = self.insert(Some(from))?;
        if new {
            let choices = choices.unwrap_or_else(|| self.machine.oracle.path());
            let choices = self.remember_choices(choices);
            let (thread, level) = (thread as u8, self.level as u16);
            self.visits.push(Visit { parent: from, thread, choices, blocked: 0, level, expanded: 0 });
        } else if self.stops.is_none() && u32::from(self.visits[state.0 as usize].level) < self.level {
            return Ok(());
        }
        if ended == Ended::Finished || self.yields(thread) {
            self.enable_all(state);
        } else {
            self.enable(state, thread);
            let news = new || self.stops.is_some();
            if news && self.machine.state.inside_atomic().is_none() && self.may_be_preempted(thread) {
                self.later.push(state);
            }
        }
        Ok(())
    }

    fn may_be_preempted(&self, thread: usize) -> bool {
        self.stops.is_none_or(|stops| stops.allow(thread, self.machine.state.threads[thread].pc()))
    }

    fn note_final(&mut self) {
        if let Some(finals) = &mut self.finals {
            finals.insert(self.machine.state.globals.clone());
        }
    }

    fn remember_choices(&mut self, choices: Vec<u32>) -> u32 {
        if choices.is_empty() {
            return 0;
        }
        self.choices.push(choices);
        self.choices.len() as u32 - 1
    }

    /// Does the thread offer to give way?
    fn yields(&self, thread: usize) -> bool {
        let pc = self.machine.state.threads[thread].pc();
        matches!(self.machine.code.ins[pc as usize], selvedge_vm::code::Ins::Yield)
    }

    fn enable(&mut self, state: StateId, thread: usize) {
        let expanded = &mut self.visits[state.0 as usize].expanded;
        if *expanded >> thread & 1 == 0 {
            *expanded |= 1 << thread;
            self.now.push_back((state, thread as u8));
        }
    }

    /// Enables all threads of `state`, which the machine is in.
    fn enable_all(&mut self, state: StateId) {
        for thread in 0..self.machine.state.threads.len() {
            if !self.machine.state.threads[thread].is_finished() {
                self.enable(state, thread);
            }
        }
    }

    /// A thread that cannot go on gives way for free. If none can: deadlock.
    fn note_blocked(&mut self, state: StateId, thread: usize) -> Result<(), End> {
        self.store.load(state, &mut self.machine.state);
        let count = &mut self.visits[state.0 as usize].blocked;
        *count += 1;
        if usize::from(*count) == self.machine.state.alive()
            && let Some(violation) = self.machine.deadlock()
        {
            return Err(End::Found { at: state, thread, choices: None, violation: Box::new(violation) });
        }
        self.enable_all(state);
        Ok(())
    }

    fn pause_to_look(&mut self) -> Result<(), End> {
        if self.transitions >= self.budget {
            return Err(End::Stopped(Reason::Limit("enough".to_string())));
        }
        self.work += self.machine.effort();
        if self.work < PATIENCE {
            return Ok(());
        }
        self.work = 0;
        let progress = Progress {
            states: self.store.len() as u64,
            transitions: self.transitions,
            preemptions: self.level,
            frontier: (self.now.len() + self.later.len()) as u64,
            memory: self.memory(),
            ..Progress::default()
        };
        self.control.should_stop(&progress).map_or(Ok(()), |reason| Err(End::Stopped(reason)))
    }

    fn memory(&self) -> u64 {
        let frontier = self.now.capacity() * size_of::<(StateId, u8)>() + self.later.capacity() * size_of::<StateId>();
        self.store.bytes() + (self.visits.capacity() * size_of::<Visit>() + frontier) as u64
    }

    /// The way to `at`, and one step more if there is one.
    fn path(&self, at: StateId, thread: usize, last: Option<Vec<u32>>) -> Path {
        let mut path = Vec::new();
        let mut state = at;
        while state.0 != 0 {
            let visit = &self.visits[state.0 as usize];
            path.push((usize::from(visit.thread), self.choices[visit.choices as usize].clone()));
            state = visit.parent;
        }
        path.reverse();
        path.extend(last.map(|choices| (thread, choices)));
        path
    }

    /// Runs the path again from the start, for its schedule.
    fn tell(&mut self, path: Path, violation: Violation) -> Counterexample {
        self.store.load(StateId(0), &mut self.machine.state);
        let mut telling = Telling::default();
        for (thread, choices) in &path {
            telling.step(&mut self.machine, self.watch.as_mut(), *thread, choices);
        }
        let (schedule, length) = (telling.finished(), path.len());
        Counterexample { schedule, violation, length }
    }

    /// A shorter one, with as few preemptions, if it can be had at the price of the first.
    fn shorter(self, task: &Task, long: Counterexample) -> Counterexample {
        if long.length <= LONG {
            return long;
        }
        let Search { machine, transitions, level, control, watch, .. } = self;
        let mut search = Search::new(machine.code, machine.sharing, task, control, Order::BreadthFirst);
        search.budget = transitions;
        search.watch = watch;
        search.max_level = level;
        match search.run() {
            Err(End::Found { at, thread, choices, violation }) => {
                let path = search.path(at, thread, choices);
                if path.len() < long.length { search.tell(path, *violation) } else { long }
            }
            _ => long,
        }
    }
}

/// A violation and how to get there.
struct Counterexample {
    schedule: Schedule,
    violation: Violation,
    /// Transitions.
    length: usize,
}
