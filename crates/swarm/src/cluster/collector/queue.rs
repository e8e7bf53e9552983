//! Polling the queue: which tasks run, and which are lost. A scheduler that does not answer says nothing about tasks.

use super::{Collector, MISSED};
use crate::SwarmError;
use crate::cluster::ClusterError;
use crate::cluster::scheduler::{JobId, SchedulerError, Seen, State};
use crate::cluster::shared::TaskId;
use selvedge_program::Reason;
use selvedge_program::instances::{Ended, Record};
use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

/// An instance with which this many tasks failed is given up.
const LOSSES: u32 = 3;
/// After this many tasks in a row that failed without a result, the swarm is given up.
const FRUITLESS: u32 = 10;
const SILENCE: Duration = Duration::from_secs(30 * 60);

impl Collector<'_, '_> {
    /// Asks the scheduler which tasks run and which are gone.
    pub(super) fn poll(&mut self) -> Result<(), SwarmError> {
        self.polled = Some(Instant::now());
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
        self.drop_missing()
    }

    /// Gives up the tasks that are gone for good.
    fn drop_missing(&mut self) -> Result<(), SwarmError> {
        let gone = self.tasks.iter().filter(|(_, given)| given.missed >= MISSED);
        let gone: Vec<TaskId> = gone.map(|(task, _)| *task).collect();
        let (mut lost, mut left, mut ways) = (0, 0, BTreeSet::new());
        for task in gone {
            self.collect_from(task)?;
            let Some(given) = self.tasks.get(&task) else { continue };
            (lost, left) = (lost + 1, left + given.left.len());
            let (how, by_cluster) = given.ended.clone().unwrap_or(("unknown".to_string(), given.by_another));
            if !by_cluster {
                self.note_failure(task, &how)?;
            }
            ways.insert(how);
            self.close(task)?;
        }
        if lost > 0 {
            let ways: Vec<String> = ways.into_iter().collect();
            let instances = if left == 1 { "1 instance is" } else { &format!("{left} instances are") };
            let tasks = if lost == 1 { "1 task was" } else { &format!("{lost} tasks were") };
            (self.cluster.notes)(&format!("{tasks} lost ({}): {instances} given to others", ways.join(", ")));
        }
        Ok(())
    }

    /// Notes that a task failed by itself, presumably with the first of its remaining instances. After [`LOSSES`]
    /// failures that instance is given up.
    fn note_failure(&mut self, task: TaskId, how: &str) -> Result<(), SwarmError> {
        let Some(given) = self.tasks.get_mut(&task) else { return Ok(()) };
        if given.read == 0 {
            self.fruitless += 1;
        }
        let log_tail = || self.cluster.shared.log_tail(task);
        if self.fruitless >= FRUITLESS {
            let (count, how) = (self.fruitless, how.to_string());
            return Err(ClusterError::Fruitless { count, how, log: log_tail() }.into());
        }
        if given.limits {
            self.losses_of_limits += 1;
            if self.losses_of_limits >= LOSSES {
                let what = format!("what limits the verdict could not be found out: {}", log_tail());
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
                log_tail()
            ));
            let (ended, seconds, cpu_seconds, before, schedule) = (Ended::TimedOut, 0.0, None, 0, None);
            self.coordinator
                .note(Record { tile_size, instance: name, ended, seconds, cpu_seconds, before, schedule }, None);
        }
        Ok(())
    }

    /// Cancels arrays whose submission seemed to fail, or whose collector died while submitting.
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

    pub(super) fn failed(&mut self, error: SchedulerError) -> Result<(), ClusterError> {
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

    pub(super) fn answered(&mut self) {
        if self.silent_since.take().is_some() {
            (self.cluster.notes)("the cluster answers again");
        }
    }
}
