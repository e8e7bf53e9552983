//! Gives instances away in tasks, and collects what came of them.
//!
//! The main loop: read results; see which tasks are gone; give more away; wait. Nothing is concluded from a scheduler
//! that does not answer.

use super::ClusterError;
use super::batch::{self, Pace};
use super::scheduler::{Array, JobId, Scheduler, SchedulerError, Seen, State};
use super::shared::{Assignment, Report, Settings, Shared, Stamp, TaskId, Trouble};
use crate::boss::Boss;
use crate::divide::Name;
use crate::pool::Ending;
use crate::records::{Ended, Record};
use crate::{Progress, Subject, SwarmError, Watcher, found};
use selvedge_engines::Control;
use selvedge_program::Reason;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long an interrupt may go unnoticed.
const BLINK: Duration = Duration::from_millis(20);
/// Results are looked at so often, or as often as the queue.
const LOOK: Duration = Duration::from_secs(1);
/// A task must be gone twice to be lost: its last words may come late on a shared file system.
const MISSED: u32 = 2;
/// An instance that so many tasks broke down with is given up.
const LOSSES: u32 = 3;
/// If so many tasks in a row break down without a result, it is not for bad luck.
const FRUITLESS: u32 = 10;
const SILENCE: Duration = Duration::from_secs(30 * 60);
const CANCELS: u32 = 3;

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
    limits: Option<Result<Vec<String>, Reason>>,
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

    /// Which tasks run, and which are gone?
    fn look(&mut self) -> Result<(), SwarmError> {
        self.looked = Some(Instant::now());
        let seen = match self.cluster.scheduler.tasks(&self.cluster.settings.key) {
            Ok(seen) => seen,
            Err(error) => return Ok(self.failed(error)?),
        };
        self.answered();
        self.cancel_strays(&seen);
        let mut seen: HashMap<TaskId, Seen> = seen.into_iter().map(|seen| (seen.task, seen)).collect();
        for (task, given) in &mut self.tasks {
            let state = seen.remove(task).map(|seen| {
                (given.job, given.by_another) = (Some(seen.job), false);
                seen.state
            });
            given.running = state == Some(State::Running);
            match state {
                Some(State::Waiting | State::Running) => given.missed = 0,
                Some(State::Ended { how, by_cluster }) => {
                    given.missed += 1;
                    given.ended = Some((how, by_cluster));
                }
                None => given.missed += 1,
            }
        }
        self.mourn()
    }

    /// Gives up those that are gone for good.
    fn mourn(&mut self) -> Result<(), SwarmError> {
        let gone = self.tasks.iter().filter(|(_, given)| given.missed >= MISSED);
        let gone: Vec<TaskId> = gone.map(|(task, _)| *task).collect();
        let (mut lost, mut left, mut ways) = (0, 0, BTreeSet::new());
        for task in gone {
            self.collect_from(task)?;
            let Some(given) = self.tasks.get(&task) else { continue };
            (lost, left) = (lost + 1, left + given.left.len());
            let (how, by_cluster) = given.ended.clone().unwrap_or(("unknown".to_string(), given.by_another));
            if !by_cluster {
                self.blame(task, &how)?;
            }
            ways.insert(how);
            self.forget(task)?;
        }
        if lost > 0 {
            let ways: Vec<String> = ways.into_iter().collect();
            let instances = if left == 1 { "1 instance is" } else { &format!("{left} instances are") };
            let tasks = if lost == 1 { "1 task was" } else { &format!("{lost} tasks were") };
            (self.cluster.notes)(&format!("{tasks} lost ({}): {instances} given to others", ways.join(", ")));
        }
        Ok(())
    }

    /// It broke down by itself: with the first of what it has not done. After some times, that one is given up.
    fn blame(&mut self, task: TaskId, how: &str) -> Result<(), SwarmError> {
        let Some(given) = self.tasks.get_mut(&task) else { return Ok(()) };
        if given.read == 0 {
            self.fruitless += 1;
        }
        let last_words = || self.cluster.shared.last_words(task);
        if self.fruitless >= FRUITLESS {
            let (count, how) = (self.fruitless, how.to_string());
            return Err(ClusterError::Fruitless { count, how, log: last_words() }.into());
        }
        if given.limits {
            self.losses_of_limits += 1;
            if self.losses_of_limits >= LOSSES {
                let what = format!("what limits the verdict could not be found out: {}", last_words());
                self.limits = Some(Err(Reason::Limit(what)));
            }
        }
        let (tile_size, Some(name)) = (given.tile_size, given.left.first().cloned()) else { return Ok(()) };
        let losses = self.losses.entry((tile_size, name.clone())).or_default();
        *losses += 1;
        if *losses >= LOSSES {
            given.left.remove(0);
            (self.cluster.notes)(&format!(
                "{LOSSES} tasks broke down with instance {name}, which counts as timed out now; the last one as {how}: {}",
                last_words()
            ));
            let (ended, seconds, cpu_seconds, before, schedule) = (Ended::TimedOut, 0.0, None, 0, None);
            self.boss.note(Record { tile_size, instance: name, ended, seconds, cpu_seconds, before, schedule }, None);
        }
        Ok(())
    }

    /// Arrays whose submission seemed to have failed, or of a collector that died over it.
    fn cancel_strays(&mut self, seen: &[Seen]) {
        if !std::mem::take(&mut self.strays) {
            return;
        }
        let awaited: BTreeSet<&JobId> =
            seen.iter().filter(|s| self.tasks.contains_key(&s.task)).map(|s| &s.job).collect();
        let there = seen.iter().filter(|seen| !matches!(seen.state, State::Ended { .. }));
        let strays: BTreeSet<&JobId> = there.map(|seen| &seen.job).filter(|job| !awaited.contains(job)).collect();
        let strays: Vec<JobId> = strays.into_iter().cloned().collect();
        if !strays.is_empty() {
            self.strays = self.cluster.scheduler.cancel(&strays).is_err();
        }
    }

    /// Keeps the cluster busy.
    fn give(&mut self) -> Result<(), SwarmError> {
        if self.boss.is_over() {
            // What the verdict is limited by is all that is still to be known.
            self.cancel(|given| !given.limits)?;
        }
        if self.silent_since.is_some() && self.looked.is_some() {
            return Ok(());
        }
        let Some(largest) = self.largest()? else { return Ok(()) };
        let alone = self.tasks.is_empty();
        if !self.boss.is_over() {
            let most = batch::most(&self.boss, self.most);
            let room = most.saturating_sub(self.tasks.len());
            // Not a new array for every task that ends.
            if room > 0 && (alone || room >= most / 4) {
                let batch = batch::draw(&mut self.boss, &self.pace, room, most);
                let mut accepted = true;
                for array in batch.chunks(largest as usize) {
                    match accepted {
                        true => accepted = self.submit(array)?,
                        false => self.take_back(array),
                    }
                }
            }
        }
        // As soon as there is a core for it: at the end, everybody would wait for it.
        let asked = self.limits.is_some() || self.tasks.values().any(|given| given.limits);
        let idle = self.tasks.is_empty() && self.boss.wants_limits();
        if !asked && (idle || self.most > 1 && !self.tasks.is_empty() && self.tasks.len() < self.most) {
            let tile_size = self.boss.current;
            self.submit(&[Assignment { tile_size, instances: Vec::new(), limit_seconds: None, limits: true }])?;
        }
        Ok(())
    }

    fn largest(&mut self) -> Result<Option<u32>, ClusterError> {
        if self.largest.is_none() {
            match self.cluster.scheduler.largest_array() {
                Ok(largest) => {
                    self.largest = Some(largest.max(1));
                    self.answered();
                }
                Err(error) => self.failed(error)?,
            }
        }
        Ok(self.largest)
    }

    /// Is it in the queue?
    fn submit(&mut self, assignments: &[Assignment]) -> Result<bool, ClusterError> {
        let shared = self.cluster.shared;
        let number = self.next_array;
        self.next_array += 1;
        let task = |index: usize| TaskId { array: number, index: index as u32 };
        for (index, assignment) in assignments.iter().enumerate() {
            shared.assign(task(index), assignment)?;
        }
        let submitted = self.cluster.scheduler.submit(&Array {
            key: self.cluster.settings.key.clone(),
            number,
            tasks: assignments.len() as u32,
            command: self.cluster.options.command.clone(),
            folder: shared.path().to_path_buf(),
            logs: shared.logs(),
            megabytes: self.cluster.settings.memory_megabytes,
        });
        let error = match submitted {
            Ok(job) => {
                for (index, assignment) in assignments.iter().enumerate() {
                    self.tasks.insert(task(index), Given::new(assignment.clone(), Some(job.clone())));
                }
                self.answered();
                return Ok(true);
            }
            Err(error) => error,
        };
        (0..assignments.len()).try_for_each(|index| shared.remove(task(index)))?;
        self.take_back(assignments);
        // It may be in the queue nevertheless.
        self.strays = true;
        match error {
            SchedulerError::Refused(why) if !self.tasks.is_empty() => {
                self.most = self.tasks.len();
                (self.cluster.notes)(&format!("the cluster takes no more than {} at a time: {why}", self.most));
            }
            error => self.failed(error)?,
        }
        Ok(false)
    }

    fn take_back(&mut self, assignments: &[Assignment]) {
        for Assignment { tile_size, instances, .. } in assignments.iter().rev() {
            instances.iter().rev().for_each(|name| self.boss.lost(*tile_size, name.clone()));
        }
    }

    fn failed(&mut self, error: SchedulerError) -> Result<(), ClusterError> {
        match error {
            SchedulerError::Refused(why) => Err(ClusterError::Refused(why)),
            SchedulerError::Unreachable(why) => {
                if self.silent_since.is_none() {
                    (self.cluster.notes)(&format!("the cluster does not answer, trying again: {why}"));
                }
                let since = *self.silent_since.get_or_insert_with(Instant::now);
                match since.elapsed() >= SILENCE {
                    true => Err(ClusterError::Silent { minutes: SILENCE.as_secs() / 60, why }),
                    false => Ok(()),
                }
            }
        }
    }

    fn answered(&mut self) {
        if self.silent_since.take().is_some() {
            (self.cluster.notes)("the cluster answers again");
        }
    }

    fn cancel_all(&mut self) {
        let interrupted = self.reason == Some(Reason::Interrupted);
        let jobs = self.jobs(|_| true);
        self.cancel_jobs(&jobs);
        if !interrupted && self.boss.is_over() {
            let tasks: Vec<TaskId> = self.tasks.keys().copied().collect();
            // Nobody will go on with them; if they stay, nobody minds.
            tasks.into_iter().for_each(|task| drop(self.cluster.shared.remove(task)));
        }
    }

    /// Ends some tasks, with all others of their arrays.
    fn cancel(&mut self, which: impl Fn(&Given) -> bool) -> Result<(), ClusterError> {
        let jobs = self.jobs(&which);
        self.cancel_jobs(&jobs);
        let tasks: Vec<TaskId> = self.tasks.iter().filter(|(_, given)| which(given)).map(|(task, _)| *task).collect();
        tasks.into_iter().try_for_each(|task| self.forget(task))
    }

    fn jobs(&self, which: impl Fn(&Given) -> bool) -> Vec<JobId> {
        let jobs = self.tasks.values().filter(|given| which(given)).filter_map(|given| given.job.clone());
        jobs.collect::<BTreeSet<JobId>>().into_iter().collect()
    }

    fn cancel_jobs(&self, jobs: &[JobId]) {
        if jobs.is_empty() {
            return;
        }
        let mut result = self.cluster.scheduler.cancel(jobs);
        for _ in 1..CANCELS {
            if result.is_ok() {
                return;
            }
            std::thread::sleep(self.cluster.options.poll.min(LOOK));
            result = self.cluster.scheduler.cancel(jobs);
        }
        if let Err(why) = result {
            let by_hand: Vec<String> = jobs.iter().map(|job| self.cluster.scheduler.cancel_by_hand(job)).collect();
            let by_hand = by_hand.join("; ");
            (self.cluster.notes)(&format!("tasks could not be cancelled ({why}): they run on, until you `{by_hand}`"));
        }
    }
}
