//! From the operations of a function to instructions.

use super::{Code, From, FunctionCode, Ins, List, Slot, Src, SwitchTable, slot_bits};
use crate::slots::{self, Slots};
use selvedge_program::liveness::{BitSet, Liveness};
use selvedge_program::{
    BinOp, BlockId, Callee, Cast, Computation, EntityRef, FuncId, Function, Intrinsic, Op, Operand, Origin, Property,
    Reg, SecondaryMap, Terminator,
};

pub(super) struct Compiler<'c, 'p> {
    code: &'c mut Code<'p>,
    id: FuncId,
    function: &'p Function,
    slots: Slots,
    /// The pc at which each block begins.
    starts: SecondaryMap<BlockId, u32>,
}

impl<'c, 'p> Compiler<'c, 'p> {
    pub fn new(code: &'c mut Code<'p>, id: FuncId, function: &'p Function) -> Self {
        let mut starts = SecondaryMap::new();
        let mut pc = code.ins.len() as u32;
        for (block, body) in &function.blocks {
            starts[block] = pc;
            pc += body.insts.len() as u32 + 1;
        }
        Compiler { code, id, function, slots: Slots { of: SecondaryMap::new(), count: 0 }, starts }
    }

    pub fn run(mut self) {
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
            slot_bits(self.function.regs[*reg].ty, model)
                .zip(self.slots.of[*reg].first..)
                .map(|(bits, slot)| (slot, bits))
        };
        let (params, param_bits) = self.function.params.iter().flat_map(flat).unzip();
        let is_user = self.function.origin == Origin::User;
        let makes_objects = self.function.makes_stack_objects();
        let slots = self.slots;
        self.code.functions.push(FunctionCode { entry, params, param_bits, slots, is_user, makes_objects });
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
