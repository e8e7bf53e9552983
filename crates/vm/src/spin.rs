//! Threads that spin: they go round a loop and change nothing, until somebody else changes something that they read.
//!
//! A *round* is a sequence of steps of one thread after which its stack and its objects are as before, while nothing
//! else was changed on the way, and nothing was chosen: whatever inputs are open stay so. In the same state the thread
//! goes round again, and so it does in every state that has the same stack of its own and the same memory.
//! (Kokologiannakis, Ren and Vafeiadis: Dynamic Partial Order Reductions for Spinloops, FMCAD 2021, have the same idea
//! for loops that they find in the program's text.)
//!
//! **Livelocks.** Suppose that in some state every thread that has not ended goes round, or is blocked, and that none
//! looks at what another one has in its objects meanwhile. None of them changes anything that another one reads, so in
//! every run from there all of them go round, or are blocked, for ever: they hang as surely as in a deadlock, under any
//! scheduler. At least one of them has to wait for something in its round: it reads what some thread writes in some
//! run, or it reads anything at all and does not give way. A thread that sleeps in a loop until somebody outside of the
//! program sets a flag is an idle server. Loops that do visible work, take inputs or wait with a timeout are no rounds,
//! and a spin that any other thread can end is none of this: that thread can go on.
//!
//! With store buffers a store may arrive in between, and nothing is said.

use crate::choices::Choices;
use crate::expand::members;
use crate::footprint::{Access, conflict};
use crate::frames::user_pc;
use crate::machine::Machine;
use crate::oracle::{Ended, Oracle};
use crate::state::State;
use selvedge_program::{Loc, Property, Violation};

/// Rounds of more steps are not noticed.
pub const LONGEST: usize = 32;

/// A thread that goes round.
#[derive(Clone, Debug)]
pub struct Spin {
    pub thread: usize,
    /// A place in its loop.
    pub at: Loc,
    /// Does it wait for something, and is not merely idle?
    pub waits: bool,
    /// All that it touches in a round, and others can see.
    pub(crate) footprint: Vec<Access>,
}

/// Has a step changed nothing but the stack of its thread, with all inputs known?
pub fn is_silent(thread: usize, from: &State, to: &State) -> bool {
    let is_same = |other: usize| {
        let (one, two) = (&from.threads[other], &to.threads[other]);
        (other == thread || one.stack == two.stack) && one.objects == two.objects && one.data == two.data
    };
    from.threads.len() == to.threads.len()
        && from.late_inputs.is_empty()
        && to.late_inputs.is_empty()
        && from.globals == to.globals
        && (0..from.threads.len()).all(is_same)
}

/// Has a step changed nothing but what belongs to its thread? Objects of blocks begin and end within a round, and
/// variables whose address is taken change.
pub(crate) fn is_own(thread: usize, from: &State, to: &State) -> bool {
    let is_same = |other: usize| other == thread || from.threads[other] == to.threads[other];
    from.threads.len() == to.threads.len() && from.globals == to.globals && (0..from.threads.len()).all(is_same)
}

impl Spin {
    /// The writes to objects of its own that others may see.
    fn own_writes(&self) -> Vec<Access> {
        self.footprint.iter().filter(|access| access.writes_to_object_of(self.thread)).copied().collect()
    }
}

/// Does no thread that spins look at what another one writes to objects of its own on the way?
pub(crate) fn are_apart(spins: &[Spin]) -> bool {
    spins.iter().all(|one| {
        let own = one.own_writes();
        spins.iter().all(|other| other.thread == one.thread || !conflict(&own, &other.footprint))
    })
}

impl<O: Oracle> Machine<'_, O> {
    /// Does the thread go round in the machine's state, which is left unchanged? Rounds may have so many steps. `step`
    /// has the thread take one, and says whether that was possible without a choice and without a change that counts.
    pub(crate) fn spin(
        &mut self,
        thread: usize,
        longest: usize,
        mut step: impl FnMut(&mut Self, &State) -> bool,
    ) -> Option<Spin> {
        if self.is_weak || self.state.inside_atomic().is_some() {
            return None;
        }
        let here = self.state.clone();
        let was_recorded = self.record_footprints(true);
        let (mut footprint, at) = (Vec::new(), self.place_of(thread));
        let (mut reads, mut touches, mut yields, mut goes_round) = (false, false, false, false);
        for _ in 0..longest {
            let from = self.state.clone();
            if !step(self, &from) || self.recorder.worked {
                break;
            }
            let in_user_code = self.recorder.in_user_code;
            (reads, yields) = (reads | in_user_code, yields | self.recorder.yielded);
            touches |= !self.footprint().is_empty() && (in_user_code || !yields);
            footprint.extend_from_slice(self.footprint());
            goes_round = self.state.threads[thread] == here.threads[thread];
            if goes_round {
                break;
            }
        }
        self.record_footprints(was_recorded);
        self.state = here;
        goes_round.then_some(Spin { thread, at, waits: touches || reads && !yields, footprint })
    }

    /// The position of a thread, in the user's code.
    pub(crate) fn place_of(&self, thread: usize) -> Loc {
        let this = &self.state.threads[thread];
        self.code.loc(user_pc(self.code, &this.stack, this.pc(), this.base(), this.depth()))
    }
}

impl Machine<'_, Choices> {
    /// The livelock in the machine's state, if all threads spin or are blocked in it for ever. It names one that spins.
    pub fn livelock(&mut self) -> Option<Violation> {
        if self.is_weak || !self.properties().contains(Property::Deadlock) {
            return None;
        }
        let from = self.state.clone();
        // A caller may be in the middle of trying all choices of a step.
        let choices = std::mem::take(&mut self.oracle);
        let (mut spins, mut waiting) = (Vec::new(), Vec::new());
        let is_stuck = members(from.unfinished()).all(|thread| {
            let spin = self.spin(thread, LONGEST, |machine, from| {
                machine.oracle.reset();
                machine.step(thread) == Ok(Ended::Paused)
                    && !machine.oracle.has_chosen()
                    && machine.state.late_inputs == from.late_inputs
                    && is_own(thread, from, &machine.state)
            });
            if let Some(spin) = spin {
                spins.push(spin);
                return true;
            }
            let waits = self.waiting(thread, |state| state.clone_from(&from));
            self.state.clone_from(&from);
            waiting.extend(waits);
            waits.is_some()
        });
        self.oracle = choices;
        // Those that are blocked may look at anything.
        let is_stuck = is_stuck
            && are_apart(&spins)
            && (waiting.is_empty() || spins.iter().all(|spin| spin.own_writes().is_empty()));
        let spin = spins.into_iter().find(|spin| spin.waits).filter(|_| is_stuck);
        let deadlock = if is_stuck { self.wait_for_ever(&waiting, usize::MAX) } else { None };
        deadlock.or_else(|| spin.map(|spin| Violation::of_deadlock(spin.thread, spin.at)))
    }
}
