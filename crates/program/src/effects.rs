//! Facts about operations and terminators: which registers and which memory they read and write, where control goes,
//! which of them schedules count. What can go wrong in an operation is in [`crate::faults`].
//!
//! Every match here is exhaustive, so a new operation has to be answered for before anything compiles; code elsewhere
//! asks these functions instead of listing operations.

use crate::computation::{CmpOp, Computation};
use crate::intrinsics::Purpose;
use crate::ir::{
    BlockId, Callee, Intrinsic, MemoryOrder, Op, Operand, PlaceId, PrimaryMap, Reg, RegInfo, Terminator, Ty,
};

/// Bytes that an operation reads or writes through an address.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MemoryAccess {
    pub addr: Operand,
    pub size: AccessSize,
    pub reads: bool,
    pub writes: bool,
    /// Is it left to the values whether it writes?
    pub conditional: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum AccessSize {
    /// As many bytes as this register takes.
    Register(Reg),
    Type(Ty),
    Bytes(Operand),
}

impl AccessSize {
    /// The type of a single value. None: a block of memory.
    pub fn ty(self, regs: &PrimaryMap<Reg, RegInfo>) -> Option<Ty> {
        match self {
            AccessSize::Register(reg) => Some(regs[reg].ty),
            AccessSize::Type(ty) => Some(ty),
            AccessSize::Bytes(_) => None,
        }
    }
}

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
            // Others may act between a load and the fence behind it, before the fence drains the store buffer.
            Op::Fence { order } => *order == MemoryOrder::SeqCst,
            Op::Compute(_)
            | Op::Alloca { .. }
            | Op::StackSave { .. }
            | Op::Call { .. }
            | Op::Nondet { .. }
            | Op::Violation { .. }
            | Op::Unsupported { .. } => false,
        }
    }

    /// The bytes that it reads or writes through an address, in this order. A call's are its callee's.
    pub fn memory(&self) -> impl Iterator<Item = MemoryAccess> + use<> {
        let touch = |addr, size, reads, writes| MemoryAccess { addr, size, reads, writes, conditional: false };
        let read = |addr, size| Some(touch(addr, size, true, false));
        let write = |addr, size| Some(touch(addr, size, false, true));
        let change = |addr, size| touch(addr, size, true, true);
        let arg = |args: &[Operand]| args.first().copied().unwrap_or(Operand::NULL);
        let accesses = match *self {
            Op::Load { dst, addr, .. } => [read(addr, AccessSize::Register(dst)), None],
            Op::Store { ty, addr, .. } => [write(addr, AccessSize::Type(ty)), None],
            Op::Rmw { dst, addr, .. } => [Some(change(addr, AccessSize::Register(dst))), None],
            Op::CmpXchg { old, addr, .. } => {
                [Some(MemoryAccess { conditional: true, ..change(addr, AccessSize::Register(old)) }), None]
            }
            Op::MemCopy { dst, src, len, .. } => {
                [read(src, AccessSize::Bytes(len)), write(dst, AccessSize::Bytes(len))]
            }
            Op::MemSet { dst, len, .. } => [write(dst, AccessSize::Bytes(len)), None],
            Op::Intrinsic { which, ref args, .. } => {
                let buffer = AccessSize::Bytes(Operand::int(64, Intrinsic::JUMP_BUFFER));
                match which.purpose() {
                    Purpose::Jumps if which == Intrinsic::SetJmp => [write(arg(args), buffer), None],
                    Purpose::Jumps => [read(arg(args), buffer), None],
                    Purpose::Spawns
                    | Purpose::Counts
                    | Purpose::AsksThread
                    | Purpose::FindsCopy
                    | Purpose::Exits
                    | Purpose::Marks
                    | Purpose::Requires
                    | Purpose::Allocates
                    | Purpose::Frees
                    | Purpose::AsksObject
                    | Purpose::ChecksAccess => [None, None],
                }
            }
            Op::Compute(_)
            | Op::Fence { .. }
            | Op::Alloca { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::Call { .. }
            | Op::Nondet { .. }
            | Op::Violation { .. }
            | Op::Unsupported { .. } => [None, None],
        };
        accesses.into_iter().flatten()
    }

    /// May the thread go no further, though nothing is wrong? It waits, the run is discarded, or we cannot go on.
    pub fn may_stop(&self) -> bool {
        match self {
            Op::Unsupported { .. } => true,
            Op::Intrinsic { which, .. } => which.purpose() == Purpose::Requires,
            Op::Compute(_)
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Rmw { .. }
            | Op::CmpXchg { .. }
            | Op::Fence { .. }
            | Op::Alloca { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::Call { .. }
            | Op::Nondet { .. }
            | Op::Violation { .. } => false,
        }
    }

    /// The computation, if it is one.
    pub fn computation(&self) -> Option<&Computation> {
        if let Op::Compute(computation) = self { Some(computation) } else { None }
    }

    /// The comparison of integers or pointers, if it is one, with its operands.
    pub fn comparison(&self) -> Option<(CmpOp, Operand, Operand)> {
        if let Op::Compute(Computation::Compare { op, a, b, .. }) = self { Some((*op, *a, *b)) } else { None }
    }

    /// C's name for the object that it accesses.
    pub fn place(&self) -> Option<PlaceId> {
        // One list serves reading and rewriting; the clone is of a small enum.
        self.clone().place_mut().and_then(|place| *place)
    }

    pub fn place_mut(&mut self) -> Option<&mut Option<PlaceId>> {
        match self {
            Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } | Op::CmpXchg { place, .. } => {
                Some(place)
            }
            Op::Compute(_)
            | Op::Fence { .. }
            | Op::Alloca { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::Call { .. }
            | Op::Nondet { .. }
            | Op::Intrinsic { .. }
            | Op::Violation { .. }
            | Op::Unsupported { .. } => None,
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
            Op::Compute(computation) => computation.for_each_def_mut(f),
            Op::Load { dst, .. }
            | Op::Rmw { dst, .. }
            | Op::Alloca { dst, .. }
            | Op::StackSave { dst }
            | Op::Nondet { dst, .. } => f(dst),
            Op::CmpXchg { old, success, .. } => {
                f(old);
                f(success);
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
            Op::Compute(computation) => computation.for_each_use_mut(f),
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
