//! Narrow values: what the intervals of `selvedge_analyze` say of a step's result is not left to the solver.
//!
//! Lazy-CSeq 2.0 gives every variable of the sequentialized program as many bits as its interval needs. Here it
//! is every result of every step: its low bits are kept, and the others are zeros or copies of the highest that is
//! kept; a result that can only be one value is that constant, and where it decides a branch, the other way vanishes.
//!
//! *Why that is right.* Nothing is required of a value: it is replaced by one that is equal whenever it is in its
//! range. The intervals cover every step that runs in a turn that was analysed, in all runs up to their first
//! violation; and the analysis is always one turn ahead of the encoding, also of the probes for deadlocks, which are
//! turns that no thread takes. So by induction along a run, every step that runs has its true value. A step that has
//! not run has some value as before, now perhaps another one; but what depends on it counts only where it is `active`,
//! and what a walk computes behind the place where its thread stops (guards, own objects) is computed anew by the next.
//! Points behind that place follow the one before them whatever their guards say.

use super::walk::Walk;
use selvedge_analyze::Range;
use selvedge_analyze::intervals::Rounds;
use selvedge_bound::BlockId;
use selvedge_formula::{Term, Terms};
use selvedge_program::{Reg, Ty};

/// How many bits results have, and how many of them they need.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BitCount {
    pub all: u64,
    pub needed: u64,
}

/// The ranges of values, as far as the encoding has got.
pub(super) struct Ranges<'b> {
    /// None if that is not wanted.
    rounds: Option<Rounds<'b>>,
    pub bits: BitCount,
}

impl<'b> Ranges<'b> {
    pub fn new(rounds: Option<Rounds<'b>>) -> Ranges<'b> {
        Ranges { rounds, bits: BitCount::default() }
    }

    /// The analysis goes on by as much as is encoded next.
    pub fn advance(&mut self, by: impl FnOnce(&mut Rounds<'b>)) {
        if let Some(rounds) = &mut self.rounds {
            by(rounds);
        }
    }

    fn of_result(&self, thread: usize, block: BlockId, step: usize) -> Option<Range> {
        self.rounds.as_ref()?.facts.result(thread, block, step).filter(|range| !range.is_any())
    }

    fn of_store(&self, thread: usize, block: BlockId, step: usize) -> Option<Range> {
        self.rounds.as_ref()?.facts.stored(thread, block, step).filter(|range| !range.is_any())
    }

    /// For statistics.
    fn count(&mut self, bits: u32, range: Option<Range>) {
        let all = u64::from(bits);
        self.bits.all += all;
        self.bits.needed += range.map_or(all, |range| match range.single() {
            Some(_) => 0,
            None => u64::from(range.bits().count),
        });
    }
}

impl Walk<'_, '_> {
    /// The range of the first result of the step, if that is less than anything.
    pub(super) fn range_of_result(&self, reg: Option<&Reg>) -> Option<Range> {
        let is_integer = reg.is_some_and(|reg| matches!(self.reg_type(*reg), Ty::Int(_)));
        self.ranges.of_result(self.here.thread, self.here.block, self.here.step).filter(|_| is_integer)
    }

    /// The range of what the step stores, if that is less than anything.
    pub(super) fn range_of_store(&self) -> Option<Range> {
        self.ranges.of_store(self.here.thread, self.here.block, self.here.step)
    }

    pub(super) fn count_bits(&mut self, value: Term, range: Option<Range>) {
        if !self.is_probe() {
            self.ranges.count(self.terms.bits(value), range);
        }
    }
}

/// The bits that matter of a value in a range; `None`: there is only one value.
pub(super) fn bits_in(terms: &mut Terms, value: Term, range: Range) -> Option<Term> {
    let count = range.bits().count;
    range.single().is_none().then(|| terms.extract(value, 0, count))
}

/// Back from these.
pub(super) fn widened(terms: &mut Terms, low: Option<Term>, range: Range) -> Term {
    match low {
        Some(low) if range.bits().signed => terms.sign_extend(low, range.width()),
        Some(low) => terms.zero_extend(low, range.width()),
        None => terms.constant(range.width(), range.single().unwrap_or(0)),
    }
}

pub(super) fn narrowed(terms: &mut Terms, value: Term, range: Option<Range>) -> Term {
    let Some(range) = range.filter(|range| range.width() == terms.bits(value)) else { return value };
    let low = bits_in(terms, value, range);
    widened(terms, low, range)
}
