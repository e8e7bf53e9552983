//! The arguments of `selvedge swarm`.

use super::{BoundsArgs, ClusterArgs, ConsoleArgs, EngineName, IntervalArgs, LoadArgs, PropertyArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// An instance lets every thread be interrupted in some of its tiles only, and where it blocks.
#[derive(Args)]
pub struct SwarmArgs {
    #[command(flatten)]
    pub load: LoadArgs,
    #[command(flatten)]
    pub property: PropertyArgs,
    /// Who checks instances
    #[arg(long, value_enum, default_value = "lazy")]
    pub engine: SwarmEngine,
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
    /// What to keep from one instance to the next: for comparison
    #[arg(long, value_enum, default_value = "solver", help_heading = TILES)]
    pub reuse: ReuseName,
    /// Instances at a time [default: the number of cores]
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Give up after so many seconds
    #[arg(long, value_name = "S")]
    pub time_limit: Option<u64>,
    /// Give up an instance after so many seconds [default: none with --tile-size or --tiling, else it grows]
    #[arg(long, value_name = "S")]
    pub instance_time_limit: Option<f64>,
    /// Give up at so many megabytes; with --cluster, each task for itself [default: 80 % of the machine's memory]
    #[arg(long, value_name = "MB")]
    pub memory_limit: Option<u64>,
    /// For everything that is drawn at random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Keep a record of every instance in this folder, and go on from what is there; what took too long is tried
    /// again if it may take longer now; with --cluster, all nodes must see it
    #[arg(long, value_name = "DIR", visible_alias = "dir")]
    pub resume: Option<PathBuf>,
    /// Answer unknown if "safe" would rest on an assumption, such as a function that has no model
    #[arg(long)]
    pub strict: bool,
    /// Write the result as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the schedule of a violation, for `selvedge replay`
    #[arg(long, value_name = "FILE")]
    pub schedule_out: Option<PathBuf>,
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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SwarmEngine {
    /// Assumptions on one formula for a SAT solver, which keeps what it learns
    Lazy,
    /// Explicit-state search with preemptions at the tiles' places in the program
    Explicit,
    /// A file of sequential C for each instance, checked by CBMC
    Cbmc,
}

impl SwarmEngine {
    pub fn name(self) -> EngineName {
        match self {
            SwarmEngine::Lazy => EngineName::Lazy,
            SwarmEngine::Explicit => EngineName::Explicit,
            SwarmEngine::Cbmc => EngineName::Cbmc,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReuseName {
    /// The solver with all it has learnt
    Solver,
    /// The formula, for a new solver
    Formula,
    /// Nothing: a formula for every instance
    Nothing,
}
