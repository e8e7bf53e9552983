//! The workers: a thread for each, with a runner of its own.
//!
//! A worker that does not stop in time is left behind; the results of the others count.

use crate::coordinator::{Coordinator, Job, Next};
use crate::runner::{Backend, Checked, Instance, Runner};
use crate::tiling::Floor;
use crate::{Progress, Watcher};
use selvedge_engine::Control;
use selvedge_engine::control::{memory_limit, resident_memory, thread_time};
use selvedge_engine::watchdog::{GRACE, PERIOD, STACK_BYTES};
use selvedge_program::instances::{Ended, Record};
use selvedge_program::{Coverage, Finding, Reason};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};

/// The time between two calls of the watcher.
const TOLD_EVERY: Duration = Duration::from_millis(50);
/// The share of the time that is reserved for the question about limits at the end (one tenth), and its upper bound.
const SHARE_FOR_LIMITS: u32 = 10;
const MOST_FOR_LIMITS: Duration = Duration::from_secs(10);

/// The state that the workers share.
struct Shared<'a> {
    coordinator: Mutex<State<'a>>,
    /// Signalled when a worker has ended an instance or itself.
    news: Condvar,
}

struct State<'a> {
    /// `None` after the swarm is over, for workers that were left behind.
    coordinator: Option<Coordinator<'a>>,
    workers: usize,
    /// Determined by worker 0, when nothing was found.
    limits: Option<Result<Coverage, Reason>>,
    size: (u64, u64),
    /// Why the swarm ended early.
    ended: Option<Reason>,
    panic: Option<Box<dyn Any + Send>>,
}

/// The end of a swarm.
pub struct Ending {
    /// Why it ended before everything was done.
    pub reason: Option<Reason>,
    /// Further limits of the verdict, if nothing was found.
    pub limits: Option<Result<Coverage, Reason>>,
    /// Variables and clauses.
    pub size: (u64, u64),
}

impl<'a> Shared<'a> {
    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.coordinator.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs `jobs` workers until everything is done. Workers that do not stop in time are left to `scope`.
pub fn run<'scope, 'a: 'scope>(
    scope: &'scope Scope<'scope, '_>,
    coordinator: Coordinator<'a>,
    floor: &'scope Floor,
    backend: &'scope dyn Backend,
    jobs: usize,
    outer: &Control,
    watcher: Option<&Watcher>,
) -> (Coordinator<'a>, Ending) {
    let stop = Arc::new(AtomicBool::new(false));
    let state =
        State { coordinator: Some(coordinator), workers: jobs, limits: None, size: (0, 0), ended: None, panic: None };
    let shared = Arc::new(Shared { coordinator: Mutex::new(state), news: Condvar::new() });
    for number in 0..jobs {
        // The pool itself watches the memory limit: each worker would take all memory for its own.
        let control = Control {
            stop: Arc::clone(&stop),
            time_limit: outer.time_limit.map(|limit| limit - (limit / SHARE_FOR_LIMITS).min(MOST_FOR_LIMITS)),
            started: outer.started,
            ..Control::default()
        };
        let (outer, at_work) = (outer.clone(), Arc::clone(&shared));
        let work = move || {
            let ended = catch_unwind(AssertUnwindSafe(|| {
                let controls = (&control, &outer);
                backend.with_runner(number, &control, &mut |runner| work(number, &at_work, floor, runner, controls))
            }));
            let mut state = at_work.lock();
            state.workers -= 1;
            match ended {
                Ok(Ok(())) => {}
                Ok(Err(reason)) => {
                    state.ended.get_or_insert(reason);
                }
                Err(panic) => {
                    state.panic.get_or_insert(panic);
                }
            }
            at_work.news.notify_all();
        };
        let thread = std::thread::Builder::new().name(format!("worker {number}")).stack_size(STACK_BYTES);
        if let Err(error) = thread.spawn_scoped(scope, work) {
            let mut state = shared.lock();
            state.workers -= 1;
            state.ended.get_or_insert(Reason::Limit(format!("cannot start a thread: {error}")));
        }
    }
    let mut state = watch(&shared, &stop, outer, watcher);
    if let Some(panic) = state.panic.take() {
        drop(state);
        resume_unwind(panic);
    }
    let ended = state.ended.take().map(|reason| match (reason, outer.time_limit) {
        // The workers' own limit is shorter.
        (Reason::TimeLimit { .. }, Some(limit)) => Reason::TimeLimit { seconds: limit.as_secs() },
        (reason, _) => reason,
    });
    let unfinished = state.workers > 0 && state.limits.is_none();
    let reason = outer.stop.load(Ordering::Acquire).then(|| outer.over()).flatten().or(ended);
    let reason = reason.or_else(|| outer.over().filter(|_| unfinished));
    let ending = Ending { reason, limits: state.limits.take(), size: state.size };
    (state.coordinator.take().expect("nobody else takes it"), ending)
}

/// Waits until the last worker has ended, or [`GRACE`] is exhausted after they were told to stop.
fn watch<'g, 'a>(
    shared: &'g Shared<'a>,
    stop: &AtomicBool,
    outer: &Control,
    watcher: Option<&Watcher>,
) -> MutexGuard<'g, State<'a>> {
    let mut state = shared.lock();
    let mut told: Option<Instant> = None;
    while state.workers > 0 && told.is_none_or(|told| told.elapsed() < GRACE) {
        let Some(coordinator) = &state.coordinator else { return state };
        if let Some(watcher) = watcher {
            watcher(&Progress::of(coordinator, outer.started.elapsed()));
        }
        let no_longer_needed = coordinator.is_over() && state.limits.is_none() && coordinator.running > 0;
        let is_known = coordinator.found.is_some() || coordinator.failed.is_some();
        if let (Some(limit), Some(used)) = (outer.memory_limit, resident_memory())
            && used >= limit
        {
            state.ended.get_or_insert(memory_limit(limit));
        }
        // Workers check the time limit themselves.
        let ended = state.ended.as_ref().is_some_and(|reason| !matches!(reason, Reason::TimeLimit { .. }));
        let must_end = ended || outer.stop.load(Ordering::Relaxed) || state.panic.is_some();
        if must_end || no_longer_needed {
            stop.store(true, Ordering::Relaxed);
        }
        // In other cases worker 0 has yet to determine what limits the verdict.
        if must_end || no_longer_needed && is_known || outer.is_over() {
            told.get_or_insert_with(Instant::now);
        }
        state = shared.news.wait_timeout(state, TOLD_EVERY).unwrap_or_else(PoisonError::into_inner).0;
    }
    state
}

/// Checks one instance after another. The first control is the worker's own, the second the whole swarm's.
fn work(
    number: usize,
    shared: &Shared<'_>,
    floor: &Floor,
    runner: &mut dyn Runner,
    (control, outer): (&Control, &Control),
) {
    let mut before = 0;
    while let Some(job) = next(number, shared, control) {
        let (started, on_core) = (Instant::now(), thread_time());
        let allowed = floor.allowed(&job.tiles);
        let instance = Instance { tiling: &job.tiling, name: &job.name, tiles: &job.tiles, allowed };
        let checked = runner.run(&instance, job.limit.map(|limit| started + limit));
        let mut state = shared.lock();
        state.size = state.size.max(runner.size());
        let State { coordinator: Some(coordinator), ended, .. } = &mut *state else { return };
        match checked {
            Ok(checked) => {
                let cpu = thread_time().zip(on_core).map(|(now, then)| now - then);
                let cpu = cpu.filter(|_| runner.computes_here());
                note(coordinator, job, checked, Took { wall: started.elapsed(), cpu }, before);
            }
            Err(reason) => {
                coordinator.put_back(job);
                shared.news.notify_all();
                let is_time = matches!(reason, Reason::TimeLimit { .. });
                if !coordinator.is_over() {
                    ended.get_or_insert(reason);
                }
                if !is_time && !coordinator.is_over() {
                    return;
                }
                break;
            }
        }
        before += 1;
        shared.news.notify_all();
    }
    if number == 0 {
        conclude(shared, runner, (control, outer));
    }
}

/// The next job; `None` when there are no more.
fn next(number: usize, shared: &Shared<'_>, control: &Control) -> Option<Job> {
    let mut state = shared.lock();
    loop {
        if control.stop.load(Ordering::Relaxed) {
            return None;
        }
        match state.coordinator.as_mut()?.next(number) {
            Next::Job(job) => return Some(job),
            Next::Done => return None,
            Next::Wait => state = shared.news.wait_timeout(state, PERIOD).unwrap_or_else(PoisonError::into_inner).0,
        }
    }
}

/// The time that an instance took.
struct Took {
    wall: Duration,
    cpu: Option<Duration>,
}

fn note(coordinator: &mut Coordinator<'_>, job: Job, checked: Checked, took: Took, before: u64) {
    let (ended, schedule, found) = match checked {
        Checked::Violation(schedule, violation) => {
            (Ended::Buggy, Some(schedule.clone()), Some(Finding::Violation { schedule, violation }))
        }
        Checked::Nothing => (Ended::Safe, None, None),
        Checked::TimedOut => (Ended::TimedOut, None, None),
        Checked::Disagreement(finding) => {
            coordinator.put_back(job);
            coordinator.found = Some(finding);
            return;
        }
    };
    let (tile_size, instance) = (job.tile_size, job.name);
    let (seconds, cpu_seconds) = (took.wall.as_secs_f64(), took.cpu.map(|cpu| cpu.as_secs_f64()));
    coordinator.note(Record { tile_size, instance, ended, seconds, cpu_seconds, before, schedule }, found);
}

/// Determines what limits the verdict if nothing was found.
fn conclude(shared: &Shared<'_>, runner: &mut dyn Runner, (control, outer): (&Control, &Control)) {
    {
        let mut state = shared.lock();
        // Wait for the other workers to stop.
        while state.workers > 1 && state.coordinator.as_ref().is_some_and(|coordinator| coordinator.running > 0) {
            state = shared.news.wait_timeout(state, PERIOD).unwrap_or_else(PoisonError::into_inner).0;
        }
        if !state.coordinator.as_ref().is_some_and(Coordinator::wants_limits) {
            return;
        }
        // All other workers have stopped: the flag may be cleared for the last question.
        control.stop.store(false, Ordering::Relaxed);
    }
    let limits = runner.limits(&outer.stop, outer.time_limit.map(|limit| outer.started + limit));
    shared.lock().limits = Some(limits);
    shared.news.notify_all();
}
