//! The arguments of `selvedge swarm`.

use super::choice::{Choice, one_of};
use super::{
    BoundsArgs, ClusterArgs, ConsoleArgs, IntervalArgs, LimitArgs, LoadArgs, PropertyArgs, RandomArgs, ResultArgs,
};
use crate::engines::{Capability, Entry};
use crate::swarm::{MakeBackend, SWARM_ENGINES};
use clap::Args;
use selvedge_symbolic::lazy::instances::Reuse;
use std::path::PathBuf;
use std::time::Duration;

/// An instance lets every thread be interrupted in some of its tiles only, and where it blocks.
#[derive(Args)]
pub struct SwarmArgs {
    #[command(flatten)]
    pub load: LoadArgs,
    #[command(flatten)]
    pub property: PropertyArgs,
    /// How to check instances
    #[arg(long, value_parser = one_of(Entry::choices(&SWARM_ENGINES)), default_value = "lazy")]
    pub engine: &'static Entry<MakeBackend>,
    #[command(flatten)]
    pub bounds: BoundsArgs,
    #[command(flatten)]
    pub intervals: IntervalArgs,
    /// Cut every thread into tiles of N points at which it may be interrupted [default: found by trying]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = TILES)]
    pub tile_size: Option<u32>,
    /// Let a thread's first tile have N points
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = TILES)]
    pub shift: u32,
    /// Read the tiles from a file, as --show-tiling prints them
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tile_size", "shift"], help_heading = TILES)]
    pub tiling: Option<PathBuf>,
    /// Print the points and tiles of every thread, and stop
    #[arg(long, help_heading = TILES)]
    pub show_tiling: bool,
    /// Select Z tiles of every thread [default: as many as rounds, which loses no run]
    #[arg(long, value_name = "Z", value_parser = clap::value_parser!(u32).range(1..), help_heading = TILES)]
    pub tiles: Option<u32>,
    /// Check M selections, drawn at random without repetition, or all
    #[arg(long, value_name = "M|all", default_value = "all", value_parser = instances, help_heading = TILES)]
    pub instances: Instances,
    /// Cut an instance that takes too long into smaller ones
    #[arg(long, help_heading = TILES)]
    pub divide: bool,
    /// Check all instances, even if some are buggy: for statistics
    #[arg(long, help_heading = TILES)]
    pub keep_going: bool,
    /// Keep this from one instance to the next: for comparison
    #[arg(long, value_parser = one_of(REUSES), default_value = "solver", add = Capability::Reuse, help_heading = TILES)]
    pub reuse: Reuse,
    /// Instances at a time [default: the number of cores]
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Give up an instance after so many seconds [default: none with --tile-size or --tiling, else it grows]
    #[arg(long, value_name = "S", value_parser = instance_time_limit)]
    pub instance_time_limit: Option<Duration>,
    #[command(flatten)]
    pub random: RandomArgs,
    /// Keep a record of every instance in this folder, and go on from what is there; what took too long is tried
    /// again if it may take longer now; with --cluster, all nodes must see it
    #[arg(long, value_name = "DIR", visible_alias = "dir")]
    pub resume: Option<PathBuf>,
    #[command(flatten)]
    pub results: ResultArgs,
    /// Draw the expected time to a bug over the number of cores, as SVG
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub cluster: ClusterArgs,
    #[command(flatten)]
    pub console: ConsoleArgs,
}

const TILES: &str = "Tiles and instances";

/// `--instances M|all`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instances(pub Option<u128>);

fn instances(text: &str) -> Result<Instances, String> {
    match text {
        "all" => Ok(Instances(None)),
        "0" => Err("without an instance nothing is checked: there must be at least 1, or all".to_string()),
        _ => text.parse().map(|number| Instances(Some(number))).map_err(|_| "expected a number, or all".to_string()),
    }
}

fn instance_time_limit(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0 && *seconds < 1e9);
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "expected a positive number of seconds".to_string())
}

pub const REUSES: [Choice<Reuse>; 3] = [
    ("solver", "The solver with all it has learnt", Reuse::Solver),
    ("formula", "The formula, for a new solver", Reuse::Formula),
    ("nothing", "Nothing: a formula for every instance", Reuse::Nothing),
];
