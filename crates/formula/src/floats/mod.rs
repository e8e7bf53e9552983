//! Exact IEEE-754 arithmetic on bit-vector terms: binary32 and binary64, to nearest even.
//!
//! A float is a term of 32 or 64 bits. Every operation takes its operands apart, computes exactly on
//! significands that are a few bits longer, normalises, and rounds once; special cases are chosen at
//! the end. The circuits follow Brain, Schanda and Sun, "Building Better Bit-Blasting for
//! Floating-Point Problems" (TACAS 2019), but for division and square root, which are functions of
//! their operands here. As in Hauser's SoftFloat, all bits below the last that matters are "jammed"
//! into it: rounding asks only whether there are any.
//!
//! Not-a-numbers are those of x86 with SSE, bit for bit: an arithmetic operation returns its first
//! operand that is one, made quiet, and an invalid one returns the negative quiet one without
//! payload. What only copies or compares bits makes signalling ones quiet in binary32, but not in
//! binary64: as a host does that computes binary32 in binary64.
//!
//! ```text
//! unpack ──▶ add, multiply, digits, remainder, convert ──▶ round
//!                              shifts
//! integral, compare: on the bits as they are; host: on constants
//! ```

mod add;
mod compare;
mod convert;
mod digits;
mod host;
mod integral;
mod multiply;
mod remainder;
mod round;
mod shifts;
mod unpack;

use crate::terms::{Term, Terms, mask};
pub use convert::{convert, from_signed, from_unsigned, to_signed, to_unsigned};

/// One of the two formats. The lowest bits of a float are its fraction, the highest its sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Format {
    exponent_bits: u32,
    fraction_bits: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    /// C's `fmod`.
    Rem,
    /// If one operand is a NaN, the other one; the first if they compare equal, as two zeros do.
    Min,
    Max,
    CopySign,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    Neg,
    Abs,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    /// Half away from zero, as C's `round`.
    Round,
    /// Half to even, as C's `rint` in the default mode.
    RoundEven,
}

/// LLVM's sixteen predicates: ordered ones are false of not-a-numbers, unordered ones true.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Compare {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
    True,
}

impl Format {
    pub const F32: Format = Format { exponent_bits: 8, fraction_bits: 23 };
    pub const F64: Format = Format { exponent_bits: 11, fraction_bits: 52 };

    pub fn bits(self) -> u32 {
        1 + self.exponent_bits + self.fraction_bits
    }

    /// The bits of a significand, the leading one included.
    fn precision(self) -> u32 {
        self.fraction_bits + 1
    }

    /// The width of intermediate exponents: signed, and wide enough for sums of two.
    fn wide(self) -> u32 {
        self.exponent_bits + 2
    }

    /// The bias of stored exponents, which is also the largest exponent.
    fn bias(self) -> u128 {
        mask(self.exponent_bits - 1)
    }

    fn one(self) -> u128 {
        self.bias() << self.fraction_bits
    }

    fn infinity(self) -> u128 {
        mask(self.exponent_bits) << self.fraction_bits
    }

    /// The bit that tells quiet not-a-numbers from signalling ones.
    fn quiet_bit(self) -> u128 {
        1 << (self.fraction_bits - 1)
    }

    /// The NaN that an invalid operation returns.
    fn default_nan(self) -> u128 {
        1 << (self.bits() - 1) | self.infinity() | self.quiet_bit()
    }
}

/// `None` where the circuit would be too large: `Rem` of binary64, unless of constants.
pub fn binary(terms: &mut Terms, op: Binary, format: Format, a: Term, b: Term) -> Option<Term> {
    check(terms, format, &[a, b]);
    if let (Some(a), Some(b)) = (terms.as_constant(a), terms.as_constant(b)) {
        return Some(terms.constant(format.bits(), host::binary(op, format, a, b)));
    }
    Some(match op {
        Binary::Add => add::add(terms, format, a, b),
        Binary::Sub => add::subtract(terms, format, a, b),
        Binary::Mul => multiply::multiply(terms, format, a, b),
        Binary::Div => digits::divide(terms, format, a, b),
        Binary::Rem => return remainder::remainder(terms, format, a, b),
        Binary::Min => compare::minimum(terms, format, a, b),
        Binary::Max => compare::maximum(terms, format, a, b),
        Binary::CopySign => unpack::copy_sign(terms, format, a, b),
    })
}

pub fn unary(terms: &mut Terms, op: Unary, format: Format, a: Term) -> Term {
    check(terms, format, &[a]);
    if let Some(a) = terms.as_constant(a) {
        return terms.constant(format.bits(), host::unary(op, format, a));
    }
    match op {
        Unary::Neg => unpack::negate(terms, format, a),
        Unary::Abs => unpack::absolute(terms, format, a),
        Unary::Sqrt => digits::square_root(terms, format, a),
        Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::Round | Unary::RoundEven => {
            integral::round(terms, op, format, a)
        }
    }
}

/// A Boolean.
pub fn compare(terms: &mut Terms, op: Compare, format: Format, a: Term, b: Term) -> Term {
    check(terms, format, &[a, b]);
    compare::compare(terms, op, format, a, b)
}

fn check(terms: &Terms, format: Format, operands: &[Term]) {
    for &operand in operands {
        assert_eq!(terms.bits(operand), format.bits(), "a float of another width");
    }
}
