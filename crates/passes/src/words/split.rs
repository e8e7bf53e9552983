//! Splitting an access into accesses of words.
//!
//! Blocks of memory are copied and filled in pieces by the same operations, so that pointers and uninitialised bytes
//! come along as they are; from one place where threads meet to another, by way of an object of the thread's own.
//! Numbers are read and written in halves. A length that is not known gives a loop.

use super::{Alignment, Plan, Torn};
use selvedge_program::{
    Access, BinOp, Block, BlockId, Callee, Cast, CmpOp, Computation, DataModel, FuncId, Function, Inst, Loc, Op,
    Operand, PlaceId, Reg, RegInfo, Terminator, Ty,
};

/// More pieces than this are copied by a loop.
const MOST_IN_A_ROW: u128 = 64;

/// `interruptions`: functions of the models that stand before accesses.
pub fn split(model: DataModel, function: &mut Function, plan: &Plan, interruptions: &[FuncId]) {
    let blocks: Vec<BlockId> = function.blocks.keys().collect();
    for block in blocks.into_iter().filter(|block| plan.keys().any(|(planned, _)| planned == block)) {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let term = std::mem::replace(&mut function.blocks[block].term, Terminator::Unreachable);
        let loc = function.blocks[block].loc;
        let mut splitter = Splitter { model, function, current: block, loc, before: vec![] };
        for (index, inst) in insts.into_iter().enumerate() {
            match plan.get(&(block, index)) {
                Some(torn) => splitter.access(&inst, *torn),
                None => splitter.push(inst.clone()),
            }
            match inst.op {
                Op::Call { callee: Callee::Direct(callee), .. } if interruptions.contains(&callee) => {
                    splitter.before.push(callee);
                }
                _ => splitter.before.clear(),
            }
        }
        let current = splitter.current;
        function.blocks[current].term = term;
        function.blocks[current].loc = loc;
    }
}

struct Splitter<'a> {
    model: DataModel,
    function: &'a mut Function,
    /// The block that is being written.
    current: BlockId,
    loc: Loc,
    /// The interruptions before the access that is being split.
    before: Vec<FuncId>,
}

/// A block of memory that is copied, or filled.
#[derive(Clone, Copy)]
struct Whole {
    dst: Operand,
    from: From,
    len: Operand,
    may_overlap: bool,
}

#[derive(Clone, Copy)]
enum From {
    Memory(Operand),
    Byte(Operand),
}

impl Splitter<'_> {
    fn push(&mut self, inst: Inst) {
        self.function.blocks[self.current].insts.push(inst);
    }

    fn emit(&mut self, op: impl Into<Op>) {
        let inst = Inst { op: op.into(), loc: self.loc };
        self.push(inst);
    }

    fn reg(&mut self, ty: Ty) -> Reg {
        self.function.regs.push(RegInfo { ty, name: None, debug: None })
    }

    fn value<O: Into<Op>>(&mut self, ty: Ty, op: impl FnOnce(Reg) -> O) -> Operand {
        let dst = self.reg(ty);
        self.emit(op(dst));
        Operand::Reg(dst)
    }

    /// Signals and cancellation may come between the words as they may before the access.
    fn interruption(&mut self) {
        for interruption in self.before.clone() {
            self.emit(Op::Call { dsts: vec![], callee: Callee::Direct(interruption), args: vec![] });
        }
    }

    fn access(&mut self, inst: &Inst, torn: Torn) {
        self.loc = inst.loc;
        match &inst.op {
            Op::Load { dst, addr, access, place } => self.load(*dst, *addr, *access, *place, torn.reads),
            Op::Store { ty, addr, value, access, place } => {
                self.store((*ty, *value), *addr, *access, *place, torn.writes);
            }
            Op::MemCopy { dst, src, len, may_overlap } => {
                let from = From::Memory(*src);
                self.block(Whole { dst: *dst, from, len: *len, may_overlap: *may_overlap }, torn);
            }
            Op::MemSet { dst, byte, len } => {
                let from = From::Byte(*byte);
                self.block(Whole { dst: *dst, from, len: *len, may_overlap: false }, torn);
            }
            _ => self.push(inst.clone()),
        }
    }

    fn at(&mut self, base: Operand, bytes: i64) -> Operand {
        match base {
            base if bytes == 0 => base,
            Operand::Global { id, offset } => Operand::Global { id, offset: offset + bytes },
            base => self.value(Ty::Ptr, |dst| Computation::Field { dst, base, bytes, of: None }),
        }
    }

    // Numbers.

    /// The widths of an access's words in bits, by their place.
    fn words(&self, bytes: u32, lies: Option<Alignment>) -> Vec<(u32, u8)> {
        let word = self.model.pointer_bytes();
        let lies = lies.unwrap_or(Alignment::of_object(word));
        lies.pieces(bytes, word).into_iter().map(|(at, bytes)| (at, 8 * bytes as u8)).collect()
    }

    fn load(&mut self, dst: Reg, addr: Operand, access: Access, place: Option<PlaceId>, lies: Option<Alignment>) {
        let ty = self.function.regs[dst].ty;
        let bytes = ty.bytes(self.model);
        let whole = (8 * bytes) as u8;
        let mut sum = Operand::int(whole, 0);
        for (number, (at, bits)) in self.words(bytes, lies).into_iter().enumerate() {
            if number > 0 {
                self.interruption();
            }
            let addr = self.at(addr, i64::from(at));
            let word = self.value(Ty::Int(bits), |dst| Op::Load { dst, addr, access, place });
            let word = self.cast(Cast::ZeroExtend, word, Ty::Int(whole));
            let word = self.binary(BinOp::Shl, whole, word, Operand::int(whole, u128::from(8 * at)));
            sum = self.binary(BinOp::Or, whole, sum, word);
        }
        let op = match ty {
            Ty::Int(bits) if bits == whole => Computation::Copy { dst, src: sum },
            Ty::Int(_) => Computation::Cast { dst, cast: Cast::Truncate, src: sum },
            Ty::F32 | Ty::F64 => Computation::Cast { dst, cast: Cast::Reinterpret, src: sum },
            Ty::Ptr => Computation::Cast { dst, cast: Cast::IntToPtr, src: sum },
        };
        self.emit(op);
    }

    fn store(
        &mut self,
        (ty, value): (Ty, Operand),
        addr: Operand,
        access: Access,
        place: Option<PlaceId>,
        lies: Option<Alignment>,
    ) {
        let bytes = ty.bytes(self.model);
        let whole = (8 * bytes) as u8;
        let value = match ty {
            Ty::Int(bits) if bits == whole => value,
            Ty::Int(_) => self.cast(Cast::ZeroExtend, value, Ty::Int(whole)),
            Ty::F32 | Ty::F64 => self.cast(Cast::Reinterpret, value, Ty::Int(whole)),
            Ty::Ptr => self.cast(Cast::PtrToInt, value, Ty::Int(whole)),
        };
        for (number, (at, bits)) in self.words(bytes, lies).into_iter().enumerate() {
            if number > 0 {
                self.interruption();
            }
            let rest = self.binary(BinOp::LShr, whole, value, Operand::int(whole, u128::from(8 * at)));
            let word = self.cast(Cast::Truncate, rest, Ty::Int(bits));
            let addr = self.at(addr, i64::from(at));
            self.emit(Op::Store { ty: Ty::Int(bits), addr, value: word, access, place });
        }
    }

    fn cast(&mut self, cast: Cast, src: Operand, to: Ty) -> Operand {
        self.value(to, |dst| Computation::Cast { dst, cast, src })
    }

    fn binary(&mut self, op: BinOp, bits: u8, a: Operand, b: Operand) -> Operand {
        match (op, a, b) {
            (BinOp::Or, Operand::Const { bits: 0, .. }, other)
            | (BinOp::Shl | BinOp::LShr, other, Operand::Const { bits: 0, .. }) => other,
            _ => self.value(Ty::Int(bits), |dst| Computation::Binary { dst, op, a, b, checked: false }),
        }
    }

    // Blocks of memory.

    fn block(&mut self, whole: Whole, torn: Torn) {
        let word = self.model.pointer_bytes();
        let grain = |lies: Option<Alignment>| u128::from(lies.map_or(u32::MAX, |lies| lies.grain(word)));
        let grain = grain(torn.reads).min(grain(torn.writes)).max(1);
        match (whole.from, torn) {
            (From::Memory(src), Torn { reads: Some(_), writes: Some(_) }) => self.through_own(whole, src, grain),
            _ => self.pieces(whole, grain),
        }
    }

    /// By way of an object of the thread's own, which is gone afterwards.
    fn through_own(&mut self, whole: Whole, src: Operand, grain: u128) {
        let Whole { dst, len, may_overlap, .. } = whole;
        let mark = self.value(Ty::Ptr, |dst| Op::StackSave { dst });
        let own = |size| move |dst| Op::Alloca { dst, size, align: 16, var: None, ty: None, padding: vec![] };
        let word = self.model.pointer_bits() as u8;
        if may_overlap {
            // As if all was read before anything is written.
            let between = self.value(Ty::Ptr, own(len));
            self.pieces(Whole { dst: between, from: From::Memory(src), len, may_overlap: false }, grain);
            self.pieces(Whole { dst, from: From::Memory(between), len, may_overlap: false }, grain);
        } else {
            let between = self.value(Ty::Ptr, own(Operand::int(word, grain)));
            self.each_piece(len, grain, |splitter, at, len| {
                let src = splitter.moved(src, at);
                splitter.emit(Op::MemCopy { dst: between, src, len, may_overlap: false });
                splitter.interruption();
                let dst = splitter.moved(dst, at);
                splitter.emit(Op::MemCopy { dst, src: between, len, may_overlap: false });
            });
        }
        self.emit(Op::StackRestore { mark });
    }

    fn pieces(&mut self, whole: Whole, grain: u128) {
        let Whole { dst, from, len, may_overlap } = whole;
        self.each_piece(len, grain, |splitter, at, len| {
            let dst = splitter.moved(dst, at);
            match from {
                From::Memory(src) => {
                    let src = splitter.moved(src, at);
                    splitter.emit(Op::MemCopy { dst, src, len, may_overlap });
                }
                From::Byte(byte) => splitter.emit(Op::MemSet { dst, byte, len }),
            }
        });
    }

    fn moved(&mut self, base: Operand, by: Operand) -> Operand {
        match by {
            Operand::Const { bits, .. } => self.at(base, bits as i64),
            index => self.value(Ty::Ptr, |dst| Computation::Index { dst, base, index, stride: 1, bound: None }),
        }
    }

    /// Calls `piece` with the offset and the length of each.
    fn each_piece(&mut self, len: Operand, grain: u128, mut piece: impl FnMut(&mut Self, Operand, Operand)) {
        let Ty::Int(width) = self.ty(len) else { return };
        let int = |value| Operand::int(width, value);
        if let Operand::Const { bits, .. } = len
            && bits <= grain * MOST_IN_A_ROW
        {
            let mut at = 0;
            while at < bits {
                if at > 0 {
                    self.interruption();
                }
                piece(self, int(at), int(grain.min(bits - at)));
                at += grain;
            }
            return;
        }
        let at = self.reg(Ty::Int(width));
        self.emit(Computation::Copy { dst: at, src: int(0) });
        let (head, body, behind) = (self.new_block("words"), self.new_block("word"), self.new_block("behind"));
        self.end(Terminator::Jump(head));
        self.current = head;
        let more = self.value(Ty::BOOL, |dst| compare(dst, CmpOp::Ult, Operand::Reg(at), len));
        self.end(Terminator::Branch { cond: more, then: body, otherwise: behind });
        self.current = body;
        let rest = self.binary(BinOp::Sub, width, len, Operand::Reg(at));
        let short = self.value(Ty::BOOL, |dst| compare(dst, CmpOp::Ult, rest, int(grain)));
        let here = self.value(Ty::Int(width), |dst| Computation::Select { dst, cond: short, a: rest, b: int(grain) });
        piece(self, Operand::Reg(at), here);
        self.interruption();
        let (a, b) = (Operand::Reg(at), int(grain));
        self.emit(Computation::Binary { dst: at, op: BinOp::Add, a, b, checked: false });
        self.end(Terminator::Jump(head));
        self.current = behind;
    }

    fn ty(&self, operand: Operand) -> Ty {
        match operand {
            Operand::Reg(reg) => self.function.regs[reg].ty,
            Operand::Const { ty, .. } => ty,
            Operand::Global { .. } | Operand::Func(_) => Ty::Ptr,
        }
    }

    fn new_block(&mut self, name: &str) -> BlockId {
        let name = format!("{}.{name}", self.function.blocks[self.current].name);
        self.function.blocks.push(Block { name, insts: vec![], term: Terminator::Unreachable, loc: self.loc })
    }

    fn end(&mut self, term: Terminator) {
        let loc = self.loc;
        let block = &mut self.function.blocks[self.current];
        block.term = term;
        block.loc = loc;
    }
}

fn compare(dst: Reg, op: CmpOp, a: Operand, b: Operand) -> Computation {
    Computation::Compare { dst, op, a, b }
}
