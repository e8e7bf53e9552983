//! What operations and terminators read, write and reach: the questions that every pass asks.

use crate::ir::{BlockId, Callee, Op, Operand, Reg, Terminator};

impl Op {
    /// Does it touch memory or synchronise? Schedules count such operations.
    pub fn is_step(&self) -> bool {
        match self {
            Op::Load { .. }
            | Op::Store { .. }
            | Op::Rmw { .. }
            | Op::CmpXchg { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::StackRestore { .. } => true,
            Op::Intrinsic { which, .. } => which.is_step(),
            _ => false,
        }
    }

    /// The registers it writes.
    pub fn defs(&self) -> Vec<Reg> {
        let mut defs = Vec::new();
        // One list serves reading and rewriting; the clone is of a small enum.
        self.clone().for_each_def_mut(|reg| defs.push(*reg));
        defs
    }

    /// Calls `f` on every register it writes, to be replaced in place.
    pub fn for_each_def_mut(&mut self, mut f: impl FnMut(&mut Reg)) {
        match self {
            Op::Copy { dst, .. }
            | Op::Binary { dst, .. }
            | Op::Unary { dst, .. }
            | Op::Compare { dst, .. }
            | Op::FloatBinary { dst, .. }
            | Op::FloatUnary { dst, .. }
            | Op::FloatCompare { dst, .. }
            | Op::Cast { dst, .. }
            | Op::Select { dst, .. }
            | Op::Field { dst, .. }
            | Op::Index { dst, .. }
            | Op::Load { dst, .. }
            | Op::Rmw { dst, .. }
            | Op::Alloca { dst, .. }
            | Op::StackSave { dst }
            | Op::Nondet { dst, .. } => f(dst),
            Op::Overflowing { dst: first, overflow: second, .. } | Op::CmpXchg { old: first, success: second, .. } => {
                f(first);
                f(second);
            }
            Op::Call { dsts, .. } => dsts.iter_mut().for_each(f),
            Op::Intrinsic { dst, .. } => dst.iter_mut().for_each(f),
            Op::Store { .. }
            | Op::Fence { .. }
            | Op::StackRestore { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::Violation { .. }
            | Op::Unsupported { .. } => {}
        }
    }

    /// Calls `f` on every operand it reads.
    pub fn for_each_use(&self, mut f: impl FnMut(Operand)) {
        // One list serves reading and rewriting; the clone is of a small enum.
        self.clone().for_each_use_mut(|operand| f(*operand));
    }

    /// Calls `f` on every operand it reads, to be rewritten in place.
    pub fn for_each_use_mut(&mut self, mut f: impl FnMut(&mut Operand)) {
        match self {
            Op::Copy { src, .. } | Op::Cast { src, .. } => f(src),
            Op::Binary { a, b, .. }
            | Op::Overflowing { a, b, .. }
            | Op::Compare { a, b, .. }
            | Op::FloatBinary { a, b, .. }
            | Op::FloatCompare { a, b, .. } => {
                f(a);
                f(b);
            }
            Op::Unary { a, .. } | Op::FloatUnary { a, .. } => f(a),
            Op::Select { cond, a, b, .. } => {
                f(cond);
                f(a);
                f(b);
            }
            Op::Field { base, .. } => f(base),
            Op::Index { base, index, .. } => {
                f(base);
                f(index);
            }
            Op::Load { addr, .. } => f(addr),
            Op::Store { addr, value, .. } | Op::Rmw { addr, value, .. } => {
                f(addr);
                f(value);
            }
            Op::CmpXchg { addr, expected, new, .. } => {
                f(addr);
                f(expected);
                f(new);
            }
            Op::Alloca { size, .. } => f(size),
            Op::StackRestore { mark } => f(mark),
            Op::MemCopy { dst, src, len, .. } => {
                f(dst);
                f(src);
                f(len);
            }
            Op::MemSet { dst, byte, len } => {
                f(dst);
                f(byte);
                f(len);
            }
            Op::Call { callee, args, .. } => {
                if let Callee::Indirect(target) = callee {
                    f(target);
                }
                args.iter_mut().for_each(f);
            }
            Op::Nondet { range, .. } => {
                if let Some((low, high)) = range {
                    f(low);
                    f(high);
                }
            }
            Op::Intrinsic { args, .. } => args.iter_mut().for_each(f),
            Op::Fence { .. } | Op::StackSave { .. } | Op::Violation { .. } | Op::Unsupported { .. } => {}
        }
    }
}

impl Terminator {
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            Terminator::Jump(target) => vec![*target],
            Terminator::Branch { then, otherwise, .. } => vec![*then, *otherwise],
            Terminator::Switch { cases, default, .. } => {
                cases.iter().map(|(_, target)| *target).chain([*default]).collect()
            }
            Terminator::Return(_) | Terminator::Unreachable => vec![],
        }
    }

    pub fn for_each_target_mut(&mut self, mut f: impl FnMut(&mut BlockId)) {
        match self {
            Terminator::Jump(target) => f(target),
            Terminator::Branch { then, otherwise, .. } => {
                f(then);
                f(otherwise);
            }
            Terminator::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|(_, target)| f(target));
                f(default);
            }
            Terminator::Return(_) | Terminator::Unreachable => {}
        }
    }

    pub fn for_each_use_mut(&mut self, mut f: impl FnMut(&mut Operand)) {
        match self {
            Terminator::Branch { cond, .. } => f(cond),
            Terminator::Switch { value, .. } => f(value),
            Terminator::Return(values) => values.iter_mut().for_each(f),
            Terminator::Jump(_) | Terminator::Unreachable => {}
        }
    }

    pub fn for_each_use(&self, mut f: impl FnMut(Operand)) {
        match self {
            Terminator::Branch { cond, .. } => f(*cond),
            Terminator::Switch { value, .. } => f(*value),
            Terminator::Return(values) => values.iter().for_each(|v| f(*v)),
            Terminator::Jump(_) | Terminator::Unreachable => {}
        }
    }
}
