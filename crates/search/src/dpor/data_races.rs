//! Data races between the steps of runs ([`selvedge_program::races`]).
//!
//! A state in which two threads are both about to make racing accesses lies on a run that makes the two one after the
//! other. Wherever the search has an equivalent run, nothing that happens after the first of the two steps happens
//! before the second: exactly such pairs are found in order to be reversed. So every pair that is found, and may race
//! by its footprints, is looked at in the state in which both steps are next: after the run without the first of them,
//! and without all that happens after it. What is attempted but never becomes a step is looked at where runs end,
//! against the steps of the run and against what others attempt there.

use super::reversal::{Cut, Race};
use super::run::{Event, races};
use super::step::{Reach, Step};
use super::worker::Worker;
use crate::explicit::end::End;
use selvedge_engine::counterexample::Leg;
use selvedge_vm::deadlock::Threads;
use selvedge_vm::expand::members;
use std::sync::Arc;

impl Worker<'_> {
    /// Does a step race with one of those in the run that it conflicts with?
    pub(super) fn look_for_races(&mut self, step: &Race<'_>, found: &[usize]) -> Result<(), End> {
        if !self.expander.asks_for_races() {
            return Ok(());
        }
        let may_race = |search: &Self, at: usize| {
            search.event(at).is_some_and(|event| {
                step.footprint.iter().any(|own| event.step.footprint.iter().any(|its| own.may_race(its)))
            })
        };
        let racing: Vec<usize> = found.iter().copied().filter(|at| may_race(self, *at)).collect();
        if racing.is_empty() {
            return Ok(());
        }
        let events: Vec<Arc<Event>> = self.events(step.count).cloned().collect();
        for at in racing {
            let Cut { first, kept } = Cut::whole(step.count).without(at, &events);
            let kept: Vec<Step> = kept.into_iter().map(|at| events[at].step.clone()).collect();
            let legs = self.run_after(first, &kept)?;
            self.look_for_race_here(first, legs)?;
        }
        Ok(())
    }

    /// Does what these threads would do next, after the first `count` steps of the run, race with one of those steps?
    pub(super) fn look_for_races_of_attempts(&mut self, count: usize, threads: Threads) -> Result<(), End> {
        if !self.expander.asks_for_races() {
            return Ok(());
        }
        for thread in members(threads) {
            let attempt = self.attempt_at(count, thread)?;
            let footprint = attempt.footprint();
            attempt.discard(&mut self.spare);
            let past = self.past(thread, count);
            let (found, _) = races(&past, &Reach::new(&footprint), self.events(count).enumerate());
            self.look_for_races(&Race { thread, count, past: &past, footprint: &footprint }, &found)?;
        }
        Ok(())
    }

    /// Is there a race in the machine's state, to which these legs lead from a node?
    pub(super) fn look_for_race_here(&mut self, at: usize, legs: Vec<Leg>) -> Result<(), End> {
        if !self.expander.asks_for_races() {
            return Ok(());
        }
        let here = self.spare.copy(&self.expander.machine.state);
        let race = self.expander.race(|state| state.clone_from(&here))?;
        self.expander.machine.state.clone_from(&here);
        self.spare.give(here);
        let Some(race) = race else { return Ok(()) };
        let violation = race.violation(self.expander.machine.code);
        self.branch_off(at);
        Err(self.found(legs, violation))
    }
}
