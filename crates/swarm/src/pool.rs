//! The workers: a thread for each, with a runner of its own.

use crate::boss::{Boss, Job, Next};
use crate::records::{Ended, Record};
use crate::runner::{Backend, Checked, Instance, Runner};
use crate::tiling::Floor;
use crate::{Progress, Watcher};
use selvedge_engines::Control;
use selvedge_engines::control::{memory_limit, resident_memory, thread_time};
use selvedge_program::{Finding, Reason};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Formulas are deep, and so is the recursion over them.
const STACK_BYTES: usize = 512 << 20;
/// How long an interrupt may go unnoticed, and how often the watcher is told.
const PERIOD: Duration = Duration::from_millis(50);
/// For what is to be asked when the time is over.
const GRACE: Duration = Duration::from_secs(10);

/// What the workers share.
struct Shared<'a> {
    boss: Mutex<State<'a>>,
    /// Somebody has ended something.
    news: Condvar,
}

struct State<'a> {
    boss: Boss<'a>,
    workers: usize,
    /// Of worker 0, when nothing was found.
    limits: Option<Result<Vec<String>, Reason>>,
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
    pub limits: Option<Result<Vec<String>, Reason>>,
    /// Variables and clauses.
    pub size: (u64, u64),
}

impl<'a> Shared<'a> {
    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.boss.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets so many workers do what there is to do.
pub fn run<'a>(
    boss: Boss<'a>,
    floor: &Floor,
    backend: &dyn Backend,
    jobs: usize,
    outer: &Control,
    watcher: Option<&Watcher>,
) -> (Boss<'a>, Ending) {
    let stop = Arc::new(AtomicBool::new(false));
    let state = State { boss, workers: jobs, limits: None, size: (0, 0), ended: None, panic: None };
    let shared = Shared { boss: Mutex::new(state), news: Condvar::new() };
    // The pool looks after memory: each worker would take it all for its own.
    let control = || Control {
        stop: Arc::clone(&stop),
        time_limit: outer.time_limit,
        memory_limit: None,
        disk: None,
        started: outer.started,
        watcher: None,
    };
    std::thread::scope(|scope| {
        for number in 0..jobs {
            let (shared, control) = (&shared, control());
            let work = move || {
                let ended =
                    catch_unwind(AssertUnwindSafe(|| employ(number, shared, floor, backend, (&control, outer))));
                let mut state = shared.lock();
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
                shared.news.notify_all();
            };
            let thread = std::thread::Builder::new().name(format!("worker {number}")).stack_size(STACK_BYTES);
            if let Err(error) = thread.spawn_scoped(scope, work) {
                let mut state = shared.lock();
                state.workers -= 1;
                state.ended.get_or_insert(Reason::Limit(format!("cannot start a thread: {error}")));
            }
        }
        watch(&shared, &stop, outer, watcher);
    });
    let State { boss, limits, size, ended, panic, .. } =
        shared.boss.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(panic) = panic {
        resume_unwind(panic);
    }
    let interrupted = outer.stop.load(Ordering::Relaxed).then_some(Reason::Interrupted);
    (boss, Ending { reason: interrupted.or(ended), limits, size })
}

/// Until the last worker has gone.
fn watch(shared: &Shared<'_>, stop: &AtomicBool, outer: &Control, watcher: Option<&Watcher>) {
    let mut state = shared.lock();
    while state.workers > 0 {
        if let Some(watcher) = watcher {
            watcher(&Progress::of(&state.boss, outer.started.elapsed()));
        }
        if let (Some(limit), Some(used)) = (outer.memory_limit, resident_memory())
            && used >= limit
        {
            state.ended.get_or_insert(memory_limit(limit));
        }
        // Workers look at the clock themselves.
        let ended = state.ended.as_ref().is_some_and(|reason| !matches!(reason, Reason::TimeLimit { .. }));
        let interrupted = outer.stop.load(Ordering::Relaxed) || ended || state.panic.is_some();
        if interrupted || state.boss.is_over() && state.limits.is_none() && state.boss.running > 0 {
            // Those that still run are not needed any more.
            stop.store(true, Ordering::Relaxed);
        }
        state = shared.news.wait_timeout(state, PERIOD).unwrap_or_else(PoisonError::into_inner).0;
    }
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
        match checked {
            Ok(checked) => {
                let cpu = thread_time().zip(on_core).map(|(now, then)| now - then);
                let cpu = cpu.filter(|_| runner.computes_here());
                note(&mut state.boss, job, checked, Took { wall: started.elapsed(), cpu }, before);
            }
            Err(reason) => {
                state.boss.put_back(job);
                shared.news.notify_all();
                let is_time = matches!(reason, Reason::TimeLimit { .. });
                if !state.boss.is_over() {
                    state.ended.get_or_insert(reason);
                }
                if !is_time && !state.boss.is_over() {
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
        match state.boss.next(number) {
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
        while state.boss.running > 0 && state.workers > 1 {
            state = shared.news.wait_timeout(state, PERIOD).unwrap_or_else(PoisonError::into_inner).0;
        }
        if !state.boss.wants_limits() {
            return;
        }
        // Whoever had to be stopped has been.
        control.stop.store(false, Ordering::Relaxed);
    }
    let end = outer.time_limit.map(|limit| (outer.started + limit).max(Instant::now() + GRACE));
    let limits = runner.limits(&outer.stop, end);
    shared.lock().limits = Some(limits);
}
