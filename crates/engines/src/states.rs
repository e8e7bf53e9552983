//! Searches over states: the exact one, and beside it, if it takes long, others that get to different places first.
//!
//! | search | what it is good at |
//! |---|---|
//! | exact, by preemptions | ends; the shortest runs |
//! | by conflicts | threads that seldom meet |
//! | by delays | its bound is completed for programs of many threads, too |
//! | depth first, by hashes | bugs at the end of long runs, however many preemptions they take |
//! | random walks | programs of any size whose bugs are not rare |
//!
//! The exact search stores the product of the threads' positions, few preemptions first, and does not come to the end
//! of a large program. Which of the others does is not known beforehand. So when the exact search has not ended after
//! [`ALONE`], they begin, take turns ([`crate::turns`]), and have one part in [`SHARE`] of the time: what ends soon
//! ends as soon as ever, what takes long takes a little longer.
//!
//! Violations of theirs count, which are replayed as every other. So does a bound on delays, if the exact search has
//! not completed any. That nothing is wrong is said by whoever has looked everywhere: the exact search, or the one by
//! conflicts. Which of these comes to its end first depends on how fast states grow against how many runs there are.
//! The latter can be estimated from the runs made so far, and while it says that few are left, the search by conflicts
//! gets most of the others' time. `--reduction dpor` and `--store compact` ask for two of the searches by name. A
//! search that knows no store buffers is left out where there are some.

use crate::auto::is_definite;
use crate::turns::Turns;
use selvedge_engine::control::Watcher;
use selvedge_engine::watchdog::{PERIOD, STACK_BYTES};
use selvedge_engine::{Control, Engine, Outcome, Task};
use selvedge_program::{Finding, Limit, Program, Reason, Scope, Statistics};
use selvedge_search::dpor::Dpor;
use selvedge_search::explicit::delays::Delays;
use selvedge_search::explicit::{Explicit, Memory};
use selvedge_search::walks::Walks;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// The exact search has this time for itself.
const ALONE: Duration = Duration::from_secs(1);
/// The others go on for this long when the exact search gives up by itself.
const AFTER: Duration = Duration::from_secs(5);
/// One part in so many is for all other searches together.
const SHARE: u32 = 2;
/// One part in so many of the memory is for the depth-first one.
const MEMORY_SHARE: u64 = 4;

/// All searches.
#[derive(Clone, Copy, Debug, Default)]
pub struct States {
    pub explicit: Explicit,
}

impl Engine for States {
    fn name(&self) -> &'static str {
        self.explicit.name()
    }

    fn scope(&self) -> Scope {
        self.explicit.scope()
    }

    fn search(&self, program: &Program, task: &Task, control: &Control) -> Outcome {
        if !self.may_share(program, task) {
            return self.explicit.search(program, task, control);
        }
        let mut others = self.others();
        others.retain(|engine| engine.scope().store_buffers || !program.memory_model.has_buffers());
        let aside =
            Aside { outer: control.clone(), turns: Arc::new(Turns::new(others.len(), SHARE)), over: Arc::default() };
        let of_exact = stoppable(control);
        let (exact, others) = std::thread::scope(|scope| {
            let mut started = Vec::new();
            for (number, engine) in others.iter().enumerate() {
                let (begin, wait) = channel();
                let (aside, of_exact) = (&aside, &of_exact);
                let run = move || {
                    let begins = wait.recv_timeout(ALONE) != Err(RecvTimeoutError::Disconnected);
                    begins.then(|| aside.search(number, engine.as_ref(), (program, task), of_exact))
                };
                let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run);
                started.extend(thread.ok().map(|thread| (begin, thread)));
            }
            let exact = self.explicit.search(program, task, &of_exact);
            let (begin, threads): (Vec<Sender<()>>, Vec<_>) = started.into_iter().unzip();
            if is_too_large(&exact.finding) && !control.is_over() {
                // The others may still get somewhere.
                for begin in &begin {
                    // One that has begun does not listen.
                    let _ = begin.send(());
                }
                let until = Instant::now() + AFTER;
                while Instant::now() < until
                    && !of_exact.is_over()
                    && !threads.iter().all(|thread| thread.is_finished())
                {
                    std::thread::sleep(PERIOD);
                }
            }
            aside.over.store(true, Ordering::Release);
            // Whoever has not begun by now does not.
            drop(begin);
            let join = |thread: ScopedJoinHandle<'_, Option<Outcome>>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            (exact, threads.into_iter().filter_map(join).collect())
        });
        combined(exact, others)
    }
}

impl States {
    fn others(&self) -> Vec<Box<dyn Engine>> {
        let depth_first =
            Explicit { memory: Memory::Compact, jobs: 1, no_reduction: self.explicit.no_reduction, ..Explicit::ONE };
        vec![
            Box::new(Walks::default()),
            Box::new(Delays),
            Box::new(depth_first),
            Box::new(Dpor { no_reduction: self.explicit.no_reduction, ..Dpor::default() }),
        ]
    }

    /// Do the other searches answer the same question?
    fn may_share(&self, program: &Program, task: &Task) -> bool {
        let bounds = &task.bounds;
        bounds.preemptions.is_none()
            && bounds.switches.is_none()
            && program.observers.abstraction.is_none()
            && self.explicit.memory == Memory::Exact
            && !self.explicit.sleep_sets
            && !self.explicit.supersteps
    }
}

/// State that the searches beside the exact one share.
struct Aside {
    outer: Control,
    turns: Arc<Turns>,
    /// Nobody wants an answer any more.
    over: Arc<AtomicBool>,
}

impl Aside {
    /// Searches; an answer ends the exact search and all others.
    fn search(
        &self,
        number: usize,
        engine: &dyn Engine,
        (program, task): (&Program, &Task),
        exact: &Control,
    ) -> Outcome {
        let outcome = engine.check(program, task, &self.control(number));
        self.turns.leave(number);
        if is_definite(&outcome.finding) {
            self.over.store(true, Ordering::Release);
            exact.stop_for(Reason::Interrupted);
        }
        outcome
    }

    /// The control of the search of this number, which waits for its turn.
    fn control(&self, number: usize) -> Control {
        let own = Control {
            stop: Arc::default(),
            why: Arc::default(),
            watcher: None,
            memory_limit: self.outer.memory_limit.map(|limit| limit / MEMORY_SHARE),
            disk: None,
            ..self.outer.clone()
        };
        let (turns, over, outer, told) =
            (Arc::clone(&self.turns), Arc::clone(&self.over), self.outer.clone(), own.clone());
        let watcher: Watcher = Arc::new(move |progress| {
            let is_over = || over.load(Ordering::Acquire) || outer.is_over();
            turns.wait(number, progress, is_over);
            if is_over() {
                told.stop_for(outer.why_stopped());
            }
        });
        Control { watcher: Some(watcher), ..own }
    }
}

/// This control with a flag of its own, which ends with the whole.
fn stoppable(outer: &Control) -> Control {
    let own = Control { stop: Arc::default(), why: Arc::default(), watcher: None, ..outer.clone() };
    let (outer, told) = (outer.clone(), own.clone());
    let watcher: Watcher = Arc::new(move |progress| {
        if let Some(reason) = outer.over() {
            told.stop_for(reason);
        }
        outer.watcher.iter().for_each(|watcher| watcher(progress));
    });
    Control { watcher: Some(watcher), ..own }
}

/// The answer of the exact search, or that of another one if only that is definite; with the numbers of all.
fn combined(exact: Outcome, others: Vec<Outcome>) -> Outcome {
    let numbers = |outcome: &Outcome| (outcome.statistics.transitions, outcome.statistics.peak_memory);
    let (transitions, peak_memory) = others.iter().map(numbers).fold(numbers(&exact), |(a, b), (c, d)| (a + c, b + d));
    let walked = others.iter().find_map(|other| other.statistics.walked);
    let seconds = exact.statistics.seconds;
    let found = match &exact.finding {
        finding if is_definite(finding) => None,
        Finding::GaveUp(reason) => {
            let reason = reason.clone();
            let bound = |other: &Outcome| within_delays(&other.finding, &reason);
            let best = others.iter().find_map(|other| Some(Outcome { finding: bound(other)?, ..other.clone() }));
            others.into_iter().find(|other| is_definite(&other.finding)).or(best)
        }
        _ => others.into_iter().find(|other| is_definite(&other.finding)),
    };
    let Outcome { finding, statistics, by } = found.unwrap_or(exact);
    Outcome { finding, statistics: Statistics { transitions, peak_memory, walked, seconds, ..statistics }, by }
}

/// The bound on delays that a search completed before all were stopped for this reason.
fn within_delays(finding: &Finding, reason: &Reason) -> Option<Finding> {
    match finding {
        Finding::NoneWithin(coverage) if coverage.limits.iter().any(|limit| matches!(limit, Limit::Delays(_))) => {
            reason.is_limit_of_search().then(|| Finding::NoneWithin(coverage.clone().stopped_by(reason.clone())))
        }
        _ => None,
    }
}

/// Has the search left something out, or given up, because of what it would have to try or keep?
fn is_too_large(finding: &Finding) -> bool {
    match finding {
        Finding::GaveUp(reason) => {
            matches!(reason, Reason::WideInput { .. } | Reason::MemoryLimit { .. } | Reason::Limit(_))
        }
        Finding::NoneWithin(coverage) => coverage.limits.iter().any(|limit| matches!(limit, Limit::SomeValues { .. })),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_program::Coverage;

    fn outcome(finding: Finding) -> Outcome {
        Outcome { finding, statistics: Statistics::default(), by: "" }
    }

    #[test]
    fn whoever_has_looked_everywhere_may_say_that_nothing_is_wrong() {
        let interrupted = || outcome(Finding::GaveUp(Reason::Interrupted));
        let (all, some) = (Coverage::default(), Coverage::within([Limit::Depth(9)]));
        let others = vec![outcome(Finding::NoneWithin(some.clone())), outcome(Finding::NoneWithin(all.clone()))];
        assert_eq!(combined(interrupted(), others).finding, Finding::NoneWithin(all));
        let others = vec![outcome(Finding::NoneWithin(some))];
        assert_eq!(combined(interrupted(), others).finding, Finding::GaveUp(Reason::Interrupted));
    }

    #[test]
    fn a_bound_on_delays_is_better_than_none() {
        let delays = || outcome(Finding::NoneWithin(Coverage::within([Limit::Delays(2)])));
        let of_exact = |finding: Finding| combined(outcome(finding), vec![delays()]).finding;
        let stopped = Coverage::within([Limit::Delays(2)]).stopped_by(Reason::Interrupted);
        assert_eq!(of_exact(Finding::GaveUp(Reason::Interrupted)), Finding::NoneWithin(stopped));
        let preemptions = Finding::NoneWithin(Coverage::within([Limit::Preemptions { most: 0, of_supersteps: false }]));
        assert_eq!(of_exact(preemptions.clone()), preemptions);
    }
}
