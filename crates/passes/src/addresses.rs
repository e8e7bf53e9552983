//! Addresses as numbers: a block where another one was, and the order of objects.
//!
//! After `free`, `malloc` may give the same address again, and `realloc` may leave a block where it is; which of two objects comes
//! first is not known. Engines know neither: a pointer is an object and an offset, and each object is another one. Most programs
//! cannot tell. In those that can, this pass lets the models decide (`models/c/addresses.c`), as inputs of the run:
//!
//! 1. *Reuse.* Where two pointers to blocks are compared, or exchanged if they are equal, and one of the blocks may have been freed,
//!    what is compared are the places of the blocks: so the ABA problem (Michael and Scott, 1996; Treiber, 1986) is found,
//!    and an access through the stale pointer is one to memory that was freed all the same. It is pointless unless a
//!    block is allocated after another one was freed.
//! 2. *Order.* Where addresses of two objects are compared by `<` and its like, what is compared are their positions in a layout that is
//!    chosen at the start.
//! 3. *Numbers.* Where a program takes an address apart (a hash, a remainder, bits above the alignment), it sees one layout, which
//!    the verdict names as an assumption.
//!
//! All other programs stay as they are.

mod numbers;

use crate::points_to::{Object, PointsTo};
use crate::words::Meeting;
use numbers::Numbers;
use selvedge_program::liveness::BitSet;
use selvedge_program::{
    Access, Assumption, BinOp, BlockId, Callee, Cast, CmpOp, Computation, EntityRef, FixedInput, FuncId, Function,
    Inst, Intrinsic, MemoryOrder, Op, Operand, Origin, Program, Reg, RegInfo, Ty, address_models as models,
};

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
    let numbers = looks.takes_apart();
    let ordered = !compared.is_empty();
    let reused = if looks.reuse_matters(meeting.as_ref()) { looks.equalities() } else { Default::default() };
    let reuses = !reused.is_empty();
    compared.extend(reused);
    // From the last instruction of a function to the first, so that places stay true.
    compared.sort();
    for place in compared.into_iter().rev() {
        rewrite(program, &models, place);
    }
    if reuses {
        let function_of_models = |f: &Function| f.origin == Origin::Model && !models::ALL.contains(&f.name.as_str());
        for function in program.functions.values_mut().filter(|f| function_of_models(f)) {
            allocate_anywhere(function, &models);
        }
        program.assumptions.push(Assumption::Fixed(FixedInput::Reuse));
    }
    if ordered {
        let entry = BlockId::new(0);
        let loc = program.functions[program.entry].loc;
        let op = Op::Call { dsts: vec![], callee: Callee::Direct(models.lay_out), args: vec![] };
        program.functions[program.entry].blocks[entry].insts.insert(0, Inst { op, loc });
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
    lay_out: FuncId,
    position: FuncId,
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
            lay_out: find(models::LAY_OUT)?,
            position: find(models::POSITION)?,
        })
    }
}

/// An instruction that compares addresses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Compared {
    function: FuncId,
    block: BlockId,
    index: usize,
    by: By,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    Place,
    Position,
}

/// What a program looks at.
struct Looks<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    numbers: Numbers,
    /// Objects from the heap, and those that may have been freed.
    blocks: BitSet,
    freed: BitSet,
    /// By function: one run may call it more than once.
    repeated: Vec<bool>,
}

impl<'a> Looks<'a> {
    fn new(program: &'a Program, points_to: &'a PointsTo) -> Looks<'a> {
        let mut blocks = BitSet::with_capacity(points_to.objects.len());
        let mut freed = blocks.clone();
        blocks.extend((0..points_to.objects.len()).filter(|object| is_block(program, points_to.objects[*object])));
        for (id, function) in &program.functions {
            for inst in function.blocks.values().flat_map(|block| &block.insts) {
                if let Op::Intrinsic { which: Intrinsic::Free, args, .. } = &inst.op {
                    args.iter().for_each(|arg| freed.union_with(&points_to.operand(id, *arg)));
                }
            }
        }
        freed.intersect_with(&blocks);
        let numbers = Numbers::of(program, points_to);
        Looks { program, points_to, numbers, blocks, freed, repeated: repeated(program, points_to) }
    }

    fn of_user(&self) -> impl Iterator<Item = (FuncId, BlockId, usize, &'a Op)> + use<'a> {
        let users = self.program.functions.iter().filter(|(_, function)| function.origin == Origin::User);
        users.flat_map(|(id, function)| {
            function.blocks.iter().flat_map(move |(number, block)| {
                block.insts.iter().enumerate().map(move |(index, inst)| (id, number, index, &inst.op))
            })
        })
    }

    /// Is it the address of an object, as a pointer or as a number?
    fn is_address(&self, function: FuncId, operand: Operand) -> bool {
        let is_pointer = || self.program.type_of(&self.program.functions[function], operand) == Ty::Ptr;
        (self.numbers.contain(function, operand) || is_pointer())
            && !self.points_to.operand(function, operand).is_clear()
    }

    fn is_wide(&self, function: FuncId, operand: Operand) -> bool {
        let model = self.program.data_model;
        self.program.type_of(&self.program.functions[function], operand).bits(model) == model.pointer_bits()
    }

    /// Comparisons, and compare-exchanges, of pointers one of which may be stale.
    fn equalities(&self) -> Vec<Compared> {
        let may_be_stale = |function, a, b| {
            let (a, b) = (self.points_to.operand(function, a), self.points_to.operand(function, b));
            !a.is_disjoint(&self.freed) && !b.is_disjoint(&self.blocks)
                || !b.is_disjoint(&self.freed) && !a.is_disjoint(&self.blocks)
        };
        let found = self.of_user().filter(|(function, _, _, op)| match op {
            Op::Compute(Computation::Compare { op: CmpOp::Eq | CmpOp::Ne, a, b, .. }) => {
                (self.is_address(*function, *a) || self.is_address(*function, *b))
                    && self.is_wide(*function, *a)
                    && may_be_stale(*function, *a, *b)
            }
            // An atomic pointer is exchanged as an integer.
            Op::CmpXchg { old, expected, .. } => {
                self.is_wide(*function, *expected) && may_be_stale(*function, Operand::Reg(*old), *expected)
            }
            _ => false,
        });
        found.map(|(function, block, index, _)| Compared { function, block, index, by: By::Place }).collect()
    }

    /// Comparisons by the order of addresses, unless both are surely of one object.
    fn orders(&self) -> Vec<Compared> {
        use CmpOp::{Uge, Ugt, Ule, Ult};
        let found = self.of_user().filter(|(function, _, _, op)| match op {
            Op::Compute(Computation::Compare { op: Ult | Ule | Ugt | Uge, a, b, .. }) => {
                let (one, other) = (self.points_to.operand(*function, *a), self.points_to.operand(*function, *b));
                let both: BitSet = one.union(&other).collect();
                let is_one = both.count_ones(..) == 1 && !both.ones().any(|object| self.is_many(object));
                let is_address = |operand| self.is_address(*function, operand) && self.is_wide(*function, operand);
                is_address(*a) && is_address(*b) && !is_one
            }
            _ => false,
        });
        found.map(|(function, block, index, _)| Compared { function, block, index, by: By::Position }).collect()
    }

    /// May there be several objects of this name?
    fn is_many(&self, object: usize) -> bool {
        match self.points_to.objects[object] {
            Object::Global(id) => self.program.globals[id].thread_local,
            Object::Function(_) => false,
            Object::Made(place) => {
                self.repeated[place.function.index()]
                    || is_in_loop(&self.program.functions[place.function], place.block)
            }
        }
    }

    /// Does it take addresses apart, beyond the bits that their alignment promises?
    fn takes_apart(&self) -> bool {
        self.of_user().any(|(function, _, _, op)| {
            let Op::Compute(computation) = op else { return false };
            let is_number = |operand: Operand| {
                self.numbers.contain(function, operand)
                    && self.is_wide(function, operand)
                    && !self.points_to.operand(function, operand).is_clear()
            };
            match computation {
                Computation::Binary { op: BinOp::And, a, b: Operand::Const { bits, .. }, .. } => {
                    is_number(*a) && !self.is_promised(function, *a, *bits)
                }
                Computation::Binary { op: BinOp::And, a: Operand::Const { bits, .. }, b, .. } => {
                    is_number(*b) && !self.is_promised(function, *b, *bits)
                }
                Computation::Binary { op, a, .. } => {
                    use BinOp::{AShr, LShr, Mul, SDiv, SRem, UDiv, URem};
                    matches!(op, Mul | UDiv | SDiv | URem | SRem | LShr | AShr) && is_number(*a)
                }
                Computation::Cast { cast: Cast::Truncate, src, .. } => is_number(*src),
                _ => false,
            }
        })
    }

    /// Does the mask leave only bits that alignment promises to be zero, or only clear such bits and tags on top?
    fn is_promised(&self, function: FuncId, pointer: Operand, mask: u128) -> bool {
        let objects = self.points_to.operand(function, pointer);
        let align = objects.ones().map(|object| self.points_to.objects[object].alignment(self.program)).min();
        let low = u128::from(align.unwrap_or(1).max(1)) - 1;
        let bits = self.program.data_model.pointer_bits();
        // Programs under Linux have addresses of 47 bits.
        let high = if bits == 64 { u128::from(u64::MAX << 47) } else { 0 };
        let all = u128::MAX >> (128 - bits);
        mask & all & !(low | high) == 0 || !mask & all & !(low | high) == 0
    }

    /// Is there a block that may be allocated after another one was freed, or moved to a place of its own?
    fn reuse_matters(&self, meeting: Option<&Meeting>) -> bool {
        if self.freed.is_clear() {
            return false;
        }
        let is_intrinsic = |op: &Op, which: Intrinsic| matches!(op, Op::Intrinsic { which: w, .. } if *w == which);
        let frees = self.reaching(|op| is_intrinsic(op, Intrinsic::Free));
        let allocates = self.reaching(|op| is_intrinsic(op, Intrinsic::Alloc));
        let moves = self.program.functions.values().flat_map(|f| f.blocks.values()).flat_map(|block| &block.insts);
        let moved = self.program.function_named(models::MOVED);
        if moves
            .into_iter()
            .any(|inst| matches!(inst.op, Op::Call { callee: Callee::Direct(id), .. } if Some(id) == moved))
        {
            return true;
        }
        let does = |of: &[bool], which: Intrinsic, id: FuncId, op: &Op| match op {
            Op::Call { callee, .. } => self.points_to.callees(id, *callee).iter().any(|id| of[id.index()]),
            op => is_intrinsic(op, which),
        };
        let freed = |id: FuncId, op: &Op| does(&frees, Intrinsic::Free, id, op);
        let made = |id: FuncId, op: &Op| does(&allocates, Intrinsic::Alloc, id, op);
        let in_turn = self.program.functions.iter().any(|(id, function)| {
            function.blocks.iter().any(|(number, block)| {
                let first = block.insts.iter().position(|inst| freed(id, &inst.op));
                first.is_some_and(|first| {
                    block.insts[first + 1..].iter().any(|inst| made(id, &inst.op))
                        || behind(function, number)
                            .into_iter()
                            .any(|next| function.blocks[next].insts.iter().any(|inst| made(id, &inst.op)))
                })
            })
        });
        in_turn
            || meeting.is_some_and(|meeting| {
                let (mut some_freed, mut some_made) = (false, false);
                for (id, function) in &self.program.functions {
                    meeting.for_each_accompanied(id, function, |_, _, op| {
                        some_freed |= freed(id, op);
                        some_made |= made(id, op);
                    });
                }
                some_freed && some_made
            })
    }

    /// By function: does it, or what it calls, have such an operation?
    fn reaching(&self, is: impl Fn(&Op) -> bool) -> Vec<bool> {
        let mut reaching = vec![false; self.program.functions.len()];
        loop {
            let before = reaching.clone();
            for (id, function) in &self.program.functions {
                let mut insts = function.blocks.values().flat_map(|block| &block.insts);
                reaching[id.index()] = insts.any(|inst| match &inst.op {
                    Op::Call { callee, .. } => self.points_to.callees(id, *callee).iter().any(|id| before[id.index()]),
                    op => is(op),
                });
            }
            if reaching == before {
                return reaching;
            }
        }
    }
}

fn is_block(program: &Program, object: Object) -> bool {
    let Object::Made(place) = object else { return false };
    !matches!(program.functions[place.function].blocks[place.block].insts[place.index].op, Op::Alloca { .. })
}

/// By function: may a run call it more than once? The code of threads counts, and whatever is called by way of its address.
fn repeated(program: &Program, points_to: &PointsTo) -> Vec<bool> {
    let mut repeated = vec![false; program.functions.len()];
    loop {
        let before = repeated.clone();
        let mut called = vec![0u32; program.functions.len()];
        for (id, function) in &program.functions {
            for (number, block) in &function.blocks {
                let many = before[id.index()] || is_in_loop(function, number);
                for inst in &block.insts {
                    match &inst.op {
                        Op::Call { callee, .. } => {
                            for callee in points_to.callees(id, *callee) {
                                called[callee.index()] += 1;
                                repeated[callee.index()] |= many || called[callee.index()] > 1;
                            }
                        }
                        Op::Intrinsic { which: Intrinsic::Spawn, args, .. } => {
                            let bodies = args.first().map(|body| points_to.functions(id, *body)).unwrap_or_default();
                            bodies.into_iter().for_each(|body| repeated[body.index()] = true);
                        }
                        _ => {}
                    }
                }
            }
        }
        if repeated == before {
            return repeated;
        }
    }
}

fn is_in_loop(function: &Function, block: BlockId) -> bool {
    behind(function, block).contains(&block)
}

/// The blocks that control may get to from the end of this one.
fn behind(function: &Function, block: BlockId) -> Vec<BlockId> {
    let mut seen = vec![false; function.blocks.len()];
    let mut found = vec![];
    let mut work = vec![block];
    while let Some(id) = work.pop() {
        for target in function.blocks[id].term.successors() {
            if !std::mem::replace(&mut seen[target.index()], true) {
                found.push(target);
                work.push(target);
            }
        }
    }
    found
}

/// Compares what the models say instead of the addresses.
fn rewrite(program: &mut Program, models: &Models, at: Compared) {
    let model = program.data_model;
    let function = &mut program.functions[at.function];
    let inst = function.blocks[at.block].insts.remove(at.index);
    let mut new = Rewriting { word: Ty::Int(model.pointer_bits() as u8), function, insts: vec![], loc: inst.loc };
    match inst.op {
        Op::Compute(Computation::Compare { dst, op, a, b }) => {
            let by = match at.by {
                By::Place => models.place,
                By::Position => models.position,
            };
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

    /// What a model says of an address.
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
        match &mut inst.op {
            Op::Intrinsic { dst: Some(dst), which: Intrinsic::Alloc, args } => {
                inst.op =
                    Op::Call { dsts: vec![*dst], callee: Callee::Direct(models.alloc), args: std::mem::take(args) };
            }
            Op::Intrinsic { which: Intrinsic::Free, args, .. } => {
                inst.op = Op::Call { dsts: vec![], callee: Callee::Direct(models.free), args: std::mem::take(args) };
            }
            Op::Call { callee, .. } if models.moved.is_some_and(|moved| *callee == Callee::Direct(moved)) => {
                *callee = Callee::Direct(models.stays);
            }
            _ => {}
        }
    }
}
