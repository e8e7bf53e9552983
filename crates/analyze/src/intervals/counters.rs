//! Counting: how far a variable can get by being added to.
//!
//! Every step runs at most once. So if a cell is only ever written by stores of fresh values and by stores of
//! what it held at some time before plus something (`x++`, whether or not an update gets lost), then whatever it
//! holds is a fresh value plus what a set of different steps has added. Within the width there is no wrapping
//! around as long as that sum fits.

use crate::range::Range;
use std::collections::BTreeMap;

/// Of one cell.
#[derive(Clone, Default)]
pub(super) struct Counter {
    /// All fresh values, as signed numbers; none at first.
    fresh: Option<(i128, i128)>,
    /// What each step, by thread and position, may add.
    added: BTreeMap<(usize, u32), (i64, i64)>,
    /// The least that all of them may add, and the most.
    total: (i128, i128),
    /// The sum does not fit, or somebody writes what is neither.
    broken: bool,
}

impl Counter {
    pub fn fresh(&mut self, range: Range) {
        let (low, high) = range.signed();
        self.fresh = Some(self.fresh.map_or((low, high), |(from, to)| (from.min(low), to.max(high))));
    }

    /// A step adds something: what the cell may then hold. `None`: counting does not tell.
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
