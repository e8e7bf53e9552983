//! From exact results back to floats.
//!
//! An exact result has a sign, a signed exponent, biased as it is stored, and a significand of
//! any width, whose highest bit weighs one. It is exact up to jamming (see `shifts`), to at least two
//! bits more than are kept.

use super::Format;
use super::shifts::{highest, shift_right_jamming};
use super::unpack::signed_constant;
use crate::terms::{Term, Terms};

/// The significand moved to the right where the exponent is too small to be stored: the highest bit
/// is then zero, and weighs what it would with the smallest exponent.
pub(super) fn denormalise(terms: &mut Terms, exponent: Term, significand: Term) -> Term {
    let one = terms.constant(terms.bits(exponent), 1);
    let zero = terms.constant(terms.bits(exponent), 0);
    let tiny = terms.slt(exponent, one);
    let missing = terms.sub(one, exponent);
    let missing = terms.ite(tiny, missing, zero);
    shift_right_jamming(terms, significand, missing)
}

/// Rounded to nearest, ties to even. A significand without its highest bit is stored with the
/// exponent of subnormals.
///
/// Exponent and fraction are incremented as one number: a fraction that overflows leaves zeros and
/// the next exponent, after the largest subnormal comes the smallest normal number, and after the
/// largest number infinity.
pub(super) fn round(terms: &mut Terms, format: Format, sign: Term, exponent: Term, significand: Term) -> Term {
    let significand = highest(terms, significand, format.precision() + 2);
    let [sticky, guard, lowest, leading] =
        [0, 1, 2, format.precision() + 1].map(|place| terms.extract(significand, place, 1));
    let fraction = terms.extract(significand, 2, format.fraction_bits);
    let not_half = terms.or(lowest, sticky);
    let up = terms.and(guard, not_half);

    let stored = terms.extract(exponent, 0, format.exponent_bits);
    let normal = terms.sign_extend(leading, format.exponent_bits);
    let stored = terms.and(stored, normal);
    let truncated = terms.concat(stored, fraction);
    let up = terms.zero_extend(up, format.bits() - 1);
    let magnitude = terms.add(truncated, up);
    let rounded = terms.concat(sign, magnitude);

    let largest = terms.constant(terms.bits(exponent), 2 * format.bias());
    let overflow = terms.slt(largest, exponent);
    let infinity = signed_constant(terms, format, sign, format.infinity());
    terms.ite(overflow, infinity, rounded)
}
