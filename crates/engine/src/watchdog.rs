//! Work that ends in time, whatever it does.
//!
//! Our own loops look at the stop flag and the clock, but a solver asks only when it likes to, and some steps are long.
//! Therefore work runs on a thread of its own, and its caller waits no longer than [`GRACE`] after the work
//! was told to stop. A thread that has not come back by then is left behind: it ends with the process.
//!
//! The watchdog also looks at the memory of the process, a few times in a tenth of a second, because formulas, states
//! and models grow in places that do not count what they take.

use crate::control::{memory_limit, resident_memory};
use crate::{Control, Engine, Outcome, Progress, Task};
use selvedge_program::{Finding, Program, Reason};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Formulas and nested C are deep, and so is the recursion over them.
pub const STACK_BYTES: usize = 512 << 20;
/// The longest time for which an interrupt goes unnoticed.
pub const PERIOD: Duration = Duration::from_millis(20);
/// The time that one of several workers may take to end after it was told to.
pub const GRACE: Duration = Duration::from_millis(300);
/// The time that the whole may take, which waits for its parts.
const GRACE_OF_WHOLE: Duration = Duration::from_millis(600);
/// Engines that count their own memory stop at the limit, and may do with less: they get the first chance. In bytes.
const LEAST_MARGIN: u64 = 64 << 20;

type Message<T> = Result<T, Box<dyn Any + Send>>;

/// Takes the result of supervised work, which may have something left to clean up after that.
pub struct Giver<T>(SyncSender<Message<T>>);

impl<T> Giver<T> {
    pub fn give(&self, result: T) {
        // The receiver is gone if the work was left behind.
        let _ = self.0.try_send(Ok(result));
    }
}

/// Does something on a thread of its own, until it is done or `control` says stop. The reason why there is no result
/// is also told to all who look at `control`.
pub fn supervise<T: Send + 'static>(
    name: &str,
    control: &Control,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Reason> {
    supervise_giving(name, control, move |giver| giver.give(work()))
}

/// Like [`supervise`], for work that has its result before it ends.
pub fn supervise_giving<T: Send + 'static>(
    name: &str,
    control: &Control,
    work: impl FnOnce(&Giver<T>) + Send + 'static,
) -> Result<T, Reason> {
    let (sender, results) = sync_channel(1);
    let run = move || {
        let giver = Giver(sender);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(&giver))) {
            let _ = giver.0.try_send(Err(panic));
        }
    };
    let thread = std::thread::Builder::new().name(name.to_string()).stack_size(STACK_BYTES);
    match thread.spawn(run) {
        Ok(_left_to_itself) => Watchdog { control, over_memory_since: None, told: None }.wait(&results),
        Err(error) => Err(Reason::Limit(format!("cannot start a thread: {error}"))),
    }
}

/// Has an engine check a program, within the limits of `control` even if the engine does not keep to them.
pub fn check(engine: Arc<dyn Engine>, program: Arc<Program>, task: Task, control: &Control) -> Outcome {
    by(engine, control, move |engine, control| engine.check(&program, &task, control))
}

/// [`Engine::search`] in the same way.
pub fn search(engine: Arc<dyn Engine>, program: Arc<Program>, task: Task, control: &Control) -> Outcome {
    by(engine, control, move |engine, control| engine.search(&program, &task, control))
}

fn by(
    engine: Arc<dyn Engine>,
    control: &Control,
    work: impl FnOnce(&dyn Engine, &Control) -> Outcome + Send + 'static,
) -> Outcome {
    let (started, by) = (Instant::now(), engine.name());
    let (noted, latest) = noting(control);
    supervise(by, control, move || work(engine.as_ref(), &noted)).unwrap_or_else(|reason| {
        let progress = latest.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Outcome { finding: Finding::GaveUp(reason), statistics: progress.statistics(started), by }
    })
}

/// This control, and the last progress that its watcher was told.
fn noting(control: &Control) -> (Control, Arc<Mutex<Progress>>) {
    let latest = Arc::new(Mutex::new(Progress::default()));
    let (note, watcher) = (Arc::clone(&latest), control.watcher.clone());
    let watcher: crate::control::Watcher = Arc::new(move |progress| {
        // Several threads at once: one of them is enough.
        if let Ok(mut latest) = note.try_lock() {
            latest.clone_from(progress);
        }
        if let Some(watcher) = &watcher {
            watcher(progress);
        }
    });
    (Control { watcher: Some(watcher), ..control.clone() }, latest)
}

struct Watchdog<'a> {
    control: &'a Control,
    /// When the process began to have more memory than it may.
    over_memory_since: Option<Instant>,
    /// The time and the reason of telling the work to stop.
    told: Option<(Instant, Reason)>,
}

impl Watchdog<'_> {
    /// A panic of the work is passed on.
    fn wait<T>(mut self, results: &Receiver<Message<T>>) -> Result<T, Reason> {
        loop {
            match results.recv_timeout(PERIOD) {
                Ok(Ok(result)) => return Ok(result),
                Ok(Err(panic)) => resume_unwind(panic),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Reason::Limit("a thread ended without a result".to_string()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.look_around();
            if let Some((when, reason)) = &self.told
                && when.elapsed() >= GRACE_OF_WHOLE
            {
                return Err(reason.clone());
            }
        }
    }

    fn look_around(&mut self) {
        let memory = self.out_of_memory();
        if self.told.is_none()
            && let Some(reason) = self.control.over().or(memory)
        {
            self.control.stop_for(reason.clone());
            self.told = Some((Instant::now(), reason));
        }
    }

    /// Has memory been short for so long that an engine which counts it would have ended?
    fn out_of_memory(&mut self) -> Option<Reason> {
        let limit = self.control.memory_limit?;
        if resident_memory()? < limit.saturating_add((limit / 16).max(LEAST_MARGIN)) {
            self.over_memory_since = None;
            return None;
        }
        let since = *self.over_memory_since.get_or_insert_with(Instant::now);
        (since.elapsed() >= GRACE).then(|| memory_limit(limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_program::Scope;
    use std::sync::atomic::{AtomicBool, Ordering};

    const PROGRAM: &str = "program lp64 entry @main\nfn @main() -> i32 {\nentry:\n  return 0i32\n}\n";

    /// An engine that is deaf: it ends only with its process.
    struct Deaf;

    impl Engine for Deaf {
        fn name(&self) -> &'static str {
            "deaf"
        }

        fn scope(&self) -> Scope {
            Scope::STEPS
        }

        fn search(&self, _: &Program, _: &Task, control: &Control) -> Outcome {
            let told = control.should_stop(&Progress { states: 7, ..Progress::default() });
            assert!(told.is_none() || control.is_over());
            loop {
                std::thread::park();
            }
        }
    }

    fn deaf(control: &Control) -> Outcome {
        let program = selvedge_program::text::parse(PROGRAM).expect("a program");
        check(Arc::new(Deaf), Arc::new(program), Task::default(), control)
    }

    #[test]
    fn an_engine_that_never_returns_is_left_behind() {
        let control = Control { time_limit: Some(Duration::from_millis(50)), ..Control::default() };
        let outcome = deaf(&control);
        assert_eq!(outcome.finding, Finding::GaveUp(Reason::TimeLimit { seconds: 0 }));
        // Progress told by then is known.
        assert_eq!((outcome.statistics.states, outcome.by), (7, "deaf"));
        assert!(control.stop.load(Ordering::Relaxed), "whoever else works on it is told");
    }

    #[test]
    fn a_stop_that_comes_first_is_a_stop() {
        let control = Control { stop: Arc::new(AtomicBool::new(true)), ..Control::default() };
        assert_eq!(deaf(&control).finding, Finding::GaveUp(Reason::Interrupted));
    }

    #[test]
    fn memory_that_nobody_counts_is_limited() {
        let control = Control { memory_limit: Some(1 << 20), ..Control::default() };
        let (sender, block) = std::sync::mpsc::channel::<Vec<u8>>();
        let result = supervise("greedy", &control, move || {
            // Touched, so that it is resident.
            let _ = sender.send(vec![1; 256 << 20]);
            loop {
                std::thread::park();
            }
        });
        assert_eq!(result.map_err(|reason: Reason| reason), Err::<(), _>(memory_limit(1 << 20)));
        drop(block);
    }

    #[test]
    fn who_listens_says_itself_why_it_ended() {
        let control = Control { time_limit: Some(Duration::from_millis(20)), ..Control::default() };
        let inner = control.clone();
        let result = supervise("listener", &control, move || {
            loop {
                if let Some(reason) = inner.should_stop(&Progress::default()) {
                    return (1, reason);
                }
                std::thread::yield_now();
            }
        });
        assert_eq!(result, Ok((1, Reason::TimeLimit { seconds: 0 })));
    }

    #[test]
    fn a_result_counts_before_its_thread_has_ended() {
        let result = supervise_giving("giver", &Control::default(), |giver| {
            giver.give(5);
            loop {
                std::thread::park();
            }
        });
        assert_eq!(result, Ok(5));
    }
}
