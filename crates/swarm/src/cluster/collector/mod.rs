//! Gives instances away in tasks, and collects what came of them.
//!
//! The main loop: read results; see which tasks are gone ([`queue`]); give more away ([`give`]); wait.

mod give;
mod queue;

use super::ClusterError;
use super::batch::Pace;
use super::scheduler::{JobId, Scheduler};
use super::shared::{Assignment, Report, Settings, Shared, Stamp, TaskId, Trouble};
use crate::boss::Boss;
use crate::divide::Name;
use crate::pool::Ending;
use crate::records::Record;
use crate::{Progress, Subject, SwarmError, Watcher, found};
use selvedge_engine::Control;
use selvedge_program::{Coverage, Reason};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long an interrupt may go unnoticed.
const BLINK: Duration = Duration::from_millis(20);
/// Results are looked at so often, or as often as the queue.
const LOOK: Duration = Duration::from_secs(1);
/// A task must be gone twice to be lost: its last words may come late on a shared file system.
const MISSED: u32 = 2;

/// How the cluster is used.
#[derive(Clone, Debug)]
pub struct ClusterOptions {
    /// Tasks at a time.
    pub tasks: usize,
    /// Instances of a task, if it is not for us to say.
    pub instances: Option<usize>,
    /// Between looks at the queue.
    pub poll: Duration,
    /// The `selvedge` command, as nodes find it.
    pub command: PathBuf,
}

/// Who does the work, and where.
pub struct Cluster<'c> {
    pub scheduler: &'c dyn Scheduler,
    pub shared: &'c Shared,
    pub settings: &'c Settings,
    pub options: &'c ClusterOptions,
    /// Told what a user should know: a sentence at a time.
    pub notes: &'c dyn Fn(&str),
}

/// Lets tasks do what there is to do.
pub fn run<'a>(
    boss: Boss<'a>,
    subject: Subject<'_>,
    cluster: &Cluster<'_>,
    control: &Control,
    watcher: Option<&Watcher>,
) -> Result<(Boss<'a>, Ending), SwarmError> {
    let mut collector = Collector::new(boss, subject, cluster, control)?;
    let ended = collector.run(watcher);
    // Whatever the reason: nobody would look at their results.
    collector.cancel_all();
    ended?;
    let Collector { boss, reason, limits, size, .. } = collector;
    Ok((boss, Ending { reason, limits, size }))
}

/// A task that is not over, as far as we know.
struct Given {
    tile_size: usize,
    /// What it has not done yet, in its order.
    left: Vec<Name>,
    limits: bool,
    /// Records that we have had from it.
    read: usize,
    stamp: Option<Stamp>,
    job: Option<JobId>,
    running: bool,
    missed: u32,
    /// How it ended, if the scheduler told, and whether that was the cluster's doing.
    ended: Option<(String, bool)>,
    /// By an earlier collector, and not seen yet.
    by_another: bool,
}

impl Given {
    fn new(assignment: Assignment, job: Option<JobId>) -> Given {
        let Assignment { tile_size, instances, limits, .. } = assignment;
        let by_another = job.is_none();
        let missed = if by_another { MISSED - 1 } else { 0 };
        let (read, stamp, running, ended) = (0, None, false, None);
        Given { tile_size, left: instances, limits, read, stamp, job, running, missed, ended, by_another }
    }
}

struct Collector<'a, 'c> {
    boss: Boss<'a>,
    subject: Subject<'c>,
    cluster: &'c Cluster<'c>,
    control: &'c Control,
    tasks: BTreeMap<TaskId, Given>,
    pace: Pace,
    next_array: u32,
    largest: Option<u32>,
    /// Tasks at a time; fewer than were asked for if the cluster does not take so many.
    most: usize,
    losses: HashMap<(usize, Name), u32>,
    losses_of_limits: u32,
    fruitless: u32,
    silent_since: Option<Instant>,
    looked: Option<Instant>,
    /// There may be arrays in the queue that nobody waits for.
    strays: bool,
    reason: Option<Reason>,
    limits: Option<Result<Coverage, Reason>>,
    size: (u64, u64),
}

impl<'a, 'c> Collector<'a, 'c> {
    fn new(
        boss: Boss<'a>,
        subject: Subject<'c>,
        cluster: &'c Cluster<'c>,
        control: &'c Control,
    ) -> Result<Self, SwarmError> {
        let next_array = cluster.shared.next_array()?;
        let mut collector = Collector {
            boss,
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
            looked: None,
            strays: next_array > 0,
            reason: None,
            limits: None,
            size: (0, 0),
        };
        collector.adopt()?;
        Ok(collector)
    }

    /// The tasks of an earlier collector.
    fn adopt(&mut self) -> Result<(), SwarmError> {
        let known: HashSet<(usize, Name)> =
            self.boss.records.iter().map(|record| (record.tile_size, record.instance.clone())).collect();
        for task in self.cluster.shared.tasks()? {
            let mut assignment = self.cluster.shared.assignment(task)?;
            assignment.instances.retain(|name| !known.contains(&(assignment.tile_size, name.clone())));
            for name in &assignment.instances {
                self.boss.has_given(assignment.tile_size, name)?;
            }
            self.tasks.insert(task, Given::new(assignment, None));
        }
        Ok(())
    }

    fn run(&mut self, watcher: Option<&Watcher>) -> Result<(), SwarmError> {
        loop {
            self.collect()?;
            if self.is_over() {
                return Ok(());
            }
            if self.looked.is_none_or(|looked| looked.elapsed() >= self.cluster.options.poll) {
                self.look()?;
            }
            self.give()?;
            if self.is_over() || self.has_nothing_to_do() {
                return Ok(());
            }
            if let Some(watcher) = watcher {
                watcher(&self.progress());
            }
            self.wait();
        }
    }

    /// Is there nothing left to be known?
    fn is_over(&mut self) -> bool {
        if self.control.stop.load(Ordering::Relaxed) {
            self.reason = Some(Reason::Interrupted);
        } else if let Some(limit) = self.control.time_limit
            && self.control.started.elapsed() >= limit
        {
            self.reason.get_or_insert(Reason::TimeLimit { seconds: limit.as_secs() });
        }
        let known = self.boss.is_over() && !(self.boss.wants_limits() && self.limits.is_none());
        known || self.reason.is_some()
    }

    /// Nobody works, and there is nothing to give: then no instance could be checked.
    fn has_nothing_to_do(&self) -> bool {
        self.tasks.is_empty() && self.silent_since.is_none()
    }

    fn progress(&self) -> Progress {
        let mut progress = Progress::of(&self.boss, self.control.started.elapsed());
        // What waits in the queue has not been begun.
        let running = self.tasks.values().filter(|given| given.running).count();
        progress.left += self.boss.running.saturating_sub(running) as u128;
        progress.running = running;
        progress
    }

    fn wait(&self) {
        let end = Instant::now() + self.cluster.options.poll.min(LOOK);
        while Instant::now() < end && !self.control.stop.load(Ordering::Relaxed) {
            std::thread::sleep(BLINK.min(end.saturating_duration_since(Instant::now())));
        }
    }

    /// What tasks have written since the last time.
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
        // Whoever was told to stop will be missed, and what it left is done by others.
        self.reason = self.reason.take().or(stopped.filter(|reason| *reason != Reason::Interrupted));
        if done {
            self.forget(task)?;
        }
        Ok(())
    }

    fn note(&mut self, task: TaskId, tile_size: usize, record: Record) -> Result<(), SwarmError> {
        let Some(given) = self.tasks.get_mut(&task) else { return Ok(()) };
        let expected = given.left.iter().position(|name| *name == record.instance);
        // What is not expected any more has been counted.
        let Some(at) = expected.filter(|_| record.tile_size == tile_size) else { return Ok(()) };
        given.left.remove(at);
        self.pace.note(record.seconds);
        let finding = found(self.subject, &record)?;
        self.boss.note(record, finding);
        Ok(())
    }

    /// A task is over. What it has not done is for others.
    fn forget(&mut self, task: TaskId) -> Result<(), ClusterError> {
        let Some(given) = self.tasks.remove(&task) else { return Ok(()) };
        given.left.into_iter().rev().for_each(|name| self.boss.lost(given.tile_size, name));
        self.cluster.shared.remove(task)
    }
}
