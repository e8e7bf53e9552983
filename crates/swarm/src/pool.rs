//! The workers: a thread for each, with a runner of its own.
//!
//! A worker that does not end soon after it was told to stop is left behind: what the others did counts.

use crate::boss::{Boss, Job, Next};
use crate::records::{Ended, Record};
use crate::runner::{Backend, Checked, Instance, Runner};
use crate::tiling::Floor;
use crate::{Progress, Watcher};
use selvedge_engine::Control;
use selvedge_engine::control::{memory_limit, resident_memory, thread_time};
use selvedge_engine::watchdog::{PATIENCE, PERIOD, STACK_BYTES};
use selvedge_program::{Coverage, Finding, Reason};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};

/// How often the watcher is told.
const TOLD_EVERY: Duration = Duration::from_millis(50);
/// What is asked when no instance is left has this share of the time for itself, and no more than so many seconds.
const SHARE_FOR_LIMITS: u32 = 10;
const MOST_FOR_LIMITS: Duration = Duration::from_secs(10);

/// What the workers share.
struct Shared<'a> {
    boss: Mutex<State<'a>>,
    /// Somebody has ended something.
    news: Condvar,
}

struct State<'a> {
    /// Until the swarm is over; whoever is left behind finds none.
    boss: Option<Boss<'a>>,
    workers: usize,
    /// Of worker 0, when nothing was found.
    limits: Option<Result<Coverage, Reason>>,
    size: (u64, u64),
    /// Why it ended before its time.
    ended: Option<Reason>,
    panic: Option<Box<dyn Any + Send>>,
}

/// How a swarm ended.
pub struct Ending {
    /// Before everything was done.
    pub reason: Option<Reason>,
    /// What else limits the verdict, if nothing was found.
    pub limits: Option<Result<Coverage, Reason>>,
    /// Variables and clauses.
    pub size: (u64, u64),
}

impl<'a> Shared<'a> {
    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.boss.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets so many workers do what there is to do. Those that do not end in time are left to `scope`.
pub fn run<'scope, 'a: 'scope>(
    scope: &'scope Scope<'scope, '_>,
    boss: Boss<'a>,
    floor: &'scope Floor,
    backend: &'scope dyn Backend,
    jobs: usize,
    outer: &Control,
    watcher: Option<&Watcher>,
) -> (Boss<'a>, Ending) {
    let stop = Arc::new(AtomicBool::new(false));
    let state = State { boss: Some(boss), workers: jobs, limits: None, size: (0, 0), ended: None, panic: None };
    let shared = Arc::new(Shared { boss: Mutex::new(state), news: Condvar::new() });
    for number in 0..jobs {
        // The pool looks after memory: each worker would take it all for its own.
        let control = Control {
            stop: Arc::clone(&stop),
            time_limit: outer.time_limit.map(|limit| limit - (limit / SHARE_FOR_LIMITS).min(MOST_FOR_LIMITS)),
            started: outer.started,
            ..Control::default()
        };
        let (outer, at_work) = (outer.clone(), Arc::clone(&shared));
        let work = move || {
            let ended = catch_unwind(AssertUnwindSafe(|| employ(number, &at_work, floor, backend, (&control, &outer))));
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
        // Theirs was shorter.
        (Reason::TimeLimit { .. }, Some(limit)) => Reason::TimeLimit { seconds: limit.as_secs() },
        (reason, _) => reason,
    });
    let unfinished = state.workers > 0 && state.limits.is_none();
    let reason = outer.stop.load(Ordering::Acquire).then(|| outer.over()).flatten().or(ended);
    let reason = reason.or_else(|| outer.over().filter(|_| unfinished));
    let ending = Ending { reason, limits: state.limits.take(), size: state.size };
    (state.boss.take().expect("nobody else takes it"), ending)
}

/// Until the last worker has gone, or patience has.
fn watch<'g, 'a>(
    shared: &'g Shared<'a>,
    stop: &AtomicBool,
    outer: &Control,
    watcher: Option<&Watcher>,
) -> MutexGuard<'g, State<'a>> {
    let mut state = shared.lock();
    let mut told: Option<Instant> = None;
    while state.workers > 0 && told.is_none_or(|told| told.elapsed() < PATIENCE) {
        let Some(boss) = &state.boss else { return state };
        if let Some(watcher) = watcher {
            watcher(&Progress::of(boss, outer.started.elapsed()));
        }
        let no_longer_needed = boss.is_over() && state.limits.is_none() && boss.running > 0;
        let is_known = boss.found.is_some() || boss.failed.is_some();
        if let (Some(limit), Some(used)) = (outer.memory_limit, resident_memory())
            && used >= limit
        {
            state.ended.get_or_insert(memory_limit(limit));
        }
        // Workers look at the clock themselves.
        let ended = state.ended.as_ref().is_some_and(|reason| !matches!(reason, Reason::TimeLimit { .. }));
        let must_end = ended || outer.stop.load(Ordering::Relaxed) || state.panic.is_some();
        if must_end || no_longer_needed {
            stop.store(true, Ordering::Relaxed);
        }
        // Otherwise somebody has yet to say what limits the verdict.
        if must_end || no_longer_needed && is_known || outer.is_over() {
            told.get_or_insert_with(Instant::now);
        }
        state = shared.news.wait_timeout(state, TOLD_EVERY).unwrap_or_else(PoisonError::into_inner).0;
    }
    state
}

/// A worker's life. Of the controls, the first is its own, the second the whole swarm's.
fn employ(
    number: usize,
    shared: &Shared<'_>,
    floor: &Floor,
    backend: &dyn Backend,
    controls: (&Control, &Control),
) -> Result<(), Reason> {
    backend.hire(number, controls.0, &mut |runner| work(number, shared, floor, runner, controls))
}

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
        let State { boss: Some(boss), ended, .. } = &mut *state else { return };
        match checked {
            Ok(checked) => {
                let cpu = thread_time().zip(on_core).map(|(now, then)| now - then);
                let cpu = cpu.filter(|_| runner.computes_here());
                note(boss, job, checked, Took { wall: started.elapsed(), cpu }, before);
            }
            Err(reason) => {
                boss.put_back(job);
                shared.news.notify_all();
                let is_time = matches!(reason, Reason::TimeLimit { .. });
                if !boss.is_over() {
                    ended.get_or_insert(reason);
                }
                if !is_time && !boss.is_over() {
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

/// The next job; none when there are no more.
fn next(number: usize, shared: &Shared<'_>, control: &Control) -> Option<Job> {
    let mut state = shared.lock();
    loop {
        if control.stop.load(Ordering::Relaxed) {
            return None;
        }
        match state.boss.as_mut()?.next(number) {
            Next::Job(job) => return Some(job),
            Next::Done => return None,
            Next::Wait => state = shared.news.wait_timeout(state, PERIOD).unwrap_or_else(PoisonError::into_inner).0,
        }
    }
}

/// How long an instance took.
struct Took {
    wall: Duration,
    cpu: Option<Duration>,
}

fn note(boss: &mut Boss<'_>, job: Job, checked: Checked, took: Took, before: u64) {
    let (ended, schedule, found) = match checked {
        Checked::Violation(schedule, violation) => {
            (Ended::Buggy, Some(schedule.clone()), Some(Finding::Violation { schedule, violation }))
        }
        Checked::Nothing => (Ended::Safe, None, None),
        Checked::TimedOut => (Ended::TimedOut, None, None),
        Checked::Disagreement(finding) => {
            boss.put_back(job);
            boss.found = Some(finding);
            return;
        }
    };
    let (tile_size, instance) = (job.tile_size, job.name);
    let (seconds, cpu_seconds) = (took.wall.as_secs_f64(), took.cpu.map(|cpu| cpu.as_secs_f64()));
    boss.note(Record { tile_size, instance, ended, seconds, cpu_seconds, before, schedule }, found);
}

/// Nothing was found: how much does that say?
fn conclude(shared: &Shared<'_>, runner: &mut dyn Runner, (control, outer): (&Control, &Control)) {
    {
        let mut state = shared.lock();
        // The others are about to end what they do.
        while state.workers > 1 && state.boss.as_ref().is_some_and(|boss| boss.running > 0) {
            state = shared.news.wait_timeout(state, PERIOD).unwrap_or_else(PoisonError::into_inner).0;
        }
        if !state.boss.as_ref().is_some_and(Boss::wants_limits) {
            return;
        }
        // Whoever had to be stopped has been.
        control.stop.store(false, Ordering::Relaxed);
    }
    let limits = runner.limits(&outer.stop, outer.time_limit.map(|limit| outer.started + limit));
    shared.lock().limits = Some(limits);
    shared.news.notify_all();
}
