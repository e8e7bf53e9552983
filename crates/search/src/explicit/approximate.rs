//! Depth-first search that keeps only hashes of states, for what does not fit into memory otherwise.
//!
//! What is on the stack is kept exactly, and is the way to a violation. Threads are tried in an order drawn from the
//! seed, and so are the hashes: another seed misses other states, so that a *swarm* of such searches (Holzmann, Joshi,
//! Groce, ASE 2008) covers more than one. With several jobs, each worker is one of the swarm.
//!
//! Here a bound on preemptions makes the count part of the state, with the thread that ran last: depth first, a state
//! may be met with many preemptions before it is met with few. Without a bound neither matters.

use super::path::{Counterexample, Leg, tell};
use super::seen::Seen;
use super::store::{Root, Store};
use super::swarm::Member;
use super::worker::Worker;
use foldhash::fast::FixedState;
use selvedge_engine::{Control, Progress, Task};
use selvedge_program::{Coverage, Limit, Reason, Violation};
use selvedge_vm::deadlock::Waiting;
use selvedge_vm::ways::{Way, Ways};
use selvedge_vm::{Code, Ended, Sharing};
use std::hash::BuildHasher;

/// States deeper than this are not gone into.
const DEPTH: usize = 2_000_000;
/// Steps between two looks at the clock.
const PATIENCE: u64 = 2048;

pub enum End {
    Found(Box<Counterexample>),
    Shared,
    Stopped(Reason),
}

/// A state on the way.
struct Frame {
    root: Root,
    /// The leg that led here.
    leg: Leg,
    preemptions: u32,
    /// The threads still to be tried, the next one last.
    left: Vec<u8>,
    /// Where the thread tried last leads.
    children: Vec<Child>,
    /// The threads that are known to wait.
    waiting: Vec<Waiting>,
    /// Is the thread that led here blocked? It is tried first.
    is_stuck: bool,
}

/// A new state, and how it was reached.
struct Child {
    root: Root,
    leg: Leg,
    preemptions: u32,
}

pub struct Approximate<'c> {
    worker: Worker<'c>,
    store: Store,
    seen: Seen,
    hasher: FixedState,
    /// Against going round with what was learnt; also gives the order of threads.
    seed: u64,
    bound: Option<u32>,
    control: &'c Control,
    transitions: u64,
    /// The deepest, when the clock was last looked at.
    depth: usize,
    too_deep: bool,
}

impl<'c> Approximate<'c> {
    pub fn new(
        code: &'c Code<'c>,
        sharing: Sharing,
        task: &Task,
        control: &'c Control,
        seen: Seen,
        member: u64,
    ) -> Approximate<'c> {
        let seed = task.seed.wrapping_mul(0x9e37_79b9).wrapping_add(member);
        Approximate {
            worker: Worker::new(code, sharing, task),
            store: Store::new(),
            seen,
            hasher: FixedState::with_seed(seed),
            seed,
            bound: task.bounds.preemptions,
            control,
            transitions: 0,
            depth: 0,
            too_deep: false,
        }
    }

    fn enter(&mut self, stack: &mut Vec<Frame>, child: Child) {
        if stack.len() >= DEPTH {
            self.too_deep = true;
            return;
        }
        self.worker.load_root(&self.store, child.root);
        stack.push(self.frame(child));
    }

    fn conclude(&mut self) -> Result<Coverage, End> {
        if let Some(reason) = self.worker.machine.obstacle.take() {
            return Err(End::Stopped(reason));
        }
        let preemptions = self.bound.map(|most| Limit::Preemptions { most, of_supersteps: false });
        let depth = self.too_deep.then_some(Limit::Depth(DEPTH as u64));
        let machine = &self.worker.machine;
        let ends = machine.ends.describe(&machine.code.program.source);
        Ok(Coverage::within([self.seen.limit()].into_iter().chain(preemptions).chain(depth)).with_ends(ends))
    }

    /// The state that the machine is in, with all threads that may run, in a random order.
    fn frame(&self, Child { root, leg, preemptions }: Child) -> Frame {
        let state = &self.worker.machine.state;
        let mut left: Vec<u8> = (0..state.threads.len() as u8).collect();
        left.retain(|thread| !state.threads[usize::from(*thread)].is_finished());
        if let Some(inside) = state.inside_atomic() {
            left.retain(|thread| usize::from(*thread) == inside);
        }
        fastrand::Rng::with_seed(self.hasher.hash_one((self.seed, root))).shuffle(&mut left);
        // Who ran goes on first: its next steps cost nothing.
        if let Some(at) = left.iter().position(|thread| usize::from(*thread) == leg.thread) {
            left[at..].rotate_left(1);
        }
        Frame { root, leg, preemptions, left, children: Vec::new(), waiting: Vec::new(), is_stuck: false }
    }

    /// Runs `thread` from the top of the stack, in all ways.
    fn expand(&mut self, stack: &mut [Frame], thread: usize) -> Result<(), End> {
        let top = stack.len() - 1;
        let Frame { root, preemptions, .. } = stack[top];
        self.worker.load_root(&self.store, root);
        let price = preemptions + u32::from(self.is_preemption(&stack[top], thread));
        if self.bound.is_some_and(|bound| price > bound) {
            return Ok(());
        }
        let leg = |choices: Vec<u32>| Leg { thread, length: 1, choices };
        let mut ways = Ways::new(thread, &mut self.worker.machine);
        while ways.is_left(&mut self.worker.machine) {
            self.worker.load_root(&self.store, root);
            self.transitions += 1;
            let way = ways.run(&mut self.worker.machine);
            let leg = leg(self.worker.machine.oracle.path());
            match way {
                Way::Nowhere | Way::To(Ended::Exited) => {}
                Way::To(_) => self.arrive(&mut stack[top].children, leg, price),
                Way::Violation(violation) => return Err(self.found(stack, Some(leg), *violation)),
                Way::Learnt => return Err(End::Shared),
            }
        }
        if let Some(awaits) = ways.awaits() {
            return self.note_blocked(stack, Waiting { thread, awaits });
        }
        for way in ways.blocked() {
            self.worker.load_root(&self.store, root);
            way.enter(&mut self.worker.machine.state);
            self.arrive(&mut stack[top].children, leg(way.choices), price);
        }
        Ok(())
    }

    /// The machine is in the state at the top. Is a switch to `thread` away from one that could have gone on?
    fn is_preemption(&self, top: &Frame, thread: usize) -> bool {
        let last = top.leg.thread;
        let is_over = self.worker.machine.state.threads[last].is_finished();
        thread != last && !is_over && !top.is_stuck && !self.worker.yields(last)
    }

    fn note_blocked(&mut self, stack: &mut [Frame], waiting: Waiting) -> Result<(), End> {
        let Some(top) = stack.last_mut() else { return Ok(()) };
        top.waiting.push(waiting);
        top.is_stuck |= waiting.thread == top.leg.thread;
        let loc = self.worker.machine.stopped_at;
        self.worker.load_root(&self.store, top.root);
        if self.worker.deadlocks_matter() && self.worker.machine.state.doomed(&top.waiting) != 0 {
            return Err(self.found(stack, None, Violation::of_deadlock(waiting.thread, loc)));
        }
        Ok(())
    }

    /// The machine is in a state that a step led to.
    fn arrive(&mut self, children: &mut Vec<Child>, leg: Leg, preemptions: u32) {
        let root = self.worker.keep(&self.store);
        let key = self.bound.map(|_| (leg.thread, preemptions));
        if self.seen.insert(self.hasher.hash_one((root, key))) {
            children.push(Child { root, leg, preemptions });
        }
    }

    fn found(&mut self, stack: &mut [Frame], last: Option<Leg>, violation: Violation) -> End {
        let path = stack[1..].iter_mut().map(|frame| std::mem::take(&mut frame.leg)).chain(last).collect();
        self.worker.load_root(&self.store, stack[0].root);
        End::Found(Box::new(tell(&mut self.worker.machine, None, path, violation)))
    }

    fn look(&mut self, depth: usize) -> Result<(), End> {
        if !self.transitions.is_multiple_of(PATIENCE) {
            return Ok(());
        }
        self.depth = self.depth.max(depth);
        let progress = Progress {
            states: self.states(),
            transitions: self.transitions,
            frontier: depth as u64,
            memory: self.memory(),
            ..Progress::default()
        };
        self.control.should_stop(&progress).map_or(Ok(()), |reason| Err(End::Stopped(reason)))
    }
}

impl Member for Approximate<'_> {
    fn run(&mut self) -> Result<Coverage, End> {
        let root = self.worker.keep(&self.store);
        let mut stack = vec![self.frame(Child { root, leg: Leg::default(), preemptions: 0 })];
        while let Some(top) = stack.last_mut() {
            if let Some(child) = top.children.pop() {
                self.enter(&mut stack, child);
            } else if let Some(thread) = top.left.pop() {
                self.expand(&mut stack, usize::from(thread))?;
                self.look(stack.len())?;
            } else {
                stack.pop();
            }
        }
        self.conclude()
    }

    fn states(&self) -> u64 {
        self.seen.len()
    }

    fn transitions(&self) -> u64 {
        self.transitions
    }

    fn memory(&self) -> u64 {
        // A frame has a few short lists.
        self.seen.bytes() + self.store.bytes() + (self.depth * (size_of::<Frame>() + 64)) as u64
    }

    fn sharing(&mut self) -> Sharing {
        std::mem::take(&mut self.worker.machine.sharing)
    }
}
