//! Programs compiled to flat instructions.
//!
//! One instruction for each operation of the program, in layout order, so that `pc` and (function,
//! block, index) are two names for the same thing. Frequent operations on at most 64 bits have
//! instructions of their own; everything else is [`Ins::Rare`] and is interpreted from the program itself.

use crate::layout::{Layout, TooLarge};
use crate::slots::{self, Slots};
use selvedge_program::liveness::{BitSet, Liveness};
use selvedge_program::{
    BinOp, BlockId, Callee, Cast, CmpOp, Computation, EntityRef, FuncId, Function, Intrinsic, Loc, Op, Operand, Origin,
    PrimaryMap, Program, Properties, Property, Reg, SecondaryMap, Terminator, alike,
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

struct Compiler<'c, 'p> {
    code: &'c mut Code<'p>,
    id: FuncId,
    function: &'p Function,
    slots: Slots,
    /// The pc at which each block begins.
    starts: SecondaryMap<BlockId, u32>,
}

impl<'c, 'p> Compiler<'c, 'p> {
    fn new(code: &'c mut Code<'p>, id: FuncId, function: &'p Function) -> Self {
        let mut starts = SecondaryMap::new();
        let mut pc = code.ins.len() as u32;
        for (block, body) in &function.blocks {
            starts[block] = pc;
            pc += body.insts.len() as u32 + 1;
        }
        Compiler { code, id, function, slots: Slots { of: SecondaryMap::new(), count: 0 }, starts }
    }

    fn run(mut self) {
        let liveness = Liveness::new(self.function);
        let model = self.code.program.data_model;
        self.slots = slots::assign(self.function, &liveness, model);
        let entry = self.code.ins.len() as u32;
        for (id, block) in &self.function.blocks {
            for (index, inst) in block.insts.iter().enumerate() {
                let ins = self.operation(&inst.op);
                self.emit(ins, id, index);
                self.code.is_step.push(inst.op.is_step());
            }
            let ins = self.terminator(&block.term);
            self.emit(ins, id, block.insts.len());
            self.code.is_step.push(false);
        }
        self.note_live_slots(&liveness);
        let flat = |reg: &Reg| {
            let slot = self.slots.of[*reg];
            let bits = self.function.regs[*reg].ty.bits(model);
            if slot.wide {
                vec![(slot.first, 64), (slot.first + 1, (bits - 64) as u8)]
            } else {
                vec![(slot.first, bits as u8)]
            }
        };
        let (params, param_bits) = self.function.params.iter().flat_map(flat).unzip();
        let is_user = self.function.origin == Origin::User;
        self.code.functions.push(FunctionCode { entry, params, param_bits, slots: self.slots, is_user });
    }

    fn emit(&mut self, ins: Ins, block: BlockId, index: usize) {
        self.code.ins.push(ins);
        self.code.from.push(From { function: self.id, block, index: index as u32 });
    }

    fn note_live_slots(&mut self, liveness: &Liveness) {
        let words = self.slots.count.div_ceil(64);
        let mask_of = |live: &BitSet| {
            let mut mask = vec![0u64; words];
            for reg in live.ones().map(Reg::new) {
                let slot = self.slots.of[reg];
                for at in usize::from(slot.first)..=usize::from(slot.first) + usize::from(slot.wide) {
                    mask[at / 64] |= 1 << (at % 64);
                }
            }
            mask
        };
        for block in self.function.blocks.keys() {
            // The slots live after one instruction are those live before the next.
            let mut sets = Vec::new();
            liveness.walk_back(self.function, block, |_, _, live| sets.push(mask_of(live)));
            let mut first = liveness.live_in[block].clone();
            if sets.is_empty() {
                self.function.blocks[block].term.for_each_use(|operand| {
                    if let Operand::Reg(reg) = operand {
                        first.grow_and_insert(reg.index());
                    }
                });
            }
            sets.push(mask_of(&first));
            for mask in sets.into_iter().rev() {
                let at = self.code.masks.len();
                let same = at >= words && self.code.masks[at - words..] == mask[..];
                self.code.live.push(if same { at - words } else { at } as u32);
                if !same {
                    self.code.masks.extend(mask);
                }
            }
        }
    }

    fn bits(&self, operand: Operand) -> u32 {
        self.code.program.type_of(self.function, operand).bits(self.code.program.data_model)
    }

    fn reg_bits(&self, reg: Reg) -> u32 {
        self.function.regs[reg].ty.bits(self.code.program.data_model)
    }

    fn constant(&mut self, value: u64, flag: u32) -> Src {
        let recent = self.code.constants.len().saturating_sub(64);
        let at = match self.code.constants[recent..].iter().position(|c| *c == value) {
            Some(at) => recent + at,
            None => {
                self.code.constants.push(value);
                self.code.constants.len() - 1
            }
        };
        Src(at as u32 | Src::CONSTANT | flag)
    }

    fn src(&mut self, operand: Operand) -> Src {
        match operand {
            Operand::Reg(reg) => Src(u32::from(self.slots.of[reg].first)),
            Operand::Global { id, offset } if self.code.program.globals[id].thread_local => {
                let layout = &self.code.layout;
                let start = layout.dynamic(0, layout.thread_local_index(id));
                let address = layout.pointers.moved(start, i128::from(offset), |_, _| false);
                self.constant(address, Src::THREAD_LOCAL)
            }
            operand => {
                let value = self.code.layout.address(operand).unwrap_or(0);
                self.constant(value, 0)
            }
        }
    }

    fn slot(&self, reg: Reg) -> Slot {
        self.slots.of[reg].first
    }

    fn list(&mut self, operands: &[Operand]) -> List {
        let mut sources = Vec::new();
        for operand in operands {
            let low = self.src(*operand);
            sources.push(low);
            if self.bits(*operand) > 64 {
                let high = match operand {
                    Operand::Const { bits, .. } => self.constant((bits >> 64) as u64, 0),
                    _ => Src(low.0 + 1),
                };
                sources.push(high);
            }
        }
        let start = self.code.lists.len() as u32;
        let len = sources.len() as u16;
        self.code.lists.extend(sources);
        List { start, len }
    }

    fn is_narrow(&self, op: &Op) -> bool {
        let mut narrow = op.defs().into_iter().all(|reg| self.reg_bits(reg) <= 64);
        op.for_each_use(|operand| narrow &= self.bits(operand) <= 64);
        narrow
    }

    fn operation(&mut self, op: &Op) -> Ins {
        if let Op::Call { dsts, callee, args } = op {
            let dsts: Vec<Operand> = dsts.iter().map(|reg| Operand::Reg(*reg)).collect();
            let (args, dsts) = (self.list(args), self.list(&dsts));
            return match callee {
                Callee::Direct(function) => Ins::Call { function: *function, args, dsts },
                Callee::Indirect(target) => Ins::CallIndirect { target: self.src(*target), args, dsts },
            };
        }
        if self.is_narrow(op) { self.narrow_operation(op) } else { Ins::Rare }
    }

    fn narrow_operation(&mut self, op: &Op) -> Ins {
        match *op {
            Op::Compute(computation) => self.narrow_computation(computation),
            Op::Load { dst, addr, .. } => {
                let (d, bits) = (self.slot(dst), self.reg_bits(dst) as u8);
                let bytes = bits.div_ceil(8);
                match self.variable(addr, bytes) {
                    Some(at) => Ins::LoadVariable { d, at, bits, bytes },
                    None => Ins::Load { d, addr: self.src(addr), bits, bytes },
                }
            }
            Op::Store { ty, addr, value, .. } => {
                let bytes = ty.bytes(self.code.program.data_model) as u8;
                match self.variable(addr, bytes) {
                    Some(at) => Ins::StoreVariable { at, value: self.src(value), bytes },
                    None => Ins::Store { addr: self.src(addr), value: self.src(value), bytes },
                }
            }
            Op::Intrinsic { which, ref args, .. } => match which {
                Intrinsic::AtomicBegin => Ins::AtomicBegin,
                Intrinsic::AtomicEnd => Ins::AtomicEnd,
                Intrinsic::BlockUntil => Ins::BlockUntil { c: self.src(args[0]) },
                Intrinsic::WaitsFor => Ins::WaitsFor { object: self.src(args[0]), thread: self.src(args[1]) },
                Intrinsic::Assume => Ins::Assume { c: self.src(args[0]) },
                Intrinsic::Yield => Ins::Yield,
                Intrinsic::Spawn
                | Intrinsic::SelfId
                | Intrinsic::Owner
                | Intrinsic::Threads
                | Intrinsic::Finished
                | Intrinsic::PollFinished
                | Intrinsic::Created
                | Intrinsic::ThreadExit
                | Intrinsic::ProcessExit
                | Intrinsic::TlsOf
                | Intrinsic::Alloc
                | Intrinsic::Free
                | Intrinsic::ObjectSize
                | Intrinsic::ObjectOffset
                | Intrinsic::CheckRead
                | Intrinsic::CheckWrite
                | Intrinsic::SetJmp
                | Intrinsic::LongJmp
                | Intrinsic::Acquired
                | Intrinsic::Released => Ins::Rare,
            },
            Op::Rmw { .. }
            | Op::CmpXchg { .. }
            | Op::Fence { .. }
            | Op::Alloca { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::Call { .. }
            | Op::Nondet { .. }
            | Op::Violation { .. }
            | Op::Unsupported { .. } => Ins::Rare,
        }
    }

    fn narrow_computation(&mut self, computation: Computation) -> Ins {
        match computation {
            Computation::Copy { dst, src } => Ins::Move { d: self.slot(dst), s: self.src(src) },
            Computation::Binary { checked: true, .. } if self.code.properties.contains(Property::Overflow) => Ins::Rare,
            Computation::Binary { dst, op, a, b, .. } => {
                let (d, bits) = (self.slot(dst), self.reg_bits(dst) as u8);
                let (a, b) = (self.src(a), self.src(b));
                match op {
                    BinOp::Add => Ins::Add { d, a, b, bits },
                    BinOp::Sub => Ins::Sub { d, a, b, bits },
                    BinOp::Mul => Ins::Mul { d, a, b, bits },
                    BinOp::And => Ins::And { d, a, b },
                    BinOp::Or => Ins::Or { d, a, b },
                    BinOp::Xor => Ins::Xor { d, a, b },
                    BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem | BinOp::Shl | BinOp::LShr | BinOp::AShr => {
                        Ins::Rare
                    }
                }
            }
            Computation::Compare { dst, op, a, b } => {
                let bits = self.bits(a) as u8;
                Ins::Compare { op, d: self.slot(dst), a: self.src(a), b: self.src(b), bits }
            }
            Computation::Cast { dst, cast, src } => {
                let (from, to) = (self.bits(src) as u8, self.reg_bits(dst) as u8);
                let (d, s) = (self.slot(dst), self.src(src));
                match cast {
                    Cast::ZeroExtend | Cast::Reinterpret => Ins::Move { d, s },
                    Cast::SignExtend => Ins::SignExtend { d, s, from, to },
                    Cast::Truncate | Cast::PtrToInt | Cast::IntToPtr => Ins::Truncate { d, s, to },
                    Cast::FloatToSigned
                    | Cast::FloatToUnsigned
                    | Cast::SignedToFloat
                    | Cast::UnsignedToFloat
                    | Cast::FloatToFloat => Ins::Rare,
                }
            }
            Computation::Select { dst, cond, a, b } => {
                Ins::Select { d: self.slot(dst), c: self.src(cond), a: self.src(a), b: self.src(b) }
            }
            Computation::Field { dst, base, bytes, .. } => {
                let constant = self.code.constants.len() as u32;
                self.code.constants.push(bytes as u64);
                Ins::Field { d: self.slot(dst), base: self.src(base), bytes: constant }
            }
            Computation::Index { dst, base, index, stride, bound } => {
                let index_bits = self.bits(index) as u8;
                let constants = self.code.constants.len() as u32;
                self.code.constants.extend([stride, bound.unwrap_or(u64::MAX)]);
                Ins::Index { d: self.slot(dst), base: self.src(base), index: self.src(index), index_bits, constants }
            }
            Computation::Overflowing { .. }
            | Computation::Unary { .. }
            | Computation::FloatBinary { .. }
            | Computation::FloatUnary { .. }
            | Computation::FloatCompare { .. } => Ins::Rare,
        }
    }

    /// The position of an access in the globals, if the address is constant and the access is in bounds.
    fn variable(&self, addr: Operand, bytes: u8) -> Option<u32> {
        let Operand::Global { id, offset } = addr else { return None };
        let global = &self.code.program.globals[id];
        let offset = u64::try_from(offset).ok()?;
        if global.thread_local || global.constant || offset.checked_add(u64::from(bytes))? > global.size {
            return None;
        }
        self.code.layout.variable_at(id).map(|at| at + offset as u32)
    }

    fn terminator(&mut self, term: &Terminator) -> Ins {
        match term {
            Terminator::Jump(to) => Ins::Jump { to: self.starts[*to] },
            Terminator::Branch { cond, then, otherwise } => {
                Ins::Branch { c: self.src(*cond), then: self.starts[*then], otherwise: self.starts[*otherwise] }
            }
            Terminator::Switch { value, cases, default } => {
                let cases = cases.iter().map(|(value, to)| (*value as u64, self.starts[*to])).collect();
                self.code.tables.push(SwitchTable { cases, default: self.starts[*default] });
                Ins::Switch { value: self.src(*value), table: self.code.tables.len() as u32 - 1 }
            }
            Terminator::Return(values) => Ins::Return { values: self.list(values) },
            Terminator::Unreachable => Ins::Unreachable,
        }
    }
}
