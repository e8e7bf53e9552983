//! Whose intervals.

use clap::{Args, ValueEnum};
use selvedge_engines::Narrowing;

/// Who says how many bits values need.
#[derive(Args)]
pub struct IntervalArgs {
    /// Who says what values may be, so that only the bits that they need are looked at [default: own]
    #[arg(long, value_enum, value_name = "WHO")]
    pub intervals: Option<IntervalsName>,
    /// Give every value all the bits of its type: for comparison
    #[arg(long, conflicts_with = "intervals")]
    pub no_intervals: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum IntervalsName {
    /// Our own analysis
    Own,
    /// Frama-C's Eva, on the sequential program (with --rounds)
    FramaC,
}

impl IntervalArgs {
    pub fn narrowing(&self) -> Narrowing {
        if self.no_intervals { Narrowing::None } else { self.intervals.map_or(Narrowing::Own, Narrowing::from) }
    }
}

impl From<IntervalsName> for Narrowing {
    fn from(name: IntervalsName) -> Narrowing {
        match name {
            IntervalsName::Own => Narrowing::Own,
            IntervalsName::FramaC => Narrowing::FramaC,
        }
    }
}
