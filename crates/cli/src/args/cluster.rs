//! The arguments of swarms on clusters, and of the workers there.

use super::choice::{Choice, one_of};
use clap::Args;
use selvedge_swarm::cluster::scheduler::Scheduler;
use selvedge_swarm::cluster::shared::TaskId;
use selvedge_swarm::cluster::slurm::Slurm;
use std::path::PathBuf;

/// Options for a cluster.
#[derive(Args)]
pub struct ClusterArgs {
    /// Have instances checked by tasks on a cluster, in job arrays. They meet in the folder that --dir names.
    /// Account, QOS, time and the like are for the scheduler's own variables, as SBATCH_ACCOUNT
    #[arg(long, value_parser = one_of(CLUSTERS), value_name = "SCHEDULER", requires = "resume", conflicts_with = "jobs", help_heading = CLUSTER)]
    pub cluster: Option<MakeScheduler>,
    /// In this partition [default: the cluster's]
    #[arg(long, value_name = "P", requires = "cluster", help_heading = CLUSTER)]
    pub partition: Option<String>,
    /// Have A tasks of one core each in the queue at a time, in arrays no larger than the site allows
    #[arg(long, value_name = "A", requires = "cluster", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..), help_heading = CLUSTER)]
    pub array_size: u32,
    /// Use no more than N nodes at a time: there are never more than N tasks
    #[arg(long, value_name = "N", requires = "cluster", value_parser = clap::value_parser!(u32).range(1..), help_heading = CLUSTER)]
    pub nodes: Option<u32>,
    /// Give a task M instances [default: what takes about a minute]
    #[arg(long, value_name = "M", requires = "cluster", value_parser = clap::value_parser!(u32).range(1..), help_heading = CLUSTER)]
    pub task_instances: Option<u32>,
    /// Look at the queue every S seconds
    #[arg(long, value_name = "S", requires = "cluster", default_value_t = 5.0, value_parser = seconds, help_heading = CLUSTER)]
    pub poll: f64,
}

const CLUSTER: &str = "On a cluster";

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.01..=3600.0).contains(seconds));
    seconds.ok_or_else(|| "expected seconds, from 0.01 to 3600".to_string())
}

/// A scheduler for tasks in a partition.
pub type MakeScheduler = fn(Option<String>) -> Box<dyn Scheduler>;

const CLUSTERS: [Choice<MakeScheduler>; 1] =
    [("slurm", "Slurm: sbatch, squeue, scancel and scontrol must be on the path", |partition| {
        Box::new(Slurm { partition })
    })];

/// Everything else is in the folder.
#[derive(Args)]
pub struct WorkerArgs {
    /// The folder of the swarm
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The task, as in 3-17: the array, and the task in it
    #[arg(value_name = "TASK")]
    pub task: TaskId,
    /// Give up at so many megabytes [default: as the swarm was told, else half of the machine's memory]
    #[arg(long, value_name = "MB")]
    pub memory_limit: Option<u64>,
}

pub const WORKER_EXIT_CODES: &str = "Exit codes: 0 the task is done, whatever it found; 5 it was stopped, or met a limit; \
                                     2 the folder is of another version or not what it was; 70 internal error.";
