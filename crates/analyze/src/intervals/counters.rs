//! Counters: bounds of a variable that is only added to.
//!
//! Every step runs at most once. If a cell is only ever written by stores of fresh values and by stores of
//! an earlier value of it plus something (`x++`, whether or not an update gets lost), then its value is always
//! a fresh value plus the additions of a set of different steps. It does not wrap around as long as that sum fits
//! into its width.

use crate::range::Range;
use std::collections::BTreeMap;

/// The counter of one cell.
#[derive(Clone, Default)]
pub(super) struct Counter {
    /// All fresh values, as signed numbers; none at first.
    fresh: Option<(i128, i128)>,
    /// The least and the greatest addition of each step, by thread and position.
    added: BTreeMap<(usize, u32), (i64, i64)>,
    /// The least and the greatest sum of all additions.
    total: (i128, i128),
    /// Whether the sum does not fit, or some store is neither fresh nor an addition.
    broken: bool,
}

impl Counter {
    pub fn fresh(&mut self, range: Range) {
        let (low, high) = range.signed();
        self.fresh = Some(self.fresh.map_or((low, high), |(from, to)| (from.min(low), to.max(high))));
    }

    /// Notes the addition of a step. Returns the values that the cell may then hold; `None` if the counter does not
    /// tell.
    pub fn add(&mut self, step: (usize, u32), low: i64, high: i64, width: u32) -> Option<Range> {
        let known = self.added.entry(step).or_insert((0, 0));
        let new = (known.0.min(low), known.1.max(high));
        self.total.0 += i128::from(new.0) - i128::from(known.0);
        self.total.1 += i128::from(new.1) - i128::from(known.1);
        *known = new;
        let (low, high) = self.fresh?;
        let (low, high) = (low + self.total.0, high + self.total.1);
        let (least, greatest) = Range::any(width).signed();
        self.broken |= width > 64 || low < least || high > greatest;
        (!self.broken).then(|| Range::wrapped(width, low, high))
    }

    pub fn give_up(&mut self) {
        self.broken = true;
    }
}
