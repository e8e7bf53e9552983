//! Sleep sets: both orders of two transitions that can be exchanged lead to the same state, so one is not taken.
//!
//! Godefroid, "Using Partial Orders to Improve Automatic Verification Methods" (CAV 1990), and with states that are
//! remembered Godefroid, Holzmann and Pirottin, "State-Space Caching Revisited" (CAV 1992). When all that a thread's
//! transition leads to was searched, the thread *sleeps* in what its siblings lead to, until somebody does something
//! that its transition conflicts with. Every state is still visited; only ways to it are left out, so all that is asked
//! of states (violations, deadlocks, invariants) gets the same answer.
//!
//! Every state, up to the numbers of objects. That of a dead object is free again when the last pointer to it is gone,
//! and its thread's next object takes the lowest free one. So overwriting that pointer and allocating commute, but for
//! a number; both orders behave alike, and only one of the two states may be visited. Programs without dangling
//! pointers have as many states as without sleep sets.
//!
//! With each state is kept who slept when it was expanded. If it is reached again with fewer sleepers, those who have
//! woken up are run, and only those.
//!
//! A blocked thread does not sleep, and a sleeper is never blocked: what could block it conflicts with it. Where inputs
//! are open, or were chosen, nobody sleeps. The search goes depth first and counts no preemptions: leaving out one of
//! two orders may leave out the one with fewer.

use super::depth_first::{Child, Frame, Policy, in_order};
use super::store::{Found, Root, StateId, Store};
use crate::superstep::{Arrival, Runner, Superstep};
use selvedge_program::Limit;
use selvedge_vm::Ended;
use selvedge_vm::deadlock::Threads;
use selvedge_vm::footprint::{Access, conflict};
use std::rc::Rc;

/// The threads that sleep in each state: those that have not been run from it.
#[derive(Default)]
pub struct SleepSets {
    asleep: Vec<Threads>,
}

/// A thread whose next transition was searched elsewhere, and what that touches.
#[derive(Clone)]
pub struct Sleeper {
    thread: usize,
    footprint: Rc<[Access]>,
}

impl Policy for SleepSets {
    type Note = Vec<Sleeper>;
    type Price = ();
    const DEEPEST: usize = usize::MAX;
    const NEEDS_FOOTPRINTS: bool = true;
    const KEEPS_EXITS: bool = true;

    /// All that may run and do not sleep; if the state is known, those who slept then, and do not now.
    fn enter(&mut self, runner: &mut Runner<'_, '_>, to: &mut Child<Vec<Sleeper>>) -> Vec<u8> {
        let found = Found { parent: StateId(0), thread: 0, length: 0, level: 0 };
        let (state, new) = runner.store.insert_root(runner.cursor, to.root, found);
        let now: Threads = to.note.iter().fold(0, |all, sleeper| all | 1 << sleeper.thread);
        if new {
            self.asleep.push(now);
            runner.load(to.root);
            return in_order(runner.expander.machine.state.runnable() & !now);
        }
        let asleep = &mut self.asleep[state.0 as usize];
        let woken = *asleep & !now;
        *asleep &= now;
        in_order(woken)
    }

    fn price(&self, _: &mut Runner<'_, '_>, _: &Frame<Vec<Sleeper>>, _: usize) -> Option<()> {
        Some(())
    }

    fn extend(
        &mut self,
        runner: &mut Runner<'_, '_>,
        top: &mut Frame<Vec<Sleeper>>,
        step: Superstep,
        (): (),
        _: &[Root],
    ) {
        let footprint: Rc<[Access]> = step.footprint.as_slice().into();
        let is_plain = has_no_inputs(runner, top.root)
            && matches!(step.ends.as_slice(), [only] if only.leg.choices.is_empty() && has_no_inputs(runner, only.root));
        for Arrival { root, leg, .. } in step.ends.into_iter().filter(|end| end.ended != Ended::Exited) {
            let stay = |sleeper: &&Sleeper| is_plain && !conflict(&sleeper.footprint, &footprint);
            let note = top.note.iter().filter(stay).cloned().collect();
            top.children.push(Child { root, leg, note });
        }
        if is_plain {
            top.note.push(Sleeper { thread: step.thread, footprint });
        }
    }

    fn states(&self, store: &Store) -> u64 {
        store.len() as u64
    }

    fn bytes(&self) -> u64 {
        (self.asleep.capacity() * size_of::<Threads>()) as u64
    }

    fn limits(&self) -> Vec<Limit> {
        Vec::new()
    }
}

fn has_no_inputs(runner: &mut Runner<'_, '_>, root: Root) -> bool {
    runner.load(root);
    runner.expander.machine.state.late_inputs.is_empty()
}
