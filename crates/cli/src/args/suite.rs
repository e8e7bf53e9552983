//! Many tasks.

use super::choice::one_of;
use super::harness::ThreadsArg;
use super::{BoundsArgs, ConsoleArgs, IntervalArgs, ReportArgs};
use crate::engines::{ENGINES, Entry, MakeEngine};
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
    /// Megabytes for all tasks together [default: half of the machine's memory]
    #[arg(long, value_name = "MB")]
    pub memory_limit: Option<u64>,
    /// Tasks at a time [default: the number of cores; half as many with --engine auto, which uses two]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    #[command(flatten)]
    pub checked: CheckedArgs,
    /// Write all results as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    #[command(flatten)]
    pub reports: ReportArgs,
    /// Show a line for each task, as -v does
    #[arg(long)]
    pub list: bool,
    #[command(flatten)]
    pub console: ConsoleArgs,
    /// Arguments for `selvedge check`
    #[arg(last = true, value_name = "CHECK-ARGS")]
    pub check_args: Vec<String>,
}

/// Options that are passed on to every `selvedge check`.
#[derive(Args)]
pub struct CheckedArgs {
    /// How to search
    #[arg(long, value_parser = one_of(Entry::choices(&ENGINES)), default_value = "auto")]
    pub engine: &'static Entry<MakeEngine>,
    #[command(flatten)]
    pub bounds: BoundsArgs,
    #[command(flatten)]
    pub threads: ThreadsArg,
    #[command(flatten)]
    pub intervals: IntervalArgs,
}
