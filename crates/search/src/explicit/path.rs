//! From a state that was found back to the start.

use super::search::{End, Order, Search};
use super::shared::Way;
use super::store::StateId;
use selvedge_engine::Task;
use selvedge_engine::counterexample::{Counterexample, Leg, of_path};
use selvedge_program::Violation;

/// A counterexample with more transitions than this is long.
const LONG: usize = 150;

/// A violation in a state, or by what comes last, from there.
pub struct Evidence {
    pub at: StateId,
    pub last: Option<Leg>,
    pub violation: Box<Violation>,
}

impl Evidence {
    /// The state itself is wrong.
    pub fn in_state(at: StateId, violation: Violation) -> End {
        End::Found(Evidence { at, last: None, violation: Box::new(violation) })
    }
}

impl Search<'_> {
    /// The way to a violation. Of several ways to a state it takes the one because of which the thread that goes on may
    /// do so: else it would take a preemption more.
    fn path(&self, at: StateId, last: Option<Leg>, violation: &Violation) -> Vec<Leg> {
        let mut path = Vec::new();
        let (mut state, mut next) = (at, last.as_ref().map_or(violation.thread as usize, |leg| leg.thread));
        path.extend(last);
        while state.0 != 0 {
            let Way { found, choices } = match self.shared.supersteps {
                true => self.shared.way_of_superstep(state, next),
                false => self.shared.way(state, next).unwrap_or_else(|| self.shared.found_way(state)),
            };
            (state, next) = (found.parent, found.thread);
            path.push(Leg { thread: found.thread, length: found.length, choices });
        }
        path.reverse();
        path
    }

    /// Runs the way to a violation again from the start, for its schedule; and the number of its transitions.
    pub fn counterexample(&mut self, Evidence { at, last, violation }: Evidence) -> (Counterexample, usize) {
        let path = self.path(at, last, &violation);
        let length = path.iter().map(|leg| leg.length).sum();
        self.workers[0].load(&self.shared, StateId(0));
        let expander = &mut self.workers[0].expander;
        let found = match expander.machine.symmetric {
            true => super::symmetry::counterexample(expander, path, *violation),
            false => of_path(expander, &path, *violation),
        };
        (found, length)
    }

    /// A shorter one, with as few preemptions, if it can be had at the price of the first.
    pub fn shorter(self, task: &Task, (long, length): (Counterexample, usize)) -> Counterexample {
        if length <= LONG || self.shared.supersteps {
            return long;
        }
        let (level, transitions) = (self.level(), self.transitions());
        let (code, control) = (self.workers[0].expander.machine.code, self.shared.control);
        let mut search = Search::new(code, self.into_sharing(), task, control, Order::BreadthFirst, 1);
        search.limit(level, transitions);
        match search.run() {
            Err(End::Found(evidence)) => {
                let (another, its_length) = search.counterexample(evidence);
                if its_length < length { another } else { long }
            }
            _ => long,
        }
    }
}
