//! Two searches over states: the exact one, and beside it, if it takes long, the search by conflicts.
//!
//! The exact search stores the product of the threads' positions, the search by conflicts makes a run for each order of
//! steps that conflict. Either may be smaller by orders of magnitude, and neither knows beforehand. So when the exact search
//! has not ended after [`ALONE`], the other one begins, and gets one part in [`SHARE`] of the time: what ends soon ends
//! as soon as ever, what takes long takes little longer, and violations that need few runs are found.
//!
//! Only a violation of the search by conflicts counts, which is replayed as every other: that nothing is wrong is said here by
//! the exact search alone, whose argument is simpler. `--reduction dpor` asks for the other one.

use crate::auto::is_definite;
use selvedge_engine::control::Watcher;
use selvedge_engine::watchdog::STACK_BYTES;
use selvedge_engine::{Control, Engine, Outcome, Task};
use selvedge_program::{Finding, Program, Reason, Scope};
use selvedge_search::dpor::Dpor;
use selvedge_search::explicit::{Explicit, Memory};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So long the exact search has the time for itself.
const ALONE: Duration = Duration::from_secs(1);
/// One part in so many is for the search by conflicts.
const SHARE: u32 = 6;
/// The other search may have ended while this one rests.
const NAP: Duration = Duration::from_millis(10);

/// Both searches.
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
        let (of_exact, of_runs) = (Inner::new(control), Inner::new(control));
        let exact_has_ended = Arc::new(AtomicBool::new(false));
        let (ended, end) = channel::<()>();
        let (exact_ends, runs_end, has_ended) = (&of_exact.control, &of_runs, &exact_has_ended);
        let search_runs = move || {
            if end.recv_timeout(ALONE) != Err(RecvTimeoutError::Timeout) {
                return None;
            }
            let by_conflicts = Dpor { no_reduction: self.explicit.no_reduction, ..Dpor::default() };
            let outcome = by_conflicts.check(program, task, &runs_end.resting_until(has_ended));
            if is_violation(&outcome.finding) {
                exact_ends.tell(Reason::Interrupted);
            }
            Some(outcome)
        };
        let (exact, runs) = std::thread::scope(|scope| {
            let runs = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, search_runs);
            let exact = self.explicit.search(program, task, &of_exact.watched());
            exact_has_ended.store(true, Ordering::Release);
            of_runs.control.tell(Reason::Interrupted);
            // Nobody listens any more if they have begun.
            let _ = ended.send(());
            let runs = runs.ok().and_then(|runs| runs.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            (exact, runs)
        });
        match runs.filter(|runs| is_violation(&runs.finding) && !is_definite(&exact.finding)) {
            Some(Outcome { finding, mut statistics, by }) => {
                statistics.transitions += exact.statistics.transitions;
                statistics.peak_memory += exact.statistics.peak_memory;
                statistics.seconds = exact.statistics.seconds.max(statistics.seconds);
                Outcome { finding, statistics, by }
            }
            None => exact,
        }
    }
}

impl States {
    /// Does the search by conflicts answer the same question?
    fn may_share(&self, program: &Program, task: &Task) -> bool {
        let bounds = &task.bounds;
        bounds.preemptions.is_none()
            && bounds.switches.is_none()
            && program.observers.abstraction.is_none()
            && !program.memory_model.has_buffers()
            && self.explicit.memory == Memory::Exact
            && !self.explicit.sleep_sets
            && !self.explicit.supersteps
    }
}

/// The control of one of them: it ends with the whole, or when the other one has an answer.
struct Inner<'c> {
    outer: &'c Control,
    control: Control,
}

impl<'c> Inner<'c> {
    fn new(outer: &'c Control) -> Inner<'c> {
        let control = Control { stop: Arc::default(), why: Arc::default(), watcher: None, ..outer.clone() };
        Inner { outer, control }
    }

    /// Passes on what is told.
    fn watched(&self) -> Control {
        let (outer, own) = (self.outer.clone(), self.control.clone());
        let watcher: Watcher = Arc::new(move |progress| {
            end_with(&own, &outer);
            outer.watcher.iter().for_each(|watcher| watcher(progress));
        });
        Control { watcher: Some(watcher), ..self.control.clone() }
    }

    /// Rests for most of the time, until the other one has ended.
    fn resting_until(&self, ended: &Arc<AtomicBool>) -> Control {
        let (outer, own, ended) = (self.outer.clone(), self.control.clone(), Arc::clone(ended));
        let (started, rested) = (Instant::now(), Mutex::new(Duration::ZERO));
        let watcher: Watcher = Arc::new(move |_| {
            let mut rested = rested.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                end_with(&own, &outer);
                let all = started.elapsed();
                let is_due = all.saturating_sub(*rested) * SHARE <= all;
                if is_due || own.is_over() || ended.load(Ordering::Acquire) {
                    return;
                }
                std::thread::sleep(NAP);
                *rested += started.elapsed().saturating_sub(all);
            }
        });
        Control { watcher: Some(watcher), ..self.control.clone() }
    }
}

fn is_violation(finding: &Finding) -> bool {
    matches!(finding, Finding::Violation { .. })
}

fn end_with(own: &Control, outer: &Control) {
    if let Some(reason) = outer.over() {
        own.tell(reason);
    }
}
