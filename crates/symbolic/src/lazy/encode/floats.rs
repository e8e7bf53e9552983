//! Floating point: exactly what the VM computes, as circuits over the bits.

use super::Encoder;
use selvedge_formula::Term;
use selvedge_formula::floats::{self, Binary, Compare, Format, Unary};
use selvedge_program::{Cast, FloatBinOp, FloatCmpOp, FloatUnOp, Op, Operand, Ty};

fn format(ty: Ty) -> Format {
    match ty {
        Ty::F32 => Format::F32,
        _ => Format::F64,
    }
}

impl Encoder<'_> {
    /// The result, if it is an operation on floats.
    pub(super) fn float_operation(&mut self, op: &Op) -> Option<Term> {
        match op {
            Op::FloatBinary { op, a, b, .. } => Some(self.float_binary(*op, *a, *b)),
            Op::FloatUnary { op, a, .. } => {
                let format = format(self.operand_type(*a));
                let a = self.value(*a);
                Some(floats::unary(&mut self.terms, unary(*op), format, a))
            }
            Op::FloatCompare { op, a, b, .. } => {
                let format = format(self.operand_type(*a));
                let (a, b) = (self.value(*a), self.value(*b));
                Some(floats::compare(&mut self.terms, compare(*op), format, a, b))
            }
            Op::Cast { dst, cast, src } => {
                let (from, to) = (self.operand_type(*src), self.reg_type(*dst));
                let bits = self.reg_bits(*dst);
                let value = self.value(*src);
                let terms = &mut self.terms;
                match cast {
                    Cast::FloatToSigned => Some(floats::to_signed(terms, format(from), value, bits)),
                    Cast::FloatToUnsigned => Some(floats::to_unsigned(terms, format(from), value, bits)),
                    Cast::SignedToFloat => Some(floats::from_signed(terms, format(to), value)),
                    Cast::UnsignedToFloat => Some(floats::from_unsigned(terms, format(to), value)),
                    Cast::FloatToFloat if from == to => Some(value),
                    Cast::FloatToFloat => Some(floats::convert(terms, format(from), format(to), value)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn float_binary(&mut self, op: FloatBinOp, a: Operand, b: Operand) -> Term {
        let format = format(self.operand_type(a));
        let (a, b) = (self.value(a), self.value(b));
        self.float_arithmetic(op, format, a, b)
    }

    pub(super) fn float_arithmetic(&mut self, op: FloatBinOp, format: Format, a: Term, b: Term) -> Term {
        floats::binary(&mut self.terms, binary(op), format, a, b).unwrap_or_else(|| {
            self.obstacle("the remainder of doubles");
            a
        })
    }

    /// What an atomic addition or subtraction of floats leaves behind.
    pub(super) fn float_modify(&mut self, op: FloatBinOp, ty: Ty, old: Term, value: Term) -> Term {
        self.float_arithmetic(op, format(ty), old, value)
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
