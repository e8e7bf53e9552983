//! One task: a swarm of its own, which checks the assigned instances and reports results on the way.

use super::ClusterError;
use super::shared::{Report, Settings, Shared, TaskId, Trouble, fingerprint};
use crate::coordinator::{AskLimits, Coordinator};
use crate::pool::{self, Ending};
use crate::records::{FolderError, Journal};
use crate::runner::Backend;
use crate::tiling::Floor;
use selvedge_engine::Control;
use selvedge_program::Reason;
use selvedge_program::instances::{Ended, Record};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time between two reports: the most work that is lost when a worker is killed.
const PERIOD: Duration = Duration::from_secs(1);

/// The end of a task.
#[derive(Clone, PartialEq, Debug)]
pub enum Worked {
    Done,
    Stopped(Reason),
}

/// Checks the remaining instances of a task.
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
    // The task may have run before.
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
    let file = Arc::new(Mutex::new(ReportFile { shared: shared.clone(), task, report, written: Instant::now() }));
    let journal = Box::new(ReportJournal(Arc::clone(&file)));
    let coordinator = Coordinator::new(floor, &options, Some(journal))
        .and_then(|mut coordinator| coordinator.assign(left).map(|()| coordinator));
    let mut coordinator = coordinator.map_err(|error| refused(shared, task, error.to_string()))?;
    coordinator.ask_limits = if assignment.limits { AskLimits::Always } else { AskLimits::Never };

    let (coordinator, Ending { reason, limits, size }) =
        std::thread::scope(|scope| pool::run(scope, coordinator, floor, backend, options.jobs, control, None));
    if let Some(error) = coordinator.failed {
        return Err(error.into());
    }
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    let all = assignment.instances.len() == file.report.records.len() && assignment.limits == limits.is_some();
    let report = &mut file.report;
    // A bug ends a task as well.
    report.done = all || coordinator.found.is_some() && !settings.keep_going;
    report.stopped = reason.filter(|_| !report.done);
    (report.limits, report.size) = (limits, size);
    let worked = match (&report.stopped, report.done) {
        (_, true) => Worked::Done,
        (Some(reason), false) => Worked::Stopped(reason.clone()),
        (None, false) => Worked::Stopped(Reason::Limit("there is no such instance".to_string())),
    };
    file.write()?;
    Ok(worked)
}

/// Reports a task that cannot be done, also by any other worker.
pub fn refused(shared: &Shared, task: TaskId, why: String) -> ClusterError {
    report_trouble(shared, task, Trouble::Refused(why.clone()));
    ClusterError::RefusedByWorker { task: task.to_string(), why }
}

/// Reports a bug of ours.
pub fn broken(shared: &Shared, task: TaskId, why: String) {
    report_trouble(shared, task, Trouble::Broken(why));
}

fn report_trouble(shared: &Shared, task: TaskId, trouble: Trouble) {
    let earlier = shared.result(task).ok().flatten().unwrap_or_default();
    // If the report cannot be written, the log has the message.
    let _ = shared.report(task, &Report { trouble: Some(trouble), ..earlier });
}

/// The report of a worker, and when it was last written.
struct ReportFile {
    shared: Shared,
    task: TaskId,
    report: Report,
    written: Instant,
}

impl ReportFile {
    fn write(&mut self) -> Result<(), ClusterError> {
        self.written = Instant::now();
        self.shared.report(self.task, &self.report)
    }
}

struct ReportJournal(Arc<Mutex<ReportFile>>);

impl Journal for ReportJournal {
    fn append(&mut self, record: &Record) -> Result<(), FolderError> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.report.records.push(record.clone());
        if record.ended != Ended::Buggy && file.written.elapsed() < PERIOD {
            return Ok(());
        }
        match file.write() {
            Err(ClusterError::Folder(error)) => Err(error),
            _ => Ok(()),
        }
    }
}
