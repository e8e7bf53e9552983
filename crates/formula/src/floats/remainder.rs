//! C's `fmod`: what remains of `a` after subtracting `b` as often as it fits, which is exact.
//!
//! With `d` the difference of the exponents, the significand of `a`, doubled `d` times, is reduced
//! modulo that of `b`: by doubling and reducing `d` times. The circuit has a step for every possible
//! `d`, which is 276 for binary32 but 2097 steps of 54 bits for binary64: these are refused.

use super::Format;
use super::digits::subtract_if_it_fits;
use super::round::{denormalise, round};
use super::shifts::normalise;
use super::unpack::{Parts, is, magnitude, unless_nan, unpack};
use crate::terms::{Term, Terms};

const MOST_STEPS: u32 = 300;

pub(super) fn remainder(terms: &mut Terms, format: Format, a: Term, b: Term) -> Option<Term> {
    let steps = steps(format);
    if steps > MOST_STEPS {
        return None;
    }
    let (x, y) = (unpack(terms, format, a), unpack(terms, format, b));
    let finite = finite_remainder(terms, format, &x, &y, steps);
    let (a_magnitude, b_magnitude) = (magnitude(terms, format, a), magnitude(terms, format, b));
    let smaller = terms.ult(a_magnitude, b_magnitude);
    let result = terms.ite(smaller, a, finite);
    let invalid = terms.or(x.infinite, y.zero);
    let result = unless_nan(terms, format, (b, y.nan), invalid, result);
    Some(unless_nan(terms, format, (a, x.nan), Terms::FALSE, result))
}

/// From the largest exponent down to the smallest one, and on through the subnormals.
fn steps(format: Format) -> u32 {
    (1 << format.exponent_bits) - 3 + format.fraction_bits
}

/// The remainder stays zero until the step where the significand of `x` enters.
fn finite_remainder(terms: &mut Terms, format: Format, x: &Parts, y: &Parts, steps: u32) -> Term {
    let (x_exponent, dividend) = x.normalised(terms, format);
    let (exponent, divisor) = y.normalised(terms, format);
    let difference = terms.sub(x_exponent, exponent);
    let (_, reduced) = subtract_if_it_fits(terms, dividend, divisor);
    let wide_divisor = terms.zero_extend(divisor, format.precision() + 1);
    let mut remainder = terms.constant(format.precision(), 0);
    for step in (0..=steps).rev() {
        let doubled = terms.concat(remainder, Terms::FALSE);
        let (_, rest) = subtract_if_it_fits(terms, doubled, wide_divisor);
        let rest = terms.extract(rest, 0, format.precision());
        let now = is(terms, difference, u128::from(step));
        let now = terms.sign_extend(now, format.precision());
        let entering = terms.and(reduced, now);
        remainder = terms.or(rest, entering);
    }
    let (remainder, shifted) = normalise(terms, remainder);
    let shifted = terms.zero_extend(shifted, format.wide());
    let exponent = terms.sub(exponent, shifted);
    let remainder = denormalise(terms, exponent, remainder);
    round(terms, format, x.sign, exponent, remainder)
}
