//! The meaning of operations as terms: `selvedge_program::semantics` on variables instead of values. A test compares
//! the two. Faults of operands are encoded elsewhere.

use selvedge_formula::floats::{self, Binary, Compare, Format, Unary};
use selvedge_formula::{Term, Terms};
use selvedge_program::semantics::integers::MayOverflow;
use selvedge_program::{BinOp, Cast, CmpOp, FloatBinOp, FloatCmpOp, FloatUnOp, RmwOp, Ty, UnOp};

pub fn arithmetic(terms: &mut Terms, op: BinOp, a: Term, b: Term) -> Term {
    match op {
        BinOp::Add => terms.add(a, b),
        BinOp::Sub => terms.sub(a, b),
        BinOp::Mul => terms.mul(a, b),
        BinOp::UDiv => terms.udiv(a, b),
        BinOp::SDiv => terms.sdiv(a, b),
        BinOp::URem => terms.urem(a, b),
        BinOp::SRem => terms.srem(a, b),
        BinOp::Shl => terms.shl(a, b),
        BinOp::LShr => terms.lshr(a, b),
        BinOp::AShr => terms.ashr(a, b),
        BinOp::And => terms.and(a, b),
        BinOp::Or => terms.or(a, b),
        BinOp::Xor => terms.xor(a, b),
    }
}

/// The conditions under which an operation has no result, and what they are called.
pub fn undefined(terms: &mut Terms, op: BinOp, a: Term, b: Term) -> Vec<(&'static str, Term)> {
    let bits = terms.bits(a);
    let by_zero = |terms: &mut Terms| {
        let zero = terms.constant(bits, 0);
        ("divides by zero", terms.eq(b, zero))
    };
    match op {
        BinOp::UDiv | BinOp::URem => vec![by_zero(terms)],
        BinOp::SDiv | BinOp::SRem => {
            let by_zero = by_zero(terms);
            let (least, minus_one) = (terms.constant(bits, 1 << (bits - 1)), terms.constant(bits, u128::MAX));
            let (least, minus_one) = (terms.eq(a, least), terms.eq(b, minus_one));
            vec![by_zero, ("divides the smallest integer by -1", terms.and(least, minus_one))]
        }
        BinOp::Shl | BinOp::LShr | BinOp::AShr => {
            let width = terms.constant(bits, u128::from(bits));
            let inside = terms.ult(b, width);
            vec![("shifts by too many bits", terms.not(inside))]
        }
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor => Vec::new(),
    }
}

pub fn shift_amount(terms: &mut Terms, amount: Term) -> Term {
    let bits = terms.bits(amount);
    let width = terms.constant(bits, u128::from(bits));
    terms.urem(amount, width)
}

/// Does the true result differ from the wrapped one? None: to tell would take too many bits.
pub fn overflow(terms: &mut Terms, op: BinOp, signed: bool, a: Term, b: Term) -> Option<Term> {
    let bits = terms.bits(a);
    match MayOverflow::of(op) {
        None => return Some(Terms::FALSE),
        Some(MayOverflow::Add | MayOverflow::Sub | MayOverflow::Mul) => {}
        Some(MayOverflow::Shl) => {
            let shifted = terms.shl(a, b);
            let back = if signed { terms.ashr(shifted, b) } else { terms.lshr(shifted, b) };
            return Some(terms.ne(back, a));
        }
    }
    let wide = if op == BinOp::Mul { 2 * bits } else { bits + 1 };
    if wide > 128 {
        return None;
    }
    let extend =
        |terms: &mut Terms, t: Term| if signed { terms.sign_extend(t, wide) } else { terms.zero_extend(t, wide) };
    let (wide_a, wide_b) = (extend(terms, a), extend(terms, b));
    let exact = arithmetic(terms, op, wide_a, wide_b);
    let wrapped = arithmetic(terms, op, a, b);
    let wrapped = extend(terms, wrapped);
    Some(terms.ne(exact, wrapped))
}

pub fn unary(terms: &mut Terms, op: UnOp, a: Term) -> Term {
    match op {
        UnOp::CountOnes => terms.count_ones(a),
        UnOp::CountLeadingZeros => terms.leading_zeros(a),
        UnOp::CountTrailingZeros => terms.trailing_zeros(a),
        UnOp::SwapBytes => terms.swap_bytes(a),
        UnOp::ReverseBits => terms.reverse_bits(a),
    }
}

pub fn compare(terms: &mut Terms, op: CmpOp, a: Term, b: Term) -> Term {
    match op {
        CmpOp::Eq => terms.eq(a, b),
        CmpOp::Ne => terms.ne(a, b),
        CmpOp::Ult => terms.ult(a, b),
        CmpOp::Ule => terms.ule(a, b),
        CmpOp::Ugt => terms.ult(b, a),
        CmpOp::Uge => terms.ule(b, a),
        CmpOp::Slt => terms.slt(a, b),
        CmpOp::Sle => terms.sle(a, b),
        CmpOp::Sgt => terms.slt(b, a),
        CmpOp::Sge => terms.sle(b, a),
    }
}

pub fn modify(terms: &mut Terms, op: RmwOp, old: Term, value: Term) -> Term {
    match op {
        RmwOp::Exchange => value,
        RmwOp::Add => terms.add(old, value),
        RmwOp::Sub => terms.sub(old, value),
        RmwOp::And => terms.and(old, value),
        RmwOp::Nand => {
            let and = terms.and(old, value);
            terms.not(and)
        }
        RmwOp::Or => terms.or(old, value),
        RmwOp::Xor => terms.xor(old, value),
        RmwOp::Max | RmwOp::Min => {
            let less = terms.slt(old, value);
            if op == RmwOp::Max { terms.ite(less, value, old) } else { terms.ite(less, old, value) }
        }
        RmwOp::UMax | RmwOp::UMin => {
            let less = terms.ult(old, value);
            if op == RmwOp::UMax { terms.ite(less, value, old) } else { terms.ite(less, old, value) }
        }
        RmwOp::FAdd | RmwOp::FSub => unreachable!("floats have their own arithmetic"),
    }
}

fn format(ty: Ty) -> Format {
    match ty {
        Ty::F32 => Format::F32,
        Ty::F64 | Ty::Int(_) | Ty::Ptr => Format::F64,
    }
}

/// To a type of `bits`.
pub fn convert(terms: &mut Terms, cast: Cast, from: Ty, to: Ty, bits: u32, value: Term) -> Term {
    match cast {
        Cast::ZeroExtend | Cast::Truncate | Cast::Reinterpret | Cast::PtrToInt | Cast::IntToPtr => {
            resized(terms, value, bits)
        }
        Cast::SignExtend => terms.sign_extend(value, bits),
        Cast::FloatToSigned => floats::to_signed(terms, format(from), value, bits),
        Cast::FloatToUnsigned => floats::to_unsigned(terms, format(from), value, bits),
        Cast::SignedToFloat => floats::from_signed(terms, format(to), value),
        Cast::UnsignedToFloat => floats::from_unsigned(terms, format(to), value),
        Cast::FloatToFloat if from == to => value,
        Cast::FloatToFloat => floats::convert(terms, format(from), format(to), value),
    }
}

/// Only zeros are added, or high bits cut off.
pub fn resized(terms: &mut Terms, value: Term, bits: u32) -> Term {
    if terms.bits(value) < bits { terms.zero_extend(value, bits) } else { terms.extract(value, 0, bits) }
}

/// `None` where the circuit would be too large.
pub fn float_binary(terms: &mut Terms, op: FloatBinOp, ty: Ty, a: Term, b: Term) -> Option<Term> {
    floats::binary(terms, binary(op), format(ty), a, b)
}

pub fn float_unary(terms: &mut Terms, op: FloatUnOp, ty: Ty, a: Term) -> Term {
    floats::unary(terms, float_unary_of(op), format(ty), a)
}

pub fn float_compare(terms: &mut Terms, op: FloatCmpOp, ty: Ty, a: Term, b: Term) -> Term {
    floats::compare(terms, float_compare_of(op), format(ty), a, b)
}

fn binary(op: FloatBinOp) -> Binary {
    match op {
        FloatBinOp::Add => Binary::Add,
        FloatBinOp::Sub => Binary::Sub,
        FloatBinOp::Mul => Binary::Mul,
        FloatBinOp::Div => Binary::Div,
        FloatBinOp::Rem => Binary::Rem,
        FloatBinOp::Min => Binary::Min,
        FloatBinOp::Max => Binary::Max,
        FloatBinOp::CopySign => Binary::CopySign,
    }
}

fn float_unary_of(op: FloatUnOp) -> Unary {
    match op {
        FloatUnOp::Neg => Unary::Neg,
        FloatUnOp::Abs => Unary::Abs,
        FloatUnOp::Sqrt => Unary::Sqrt,
        FloatUnOp::Floor => Unary::Floor,
        FloatUnOp::Ceil => Unary::Ceil,
        FloatUnOp::Trunc => Unary::Trunc,
        FloatUnOp::Round => Unary::Round,
        FloatUnOp::RoundEven => Unary::RoundEven,
    }
}

fn float_compare_of(op: FloatCmpOp) -> Compare {
    match op {
        FloatCmpOp::False => Compare::False,
        FloatCmpOp::Oeq => Compare::Oeq,
        FloatCmpOp::Ogt => Compare::Ogt,
        FloatCmpOp::Oge => Compare::Oge,
        FloatCmpOp::Olt => Compare::Olt,
        FloatCmpOp::Ole => Compare::Ole,
        FloatCmpOp::One => Compare::One,
        FloatCmpOp::Ord => Compare::Ord,
        FloatCmpOp::Ueq => Compare::Ueq,
        FloatCmpOp::Ugt => Compare::Ugt,
        FloatCmpOp::Uge => Compare::Uge,
        FloatCmpOp::Ult => Compare::Ult,
        FloatCmpOp::Ule => Compare::Ule,
        FloatCmpOp::Une => Compare::Une,
        FloatCmpOp::Uno => Compare::Uno,
        FloatCmpOp::True => Compare::True,
    }
}

#[cfg(test)]
#[path = "operations_tests.rs"]
mod tests;
