//! The exact search with preemptions at some places only: for swarms.
//!
//! Whether a thread may be left then depends on who reached the state, not on the state alone. So a state that is
//! reached again is looked at again, on whatever level: another thread may go on from it, or be preempted in it. What
//! was expanded is still not expanded twice. Threads that block, end or offer to give way are left for free, as always.

use super::search::{End, Order, Search};
use super::warmup;
use selvedge_engine::instances::{Checked, Place};
use selvedge_engine::{Control, Task};
use selvedge_program::{Program, Reason};
use selvedge_vm::{Code, Sharing};
use std::time::Duration;

/// Points where threads may be preempted, by thread and by place in the code. Threads that are not listed may be
/// preempted everywhere.
pub struct Stops {
    threads: Vec<Vec<bool>>,
}

impl Stops {
    pub(super) fn allow(&self, thread: usize, pc: u32) -> bool {
        self.threads.get(thread).is_none_or(|places| places[pc as usize])
    }
}

/// A program, and what was learnt about what its threads share.
pub struct Instances<'a> {
    code: Code<'a>,
    sharing: Sharing,
    task: &'a Task,
    control: &'a Control,
}

impl<'a> Instances<'a> {
    pub fn new(program: &'a Program, task: &'a Task, control: &'a Control) -> Result<Instances<'a>, Reason> {
        let code = Code::new(program, task.properties).map_err(|error| Reason::Limit(error.to_string()))?;
        let fresh = Sharing::new(code.layout.initial.len() * 8, code.layout.variable_starts());
        let sharing = warmup::learn(&code, fresh, task, control);
        Ok(Instances { code, sharing, task, control })
    }

    /// `may`: can the thread with this number be preempted before this operation?
    pub fn stops(&self, threads: usize, may: impl Fn(usize, Place) -> bool) -> Stops {
        let places = self.code.from.iter().map(|from| (from.function, from.block, from.index));
        let places: Vec<Place> = places.collect();
        let of_thread = |thread: usize| places.iter().map(|place| may(thread, *place)).collect();
        Stops { threads: (0..threads).map(of_thread).collect() }
    }

    /// Looks for a violation in runs that are preempted only there. `limit`: so much time for this one.
    pub fn check(&mut self, stops: &Stops, limit: Option<Duration>) -> Result<Checked, Reason> {
        let outer = self.control;
        let so_far = outer.started.elapsed();
        let deadlines = [outer.time_limit, limit.map(|limit| so_far + limit)];
        let time_limit = deadlines.into_iter().flatten().min();
        let control = Control { time_limit, disk: None, watcher: None, ..outer.clone() };
        loop {
            let mut search = Search::new(&self.code, self.sharing.clone(), self.task, &control, Order::DepthFirst, 1);
            search.stop_only_at(stops);
            match search.run() {
                Err(End::Shared) => self.sharing = search.into_sharing().widened(),
                Err(End::Found(evidence)) => {
                    let (found, _) = search.counterexample(evidence);
                    return Ok(Checked::Violation(found.schedule, found.violation));
                }
                Err(End::Stopped(Reason::TimeLimit { .. })) if !outer.is_over() => return Ok(Checked::TimedOut),
                Err(End::Stopped(reason)) => return Err(reason),
                Ok(_) => return Ok(Checked::Nothing),
            }
        }
    }
}
