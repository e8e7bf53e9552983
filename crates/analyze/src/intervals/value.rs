//! Abstract values.

use crate::places::{Offset, Targets};
use crate::range::Range;
use selvedge_bound::Bounded;
use selvedge_program::GlobalId;
use std::rc::Rc;

/// The abstract value of a register.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Value {
    pub range: Range,
    /// The places that it may point to, if they are known more precisely than by the points-to analysis.
    pub spots: Option<Rc<[Spot]>>,
    pub sum: Option<Sum>,
}

/// An earlier value of a cell plus something from `low` to `high`, modulo the cell's width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sum {
    pub cell: usize,
    pub low: i64,
    pub high: i64,
}

/// Places in an object at equal distances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Spot {
    pub object: GlobalId,
    pub first: i64,
    pub step: i64,
    pub count: i64,
}

/// Pointers with more places are left to the points-to analysis.
const MOST_SPOTS: usize = 8;

impl Value {
    pub fn new(range: Range) -> Value {
        Value { range, spots: None, sum: None }
    }

    pub fn any(width: u32) -> Value {
        Value::new(Range::any(width))
    }

    pub fn join(&self, other: &Value) -> Value {
        let spots = match (&self.spots, &other.spots) {
            (Some(a), Some(b)) if a == b => Some(a.clone()),
            (Some(a), Some(b)) if a.len() + b.len() <= MOST_SPOTS => {
                let new = b.iter().filter(|spot| !a.contains(spot));
                Some(a.iter().chain(new).copied().collect())
            }
            _ => None,
        };
        let sum = match (self.sum, other.sum) {
            (Some(a), Some(b)) if a.cell == b.cell => {
                Some(Sum { cell: a.cell, low: a.low.min(b.low), high: a.high.max(b.high) })
            }
            _ => None,
        };
        Value { range: self.range.join(other.range), spots, sum }
    }
}

impl Sum {
    /// The sum with a range.
    pub fn plus(self, range: (i128, i128)) -> Option<Sum> {
        let low = i64::try_from(i128::from(self.low) + range.0).ok()?;
        let high = i64::try_from(i128::from(self.high) + range.1).ok()?;
        Some(Sum { low, high, ..self })
    }
}

impl Spot {
    pub fn at(object: GlobalId, first: i64) -> Spot {
        Spot { object, first, step: 1, count: 1 }
    }

    pub fn of(bounded: &Bounded<'_>, targets: &Targets) -> Rc<[Spot]> {
        let spot = |object: GlobalId, offset: Offset| match offset {
            Offset::At(at) => Spot::at(object, at),
            Offset::Any => Spot::anywhere(bounded, object, 0, 1),
        };
        targets.places.iter().map(|place| spot(place.object, place.offset)).collect()
    }

    /// Any place in an object, with a known remainder modulo a power of two.
    fn anywhere(bounded: &Bounded<'_>, object: GlobalId, first: i64, step: i64) -> Spot {
        let size = i64::try_from(bounded.objects[object].size).unwrap_or(i64::MAX);
        Spot { object, first: first.rem_euclid(step), step, count: size / step + 1 }
    }

    pub fn moved(self, bytes: i64) -> Option<Spot> {
        self.first.checked_add(bytes).map(|first| Spot { first, ..self })
    }

    /// The place at an index. An index that leads out of the object and, by wrapping around, back into it keeps only
    /// the low bits that the stride leaves alone.
    pub fn indexed(self, bounded: &Bounded<'_>, index: Range, stride: u64) -> Spot {
        if stride == 0 {
            return self;
        }
        let limit = 1i128 << (bounded.program.data_model.pointer_bits() - 2);
        let (low, high) = index.signed();
        let (low, high) = (low.saturating_mul(i128::from(stride)), high.saturating_mul(i128::from(stride)));
        let first = i128::from(self.first) + low;
        let last = i128::from(self.first) + i128::from(self.count - 1) * i128::from(self.step) + high;
        if -limit < first && last < limit {
            let step = if self.count == 1 { stride as i64 } else { gcd(self.step, stride as i64) };
            return Spot { first: first as i64, step, count: ((last - first) / i128::from(step)) as i64 + 1, ..self };
        }
        let low_bits = |step: i64| 1i64 << step.trailing_zeros().min(12);
        let step = if self.count == 1 { low_bits(stride as i64) } else { low_bits(stride as i64 | self.step) };
        Spot::anywhere(bounded, self.object, self.first, step)
    }

    /// The offsets at which `bytes` bytes are in the object. `None` if they are too many, or any.
    pub fn offsets(self, size: u64, bytes: u32) -> Option<impl Iterator<Item = i64>> {
        let last = i64::try_from(size).ok()?.checked_sub(i64::from(bytes))?;
        let from = if self.first < 0 { (-self.first + self.step - 1) / self.step } else { 0 };
        let to = (last - self.first).div_euclid(self.step).min(self.count - 1);
        let few = (self.step > 1 || self.count == 1 || bytes == 1) && to - from < MOST_OFFSETS;
        few.then(|| (from..=to).map(move |index| self.first + index * self.step))
    }
}

const MOST_OFFSETS: i64 = 512;

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
