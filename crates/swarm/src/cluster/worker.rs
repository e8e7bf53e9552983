//! One task: a swarm of its own, which does what it was told to do and reports while it goes.

use super::ClusterError;
use super::shared::{Report, Settings, Shared, TaskId, Trouble, fingerprint};
use crate::boss::{Boss, Matter};
use crate::pool::{self, Ending};
use crate::records::{Ended, FolderError, Journal, Record};
use crate::runner::Backend;
use crate::tiling::Floor;
use selvedge_engine::Control;
use selvedge_program::Reason;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How much may be lost when a worker is killed.
const PERIOD: Duration = Duration::from_secs(1);

/// How a task ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Worked {
    Done,
    Stopped(Reason),
}

/// Does what is left to be done of a task.
pub fn work(
    shared: &Shared,
    settings: &Settings,
    task: TaskId,
    floor: &Floor,
    backend: &dyn Backend,
    control: &Control,
) -> Result<Worked, ClusterError> {
    if fingerprint(floor) != settings.floor {
        let why = "the program has other points at which threads can be interrupted here than for the collector";
        return Err(refused(shared, task, why.to_string()));
    }
    let assignment = shared.assignment(task)?;
    // It may have been here before.
    let earlier = shared.result(task)?.unwrap_or_default();
    if earlier.done {
        return Ok(Worked::Done);
    }
    let options = match settings.options(&assignment, floor) {
        Ok(options) => options,
        Err(error) => return Err(refused(shared, task, error.to_string())),
    };
    let known: HashSet<_> = earlier.records.iter().map(|record| &record.instance).collect();
    let left = assignment.instances.iter().filter(|name| !known.contains(name)).cloned().collect();
    let report = Report { records: earlier.records, ..Report::default() };
    let notebook = Arc::new(Mutex::new(Notebook { shared: shared.clone(), task, report, written: Instant::now() }));
    let journal = Box::new(Writer(Arc::clone(&notebook)));
    let boss = Boss::new(floor, &options, Some(journal)).and_then(|mut boss| boss.assign(left).map(|()| boss));
    let mut boss = boss.map_err(|error| refused(shared, task, error.to_string()))?;
    boss.limits_matter = if assignment.limits { Matter::Always } else { Matter::Never };

    let (boss, Ending { reason, limits, size }) =
        std::thread::scope(|scope| pool::run(scope, boss, floor, backend, options.jobs, control, None));
    if let Some(error) = boss.failed {
        return Err(error.into());
    }
    let mut notebook = notebook.lock().unwrap_or_else(PoisonError::into_inner);
    let all = assignment.instances.len() == notebook.report.records.len() && assignment.limits == limits.is_some();
    let report = &mut notebook.report;
    // A bug may end it as well.
    report.done = all || boss.found.is_some() && !settings.keep_going;
    report.stopped = reason.filter(|_| !report.done);
    (report.limits, report.size) = (limits, size);
    let worked = match (&report.stopped, report.done) {
        (_, true) => Worked::Done,
        (Some(reason), false) => Worked::Stopped(reason.clone()),
        (None, false) => Worked::Stopped(Reason::Limit("there is no such instance".to_string())),
    };
    notebook.write()?;
    Ok(worked)
}

/// No other task will fare better: the collector is to know.
pub fn refused(shared: &Shared, task: TaskId, why: String) -> ClusterError {
    tell(shared, task, Trouble::Refused(why.clone()));
    ClusterError::RefusedByWorker { task: task.to_string(), why }
}

/// The same for a bug of ours.
pub fn broken(shared: &Shared, task: TaskId, why: String) {
    tell(shared, task, Trouble::Broken(why));
}

fn tell(shared: &Shared, task: TaskId, trouble: Trouble) {
    let earlier = shared.result(task).ok().flatten().unwrap_or_default();
    // Where it cannot be written, the log says it.
    let _ = shared.report(task, &Report { trouble: Some(trouble), ..earlier });
}

/// What the worker has done, and when it last said so.
struct Notebook {
    shared: Shared,
    task: TaskId,
    report: Report,
    written: Instant,
}

impl Notebook {
    fn write(&mut self) -> Result<(), ClusterError> {
        self.written = Instant::now();
        self.shared.report(self.task, &self.report)
    }
}

struct Writer(Arc<Mutex<Notebook>>);

impl Journal for Writer {
    fn append(&mut self, record: &Record) -> Result<(), FolderError> {
        let mut notebook = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notebook.report.records.push(record.clone());
        if record.ended != Ended::Buggy && notebook.written.elapsed() < PERIOD {
            return Ok(());
        }
        match notebook.write() {
            Err(ClusterError::Folder(error)) => Err(error),
            _ => Ok(()),
        }
    }
}
