//! Terms as mathematical integers: an approximation, in both directions.
//!
//! A term of width 1 is a Boolean, any other is the integer that its bits mean in two's complement. Variables
//! range over what their width can hold; results do not wrap around. So the following is exact as long as no
//! operation overflows, that is, as long as the exact results fit into the width of their terms:
//!
//! - `Neg`, `Add`, `Sub`, `Mul`, `Shl`, where bit-vectors would wrap;
//! - comparisons, also unsigned ones (a negative number counts as itself plus 2ⁿ), extensions, `Concat`,
//!   `Extract`, divisions and remainders (truncated, with SMT-LIB's values for a zero divisor);
//! - shifts by a variable amount, case by case for all amounts;
//! - `Not`; `And` and `Xor` with a constant whose ones come in at most [`RUNS`] runs, or of at most
//!   [`CASES`] bits, which are taken apart bit by bit.
//!
//! `And` and `Xor` of two wide variables remain: they may have any value of their width, except that `And` is no
//! larger than an operand that is not negative. An overflowed number keeps its value until an operation takes
//! some of its bits: `Extract` and masks see the bits of its two's complement.
//!
//! Hence neither answer is certain. "Unsat" may be wrong where a number would have wrapped around; "sat" may
//! be wrong where a value was free. Formulas are linear unless they multiply or divide variables (QF_NIA).

use super::writer::{Meaning, name};
use crate::terms::{Node, Term, Terms, mask, signed};

/// The most runs of ones in a mask that is written as a sum.
const RUNS: usize = 4;
/// The widest operands that are split into bits.
const CASES: u32 = 8;

pub(super) fn meaning(terms: &Terms, t: Term) -> Meaning {
    let (node, bits) = (terms.node(t), terms.bits(t));
    let body = body(terms, node, bits);
    if bits == 1 {
        return Meaning { sort: "Bool".to_owned(), body, facts: Vec::new() };
    }
    let mut facts = Vec::new();
    if body.is_none() {
        let name = name(terms, t);
        let (least, most) = (number(-1 << (bits - 1)), mask(bits - 1));
        facts.push(format!("(and (<= {least} {name}) (<= {name} {most}))"));
        if let Node::And(a, b) = node {
            let limits = [a, b].map(|t| int(terms, t));
            facts.extend(limits.map(|most| format!("(=> (<= 0 {most}) (and (<= 0 {name}) (<= {name} {most})))")));
        }
    }
    Meaning { sort: "Int".to_owned(), body, facts }
}

/// The text of a node; `None` if its value is left free.
fn body(terms: &Terms, node: Node, bits: u32) -> Option<String> {
    let (int, atom) = (|t| int(terms, t), |t| atom(terms, t));
    Some(match node {
        Node::Var { .. } => return None,
        Node::Eq(a, b) => format!("(= {} {})", atom(a), atom(b)),
        Node::Slt(a, b) => format!("(< {} {})", int(a), int(b)),
        Node::Ult(a, b) => match terms.as_constant(b).map(|k| signed(terms.bits(b), k)) {
            Some(k) if k >= 0 => format!("(and (<= 0 {}) (< {} {k}))", int(a), int(a)),
            _ => format!("(< {} {})", natural(terms, a), natural(terms, b)),
        },
        Node::Ite(c, a, b) => format!("(ite {} {} {})", atom(c), atom(a), atom(b)),
        Node::Not(a) if bits == 1 => format!("(not {})", atom(a)),
        Node::And(a, b) if bits == 1 => format!("(and {} {})", atom(a), atom(b)),
        Node::Xor(a, b) if bits == 1 => format!("(xor {} {})", atom(a), atom(b)),
        Node::Extract { of, low, bits: 1 } if low + 1 == terms.bits(of) => format!("(< {} 0)", int(of)),
        Node::Extract { of, low, bits: 1 } => bit(terms, of, low),
        // The last bit of an integer is its value at width 1.
        _ if bits == 1 => format!("(= (mod {} 2) 1)", integer(terms, node, bits)?),
        _ => integer(terms, node, bits)?,
    })
}

fn integer(terms: &Terms, node: Node, bits: u32) -> Option<String> {
    let (int, natural) = (|t| int(terms, t), |t| natural(terms, t));
    // In case the divisor is not zero, and in case it is.
    let unless_zero = |b: Term, then: String, zero: String| match terms.as_constant(b) {
        Some(k) if k != 0 => then,
        _ => format!("(ite (= {} 0) {zero} {then})", int(b)),
    };
    let truncated = |op: &str, a: Term, b: Term| {
        let (a, b) = (int(a), int(b));
        format!("(ite (<= 0 {a}) ({op} {a} {b}) (- ({op} (- {a}) {b})))")
    };
    Some(match node {
        Node::Not(a) => format!("(- (- 1) {})", int(a)),
        Node::And(a, b) => both(terms, a, b)?,
        Node::Xor(a, b) => format!("(- (+ {} {}) (* 2 {}))", int(a), int(b), both(terms, a, b)?),
        Node::Neg(a) => format!("(- {})", int(a)),
        Node::Add(a, b) => format!("(+ {} {})", int(a), int(b)),
        Node::Sub(a, b) => format!("(- {} {})", int(a), int(b)),
        Node::Mul(a, b) => format!("(* {} {})", int(a), int(b)),
        Node::Udiv(a, b) => {
            let quotient = format!("(div {} {})", natural(a), natural(b));
            unless_zero(b, with_sign(bits, &quotient), number(-1))
        }
        Node::Urem(a, b) => {
            let rest = format!("(mod {} {})", natural(a), natural(b));
            unless_zero(b, with_sign(bits, &rest), int(a))
        }
        Node::Sdiv(a, b) => unless_zero(b, truncated("div", a, b), format!("(ite (< {} 0) 1 {})", int(a), number(-1))),
        Node::Srem(a, b) => unless_zero(b, truncated("mod", a, b), int(a)),
        Node::Shl(a, by) => shifted(terms, by, bits, "0", |i| format!("(* {} {})", power(i), int(a))),
        Node::Lshr(a, by) => shifted(terms, by, bits, "0", |i| match i {
            0 => int(a),
            _ => format!("(div {} {})", natural(a), power(i)),
        }),
        Node::Ashr(a, by) => {
            let sign = format!("(ite (< {} 0) {} 0)", int(a), number(-1));
            shifted(terms, by, bits, &sign, |i| format!("(div {} {})", int(a), power(i)))
        }
        Node::ZeroExtend { of, .. } => natural(of),
        Node::SignExtend { of, .. } => int(of),
        Node::Extract { of, low, bits } if low + bits == terms.bits(of) => format!("(div {} {})", int(of), power(low)),
        Node::Extract { of, low, bits } => with_sign(bits, &digits(&int(of), low, bits)),
        Node::Concat(high, low) => format!("(+ (* {} {}) {})", power(terms.bits(low)), int(high), natural(low)),
        Node::Const { .. } | Node::Var { .. } | Node::Eq(..) | Node::Ult(..) | Node::Slt(..) | Node::Ite(..) => {
            unreachable!("no operation on integers")
        }
    })
}

/// Bitwise "and", if it can be expressed. `Xor` is expressed by it: `a + b - 2(a ∧ b)`.
fn both(terms: &Terms, a: Term, b: Term) -> Option<String> {
    let bits = terms.bits(a);
    for (a, k) in [(a, b), (b, a)] {
        if let Some(k) = terms.as_constant(k).map(|k| signed(bits, k)) {
            let (a, ones) = (int(terms, a), runs(if k < 0 { !k } else { k }.cast_unsigned()));
            let kept = sum(ones.iter().map(|&(low, bits)| match low {
                0 => digits(&a, 0, bits),
                _ => format!("(* {} {})", power(low), digits(&a, low, bits)),
            }));
            // A negative mask takes away what its complement would keep.
            return (ones.len() <= RUNS).then(|| if k < 0 { format!("(- {a} {kept})") } else { kept });
        }
    }
    let summand = |i| {
        let weight = if i + 1 == bits { number(-1i128 << i) } else { power(i) };
        format!("(ite (and {} {}) {weight} 0)", bit(terms, a, i), bit(terms, b, i))
    };
    (bits <= CASES).then(|| sum((0..bits).map(summand)))
}

fn sum(summands: impl Iterator<Item = String>) -> String {
    match &summands.collect::<Vec<_>>()[..] {
        [] => "0".to_owned(),
        [only] => only.clone(),
        several => format!("(+ {})", several.join(" ")),
    }
}

/// The runs of ones, as pairs of lowest bit and length.
fn runs(mut value: u128) -> Vec<(u32, u32)> {
    let mut runs = Vec::new();
    while value != 0 {
        let low = value.trailing_zeros();
        let ones = (value >> low).trailing_ones();
        runs.push((low, ones));
        value &= !(mask(ones) << low);
    }
    runs
}

/// A case for each amount below the width, and `beyond` for the others.
fn shifted(terms: &Terms, by: Term, bits: u32, beyond: &str, case: impl Fn(u32) -> String) -> String {
    let by = int(terms, by);
    let cases: String = (0..bits).map(|i| format!("(ite (= {by} {i}) {} ", case(i))).collect();
    cases + beyond + &")".repeat(bits as usize)
}

/// Some of the bits of an integer, as a natural number.
fn digits(a: &str, low: u32, bits: u32) -> String {
    if low == 0 {
        format!("(mod {a} {})", power(bits))
    } else {
        format!("(mod (div {a} {}) {})", power(low), power(bits))
    }
}

fn bit(terms: &Terms, a: Term, place: u32) -> String {
    format!("(= {} 1)", digits(&int(terms, a), place, 1))
}

/// A natural number of a width, as two's complement.
fn with_sign(bits: u32, natural: &str) -> String {
    format!("(ite (< {natural} {}) {natural} (- {natural} {}))", power(bits - 1), power(bits))
}

/// A Boolean if the width is 1, else an integer.
fn atom(terms: &Terms, t: Term) -> String {
    match terms.as_constant(t) {
        Some(value) if terms.bits(t) == 1 => (value == 1).to_string(),
        Some(value) => number(signed(terms.bits(t), value)),
        None => name(terms, t),
    }
}

/// The value in two's complement: that of a single bit is 0 or -1.
fn int(terms: &Terms, t: Term) -> String {
    match terms.as_constant(t) {
        Some(value) => number(signed(terms.bits(t), value)),
        None if terms.bits(t) == 1 => format!("(ite {} {} 0)", name(terms, t), number(-1)),
        None => name(terms, t),
    }
}

/// The value without a sign.
fn natural(terms: &Terms, t: Term) -> String {
    let name = name(terms, t);
    match (terms.as_constant(t), terms.bits(t)) {
        (Some(value), _) => value.to_string(),
        (None, 1) => format!("(ite {name} 1 0)"),
        (None, bits) => format!("(ite (< {name} 0) (+ {name} {}) {name})", power(bits)),
    }
}

fn number(value: i128) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

/// 2ⁿ, where n is 128 at most.
fn power(n: u32) -> String {
    1u128.checked_shl(n).map_or_else(|| "340282366920938463463374607431768211456".to_owned(), |power| power.to_string())
}
