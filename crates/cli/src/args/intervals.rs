//! The source of intervals.

use super::choice::{Choice, one_of};
use crate::engines::Capability;
use crate::failure::Failure;
use clap::Args;
use selvedge_engines::Narrowing;

/// Whether values get only the bits that they need.
#[derive(Args)]
pub struct IntervalArgs {
    #[command(flatten)]
    pub source: IntervalSource,
    /// Give every value all the bits of its type: for comparison
    #[arg(long, conflicts_with = "intervals", add = Capability::Intervals)]
    no_intervals: bool,
}

/// The source of what values may be.
#[derive(Args)]
pub struct IntervalSource {
    /// The source of what values may be; only the bits that they need are looked at
    #[arg(long, value_parser = one_of(SOURCES), value_name = "WHO", default_value = "own", add = Capability::Intervals)]
    pub intervals: Narrowing,
}

const SOURCES: [Choice<Narrowing>; 2] = [
    ("own", "Our own analysis", Narrowing::Own),
    ("frama-c", "Frama-C's Eva, on the sequential program (with --rounds)", Narrowing::FramaC),
];

impl IntervalArgs {
    pub fn narrowing(&self) -> Narrowing {
        if self.no_intervals { Narrowing::None } else { self.source.intervals }
    }
}

impl IntervalSource {
    /// Refuses a source that has no meaning without a bound on rounds.
    pub fn check(&self, rounds: Option<u32>) -> Result<(), Failure> {
        match (self.intervals, rounds) {
            (Narrowing::FramaC, None) => {
                Err(Failure::BadInput("--intervals frama-c requires --rounds: it is told of so many".to_string()))
            }
            (Narrowing::FramaC, Some(_)) | (Narrowing::Own | Narrowing::None, _) => Ok(()),
        }
    }
}
