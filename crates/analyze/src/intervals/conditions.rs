//! Refinement by a condition that holds: of the registers that it was computed from, and of the cells that these were
//! loaded from, if they cannot have changed since.

use super::Rounds;
use super::value::Value;
use crate::range::{Range, converse};
use selvedge_program::{BinOp, Cast, CmpOp, Computation, EntityRef, Op, Operand, Reg};

/// The depth to which definitions are followed.
const DEPTH: u32 = 6;

impl Rounds<'_> {
    /// Refines the state by a condition. False if the condition cannot hold.
    pub(super) fn suppose(&mut self, cond: Operand, holds: bool) -> bool {
        self.narrow(cond, Range::exactly(self.width(cond), u128::from(holds)), DEPTH)
    }

    pub(super) fn compare_holds(&mut self, op: CmpOp, a: Operand, b: Operand) -> bool {
        self.compared(op, a, b, DEPTH)
    }

    fn compared(&mut self, op: CmpOp, a: Operand, b: Operand, depth: u32) -> bool {
        let before = (self.range(a), self.range(b));
        let Some((left_a, left_b)) = Range::given(op, before.0, before.1) else { return false };
        (left_a == before.0 || self.narrow(a, left_a, depth)) && (left_b == before.1 || self.narrow(b, left_b, depth))
    }

    /// Restricts the operand to a range.
    fn narrow(&mut self, operand: Operand, range: Range, depth: u32) -> bool {
        let Some(range) = self.range(operand).meet(range) else { return false };
        let Operand::Reg(reg) = operand else { return true };
        let code = &self.code[self.here.thread];
        let root = code.root(reg);
        self.now_within(root, range);
        let thread = &self.bounded.threads[self.here.thread];
        for copy in self.code[self.here.thread].copies_nearby(thread, root, (self.here.block, self.here.step)) {
            if let Some(range) = self.range(Operand::Reg(copy)).meet(range) {
                self.now_within(copy, range);
            }
        }
        depth == 0 || self.explain(root, range, depth - 1)
    }

    fn now_within(&mut self, reg: Reg, range: Range) {
        let value = Value { range, ..self.value(Operand::Reg(reg)) };
        let before = self.here.registers[reg.index()].replace(value);
        self.here.undo.push((reg.index(), before));
    }

    /// Refines the operands from which the register was computed.
    fn explain(&mut self, reg: Reg, range: Range, depth: u32) -> bool {
        let thread = &self.bounded.threads[self.here.thread];
        let here = (self.here.block, self.here.step);
        let Some((op, nearby)) = self.code[self.here.thread].definition(thread, reg, here) else { return true };
        if let Op::Compute(computation) = op {
            return self.explain_computation(computation, range, depth);
        }
        if let Op::Load { addr, .. } = op
            && nearby.is_some_and(|at| self.nothing_happened_since(at))
        {
            self.narrow_cell(*addr, range);
        }
        true
    }

    fn explain_computation(&mut self, computation: &Computation, range: Range, depth: u32) -> bool {
        let truth = range.single().filter(|_| range.width() == 1).map(|value| value == 1);
        match (computation, truth) {
            (Computation::Compare { op, a, b, .. }, Some(holds)) => {
                self.compared(if holds { *op } else { converse(*op) }, *a, *b, depth)
            }
            (Computation::Copy { src, .. }, _) => self.narrow(*src, range, depth),
            (Computation::Binary { op: BinOp::And, a, b, .. }, Some(true))
            | (Computation::Binary { op: BinOp::Or, a, b, .. }, Some(false)) => {
                self.narrow(*a, range, depth) && self.narrow(*b, range, depth)
            }
            (Computation::Binary { op: BinOp::Xor, a, b: Operand::Const { bits, .. }, .. }, Some(holds)) => {
                self.narrow(*a, Range::exactly(1, u128::from(holds) ^ bits), depth)
            }
            (Computation::Binary { op: BinOp::Add, a, b: b @ Operand::Const { .. }, .. }, _) => {
                self.narrow(*a, Range::binary(BinOp::Sub, range, self.range(*b)), depth)
            }
            (Computation::Binary { op: BinOp::Sub, a, b: b @ Operand::Const { .. }, .. }, _) => {
                self.narrow(*a, Range::binary(BinOp::Add, range, self.range(*b)), depth)
            }
            (Computation::Cast { cast: cast @ (Cast::ZeroExtend | Cast::SignExtend), src, .. }, _) => {
                // Values that the narrower type cannot hold do not occur.
                let width = self.width(*src);
                let all = Range::cast(*cast, Range::any(width), range.width());
                match range.meet(all) {
                    Some(range) => self.narrow(*src, Range::cast(Cast::Truncate, range, width), depth),
                    None => false,
                }
            }
            (Computation::Cast { cast: Cast::Truncate, src, .. }, _) => {
                // Only if the truncation lost nothing.
                let width = self.width(*src);
                let back = Range::cast(Cast::ZeroExtend, range, width);
                let fits = self.range(*src).unsigned().1 <= Range::any(range.width()).unsigned().1;
                !fits || width > 64 || self.narrow(*src, back, depth)
            }
            (
                Computation::Binary { .. }
                | Computation::Overflowing { .. }
                | Computation::Unary { .. }
                | Computation::Compare { .. }
                | Computation::FloatBinary { .. }
                | Computation::FloatUnary { .. }
                | Computation::FloatCompare { .. }
                | Computation::Cast { .. }
                | Computation::Select { .. }
                | Computation::Field { .. }
                | Computation::Index { .. },
                _,
            ) => true,
        }
    }

    /// Whether there is neither a point nor a write from that step of the block on.
    fn nothing_happened_since(&self, step: usize) -> bool {
        let (thread, block) = (self.here.thread, self.here.block);
        let steps = &self.bounded.threads[thread].blocks[block].steps;
        let end = self.here.step.min(steps.len());
        (step + 1..end).all(|step| {
            let writes = self.interference.accesses(thread, block, step).iter().any(|access| access.write);
            let creates = matches!(steps[step].op, selvedge_bound::StepOp::Create { .. });
            !writes && !creates && self.points[thread].at(block, step).is_none()
        })
    }
}
