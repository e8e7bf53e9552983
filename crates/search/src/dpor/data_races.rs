//! Data races between the steps of runs ([`selvedge_program::races`]).
//!
//! A state in which two threads are both about to make racing accesses lies on a run that makes the two one after the
//! other. Wherever the search has an equivalent run, nothing that happens after the first of the two steps happens before
//! the second: exactly such pairs are found in order to be reversed. So every pair that is found, and may race by its
//! footprints, is looked at in the state in which both steps are next: after the run without the first of them, and
//! without all that happens after it. What is attempted but never becomes a step is looked at where runs end.

use super::reversal::{Cut, Race};
use super::run::Event;
use super::search::Search;
use super::step::Step;
use crate::explicit::end::End;
use std::rc::Rc;

impl Search<'_> {
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
        let events: Vec<Rc<Event>> = self.events(step.count).cloned().collect();
        for at in racing {
            let Cut { first, kept } = Cut::whole(step.count).without(at, &events);
            let kept: Vec<Step> = kept.into_iter().map(|at| events[at].step.clone()).collect();
            self.run_after(first, &kept)?;
            self.look_for_race_here(first, &kept)?;
        }
        Ok(())
    }

    /// Is there a race in the machine's state, to which these steps lead from a node?
    pub(super) fn look_for_race_here(&mut self, at: usize, kept: &[Step]) -> Result<(), End> {
        if !self.expander.asks_for_races() {
            return Ok(());
        }
        let here = self.spare.copy(&self.expander.machine.state);
        let race = self.expander.race(|state| state.clone_from(&here))?;
        self.expander.machine.state.clone_from(&here);
        self.spare.give(here);
        let Some(race) = race else { return Ok(()) };
        let violation = race.violation(self.expander.machine.code);
        let others = self.branch_off(at, kept);
        Err(self.found(others, violation))
    }
}
