//! Depth-first search that counts no levels. The stack is kept exactly, and is the way to a violation.
//!
//! A [`Policy`] says which states were seen, who is run from them and in which order: [`super::approximate`] keeps
//! hashes and may bound preemptions, [`super::sleep`] keeps all states and leaves out transitions, [`super::delays`]
//! has threads take turns.
//!
//! Where a thread comes by itself back to a state on the stack, it spins, and it is asked whether all others do so, too
//! ([`selvedge_vm::spin`]).

use super::end::End;
use super::store::{Cursor, Root, Store};
use super::swarm::Member;
use crate::superstep::{Arrival, Runner, Superstep};
use selvedge_engine::counterexample::{Leg, of_path};
use selvedge_engine::{Control, Progress, Task};
use selvedge_program::{Coverage, Limit, Violation};
use selvedge_vm::deadlock::{Threads, Waiting};
use selvedge_vm::expand::{Expander, members};
use selvedge_vm::watch::Watch;
use selvedge_vm::{Code, Sharing};

/// A frame has a few short lists, of about so many bytes.
const LISTS: usize = 64;
/// Rounds of more transitions are not noticed.
const LONGEST_ROUND: usize = 12;

/// The decisions in which depth-first searches differ.
pub trait Policy {
    /// Kept with each state on the stack; that of the first state is the default.
    type Note: Default;
    /// The cost of running a thread.
    type Price;
    /// States deeper than this are not gone into.
    const DEEPEST: usize;
    /// Does it want to know what transitions touch?
    const NEEDS_FOOTPRINTS: bool;
    /// Does it want to know of transitions that end the process?
    const KEEPS_EXITS: bool;

    /// A state is reached: the threads to be run from it, the next one last.
    fn enter(&mut self, runner: &mut Runner<'_, '_>, to: &mut Child<Self::Note>) -> Vec<u8>;

    /// The order in which others are run, the first one last, where the one inside an atomic section cannot go on.
    fn order(&self, threads: Threads, _: &Self::Note) -> Vec<u8> {
        in_order(threads)
    }

    /// The cost of running a thread from the top of the stack; `None` if it is too high.
    fn price(&self, runner: &mut Runner<'_, '_>, top: &Frame<Self::Note>, thread: usize) -> Option<Self::Price>;

    /// A thread was run from the top of the stack: its children are those states that are to be reached next. In
    /// `rounds` are those to which it came back.
    fn extend(
        &mut self,
        runner: &mut Runner<'_, '_>,
        top: &mut Frame<Self::Note>,
        step: Superstep,
        price: Self::Price,
        rounds: &[Root],
    );

    fn states(&self, store: &Store) -> u64;

    fn bytes(&self) -> u64;

    fn limits(&self) -> Vec<Limit>;
}

/// A state on the stack.
pub struct Frame<Note> {
    pub root: Root,
    /// The leg that led here.
    pub leg: Leg,
    pub note: Note,
    /// The threads still to be run, the next one last.
    left: Vec<u8>,
    /// Where the thread that was run last leads.
    pub children: Vec<Child<Note>>,
    /// The threads that are known to wait.
    pub waiting: Vec<Waiting>,
}

/// A state to be reached, and how.
pub struct Child<Note> {
    pub root: Root,
    pub leg: Leg,
    pub note: Note,
}

pub struct DepthFirst<'c, P: Policy> {
    expander: Expander<'c>,
    store: Store,
    cursor: Cursor,
    policy: P,
    control: &'c Control,
    /// The deepest, when the clock was last looked at.
    depth: usize,
    too_deep: bool,
}

impl<'c, P: Policy> DepthFirst<'c, P> {
    pub fn new(code: &'c Code<'c>, sharing: Sharing, task: &Task, control: &'c Control, policy: P) -> Self {
        let mut expander = Expander::new(code, sharing, Watch::new(&code.program.observers), task.max_input_values)
            .with_store_buffer(task.bounds.store_buffer);
        let cursor = Cursor::new(&expander.machine.state, code.layout.slots);
        expander.machine.record(P::NEEDS_FOOTPRINTS);
        DepthFirst { expander, store: Store::new(), cursor, policy, control, depth: 0, too_deep: false }
    }

    pub fn policy(&self) -> &P {
        &self.policy
    }

    fn parts(&mut self) -> (&mut P, Runner<'_, 'c>) {
        let DepthFirst { expander, store, cursor, policy, .. } = self;
        (policy, Runner { expander, store, cursor, keeps_exits: P::KEEPS_EXITS })
    }

    fn load(&mut self, root: Root) {
        self.store.unfold(&mut self.cursor, root, &mut self.expander.machine.state);
    }

    /// Goes to a state, if somebody has to be run from it.
    fn enter(&mut self, stack: &mut Vec<Frame<P::Note>>, mut child: Child<P::Note>) -> Result<(), End> {
        if stack.len() >= P::DEEPEST {
            self.too_deep = true;
            return Ok(());
        }
        let (policy, mut runner) = self.parts();
        let left = policy.enter(&mut runner, &mut child);
        if !left.is_empty() {
            let Child { root, leg, note } = child;
            stack.push(Frame { root, leg, note, left, children: Vec::new(), waiting: Vec::new() });
            return self.look_for_race(stack, root);
        }
        Ok(())
    }

    fn look_for_race(&mut self, stack: &mut [Frame<P::Note>], root: Root) -> Result<(), End> {
        let DepthFirst { expander, store, cursor, .. } = self;
        if !expander.asks_for_races() {
            return Ok(());
        }
        let race = expander.race(|to| store.unfold(cursor, root, to))?;
        let violation = race.map(|race| race.violation(self.expander.machine.code));
        violation.map_or(Ok(()), |violation| Err(self.found(stack, None, violation)))
    }

    /// Runs `thread` from the top of the stack.
    fn expand(&mut self, stack: &mut [Frame<P::Note>], thread: usize) -> Result<(), End> {
        let Some(top) = stack.last() else { return Ok(()) };
        let (policy, mut runner) = self.parts();
        let Some(price) = policy.price(&mut runner, top, thread) else { return Ok(()) };
        let mut step = runner.transition(top.root, thread)?;
        let (wrong, waiting) = (step.wrong.take(), step.waiting);
        let is_round = |arrival: &&Arrival| comes_round(stack, thread, arrival.root);
        let rounds: Vec<Arrival> = step.ends.iter().filter(is_round).cloned().collect();
        let roots: Vec<Root> = rounds.iter().map(|arrival| arrival.root).collect();
        let Some(top) = stack.last_mut() else { return Ok(()) };
        policy.extend(&mut runner, top, step, price, &roots);
        if let Some((leg, violation)) = wrong {
            return Err(self.found(stack, Some(leg), *violation));
        }
        for Arrival { root, leg, .. } in rounds {
            self.look_for_livelock(stack, root, leg)?;
        }
        waiting.map_or(Ok(()), |waiting| self.note_waiting(stack, waiting))
    }

    /// A thread came back to this state.
    fn look_for_livelock(&mut self, stack: &mut [Frame<P::Note>], root: Root, leg: Leg) -> Result<(), End> {
        self.load(root);
        let livelock = self.expander.machine.livelock();
        if self.expander.machine.sharing.grew {
            return Err(End::Shared);
        }
        livelock.map_or(Ok(()), |violation| Err(self.found(stack, Some(leg), violation)))
    }

    fn note_waiting(&mut self, stack: &mut [Frame<P::Note>], waiting: Waiting) -> Result<(), End> {
        let Some(top) = stack.last_mut() else { return Ok(()) };
        top.waiting.push(waiting);
        self.store.unfold(&mut self.cursor, top.root, &mut self.expander.machine.state);
        let machine = &self.expander.machine;
        if machine.state.inside_atomic() == Some(waiting.thread) {
            // The others go on while it cannot.
            top.left = self.policy.order(machine.state.unfinished() & !(1 << waiting.thread), &top.note);
        }
        let violation = machine.wait_for_ever(&top.waiting, waiting.thread);
        violation.map_or(Ok(()), |violation| Err(self.found(stack, None, violation)))
    }

    fn found(&mut self, stack: &mut [Frame<P::Note>], last: Option<Leg>, violation: Violation) -> End {
        let legs = stack[1..].iter_mut().map(|frame| std::mem::take(&mut frame.leg));
        let path: Vec<Leg> = legs.chain(last).collect();
        self.load(stack[0].root);
        End::Found(Box::new(of_path(&mut self.expander, &path, violation)))
    }

    fn look(&mut self, depth: usize) -> Result<(), End> {
        if !self.expander.is_time_to_look() {
            return Ok(());
        }
        self.depth = self.depth.max(depth);
        let progress = Progress {
            states: self.states(),
            transitions: self.transitions(),
            frontier: depth as u64,
            memory: self.memory(),
            ..Progress::default()
        };
        self.control.should_stop(&progress).map_or(Ok(()), |reason| Err(End::Stopped(reason)))
    }
}

impl<P: Policy> Member for DepthFirst<'_, P> {
    fn run(&mut self) -> Result<Coverage, End> {
        let root = self.store.fold(&mut self.cursor, &mut self.expander.machine.state);
        let mut stack = Vec::new();
        self.enter(&mut stack, Child { root, leg: Leg::default(), note: P::Note::default() })?;
        self.load(root);
        let (_, broken) = self.expander.look_at_start()?;
        broken.map_or(Ok(()), |violation| Err(self.found(&mut stack, None, violation)))?;
        while let Some(top) = stack.last_mut() {
            if let Some(child) = top.children.pop() {
                self.enter(&mut stack, child)?;
            } else if let Some(thread) = top.left.pop() {
                self.expand(&mut stack, usize::from(thread))?;
                self.look(stack.len())?;
            } else {
                stack.pop();
            }
        }
        let of_machine = self.expander.limits();
        let machine = &mut self.expander.machine;
        let ends = machine.ends.describe(machine.code, true);
        let depth = self.too_deep.then_some(Limit::Depth(P::DEEPEST as u64));
        let coverage =
            Coverage::within(self.policy.limits().into_iter().chain(depth).chain(of_machine)).with_ends(ends);
        machine.obstacle.take().map_or(Ok(coverage), |reason| Err(End::Stopped(reason)))
    }

    fn states(&self) -> u64 {
        self.policy.states(&self.store)
    }

    fn transitions(&self) -> u64 {
        self.expander.transitions
    }

    fn memory(&self) -> u64 {
        let stack = self.depth * (size_of::<Frame<P::Note>>() + LISTS);
        self.policy.bytes() + self.store.bytes() + stack as u64
    }

    fn sharing(&mut self) -> Sharing {
        std::mem::take(&mut self.expander.machine.sharing)
    }
}

/// Does a step of the thread lead back to a state on the way that it has come by itself?
fn comes_round<Note>(stack: &[Frame<Note>], thread: usize, to: Root) -> bool {
    let come = stack.iter().rev().take(LONGEST_ROUND);
    let mut own = true;
    come.take_while(|frame| std::mem::replace(&mut own, frame.leg.thread == thread)).any(|frame| frame.root == to)
}

/// Threads by number, the first one last.
pub fn in_order(threads: Threads) -> Vec<u8> {
    let mut order: Vec<u8> = members(threads).map(|thread| thread as u8).collect();
    order.reverse();
    order
}
