//! Whose intervals.

use clap::{Args, ValueEnum};
use selvedge_outside::IntervalSource;

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
    pub fn source(&self) -> IntervalSource {
        if self.no_intervals {
            IntervalSource::None
        } else {
            self.intervals.map_or(IntervalSource::Own, IntervalSource::from)
        }
    }
}

impl From<IntervalsName> for IntervalSource {
    fn from(name: IntervalsName) -> IntervalSource {
        match name {
            IntervalsName::Own => IntervalSource::Own,
            IntervalsName::FramaC => IntervalSource::FramaC,
        }
    }
}
