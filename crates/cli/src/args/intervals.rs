//! The source of intervals.

use super::choice::{Choice, one_of};
use crate::engines::Capability;
use crate::failure::Failure;
use clap::Args;
use selvedge_outside::IntervalSource;

/// Whether values get only the bits that they need.
#[derive(Args)]
pub struct IntervalArgs {
    #[command(flatten)]
    pub source: IntervalSourceArgs,
    /// Give every value all the bits of its type: for comparison
    #[arg(long, conflicts_with = "intervals", add = Capability::Intervals)]
    no_intervals: bool,
}

/// The analysis that bounds the values of variables.
#[derive(Args)]
pub struct IntervalSourceArgs {
    /// The analysis that bounds the values of variables; only the bits that they need are looked at
    #[arg(long, value_parser = one_of(SOURCES), value_name = "ANALYSIS", default_value = "own", add = Capability::Intervals)]
    pub intervals: IntervalSource,
}

const SOURCES: [Choice<IntervalSource>; 2] = [
    ("own", "Our own analysis", IntervalSource::Own),
    ("frama-c", "Frama-C's Eva, on the sequential program (with --rounds)", IntervalSource::FramaC),
];

impl IntervalArgs {
    pub fn source(&self) -> IntervalSource {
        if self.no_intervals { IntervalSource::None } else { self.source.intervals }
    }
}

impl IntervalSourceArgs {
    /// Refuses a source that has no meaning without a bound on rounds.
    pub fn check(&self, rounds: Option<u32>) -> Result<(), Failure> {
        match (self.intervals, rounds) {
            (IntervalSource::FramaC, None) => {
                Err(Failure::BadInput("--intervals frama-c requires --rounds: it is told of so many".to_string()))
            }
            (IntervalSource::FramaC, Some(_)) | (IntervalSource::Own | IntervalSource::None, _) => Ok(()),
        }
    }
}
