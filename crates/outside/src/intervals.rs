//! The source of the intervals that say how many bits values need, as the user chooses.

use crate::frama_c;
use selvedge_analyze::{Facts, Intervals};
use selvedge_engine::Control;
use selvedge_program::Reason;
use selvedge_symbolic::lazy::Narrowing;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalSource {
    /// None: values get the bits of their C types.
    None,
    #[default]
    Own,
    /// Frama-C's Eva on the sequential program, for the number of rounds that is asked for.
    FramaC,
}

impl IntervalSource {
    /// The corresponding choice of the lazy engine.
    pub fn narrowing(self) -> Narrowing {
        match self {
            IntervalSource::None => Narrowing::None,
            IntervalSource::Own => Narrowing::Own,
            IntervalSource::FramaC => Narrowing::Cells(frama_c::known_cells),
        }
    }

    /// The values that everything may have in this many rounds.
    pub fn compute(self, facts: &Facts<'_>, rounds: u32, control: &Control) -> Result<Option<Intervals>, Reason> {
        Ok(match self {
            IntervalSource::None => None,
            IntervalSource::Own => Some(facts.intervals(rounds)),
            // It would be asked about sequentially consistent runs.
            IntervalSource::FramaC if facts.bounded.program.memory_model.has_buffers() => Some(facts.intervals(rounds)),
            IntervalSource::FramaC => {
                let cells = frama_c::known_cells(facts, rounds, control)?;
                let known = |object, at, bytes| cells.get(object, at, bytes);
                let (points_to, interference) = (&facts.points_to, &facts.interference);
                Some(Intervals::with_cells(facts.bounded, points_to, interference, &facts.points, rounds, known))
            }
        })
    }
}
