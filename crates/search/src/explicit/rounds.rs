//! Threads that come round a loop, to a state in which they were before.
//!
//! A thread that gets from a state back to the same state by itself waits for a change: it has yielded. So all others
//! may go on from there without a preemption. `while (!ready) {}` would make a run cost one preemption for each such
//! loop, and the search would climb through as many levels before it finds what comes behind.
//!
//! Nothing is lost by it: threads are run from the state that would have been run on the next level. A bound on
//! preemptions covers more runs than it says, and a violation is found on a level that does not count such switches. In
//! a state that was seen, the thread is not run again, so it goes on only when something has changed.
//!
//! A round is noticed where it closes: the thread is led back to a state on the way that it has come by itself. Where
//! all others spin or wait, too, that is a livelock ([`selvedge_vm::spin`]). Under an abstraction a state stands for
//! others, and nothing is known of rounds; where every switch costs, none is free. Where threads are stopped in chosen
//! places only, livelocks are found, but nobody gives way for nothing.

use super::path::Evidence;
use super::search::End;
use super::shared::{Shared, Way};
use super::store::{Found, StateId};
use super::worker::Worker;

/// Rounds of more transitions are not noticed.
const LONGEST: usize = 12;

impl Worker<'_> {
    /// Has a thread come back by itself to a state that was found before?
    #[inline]
    pub(super) fn comes_round(&self, shared: &Shared<'_>, last: &Found, to: StateId) -> bool {
        if shared.is_abstract || shared.all_switches_cost {
            return false;
        }
        let mut at = last.parent;
        for _ in 0..LONGEST {
            if at == to {
                return true;
            }
            let found = shared.store.visit(at).found();
            if at.0 == 0 || found.thread != last.thread || found.level != shared.level {
                return false;
            }
            at = found.parent;
        }
        false
    }

    /// All others may go on from a state to which a thread has come back in this way.
    #[cold]
    pub(super) fn note_round(&mut self, shared: &Shared<'_>, state: StateId, way: &Way) -> Result<(), End> {
        if self.deadlocks_matter() {
            self.load(shared, state);
            let livelock = self.expander.machine.livelock();
            if self.expander.machine.sharing.grew {
                return Err(End::Shared);
            }
            // The step that led here may still be looked at.
            self.load(shared, state);
            livelock.map_or(Ok(()), |violation| Err(Evidence::in_state(state, violation)))?;
        }
        let roll = shared.store.roll(&shared.store.root(state));
        if !roll.is_inside_atomic && shared.stops.is_none() {
            self.enable_all(shared, state, roll, Some(way));
        }
        Ok(())
    }
}
