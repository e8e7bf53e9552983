//! Comparisons. Positive floats are ordered as their bits are, negative ones the other way round.

use super::unpack::{copied, is, is_nan, magnitude, sign};
use super::{Compare, Format};
use crate::terms::{Term, Terms};

pub(super) fn compare(terms: &mut Terms, op: Compare, format: Format, a: Term, b: Term) -> Term {
    use Compare::*;
    let result = match op {
        False | True => Terms::FALSE,
        Ord | Uno => unordered(terms, format, a, b),
        Oeq | Une => equal(terms, format, a, b),
        Olt | Uge => less(terms, format, a, b),
        Ogt | Ule => less(terms, format, b, a),
        One | Ueq => {
            let unordered = unordered(terms, format, a, b);
            let equal = equal(terms, format, a, b);
            terms.or(unordered, equal)
        }
        Ult | Oge => {
            let unordered = unordered(terms, format, a, b);
            let less = less(terms, format, a, b);
            terms.or(unordered, less)
        }
        Ugt | Ole => {
            let unordered = unordered(terms, format, a, b);
            let less = less(terms, format, b, a);
            terms.or(unordered, less)
        }
    };
    match op {
        True | Ord | Une | Uge | Ule | One | Oge | Ole => terms.not(result),
        _ => result,
    }
}

fn unordered(terms: &mut Terms, format: Format, a: Term, b: Term) -> Term {
    let (a, b) = (is_nan(terms, format, a), is_nan(terms, format, b));
    terms.or(a, b)
}

fn ordered(terms: &mut Terms, format: Format, a: Term, b: Term) -> Term {
    let unordered = unordered(terms, format, a, b);
    terms.not(unordered)
}

fn zeros(terms: &mut Terms, format: Format, a: Term, b: Term) -> Term {
    let (a, b) = (magnitude(terms, format, a), magnitude(terms, format, b));
    let (a, b) = (is(terms, a, 0), is(terms, b, 0));
    terms.and(a, b)
}

fn equal(terms: &mut Terms, format: Format, a: Term, b: Term) -> Term {
    let same = terms.eq(a, b);
    let zeros = zeros(terms, format, a, b);
    let equal = terms.or(same, zeros);
    let ordered = ordered(terms, format, a, b);
    terms.and(equal, ordered)
}

/// Read as integers in two's complement, all pairs are in order but those of two negative floats.
fn less(terms: &mut Terms, format: Format, a: Term, b: Term) -> Term {
    let (a_sign, b_sign) = (sign(terms, format, a), sign(terms, format, b));
    let negative = terms.and(a_sign, b_sign);
    let (downwards, upwards) = (terms.ult(b, a), terms.slt(a, b));
    let less = terms.ite(negative, downwards, upwards);
    let zeros = zeros(terms, format, a, b);
    let different = terms.not(zeros);
    let ordered = ordered(terms, format, a, b);
    terms.and_all([less, different, ordered])
}

pub(super) fn minimum(terms: &mut Terms, format: Format, a: Term, b: Term) -> Term {
    let less = less(terms, format, b, a);
    second_if(terms, format, less, a, b)
}

pub(super) fn maximum(terms: &mut Terms, format: Format, a: Term, b: Term) -> Term {
    let less = less(terms, format, a, b);
    second_if(terms, format, less, a, b)
}

/// The second operand under a condition, or if the first one is not a number.
fn second_if(terms: &mut Terms, format: Format, second: Term, a: Term, b: Term) -> Term {
    let nan = is_nan(terms, format, a);
    let second = terms.or(nan, second);
    let (a, b) = (copied(terms, format, a), copied(terms, format, b));
    terms.ite(second, b, a)
}
