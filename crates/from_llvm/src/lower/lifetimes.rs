//! Objects of blocks, which begin and end with them (C11 6.2.4p6).
//!
//! clang marks where the lifetime of a variable or a temporary begins and where it ends, once for each way out of its
//! block. Where it begins, an object is made anew, between a mark of the stack and its restoration at the end: so a
//! loop has another object in every round, and a pointer to one of an earlier round points to nothing. What belongs to
//! the outermost block of a function ends when that returns, and needs no marks.
//!
//! clang does not mark variables whose declaration a jump can go around, nor those declared behind a label of their
//! block; they live as long as their function runs. So do all objects of a function that calls `alloca`, because what
//! that returns lives on when the block has been left.

use std::collections::BTreeMap;

use selvedge_program::{BlockId, EntityRef, Inst, Op, Operand, Origin, Reg, Ty};

use super::function::Body;
use crate::ll::{self, CastOp, LocalId, Value};

/// How long the stack objects of a unit live.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifetimes {
    /// Objects end with the block that declares them.
    Blocks,
    /// As long as the function runs.
    Functions,
}

/// An object that is made where a block begins.
pub struct OfBlock {
    object: Op,
    address: Reg,
    /// The stack before it was made.
    mark: Reg,
}

/// The objects of blocks of a function, by the LLVM register that holds the address.
#[derive(Default)]
pub struct OfBlocks {
    marked: Vec<LocalId>,
    objects: BTreeMap<LocalId, OfBlock>,
}

/// The register that a marker is about; before LLVM 15 it is cast on the way.
fn marked(call: &ll::Call, function: &ll::Function) -> Option<LocalId> {
    let Value::Local(local) = call.args.last()?.value else { return None };
    let made_by = function.instructions().find(|(_, inst)| inst.result == Some(local)).map(|(_, inst)| &inst.op);
    let Some(ll::Op::Cast { op: CastOp::BitCast, value, .. }) = made_by else { return Some(local) };
    let Value::Local(cast) = value.value else { return None };
    Some(cast)
}

fn is_start(call: &ll::Call) -> bool {
    call.callee_name().is_some_and(|name| name.starts_with("llvm.lifetime.start"))
}

/// Whether the program calls `alloca` here. An array of variable length ends with its block by other means.
fn is_alloca(inst: &ll::Instruction, function: &ll::Function) -> bool {
    let is_array = || inst.result.is_some_and(|result| function.local(result).name.starts_with("vla"));
    matches!(inst.op, ll::Op::Alloca { count: Some(_), .. }) && !is_array()
}

impl Body<'_, '_> {
    pub fn find_objects_of_blocks(&mut self) {
        let unit = &self.cx.units[self.unit];
        if unit.lifetimes != Lifetimes::Blocks || unit.origin != Origin::User {
            return;
        }
        let source = self.source;
        if source.instructions().any(|(_, inst)| is_alloca(inst, source)) {
            return;
        }
        let starts = source.instructions().filter_map(|(_, inst)| {
            let ll::Op::Call(call) = &inst.op else { return None };
            marked(call, source).filter(|_| is_start(call))
        });
        let in_block = |local: &LocalId| self.addresses.get(local).is_none_or(|variable| variable.in_block);
        self.of_blocks.marked = starts.filter(in_block).collect();
    }

    /// Whether this object is made where its block begins, and not here.
    pub fn is_of_block(&mut self, result: Option<LocalId>, object: &Op) -> bool {
        let Some(local) = result.filter(|local| self.of_blocks.marked.contains(local)) else { return false };
        let Op::Alloca { dst: address, size: Operand::Const { .. }, .. } = *object else { return false };
        let mark = self.reg(Ty::Ptr);
        self.of_blocks.objects.insert(local, OfBlock { object: object.clone(), address, mark });
        true
    }

    /// A marker: an object begins, or ends.
    pub fn lifetime(&mut self, begins: bool, call: &ll::Call) {
        let Some(of_block) = marked(call, self.source).and_then(|local| self.of_blocks.objects.get(&local)) else {
            return;
        };
        let (object, mark) = (of_block.object.clone(), of_block.mark);
        if begins {
            self.emit(Op::StackSave { dst: mark });
            self.emit(object);
        } else {
            self.emit(Op::StackRestore { mark: Operand::Reg(mark) });
        }
    }

    /// Makes at the beginning of the function what could be used before its block begins.
    pub fn hoist_unmarked(&mut self) {
        for (_, OfBlock { object, address, mark }) in std::mem::take(&mut self.of_blocks.objects) {
            if !self.is_used_before(address, mark) {
                continue;
            }
            for block in self.func.blocks.values_mut() {
                block.insts.retain(|inst| {
                    let is_mark = matches!(inst.op, Op::StackSave { dst } if dst == mark);
                    let is_end = matches!(inst.op, Op::StackRestore { mark: used } if used == Operand::Reg(mark));
                    let is_object = matches!(inst.op, Op::Alloca { dst, .. } if dst == address);
                    !(is_mark || is_end || is_object)
                });
            }
            self.prologue.push(Inst { op: object, loc: self.func.loc });
        }
    }

    /// Does a path from the entry use the address, or the mark, before the object is made?
    fn is_used_before(&self, address: Reg, mark: Reg) -> bool {
        let is_either = |operand: Operand| operand == Operand::Reg(address) || operand == Operand::Reg(mark);
        let mut seen = vec![false; self.func.blocks.len()];
        let mut work: Vec<BlockId> = self.func.blocks.keys().take(1).collect();
        while let Some(id) = work.pop() {
            let block = &self.func.blocks[id];
            let made = block.insts.iter().position(|inst| matches!(inst.op, Op::Alloca { dst, .. } if dst == address));
            let mut used = false;
            for inst in &block.insts[..made.unwrap_or(block.insts.len())] {
                inst.op.for_each_use(|operand| used |= is_either(operand));
            }
            if made.is_none() {
                block.term.for_each_use(|operand| used |= is_either(operand));
                for target in block.term.successors() {
                    if !std::mem::replace(&mut seen[target.index()], true) {
                        work.push(target);
                    }
                }
            }
            if used {
                return true;
            }
        }
        false
    }
}
