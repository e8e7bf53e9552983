//! Division and square root, digit by digit as at school: a digit of the result is one if what
//! belongs to it can be subtracted from the remainder. What remains at the end is jammed.

use super::Format;
use super::round::{denormalise, round};
use super::shifts::{is_some, with_zeros_below};
use super::unpack::{Parts, signed_constant, unless_nan, unpack};
use crate::terms::{Term, Terms};

pub(super) fn divide(terms: &mut Terms, format: Format, a: Term, b: Term) -> Term {
    let (x, y) = (unpack(terms, format, a), unpack(terms, format, b));
    let sign = terms.xor(x.sign, y.sign);
    let finite = finite_quotient(terms, format, &x, &y, sign);
    let zero = signed_constant(terms, format, sign, 0);
    let result = terms.ite(y.infinite, zero, finite);
    let infinite = terms.or(x.infinite, y.zero);
    let infinity = signed_constant(terms, format, sign, format.infinity());
    let result = terms.ite(infinite, infinity, result);
    let zeros = terms.and(x.zero, y.zero);
    let infinities = terms.and(x.infinite, y.infinite);
    let invalid = terms.or(zeros, infinities);
    let result = unless_nan(terms, format, (b, y.nan), invalid, result);
    unless_nan(terms, format, (a, x.nan), Terms::FALSE, result)
}

fn finite_quotient(terms: &mut Terms, format: Format, x: &Parts, y: &Parts, sign: Term) -> Term {
    let (x_exponent, x) = x.normalised(terms, format);
    let (y_exponent, y) = y.normalised(terms, format);
    let difference = terms.sub(x_exponent, y_exponent);
    let bias = terms.constant(format.wide(), format.bias());
    let exponent = terms.add(difference, bias);

    let below = terms.ult(x, y);
    let quotient = quotient_digits(terms, format, x, y);
    let bits = terms.bits(quotient);
    let low = terms.extract(quotient, 0, bits - 1);
    let shifted = terms.concat(low, Terms::FALSE);
    let quotient = terms.ite(below, shifted, quotient);
    let borrow = terms.zero_extend(below, format.wide());
    let exponent = terms.sub(exponent, borrow);
    let quotient = denormalise(terms, exponent, quotient);
    round(terms, format, sign, exponent, quotient)
}

/// The quotient of two significands: a digit before the point, and enough after it for a quotient below one. The
/// last bit tells whether there is a remainder.
fn quotient_digits(terms: &mut Terms, format: Format, x: Term, y: Term) -> Term {
    let divisor = terms.zero_extend(y, format.precision() + 1);
    let mut remainder = terms.zero_extend(x, format.precision() + 1);
    let mut digits = None;
    for _ in 0..format.precision() + 2 {
        let (digit, rest) = subtract_if_it_fits(terms, remainder, divisor);
        digits = Some(append(terms, digits, digit));
        let rest = terms.extract(rest, 0, format.precision());
        remainder = terms.concat(rest, Terms::FALSE);
    }
    let remains = is_some(terms, remainder);
    append(terms, digits, remains)
}

/// Whether the subtrahend fits, and the remainder after subtracting it in that case.
pub(super) fn subtract_if_it_fits(terms: &mut Terms, from: Term, subtrahend: Term) -> (Term, Term) {
    let fits = terms.ule(subtrahend, from);
    let difference = terms.sub(from, subtrahend);
    (fits, terms.ite(fits, difference, from))
}

fn append(terms: &mut Terms, digits: Option<Term>, digit: Term) -> Term {
    match digits {
        Some(digits) => terms.concat(digits, digit),
        None => digit,
    }
}

/// Never below the normal numbers, and never infinite unless its operand is.
pub(super) fn square_root(terms: &mut Terms, format: Format, a: Term) -> Term {
    let x = unpack(terms, format, a);
    let finite = finite_square_root(terms, format, &x);
    let itself = terms.or(x.zero, x.infinite);
    let result = terms.ite(itself, a, finite);
    let positive = terms.not(x.zero);
    let invalid = terms.and(x.sign, positive);
    unless_nan(terms, format, (a, x.nan), invalid, result)
}

/// For an odd exponent the root of twice the significand is taken.
fn finite_square_root(terms: &mut Terms, format: Format, x: &Parts) -> Term {
    let (exponent, significand) = x.normalised(terms, format);
    let minus_bias = terms.constant(format.wide(), format.bias().wrapping_neg());
    let unbiased = terms.add(exponent, minus_bias);
    let odd = terms.extract(unbiased, 0, 1);
    let half = terms.extract(unbiased, 1, format.wide() - 1);
    let half = terms.sign_extend(half, format.wide());
    let exponent = terms.sub(half, minus_bias);

    let twice = terms.concat(significand, Terms::FALSE);
    let once = terms.zero_extend(significand, format.precision() + 1);
    let radicand = terms.ite(odd, twice, once);
    let root = root_digits(terms, format, radicand);
    round(terms, format, Terms::FALSE, exponent, root)
}

/// One digit more than are kept, for two of the radicand each, highest first; and what remains.
///
/// With `r` the root so far, the next digit is one if `(2r + 1)^2 = 4r^2 + (4r + 1)` fits, and `4r^2`
/// is subtracted already. The remainder is at most `2r`, so it grows by a bit with each digit.
fn root_digits(terms: &mut Terms, format: Format, radicand: Term) -> Term {
    let digits = format.precision() + 1;
    let radicand = with_zeros_below(terms, radicand, digits);
    let one = terms.constant(2, 1);
    let two = terms.extract(radicand, 2 * digits - 2, 2);
    let (mut root, mut remainder) = subtract_if_it_fits(terms, two, one);
    for place in (0..digits - 1).rev() {
        let two = terms.extract(radicand, 2 * place, 2);
        let remaining = terms.concat(remainder, two);
        let subtrahend = terms.concat(root, one);
        let subtrahend = terms.zero_extend(subtrahend, terms.bits(remaining));
        let (digit, rest) = subtract_if_it_fits(terms, remaining, subtrahend);
        root = terms.concat(root, digit);
        remainder = terms.extract(rest, 0, terms.bits(root) + 1);
    }
    let remains = is_some(terms, remainder);
    terms.concat(root, remains)
}
