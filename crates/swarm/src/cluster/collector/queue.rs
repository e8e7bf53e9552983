//! What the queue says: which tasks run, and which are lost. Nothing is concluded from a scheduler that does not answer.

use super::{Collector, MISSED};
use crate::SwarmError;
use crate::cluster::ClusterError;
use crate::cluster::scheduler::{JobId, SchedulerError, Seen, State};
use crate::cluster::shared::TaskId;
use crate::records::{Ended, Record};
use selvedge_program::Reason;
use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

/// An instance that so many tasks broke down with is given up.
const LOSSES: u32 = 3;
/// If so many tasks in a row break down without a result, it is not for bad luck.
const FRUITLESS: u32 = 10;
const SILENCE: Duration = Duration::from_secs(30 * 60);

impl Collector<'_, '_> {
    /// Which tasks run, and which are gone?
    pub(super) fn look(&mut self) -> Result<(), SwarmError> {
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
