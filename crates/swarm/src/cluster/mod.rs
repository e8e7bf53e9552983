//! Workers on other machines: a swarm on a cluster.
//!
//! The collector owns the coordinator and distributes instances as tasks; a scheduler runs a worker for each task,
//! somewhere. They communicate only through a folder that all of them see. Every file in it appears whole or not at
//! all, and whatever happens to a task, only the work that it had not written down is lost:
//!
//! - A task that is gone without having done everything is lost. Its results count, the rest goes to another task.
//! - A task that runs twice writes results that are known already.
//! - A collector that is killed leaves its records ([`crate::records`]), its tasks and their results; the next one
//!   reads them, finds in the scheduler's queue which tasks are still there, and goes on.
//!
//! Workers learn everything from the folder: the program itself, bounds, tiling. They reject a folder that was made by
//! another version, or whose program does not match its hash.
//!
//! | module | what it does |
//! |---|---|
//! | [`shared`] | the folder |
//! | [`scheduler`], [`slurm`] | the interface of schedulers; its only implementation |
//! | [`collector`], [`batch`] | distributes tasks and collects results; the size of tasks |
//! | [`worker`] | one task |

pub mod batch;
pub mod collector;
pub mod scheduler;
pub mod shared;
pub mod slurm;
pub mod worker;

use crate::records::FolderError;

/// An error that ends a swarm on a cluster early. The folder remains usable.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("the cluster refused: {0}")]
    Refused(String),
    #[error("the cluster has not answered for {minutes} minutes: {why}")]
    Silent { minutes: u64, why: String },
    #[error("{folder} was made by version {stored}, this is version {own}")]
    Version { folder: String, stored: String, own: String },
    #[error("{file} has changed since the swarm was started")]
    OtherProgram { file: String },
    #[error("task {task} refuses to work: {why}")]
    RefusedByWorker { task: String, why: String },
    #[error("{count} tasks in a row ended without a result, the last one as {how}; {log}")]
    Fruitless { count: u32, how: String, log: String },
    /// A bug of ours.
    #[error("task {task} broke down: {why}")]
    Broken { task: String, why: String },
}
