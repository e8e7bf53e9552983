//! Addition and subtraction.
//!
//! The smaller operand (by magnitude) is shifted to the exponent of the larger one; three bits below
//! the significand are enough, the last of them jammed: if more than one is shifted out, the result
//! is shifted back by one at most. A result below the normal numbers is exact, so it is normalised
//! only as far as its exponent allows and never moved back.

use super::Format;
use super::round::round;
use super::shifts::{is_some, leading_zeros, shift_right_jamming, with_zeros_below};
use super::unpack::{Parts, flip_sign, is_nan, magnitude, unless_nan, unpack};
use crate::terms::{Term, Terms};

pub(super) fn add(terms: &mut Terms, format: Format, a: Term, b: Term) -> Term {
    let b_nan = is_nan(terms, format, b);
    sum(terms, format, a, b, (b, b_nan))
}

/// `a + -b`, except that a `b` that is not a number keeps its sign.
pub(super) fn subtract(terms: &mut Terms, format: Format, a: Term, b: Term) -> Term {
    let b_nan = is_nan(terms, format, b);
    let minus_b = flip_sign(terms, format, b);
    sum(terms, format, a, minus_b, (b, b_nan))
}

fn sum(terms: &mut Terms, format: Format, a: Term, b: Term, b_given: (Term, Term)) -> Term {
    let a_nan = is_nan(terms, format, a);
    let (a_magnitude, b_magnitude) = (magnitude(terms, format, a), magnitude(terms, format, b));
    let swap = terms.ult(a_magnitude, b_magnitude);
    let (large, small) = (terms.ite(swap, b, a), terms.ite(swap, a, b));
    let (x, y) = (unpack(terms, format, large), unpack(terms, format, small));

    let finite = finite_sum(terms, format, &x, &y);
    let result = terms.ite(x.infinite, large, finite);
    let opposite = terms.xor(x.sign, y.sign);
    let invalid = terms.and_all([x.infinite, y.infinite, opposite]);
    let result = unless_nan(terms, format, b_given, invalid, result);
    unless_nan(terms, format, (a, a_nan), Terms::FALSE, result)
}

/// The sum of two finite numbers, the larger first. A zero is positive unless both operands are negative.
fn finite_sum(terms: &mut Terms, format: Format, x: &Parts, y: &Parts) -> Term {
    let bits = format.precision() + 4;
    let distance = terms.sub(x.exponent, y.exponent);
    let [large, small] = [x, y].map(|parts| with_zeros_below(terms, parts.significand, 3));
    let small = shift_right_jamming(terms, small, distance);
    let [large, small] = [large, small].map(|significand| terms.zero_extend(significand, bits));
    let opposite = terms.xor(x.sign, y.sign);
    let sum = add_or_subtract(terms, opposite, large, small);

    let some = is_some(terms, sum);
    let same = terms.not(opposite);
    let signed = terms.or(some, same);
    let sign = terms.and(x.sign, signed);
    let exponent = x.wide_exponent(terms, format);
    let (exponent, sum) = normalise_sum(terms, format, exponent, sum);
    round(terms, format, sign, exponent, sum)
}

/// With one adder: `a - b` is `a + ¬b + 1`, and the one is carried in from a bit below.
fn add_or_subtract(terms: &mut Terms, subtract: Term, a: Term, b: Term) -> Term {
    let bits = terms.bits(a);
    let inverted = terms.sign_extend(subtract, bits);
    let b = terms.xor(b, inverted);
    let a = terms.concat(a, Terms::TRUE);
    let b = terms.concat(b, subtract);
    let sum = terms.add(a, b);
    terms.extract(sum, 1, bits)
}

/// A sum's highest bit weighs twice its exponent. It is shifted left until that bit is set, or the
/// exponent is 1, the smallest.
fn normalise_sum(terms: &mut Terms, format: Format, exponent: Term, sum: Term) -> (Term, Term) {
    let zeros = leading_zeros(terms, sum);
    let enough = terms.bits(zeros);
    let zeros = terms.zero_extend(zeros, format.wide());
    let few = terms.ult(zeros, exponent);
    let amount = terms.ite(few, zeros, exponent);
    let one = terms.constant(format.wide(), 1);
    let next = terms.add(exponent, one);
    let exponent = terms.sub(next, amount);
    let amount = terms.extract(amount, 0, enough);
    let amount = terms.zero_extend(amount, terms.bits(sum));
    (exponent, terms.shl(sum, amount))
}
