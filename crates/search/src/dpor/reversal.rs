//! Reversing races: the step of a thread before an event that it conflicts with.
//!
//! The run without the event, and without all that happens after it, is a *cut*. If the thread's step can be taken
//! there, the cut with the step is what has to be explored; it branches off where the event was. If it cannot, because
//! the event enables it, the failed attempt tells what it depends on in the cut, and the events that it conflicts with
//! there are candidates in turn: of a mutex that was locked and unlocked by another thread, it is the locking that is
//! reversed.

use super::attempt::Attempt;
use super::run::{Event, Past, races};
use super::step::{Reach, Step};
use super::worker::Worker;
use crate::explicit::end::End;
use selvedge_engine::counterexample::Leg;
use selvedge_program::Reason;
use selvedge_vm::footprint::Access;
use selvedge_vm::{State, Stopped};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The step of a thread after the first `count` events of a run; or its attempt, if it could not be taken.
pub(super) struct Race<'r> {
    pub thread: usize,
    pub count: usize,
    pub past: &'r Past,
    pub footprint: &'r [Access],
}

/// Some events of a run: all before `first`, not that one, and some after it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cut {
    pub first: usize,
    pub kept: Vec<usize>,
}

impl Cut {
    pub fn whole(count: usize) -> Cut {
        Cut { first: count, kept: Vec::new() }
    }

    /// All its events.
    fn positions(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        (0..self.first).chain(self.kept.iter().copied())
    }

    /// Without an event of it, and all that happens after that one.
    pub fn without(&self, at: usize, events: &[Arc<Event>]) -> Cut {
        let first = self.first.min(at);
        let after = self.positions().filter(|position| *position > first);
        let kept = after.filter(|position| !events[at].happens_before(&events[*position])).collect();
        Cut { first, kept }
    }
}

impl Worker<'_> {
    /// A step of a thread, after the first `count` events of the run, conflicts with those at `found`.
    pub(super) fn reverse(&mut self, race: &Race<'_>, found: Vec<usize>) -> Result<(), End> {
        if found.is_empty() || self.shared.all_orders {
            return Ok(());
        }
        let events: Vec<Arc<Event>> = self.events(race.count).cloned().collect();
        let whole = Cut::whole(race.count);
        let mut open: Vec<Cut> = found.into_iter().map(|at| whole.without(at, &events)).collect();
        let mut seen = BTreeSet::new();
        while let Some(cut) = open.pop() {
            if !seen.insert(cut.clone()) {
                continue;
            }
            if let Some(footprint) = self.explore_from(&cut, race, &events)? {
                let among = cut.positions().map(|at| (at, &events[at]));
                let (found, _) = races(race.past, &Reach::new(&footprint), among);
                open.extend(found.into_iter().map(|at| cut.without(at, &events)));
            }
        }
        Ok(())
    }

    /// Plans to take the next step of the thread after the cut. If the step cannot be taken there: what that depends
    /// on.
    ///
    /// The plan has all events of the cut, also those that the step does not depend on: without them, a sleeping step
    /// might seem independent of the plan, and cover it, that is not independent of the runs that the plan is for.
    fn explore_from(&mut self, cut: &Cut, race: &Race<'_>, events: &[Arc<Event>]) -> Result<Option<Vec<Access>>, End> {
        let kept: Vec<&Arc<Event>> = cut.kept.iter().map(|at| &events[*at]).collect();
        let steps: Vec<Step> = kept.iter().map(|event| event.step.clone()).collect();
        if self.covers(cut.first, &steps) {
            return Ok(None);
        }
        match self.attempt_after_needed(cut.first, &kept, race)? {
            Attempt::Disabled { footprint, .. } => {
                self.note_future(cut.first, race.thread, &footprint);
                Ok(Some(footprint))
            }
            Attempt::Ways(ways) => {
                for way in ways {
                    let sequence = steps.iter().cloned().chain([way.step]).collect();
                    self.plan(cut.first, sequence);
                    self.spare.give(way.to);
                }
                Ok(None)
            }
        }
    }

    /// The next step of the thread in the state after all these events from a node. Only those are run that happen
    /// before it, which are known when nothing that is left out conflicts with the step as it was run after them; at
    /// first, as it was in the run.
    fn attempt_after_needed(&mut self, at: usize, kept: &[&Arc<Event>], race: &Race<'_>) -> Result<Attempt, End> {
        let mut clock = race.past.clock.clone();
        let mut footprint = race.footprint.to_vec();
        loop {
            let reach = Reach::new(&footprint);
            for event in kept.iter().rev() {
                if !event.is_in(&clock) && reach.conflicts(&event.step) {
                    clock.join(&event.clock);
                }
            }
            let needed: Vec<Step> =
                kept.iter().filter(|event| event.is_in(&clock)).map(|event| event.step.clone()).collect();
            let attempt = self.attempt_after(at, &needed, race)?;
            footprint = attempt.footprint();
            let reach = Reach::new(&footprint);
            if kept.iter().all(|event| event.is_in(&clock) || !reach.conflicts(&event.step)) {
                return Ok(attempt);
            }
            attempt.discard(&mut self.spare);
        }
    }

    /// Runs some steps from a node, on the machine. Gives them as legs.
    pub(super) fn run_after(&mut self, at: usize, kept: &[Step]) -> Result<Vec<Leg>, End> {
        let mut legs: Vec<Leg> = Vec::with_capacity(kept.len());
        let from = self.spare.copy(&self.nodes[at].state);
        let from = kept.iter().try_fold(from, |from, step| {
            legs.push(self.lanes.leg(step, &from));
            self.repeat(step, from)
        })?;
        self.expander.machine.state.clone_from(&from);
        self.spare.give(from);
        Ok(legs)
    }

    /// Runs a thread in the state after some steps from a node.
    fn attempt_after(&mut self, at: usize, kept: &[Step], race: &Race<'_>) -> Result<Attempt, End> {
        let others = self.run_after(at, kept)?;
        let machine = &mut self.expander.machine;
        let from = self.spare.copy(&machine.state);
        let result = match from.inside_atomic().filter(|inside| *inside != race.thread) {
            Some(inside) if machine.waiting(inside, |state| state.clone_from(&from)).is_none() => {
                Ok(Attempt::Disabled { footprint: vec![Access::EVERYTHING], waiting: None })
            }
            _ => {
                let Worker { expander, spare, lanes, .. } = self;
                lanes.run(expander, spare, &from, race.thread, &race.past.streak)
            }
        };
        self.spare.give(from);
        result.map_err(|failed| {
            self.branch_off(at);
            self.end(failed, others)
        })
    }

    /// Makes the node the last of the run.
    pub(super) fn branch_off(&mut self, at: usize) {
        self.nodes.truncate(at + 1);
        self.nodes[at].current = None;
    }

    /// Takes a step of the run again, in a state that has what it depends on.
    fn repeat(&mut self, step: &Step, mut from: State) -> Result<State, End> {
        let flush = self.lanes.flush_of(step, &from);
        let machine = &mut self.expander.machine;
        machine.state.clone_from(&from);
        machine.oracle.fix(&step.choices);
        let result = match flush {
            None => machine.step(step.thread).map(|_| ()),
            Some(flush) if machine.flushes().contains(&flush) => machine.flush(flush),
            Some(_) => Err(Stopped::Infeasible),
        };
        self.expander.transitions += 1;
        self.expander.effort += machine.effort();
        if result == Err(Stopped::Blocked) && !step.choices.is_empty() {
            // Only inputs were chosen.
            machine.state.clone_from(&from);
            let narrowed = std::mem::take(&mut machine.narrowed);
            machine.state.narrow_all(narrowed);
        } else if result.is_err() {
            let why = "the search by conflicts could not repeat a step";
            return Err(End::Stopped(Reason::Limit(why.to_string())));
        }
        if machine.sharing.grew {
            return Err(End::Shared);
        }
        std::mem::swap(&mut from, &mut machine.state);
        Ok(from)
    }

    /// Adds a sequence of steps to what is explored from a node, unless it is covered.
    fn plan(&self, from: usize, sequence: Vec<Step>) {
        let node = &self.nodes[from];
        if !node.is_open() {
            node.plan().insert(sequence);
        }
    }

    /// Is every sequence covered, from a node, that begins with these steps and goes on with an unknown one?
    fn covers(&self, from: usize, known: &[Step]) -> bool {
        let node = &self.nodes[from];
        node.is_open() || node.plan().covers(known)
    }
}
