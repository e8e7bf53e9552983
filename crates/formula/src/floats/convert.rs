//! Conversions between floats and integers of 1 to 128 bits, and between the formats.
//!
//! A float becomes an integer by truncation towards zero, saturating at 128 bits, of which the lowest
//! bits are taken; the result thus wraps around where C leaves it undefined. A NaN becomes zero.

use super::round::{denormalise, round};
use super::shifts::{highest, normalise, with_zeros_below};
use super::unpack::{Parts, signed_constant, unpack};
use super::{Format, check};
use crate::terms::{Term, Terms};

/// From an integer in two's complement.
pub fn from_signed(terms: &mut Terms, format: Format, integer: Term) -> Term {
    let sign = terms.extract(integer, terms.bits(integer) - 1, 1);
    let negated = terms.neg(integer);
    let absolute = terms.ite(sign, negated, integer);
    from_absolute(terms, format, sign, absolute)
}

pub fn from_unsigned(terms: &mut Terms, format: Format, integer: Term) -> Term {
    from_absolute(terms, format, Terms::FALSE, integer)
}

/// Never below the normal numbers, but for zero, whose leading bit is missing too.
fn from_absolute(terms: &mut Terms, format: Format, sign: Term, absolute: Term) -> Term {
    let (significand, shifted) = normalise(terms, absolute);
    let shifted = terms.zero_extend(shifted, format.wide());
    let exponent = format.bias() + u128::from(terms.bits(absolute)) - 1;
    let exponent = terms.constant(format.wide(), exponent);
    let exponent = terms.sub(exponent, shifted);
    round(terms, format, sign, exponent, significand)
}

/// The lowest bits of the integer part, in two's complement: of `i128::MAX` or `i128::MIN` where it does
/// not fit, of zero if there is none.
pub fn to_signed(terms: &mut Terms, format: Format, a: Term, bits: u32) -> Term {
    check(terms, format, &[a]);
    let x = unpack(terms, format, a);
    let absolute = to_absolute(terms, format, &x, bits);
    let negated = terms.neg(absolute);
    let integer = terms.ite(x.sign, negated, absolute);
    let least = terms.constant(bits, i128::MIN.cast_unsigned());
    let greatest = terms.constant(bits, i128::MAX.cast_unsigned());
    let saturated = terms.ite(x.sign, least, greatest);
    saturate(terms, format, &x, 127, saturated, integer)
}

/// The lowest bits of the integer part: of `u128::MAX` where it does not fit, of zero if it is negative or
/// there is none.
pub fn to_unsigned(terms: &mut Terms, format: Format, a: Term, bits: u32) -> Term {
    check(terms, format, &[a]);
    let x = unpack(terms, format, a);
    let absolute = to_absolute(terms, format, &x, bits);
    let greatest = terms.constant(bits, u128::MAX);
    let integer = saturate(terms, format, &x, 128, greatest, absolute);
    let zero = terms.constant(bits, 0);
    terms.ite(x.sign, zero, integer)
}

/// From `2^exponent` on the saturated value, zero of what is not a number, else the integer.
fn saturate(terms: &mut Terms, format: Format, x: &Parts, exponent: u128, saturated: Term, integer: Term) -> Term {
    let bound = terms.constant(format.wide(), format.bias() + exponent);
    let stored = x.wide_exponent(terms, format);
    let below = terms.ult(stored, bound);
    let result = terms.ite(below, integer, saturated);
    let zero = terms.constant(terms.bits(integer), 0);
    terms.ite(x.nan, zero, result)
}

/// The lowest bits of the integer part, without sign: the significand, shifted to the right by as
/// many bits as are behind its point, or to the left by as many as are missing before it.
fn to_absolute(terms: &mut Terms, format: Format, x: &Parts, bits: u32) -> Term {
    let wide = bits.max(format.precision());
    let exponent = x.wide_exponent(terms, format);
    let point = terms.constant(format.wide(), format.bias() + u128::from(format.fraction_bits));
    let (behind, missing) = (terms.sub(point, exponent), terms.sub(exponent, point));
    let is_small = terms.slt(exponent, point);
    let behind = terms.zero_extend(behind, format.precision());
    let small = terms.lshr(x.significand, behind);
    let small = terms.zero_extend(small, wide);
    let significand = terms.zero_extend(x.significand, wide);
    let missing = terms.zero_extend(missing, wide);
    let large = terms.shl(significand, missing);
    let (small, large) = (terms.extract(small, 0, bits), terms.extract(large, 0, bits));
    terms.ite(is_small, small, large)
}

/// From one format to another. What is not a number keeps the higher bits of its payload.
pub fn convert(terms: &mut Terms, from: Format, to: Format, a: Term) -> Term {
    check(terms, from, &[a]);
    if from == to {
        return a;
    }
    let x = unpack(terms, from, a);
    let finite = if to.wide() > from.wide() { widen(terms, from, to, &x) } else { narrow(terms, from, to, &x) };
    let infinity = signed_constant(terms, to, x.sign, to.infinity());
    let result = terms.ite(x.infinite, infinity, finite);
    let nan = nan(terms, to, &x);
    terms.ite(x.nan, nan, result)
}

fn nan(terms: &mut Terms, to: Format, x: &Parts) -> Term {
    let bits = terms.bits(x.significand);
    let payload = match bits.checked_sub(to.precision()) {
        Some(dropped) => terms.extract(x.significand, dropped, to.fraction_bits),
        None => {
            let payload = terms.extract(x.significand, 0, bits - 1);
            with_zeros_below(terms, payload, to.precision() - bits)
        }
    };
    let payload = terms.zero_extend(payload, to.bits() - 1);
    let quiet = terms.constant(to.bits() - 1, to.infinity() | to.quiet_bit());
    let magnitude = terms.or(payload, quiet);
    terms.concat(x.sign, magnitude)
}

/// Exact, and every number is normal in the wider format.
fn widen(terms: &mut Terms, from: Format, to: Format, x: &Parts) -> Term {
    let (exponent, significand) = x.normalised(terms, from);
    let exponent = terms.sign_extend(exponent, to.wide());
    let rebias = terms.constant(to.wide(), to.bias() - from.bias());
    let exponent = terms.add(exponent, rebias);
    round(terms, to, x.sign, exponent, significand)
}

/// Subnormals of the wider format are far below those of the narrower one: they need no normalising.
fn narrow(terms: &mut Terms, from: Format, to: Format, x: &Parts) -> Term {
    let exponent = x.wide_exponent(terms, from);
    let rebias = terms.constant(from.wide(), from.bias() - to.bias());
    let exponent = terms.sub(exponent, rebias);
    let significand = highest(terms, x.significand, to.precision() + 2);
    let significand = denormalise(terms, exponent, significand);
    round(terms, to, x.sign, exponent, significand)
}
