//! Distributes instances as tasks, and collects their results.
//!
//! The main loop: read results; see which tasks are gone ([`queue`]); submit more ([`submit`]); wait.

mod queue;
mod submit;

use super::ClusterError;
use super::batch::Pace;
use super::scheduler::{JobId, Scheduler};
use super::shared::{Assignment, Report, Settings, Shared, Stamp, TaskId, Trouble};
use crate::coordinator::Coordinator;
use crate::pool::Ending;
use crate::{Progress, Subject, SwarmError, Watcher, found};
use selvedge_engine::Control;
use selvedge_program::instances::{Name, Record};
use selvedge_program::{Coverage, Reason};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The time between two checks of the stop flag.
const STOP_CHECK: Duration = Duration::from_millis(20);
/// The time between two readings of results, unless the queue is polled more often.
const RESULTS_PERIOD: Duration = Duration::from_secs(1);
/// A task is lost when it is missing twice in a row: its last result may appear late on a shared file system.
const MISSED: u32 = 2;

/// Options for the use of the cluster.
#[derive(Clone, Debug)]
pub struct ClusterOptions {
    /// The most tasks at a time.
    pub tasks: usize,
    /// The number of instances in a task, if the user sets it.
    pub instances: Option<usize>,
    /// The time between two polls of the queue.
    pub poll: Duration,
    /// The path of the `selvedge` command on the nodes.
    pub command: PathBuf,
}

/// The cluster, and how to use it.
pub struct Cluster<'c> {
    pub scheduler: &'c dyn Scheduler,
    pub shared: &'c Shared,
    pub settings: &'c Settings,
    pub options: &'c ClusterOptions,
    /// Receives messages for the user, a sentence at a time.
    pub notes: &'c dyn Fn(&str),
}

/// Runs the swarm on the cluster.
pub fn run<'a>(
    coordinator: Coordinator<'a>,
    subject: Subject<'_>,
    cluster: &Cluster<'_>,
    control: &Control,
    watcher: Option<&Watcher>,
) -> Result<(Coordinator<'a>, Ending), SwarmError> {
    let mut collector = Collector::new(coordinator, subject, cluster, control)?;
    let ended = collector.run(watcher);
    // Whatever ended the swarm, the results of the remaining tasks would not be read.
    collector.cancel_all();
    ended?;
    let Collector { coordinator, reason, limits, size, .. } = collector;
    Ok((coordinator, Ending { reason, limits, size }))
}

/// A task that has not ended, as far as we know.
struct OpenTask {
    tile_size: usize,
    /// The instances without a result, in the order of the task.
    left: Vec<Name>,
    limits: bool,
    /// The number of its records that have been read.
    read: usize,
    stamp: Option<Stamp>,
    job: Option<JobId>,
    running: bool,
    missed: u32,
    /// Its end, if the scheduler told it, and whether the cluster caused it.
    ended: Option<(String, bool)>,
    /// Submitted by an earlier collector, and not seen in the queue yet.
    by_another: bool,
}

impl OpenTask {
    fn new(assignment: Assignment, job: Option<JobId>) -> OpenTask {
        let Assignment { tile_size, instances, limits, .. } = assignment;
        let by_another = job.is_none();
        let missed = if by_another { MISSED - 1 } else { 0 };
        let (read, stamp, running, ended) = (0, None, false, None);
        OpenTask { tile_size, left: instances, limits, read, stamp, job, running, missed, ended, by_another }
    }
}

struct Collector<'a, 'c> {
    coordinator: Coordinator<'a>,
    subject: Subject<'c>,
    cluster: &'c Cluster<'c>,
    control: &'c Control,
    tasks: BTreeMap<TaskId, OpenTask>,
    pace: Pace,
    next_array: u32,
    largest: Option<u32>,
    /// The most tasks at a time: fewer than requested if the cluster accepts only so many.
    most: usize,
    losses: HashMap<(usize, Name), u32>,
    losses_of_limits: u32,
    fruitless: u32,
    silent_since: Option<Instant>,
    polled: Option<Instant>,
    /// The queue may contain arrays whose results are not waited for.
    strays: bool,
    reason: Option<Reason>,
    limits: Option<Result<Coverage, Reason>>,
    size: (u64, u64),
}

impl<'a, 'c> Collector<'a, 'c> {
    fn new(
        coordinator: Coordinator<'a>,
        subject: Subject<'c>,
        cluster: &'c Cluster<'c>,
        control: &'c Control,
    ) -> Result<Self, SwarmError> {
        let next_array = cluster.shared.next_array()?;
        let mut collector = Collector {
            coordinator,
            subject,
            cluster,
            control,
            tasks: BTreeMap::new(),
            pace: Pace::new(cluster.options.instances),
            next_array,
            largest: None,
            most: cluster.options.tasks.max(1),
            losses: HashMap::new(),
            losses_of_limits: 0,
            fruitless: 0,
            silent_since: None,
            polled: None,
            strays: next_array > 0,
            reason: None,
            limits: None,
            size: (0, 0),
        };
        collector.adopt()?;
        Ok(collector)
    }

    /// Takes over the tasks of an earlier collector.
    fn adopt(&mut self) -> Result<(), SwarmError> {
        let known: HashSet<(usize, Name)> =
            self.coordinator.records.iter().map(|record| (record.tile_size, record.instance.clone())).collect();
        for task in self.cluster.shared.tasks()? {
            let mut assignment = self.cluster.shared.assignment(task)?;
            assignment.instances.retain(|name| !known.contains(&(assignment.tile_size, name.clone())));
            for name in &assignment.instances {
                self.coordinator.note_given(assignment.tile_size, name)?;
            }
            self.tasks.insert(task, OpenTask::new(assignment, None));
        }
        Ok(())
    }

    fn run(&mut self, watcher: Option<&Watcher>) -> Result<(), SwarmError> {
        loop {
            self.collect()?;
            if self.is_over() {
                return Ok(());
            }
            if self.polled.is_none_or(|polled| polled.elapsed() >= self.cluster.options.poll) {
                self.poll()?;
            }
            self.submit_work()?;
            if self.is_over() || self.has_nothing_to_do() {
                return Ok(());
            }
            if let Some(watcher) = watcher {
                watcher(&self.progress());
            }
            self.wait();
        }
    }

    /// Whether the result is known, or a limit has been reached.
    fn is_over(&mut self) -> bool {
        if self.control.stop.load(Ordering::Relaxed) {
            self.reason = Some(Reason::Interrupted);
        } else if let Some(limit) = self.control.time_limit
            && self.control.started.elapsed() >= limit
        {
            self.reason.get_or_insert(Reason::TimeLimit { seconds: limit.as_secs() });
        }
        let known = self.coordinator.is_over() && !(self.coordinator.wants_limits() && self.limits.is_none());
        known || self.reason.is_some()
    }

    /// Whether no task is open although tasks could be submitted: then no instance can be checked.
    fn has_nothing_to_do(&self) -> bool {
        self.tasks.is_empty() && self.silent_since.is_none()
    }

    fn progress(&self) -> Progress {
        let mut progress = Progress::of(&self.coordinator, self.control.started.elapsed());
        // Tasks that wait in the queue have not begun.
        let running = self.tasks.values().filter(|given| given.running).count();
        progress.left += self.coordinator.running.saturating_sub(running) as u128;
        progress.running = running;
        progress
    }

    fn wait(&self) {
        let end = Instant::now() + self.cluster.options.poll.min(RESULTS_PERIOD);
        while Instant::now() < end && !self.control.stop.load(Ordering::Relaxed) {
            std::thread::sleep(STOP_CHECK.min(end.saturating_duration_since(Instant::now())));
        }
    }

    /// Reads the results that tasks have written since the last time.
    fn collect(&mut self) -> Result<(), SwarmError> {
        let tasks: Vec<TaskId> = self.tasks.keys().copied().collect();
        tasks.into_iter().try_for_each(|task| self.collect_from(task))
    }

    fn collect_from(&mut self, task: TaskId) -> Result<(), SwarmError> {
        let Some(given) = self.tasks.get_mut(&task) else { return Ok(()) };
        let stamp = self.cluster.shared.stamp(task);
        if stamp.is_none() || stamp == given.stamp {
            return Ok(());
        }
        let Some(report) = self.cluster.shared.result(task)? else { return Ok(()) };
        given.stamp = stamp;
        let Report { records, done, stopped, limits, size, trouble } = report;
        match trouble {
            Some(Trouble::Refused(why)) => {
                return Err(ClusterError::RefusedByWorker { task: task.to_string(), why }.into());
            }
            Some(Trouble::Broken(why)) => return Err(ClusterError::Broken { task: task.to_string(), why }.into()),
            None => {}
        }
        let fresh = records.len().saturating_sub(given.read);
        given.read = records.len();
        let tile_size = given.tile_size;
        if fresh > 0 || limits.is_some() {
            self.fruitless = 0;
        }
        for record in records.into_iter().rev().take(fresh).rev() {
            self.note(task, tile_size, record)?;
        }
        self.size = self.size.max(size);
        self.limits = self.limits.take().or(limits);
        // An interrupted task will be found missing, and its instances go to others.
        self.reason = self.reason.take().or(stopped.filter(|reason| *reason != Reason::Interrupted));
        if done {
            self.close(task)?;
        }
        Ok(())
    }

    fn note(&mut self, task: TaskId, tile_size: usize, record: Record) -> Result<(), SwarmError> {
        let Some(given) = self.tasks.get_mut(&task) else { return Ok(()) };
        let expected = given.left.iter().position(|name| *name == record.instance);
        // A record that is not expected has been counted already.
        let Some(at) = expected.filter(|_| record.tile_size == tile_size) else { return Ok(()) };
        given.left.remove(at);
        self.pace.note(record.seconds);
        let finding = found(self.subject, &record)?;
        self.coordinator.note(record, finding);
        Ok(())
    }

    /// Ends a task. Its remaining instances go to others.
    fn close(&mut self, task: TaskId) -> Result<(), ClusterError> {
        let Some(given) = self.tasks.remove(&task) else { return Ok(()) };
        given.left.into_iter().rev().for_each(|name| self.coordinator.lost(given.tile_size, name));
        self.cluster.shared.remove(task)
    }
}
