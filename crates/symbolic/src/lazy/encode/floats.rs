//! Floating point and casts: exactly what the VM computes, as circuits over the bits.

use super::walk::Walk;
use crate::operations::{self, convert};
use selvedge_formula::Term;
use selvedge_program::{Cast, FloatBinOp, FloatCmpOp, FloatUnOp, Operand, Reg, Ty};

impl Walk<'_, '_> {
    pub(super) fn float_binary(&mut self, op: FloatBinOp, a: Operand, b: Operand) -> Term {
        let ty = self.operand_type(a);
        let (a, b) = (self.value(a), self.value(b));
        self.float_arithmetic(op, ty, a, b)
    }

    pub(super) fn float_unary(&mut self, op: FloatUnOp, a: Operand) -> Term {
        let ty = self.operand_type(a);
        let a = self.value(a);
        operations::float_unary(self.terms, op, ty, a)
    }

    pub(super) fn float_compare(&mut self, op: FloatCmpOp, a: Operand, b: Operand) -> Term {
        let ty = self.operand_type(a);
        let (a, b) = (self.value(a), self.value(b));
        operations::float_compare(self.terms, op, ty, a, b)
    }

    pub(super) fn cast(&mut self, dst: Reg, cast: Cast, src: Operand) -> Term {
        let (from, to) = (self.operand_type(src), self.reg_type(dst));
        let bits = self.reg_bits(dst);
        let value = self.value(src);
        convert(self.terms, cast, from, to, bits, value)
    }

    pub(super) fn float_arithmetic(&mut self, op: FloatBinOp, ty: Ty, a: Term, b: Term) -> Term {
        operations::float_binary(self.terms, op, ty, a, b).unwrap_or_else(|| {
            self.obstacle("the remainder of doubles");
            a
        })
    }
}
