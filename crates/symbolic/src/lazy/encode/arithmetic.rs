//! Operations on values, with what may be wrong with them.

use super::walk::Walk;
use crate::operations::{arithmetic, overflow, shift_amount, undefined};
use selvedge_formula::{Node, Term, Terms};
use selvedge_program::{BinOp, Operand, Property};

impl Walk<'_, '_> {
    pub(super) fn binary(&mut self, op: BinOp, a: Operand, b: Operand, checked: bool) -> Term {
        let (a, b) = (self.value(a), self.value(b));
        let mut b = b;
        let is_shift = matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr);
        for (text, undefined) in undefined(self.terms, op, a, b) {
            if !is_shift || self.facts.properties.contains(Property::Arithmetic) {
                self.check(Property::Arithmetic, text, undefined);
            } else if undefined != Terms::FALSE {
                b = shift_amount(self.terms, b);
            }
        }
        if checked && self.facts.properties.contains(Property::Overflow) {
            let overflow = self.overflows(op, true, a, b);
            self.check(Property::Overflow, "overflows", overflow);
        }
        arithmetic(self.terms, op, a, b)
    }

    /// Does the true result differ from the wrapped one?
    pub(super) fn overflows(&mut self, op: BinOp, signed: bool, a: Term, b: Term) -> Term {
        overflow(self.terms, op, signed, a, b).unwrap_or_else(|| {
            self.obstacle("an overflow check of more than 64 bits");
            Terms::FALSE
        })
    }

    pub(super) fn index(&mut self, base: Operand, index: Operand, stride: u64, bound: Option<u64>) -> Term {
        let (base, index) = (self.value(base), self.value(index));
        if let Some(bound) = bound
            && self.facts.properties.contains(Property::Memory)
        {
            let wide = self.terms.bits(index).max(64);
            let signed = self.terms.sign_extend(index, wide);
            let limit = self.terms.constant(wide, u128::from(bound));
            let inside = self.terms.ult(signed, limit);
            let outside = self.terms.not(inside);
            self.check(Property::Memory, "uses an index that its array does not have", outside);
        }
        let by = self.distance(index, stride);
        self.memory.pointers.moved(self.terms, base, by)
    }

    /// A signed index times a stride, in as many bits as that takes.
    fn distance(&mut self, index: Term, stride: u64) -> Term {
        // A value that was widened has no more significant bits than before.
        let (index, needed) = match self.terms.node(index) {
            Node::SignExtend { of, .. } => (of, self.terms.bits(of)),
            Node::ZeroExtend { of, .. } => (index, self.terms.bits(of) + 1),
            _ => (index, self.terms.bits(index)),
        };
        let bits = (needed + u64::BITS - stride.leading_zeros()).min(127);
        let index = if bits < self.terms.bits(index) {
            self.terms.extract(index, 0, bits)
        } else {
            self.terms.sign_extend(index, bits)
        };
        let stride = self.terms.constant(bits, u128::from(stride));
        self.terms.mul(index, stride)
    }
}
