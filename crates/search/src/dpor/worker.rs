//! A worker of the search: depth first over runs.
//!
//! Workers share the plans of nodes ([`super::node`]). One that has nothing to do gets a copy of another's run up to a
//! node with branches that nobody has begun, and goes on from there as if it had come that way. Whatever it finds out
//! about the nodes before is planned there, and the last to leave a node finds all of it. A branch sleeps in those of
//! its node that are begun later, so no two runs are equivalent.
//!
//! One rule of wake-up trees needs an order: at a node a sequence of steps is covered by a sleeping step s that is not
//! in it, but independent of it. Suppose that a later step f conflicts with s. The runs with f before s begin with this
//! sequence, and it is the branch of s that finds the race of the two, and plans them. The plan continues in the branch
//! that leads here, so that branch must not have been begun before the branch of s is done. With several workers it may
//! have been; and where states are kept ([`super::known`]), the branch of s may end before it finds the race, and what
//! makes up for that plans single steps. So then a sequence is covered only by a sleeping step that it has itself, as
//! in source sets. That is enough. Let u be steps from a node that none of them begins that sleeps there. Then some run
//! below the node has all of u. By induction: if u can be reordered to begin with a branch of the node, or goes with
//! one that is independent of u, follow the earliest such branch. Else take the branch b that is independent of the
//! longest part of u, and the step e behind that part. Some run below b has the part and e; their race was reversed at
//! this node, and the sequence either became a branch or was covered by one, which is independent of a longer part of
//! u. The price is runs in vain, which end where all that can go on sleeps.

use super::attempt::{Attempt, Failed, Spare, Way};
use super::known::Known;
use super::lanes::Lanes;
use super::ledger::Ledger;
use super::node::{Begun, Node};
use super::reversal::Race;
use super::run::{Event, Made, Past, event, races};
use super::search::Shared;
use super::step::{Reach, Step};
use super::wakeup::{Branch, Tree};
use crate::explicit::end::End;
use selvedge_engine::counterexample::{Leg, of_path};
use selvedge_engine::{Progress, Task};
use selvedge_program::{Reason, Violation};
use selvedge_vm::deadlock::{Threads, Waiting};
use selvedge_vm::expand::{Expander, members};
use selvedge_vm::footprint::Access;
use selvedge_vm::watch::Watch;
use selvedge_vm::{Code, Ended, Sharing};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Runs with more steps are cut there.
pub const DEEPEST: usize = 20_000;

/// Steps between two looks at whether others want work, when there was none to give.
const STEPS_BETWEEN_GIFTS: u32 = 64;

pub struct Worker<'c> {
    pub(super) expander: Expander<'c>,
    pub(super) nodes: Vec<Node>,
    pub(super) spare: Spare,
    pub(super) lanes: Lanes,
    pub(super) shared: Arc<Shared<'c>>,
    /// Complete runs.
    pub runs: u64,
    /// Runs that turned out to be explored already.
    pub in_vain: u64,
    pub too_deep: bool,
    /// The largest number of bytes in states of a run.
    pub memory: u64,
    pub ledger: Option<Ledger>,
    /// The states that have been searched, if they are kept.
    pub(super) known: Option<Known>,
    /// Steps before the next look at whether others want work.
    steps_before_gift: u32,
}

impl<'c> Worker<'c> {
    pub fn new(code: &'c Code<'c>, sharing: Sharing, task: &Task, lanes: Lanes, shared: Arc<Shared<'c>>) -> Worker<'c> {
        let mut expander = Expander::new(code, sharing, Watch::new(&code.program.observers), task.max_input_values)
            .with_store_buffer(task.bounds.store_buffer);
        expander.machine.record(true);
        expander.machine.flushes_apart = code.program.memory_model.has_buffers();
        Worker {
            expander,
            nodes: Vec::new(),
            spare: Spare::default(),
            lanes,
            shared,
            runs: 0,
            in_vain: 0,
            too_deep: false,
            memory: 0,
            ledger: None,
            known: None,
            steps_before_gift: 0,
        }
    }

    /// Enters the state that the machine begins with.
    pub fn begin(&mut self) -> Result<(), End> {
        let start = self.expander.machine.state.clone();
        self.nodes.push(Node::new(start, Vec::new(), Tree::default(), self.goes_in_order()));
        let (_, broken) = self.expander.look_at_start()?;
        broken.map_or(Ok(()), |violation| Err(self.found([], violation)))
    }

    /// Is the branch of a step that sleeps done, with all the races that it has with later steps? Not if another worker
    /// may be in it, and not if it ended at a known state, for which nodes are widened by single steps only.
    fn goes_in_order(&self) -> bool {
        self.shared.jobs == 1 && self.known.is_none()
    }

    /// Searches until no worker has anything left.
    pub fn search(&mut self) -> Result<(), End> {
        let result = self.work();
        if result.is_err() {
            self.shared.pool.close();
        }
        self.report_transitions();
        result
    }

    fn work(&mut self) -> Result<(), End> {
        loop {
            while let Some(top) = self.nodes.last_mut() {
                if top.is_open() {
                    top.is_started = true;
                    self.choose()?;
                } else if let Some(begun) = top.begin(!self.shared.all_orders) {
                    top.is_started = true;
                    self.take(begun)?;
                } else {
                    self.leave();
                }
                self.look()?;
                self.give();
                if self.shared.pool.is_over() {
                    return Ok(());
                }
            }
            if !self.shared.pool.take(&mut self.nodes) {
                return Ok(());
            }
        }
    }

    /// Gives the oldest of what it has planned to one who has nothing to do.
    fn give(&mut self) {
        if !self.shared.pool.is_wanted() {
            return;
        }
        if self.steps_before_gift > 0 {
            self.steps_before_gift -= 1;
            return;
        }
        self.steps_before_gift = STEPS_BETWEEN_GIFTS;
        // The last node has work for this worker.
        let before = self.nodes.len().saturating_sub(1);
        let Some(at) = self.nodes[..before].iter().position(|node| !node.plan().tree.is_empty()) else { return };
        let copy = || {
            let mut copy: Vec<Node> = self.nodes[..=at].iter().map(Node::shared).collect();
            copy.iter_mut().last().into_iter().for_each(|last| last.current = None);
            copy
        };
        self.shared.pool.give(copy);
    }

    /// The number of states that are kept.
    pub fn states(&self) -> u64 {
        self.known.as_ref().map_or(0, Known::states)
    }

    /// Counts what it has run for all; gives the number of all.
    fn report_transitions(&mut self) -> u64 {
        let own = std::mem::take(&mut self.expander.transitions);
        self.shared.transitions.fetch_add(own, Ordering::Relaxed) + own
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
                        awake.iter().for_each(|way| node.plan().tree.push_leaf(way.step.clone()));
                        node.ready.extend(awake);
                        if !self.shared.all_orders {
                            return Ok(());
                        }
                    }
                }
            }
            if is_asleep || disabled.len() < members {
                break;
            }
        }
        if !self.nodes[at].plan().tree.is_empty() {
            return Ok(());
        }
        if is_asleep {
            self.in_vain += 1;
            return self.reverse_attempts(disabled);
        }
        let Some(end) = last else { return self.complete(disabled) };
        self.reverse_attempts(disabled)?;
        let node = &mut self.nodes[at];
        node.plan().tree.push_leaf(end.step.clone());
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

    /// The process has ended with the last step. All others who had not ended might have gone first, unless it came
    /// last.
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
        let most = self.shared.most_runs;
        if self.shared.runs.fetch_add(1, Ordering::Relaxed) >= most {
            return Err(End::Stopped(Reason::Limit(format!("more than {most} runs"))));
        }
        if let Some(ledger) = &mut self.ledger {
            ledger.note(&self.nodes, has_ended);
        }
        Ok(())
    }

    /// Takes the first step of a branch.
    fn take(&mut self, Begun { branch: Branch { step, then }, sleepers }: Begun) -> Result<(), End> {
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
        let sleep: Vec<Step> =
            node.plan().sleep[..sleepers].iter().filter(|sleeper| !sleeper.is_dependent(&step)).cloned().collect();
        let (thread, footprint) = (step.thread, Arc::clone(&step.footprint));
        node.current = Some(Arc::new(event(step, &past, clock, made, streak)));
        self.nodes.push(Node::new(to, sleep, then, self.goes_in_order()));
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
        if let Some(node) = self.nodes.last_mut() {
            node.current = None;
        }
    }

    /// The step from a node of the current run.
    pub(super) fn event(&self, at: usize) -> Option<&Arc<Event>> {
        self.nodes.get(at).and_then(|node| node.current.as_ref())
    }

    /// The first steps of the current run.
    pub(super) fn events(
        &self,
        count: usize,
    ) -> impl DoubleEndedIterator<Item = &Arc<Event>> + ExactSizeIterator + Clone {
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
        let Worker { expander, spare, nodes, lanes, .. } = self;
        lanes.run(expander, spare, &nodes[at].state, thread, &streak).map_err(|failed| {
            self.branch_off(at);
            self.end(failed, [])
        })
    }

    /// The end of a search in which a step fails after the current run up to its last state, or after some steps of it
    /// and `others`.
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

    /// The part of all runs that has been made, if branches of a node that are known by now have as many runs each, and
    /// no others come. (Knuth: Estimating the Efficiency of Backtrack Programs, 1975, weighs paths like that.)
    fn done(&self) -> f64 {
        let (mut done, mut share) = (0.0, 1.0);
        for node in &self.nodes {
            let plan = node.plan();
            let Some(explored) = plan.begun.checked_sub(1) else { break };
            let branches = (plan.begun + plan.tree.width()) as f64;
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
            transitions: self.report_transitions(),
            frontier: self.nodes.len() as u64,
            memory: self.memory * self.shared.jobs,
            done: (self.done() * 1e6) as u32,
            ..Progress::default()
        };
        self.shared.control.should_stop(&progress).map_or(Ok(()), |reason| Err(End::Stopped(reason)))
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

impl Worker<'_> {
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
