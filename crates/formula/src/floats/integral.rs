//! Rounding to integers that stay floats: `floor`, `ceil`, `trunc`, `round`, `rint`.
//!
//! No bit is shifted. Exponent and fraction are one number; those of its bits that lie behind the
//! point are a mask of low ones, which follows from the exponent. Adding something below the point
//! first, then clearing what is there, rounds as wanted, and a carry makes the next exponent. Below
//! one there is no bit before the point to carry into: the result is zero or one.

use super::unpack::{copied, is, magnitude, quieted, sign};
use super::{Format, Unary};
use crate::terms::{Term, Terms};

/// The operand and everything that decides how it is rounded.
struct Rounding {
    op: Unary,
    format: Format,
    sign: Term,
    magnitude: Term,
}

/// Infinities and not-a-numbers have no bits behind the point. Only `round` makes them quiet.
pub(super) fn round(terms: &mut Terms, op: Unary, format: Format, a: Term) -> Term {
    let a = if op == Unary::Round { quieted(terms, format, a) } else { copied(terms, format, a) };
    let (sign, magnitude) = (sign(terms, format, a), magnitude(terms, format, a));
    let rounding = Rounding { op, format, sign, magnitude };
    let large = rounding.rounded_above_one(terms);
    let one = rounding.is_one_below_one(terms);
    let small = terms.constant(format.bits() - 1, format.one());
    let ones = terms.sign_extend(one, format.bits() - 1);
    let small = terms.and(small, ones);
    let bound = terms.constant(format.bits() - 1, format.one());
    let is_small = terms.ult(magnitude, bound);
    let rounded = terms.ite(is_small, small, large);
    terms.concat(sign, rounded)
}

impl Rounding {
    fn rounded_above_one(&self, terms: &mut Terms) -> Term {
        let behind = self.behind_the_point(terms);
        let added = self.added(terms, behind);
        let sum = terms.add(self.magnitude, added);
        let before = terms.not(behind);
        terms.and(sum, before)
    }

    /// The mask. An exponent of as many as the fraction's bits, or more, leaves nothing of it.
    fn behind_the_point(&self, terms: &mut Terms) -> Term {
        let Format { exponent_bits, fraction_bits } = self.format;
        let exponent = terms.extract(self.magnitude, fraction_bits, exponent_bits);
        let bias = terms.constant(exponent_bits, self.format.bias());
        let exponent = terms.sub(exponent, bias);
        let exponent = terms.zero_extend(exponent, fraction_bits);
        let fraction = terms.constant(fraction_bits, u128::MAX);
        let behind = terms.lshr(fraction, exponent);
        terms.zero_extend(behind, self.format.bits() - 1)
    }

    fn added(&self, terms: &mut Terms, behind: Term) -> Term {
        let bits = self.format.bits() - 1;
        let one = terms.constant(bits, 1);
        let less_than_half = terms.lshr(behind, one);
        let half = terms.xor(behind, less_than_half);
        match self.op {
            Unary::Round => half,
            Unary::RoundEven => {
                let twice = terms.shl(behind, one);
                let twice = terms.or(twice, one);
                let lowest = terms.xor(twice, behind);
                let lowest = terms.and(self.magnitude, lowest);
                let even = is(terms, lowest, 0);
                terms.ite(even, less_than_half, half)
            }
            _ => {
                let away = self.is_away_from_zero(terms);
                let away = terms.sign_extend(away, bits);
                terms.and(behind, away)
            }
        }
    }

    /// Whether a directed operation rounds this operand away from zero.
    fn is_away_from_zero(&self, terms: &mut Terms) -> Term {
        match self.op {
            Unary::Floor => self.sign,
            Unary::Ceil => terms.not(self.sign),
            _ => Terms::FALSE,
        }
    }

    fn is_one_below_one(&self, terms: &mut Terms) -> Term {
        let bits = self.format.bits() - 1;
        let half = terms.constant(bits, self.format.one() - (1 << self.format.fraction_bits));
        match self.op {
            Unary::Round => terms.ule(half, self.magnitude),
            Unary::RoundEven => terms.ult(half, self.magnitude),
            _ => {
                let away = self.is_away_from_zero(terms);
                let zero = is(terms, self.magnitude, 0);
                let some = terms.not(zero);
                terms.and(away, some)
            }
        }
    }
}
