//! Taking floats apart, and what concerns only their signs and not-a-numbers.

use super::Format;
use super::shifts::normalise;
use crate::terms::{Term, Terms};

/// The fields of a float, and what they say.
pub(super) struct Parts {
    pub sign: Term,
    /// As stored, but 1 for zeros and subnormals: the value is `significand * 2^exponent`, scaled.
    pub exponent: Term,
    /// With the leading bit, which is 0 for zeros and subnormals.
    pub significand: Term,
    pub nan: Term,
    pub infinite: Term,
    pub zero: Term,
}

pub(super) fn unpack(terms: &mut Terms, format: Format, a: Term) -> Parts {
    let Format { exponent_bits, fraction_bits } = format;
    let sign = sign(terms, format, a);
    let exponent = terms.extract(a, fraction_bits, exponent_bits);
    let fraction = terms.extract(a, 0, fraction_bits);
    let special = is(terms, exponent, u128::MAX);
    let tiny = is(terms, exponent, 0);
    let empty = is(terms, fraction, 0);
    let some = terms.not(empty);
    let leading = terms.not(tiny);
    let least = terms.zero_extend(tiny, exponent_bits);
    Parts {
        sign,
        exponent: terms.or(exponent, least),
        significand: terms.concat(leading, fraction),
        nan: terms.and(special, some),
        infinite: terms.and(special, empty),
        zero: terms.and(tiny, empty),
    }
}

impl Parts {
    /// The exponent, signed and wide.
    pub fn wide_exponent(&self, terms: &mut Terms, format: Format) -> Term {
        terms.zero_extend(self.exponent, format.wide())
    }

    /// Exponent, signed and wide, and significand, which has its leading bit unless it is zero.
    pub fn normalised(&self, terms: &mut Terms, format: Format) -> (Term, Term) {
        let (significand, shifted) = normalise(terms, self.significand);
        let exponent = self.wide_exponent(terms, format);
        let shifted = terms.zero_extend(shifted, format.wide());
        (terms.sub(exponent, shifted), significand)
    }
}

/// Whether a term equals a constant, which is taken modulo the term's width.
pub(super) fn is(terms: &mut Terms, t: Term, value: u128) -> Term {
    let value = terms.constant(terms.bits(t), value);
    terms.eq(t, value)
}

pub(super) fn sign(terms: &mut Terms, format: Format, a: Term) -> Term {
    terms.extract(a, format.bits() - 1, 1)
}

/// All but the sign. Magnitudes are ordered as the numbers are that they stand for.
pub(super) fn magnitude(terms: &mut Terms, format: Format, a: Term) -> Term {
    terms.extract(a, 0, format.bits() - 1)
}

pub(super) fn is_nan(terms: &mut Terms, format: Format, a: Term) -> Term {
    let infinity = terms.constant(format.bits() - 1, format.infinity());
    let magnitude = magnitude(terms, format, a);
    terms.ult(infinity, magnitude)
}

/// An infinity, or a zero.
pub(super) fn signed_constant(terms: &mut Terms, format: Format, sign: Term, magnitude: u128) -> Term {
    let magnitude = terms.constant(format.bits() - 1, magnitude);
    terms.concat(sign, magnitude)
}

/// A not-a-number made quiet; other floats are not meant.
fn quiet(terms: &mut Terms, format: Format, nan: Term) -> Term {
    let bit = terms.constant(format.bits(), format.quiet_bit());
    terms.or(nan, bit)
}

/// A float, made quiet if it is not a number.
pub(super) fn quieted(terms: &mut Terms, format: Format, a: Term) -> Term {
    let nan = is_nan(terms, format, a);
    let quiet = quiet(terms, format, a);
    terms.ite(nan, quiet, a)
}

/// An operand whose bits are copied: made quiet if the host would do so on its way to binary64.
pub(super) fn copied(terms: &mut Terms, format: Format, a: Term) -> Term {
    if format == Format::F32 { quieted(terms, format, a) } else { a }
}

/// The result of an operation on `a`, which is invalid under a condition.
pub(super) fn unless_nan(
    terms: &mut Terms,
    format: Format,
    (a, a_nan): (Term, Term),
    invalid: Term,
    result: Term,
) -> Term {
    let default = terms.constant(format.bits(), format.default_nan());
    let result = terms.ite(invalid, default, result);
    let quiet = quiet(terms, format, a);
    terms.ite(a_nan, quiet, result)
}

pub(super) fn negate(terms: &mut Terms, format: Format, a: Term) -> Term {
    let a = copied(terms, format, a);
    flip_sign(terms, format, a)
}

/// `-a`, where `a` is not a NaN or the result is not used if it is.
pub(super) fn flip_sign(terms: &mut Terms, format: Format, a: Term) -> Term {
    let (sign, magnitude) = (sign(terms, format, a), magnitude(terms, format, a));
    let flipped = terms.not(sign);
    terms.concat(flipped, magnitude)
}

pub(super) fn absolute(terms: &mut Terms, format: Format, a: Term) -> Term {
    let a = copied(terms, format, a);
    let magnitude = magnitude(terms, format, a);
    terms.zero_extend(magnitude, format.bits())
}

pub(super) fn copy_sign(terms: &mut Terms, format: Format, a: Term, b: Term) -> Term {
    let a = copied(terms, format, a);
    let (magnitude, sign) = (magnitude(terms, format, a), sign(terms, format, b));
    terms.concat(sign, magnitude)
}
