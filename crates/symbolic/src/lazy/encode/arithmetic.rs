//! Operations on values, with what may be wrong with them. They mean what `selvedge_program::semantics` says: a test
//! compares the two.

use super::walk::Walk;
use selvedge_formula::{Node, Term, Terms};
use selvedge_program::{BinOp, CmpOp, Operand, Property, RmwOp, UnOp};

impl Walk<'_, '_> {
    pub(super) fn binary(&mut self, op: BinOp, a: Operand, b: Operand, checked: bool) -> Term {
        let (a, b) = (self.value(a), self.value(b));
        let bits = self.terms.bits(a);
        match op {
            BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => {
                let zero = self.terms.constant(bits, 0);
                let by_zero = self.terms.eq(b, zero);
                self.check(Property::Arithmetic, "divides by zero", by_zero);
                if matches!(op, BinOp::SDiv | BinOp::SRem) {
                    let least = self.terms.constant(bits, 1 << (bits - 1));
                    let minus_one = self.terms.constant(bits, u128::MAX);
                    let (least, minus_one) = (self.terms.eq(a, least), self.terms.eq(b, minus_one));
                    let overflow = self.terms.and(least, minus_one);
                    self.check(Property::Arithmetic, "divides the smallest integer by -1", overflow);
                }
            }
            BinOp::Shl | BinOp::LShr | BinOp::AShr => {
                let width = self.terms.constant(bits, u128::from(bits));
                let inside = self.terms.ult(b, width);
                let outside = self.terms.not(inside);
                let mut amount = b;
                if self.facts.properties.contains(Property::Arithmetic) {
                    self.check(Property::Arithmetic, "shifts by too many bits", outside);
                } else if outside != Terms::FALSE {
                    let mask = self.terms.constant(bits, u128::from(bits - 1));
                    amount = self.terms.and(b, mask);
                }
                let shifted = arithmetic(self.terms, op, a, amount);
                if op == BinOp::Shl && checked && self.facts.properties.contains(Property::Overflow) {
                    let back = self.terms.ashr(shifted, amount);
                    let overflow = self.terms.ne(back, a);
                    self.check(Property::Overflow, "overflows", overflow);
                }
                return shifted;
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul if checked && self.facts.properties.contains(Property::Overflow) => {
                let overflow = self.overflows(op, true, a, b);
                self.check(Property::Overflow, "overflows", overflow);
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor => {}
        }
        arithmetic(self.terms, op, a, b)
    }

    /// Does the true result of add, sub or mul differ from the wrapped one?
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

pub(super) fn arithmetic(terms: &mut Terms, op: BinOp, a: Term, b: Term) -> Term {
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

/// Computed wide enough. None: that would take too many bits.
fn overflow(terms: &mut Terms, op: BinOp, signed: bool, a: Term, b: Term) -> Option<Term> {
    let bits = terms.bits(a);
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

pub(super) fn unary(terms: &mut Terms, op: UnOp, a: Term) -> Term {
    match op {
        UnOp::CountOnes => terms.count_ones(a),
        UnOp::CountLeadingZeros => terms.leading_zeros(a),
        UnOp::CountTrailingZeros => terms.trailing_zeros(a),
        UnOp::SwapBytes => terms.swap_bytes(a),
        UnOp::ReverseBits => terms.reverse_bits(a),
    }
}

pub(super) fn compare(terms: &mut Terms, op: CmpOp, a: Term, b: Term) -> Term {
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

pub(super) fn modify(terms: &mut Terms, op: RmwOp, old: Term, value: Term) -> Term {
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

#[cfg(test)]
#[path = "arithmetic_tests.rs"]
mod tests;
