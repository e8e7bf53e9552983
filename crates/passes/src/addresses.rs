//! Addresses as numbers: a block where another one was, and the order of objects.
//!
//! After `free`, `malloc` may give the same address again, and `realloc` may leave a block where it is; which of two
//! objects comes first is not known. Engines know neither: a pointer is an object and an offset, and each object is
//! another one. Most programs cannot tell. In those that can, this pass lets the models decide
//! (`models/c/addresses.c`), as inputs of the run:
//!
//! 1. *Reuse.* Where two pointers to blocks are compared, or exchanged if they are equal, and one of the blocks may
//!    have been freed, what is compared are the places of the blocks: so the ABA problem (Michael and Scott, 1996;
//!    Treiber, 1986) is found, and an access through the stale pointer is one to memory that was freed all the same. It
//!    is pointless unless a block is allocated after another one was freed.
//! 2. *Order.* Where addresses of two objects are compared by `<` and its like, what is compared are their positions in
//!    an order that is chosen as the run goes on.
//! 3. *Numbers.* Where a program takes an address apart (a hash, a remainder, bits above the alignment), it sees the
//!    number of a place near the object that is chosen when it first looks, for two objects of a run. Programs that
//!    make a pointer of the parts again, or ask for memory of some alignment, see one layout. In both cases the verdict
//!    names the assumption.
//!
//! All other programs stay as they are.

mod looks;
mod numbers;

use crate::points_to::PointsTo;
use crate::words::Meeting;
use looks::Looks;
use selvedge_program::{
    Access, Assumption, BlockId, Callee, Cast, Computation, FixedInput, FuncId, Function, Inst, Intrinsic, MemoryOrder,
    Op, Operand, Origin, Program, Reg, RegInfo, Ty, address_models as models,
};
use std::collections::HashMap;

pub fn addresses(program: &mut Program) {
    let Some(models) = Models::of(program) else { return };
    let meeting = Meeting::of(program);
    let alone;
    let points_to = match &meeting {
        Some(meeting) => &meeting.points_to,
        None => {
            alone = PointsTo::of(program);
            &alone
        }
    };
    let looks = Looks::new(program, points_to);
    let mut compared = looks.orders();
    let ordered = !compared.is_empty() || looks.meets_known_number();
    let apart = looks.takes_apart();
    let numbers = !apart.is_empty();
    let alignment = looks.greatest_alignment(&apart);
    let reused = if looks.reuse_matters(meeting.as_ref()) { looks.equalities() } else { Default::default() };
    let reuses = !reused.is_empty();
    compared.extend(reused);
    let apart = if numbers { looks.with_company(apart, &compared) } else { vec![] };
    compared.extend(apart.iter().map(|(at, _)| *at));
    let apart: HashMap<Compared, Vec<Operand>> = apart.into_iter().collect();
    // From the last instruction of a function to the first, so that places stay true.
    compared.sort();
    for place in compared.into_iter().rev() {
        match apart.get(&place) {
            Some(addresses) => take_apart(program, &models, place, addresses, alignment),
            None => rewrite(program, &models, place),
        }
    }
    if reuses {
        let function_of_models = |f: &Function| f.origin == Origin::Model && !models::ALL.contains(&f.name.as_str());
        for function in program.functions.values_mut().filter(|f| function_of_models(f)) {
            allocate_anywhere(function, &models);
        }
        program.assumptions.push(Assumption::Fixed(FixedInput::Reuse));
    }
    if ordered || numbers {
        program.assumptions.push(Assumption::Fixed(FixedInput::Layout));
    }
}

/// The functions of the models.
struct Models {
    place: FuncId,
    is_at: FuncId,
    alloc: FuncId,
    free: FuncId,
    moved: Option<FuncId>,
    stays: FuncId,
    position: FuncId,
    number: FuncId,
}

impl Models {
    fn of(program: &Program) -> Option<Models> {
        let find = |name: &str| program.function_named(name);
        Some(Models {
            place: find(models::PLACE)?,
            is_at: find(models::IS_AT)?,
            alloc: find(models::ALLOC)?,
            free: find(models::FREE)?,
            moved: find(models::MOVED),
            stays: find(models::STAYS)?,
            position: find(models::POSITION)?,
            number: find(models::NUMBER)?,
        })
    }
}

/// An instruction that compares addresses, or takes one apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Compared {
    function: FuncId,
    block: BlockId,
    index: usize,
    by: By,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum By {
    Place,
    Position,
    Number,
}

/// Computes with the numbers that the models say instead of the addresses.
fn take_apart(program: &mut Program, models: &Models, at: Compared, addresses: &[Operand], alignment: u32) {
    let bits = program.data_model.pointer_bits() as u8;
    let function = &mut program.functions[at.function];
    let inst = function.blocks[at.block].insts.remove(at.index);
    let mut new = Rewriting { word: Ty::Int(bits), function, insts: vec![], loc: inst.loc };
    let mut numbers = HashMap::new();
    for address in addresses {
        let dst = new.reg(new.word);
        let args = vec![*address, Operand::int(bits, u128::from(alignment))];
        new.push(Op::Call { dsts: vec![dst], callee: Callee::Direct(models.number), args });
        numbers.extend(register(*address).map(|reg| (reg, dst)));
    }
    let mut op = inst.op;
    op.for_each_use_mut(|operand| {
        if let Some(number) = register(*operand).and_then(|reg| numbers.get(&reg)) {
            *operand = Operand::Reg(*number);
        }
    });
    new.push(op);
    let insts = new.insts;
    function.blocks[at.block].insts.splice(at.index..at.index, insts);
}

fn register(operand: Operand) -> Option<Reg> {
    if let Operand::Reg(reg) = operand { Some(reg) } else { None }
}

/// Compares what the models say instead of the addresses.
fn rewrite(program: &mut Program, models: &Models, at: Compared) {
    let model = program.data_model;
    let function = &mut program.functions[at.function];
    let inst = function.blocks[at.block].insts.remove(at.index);
    let mut new = Rewriting { word: Ty::Int(model.pointer_bits() as u8), function, insts: vec![], loc: inst.loc };
    match inst.op {
        Op::Compute(Computation::Compare { dst, op, a, b }) => {
            let by = if at.by == By::Place { models.place } else { models.position };
            let (a, b) = (new.asked(by, a), new.asked(by, b));
            new.push(Computation::Compare { dst, op, a, b });
        }
        Op::CmpXchg { old, success, addr, expected, new: value, orders, place } => {
            let ty = new.ty(expected);
            new.push(Op::Intrinsic { dst: None, which: Intrinsic::AtomicBegin, args: vec![] });
            let found = new.reg(ty);
            new.push(Op::Load { dst: found, addr, access: Access::Atomic(MemoryOrder::SeqCst), place });
            let (one, other) = (new.number(Operand::Reg(found)), new.number(expected));
            let same = new.reg(Ty::BOOL);
            new.push(Op::Call { dsts: vec![same], callee: Callee::Direct(models.is_at), args: vec![one, other] });
            let wanted = new.reg(ty);
            new.push(Computation::Select {
                dst: wanted,
                cond: Operand::Reg(same),
                a: Operand::Reg(found),
                b: expected,
            });
            new.push(Op::CmpXchg { old, success, addr, expected: Operand::Reg(wanted), new: value, orders, place });
            new.push(Op::Intrinsic { dst: None, which: Intrinsic::AtomicEnd, args: vec![] });
        }
        other => new.push(other),
    }
    let insts = new.insts;
    function.blocks[at.block].insts.splice(at.index..at.index, insts);
}

/// Instructions in place of another one.
struct Rewriting<'a> {
    word: Ty,
    function: &'a mut Function,
    insts: Vec<Inst>,
    loc: selvedge_program::Loc,
}

impl Rewriting<'_> {
    fn reg(&mut self, ty: Ty) -> Reg {
        self.function.regs.push(RegInfo { ty, name: None, debug: None })
    }

    fn ty(&self, operand: Operand) -> Ty {
        match operand {
            Operand::Reg(reg) => self.function.regs[reg].ty,
            Operand::Const { ty, .. } => ty,
            Operand::Global { .. } | Operand::Func(_) => Ty::Ptr,
        }
    }

    fn push(&mut self, op: impl Into<Op>) {
        self.insts.push(Inst { op: op.into(), loc: self.loc });
    }

    /// The address as a number.
    fn number(&mut self, operand: Operand) -> Operand {
        if self.ty(operand) == self.word {
            return operand;
        }
        let dst = self.reg(self.word);
        self.push(Computation::Cast { dst, cast: Cast::PtrToInt, src: operand });
        Operand::Reg(dst)
    }

    /// The result of a model for an address.
    fn asked(&mut self, model: FuncId, operand: Operand) -> Operand {
        let number = self.number(operand);
        let dst = self.reg(self.word);
        self.push(Op::Call { dsts: vec![dst], callee: Callee::Direct(model), args: vec![number] });
        Operand::Reg(dst)
    }
}

/// Lets a model of allocation choose where blocks lie.
fn allocate_anywhere(function: &mut Function, models: &Models) {
    for inst in function.blocks.values_mut().flat_map(|block| &mut block.insts) {
        if let Op::Intrinsic { dst: Some(dst), which: Intrinsic::Alloc, args } = &mut inst.op {
            inst.op = Op::Call { dsts: vec![*dst], callee: Callee::Direct(models.alloc), args: std::mem::take(args) };
        } else if let Op::Intrinsic { which: Intrinsic::Free, args, .. } = &mut inst.op {
            inst.op = Op::Call { dsts: vec![], callee: Callee::Direct(models.free), args: std::mem::take(args) };
        } else if let Op::Call { callee, .. } = &mut inst.op
            && models.moved.is_some_and(|moved| *callee == Callee::Direct(moved))
        {
            *callee = Callee::Direct(models.stays);
        }
    }
}
