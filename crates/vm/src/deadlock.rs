//! Deadlocks: threads that wait for ever.
//!
//! A thread that cannot take its next step waits. The models declare the threads that it waits for
//! ([`selvedge_program::Intrinsic::WaitsFor`]): each of them has to act first, such as the owner of a mutex
//! or the thread to be joined. Where they declare nothing, as for condition variables, semaphores and a user's own
//! primitives, any thread might help.
//!
//! The threads that wait for ever are the largest set D of waiting threads in which every thread waits for one that has
//! ended or is in D itself, or for any thread while all threads that have not ended are in D. If all threads wait, D
//! contains all of them: the usual deadlock. Otherwise the deadlock is local: a cycle of owners, or a mutex whose owner
//! has ended without releasing it, while other threads run on.
//!
//! No thread ever leaves D, so it does not matter when D is computed. (That only the owner of a mutex releases it is
//! a rule of POSIX; breaking it is a violation of its own.)

use crate::choices::Choices;
use crate::expand::members;
use crate::machine::Machine;
use crate::oracle::{Oracle, Stopped};
use crate::state::State;
use selvedge_program::{Loc, Violation};

/// A set of threads, by number.
pub type Threads = u128;

/// The object that is held, as a pointer (0: none), and the thread that has to act.
pub type Awaited = (u64, usize);

/// A thread that waits.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    pub thread: usize,
    /// Each of them has to act first. If there are none, any thread might help.
    pub awaits: Threads,
    /// A store that has not arrived might help.
    pub for_store: bool,
    /// Its position.
    pub at: Loc,
}

impl State {
    /// The threads that have not ended.
    pub fn unfinished(&self) -> Threads {
        self.threads.iter().enumerate().filter(|(_, t)| !t.is_finished()).fold(0, |all, (number, _)| all | 1 << number)
    }

    pub fn finished(&self) -> Threads {
        self.threads.iter().enumerate().filter(|(_, t)| t.is_finished()).fold(0, |all, (number, _)| all | 1 << number)
    }

    /// The threads that wait for ever, given that at least these wait now. As long as a store might help, nobody does.
    pub fn doomed(&self, waiting: &[Waiting]) -> Threads {
        let mut doomed: Vec<Waiting> = waiting.iter().filter(|one| !one.for_store).copied().collect();
        let set = |waiting: &[Waiting]| waiting.iter().fold(0, |all, one| all | 1 << one.thread);
        let finished = self.finished();
        let all: Threads = set(&doomed);
        if (all | finished).count_ones() as usize == self.threads.len() {
            return all;
        }
        loop {
            let (before, helpless) = (doomed.len(), finished | set(&doomed));
            doomed.retain(|one| one.awaits & helpless != 0);
            if doomed.len() == before {
                return set(&doomed);
            }
        }
    }
}

impl<O: Oracle> Machine<'_, O> {
    /// The threads that the last step waits for, if it was found to block.
    pub fn awaits(&self) -> Threads {
        let awaited = self.awaited.iter().fold(0, |all, (_, thread)| all | 1 << thread);
        // Translate back to the numbers that the threads had before the step.
        self.bindings.iter().rev().fold(awaited, |all: Threads, (name, twin)| {
            let others = all & !(1 << name | 1 << twin);
            others | (all >> name & 1) << twin | (all >> twin & 1) << name
        })
    }

    /// Like [`Machine::awaits`], with the objects that are held.
    pub fn awaited(&self) -> &[Awaited] {
        &self.awaited
    }

    /// Whether the thread waits in the machine's state, which is left unchanged.
    pub fn is_waiting(&mut self, thread: usize) -> Option<Waiting> {
        let before = self.state.clone();
        let result = self.step(thread);
        self.state = before;
        (result == Err(Stopped::Blocked)).then(|| Waiting {
            thread,
            awaits: self.awaits(),
            for_store: false,
            at: self.stopped_at,
        })
    }
}

impl Machine<'_, Choices> {
    /// The deadlock in the machine's state, if threads wait or [spin](crate::spin) for ever in it.
    pub fn deadlock(&mut self) -> Option<Violation> {
        let from = self.state.clone();
        let load = |state: &mut State| state.clone_from(&from);
        let waiting: Vec<Waiting> =
            members(from.unfinished()).filter_map(|thread| self.waiting(thread, load)).collect();
        self.state.clone_from(&from);
        self.wait_for_ever(&waiting, usize::MAX).or_else(|| self.livelock())
    }
}
