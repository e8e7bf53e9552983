//! Stack variables that no other thread can reach become registers.
//!
//! A stack object is *private* if its address is used for nothing but loads and stores, directly or
//! through constant offsets (`s.a.b`, `a[2]`): then no other thread and no other function sees it.
//! If all accesses to a private object are of the same few pieces, never overlapping, each piece
//! becomes a register, named after the C variable; a load reads it, a store writes it. So a small
//! struct falls apart into its fields (scalar replacement of aggregates).
//!
//! Reading a variable before writing it gives any value. That is an input of the run, so it is only
//! there where some path does read first: exactly if the new register is live where the object is made.
//!
//! Objects are made in the entry block, or where a block of the source begins: right behind a `StackSave` that is for
//! this object alone. A register that takes its place needs no end; a new round of a loop gives it any value again.
//!
//! These stay in memory: objects made elsewhere, of variable size,
//! touched as a whole (`memcpy`, `memset`), with accesses that overlap in part, reach outside of
//! the object or read padding, and `volatile` ones in a function that calls `setjmp`.

use crate::Context;
use selvedge_program::liveness::{Liveness, calls_setjmp, is_live};
use selvedge_program::semantics::integers::signed;
use selvedge_program::{
    Access, BlockId, Computation, DebugType, EntityRef, Function, Input, Inst, Op, Operand, Reg, RegInfo, SourceMap,
    Ty, TypeId,
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
    /// The `StackSave` of an object of a block.
    mark: Option<Reg>,
    private: bool,
    volatile: bool,
    /// By offset: the one type of access there.
    pieces: BTreeMap<i128, Ty>,
    regs: BTreeMap<i128, Reg>,
}

struct Objects {
    list: Vec<Object>,
    /// For a register that always holds the address of a piece: the object and the offset.
    address: Vec<Option<(usize, i128)>>,
    written_once: Vec<bool>,
}

impl Objects {
    fn find(function: &Function) -> Objects {
        let mut writes = vec![0u32; function.regs.len()];
        function.params.iter().for_each(|reg| writes[reg.index()] += 1);
        let entry = BlockId::new(0);
        let mut entry_is_target = false;
        for block in function.blocks.values() {
            for inst in &block.insts {
                inst.op.defs().into_iter().for_each(|reg| writes[reg.index()] += 1);
            }
            entry_is_target |= block.term.successors().contains(&entry);
        }
        let written_once: Vec<bool> = writes.iter().map(|n| *n == 1).collect();
        let mut objects = Objects { list: vec![], address: vec![None; writes.len()], written_once };
        let of_blocks = objects.marks(function);
        let is_of_block = |mark: Reg| of_blocks[mark.index()];
        let restores = function.blocks.values().flat_map(|block| &block.insts).any(
            |inst| matches!(inst.op, Op::StackRestore { mark } if !matches!(mark, Operand::Reg(mark) if is_of_block(mark))),
        );
        let mut read_before = vec![false; writes.len()];
        for (id, block) in &function.blocks {
            // Whether what is made here is made once, for the whole function.
            let mut once = id == entry && !entry_is_target;
            let mut mark = None;
            for inst in &block.insts {
                let before = mark.take();
                match &inst.op {
                    Op::StackSave { dst } if is_of_block(*dst) => mark = Some(*dst),
                    Op::StackSave { .. } if restores => once = false,
                    Op::Alloca { dst, .. }
                        if objects.written_once[dst.index()]
                            && (before.is_some() || once && !read_before[dst.index()]) =>
                    {
                        objects.add(function, &inst.op, before);
                    }
                    op => op.for_each_use(|operand| {
                        if let Operand::Reg(reg) = operand {
                            read_before[reg.index()] = true;
                        }
                    }),
                }
            }
        }
        objects
    }

    /// By register: it marks the stack before an object of a block, and before nothing else.
    fn marks(&self, function: &Function) -> Vec<bool> {
        let mut marks = vec![false; self.written_once.len()];
        for block in function.blocks.values() {
            for pair in block.insts.windows(2) {
                if let (Op::StackSave { dst }, Op::Alloca { .. }) = (&pair[0].op, &pair[1].op) {
                    marks[dst.index()] = self.written_once[dst.index()];
                }
            }
        }
        let mut used_otherwise = |operand| {
            if let Operand::Reg(reg) = operand {
                marks[reg.index()] = false;
            }
        };
        for block in function.blocks.values() {
            let others = block.insts.iter().filter(|inst| !matches!(inst.op, Op::StackRestore { .. }));
            others.for_each(|inst| inst.op.for_each_use(&mut used_otherwise));
            block.term.for_each_use(&mut used_otherwise);
        }
        marks
    }

    fn add(&mut self, function: &Function, made: &Op, mark: Option<Reg>) {
        let Op::Alloca { dst, size: Operand::Const { bits, .. }, var, ty, padding, .. } = made else { return };
        self.address[dst.index()] = Some((self.list.len(), 0));
        self.list.push(Object {
            size: i128::try_from(*bits).unwrap_or(0),
            var: var.clone().or_else(|| function.regs[*dst].name.clone()),
            ty: *ty,
            padding: padding.clone(),
            mark,
            private: true,
            volatile: false,
            pieces: BTreeMap::new(),
            regs: BTreeMap::new(),
        });
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
        let is_private = |index: &usize| self.list[*index].private;
        let marks: Vec<Reg> =
            self.list.iter().filter(|object| object.private).filter_map(|object| object.mark).collect();
        for id in function.blocks.keys().collect::<Vec<_>>() {
            let mut unwritten: BTreeMap<usize, Vec<Inst>> = BTreeMap::new();
            liveness.walk_back(function, id, |at, inst, live| {
                let Op::Alloca { dst, .. } = inst.op else { return };
                let made = self.address_of(Operand::Reg(dst)).map(|(object, _)| object).filter(is_private);
                let Some(object) = made.map(|object| &self.list[object]) else { return };
                let any_value = |reg: &Reg| {
                    let name = function.regs[*reg].name.clone().unwrap_or_else(|| "a local variable".to_string());
                    let op = Op::Nondet { dst: *reg, range: None, input: Input::Uninitialised(name) };
                    Inst { op, loc: inst.loc }
                };
                unwritten.insert(at, object.regs.values().filter(|reg| is_live(live, **reg)).map(any_value).collect());
            });
            let insts = std::mem::take(&mut function.blocks[id].insts);
            let is_mark = |operand: Operand| matches!(operand, Operand::Reg(reg) if marks.contains(&reg));
            let kept = insts.into_iter().enumerate().flat_map(|(at, inst)| match (unwritten.remove(&at), &inst.op) {
                (Some(values), _) => values,
                (None, Op::StackSave { dst }) if is_mark(Operand::Reg(*dst)) => vec![],
                (None, Op::StackRestore { mark }) if is_mark(*mark) => vec![],
                (None, _) => vec![inst],
            });
            function.blocks[id].insts = kept.collect();
        }
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
