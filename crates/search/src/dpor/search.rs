//! The depth-first search over runs.

use super::attempt::{Attempt, Failed, Spare, Way};
use super::known::{Futures, Known};
use super::lanes::Lanes;
use super::reversal::Race;
use super::run::{Event, Made, Past, event, races};
use super::step::{Reach, Step};
use super::wakeup::{Branch, Tree};
use crate::explicit::end::End;
use selvedge_engine::counterexample::{Leg, of_path};
use selvedge_engine::{Control, Progress, Task};
use selvedge_program::{Coverage, Limit, Reason, Violation};
use selvedge_vm::deadlock::{Threads, Waiting};
use selvedge_vm::expand::{Expander, members};
use selvedge_vm::footprint::Access;
use selvedge_vm::watch::Watch;
use selvedge_vm::{Code, Ended, Sharing, State};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Runs with more steps are cut there.
pub const DEEPEST: usize = 20_000;

/// A state of the current run, and what is left to be explored from it.
pub(super) struct Node {
    pub state: State,
    /// Steps whose continuations have been explored, here or earlier.
    pub sleep: Vec<Step>,
    pub tree: Tree,
    /// The step from here that is being explored.
    pub current: Option<Rc<Event>>,
    /// Has it been decided what to explore? A node that is not, and has no tree, stands for everything that can follow.
    pub is_started: bool,
    /// The number of branches that have been begun, the current one included.
    begun: usize,
    /// Ways that have been run already.
    ready: Vec<Way>,
    /// Has the process ended with the last step?
    pub has_ended: bool,
    /// The number of steps that slept at first.
    slept: usize,
    /// If states are kept: the words by which it is known, unless it was planned.
    pub key: Option<Rc<[u64]>>,
    /// The first node to whose state a cycle leads back from here.
    pub first_reached: usize,
    /// All that has followed it so far, if states are kept.
    pub futures: Futures,
    /// Is everything that can go on from it among the branches?
    pub is_widened: bool,
}

impl Node {
    fn new(state: State, sleep: Vec<Step>, tree: Tree) -> Node {
        let slept = sleep.len();
        Node {
            state,
            sleep,
            tree,
            current: None,
            is_started: false,
            begun: 0,
            ready: Vec::new(),
            has_ended: false,
            slept,
            key: None,
            first_reached: usize::MAX,
            futures: Futures::default(),
            is_widened: false,
        }
    }

    /// Explores this step, too, if it has not been planned yet.
    pub fn branch_to(&mut self, step: &Step) {
        let is_current = self.current.as_ref().is_some_and(|event| event.step.is_same(step.thread, &step.choices));
        if !is_current && !self.sleeps(step) && !self.tree.begins_with(step) {
            self.tree.push_leaf(step.clone());
        }
    }

    /// The steps that slept at first.
    pub fn slept(&self) -> &[Step] {
        &self.sleep[..self.slept]
    }

    pub fn sleeps(&self, step: &Step) -> bool {
        self.sleep.iter().any(|sleeper| sleeper.is_same(step.thread, &step.choices))
    }

    /// Does the only way of the thread sleep?
    fn sleeps_entirely(&self, thread: usize) -> bool {
        self.sleep.iter().any(|sleeper| sleeper.is_same(thread, &[]))
    }
}

/// The ends of all runs, for comparisons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// The globals, as words, wherever the process ends.
    pub finals: BTreeSet<Vec<u64>>,
    /// The runs up to the order of independent steps.
    pub traces: BTreeSet<Vec<u32>>,
}

pub struct Search<'c> {
    pub(super) expander: Expander<'c>,
    pub(super) nodes: Vec<Node>,
    pub(super) spare: Spare,
    pub(super) lanes: Lanes,
    control: &'c Control,
    /// Complete runs.
    pub runs: u64,
    /// Runs that turned out to be explored already.
    pub in_vain: u64,
    too_deep: bool,
    /// The largest number of bytes in states of a run.
    memory: u64,
    pub ledger: Option<Ledger>,
    /// The states that have been searched, if they are kept.
    pub(super) known: Option<Known>,
    /// Explore every order of steps.
    pub all_orders: bool,
    pub most_runs: u64,
}

impl<'c> Search<'c> {
    pub fn new(code: &'c Code<'c>, sharing: Sharing, task: &Task, control: &'c Control) -> Search<'c> {
        let mut expander = Expander::new(code, sharing, Watch::new(&code.program.observers), task.max_input_values)
            .with_store_buffer(task.bounds.store_buffer);
        expander.machine.record(true);
        expander.machine.flushes_apart = code.program.memory_model.has_buffers();
        let start = Node::new(expander.machine.state.clone(), Vec::new(), Tree::default());
        let nodes = vec![start];
        let spare = Spare::default();
        Search {
            expander,
            nodes,
            spare,
            lanes: Lanes::of(code.program),
            control,
            runs: 0,
            in_vain: 0,
            too_deep: false,
            memory: 0,
            ledger: None,
            known: None,
            all_orders: false,
            most_runs: u64::MAX,
        }
    }

    pub fn run(&mut self) -> Result<Coverage, End> {
        let (_, broken) = self.expander.look_at_start()?;
        broken.map_or(Ok(()), |violation| Err(self.found([], violation)))?;
        while let Some(top) = self.nodes.last_mut() {
            if !std::mem::replace(&mut top.is_started, true) && top.tree.is_empty() {
                self.choose()?;
            } else if let Some(branch) = top.tree.pop() {
                self.take(branch)?;
            } else {
                self.leave();
            }
            self.look()?;
        }
        let depth = self.too_deep.then_some(Limit::Depth(DEEPEST as u64));
        let limits = depth.into_iter().chain(self.expander.limits());
        let machine = &mut self.expander.machine;
        let ends = machine.ends.describe(machine.code, true);
        let coverage = Coverage::within(limits).with_ends(ends);
        machine.obstacle.take().map_or(Ok(coverage), |reason| Err(End::Stopped(reason)))
    }

    /// Keeps the states that have been searched.
    pub fn keep_states(&mut self) {
        self.known = Some(Known::default());
    }

    pub fn transitions(&self) -> u64 {
        self.expander.transitions
    }

    /// The number of states that are kept.
    pub fn states(&self) -> u64 {
        self.known.as_ref().map_or(0, Known::states)
    }

    pub fn memory(&self) -> u64 {
        self.memory
    }

    pub fn into_sharing(self) -> Sharing {
        self.expander.machine.sharing
    }

    /// Decides which thread goes on from the last state. If none can, a run is complete.
    fn choose(&mut self) -> Result<(), End> {
        let at = self.nodes.len() - 1;
        if at >= DEEPEST {
            self.too_deep = true;
            return Ok(());
        }
        if self.is_known()? {
            return Ok(());
        }
        let favourite = at.checked_sub(1).and_then(|before| self.event(before)).map(|event| event.step.thread);
        let mut disabled = Vec::new();
        let mut last = None;
        let mut is_asleep = false;
        for group in self.groups(at, favourite) {
            let members = group.len();
            for thread in group {
                if self.nodes[at].sleeps_entirely(thread) {
                    is_asleep = true;
                    continue;
                }
                match self.attempt_at(at, thread)? {
                    Attempt::Disabled { footprint, waiting } => disabled.push(Disabled { thread, footprint, waiting }),
                    Attempt::Ways(ways) if ways.iter().all(|way| self.nodes[at].sleeps(&way.step)) => is_asleep = true,
                    Attempt::Ways(mut ways) if ways.iter().all(|way| way.can_come_last) => last = ways.pop(),
                    Attempt::Ways(ways) => {
                        let node = &mut self.nodes[at];
                        let awake: Vec<Way> = ways.into_iter().filter(|way| !node.sleeps(&way.step)).collect();
                        awake.iter().for_each(|way| node.tree.push_leaf(way.step.clone()));
                        node.ready.extend(awake);
                        if !self.all_orders {
                            return Ok(());
                        }
                    }
                }
            }
            if is_asleep || disabled.len() < members {
                break;
            }
        }
        if !self.nodes[at].tree.is_empty() {
            return Ok(());
        }
        if is_asleep {
            self.in_vain += 1;
            return Ok(());
        }
        let Some(end) = last else { return self.complete(disabled) };
        self.reverse_attempts(disabled)?;
        let node = &mut self.nodes[at];
        node.tree.push_leaf(end.step.clone());
        node.ready.push(end);
        Ok(())
    }

    /// All that may go on from a node, the favourite first; the second group only if none of the first can.
    pub(super) fn groups(&mut self, at: usize, favourite: Option<usize>) -> [Vec<usize>; 2] {
        let state = &self.nodes[at].state;
        let (runnable, unfinished) = (state.runnable(), state.unfinished());
        let mut groups = [first(runnable, favourite), first(unfinished & !runnable, favourite)];
        // The others, and stores, go on while the one inside an atomic section cannot.
        let of_stores = usize::from(state.inside_atomic().is_some());
        groups[of_stores].extend(self.lanes.open(state));
        groups
    }

    /// The run is complete: no thread can go on.
    fn complete(&mut self, disabled: Vec<Disabled>) -> Result<(), End> {
        let at = self.nodes.len() - 1;
        let waiting: Vec<Waiting> = disabled.iter().filter_map(|one| one.waiting).collect();
        self.expander.machine.state.clone_from(&self.nodes[at].state);
        self.look_for_race_here(at, Vec::new())?;
        let all_wait = waiting.len() == disabled.len();
        let machine = &mut self.expander.machine;
        let violation = machine.wait_for_ever(&waiting, usize::MAX);
        if let Some(violation) = violation.or_else(|| if all_wait { None } else { machine.livelock() }) {
            return Err(self.found([], violation));
        }
        self.note_run(self.nodes[at].state.unfinished() == 0)?;
        self.reverse_attempts(disabled)
    }

    /// The process has ended with the last step. All others who had not ended might have gone first, unless it came last.
    fn exit(&mut self, came_last: bool) -> Result<(), End> {
        let before = self.nodes.len() - 2;
        self.expander.machine.state.clone_from(&self.nodes[before].state);
        self.look_for_race_here(before, Vec::new())?;
        if let Some(violation) = self.expander.machine.deadlock() {
            self.nodes.truncate(before + 1);
            self.nodes[before].current = None;
            return Err(self.found([], violation));
        }
        if self.expander.machine.sharing.grew {
            return Err(End::Shared);
        }
        self.note_run(true)?;
        if came_last {
            return Ok(());
        }
        let Some(own) = self.event(before).map(|event| event.step.thread) else { return Ok(()) };
        let state = &self.nodes[before].state;
        let lanes = self.lanes.open(state);
        let overtaken = state.unfinished() & !(1 << own);
        self.look_for_races_of_attempts(before, overtaken)?;
        members(overtaken).chain(lanes).try_for_each(|thread| self.reverse_attempt(thread, &[Access::EVERYTHING]))
    }

    fn note_run(&mut self, has_ended: bool) -> Result<(), End> {
        self.runs += 1;
        if self.runs > self.most_runs {
            return Err(End::Stopped(Reason::Limit(format!("more than {} runs", self.most_runs))));
        }
        let Some(mut ledger) = self.ledger.take() else { return Ok(()) };
        if has_ended {
            ledger.finals.extend(self.nodes.last().map(|node| node.state.globals.to_vec()));
        }
        ledger.traces.insert(self.normal_form());
        self.ledger = Some(ledger);
        Ok(())
    }

    /// The normal form of the current run, equal for all orders of independent steps.
    fn normal_form(&self) -> Vec<u32> {
        let mut events: Vec<&Rc<Event>> = self.nodes.iter().filter_map(|node| node.current.as_ref()).collect();
        events.sort_by_key(|event| (event.step.thread, event.number));
        let mut words = Vec::new();
        for event in events {
            words.extend([u32::MAX, event.step.thread as u32]);
            words.extend(event.step.choices.iter());
            words.push(u32::MAX);
            words.extend(event.clock.words());
        }
        words
    }

    /// Takes the first step of a branch.
    fn take(&mut self, Branch { step, then }: Branch) -> Result<(), End> {
        let at = self.nodes.len() - 1;
        let ready = &mut self.nodes[at].ready;
        let way = match ready.iter().position(|way| way.step.is_same(step.thread, &step.choices)) {
            Some(ready_way) => Some(ready.swap_remove(ready_way)),
            None => match self.attempt_at(at, step.thread)? {
                Attempt::Ways(ways) => ways.into_iter().find(|way| way.step.is_same(step.thread, &step.choices)),
                Attempt::Disabled { .. } => None,
            },
        };
        let Some(Way { step, to, ended, streak, can_come_last }) = way else {
            let why = "the search by conflicts planned a step that cannot be taken";
            return Err(End::Stopped(Reason::Limit(why.to_string())));
        };
        let past = self.past(step.thread, at);
        let (found, clock) = races(&past, &step.reach(), self.events(at).enumerate());
        if self.nodes[at].state.finished() & !to.finished() != 0 {
            let why = "the search by conflicts does not support new threads in the places of ended ones".to_string();
            return Err(End::Stopped(Reason::Limit(why)));
        }
        let from = &self.nodes[at].state;
        let lanes = match from.threads.get(step.thread) {
            Some(thread) if to.threads[step.thread].has_stores() => {
                self.lanes.made(step.thread, thread.stores().len(), &to)
            }
            Some(_) | None => Vec::new(),
        };
        let made = Made { births: from.threads.len()..to.threads.len(), lanes };
        let node = &mut self.nodes[at];
        node.begun += 1;
        let sleep = node.sleep.iter().filter(|sleeper| !sleeper.is_dependent(&step)).cloned().collect();
        let (thread, footprint) = (step.thread, Rc::clone(&step.footprint));
        node.current = Some(Rc::new(event(step, &past, clock, made, streak)));
        self.nodes.push(Node::new(to, sleep, then));
        let race = Race { thread, count: at, past: &past, footprint: &footprint };
        self.look_for_races(&race, &found)?;
        self.reverse(&race, found)?;
        if ended == Ended::Exited {
            if let Some(top) = self.nodes.last_mut() {
                (top.is_started, top.has_ended) = (true, true);
            }
            self.exit(can_come_last)?;
        }
        Ok(())
    }

    /// All that follows the last state has been explored.
    fn leave(&mut self) {
        let Some(mut node) = self.nodes.pop() else { return };
        self.note_searched(&mut node);
        let Node { state, ready, .. } = node;
        self.spare.give(state);
        ready.into_iter().for_each(|way| self.spare.give(way.to));
        if let Some(node) = self.nodes.last_mut()
            && let Some(event) = node.current.take()
            && !self.all_orders
        {
            node.sleep.push(event.step.clone());
        }
    }

    /// The step from a node of the current run.
    pub(super) fn event(&self, at: usize) -> Option<&Rc<Event>> {
        self.nodes.get(at).and_then(|node| node.current.as_ref())
    }

    /// The first steps of the current run.
    pub(super) fn events(
        &self,
        count: usize,
    ) -> impl DoubleEndedIterator<Item = &Rc<Event>> + ExactSizeIterator + Clone {
        self.nodes[..count].iter().map(|node| node.current.as_ref().expect("every node but the last has a step"))
    }

    pub(super) fn past(&self, thread: usize, count: usize) -> Past {
        match Lanes::is_lane(thread) {
            true => Past::of_lane(thread, self.events(count)),
            false => Past::of(thread, self.events(count)),
        }
    }

    /// Runs a thread from a node of the run. If that goes wrong, the run is the one to this node.
    pub(super) fn attempt_at(&mut self, at: usize, thread: usize) -> Result<Attempt, End> {
        let streak = self.past(thread, at).streak;
        let Search { expander, spare, nodes, lanes, .. } = self;
        lanes.run(expander, spare, &nodes[at].state, thread, &streak).map_err(|failed| {
            self.branch_off(at);
            self.end(failed, [])
        })
    }

    /// The end of a search in which a step fails after the current run up to its last state, or after some steps of it and
    /// `others`.
    pub(super) fn end(&mut self, failed: Failed, others: impl IntoIterator<Item = Leg>) -> End {
        match failed {
            Failed::Stop(stop) => stop.into(),
            Failed::Wrong(leg, violation) => self.found(others.into_iter().chain([leg]), *violation),
        }
    }

    pub(super) fn found(&mut self, last: impl IntoIterator<Item = Leg>, violation: Violation) -> End {
        let steps = self.nodes.iter().filter_map(|node| Some((node.current.as_ref()?, &node.state)));
        let run = steps.map(|(event, state)| self.lanes.leg(&event.step, state));
        let path: Vec<Leg> = run.chain(last).collect();
        self.expander.machine.state.clone_from(&self.nodes[0].state);
        End::Found(Box::new(of_path(&mut self.expander, &path, violation)))
    }

    /// The part of all runs that has been made, if branches of a node that are known by now have as many runs each, and no
    /// others come. (Knuth: Estimating the Efficiency of Backtrack Programs, 1975, weighs paths like that.)
    fn done(&self) -> f64 {
        let (mut done, mut share) = (0.0, 1.0);
        for node in &self.nodes {
            let Some(explored) = node.begun.checked_sub(1) else { break };
            let branches = (node.begun + node.tree.width()) as f64;
            done += share * explored as f64 / branches;
            share /= branches;
        }
        done
    }

    fn look(&mut self) -> Result<(), End> {
        if !self.expander.is_time_to_look() {
            return Ok(());
        }
        let words: usize = self.nodes.last().map_or(0, |node| node.state.words());
        let of_run = (self.nodes.len() * (8 * words + size_of::<Node>())) as u64;
        self.memory = self.memory.max(of_run + self.known.as_ref().map_or(0, Known::bytes));
        let progress = Progress {
            transitions: self.transitions(),
            frontier: self.nodes.len() as u64,
            memory: self.memory,
            done: (self.done() * 1e6) as u32,
            ..Progress::default()
        };
        self.control.should_stop(&progress).map_or(Ok(()), |reason| Err(End::Stopped(reason)))
    }
}

/// A thread that cannot go on.
struct Disabled {
    thread: usize,
    footprint: Vec<Access>,
    waiting: Option<Waiting>,
}

/// The members of a set, a favourite first.
fn first(threads: Threads, favourite: Option<usize>) -> Vec<usize> {
    let mut all: Vec<usize> = members(threads).collect();
    all.sort_by_key(|thread| Some(*thread) != favourite);
    all
}

impl Search<'_> {
    fn reverse_attempts(&mut self, disabled: Vec<Disabled>) -> Result<(), End> {
        disabled.into_iter().try_for_each(|Disabled { thread, footprint, .. }| self.reverse_attempt(thread, &footprint))
    }

    /// An attempt after the whole run has failed.
    fn reverse_attempt(&mut self, thread: usize, footprint: &[Access]) -> Result<(), End> {
        let count = self.nodes.len() - 1;
        self.note_future(count, thread, footprint);
        self.reverse_attempt_at(count, thread, footprint)
    }

    /// An attempt after the first `count` steps of the run has failed.
    pub(super) fn reverse_attempt_at(&mut self, count: usize, thread: usize, footprint: &[Access]) -> Result<(), End> {
        let past = self.past(thread, count);
        let (found, _) = races(&past, &Reach::new(footprint), self.events(count).enumerate());
        let race = Race { thread, count, past: &past, footprint };
        self.look_for_races(&race, &found)?;
        self.reverse(&race, found)
    }
}
