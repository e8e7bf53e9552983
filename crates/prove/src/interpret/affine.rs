//! Affine equalities modulo powers of two: `a + b = 1000`, `i = j`, `x = 4 y + 1`.
//!
//! Karr's domain (1976) over machine integers, where nothing overflows because everything wraps around (Müller-Olm and
//! Seidl: Analysis of modular arithmetic, TOPLAS 2007; Elder and others: Abstract domains of affine relations, TOPLAS
//! 2014). We keep only equalities that have an odd coefficient, so each can be solved for a slot, and drop those that
//! have not: precision is lost where only a multiple of a slot is known, and no chain is longer than there are slots.

use super::value::Value;
use selvedge_formula::{Term, Terms, mask};
use selvedge_program::BinOp;
use std::collections::BTreeSet;

/// A variable, by its position in a [`super::state::State`].
pub type Slot = u32;

/// No state satisfies what is claimed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contradiction;

/// A sum of slots with coefficients, and a constant, modulo 2^bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linear {
    pub bits: u32,
    /// In ascending order of slots, no coefficient zero.
    pub sum: Vec<(Slot, u128)>,
    pub constant: u128,
}

impl Linear {
    pub fn constant(bits: u32, value: u128) -> Linear {
        Linear { bits, sum: Vec::new(), constant: value & mask(bits) }
    }

    pub fn slot(bits: u32, slot: Slot) -> Linear {
        Linear { bits, sum: vec![(slot, 1)], constant: 0 }
    }

    /// The slot that this is, if it is nothing else.
    pub fn as_slot(&self) -> Option<Slot> {
        match self.sum.as_slice() {
            [(slot, 1)] if self.constant == 0 => Some(*slot),
            _ => None,
        }
    }

    pub fn coefficient(&self, slot: Slot) -> u128 {
        self.sum.binary_search_by_key(&slot, |part| part.0).map_or(0, |position| self.sum[position].1)
    }

    pub fn scaled(mut self, by: u128) -> Linear {
        let mask = mask(self.bits);
        self.sum.iter_mut().for_each(|part| part.1 = part.1.wrapping_mul(by) & mask);
        self.sum.retain(|part| part.1 != 0);
        self.constant = self.constant.wrapping_mul(by) & mask;
        self
    }

    /// `self + by * other`.
    pub fn plus(&self, by: u128, other: &Linear) -> Linear {
        let mask = mask(self.bits);
        let mut sum = Vec::with_capacity(self.sum.len() + other.sum.len());
        let (mut mine, mut others) = (self.sum.iter().peekable(), other.sum.iter().peekable());
        loop {
            let next = match (mine.peek(), others.peek()) {
                (None, None) => break,
                (Some(a), Some(b)) if a.0 == b.0 => (a.0, a.1.wrapping_add(by.wrapping_mul(b.1)) & mask, true, true),
                (Some(a), Some(b)) if a.0 < b.0 => (a.0, a.1, true, false),
                (Some(a), None) => (a.0, a.1, true, false),
                (_, Some(b)) => (b.0, by.wrapping_mul(b.1) & mask, false, true),
            };
            if next.1 != 0 {
                sum.push((next.0, next.1));
            }
            if next.2 {
                mine.next();
            }
            if next.3 {
                others.next();
            }
        }
        let constant = self.constant.wrapping_add(by.wrapping_mul(other.constant)) & mask;
        Linear { bits: self.bits, sum, constant }
    }

    pub fn minus(&self, other: &Linear) -> Linear {
        self.plus(mask(self.bits), other)
    }

    fn renamed(mut self, new: impl Fn(Slot) -> Slot) -> Linear {
        self.sum.iter_mut().for_each(|part| part.0 = new(part.0));
        self.sum.sort_unstable();
        self
    }

    /// The possible values of all parts but one.
    fn rest(&self, without: Option<Slot>, values: &[Value]) -> Value {
        let mut all = Value::exactly(self.bits, self.constant);
        for &(slot, coefficient) in self.sum.iter().filter(|part| Some(part.0) != without) {
            let value = &values[slot as usize];
            let part = if coefficient == 1 {
                value.clone()
            } else {
                Value::binary(BinOp::Mul, value, &Value::exactly(self.bits, coefficient))
            };
            all = Value::binary(BinOp::Add, &all, &part);
        }
        all
    }

    pub fn value(&self, values: &[Value]) -> Value {
        self.rest(None, values)
    }

    pub fn term(&self, terms: &mut Terms, of: &dyn Fn(Slot) -> Term) -> Term {
        let mut all = terms.constant(self.bits, self.constant);
        for &(slot, coefficient) in &self.sum {
            let coefficient = terms.constant(self.bits, coefficient);
            let part = terms.mul(coefficient, of(slot));
            all = terms.add(all, part);
        }
        all
    }
}

/// The inverse of an odd number modulo 2^128 (Newton; each round doubles the bits that are right).
fn inverse(odd: u128) -> u128 {
    let mut inverse = odd;
    for _ in 0..7 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

#[derive(Clone, PartialEq, Debug)]
struct Row {
    /// Has coefficient 1 here, and none in all other rows.
    pivot: Slot,
    /// Is zero.
    linear: Linear,
}

/// Equalities that hold together.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Affine {
    rows: Vec<Row>,
}

impl Affine {
    pub fn rows(&self) -> impl Iterator<Item = &Linear> {
        self.rows.iter().map(|row| &row.linear)
    }

    /// Drops equalities about one slot each, of which [`Affine::refine`] has told values.
    pub fn retain_sums(&mut self) {
        self.rows.retain(|row| row.linear.sum.len() > 1 || row.linear.bits > 64);
    }

    /// Two linear forms are equal in all states if their reduced difference is zero.
    pub fn reduced(&self, linear: &Linear) -> Linear {
        let mut reduced = linear.clone();
        for &(slot, _) in &linear.sum {
            if let Some(row) = self.rows.iter().find(|row| row.pivot == slot) {
                let coefficient = reduced.coefficient(slot);
                reduced = reduced.plus(coefficient.wrapping_neg(), &row.linear);
            }
        }
        reduced
    }

    /// Adds that a linear form is zero. Returns whether that was new.
    pub fn add(&mut self, zero: &Linear) -> Result<bool, Contradiction> {
        let linear = self.reduced(zero);
        if linear.sum.is_empty() {
            return if linear.constant == 0 { Ok(false) } else { Err(Contradiction) };
        }
        let Some(&(pivot, coefficient)) = linear.sum.iter().rev().find(|part| part.1 & 1 == 1) else {
            return Ok(false);
        };
        let linear = linear.scaled(inverse(coefficient));
        for row in &mut self.rows {
            let coefficient = row.linear.coefficient(pivot);
            if coefficient != 0 {
                row.linear = row.linear.plus(coefficient.wrapping_neg(), &linear);
            }
        }
        self.rows.push(Row { pivot, linear });
        Ok(true)
    }

    pub fn slots(&self) -> BTreeSet<Slot> {
        self.rows().flat_map(|row| row.sum.iter().map(|part| part.0)).collect()
    }

    pub fn forget(&mut self, slot: Slot) {
        if let Some(position) = self.rows.iter().position(|row| row.pivot == slot) {
            self.rows.swap_remove(position);
            return;
        }
        let mut linears: Vec<Linear> = self.rows.drain(..).map(|row| row.linear).collect();
        eliminate(&mut linears, slot);
        for linear in linears {
            // These are consequences of equalities that hold together, so they do.
            let _ = self.add(&linear);
        }
    }

    /// Keeps only slots that have a new name, under that name.
    pub fn renamed(mut self, new: &dyn Fn(Slot) -> Option<Slot>) -> Affine {
        for slot in self.slots().into_iter().rev().filter(|&slot| new(slot).is_none()) {
            self.forget(slot);
        }
        let mut renamed = Affine::default();
        for row in self.rows {
            let _ = renamed.add(&row.linear.renamed(|slot| new(slot).unwrap_or(slot)));
        }
        renamed
    }

    pub fn entails(&self, zero: &Linear) -> bool {
        let reduced = self.reduced(zero);
        reduced.sum.is_empty() && reduced.constant == 0
    }

    /// The equalities that hold in both: the affine hull. `slots` is the number of slots.
    pub fn join(&self, other: &Affine, slots: u32) -> Affine {
        let mut hull = Affine::default();
        let (mine, common): (Vec<_>, Vec<_>) = self.rows().partition(|row| !other.entails(row));
        let (others, common_too): (Vec<_>, Vec<_>) = other.rows().partition(|row| !self.entails(row));
        for row in common.into_iter().chain(common_too) {
            let _ = hull.add(row);
        }
        if mine.is_empty() || others.is_empty() {
            return hull;
        }
        // A point of the hull is x = y + z, where y satisfies the one with constants times l, z the other with those
        // times 1 - l. Slots: x, then y, then l. What remains after y and l are eliminated holds for x.
        let l = 2 * slots;
        let mut rows: Vec<Linear> = Vec::new();
        for row in mine {
            let row = hull.reduced(row);
            let constant = Linear { sum: vec![(l, row.constant)], constant: 0, bits: row.bits };
            let y = Linear { constant: 0, ..row.clone() }.renamed(|slot| slot + slots);
            rows.push(y.plus(1, &Linear { sum: constant.sum.into_iter().filter(|c| c.1 != 0).collect(), ..constant }));
        }
        for row in others {
            let row = hull.reduced(row);
            let y = Linear { constant: 0, ..row.clone() }.renamed(|slot| slot + slots);
            let l = Linear { sum: vec![(l, 1)], constant: 0, bits: row.bits };
            rows.push(row.minus(&y).plus(row.constant.wrapping_neg(), &l));
        }
        let gone: BTreeSet<Slot> =
            rows.iter().flat_map(|row| &row.sum).map(|part| part.0).filter(|&s| s >= slots).collect();
        let widths: BTreeSet<u32> = rows.iter().map(|row| row.bits).collect();
        for bits in widths {
            let (mut rows, _): (Vec<Linear>, Vec<Linear>) = rows.iter().cloned().partition(|row| row.bits == bits);
            for &slot in &gone {
                eliminate(&mut rows, slot);
            }
            for row in rows {
                let _ = hull.add(&row);
            }
        }
        hull
    }

    /// Takes what equalities say about the values of slots. Returns whether that was something new.
    pub fn refine(&self, values: &mut [Value]) -> Result<bool, Contradiction> {
        let mut news = false;
        for row in self.rows().filter(|row| row.sum.len() <= 6 && row.bits <= 64) {
            for &(slot, coefficient) in row.sum.iter().filter(|part| part.1 & 1 == 1) {
                let rest = row.rest(Some(slot), values);
                let factor = inverse(coefficient).wrapping_neg() & mask(row.bits);
                let wanted = if factor == mask(row.bits) {
                    Value::binary(BinOp::Sub, &Value::exactly(row.bits, 0), &rest)
                } else if factor == 1 {
                    rest
                } else {
                    Value::binary(BinOp::Mul, &rest, &Value::exactly(row.bits, factor))
                };
                let value = &mut values[slot as usize];
                let met = value.meet(&wanted).ok_or(Contradiction)?;
                if met != *value {
                    *value = met;
                    news = true;
                }
            }
        }
        Ok(news)
    }
}

/// Removes a slot from equalities. The one whose coefficient has the fewest factors of two pays for it.
fn eliminate(rows: &mut Vec<Linear>, slot: Slot) {
    let with = rows.iter().enumerate().map(|(position, row)| (row.coefficient(slot), position));
    let Some((coefficient, position)) = with.filter(|with| with.0 != 0).min_by_key(|with| with.0.trailing_zeros())
    else {
        return;
    };
    let pays = rows.swap_remove(position);
    let twos = coefficient.trailing_zeros();
    let inverse = inverse(coefficient >> twos);
    for row in rows.iter_mut() {
        let others = row.coefficient(slot);
        if others != 0 {
            *row = row.plus((others >> twos).wrapping_mul(inverse).wrapping_neg(), &pays);
        }
    }
    rows.retain(|row| !row.sum.is_empty());
}
