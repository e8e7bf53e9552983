//! Many tasks.

use super::{BoundsArgs, ConsoleArgs, EngineName};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct SuiteArgs {
    /// Folders with task definitions (.yml, or test.desc as CBMC and ESBMC have them), task definitions, or an
    /// INDEX.tsv
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Only tasks whose set begins with this
    #[arg(long, value_name = "NAME")]
    pub set: Option<String>,
    /// Seconds for each task
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub time_limit: u64,
    /// Megabytes for all tasks together [default: 80 % of the machine's memory]
    #[arg(long, value_name = "MB")]
    pub memory_limit: Option<u64>,
    /// Tasks at a time [default: the number of cores; half as many with --engine auto, which uses two]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// How to search
    #[arg(long, value_enum, default_value = "auto")]
    pub engine: EngineName,
    #[command(flatten)]
    pub bounds: BoundsArgs,
    /// Give every value the bits of its type in the lazy engine's formula, whatever it may be: for comparison
    #[arg(long)]
    pub no_intervals: bool,
    /// Write all results as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Show a line for each task, as -v does
    #[arg(long)]
    pub list: bool,
    #[command(flatten)]
    pub console: ConsoleArgs,
    /// Arguments for `selvedge check`
    #[arg(last = true, value_name = "CHECK-ARGS")]
    pub check_args: Vec<String>,
}
