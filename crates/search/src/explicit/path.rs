//! From a state that was found back to the start, and from there the schedule.

use super::choices::Choices;
use super::common::Way;
use super::search::{End, Order, Search};
use super::store::StateId;
use super::worker::Worker;
use crate::telling::Telling;
use selvedge_engine::Task;
use selvedge_program::{Schedule, Violation};
use selvedge_vm::watch::Watch;
use selvedge_vm::{Machine, Stopped};

/// A counterexample with more transitions than this is long.
const LONG: usize = 150;

/// The way from the start, state by state.
pub type Path = Vec<Leg>;

/// From one state to the next: so many transitions of a thread, the first of them with choices.
#[derive(Clone, Debug, Default)]
pub struct Leg {
    pub thread: usize,
    pub length: usize,
    pub choices: Vec<u32>,
}

/// A violation and how to get there.
pub struct Counterexample {
    pub schedule: Schedule,
    pub violation: Violation,
    /// Transitions.
    length: usize,
}

impl Search<'_> {
    /// The way to `at`, and one step more if there is one. Of several ways to a state, the one because of which the
    /// thread that goes on may do so: else it would take a preemption more.
    pub fn path(&self, at: StateId, thread: usize, last: Option<Vec<u32>>) -> Path {
        let mut path = Vec::new();
        let (mut state, mut next) = (at, thread);
        while state.0 != 0 {
            let Way { found, choices } = match self.common.supersteps {
                true => self.common.way_of_superstep(state, next),
                false => self.common.way(state, next).unwrap_or_else(|| self.common.found_way(state)),
            };
            (state, next) = (found.parent, found.thread);
            path.push(Leg { thread: found.thread, length: found.length, choices });
        }
        path.reverse();
        path.extend(last.map(|choices| Leg { thread, length: 1, choices }));
        path
    }

    /// Runs the path again from the start, for its schedule.
    pub fn tell(&mut self, path: Path, violation: Violation) -> Counterexample {
        if self.workers[0].machine.symmetric {
            return self.tell_names(path, violation);
        }
        self.workers[0].load(&self.common, StateId(0));
        let Worker { machine, watch, .. } = &mut self.workers[0];
        tell(machine, watch.as_mut(), path, violation)
    }

    /// A shorter one, with as few preemptions, if it can be had at the price of the first.
    pub fn shorter(self, task: &Task, long: Counterexample) -> Counterexample {
        if long.length <= LONG || self.common.supersteps {
            return long;
        }
        let (level, transitions) = (self.level(), self.transitions());
        let (code, control) = (self.workers[0].machine.code, self.common.control);
        let mut search = Search::new(code, self.into_sharing(), task, control, Order::BreadthFirst, 1);
        search.limit(level, transitions);
        match search.run() {
            Err(End::Found { at, thread, choices, violation }) => {
                let path = search.path(at, thread, choices);
                if length(&path) < long.length { search.tell(path, *violation) } else { long }
            }
            _ => long,
        }
    }
}

/// Runs a path with a machine that is at its start, for its schedule. The thread that goes wrong, or waits for ever, is
/// named last.
pub fn tell(
    machine: &mut Machine<'_, Choices>,
    mut watch: Option<&mut Watch>,
    path: Path,
    mut violation: Violation,
) -> Counterexample {
    let mut telling = Telling::default();
    let length = length(&path);
    let steps = path.into_iter().flat_map(|Leg { thread, length, choices }| {
        std::iter::once((thread, choices)).chain((1..length).map(move |_| (thread, Vec::new())))
    });
    for (thread, choices) in steps {
        let told = telling.step(machine, watch.as_deref_mut(), thread, &choices);
        if let Err(Stopped::Violation(told)) = told.result {
            // The same, but where it really is: in a search functions that are alike may be one.
            violation = *told;
        }
    }
    telling.schedule.push(violation.thread, 0);
    Counterexample { schedule: telling.finished(), violation, length }
}

/// Transitions.
fn length(path: &[Leg]) -> usize {
    path.iter().map(|leg| leg.length).sum()
}
