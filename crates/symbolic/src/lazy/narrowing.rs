//! Which analysis tells how many bits values need in a formula.

use selvedge_analyze::intervals::Rounds;
use selvedge_analyze::{Facts, Range};
use selvedge_engine::Control;
use selvedge_program::{GlobalId, Reason};

/// The values that memory may hold in a number of rounds, according to an analysis of the sequential program.
pub trait KnownCells: Send + Sync {
    /// The values of these bytes; `None` if nothing is known.
    fn get(&self, object: GlobalId, at: u64, bytes: u32) -> Option<Range>;
}

/// An analysis of memory that is not ours, for a number of rounds.
pub type CellAnalysis = fn(&Facts<'_>, u32, &Control) -> Result<Box<dyn KnownCells>, Reason>;

/// The source of the intervals that say how many bits values need.
#[derive(Clone, Copy, Debug, Default)]
pub enum Narrowing {
    /// None: values get the bits of their C types. For comparison.
    None,
    /// Ours (`selvedge_analyze::intervals`).
    #[default]
    Own,
    /// Ours for registers, another analysis's for memory.
    Cells(CellAnalysis),
}

impl Narrowing {
    /// Asks the other analysis, if there is one. It must also cover the round that shows whether more are needed. It
    /// looks at sequentially consistent runs, so under other memory models it says nothing; ours holds under all of
    /// them (`selvedge_analyze::intervals`).
    pub(super) fn known_cells(
        self,
        facts: &Facts<'_>,
        rounds: Option<u32>,
        control: &Control,
    ) -> Result<Option<Box<dyn KnownCells>>, Reason> {
        match self {
            Narrowing::None | Narrowing::Own => Ok(None),
            Narrowing::Cells(_) if facts.bounded.program.memory_model.has_buffers() => Ok(None),
            Narrowing::Cells(analysis) => {
                let rounds = rounds.ok_or_else(|| Reason::Limit("Frama-C's intervals require --rounds".to_string()))?;
                analysis(facts, rounds + 1, control).map(Some)
            }
        }
    }

    /// The ranges of values, round by round. `known`: from [`Narrowing::known_cells`].
    pub(super) fn ranges<'b>(self, facts: &'b Facts<'b>, known: Option<&'b dyn KnownCells>) -> Option<Rounds<'b>> {
        match (self, known) {
            (Narrowing::None, _) => None,
            (Narrowing::Own | Narrowing::Cells(_), Some(cells)) => {
                Some(facts.rounds_within(Box::new(|object, at, bytes| cells.get(object, at, bytes))))
            }
            (Narrowing::Own | Narrowing::Cells(_), None) => Some(facts.rounds()),
        }
    }
}
