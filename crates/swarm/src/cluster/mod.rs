//! Workers on other machines: a swarm on a cluster.
//!
//! The collector has the boss, and gives instances away in tasks; a scheduler runs a worker for each task, somewhere.
//! They meet in a folder that all of them see, and only there. Every file in it appears whole or not at all, and
//! whatever happens to a task, no more is lost than the work that it had not written down:
//!
//! - A task that is gone without having done everything is lost. What it did counts, the rest goes to another task.
//! - A task that runs twice writes the same, or what is known already.
//! - A collector that is killed leaves its records ([`crate::records`]), its tasks and their results; the next one
//!   reads them, finds in the scheduler's queue which tasks are still there, and goes on.
//!
//! Workers are told everything by the folder: the program itself, bounds, tiling. They refuse a folder that another
//! version made, or whose program is not the one that was numbered.
//!
//! | module | what it does |
//! |---|---|
//! | [`shared`] | the folder |
//! | [`scheduler`], [`slurm`] | what a scheduler can do; the one that there is |
//! | [`collector`], [`batch`] | gives tasks away and collects results; how large tasks are |
//! | [`worker`] | one task |

pub mod batch;
pub mod collector;
pub mod scheduler;
pub mod shared;
pub mod slurm;
pub mod worker;

use crate::records::FolderError;

/// What ends a swarm on a cluster before its time. The folder can be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("the cluster refuses: {0}")]
    Refused(String),
    #[error("the cluster has not answered for {minutes} minutes: {why}")]
    Silent { minutes: u64, why: String },
    #[error("{folder} was made by version {stored}, this is version {own}")]
    Version { folder: String, stored: String, own: String },
    #[error("{file} is not what the swarm was begun with")]
    OtherProgram { file: String },
    #[error("task {task} refuses to work: {why}")]
    RefusedByWorker { task: String, why: String },
    #[error("{count} tasks in a row ended without a result, the last one as {how}; {log}")]
    Fruitless { count: u32, how: String, log: String },
    /// A bug of ours.
    #[error("task {task} broke down: {why}")]
    Broken { task: String, why: String },
}
