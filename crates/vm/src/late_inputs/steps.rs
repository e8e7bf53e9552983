//! Instructions on symbols: some pass them on, comparisons cut their interval, and all others need a value.

use super::blocks::Blocks;
use super::{Handled, Symbol, View, mask};
use crate::machine::Machine;
use crate::oracle::{Oracle, Stopped};
use selvedge_program::semantics::narrow;
use selvedge_program::{BinOp, Callee, Cast, CmpOp, Computation, Op, Operand, Property, Reg, Terminator};

impl<O: Oracle> Machine<'_, O> {
    /// Handles the symbols among an instruction's operands, when the state has any.
    pub fn handle_symbols(&mut self) -> Result<Handled, Stopped> {
        let Some(op) = self.code.op(self.pc) else { return self.handle_terminator() };
        if let Some(handled) = self.pass_on(op)? {
            return Ok(handled);
        }
        let mut operands = Vec::new();
        // Operations that only move a value do not need it.
        if let Op::Store { addr: target, .. } | Op::Call { callee: Callee::Indirect(target), .. } = op {
            operands.push(*target);
        } else if !matches!(op, Op::Call { .. }) {
            op.for_each_use(|operand| operands.push(operand));
        }
        for operand in operands {
            if let Some(view) = self.view(operand) {
                self.choose_value(view)?;
            }
        }
        if !matches!(op, Op::Call { .. }) {
            self.forget_results(op);
        }
        Ok(Handled::Plain)
    }

    pub(super) fn handle_terminator(&mut self) -> Result<Handled, Stopped> {
        match self.code.terminator(self.pc) {
            Terminator::Branch { cond, .. } => {
                if let Some(view) = self.view(*cond) {
                    self.choose_value(view)?;
                }
            }
            Terminator::Switch { value, cases, .. } => {
                if let Some(view) = self.view(*value) {
                    let points: Vec<u64> =
                        cases.iter().flat_map(|(c, _)| [*c as u64, (*c as u64).wrapping_add(1)]).collect();
                    self.cut(view, &points)?;
                    // All remaining values lead to the same target; any of them will do.
                    if let (Some(view), Some(slot)) = (self.view(*value), self.slot_of(*value)) {
                        self.stack[self.base + 1 + slot] =
                            view.of(self.state.late_inputs.symbols[view.symbol as usize].low);
                    }
                }
            }
            Terminator::Jump(_) | Terminator::Return(_) | Terminator::Unreachable => {}
        }
        Ok(Handled::Plain)
    }

    /// Executes instructions that can work on a view without knowing its value.
    pub(super) fn pass_on(&mut self, op: &Op) -> Result<Option<Handled>, Stopped> {
        let Op::Compute(computation) = *op else { return Ok(None) };
        match computation {
            Computation::Copy { dst, src } => {
                let Some(view) = self.view(src) else { return Ok(None) };
                self.give(dst, view);
            }
            Computation::Cast { dst, cast, src } => {
                let Some(view) = self.view(src) else { return Ok(None) };
                let Some(view) = self.cast_view(view, cast, dst)? else { return Ok(None) };
                self.give(dst, view);
            }
            Computation::Binary { dst, op: op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b, checked } => {
                if checked && self.code.properties.contains(Property::Overflow) {
                    return Ok(None);
                }
                let (view, other) = match (self.view(a), self.view(b)) {
                    (Some(view), None) => (view, b),
                    (None, Some(view)) if op != BinOp::Sub => (view, a),
                    _ => return Ok(None),
                };
                let other = self.operand(other) as u64;
                let View { factor, add, .. } = view;
                let (factor, add) = match op {
                    BinOp::Mul => (factor.wrapping_mul(other), add.wrapping_mul(other)),
                    BinOp::Sub => (factor, add.wrapping_sub(other)),
                    _ => (factor, add.wrapping_add(other)),
                };
                self.give(dst, View { factor, add, ..view });
            }
            Computation::Compare { dst, op, a, b } => {
                // Every value equals itself.
                if let (Some(one), Some(other)) = (self.view(a), self.view(b))
                    && one == other
                {
                    self.forget(dst);
                    self.set_register(dst, u128::from(narrow::compare(op, one.bits, 0, 0)));
                    self.pc += 1;
                    return Ok(Some(Handled::Done));
                }
                let (view, other, op) = match (self.view(a), self.view(b)) {
                    (Some(view), None) => (view, b, op),
                    (None, Some(view)) => (view, a, swap(op)),
                    _ => return Ok(None),
                };
                let other = self.operand(other) as u64;
                self.cut(view, &[other, other.wrapping_add(1), 1 << (view.bits - 1)])?;
                let sample = view.of(self.state.late_inputs.symbols[view.symbol as usize].low);
                self.forget(dst);
                self.set_register(dst, u128::from(narrow::compare(op, view.bits, sample, other)));
            }
            Computation::Select { dst, cond, a, b } => {
                if let Some(view) = self.view(cond) {
                    self.choose_value(view)?;
                }
                let chosen = if self.operand(cond) & 1 == 1 { a } else { b };
                return match self.view(chosen) {
                    Some(view) => {
                        self.give(dst, view);
                        self.pc += 1;
                        Ok(Some(Handled::Done))
                    }
                    None => {
                        self.forget_results(op);
                        Ok(Some(Handled::Plain))
                    }
                };
            }
            Computation::Binary { dst, op, a, b, checked } => {
                if checked && self.code.properties.contains(Property::Overflow) {
                    return Ok(None);
                }
                let (Some(view), None) = (self.view(a), self.view(b)) else { return Ok(None) };
                let Some(blocks) = Blocks::of(op, view.bits, self.operand(b) as u64) else { return Ok(None) };
                if !self.blockwise(dst, view, blocks)? {
                    return Ok(None);
                }
            }
            Computation::Overflowing { .. }
            | Computation::Unary { .. }
            | Computation::FloatBinary { .. }
            | Computation::FloatUnary { .. }
            | Computation::FloatCompare { .. }
            | Computation::Field { .. }
            | Computation::Index { .. } => return Ok(None),
        }
        self.pc += 1;
        Ok(Some(Handled::Done))
    }

    pub(super) fn cast_view(&mut self, view: View, cast: Cast, dst: Reg) -> Result<Option<View>, Stopped> {
        let function = self.code.from[self.pc as usize].function;
        let program = self.code.program;
        let bits = program.functions[function].regs[dst].ty.bits(program.data_model);
        if bits > 64 {
            return Ok(None);
        }
        let bits = bits as u8;
        Ok(match cast {
            Cast::Truncate => Some(View { bits, ..view }),
            Cast::Reinterpret => Some(view),
            Cast::PtrToInt | Cast::IntToPtr if bits <= view.bits => Some(View { bits, ..view }),
            Cast::ZeroExtend | Cast::SignExtend if self.is_small_multiple(view) => {
                let low = self.state.late_inputs.symbols[view.symbol as usize].low;
                Some(View { bits, add: view.of(low).wrapping_sub(low.wrapping_mul(view.factor)), ..view })
            }
            Cast::ZeroExtend | Cast::SignExtend | Cast::PtrToInt | Cast::IntToPtr => {
                // Cut where the narrow value wraps or changes its sign; then the wide one is again
                // the symbol plus a constant.
                self.cut(view, &[1 << (view.bits - 1)])?;
                let low = self.state.late_inputs.symbols[view.symbol as usize].low;
                let before = view.of(low);
                let wide = if cast == Cast::SignExtend { narrow::signed(view.bits, before) as u64 } else { before };
                Some(View { bits, factor: 1, add: wide.wrapping_sub(low), ..view })
            }
            Cast::FloatToSigned
            | Cast::FloatToUnsigned
            | Cast::SignedToFloat
            | Cast::UnsignedToFloat
            | Cast::FloatToFloat => None,
        })
    }

    /// Is it a multiple of which all values fit, and are not negative?
    fn is_small_multiple(&self, view: View) -> bool {
        let Symbol { low, high, .. } = self.state.late_inputs.symbols[view.symbol as usize];
        let most = u128::from(high - low) * u128::from(view.factor) + u128::from(view.of(low));
        view.factor != 1 && most < 1 << (view.bits - 1)
    }

    /// Drops the views that the instruction's result registers held before.
    pub(super) fn forget_results(&mut self, op: &Op) {
        op.defs().into_iter().for_each(|reg| self.forget(reg));
    }

    pub(super) fn forget(&mut self, reg: Reg) {
        if let Some(slot) = self.slot_of(Operand::Reg(reg)) {
            let holder = self.register(slot);
            self.state.late_inputs.remove(holder);
        }
    }

    pub(super) fn give(&mut self, reg: Reg, view: View) {
        if let Some(slot) = self.slot_of(Operand::Reg(reg)) {
            let holder = self.register(slot);
            self.state.late_inputs.set(holder, view);
            self.stack[self.base + 1 + slot] = 0;
        }
    }

    pub(super) fn view(&self, operand: Operand) -> Option<View> {
        self.slot_of(operand).and_then(|slot| self.state.late_inputs.get(self.register(slot)))
    }

    pub(super) fn slot_of(&self, operand: Operand) -> Option<usize> {
        let Operand::Reg(reg) = operand else { return None };
        let function = self.code.function(self.code.from[self.pc as usize].function);
        Some(usize::from(function.slots.of[reg].first))
    }

    /// Chooses a part of the symbol's interval within which the view neither crosses any of `points`
    /// nor wraps around.
    pub(super) fn cut(&mut self, view: View, points: &[u64]) -> Result<(), Stopped> {
        let Symbol { low, high, .. } = self.state.late_inputs.symbols[view.symbol as usize];
        let period = 1u128 << view.bits;
        if view.factor != 1 || u128::from(high - low) >= period {
            // Not known, or the view wraps around more than once: only feasible with few values.
            return self.choose_value(view);
        }
        // The values of the symbol at which the view equals a point; a part begins at each.
        let mut starts: Vec<u64> = points
            .iter()
            .chain([&0])
            .filter_map(|point| {
                let turn = (point & mask(view.bits)).wrapping_sub(view.of(low)) & mask(view.bits);
                low.checked_add(turn).filter(|start| *start <= high && *start > low)
            })
            .chain([low])
            .collect();
        starts.sort_unstable();
        starts.dedup();
        let chosen = self.choose(starts.len())?;
        let end = starts.get(chosen + 1).map_or(high, |next| next - 1);
        self.narrow(view.symbol, starts[chosen], end);
        Ok(())
    }

    /// Chooses one of all remaining values, or one of a few samples if they are too many. Samples may show a
    /// violation, but never prove that there is none.
    pub(crate) fn choose_value(&mut self, view: View) -> Result<(), Stopped> {
        self.choose_among(view, self.max_input_values)
    }

    /// Like [`Machine::choose_value`], with another number of values that is too many.
    pub(super) fn choose_among(&mut self, view: View, too_many: u64) -> Result<(), Stopped> {
        let Symbol { low, high, pc, .. } = self.state.late_inputs.symbols[view.symbol as usize];
        if low == high {
            self.narrow(view.symbol, low, high);
            return Ok(());
        }
        let value = if high - low >= too_many {
            if !self.sampled.contains_key(&pc) {
                self.sampled.insert(pc, self.too_wide(pc));
            }
            let samples = [low, high, low + 1];
            let different = if high - low == 1 { 2 } else { 3 };
            samples[self.choose(different)?]
        } else {
            low + self.choose((high - low + 1) as usize)? as u64
        };
        self.narrow(view.symbol, value, value);
        Ok(())
    }

    pub(super) fn choose(&mut self, ways: usize) -> Result<usize, Stopped> {
        if ways == 1 {
            return Ok(0);
        }
        self.chose = true;
        self.oracle.choose(ways)
    }
}

pub(super) fn swap(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Eq | CmpOp::Ne => op,
        CmpOp::Ult => CmpOp::Ugt,
        CmpOp::Ule => CmpOp::Uge,
        CmpOp::Ugt => CmpOp::Ult,
        CmpOp::Uge => CmpOp::Ule,
        CmpOp::Slt => CmpOp::Sgt,
        CmpOp::Sle => CmpOp::Sge,
        CmpOp::Sgt => CmpOp::Slt,
        CmpOp::Sge => CmpOp::Sle,
    }
}
