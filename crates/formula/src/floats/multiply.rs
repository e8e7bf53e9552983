//! Multiplication: exact products of normalised significands have their leading one in one of the
//! two highest places.

use super::Format;
use super::round::{denormalise, round};
use super::shifts::highest;
use super::unpack::{Parts, signed_constant, unless_nan, unpack};
use crate::terms::{Term, Terms};

pub(super) fn multiply(terms: &mut Terms, format: Format, a: Term, b: Term) -> Term {
    let (x, y) = (unpack(terms, format, a), unpack(terms, format, b));
    let sign = terms.xor(x.sign, y.sign);
    let finite = finite_product(terms, format, &x, &y, sign);
    let infinite = terms.or(x.infinite, y.infinite);
    let infinity = signed_constant(terms, format, sign, format.infinity());
    let result = terms.ite(infinite, infinity, finite);
    let zero = terms.or(x.zero, y.zero);
    let invalid = terms.and(infinite, zero);
    let result = unless_nan(terms, format, (b, y.nan), invalid, result);
    unless_nan(terms, format, (a, x.nan), Terms::FALSE, result)
}

fn finite_product(terms: &mut Terms, format: Format, x: &Parts, y: &Parts, sign: Term) -> Term {
    let (x_exponent, x) = x.normalised(terms, format);
    let (y_exponent, y) = y.normalised(terms, format);
    let bits = 2 * format.precision();
    let (x, y) = (terms.zero_extend(x, bits), terms.zero_extend(y, bits));
    let product = terms.mul(x, y);
    let product = highest(terms, product, format.precision() + 3);

    let biased_twice = terms.add(x_exponent, y_exponent);
    let bias = terms.constant(format.wide(), format.bias());
    let exponent = terms.sub(biased_twice, bias);
    let (exponent, product) = normalise_by_one(terms, format, exponent, product);
    let product = denormalise(terms, exponent, product);
    round(terms, format, sign, exponent, product)
}

/// Normalises a significand whose highest bit weighs two and is set unless the next one is.
fn normalise_by_one(terms: &mut Terms, format: Format, exponent: Term, significand: Term) -> (Term, Term) {
    let bits = terms.bits(significand);
    let high = terms.extract(significand, bits - 1, 1);
    let low = terms.extract(significand, 0, bits - 1);
    let shifted = terms.concat(low, Terms::FALSE);
    let significand = terms.ite(high, significand, shifted);
    let carry = terms.zero_extend(high, format.wide());
    (terms.add(exponent, carry), significand)
}
