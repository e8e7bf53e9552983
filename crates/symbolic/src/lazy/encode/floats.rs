//! Floating point and casts: exactly what the VM computes, as circuits over the bits.

use super::walk::Walk;
use selvedge_formula::floats::{self, Binary, Compare, Format, Unary};
use selvedge_formula::{Term, Terms};
use selvedge_program::{Cast, FloatBinOp, FloatCmpOp, FloatUnOp, Operand, Reg, Ty};

fn format(ty: Ty) -> Format {
    match ty {
        Ty::F32 => Format::F32,
        Ty::F64 | Ty::Int(_) | Ty::Ptr => Format::F64,
    }
}

/// To a type of `bits`.
pub(super) fn convert(terms: &mut Terms, cast: Cast, from: Ty, to: Ty, bits: u32, value: Term) -> Term {
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
pub(super) fn resized(terms: &mut Terms, value: Term, bits: u32) -> Term {
    if terms.bits(value) < bits { terms.zero_extend(value, bits) } else { terms.extract(value, 0, bits) }
}

impl Walk<'_, '_> {
    pub(super) fn float_binary(&mut self, op: FloatBinOp, a: Operand, b: Operand) -> Term {
        let ty = self.operand_type(a);
        let (a, b) = (self.value(a), self.value(b));
        self.float_arithmetic(op, ty, a, b)
    }

    pub(super) fn float_unary(&mut self, op: FloatUnOp, a: Operand) -> Term {
        let format = format(self.operand_type(a));
        let a = self.value(a);
        floats::unary(self.terms, unary(op), format, a)
    }

    pub(super) fn float_compare(&mut self, op: FloatCmpOp, a: Operand, b: Operand) -> Term {
        let format = format(self.operand_type(a));
        let (a, b) = (self.value(a), self.value(b));
        floats::compare(self.terms, compare(op), format, a, b)
    }

    pub(super) fn cast(&mut self, dst: Reg, cast: Cast, src: Operand) -> Term {
        let (from, to) = (self.operand_type(src), self.reg_type(dst));
        let bits = self.reg_bits(dst);
        let value = self.value(src);
        convert(self.terms, cast, from, to, bits, value)
    }

    pub(super) fn float_arithmetic(&mut self, op: FloatBinOp, ty: Ty, a: Term, b: Term) -> Term {
        floats::binary(self.terms, binary(op), format(ty), a, b).unwrap_or_else(|| {
            self.obstacle("the remainder of doubles");
            a
        })
    }
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

fn unary(op: FloatUnOp) -> Unary {
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

fn compare(op: FloatCmpOp) -> Compare {
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
