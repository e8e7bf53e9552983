//! Outside checkers, and C for them.

use super::{BoundsArgs, IntervalArgs, LoadArgs, PropertyArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What outside checkers are given.
#[derive(Args)]
pub struct OutsideArgs {
    /// Give the program, as sequential C, to this command, in which {file} stands for it. It must answer as
    /// CBMC does: `VERIFICATION SUCCESSFUL` and exit code 0, or `VERIFICATION FAILED` after a counterexample
    #[arg(long, value_name = "COMMAND", value_parser = backend_cmd, help_heading = OUTSIDE)]
    pub backend_cmd: Option<String>,
    /// How the sequential C is written [default: tacas17]
    #[arg(long, value_enum, value_name = "STYLE", help_heading = OUTSIDE)]
    pub style: Option<StyleName>,
}

const OUTSIDE: &str = "Outside checkers";

fn backend_cmd(text: &str) -> Result<String, String> {
    match text.contains("{file}") {
        true => Ok(text.to_string()),
        false => Err("{file} must stand somewhere in it, for the program".to_string()),
    }
}

#[derive(Args)]
pub struct SequentializeArgs {
    #[command(flatten)]
    pub load: LoadArgs,
    #[command(flatten)]
    pub property: PropertyArgs,
    /// Without any: two rounds, two iterations.
    #[command(flatten)]
    pub bounds: BoundsArgs,
    /// Whose driver
    #[arg(long, value_enum, default_value = "tacas17")]
    pub style: StyleName,
    /// Who is to read it
    #[arg(long, value_enum, default_value = "generic")]
    pub backend: BackendName,
    #[command(flatten)]
    pub intervals: IntervalArgs,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Say nothing about bounds and about what is left out
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum StyleName {
    /// Each context switch is guessed right before the thread runs
    Cav14,
    /// All are guessed at the start
    Tacas17,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum BackendName {
    /// Portable C that can be compiled and run, at random or along given choices
    Generic,
    Cbmc,
    Esbmc,
    Klee,
    FramaC,
}
