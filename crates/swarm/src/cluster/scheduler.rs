//! The interface of a cluster's scheduler. Supporting another one takes another implementation, and nothing else.

use super::shared::TaskId;
use std::path::PathBuf;

/// Runs arrays of tasks, each `worker FOLDER TASK` on one core, at some time on some node.
///
/// Arrays of one swarm share a key and are numbered; so they are found again, also by a collector that did not submit
/// them. A lost task is not restarted: the collector gives its instances to another one.
pub trait Scheduler {
    /// The most tasks that an array may have.
    fn largest_array(&self) -> Result<u32, SchedulerError>;

    fn submit(&self, array: &Array) -> Result<JobId, SchedulerError>;

    /// All known tasks of arrays with this key. Tasks that ended long ago are not known.
    fn tasks(&self, key: &str) -> Result<Vec<Seen>, SchedulerError>;

    /// Cancels running and waiting tasks of these jobs. Jobs that have ended do no harm.
    fn cancel(&self, jobs: &[JobId]) -> Result<(), SchedulerError>;

    /// The command with which a user would cancel it.
    fn cancel_by_hand(&self, job: &JobId) -> String;
}

/// The scheduler's identifier of an array.
pub type JobId = String;

/// Tasks `number-0` to `number-(tasks-1)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    pub key: String,
    pub number: u32,
    pub tasks: u32,
    /// The path of the `selvedge` command on the nodes.
    pub command: PathBuf,
    pub folder: PathBuf,
    /// The folder in which the output of a task goes to `NUMBER-TASK.log`.
    pub logs: PathBuf,
    /// The memory of a task, if it is limited.
    pub megabytes: Option<u64>,
}

/// The state of a task according to the scheduler.
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
    /// It ended; how, in the scheduler's words.
    Ended {
        how: String,
        /// Whether the cluster ended it. Then another task may succeed with the same instances.
        by_cluster: bool,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SchedulerError {
    /// Trying again is pointless.
    #[error("{0}")]
    Refused(String),
    /// Trying again later may help.
    #[error("{0}")]
    Unreachable(String),
}
