//! What a cluster's scheduler can do for us. Another one is another implementation, and nothing else.

use super::shared::TaskId;
use std::path::PathBuf;

/// Runs arrays of tasks, each `worker FOLDER TASK` on one core, some time on some node.
///
/// Arrays of one swarm have a key in common, and numbers; by these they are found again, also by a collector that
/// did not submit them. A task that is lost stays lost: the collector gives its instances to another one.
pub trait Scheduler {
    /// The most tasks that an array may have here.
    fn largest_array(&self) -> Result<u32, SchedulerError>;

    fn submit(&self, array: &Array) -> Result<JobId, SchedulerError>;

    /// All tasks of arrays with this key that are known; those that ended long ago are not.
    fn tasks(&self, key: &str) -> Result<Vec<Seen>, SchedulerError>;

    /// Ends what still runs of these, and what waits. Those that are over already do no harm.
    fn cancel(&self, jobs: &[JobId]) -> Result<(), SchedulerError>;

    /// How a user would cancel it.
    fn cancel_by_hand(&self, job: &JobId) -> String;
}

/// What the scheduler calls an array.
pub type JobId = String;

/// Tasks `number-0` to `number-(tasks-1)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    pub key: String,
    pub number: u32,
    pub tasks: u32,
    /// The `selvedge` command, as nodes find it.
    pub command: PathBuf,
    pub folder: PathBuf,
    /// What a task says goes to `NUMBER-TASK.log` there.
    pub logs: PathBuf,
    /// For a task, if it matters.
    pub megabytes: Option<u64>,
}

/// What the scheduler knows of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    pub job: JobId,
    pub task: TaskId,
    pub state: State,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    Waiting,
    Running,
    /// Over; how, in the scheduler's words.
    Ended {
        how: String,
        /// Was it the cluster's doing? Then the task is not to blame, and another one may fare better.
        by_cluster: bool,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SchedulerError {
    /// Trying again is of no use.
    #[error("{0}")]
    Refused(String),
    /// Later, perhaps.
    #[error("{0}")]
    Unreachable(String),
}
