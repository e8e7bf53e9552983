//! One random run, up to its end.

use super::WalkEnd;
use super::arrivals::Arrivals;
use super::scheduler::Scheduler;
use selvedge_engine::counterexample::Leg;
use selvedge_program::{Reason, Violation};
use selvedge_vm::choices::Dice;
use selvedge_vm::deadlock::Threads;
use selvedge_vm::expand::{Expander, Stop};
use selvedge_vm::store_buffer::flush::Flush;
use selvedge_vm::{Checkpoint, Ended, State, Stopped};
use std::collections::HashSet;

/// A step that is not possible with the inputs that were drawn is tried so often with others.
const DRAWS: u32 = 4;

pub struct Walk<'c> {
    pub expander: Expander<'c>,
    scheduler: Scheduler,
    arrivals: Arrivals,
    dice: Option<Dice>,
    /// The state before the next step.
    here: Checkpoint,
    /// The threads that could not go on when they last tried, and nothing has changed since then.
    blocked: Threads,
    /// The run so far.
    pub path: Vec<Leg>,
    pub steps: u64,
    /// The thread that went last, and its position.
    stands: Option<(usize, u32)>,
}

impl<'c> Walk<'c> {
    pub fn new(mut expander: Expander<'c>, scheduler: Scheduler, arrivals: Arrivals, dice: Dice) -> Walk<'c> {
        let here = Checkpoint::of(&mut expander.machine.state);
        let (dice, path) = (Some(dice), Vec::new());
        Walk { expander, scheduler, arrivals, dice, here, blocked: 0, path, steps: 0, stands: None }
    }

    /// At most so many steps. `look`: says why to stop, if at all, after so many steps.
    pub fn run(
        &mut self,
        cut: u64,
        switches: &mut HashSet<(u32, u32)>,
        look: &dyn Fn(u64) -> Option<Reason>,
    ) -> WalkEnd {
        while self.steps < cut {
            let state = &self.expander.machine.state;
            let can_go = |threads: Threads| threads & !self.blocked;
            // The others go on while the one inside an atomic section cannot.
            let threads = Some(can_go(state.runnable())).filter(|threads| *threads != 0);
            let threads = threads.unwrap_or_else(|| can_go(state.unfinished()));
            if let Some(flush) = self.arrivals.next(&self.expander.machine, threads == 0) {
                match self.flush(flush) {
                    Some(end) => return end,
                    None => continue,
                }
            }
            let Some(thread) = self.scheduler.next(threads, self.steps) else { return self.wait_for_ever() };
            if let Some((_, from)) = self.stands.filter(|(last, _)| *last != thread) {
                switches.insert((from, self.expander.machine.state.threads[thread].pc()));
            }
            if let Some(end) = self.step(thread) {
                return end;
            }
            if self.expander.is_time_to_look()
                && let Some(reason) = look(self.steps)
            {
                return WalkEnd::Stopped(reason);
            }
        }
        match self.wait_for_ever() {
            WalkEnd::Over => WalkEnd::Cut,
            end => end,
        }
    }

    fn step(&mut self, thread: usize) -> Option<WalkEnd> {
        for _ in 0..DRAWS {
            match self.attempt(thread) {
                Ok(ended) => return self.arrive(thread, ended),
                Err(_) if self.expander.machine.sharing.grew => return Some(WalkEnd::Shared),
                Err(Stopped::Violation(violation)) => {
                    self.go(thread);
                    return Some(WalkEnd::Wrong(*violation));
                }
                Err(Stopped::Blocked | Stopped::Infeasible | Stopped::Unchecked { .. } | Stopped::GaveUp(_)) => {
                    self.here.restore(&mut self.expander.machine.state);
                }
            }
            if !self.expander.machine.oracle.has_chosen() {
                break;
            }
        }
        self.blocked |= 1 << thread;
        None
    }

    fn attempt(&mut self, thread: usize) -> Result<Ended, Stopped> {
        let machine = &mut self.expander.machine;
        machine.oracle.reset();
        machine.oracle.dice = self.dice.take();
        let result = machine.step(thread);
        self.dice = machine.oracle.dice.take();
        self.expander.effort += machine.effort();
        result
    }

    /// A store reaches memory.
    fn flush(&mut self, flush: Flush) -> Option<WalkEnd> {
        let machine = &mut self.expander.machine;
        machine.oracle.reset();
        machine.oracle.dice = self.dice.take();
        let result = machine.flush(flush);
        self.dice = machine.oracle.dice.take();
        self.expander.effort += machine.effort();
        if machine.sharing.grew {
            return Some(WalkEnd::Shared);
        }
        if result.is_err() {
            // Not with the inputs that were drawn.
            return Some(WalkEnd::Over);
        }
        self.steps += 1;
        let choices = flush.with(machine.oracle.path());
        self.path.push(Leg::new(flush.thread, choices));
        match self.expander.broken(flush.thread) {
            Ok(None) => {}
            Ok(Some(violation)) => return Some(WalkEnd::Wrong(violation)),
            Err(Stop::Shared) => return Some(WalkEnd::Shared),
            Err(Stop::GaveUp(reason)) => return Some(WalkEnd::Stopped(reason)),
        }
        self.blocked = 0;
        self.here.keep(&mut self.expander.machine.state);
        None
    }

    fn arrive(&mut self, thread: usize, ended: Ended) -> Option<WalkEnd> {
        self.steps += 1;
        if self.expander.machine.sharing.grew {
            return Some(WalkEnd::Shared);
        }
        if ended == Ended::Exited {
            // In vain waits only who did so before.
            self.here.restore(&mut self.expander.machine.state);
            return Some(self.wait_for_ever());
        }
        if self.here.is_same(&self.expander.machine.state) {
            // It spins: until something has changed there is nothing to do for it.
            self.blocked |= 1 << thread;
            return None;
        }
        self.go(thread);
        match self.expander.broken(thread) {
            Ok(None) => {}
            Ok(Some(violation)) => return Some(WalkEnd::Wrong(violation)),
            Err(Stop::Shared) => return Some(WalkEnd::Shared),
            Err(Stop::GaveUp(reason)) => return Some(WalkEnd::Stopped(reason)),
        }
        if self.expander.asks_for_races() {
            let here = self.expander.machine.state.clone();
            match self.expander.race(|state| state.clone_from(&here)) {
                Ok(None) => self.expander.machine.state = here,
                Ok(Some(race)) => return Some(WalkEnd::Wrong(race.violation(self.expander.machine.code))),
                Err(Stop::Shared) => return Some(WalkEnd::Shared),
                Err(Stop::GaveUp(reason)) => return Some(WalkEnd::Stopped(reason)),
            }
        }
        let machine = &mut self.expander.machine;
        let changed = ended == Ended::Finished || is_changed(&machine.state, thread);
        if changed {
            self.blocked = 0;
        }
        let pc = machine.state.threads[thread].pc();
        self.stands = Some((thread, pc));
        self.scheduler.note(changed, machine.yields_at(pc));
        self.here.keep(&mut machine.state);
        None
    }

    /// Makes the step part of the path.
    fn go(&mut self, thread: usize) {
        let choices = self.expander.machine.oracle.path();
        match self.path.last_mut() {
            Some(leg) if leg.thread == thread && choices.is_empty() => leg.length += 1,
            _ => self.path.push(Leg::new(thread, choices)),
        }
    }

    /// Does some thread wait for ever where the walk has got to?
    fn wait_for_ever(&mut self) -> WalkEnd {
        let deadlock: Option<Violation> = self.expander.machine.deadlock();
        if self.expander.machine.sharing.grew {
            return WalkEnd::Shared;
        }
        deadlock.map_or(WalkEnd::Over, WalkEnd::Wrong)
    }
}

/// Has a step of `thread` changed anything but its own stack?
fn is_changed(state: &State, thread: usize) -> bool {
    let others = |(number, other): (usize, &selvedge_vm::Thread)| {
        (number != thread && other.stack.is_changed()) || other.objects.is_changed() || other.data.is_changed()
    };
    state.globals.is_any_changed() || state.threads.iter().enumerate().any(others)
}
