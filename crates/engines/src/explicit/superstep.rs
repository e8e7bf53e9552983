//! Supersteps: a thread runs on as long as that does not matter to what the others do next.
//!
//! Zaks and Joshi, "Verifying Multi-threaded C Programs with SPIN" (SPIN 2008). From a state s each thread i has a
//! *superstep*, a sequence of its transitions that becomes one, such that
//!
//! 1. it has at least one transition, and at most so many,
//! 2. only its last transition conflicts with any transition in another thread's superstep from s,
//! 3. only its last transition changes what a property speaks of.
//!
//! Then every run from s is equivalent to one that begins with one of the supersteps. What conflicts is seen while
//! running, on concrete addresses ([`selvedge_vm::footprint`]). The third rule is for formulas over states; all
//! that is looked for here (violations, and states in which nobody can go on) ends a run.
//!
//! As in the paper, a transition that conflicts with the last one of another superstep ends its own (*post-stop*),
//! and one that conflicts with an earlier one is not taken at all (*pre-stop*). Where we differ:
//!
//! - All supersteps of a state are worked out together, so that nothing needs to be kept with the state.
//! - A transition is a visible step with the invisible ones behind it, or an atomic section, so its footprint is known
//!   only when it was run; a pre-stop takes it back.
//! - A thread that is blocked takes part with what it looked at: who unblocks it has to stop there.
//! - A new thread has no superstep yet: who creates one has to stop there, too.
//! - Where inputs are open, or were chosen, a superstep is a single transition.
//!
//! Levels count preemptions of supersteps. A run may need more of those than of plain steps, for a thread cannot
//! be interrupted inside of one; so with a bound the two searches cover different runs, and the coverage says which.

use super::deadlock::waits_for_ever;
use super::pool::Item;
use super::search::End;
use super::store::{Found, MAX_LENGTH, Root, StateId};
use super::worker::{Common, Worker};
use selvedge_vm::Ended;
use selvedge_vm::deadlock::{Threads, Waiting};
use selvedge_vm::footprint::{Access, conflict, creates};
use selvedge_vm::ways::{Way, Ways};

/// What one thread does from a state.
struct Superstep {
    thread: usize,
    /// Where it may lead: in several places if there are choices.
    ends: Vec<Arrival>,
    /// The footprints of its transitions, or of the attempt if it is blocked.
    table: Vec<Vec<Access>>,
    /// Can it not go on, whatever is chosen?
    blocked: bool,
    /// If so: for whom.
    waiting: Waiting,
}

struct Arrival {
    root: Root,
    ended: Ended,
    choices: Vec<u32>,
    /// Transitions.
    length: usize,
}

/// How a transition goes with the supersteps of others.
#[derive(PartialEq, Eq)]
enum Conflict {
    Continue,
    PostStop,
    PreStop,
}

fn test(footprint: &[Access], thread: usize, all: &[Superstep]) -> Conflict {
    let mut result = Conflict::Continue;
    for other in all.iter().filter(|other| other.thread != thread) {
        let Some((last, earlier)) = other.table.split_last() else { continue };
        if earlier.iter().any(|accesses| conflict(footprint, accesses)) {
            return Conflict::PreStop;
        }
        if conflict(footprint, last) {
            result = Conflict::PostStop;
        }
    }
    result
}

impl Worker<'_> {
    /// Runs all threads of a state; those that the item names go on for free.
    pub(super) fn expand_whole(&mut self, common: &Common<'_>, item: Item) -> Result<(), End> {
        let visit = common.store.visit(item.state);
        // It may have been found with fewer preemptions in the meantime.
        if visit.found().level < common.level || !visit.expand(item.bit()) {
            return Ok(());
        }
        let first = visit.expand_whole();
        let mut all = self.first_transitions(common, item.state)?;
        let waiting: Vec<Waiting> = all.iter().filter_map(|step| step.blocked.then_some(step.waiting)).collect();
        if self.deadlocks_matter() && !waiting.is_empty() {
            let loc = self.machine.stopped_at;
            self.load(common, item.state);
            if self.machine.state.doomed(&waiting) != 0 {
                return Err(waits_for_ever(item.state, waiting[0].thread, loc));
            }
        }
        for at in 0..all.len() {
            self.extend(common, &mut all, at)?;
        }
        let runner = usize::from(item.thread);
        let all_free = item.thread == Item::ALL || all.iter().any(|step| step.thread == runner && step.blocked);
        for Superstep { thread, ends, .. } in &all {
            let free = all_free || *thread == runner;
            // Somebody for whom it was not free has seen to the rest before.
            if free || first {
                ends.iter().for_each(|end| self.arrive_at(common, item.state, *thread, end, u32::from(!free)));
            }
        }
        Ok(())
    }

    fn first_transitions(&mut self, common: &Common<'_>, state: StateId) -> Result<Vec<Superstep>, End> {
        self.load(common, state);
        let threads = &self.machine.state.threads;
        let runnable: Vec<usize> = (0..threads.len()).filter(|t| !threads[*t].is_finished()).collect();
        let mut all = Vec::with_capacity(runnable.len());
        // Who stopped inside an atomic section goes on alone, if it can.
        if let Some(inside) = self.machine.state.inside_atomic() {
            all.push(self.first_transition(common, state, inside)?);
            if !all[0].blocked {
                return Ok(all);
            }
        }
        for thread in runnable {
            if all.first().is_none_or(|inside| inside.thread != thread) {
                all.push(self.first_transition(common, state, thread)?);
            }
        }
        Ok(all)
    }

    /// Runs a thread's next transition, in all ways that its choices allow.
    fn first_transition(&mut self, common: &Common<'_>, state: StateId, thread: usize) -> Result<Superstep, End> {
        let waiting = Waiting { thread, awaits: Threads::MAX };
        let mut step = Superstep { thread, ends: Vec::new(), table: vec![Vec::new()], blocked: false, waiting };
        let mut ways = Ways::new(thread, &mut self.machine);
        while ways.is_left(&mut self.machine) {
            self.load(common, state);
            self.transitions += 1;
            let way = ways.run(&mut self.machine);
            step.table[0].extend_from_slice(self.machine.footprint());
            match way {
                Way::Nowhere => {}
                Way::To(Ended::Exited) => self.note_final(),
                Way::To(ended) => {
                    let choices = self.machine.oracle.path();
                    step.ends.push(Arrival { root: self.keep(&common.store), ended, choices, length: 1 });
                }
                Way::Violation(violation) => {
                    let choices = Some(self.machine.oracle.path());
                    return Err(End::Found { at: state, thread, choices, violation });
                }
                Way::Learnt => return Err(End::Shared),
            }
        }
        if let Some(awaits) = ways.awaits() {
            (step.blocked, step.waiting.awaits) = (true, awaits);
        }
        for way in ways.blocked() {
            self.load(common, state);
            way.enter(&mut self.machine.state);
            let (root, choices) = (self.keep(&common.store), way.choices);
            step.ends.push(Arrival { root, ended: Ended::Paused, choices, length: 1 });
        }
        Ok(step)
    }

    /// Adds transitions to a superstep that has one.
    fn extend(&mut self, common: &Common<'_>, all: &mut [Superstep], at: usize) -> Result<(), End> {
        let thread = all[at].thread;
        let [Arrival { root, ended: Ended::Paused, choices, .. }] = all[at].ends.as_slice() else { return Ok(()) };
        let footprint = &all[at].table[0];
        if !choices.is_empty() || creates(footprint) || test(footprint, thread, all) != Conflict::Continue {
            return Ok(());
        }
        let mut passed = vec![*root];
        self.load_root(&common.store, *root);
        self.machine.oracle.reset();
        while all[at].table.len() < MAX_LENGTH && self.machine.state.lazy.is_empty() && !self.yields(thread) {
            let result = self.machine.step(thread);
            self.transitions += 1;
            if self.machine.sharing.grew {
                return Err(End::Shared);
            }
            // Whatever is not a plain step is left to the state before it.
            let Ok(ended @ (Ended::Paused | Ended::Finished)) = result else { break };
            let conflict = test(self.machine.footprint(), thread, all);
            if conflict == Conflict::PreStop || self.machine.oracle.has_chosen() {
                break;
            }
            let footprint = self.machine.footprint().to_vec();
            let creates = creates(&footprint);
            let root = self.keep(&common.store);
            let superstep = &mut all[at];
            superstep.table.push(footprint);
            let length = superstep.table.len();
            superstep.ends = vec![Arrival { root, ended, choices: Vec::new(), length }];
            // Who waits in a loop would go round for ever.
            if conflict == Conflict::PostStop || creates || ended == Ended::Finished || passed.contains(&root) {
                break;
            }
            passed.push(root);
        }
        Ok(())
    }

    /// A superstep led there, at the price of so many preemptions.
    fn arrive_at(&mut self, common: &Common<'_>, from: StateId, thread: usize, end: &Arrival, price: u32) {
        let level = common.level + price;
        let found = Found { parent: from, thread, length: end.length, level };
        let (state, new) = common.store.insert_root(end.root, found);
        let visit = common.store.visit(state);
        if new || visit.lower(found) {
            common.remember(state, level, end.choices.clone());
        } else if visit.found().level < level {
            return;
        }
        self.load_root(&common.store, end.root);
        if end.ended == Ended::Finished && self.machine.state.alive() == 0 {
            self.note_final();
        }
        let goes_on = end.ended != Ended::Finished && !self.yields(thread);
        let item = Item { state, thread: if goes_on { thread as u8 } else { Item::ALL } };
        if price > 0 {
            self.later.push(item, common.order);
        } else {
            self.now.push(item, common.order);
        }
    }
}
