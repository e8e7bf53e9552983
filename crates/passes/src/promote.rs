//! Stack variables that no other thread can reach become registers.
//!
//! A stack object is *private* if its address is used for nothing but loads and stores, directly or
//! through constant offsets (`s.a.b`, `a[2]`): then no other thread and no other function sees it.
//! If all accesses to a private object are of the same few pieces, never overlapping, each piece
//! becomes a register, named after the C variable; a load reads it, a store writes it. So a small
//! struct falls apart into its fields (scalar replacement of aggregates).
//!
//! Reading a variable before writing it gives any value. That is an input of the run, so it is only
//! there where some path does read first: exactly if the new register is live at the entry.
//!
//! These stay in memory: objects made outside of the entry block or in a loop, of variable size,
//! touched as a whole (`memcpy`, `memset`), with accesses that overlap in part, reach outside of
//! the object or read padding, and `volatile` ones in a function that calls `setjmp`.

use crate::Context;
use selvedge_program::liveness::{Liveness, calls_setjmp, is_live};
use selvedge_program::semantics::integers::signed;
use selvedge_program::{
    Access, Block, BlockId, Computation, DebugType, EntityRef, Function, Input, Inst, Op, Operand, Reg, RegInfo,
    SourceMap, Ty, TypeId,
};
use std::collections::BTreeMap;

/// An object of more pieces stays in memory: registers are kept with every state.
const MAX_PIECES: usize = 32;

pub fn promote(context: &Context, function: &mut Function) {
    let mut objects = Objects::find(function);
    if objects.list.is_empty() {
        return;
    }
    objects.follow_addresses(function);
    objects.collect_accesses(context, function);
    objects.reject_odd_shapes(context);
    objects.make_registers(context, function);
    objects.rewrite(function);
    objects.replace_allocas(function);
}

/// A stack object that might be promoted.
struct Object {
    size: i128,
    var: Option<String>,
    ty: Option<TypeId>,
    padding: Vec<(u32, u32)>,
    private: bool,
    volatile: bool,
    /// By offset: the one type of access there.
    pieces: BTreeMap<i128, Ty>,
    regs: BTreeMap<i128, Reg>,
}

struct Objects {
    entry: BlockId,
    list: Vec<Object>,
    /// For a register that always holds the address of a piece: the object and the offset.
    address: Vec<Option<(usize, i128)>>,
    written_once: Vec<bool>,
}

impl Objects {
    fn find(function: &Function) -> Objects {
        let mut writes = vec![0u32; function.regs.len()];
        function.params.iter().for_each(|reg| writes[reg.index()] += 1);
        let mut entry_is_target = false;
        let entry = BlockId::new(0);
        let mut restores = false;
        for block in function.blocks.values() {
            for inst in &block.insts {
                inst.op.defs().into_iter().for_each(|reg| writes[reg.index()] += 1);
                restores |= matches!(inst.op, Op::StackRestore { .. });
            }
            entry_is_target |= block.term.successors().contains(&entry);
        }
        let written_once: Vec<bool> = writes.iter().map(|n| *n == 1).collect();
        let mut objects = Objects { entry, list: vec![], address: vec![None; writes.len()], written_once };
        let Some(block) = function.blocks.get(entry).filter(|_| !entry_is_target) else { return objects };
        let mut read_before = vec![false; writes.len()];
        for inst in &block.insts {
            if restores && matches!(inst.op, Op::StackSave { .. }) {
                break;
            }
            if let Op::Alloca { dst, size: Operand::Const { bits, .. }, var, ty, padding, .. } = &inst.op
                && objects.written_once[dst.index()]
                && !read_before[dst.index()]
            {
                objects.address[dst.index()] = Some((objects.list.len(), 0));
                objects.list.push(Object {
                    size: i128::try_from(*bits).unwrap_or(0),
                    var: var.clone().or_else(|| function.regs[*dst].name.clone()),
                    ty: *ty,
                    padding: padding.clone(),
                    private: true,
                    volatile: false,
                    pieces: BTreeMap::new(),
                    regs: BTreeMap::new(),
                });
                continue;
            }
            inst.op.for_each_use(|operand| {
                if let Operand::Reg(reg) = operand {
                    read_before[reg.index()] = true;
                }
            });
        }
        objects
    }

    /// Registers that are a constant offset away from an object's address, in any order of blocks.
    fn follow_addresses(&mut self, function: &Function) {
        let mut derived: Vec<Vec<(Reg, i128)>> = vec![vec![]; self.address.len()];
        for inst in function.blocks.values().flat_map(|block| &block.insts) {
            if let Some((dst, base, bytes)) = constant_offset(&inst.op)
                && self.written_once[dst.index()]
            {
                derived[base.index()].push((dst, bytes));
            }
        }
        let mut work: Vec<usize> = (0..self.address.len()).filter(|reg| self.address[*reg].is_some()).collect();
        while let Some(base) = work.pop() {
            let Some((object, offset)) = self.address[base] else { continue };
            for (dst, bytes) in std::mem::take(&mut derived[base]) {
                self.address[dst.index()] = Some((object, offset + bytes));
                work.push(dst.index());
            }
        }
    }

    fn address_of(&self, operand: Operand) -> Option<(usize, i128)> {
        match operand {
            Operand::Reg(reg) => self.address[reg.index()],
            _ => None,
        }
    }

    fn escapes(&mut self, operand: Operand) {
        if let Some((object, _)) = self.address_of(operand) {
            self.list[object].private = false;
        }
    }

    fn collect_accesses(&mut self, context: &Context, function: &Function) {
        for block in function.blocks.values() {
            for inst in &block.insts {
                if let Op::Load { dst, addr, access, .. } = &inst.op {
                    self.access(context, *addr, function.regs[*dst].ty, *access);
                    continue;
                }
                if let Op::Store { ty, addr, value, access, .. } = &inst.op {
                    self.access(context, *addr, *ty, *access);
                    self.escapes(*value);
                    continue;
                }
                let offset = constant_offset(&inst.op);
                if offset.is_none_or(|(dst, ..)| self.address[dst.index()].is_none()) {
                    inst.op.for_each_use(|operand| self.escapes(operand));
                }
            }
            block.term.for_each_use(|operand| self.escapes(operand));
        }
    }

    fn access(&mut self, context: &Context, addr: Operand, ty: Ty, access: Access) {
        let Some((index, offset)) = self.address_of(addr) else { return };
        let object = &mut self.list[index];
        let inside = offset >= 0 && offset + i128::from(ty.bytes(context.data_model)) <= object.size;
        object.private &= inside && *object.pieces.entry(offset).or_insert(ty) == ty;
        object.volatile |= access == Access::Volatile;
    }

    fn reject_odd_shapes(&mut self, context: &Context) {
        for object in &mut self.list {
            let mut end = 0;
            for (start, ty) in &object.pieces {
                let piece_end = start + i128::from(ty.bytes(context.data_model));
                let in_padding =
                    object.padding.iter().any(|(from, to)| *start < i128::from(*to) && i128::from(*from) < piece_end);
                object.private &= *start >= end && !in_padding;
                end = piece_end;
            }
            object.private &= object.pieces.len() <= MAX_PIECES;
        }
    }

    fn make_registers(&mut self, context: &Context, function: &mut Function) {
        let setjmp = calls_setjmp(function);
        for object in &mut self.list {
            object.private &= !(object.volatile && setjmp);
            if !object.private {
                continue;
            }
            for (offset, ty) in &object.pieces {
                let bytes = u64::from(ty.bytes(context.data_model));
                let at = u64::try_from(*offset).unwrap_or(0);
                let name = object.var.as_ref().map(|var| context.source.path(var, object.ty, at, bytes));
                let debug = object.ty.and_then(|whole| piece_type(context.source, whole, at));
                object.regs.insert(*offset, function.regs.push(RegInfo { ty: *ty, name, debug }));
            }
        }
    }

    /// The register of the piece at an address, if it got one.
    fn piece(&self, operand: Operand) -> Option<Reg> {
        let (object, offset) = self.address_of(operand)?;
        self.list[object].regs.get(&offset).copied()
    }

    fn rewrite(&self, function: &mut Function) {
        for block in function.blocks.values_mut() {
            // Addresses of what is no longer in memory; the objects themselves still hold a place.
            block.insts.retain(|inst| {
                let gone = constant_offset(&inst.op)
                    .and_then(|(dst, ..)| self.address[dst.index()])
                    .is_some_and(|(object, _)| self.list[object].private);
                !gone
            });
            for inst in &mut block.insts {
                if let Op::Load { dst, addr, .. } = inst.op
                    && let Some(piece) = self.piece(addr)
                {
                    inst.op = Op::Compute(Computation::Copy { dst, src: Operand::Reg(piece) });
                } else if let Op::Store { addr, value, .. } = inst.op
                    && let Some(piece) = self.piece(addr)
                {
                    inst.op = Op::Compute(Computation::Copy { dst: piece, src: value });
                }
            }
        }
    }

    /// Gives any value to the pieces of a new object that may be read before they are written.
    fn replace_allocas(&self, function: &mut Function) {
        let liveness = Liveness::along_edges(function);
        let live = &liveness.live_in[self.entry];
        let Block { insts, .. } = &mut function.blocks[self.entry];
        let mut new = Vec::with_capacity(insts.len());
        for inst in insts.drain(..) {
            let made = if let Op::Alloca { dst, .. } = inst.op { self.address_of(Operand::Reg(dst)) } else { None };
            match made.map(|(object, _)| &self.list[object]).filter(|object| object.private) {
                None => new.push(inst),
                Some(object) => {
                    for reg in object.regs.values().filter(|reg| is_live(live, **reg)) {
                        let name = function.regs[*reg].name.clone().unwrap_or_else(|| "a local variable".to_string());
                        let op = Op::Nondet { dst: *reg, range: None, input: Input::Uninitialised(name) };
                        new.push(Inst { op, loc: inst.loc });
                    }
                }
            }
        }
        *insts = new;
    }
}

/// `dst = base + constant`
fn constant_offset(op: &Op) -> Option<(Reg, Reg, i128)> {
    let Op::Compute(computation) = op else { return None };
    if let Computation::Copy { dst, src: Operand::Reg(base) } = computation {
        return Some((*dst, *base, 0));
    }
    if let Computation::Field { dst, base: Operand::Reg(base), bytes, .. } = computation {
        return Some((*dst, *base, i128::from(*bytes)));
    }
    let Computation::Index {
        dst,
        base: Operand::Reg(base),
        index: Operand::Const { ty: Ty::Int(width), bits },
        stride,
        bound,
    } = computation
    else {
        return None;
    };
    let index = i64::try_from(signed(u32::from(*width), *bits)).ok()?;
    let inside = bound.is_none_or(|bound| u64::try_from(index).is_ok_and(|index| index < bound));
    inside.then_some((*dst, *base, i128::from(index) * i128::from(*stride)))
}

/// The C type of what starts `offset` bytes into something of type `ty`.
fn piece_type(source: &SourceMap, ty: TypeId, offset: u64) -> Option<TypeId> {
    let (mut ty, mut rest) = (ty, offset);
    // Debug information is input: a cycle in it must not hang us.
    for _ in 0..64 {
        match &source.types[source.strip(ty)] {
            DebugType::Struct { fields, is_union: false, .. } => {
                let field = fields.iter().rev().find(|f| f.bit_offset / 8 <= rest && f.bits.is_none())?;
                rest -= field.bit_offset / 8;
                ty = field.ty;
            }
            DebugType::Array { of, .. } => {
                rest = rest.checked_rem(source.size(*of))?;
                ty = *of;
            }
            _ => return (rest == 0).then_some(ty),
        }
    }
    None
}
