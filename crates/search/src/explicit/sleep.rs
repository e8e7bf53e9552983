//! Sleep sets: of two transitions that can be exchanged, both orders lead to the same state, and one is not taken.
//!
//! Godefroid, "Using Partial Orders to Improve Automatic Verification Methods" (CAV 1990), and with states that are
//! remembered Godefroid, Holzmann and Pirottin, "State-Space Caching Revisited" (CAV 1992). When all that a thread's
//! transition leads to was searched, the thread *sleeps* in what its siblings lead to, until somebody does something
//! that its transition conflicts with. Every state is still visited; only ways to it are left out, so all that is asked of
//! states (violations, deadlocks, invariants) gets the same answer.
//!
//! Every state, up to the numbers of objects. That of a dead object is free again when the last pointer to it is gone, and
//! its thread's next object takes the lowest free one. So overwriting that pointer and allocating commute, but for a
//! number; both orders behave alike, and only one of the two states may be visited. Programs without dangling pointers
//! have as many states as without sleep sets.
//!
//! With each state is kept who slept when it was expanded. If it is reached again with fewer sleepers, those who have
//! woken up are run, and only those.
//!
//! Who is blocked does not sleep, and a sleeper is never blocked: what could block it conflicts with it. Where
//! inputs are open, or were chosen, nobody sleeps. The search goes depth first and counts no preemptions: leaving out one
//! of two orders may leave out the one with fewer.

use super::path::{Counterexample, Leg, tell};
use super::store::{Cursor, Found, Root, StateId, Store};
use crate::superstep::{Arrival, Runner, Stop, Superstep, Wrong};
use selvedge_engine::{Control, Progress, Task};
use selvedge_program::Statistics;
use selvedge_program::{Coverage, Finding, Property, Reason, Violation};
use selvedge_vm::choices::Choices;
use selvedge_vm::deadlock::{Threads, Waiting};
use selvedge_vm::footprint::{Access, conflict};
use selvedge_vm::watch::Watch;
use selvedge_vm::{Code, Ended, Machine, Sharing};
use std::rc::Rc;

/// Transitions between two looks at the clock.
const PATIENCE: u64 = 2048;

enum End {
    Found(Box<Counterexample>),
    Shared,
    Stopped(Reason),
}

impl From<Stop> for End {
    fn from(stop: Stop) -> End {
        match stop {
            Stop::Shared => End::Shared,
            Stop::GaveUp(reason) => End::Stopped(reason),
        }
    }
}

pub fn search(code: &Code<'_>, mut sharing: Sharing, task: &Task, control: &Control) -> (Finding, Statistics) {
    let mut statistics = Statistics::default();
    loop {
        let mut search = Sleep::new(code, sharing, task, control);
        let result = search.run();
        statistics.transitions += search.transitions;
        statistics.states = search.states();
        statistics.peak_memory = statistics.peak_memory.max(search.memory());
        let finding = match result {
            Ok(coverage) => Finding::NoneWithin(coverage),
            Err(End::Stopped(reason)) => Finding::GaveUp(reason),
            Err(End::Found(found)) => {
                let Counterexample { schedule, violation, .. } = *found;
                Finding::Violation { schedule, violation }
            }
            Err(End::Shared) => {
                statistics.restarts += 1;
                sharing = search.machine.sharing.widened();
                continue;
            }
        };
        return (finding, statistics);
    }
}

/// A thread whose next transition was searched elsewhere, and what that touches.
#[derive(Clone)]
struct Sleeper {
    thread: usize,
    footprint: Rc<[Access]>,
}

fn bits(sleepers: &[Sleeper]) -> Threads {
    sleepers.iter().fold(0, |all, sleeper| all | 1 << sleeper.thread)
}

/// A state on the way.
struct Frame {
    state: StateId,
    /// The leg that led here.
    leg: Leg,
    sleepers: Vec<Sleeper>,
    /// Threads still to be run, as bits.
    left: Threads,
    /// Where the thread that was run last leads.
    children: Vec<Child>,
    waiting: Vec<Waiting>,
}

struct Child {
    root: Root,
    leg: Leg,
    sleepers: Vec<Sleeper>,
}

struct Sleep<'c> {
    machine: Machine<'c, Choices>,
    watch: Option<Watch>,
    store: Store,
    cursor: Cursor,
    /// By state: the threads that have not been run from it.
    asleep: Vec<Threads>,
    control: &'c Control,
    transitions: u64,
}

impl<'c> Sleep<'c> {
    fn new(code: &'c Code<'c>, sharing: Sharing, task: &Task, control: &'c Control) -> Sleep<'c> {
        let mut machine = Machine::new(code, sharing, Choices::default(), task.max_input_values);
        machine.record(true);
        Sleep {
            cursor: Cursor::new(&machine.state, code.layout.slots),
            machine,
            watch: Watch::new(&code.program.observers),
            store: Store::new(),
            asleep: Vec::new(),
            control,
            transitions: 0,
        }
    }

    fn states(&self) -> u64 {
        self.store.len() as u64
    }

    fn memory(&self) -> u64 {
        self.store.bytes() + (self.asleep.capacity() * size_of::<Threads>()) as u64
    }

    fn run(&mut self) -> Result<Coverage, End> {
        let root = self.store.fold(&mut self.cursor, &mut self.machine.state);
        let mut stack = Vec::new();
        self.enter(&mut stack, Child { root, leg: Leg::default(), sleepers: Vec::new() });
        // With a function that comes first, the beginning is behind it.
        if self.machine.code.program.observers.init.is_none() {
            let broken = self.runner().look(0)?.broken;
            broken.map_or(Ok(()), |violation| Err(self.found(&mut stack, None, violation)))?;
        }
        while let Some(top) = stack.last_mut() {
            if let Some(child) = top.children.pop() {
                self.enter(&mut stack, child);
            } else if top.left != 0 {
                let thread = top.left.trailing_zeros() as usize;
                top.left &= !(1 << thread);
                self.expand(&mut stack, thread)?;
                self.pause_to_look(stack.len())?;
            } else {
                stack.pop();
            }
        }
        let ends = self.machine.ends.describe(&self.machine.code.program.source);
        let coverage = Coverage::default().with_ends(ends);
        self.machine.obstacle.take().map_or(Ok(coverage), |reason| Err(End::Stopped(reason)))
    }

    fn runner(&mut self) -> Runner<'_, 'c> {
        let Sleep { machine, watch, store, cursor, transitions, .. } = self;
        Runner { machine, store, cursor, watch: watch.as_mut(), transitions }
    }

    fn load(&mut self, root: Root) {
        self.store.unfold(&mut self.cursor, root, &mut self.machine.state);
    }

    /// Goes to a state, if somebody has to be run from it.
    fn enter(&mut self, stack: &mut Vec<Frame>, Child { root, leg, sleepers }: Child) {
        let found = Found { parent: StateId(0), thread: 0, length: 0, level: 0 };
        let (state, new) = self.store.insert_root(&mut self.cursor, root, found);
        let now = bits(&sleepers);
        let left = if new {
            self.asleep.push(now);
            self.load(root);
            self.first_to_run() & !now
        } else {
            let asleep = &mut self.asleep[state.0 as usize];
            let woken = *asleep & !now;
            *asleep &= now;
            woken
        };
        if left != 0 {
            stack.push(Frame { state, leg, sleepers, left, children: Vec::new(), waiting: Vec::new() });
        }
    }

    /// The threads of the machine's state; who stopped inside an atomic section goes on alone.
    fn first_to_run(&self) -> Threads {
        let threads = self.machine.state.threads.iter().enumerate();
        let alive = threads.fold(0, |all, (number, t)| if t.is_finished() { all } else { all | 1 << number });
        self.machine.state.inside_atomic().map_or(alive, |inside| 1 << inside)
    }

    /// Runs `thread` from the top of the stack, in all ways.
    fn expand(&mut self, stack: &mut [Frame], thread: usize) -> Result<(), End> {
        let Some(top) = stack.last_mut() else { return Ok(()) };
        let root = self.store.root(top.state);
        let step = self.runner().first_transition(root, thread)?;
        let footprint: Rc<[Access]> = step.first_footprint().into();
        if step.blocked {
            return self.note_blocked(stack, root, &step);
        }
        let Superstep { ends, wrong, .. } = step;
        if let Some(Wrong { choices, violation }) = wrong {
            return Err(self.found(stack, Some(Leg { thread, length: 1, choices }), *violation));
        }
        let is_plain = self.has_no_inputs(root)
            && matches!(ends.as_slice(), [only] if only.choices.is_empty() && self.has_no_inputs(only.root));
        for Arrival { root, ended, choices, seen, .. } in ends {
            let leg = Leg { thread, length: 1, choices };
            if let Some(violation) = seen.broken {
                return Err(self.found(stack, Some(leg), violation));
            }
            let Some(top) = stack.last_mut().filter(|_| ended != Ended::Exited) else { continue };
            let stay = |sleeper: &&Sleeper| is_plain && !conflict(&sleeper.footprint, &footprint);
            let sleepers = top.sleepers.iter().filter(stay).cloned().collect();
            top.children.push(Child { root, leg, sleepers });
        }
        if let Some(top) = stack.last_mut().filter(|_| is_plain) {
            top.sleepers.push(Sleeper { thread, footprint });
        }
        Ok(())
    }

    fn has_no_inputs(&mut self, root: Root) -> bool {
        self.load(root);
        self.machine.state.late_inputs.is_empty()
    }

    fn note_blocked(&mut self, stack: &mut [Frame], root: Root, step: &Superstep) -> Result<(), End> {
        let Some(top) = stack.last_mut() else { return Ok(()) };
        self.load(root);
        if self.machine.state.inside_atomic() == Some(step.thread) {
            // The others go on while it cannot.
            let finished = self.machine.state.finished();
            let all = (1 << self.machine.state.threads.len()) - 1;
            top.left = all & !finished & !(1 << step.thread);
        }
        top.waiting.push(step.waiting);
        let matters = self.machine.properties().contains(Property::Deadlock);
        if matters && self.machine.state.doomed(&top.waiting) >> step.thread & 1 == 1 {
            return Err(self.found(stack, None, Violation::of_deadlock(step.thread, step.stopped_at)));
        }
        Ok(())
    }

    fn found(&mut self, stack: &mut [Frame], last: Option<Leg>, violation: Violation) -> End {
        let path = stack[1..].iter_mut().map(|frame| std::mem::take(&mut frame.leg)).chain(last).collect();
        self.load(self.store.root(StateId(0)));
        End::Found(Box::new(tell(&mut self.machine, self.watch.as_mut(), path, violation)))
    }

    fn pause_to_look(&mut self, depth: usize) -> Result<(), End> {
        if !self.transitions.is_multiple_of(PATIENCE) {
            return Ok(());
        }
        let progress = Progress {
            states: self.states(),
            transitions: self.transitions,
            frontier: depth as u64,
            memory: self.memory() + (depth * size_of::<Frame>()) as u64,
            ..Progress::default()
        };
        self.control.should_stop(&progress).map_or(Ok(()), |reason| Err(End::Stopped(reason)))
    }
}
