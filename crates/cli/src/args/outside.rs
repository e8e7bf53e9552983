//! Outside checkers, and C for them.

use super::choice::{Choice, one_of};
use super::{BoundsArgs, IntervalArgs, LoadArgs, PropertyArgs};
use crate::engines::Capability;
use clap::Args;
use selvedge_to_c::{Backend, Style};
use std::path::PathBuf;

/// Options for outside checkers.
#[derive(Args)]
pub struct OutsideArgs {
    /// Give the program, as sequential C, to this command, in which {file} stands for it. It must answer as
    /// CBMC does: `VERIFICATION SUCCESSFUL` and exit code 0, or `VERIFICATION FAILED` after a counterexample
    #[arg(long, value_name = "COMMAND", value_parser = backend_cmd, add = Capability::Command, help_heading = OUTSIDE)]
    pub backend_cmd: Option<String>,
    #[command(flatten)]
    pub style: StyleArgs,
}

#[derive(Args)]
pub struct StyleArgs {
    /// How the sequential C is written [default: tacas17]
    #[arg(long, value_parser = one_of(STYLES), value_name = "STYLE", add = Capability::SequentialC,
          help_heading = OUTSIDE)]
    style: Option<Style>,
}

impl StyleArgs {
    pub fn style(&self) -> Style {
        self.style.unwrap_or(Style::Tacas17)
    }
}

const OUTSIDE: &str = "Outside checkers";

const STYLES: [Choice<Style>; 2] = [
    ("cav14", "Each context switch is guessed right before the thread runs", Style::Cav14),
    ("tacas17", "All are guessed at the start", Style::Tacas17),
];

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
    #[command(flatten)]
    pub style: StyleArgs,
    /// The tool that is to read it
    #[arg(long, value_parser = one_of(BACKENDS), default_value = "generic")]
    pub backend: Backend,
    #[command(flatten)]
    pub intervals: IntervalArgs,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Say nothing about bounds and about what is left out
    #[arg(short, long)]
    pub quiet: bool,
}

const BACKENDS: [Choice<Backend>; 5] = [
    ("generic", "Portable C that can be compiled and run, at random or along given choices", Backend::Generic),
    ("cbmc", "", Backend::Cbmc),
    ("esbmc", "", Backend::Esbmc),
    ("klee", "", Backend::Klee),
    ("frama-c", "", Backend::FramaC),
];
