//! The effects of steps on values. Each function returns whether control may get past the step.

use super::Rounds;
use super::value::{Spot, Sum, Value};
use crate::points::Inside;
use crate::range::Range;
use selvedge_bound::StepOp;
use selvedge_program::{BinOp, Cast, Computation, EntityRef, Intrinsic, Op, Operand, Purpose, Reg, RmwOp, Ty};
use std::rc::Rc;

impl Rounds<'_> {
    pub(super) fn width(&self, operand: Operand) -> u32 {
        let ty = match operand {
            Operand::Reg(reg) => self.bounded.threads[self.here.thread].regs[reg].ty,
            Operand::Const { ty, .. } => ty,
            Operand::Global { .. } | Operand::Func(_) => Ty::Ptr,
        };
        ty.bits(self.bounded.program.data_model)
    }

    pub(super) fn value(&self, operand: Operand) -> Value {
        let width = self.width(operand);
        match operand {
            Operand::Reg(reg) => {
                let root = self.code[self.here.thread].root(reg);
                self.here.registers[root.index()].clone().unwrap_or_else(|| Value::any(width))
            }
            Operand::Const { bits, .. } => Value::new(Range::exactly(width, bits)),
            Operand::Global { id, offset } => {
                Value { spots: Some(Rc::new([Spot::at(id, offset)])), ..Value::any(width) }
            }
            Operand::Func(_) => Value::any(width),
        }
    }

    pub(super) fn range(&self, operand: Operand) -> Range {
        match operand {
            Operand::Const { bits, .. } => Range::exactly(self.width(operand), bits),
            operand => self.value(operand).range,
        }
    }

    /// Assigns a value to a register. With `first`, it is also recorded as the result of the step.
    fn define(&mut self, reg: Reg, mut value: Value, first: bool) -> bool {
        let thread = self.here.thread;
        if let Some(possible) = self.possible(reg) {
            match value.range.meet(possible) {
                Some(range) => value.range = range,
                // According to other facts this never happens.
                None => return false,
            }
        }
        let joined = |known: Option<Range>| Some(known.map_or(value.range, |known| known.join(value.range)));
        let known = &mut self.facts.registers[thread][reg.index()];
        *known = joined(*known);
        if first {
            let at = self.code[thread].position(self.here.block, self.here.step) as usize;
            let known = &mut self.facts.results[thread][at];
            *known = joined(*known);
        }
        if self.code[thread].root(reg) == reg {
            self.here.registers[reg.index()] = Some(value);
        }
        true
    }

    /// The range of the small set of values, if there is one.
    fn possible(&self, reg: Reg) -> Option<Range> {
        let Ty::Int(width) = self.bounded.threads[self.here.thread].regs[reg].ty else { return None };
        let possible = self.interference.values().of(self.here.thread, Operand::Reg(reg));
        let values = possible.values()?.iter().map(|value| Range::exactly(u32::from(width), u128::from(*value)));
        values.reduce(Range::join)
    }

    pub(super) fn step(&mut self, op: &StepOp) -> bool {
        match op {
            StepOp::Plain(op) => self.plain(op),
            StepOp::Create { dst, object, .. } => {
                self.create(*object);
                let spots: Rc<[Spot]> = Rc::new([Spot::at(*object, 0)]);
                self.define(*dst, Value { spots: Some(spots), ..Value::any(self.width(Operand::Reg(*dst))) }, true)
            }
            StepOp::Spawn { dst, thread, args } => {
                let args = args.iter().map(|arg| Value { sum: None, ..self.value(*arg) }).collect();
                self.spawn(*thread, args);
                let number = |dst: &Reg| Range::exactly(self.width(Operand::Reg(*dst)), *thread as u128);
                match dst {
                    Some(dst) => self.define(*dst, Value::new(number(dst)), true),
                    None => true,
                }
            }
            StepOp::End { .. } => true,
            StepOp::Finish { .. } => {
                self.show();
                true
            }
        }
    }

    fn spawn(&mut self, thread: usize, args: Vec<Value>) {
        self.here.flow.spawned = true;
        let joined: Vec<Value> = match &self.args[thread] {
            Some(known) => known.iter().zip(&args).map(|(a, b)| a.join(b)).collect(),
            None => args,
        };
        self.changed |= self.args[thread].as_ref() != Some(&joined);
        self.args[thread] = Some(joined);
        // Other threads run from now on, even if this thread ends before its next point.
        self.show();
    }

    fn plain(&mut self, op: &Op) -> bool {
        let bits = |this: &Self, reg: Reg| this.width(Operand::Reg(reg));
        match op {
            Op::Load { dst, addr, .. } => match self.load(*addr, bits(self, *dst)) {
                Some(value) => self.define(*dst, value, true),
                None => false,
            },
            Op::Store { ty, addr, value, .. } => {
                let value = self.value(*value);
                self.note_stored(value.range);
                self.store(*addr, ty.bytes(self.bounded.program.data_model), value, true)
            }
            Op::Rmw { dst, op, addr, value, .. } => {
                let width = bits(self, *dst);
                let Some(old) = self.load(*addr, width) else { return false };
                let new = self.modified(*op, &old, self.value(*value));
                self.note_stored(new.range);
                self.store(*addr, width.div_ceil(8), new, true) && self.define(*dst, old, true)
            }
            Op::CmpXchg { old, success, addr, expected, new, .. } => {
                let width = bits(self, *old);
                let Some(found) = self.load(*addr, width) else { return false };
                let hit = Range::compare(selvedge_program::CmpOp::Eq, found.range, self.range(*expected));
                if hit.may_hold() {
                    let new = self.value(*new);
                    self.note_stored(new.range);
                    self.store(*addr, width.div_ceil(8), new, !hit.may_fail());
                }
                self.define(*old, found, true) && self.define(*success, Value::new(hit), false)
            }
            Op::MemCopy { dst, src, len, .. } => {
                self.copy(*dst, *src, *len);
                true
            }
            Op::MemSet { dst, byte, len } => {
                self.fill(*dst, *byte, *len);
                true
            }
            Op::Intrinsic { dst, which, args } => self.intrinsic(*dst, *which, args),
            Op::Unsupported { .. } => false,
            Op::Nondet { dst, range, .. } => {
                let width = bits(self, *dst);
                let limits = range.map(|(low, high)| (self.range(low).unsigned().0, self.range(high).unsigned().1));
                let range = match limits {
                    Some((low, high)) if low > high => return false,
                    Some((low, high)) => Range::wrapped(width, low, high),
                    None => Range::any(width),
                };
                self.define(*dst, Value::new(range), true)
            }
            Op::Compute(computation) => self.compute(computation),
            Op::Alloca { dst, .. } | Op::StackSave { dst } => self.define(*dst, Value::any(bits(self, *dst)), true),
            Op::Call { .. } | Op::StackRestore { .. } | Op::Fence { .. } | Op::Violation { .. } => true,
        }
    }

    fn compute(&mut self, computation: &Computation) -> bool {
        let bits = |this: &Self, reg: Reg| this.width(Operand::Reg(reg));
        match computation {
            Computation::Overflowing { dst, overflow, op, signed, a, b } => {
                let (a, b) = (self.value(*a), self.value(*b));
                let wraps = Range::overflows(*op, *signed, a.range, b.range);
                let value = self.arithmetic(*op, &a, &b);
                self.define(*dst, value, true) && self.define(*overflow, Value::new(wraps), false)
            }
            Computation::Copy { dst, src } => self.define(*dst, self.value(*src), true),
            Computation::Binary { dst, op, a, b, .. } => {
                let value = self.arithmetic(*op, &self.value(*a), &self.value(*b));
                self.define(*dst, value, true)
            }
            Computation::Unary { dst, op, a } => self.define(*dst, Value::new(Range::unary(*op, self.range(*a))), true),
            Computation::Compare { dst, op, a, b } => {
                let value = Range::compare(*op, self.range(*a), self.range(*b));
                self.define(*dst, Value::new(value), true)
            }
            Computation::Cast { dst, cast, src } => {
                let value = self.converted(*cast, self.value(*src), bits(self, *dst));
                self.define(*dst, value, true)
            }
            Computation::Select { dst, cond, a, b } => {
                let cond = self.range(*cond);
                let value = match (cond.may_hold(), cond.may_fail()) {
                    (true, false) => self.value(*a),
                    (false, true) => self.value(*b),
                    (true, true) | (false, false) => self.value(*a).join(&self.value(*b)),
                };
                self.define(*dst, value, true)
            }
            Computation::Field { dst, base, bytes, .. } => {
                let spots = self.value(*base).spots;
                let moved =
                    |spots: Rc<[Spot]>| spots.iter().map(|spot| spot.moved(*bytes)).collect::<Option<Rc<[Spot]>>>();
                let value = Value { spots: spots.and_then(moved), ..Value::any(bits(self, *dst)) };
                self.define(*dst, value, true)
            }
            Computation::Index { dst, base, index, stride, .. } => {
                let index = self.range(*index);
                let from = self.spots(*base);
                let spots = from.iter().map(|spot| spot.indexed(self.bounded, index, *stride)).collect();
                let value = Value { spots: Some(spots), ..Value::any(bits(self, *dst)) };
                self.define(*dst, value, true)
            }
            Computation::FloatBinary { dst, .. }
            | Computation::FloatUnary { dst, .. }
            | Computation::FloatCompare { dst, .. } => self.define(*dst, Value::any(bits(self, *dst)), true),
        }
    }

    fn arithmetic(&self, op: BinOp, a: &Value, b: &Value) -> Value {
        let sum = match (op, a.sum, b.sum) {
            (BinOp::Add, Some(sum), _) => sum.plus(b.range.signed()),
            (BinOp::Add, None, Some(sum)) => sum.plus(a.range.signed()),
            (BinOp::Sub, Some(sum), _) => {
                let (low, high) = b.range.signed();
                sum.plus((-high, -low))
            }
            _ => None,
        };
        Value { range: Range::binary(op, a.range, b.range), spots: None, sum: sum.filter(|_| a.range.width() <= 64) }
    }

    /// The low bits stay, so a sum stays one modulo the width of its cell.
    fn converted(&self, cast: Cast, value: Value, width: u32) -> Value {
        let keeps = |sum: &Sum| {
            let cell = 8 * self.cells.all[sum.cell].bytes;
            value.range.width() >= cell && width >= cell
        };
        let same_bits = matches!(cast, Cast::ZeroExtend | Cast::SignExtend | Cast::Truncate);
        let keeps_spots = matches!(cast, Cast::PtrToInt | Cast::IntToPtr) && value.range.width() == width;
        let spots = value.spots.clone().filter(|_| keeps_spots);
        let sum = value.sum.filter(|sum| same_bits && keeps(sum));
        Value { range: Range::cast(cast, value.range, width), spots, sum }
    }

    fn modified(&self, op: RmwOp, old: &Value, value: Value) -> Value {
        let width = old.range.width();
        let plain = |op: BinOp| self.arithmetic(op, old, &value);
        match op {
            RmwOp::Exchange => value,
            RmwOp::Add => plain(BinOp::Add),
            RmwOp::Sub => plain(BinOp::Sub),
            RmwOp::And => plain(BinOp::And),
            RmwOp::Or => plain(BinOp::Or),
            RmwOp::Xor => plain(BinOp::Xor),
            // One of the two.
            RmwOp::Max | RmwOp::Min | RmwOp::UMax | RmwOp::UMin => Value::new(old.range.join(value.range)),
            RmwOp::Nand | RmwOp::FAdd | RmwOp::FSub => Value::any(width),
        }
    }

    fn intrinsic(&mut self, dst: Option<Reg>, which: Intrinsic, args: &[Operand]) -> bool {
        if which.purpose() == Purpose::Requires {
            self.here.undo.clear();
            return self.suppose(args[0], true);
        }
        if which == Intrinsic::AtomicEnd && self.here.inside == Inside::Section {
            self.show();
        }
        match dst {
            Some(dst) => self.define(dst, Value::any(self.width(Operand::Reg(dst))), true),
            None => true,
        }
    }
}
