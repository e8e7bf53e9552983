//! Variadic arguments: the caller lays them out in one area of its frame and passes its address as
//! a hidden last argument.
//!
//! On x86-64, clang's code for `va_arg` reads a register save area first, and the overflow
//! area when the counters show that the registers are used up. `va_start` sets them so, and only
//! the overflow area, which is our area, is ever read. On i386 `va_list` is a pointer into it.

use selvedge_program::{Access, DataModel, Inst, Op, Operand, Ty};

use super::Lowered;
use super::function::Body;
use crate::ll::{self, Type};

/// The counters' values when all registers are used up: six of 8 bytes, and eight of 16.
const NO_GENERAL_REGISTERS: u128 = 48;
const NO_FLOAT_REGISTERS: u128 = 176;

impl Body<'_, '_> {
    /// A stack object that lives as long as the function, created before anything else.
    fn frame_object(&mut self, size: u64, align: u64) -> Operand {
        let dst = self.reg(Ty::Ptr);
        let size = Operand::int(self.layout.pointer_bits(), u128::from(size));
        let align = u32::try_from(align).unwrap_or(16);
        let op = Op::Alloca { dst, size, align, var: None, ty: None, padding: vec![] };
        self.prologue.push(Inst { op, loc: self.func.loc });
        Operand::Reg(dst)
    }

    fn copy(&mut self, dst: Operand, src: Operand, bytes: u64) {
        let len = Operand::int(self.layout.pointer_bits(), u128::from(bytes));
        self.emit(Op::MemCopy { dst, src, len, may_overlap: false });
    }

    /// The callee's own copy of a `byval` argument.
    pub fn copy_of(&mut self, pointer: Operand, ty: &Type, align: Option<u64>) -> Lowered<Operand> {
        let size = self.layout.size(ty)?;
        let align = align.unwrap_or(self.layout.align(ty)?);
        let object = self.frame_object(size, align);
        if size > 0 {
            self.copy(object, pointer, size);
        }
        Ok(object)
    }

    fn slot(&self, ty: &Type) -> Lowered<(u64, u64)> {
        let (size, align) = (self.layout.size(ty)?, self.layout.align(ty)?);
        Ok(match self.layout.model {
            DataModel::Lp64 => (size.next_multiple_of(8), if align >= 16 { 16 } else { 8 }),
            DataModel::Ilp32 => (size.next_multiple_of(4), 4),
        })
    }

    /// Lays out the variadic arguments of a call, and returns their address.
    pub fn variadic_area(&mut self, args: &[ll::Arg]) -> Lowered<Operand> {
        if args.is_empty() {
            return Ok(Operand::NULL);
        }
        let mut at: u64 = 0;
        let mut offsets = vec![];
        for arg in args {
            let (size, align) = self.slot(arg.attrs.byval.as_ref().unwrap_or(&arg.ty))?;
            at = at.next_multiple_of(align);
            offsets.push(at);
            at += size;
        }
        let area = self.frame_object(at, 16);
        for (arg, offset) in args.iter().zip(offsets) {
            let leaves = self.leaves(&arg.ty, &arg.value)?;
            if let (Some(ty), [pointer]) = (&arg.attrs.byval, leaves.as_slice()) {
                let bytes = self.layout.size(ty)?;
                let to = self.offset(area, offset);
                self.copy(to, *pointer, bytes);
                continue;
            }
            for (leaf, value) in self.layout.clone().leaves(&arg.ty)?.into_iter().zip(leaves) {
                // `va_arg` of a struct, or of another width, reads whole words.
                let addr = self.offset(area, offset + leaf.offset);
                let (ty, value) = match leaf.ty {
                    Ty::Int(bits) if bits < self.layout.pointer_bits() => {
                        (self.layout.word(), self.resize(value, self.layout.pointer_bits()))
                    }
                    ty => (ty, value),
                };
                self.emit(Op::Store { ty, addr, value, access: Access::Plain, place: None });
            }
        }
        Ok(area)
    }

    fn put(&mut self, list: Operand, at: u64, ty: Ty, value: Operand) {
        let addr = self.offset(list, at);
        self.emit(Op::Store { ty, addr, value, access: Access::Plain, place: None });
    }

    pub fn va_start(&mut self, list: Operand) -> Lowered<()> {
        let area = Operand::Reg(self.variadic.ok_or("va_start in a function that is not variadic")?);
        if self.layout.model == DataModel::Ilp32 {
            self.put(list, 0, Ty::Ptr, area);
            return Ok(());
        }
        self.put(list, 0, Ty::Int(32), Operand::int(32, NO_GENERAL_REGISTERS));
        self.put(list, 4, Ty::Int(32), Operand::int(32, NO_FLOAT_REGISTERS));
        self.put(list, 8, Ty::Ptr, area);
        self.put(list, 16, Ty::Ptr, Operand::NULL);
        Ok(())
    }

    pub fn va_copy(&mut self, to: Operand, from: Operand) {
        let bytes = match self.layout.model {
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 24,
        };
        self.copy(to, from, bytes);
    }

    /// The instruction, which clang uses on some targets only.
    pub fn va_arg(&mut self, list: &ll::Operand, ty: &Type) -> Lowered<Vec<Operand>> {
        let list = self.operand(list)?;
        let (size, _) = self.slot(ty)?;
        let next = self.offset(list, if self.layout.model == DataModel::Ilp32 { 0 } else { 8 });
        let at = self.value(Ty::Ptr, |dst| Op::Load { dst, addr: next, access: Access::Plain, place: None });
        let mut values = vec![];
        for leaf in self.layout.clone().leaves(ty)? {
            let addr = self.offset(at, leaf.offset);
            values.push(self.value(leaf.ty, |dst| Op::Load { dst, addr, access: Access::Plain, place: None }));
        }
        let after = self.offset(at, size);
        self.emit(Op::Store { ty: Ty::Ptr, addr: next, value: after, access: Access::Plain, place: None });
        Ok(values)
    }
}
