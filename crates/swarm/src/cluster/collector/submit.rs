//! Submitting and cancelling arrays of tasks.

use super::{Collector, OpenTask, RESULTS_PERIOD};
use crate::SwarmError;
use crate::cluster::ClusterError;
use crate::cluster::batch;
use crate::cluster::scheduler::{Array, JobId, SchedulerError};
use crate::cluster::shared::{Assignment, TaskId};
use selvedge_program::Reason;
use std::collections::BTreeSet;

const CANCELS: u32 = 3;

impl Collector<'_, '_> {
    /// Keeps the cluster busy.
    pub(super) fn submit_work(&mut self) -> Result<(), SwarmError> {
        if self.coordinator.is_over() {
            // The only open question is what limits the verdict.
            self.cancel(|given| !given.limits)?;
        }
        if self.silent_since.is_some() && self.polled.is_some() {
            return Ok(());
        }
        let Some(largest) = self.largest()? else { return Ok(()) };
        let alone = self.tasks.is_empty();
        if !self.coordinator.is_over() {
            let most = batch::most(&self.coordinator, self.most);
            let room = most.saturating_sub(self.tasks.len());
            // Do not submit a new array for every single task that ends.
            if room > 0 && (alone || room >= most / 4) {
                let batch = batch::draw(&mut self.coordinator, &self.pace, room, most);
                let mut accepted = true;
                for array in batch.chunks(largest as usize) {
                    match accepted {
                        true => accepted = self.submit(array)?,
                        false => self.take_back(array),
                    }
                }
            }
        }
        // Ask for the limits as soon as a core is free: asked at the end, everything would wait for them.
        let asked = self.limits.is_some() || self.tasks.values().any(|given| given.limits);
        let idle = self.tasks.is_empty() && self.coordinator.wants_limits();
        if !asked && (idle || self.most > 1 && !self.tasks.is_empty() && self.tasks.len() < self.most) {
            let tile_size = self.coordinator.current;
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

    /// Submits an array. Returns whether the scheduler accepted it.
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
                    self.tasks.insert(task(index), OpenTask::new(assignment.clone(), Some(job.clone())));
                }
                self.answered();
                return Ok(true);
            }
            Err(error) => error,
        };
        (0..assignments.len()).try_for_each(|index| shared.remove(task(index)))?;
        self.take_back(assignments);
        // A submission that failed may be in the queue nevertheless.
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
            instances.iter().rev().for_each(|name| self.coordinator.lost(*tile_size, name.clone()));
        }
    }

    pub(super) fn cancel_all(&mut self) {
        let interrupted = self.reason == Some(Reason::Interrupted);
        let jobs = self.jobs(|_| true);
        self.cancel_jobs(&jobs);
        if !interrupted && self.coordinator.is_over() {
            let tasks: Vec<TaskId> = self.tasks.keys().copied().collect();
            // These tasks will not be resumed; files that cannot be removed do no harm.
            tasks.into_iter().for_each(|task| drop(self.cluster.shared.remove(task)));
        }
    }

    /// Cancels tasks, together with all others of their arrays.
    fn cancel(&mut self, which: impl Fn(&OpenTask) -> bool) -> Result<(), ClusterError> {
        let jobs = self.jobs(&which);
        self.cancel_jobs(&jobs);
        let tasks: Vec<TaskId> = self.tasks.iter().filter(|(_, given)| which(given)).map(|(task, _)| *task).collect();
        tasks.into_iter().try_for_each(|task| self.close(task))
    }

    fn jobs(&self, which: impl Fn(&OpenTask) -> bool) -> Vec<JobId> {
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
            std::thread::sleep(self.cluster.options.poll.min(RESULTS_PERIOD));
            result = self.cluster.scheduler.cancel(jobs);
        }
        if let Err(why) = result {
            let by_hand: Vec<String> = jobs.iter().map(|job| self.cluster.scheduler.cancel_by_hand(job)).collect();
            let by_hand = by_hand.join("; ");
            (self.cluster.notes)(&format!("tasks could not be cancelled ({why}): they run on, until you `{by_hand}`"));
        }
    }
}
