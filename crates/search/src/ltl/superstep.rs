//! Edges that are supersteps ([`crate::superstep`]): a thread runs on while neither the others nor the formula can tell.
//!
//! Weak fairness stays what it is: whoever is blocked somewhere along a run is blocked in one of the states between
//! supersteps, for who changes that has to stop there.

use super::graph::{Edge, End, Graph, NodeId};
use super::tell::Step;
use crate::superstep::{Arrival, Runner, Stop, Superstep, Wrong};
use selvedge_program::Loc;
use selvedge_vm::deadlock::Waiting;

impl From<Stop> for End {
    fn from(stop: Stop) -> End {
        match stop {
            Stop::Shared => End::Shared,
            Stop::GaveUp(reason) => End::Stopped(reason),
        }
    }
}

impl Graph<'_> {
    /// The supersteps of all threads, and those who wait, with where they do.
    pub(super) fn run_supersteps(&mut self, node: NodeId, edges: &mut Vec<Edge>) -> Result<Vec<(Waiting, Loc)>, End> {
        let root = self.store.root(self.nodes[node as usize].state);
        let Graph { machine, watch, store, cursor, transitions, .. } = self;
        let all = Runner { machine, store, cursor, watch: Some(watch), transitions }.supersteps(root)?;
        let mut waiting = Vec::new();
        for Superstep { thread, ends, wrong, blocked, waiting: one, stopped_at, .. } in all {
            if blocked {
                waiting.push((one, stopped_at));
            }
            if let Some(Wrong { choices, violation }) = wrong {
                self.found(node, Some(Step::new(thread, choices)), *violation)?;
            }
            for end in ends {
                edges.push(self.arrive_after(node, thread, end)?);
            }
        }
        Ok(waiting)
    }

    fn arrive_after(&mut self, from: NodeId, thread: usize, end: Arrival) -> Result<Edge, End> {
        let Arrival { root, ended, choices, length, seen } = end;
        let step = Step { length: length as u8, ..Step::new(thread, choices) };
        if let Some(violation) = seen.broken {
            self.found(from, Some(step.clone()), violation)?;
        }
        let letter = seen.letter.unwrap_or(self.nodes[from as usize].letter);
        self.store.unfold(&mut self.cursor, root, &mut self.machine.state);
        Ok(self.enter(from, step, ended, letter))
    }
}
