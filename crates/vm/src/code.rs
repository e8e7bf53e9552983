//! Programs compiled to flat instructions.
//!
//! One instruction for each operation of the program, in layout order, so that `pc` and (function,
//! block, index) are two names for the same thing. Frequent operations on at most 64 bits have
//! instructions of their own; everything else is [`Ins::Rare`] and is interpreted from the program itself.

mod compile;

use crate::layout::{Layout, TooLarge};
use crate::slots::Slots;
use compile::Compiler;
use selvedge_program::{
    BlockId, CmpOp, DataModel, FuncId, Loc, Op, PrimaryMap, Program, Properties, Terminator, Ty, alike,
};
use std::collections::HashMap;

pub type Slot = u16;

/// The location of an operand's value: a slot of the frame, a constant, or an address in the running
/// thread's own copy of a thread-local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Src(u32);

impl Src {
    const CONSTANT: u32 = 1 << 31;
    const THREAD_LOCAL: u32 = 1 << 30;

    #[inline]
    pub fn slot(self) -> Option<usize> {
        (self.0 & Src::CONSTANT == 0).then_some(self.0 as usize)
    }

    #[inline]
    pub fn constant(self) -> (usize, bool) {
        ((self.0 & (Src::THREAD_LOCAL - 1)) as usize, self.0 & Src::THREAD_LOCAL != 0)
    }
}

/// A range of [`Code::lists`].
#[derive(Clone, Copy, Debug)]
pub struct List {
    pub start: u32,
    pub len: u16,
}

#[derive(Clone, Copy, Debug)]
#[rustfmt::skip]
pub enum Ins {
    Move { d: Slot, s: Src },
    Add { d: Slot, a: Src, b: Src, bits: u8 },
    Sub { d: Slot, a: Src, b: Src, bits: u8 },
    Mul { d: Slot, a: Src, b: Src, bits: u8 },
    And { d: Slot, a: Src, b: Src },
    Or { d: Slot, a: Src, b: Src },
    Xor { d: Slot, a: Src, b: Src },
    Compare { op: CmpOp, d: Slot, a: Src, b: Src, bits: u8 },
    SignExtend { d: Slot, s: Src, from: u8, to: u8 },
    Truncate { d: Slot, s: Src, to: u8 },
    Select { d: Slot, c: Src, a: Src, b: Src },
    /// `bytes`: a constant's number.
    Field { d: Slot, base: Src, bytes: u32 },
    Index { d: Slot, base: Src, index: Src, index_bits: u8, constants: u32 },
    Load { d: Slot, addr: Src, bits: u8, bytes: u8 },
    Store { addr: Src, value: Src, bytes: u8 },
    /// Loads a variable at a known place in the globals.
    LoadVariable { d: Slot, at: u32, bits: u8, bytes: u8 },
    StoreVariable { at: u32, value: Src, bytes: u8 },
    Call { function: FuncId, args: List, dsts: List },
    CallIndirect { target: Src, args: List, dsts: List },
    Return { values: List },
    Jump { to: u32 },
    Branch { c: Src, then: u32, otherwise: u32 },
    Switch { value: Src, table: u32 },
    Unreachable,
    AtomicBegin,
    AtomicEnd,
    BlockUntil { c: Src },
    WaitsFor { object: Src, thread: Src },
    Assume { c: Src },
    Yield,
    Rare,
}

/// The origin of an instruction. `index` counts the block's operations; one past them is the
/// terminator.
#[derive(Clone, Copy, Debug)]
pub struct From {
    pub function: FuncId,
    pub block: BlockId,
    pub index: u32,
}

pub struct FunctionCode {
    pub entry: u32,
    /// The slots of the parameters; wide parameters have two.
    pub params: Vec<Slot>,
    /// The widths of the parameters, in the same order.
    pub param_bits: Vec<u8>,
    pub slots: Slots,
    pub is_user: bool,
    pub makes_objects: bool,
}

/// The widths of the slots of a register.
fn slot_bits(ty: Ty, model: DataModel) -> impl Iterator<Item = u8> {
    let bits = ty.bits(model);
    let high = bits.checked_sub(64).filter(|high| *high > 0);
    std::iter::once(bits.min(64)).chain(high).map(|bits| bits as u8)
}

pub struct SwitchTable {
    pub cases: Vec<(u64, u32)>,
    pub default: u32,
}

/// A program ready to run, for a given set of properties.
pub struct Code<'p> {
    pub program: &'p Program,
    pub properties: Properties,
    pub layout: Layout,
    pub ins: Vec<Ins>,
    pub from: Vec<From>,
    /// Whether an instruction is a step of a schedule. (Returns may be, too, depending on their frame.)
    pub is_step: Vec<bool>,
    /// For each instruction the slots that are live before it, as an index into `masks`.
    pub live: Vec<u32>,
    /// Bit sets of slots, each `mask_words` of its function long.
    pub masks: Vec<u64>,
    pub functions: PrimaryMap<FuncId, FunctionCode>,
    pub constants: Vec<u64>,
    pub lists: Vec<Src>,
    pub tables: Vec<SwitchTable>,
    /// For each function that is a copy of another, the first of the copies.
    pub stand_ins: HashMap<FuncId, FuncId>,
}

impl<'p> Code<'p> {
    pub fn new(program: &'p Program, properties: Properties) -> Result<Code<'p>, TooLarge> {
        let mut code = Code {
            program,
            properties,
            layout: Layout::new(program)?,
            ins: Vec::new(),
            from: Vec::new(),
            is_step: Vec::new(),
            live: Vec::new(),
            masks: Vec::new(),
            functions: PrimaryMap::new(),
            constants: Vec::new(),
            lists: Vec::new(),
            tables: Vec::new(),
            stand_ins: alike::stand_ins(program),
        };
        for (id, function) in &program.functions {
            Compiler::new(&mut code, id, function).run();
        }
        // Sites of objects are stored in 24 bits.
        if code.ins.len() >= 1 << 24 { Err(TooLarge) } else { Ok(code) }
    }

    #[inline]
    pub fn function(&self, id: FuncId) -> &FunctionCode {
        &self.functions[id]
    }

    pub fn loc(&self, pc: u32) -> Loc {
        let from = self.from[pc as usize];
        let block = &self.program.functions[from.function].blocks[from.block];
        block.insts.get(from.index as usize).map_or(block.loc, |inst| inst.loc)
    }

    /// The operation at `pc`; `None` for a terminator.
    #[inline]
    pub fn op(&self, pc: u32) -> Option<&'p Op> {
        let from = self.from[pc as usize];
        self.program.functions[from.function].blocks[from.block].insts.get(from.index as usize).map(|inst| &inst.op)
    }

    /// The widths of the slots that take the results of a call, in their order.
    pub fn result_bits(&self, call: u32) -> Vec<u8> {
        let function = &self.program.functions[self.from[call as usize].function];
        let results = self.op(call).map(Op::defs).unwrap_or_default();
        results.iter().flat_map(|reg| slot_bits(function.regs[*reg].ty, self.program.data_model)).collect()
    }

    pub fn terminator(&self, pc: u32) -> &'p Terminator {
        let from = self.from[pc as usize];
        &self.program.functions[from.function].blocks[from.block].term
    }

    pub fn is_user(&self, pc: u32) -> bool {
        self.function(self.from[pc as usize].function).is_user
    }

    #[inline]
    pub fn list(&self, list: List) -> &[Src] {
        &self.lists[list.start as usize..][..usize::from(list.len)]
    }

    /// The slots live before `pc`.
    #[inline]
    pub fn live_slots(&self, pc: u32, slots: usize) -> &[u64] {
        &self.masks[self.live[pc as usize] as usize..][..slots.div_ceil(64)]
    }
}
