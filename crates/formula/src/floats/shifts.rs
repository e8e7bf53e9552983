//! Shifts that normalise, and shifts that do not forget.
//!
//! "Jamming" (Hauser, SoftFloat) is to keep the disjunction of the bits that a shift drops in the
//! lowest bit that stays. Rounding is then as exact as if nothing were dropped, provided that two
//! bits or more stay below the one that is rounded to.

use super::unpack::is;
use crate::terms::{Term, Terms};

/// Shifted left until the highest bit is set, and by how much; anything if the term is zero.
pub(super) fn normalise(terms: &mut Terms, t: Term) -> (Term, Term) {
    let bits = terms.bits(t);
    let (mut shifted, mut amount) = (t, None);
    for stage in (0..bits.ilog2() + 1).rev().filter(|stage| 1 << stage < bits) {
        let by = 1 << stage;
        let top = terms.extract(shifted, bits - by, by);
        let empty = is(terms, top, 0);
        let kept = terms.extract(shifted, 0, bits - by);
        let filler = terms.constant(by, 0);
        let moved = terms.concat(kept, filler);
        shifted = terms.ite(empty, moved, shifted);
        amount = Some(match amount {
            Some(high) => terms.concat(high, empty),
            None => empty,
        });
    }
    (shifted, amount.unwrap_or(Terms::FALSE))
}

/// How far [`normalise`] would shift: the higher half decides, then the half that it chose.
pub(super) fn leading_zeros(terms: &mut Terms, t: Term) -> Term {
    let bits = terms.bits(t);
    let padding = bits.next_power_of_two() - bits;
    let mut rest = t;
    if padding > 0 {
        let ones = terms.constant(padding, u128::MAX);
        rest = terms.concat(t, ones);
    }
    let mut count = None;
    while terms.bits(rest) > 1 {
        let half = terms.bits(rest) / 2;
        let (high, low) = (terms.extract(rest, half, half), terms.extract(rest, 0, half));
        let empty = is(terms, high, 0);
        rest = terms.ite(empty, low, high);
        count = Some(match count {
            Some(high) => terms.concat(high, empty),
            None => empty,
        });
    }
    count.unwrap_or(Terms::FALSE)
}

/// With a Boolean jammed into the lowest bit.
pub(super) fn jam(terms: &mut Terms, t: Term, lost: Term) -> Term {
    let lost = terms.zero_extend(lost, terms.bits(t));
    terms.or(t, lost)
}

pub(super) fn is_some(terms: &mut Terms, t: Term) -> Term {
    let empty = is(terms, t, 0);
    terms.not(empty)
}

/// The highest bits of a term, jammed; with zeros below if it has fewer.
pub(super) fn highest(terms: &mut Terms, t: Term, bits: u32) -> Term {
    let all = terms.bits(t);
    if all <= bits {
        return with_zeros_below(terms, t, bits - all);
    }
    let kept = terms.extract(t, all - bits, bits);
    let dropped = terms.extract(t, 0, all - bits);
    let lost = is_some(terms, dropped);
    jam(terms, kept, lost)
}

pub(super) fn with_zeros_below(terms: &mut Terms, t: Term, zeros: u32) -> Term {
    if zeros == 0 {
        return t;
    }
    let zeros = terms.constant(zeros, 0);
    terms.concat(t, zeros)
}

/// Shifted right by an amount of any width, jammed.
pub(super) fn shift_right_jamming(terms: &mut Terms, t: Term, amount: Term) -> Term {
    let bits = terms.bits(t);
    let mut shifted = t;
    let stages = (0..terms.bits(amount)).take_while(|stage| 1u64 << stage < u64::from(bits)).count() as u32;
    for stage in 0..stages {
        let by = 1 << stage;
        let chosen = terms.extract(amount, stage, 1);
        let kept = terms.extract(shifted, by, bits - by);
        let kept = terms.zero_extend(kept, bits);
        let dropped = terms.extract(shifted, 0, by);
        let lost = is_some(terms, dropped);
        let moved = jam(terms, kept, lost);
        shifted = terms.ite(chosen, moved, shifted);
    }
    if stages == terms.bits(amount) {
        return shifted;
    }
    let beyond = terms.extract(amount, stages, terms.bits(amount) - stages);
    let beyond = is_some(terms, beyond);
    let all_lost = is_some(terms, t);
    let all_lost = terms.zero_extend(all_lost, bits);
    terms.ite(beyond, all_lost, shifted)
}
