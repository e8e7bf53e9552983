//! Where a program looks at addresses: compares them, orders them, or takes them apart.

use super::numbers::{Numbers, Parts};
use super::{By, Compared, models};
use crate::flow::Flow;
use crate::offsets::OffsetsOfRegisters;
use crate::points_to::{Object, PointsTo};
use crate::words::Meeting;
use selvedge_program::liveness::BitSet;
use selvedge_program::{
    BinOp, BlockId, Callee, Cast, CmpOp, Computation, EntityRef, FuncId, Function, Intrinsic, Op, Operand, Origin,
    Program, Reg, Ty,
};

/// Models of functions that give memory of an alignment that the program chooses.
const ALIGNED: [&str; 6] = ["posix_memalign", "aligned_alloc", "memalign", "valloc", "pvalloc", "mmap"];

/// A program, with its addresses and their parts, to find where it looks at them.
pub(super) struct Looks<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    numbers: Flow<'a, Numbers>,
    /// Objects from the heap, and those that may have been freed.
    blocks: BitSet,
    freed: BitSet,
    /// By function: one run may call it more than once.
    repeated: Vec<bool>,
}

impl<'a> Looks<'a> {
    pub(super) fn new(program: &'a Program, points_to: &'a PointsTo) -> Looks<'a> {
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
        let numbers = Flow::of(Numbers(OffsetsOfRegisters::of(program, points_to)), program, points_to);
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
        self.numbers.contains(function, operand) && !self.points_to.operand(function, operand).is_clear()
    }

    fn is_wide(&self, function: FuncId, operand: Operand) -> bool {
        let model = self.program.data_model;
        self.program.type_of(&self.program.functions[function], operand).bits(model) == model.pointer_bits()
    }

    /// Comparisons, and compare-exchanges, of pointers one of which may be stale.
    pub(super) fn equalities(&self) -> Vec<Compared> {
        let may_be_stale = |function, a, b| {
            let (a, b) = (self.points_to.operand(function, a), self.points_to.operand(function, b));
            !a.is_disjoint(&self.freed) && !b.is_disjoint(&self.blocks)
                || !b.is_disjoint(&self.freed) && !a.is_disjoint(&self.blocks)
        };
        let found = self.of_user().filter(|(function, _, _, op)| {
            if let Some((CmpOp::Eq | CmpOp::Ne, a, b)) = op.comparison() {
                (self.is_address(*function, a) || self.is_address(*function, b))
                    && self.is_wide(*function, a)
                    && may_be_stale(*function, a, b)
            } else if let Op::CmpXchg { old, expected, .. } = op {
                // An atomic pointer is exchanged as an integer.
                self.is_wide(*function, *expected) && may_be_stale(*function, Operand::Reg(*old), *expected)
            } else {
                false
            }
        });
        found.map(|(function, block, index, _)| Compared { function, block, index, by: By::Place }).collect()
    }

    /// Comparisons by the order of addresses, unless both are surely of one object.
    pub(super) fn orders(&self) -> Vec<Compared> {
        use CmpOp::{Uge, Ugt, Ule, Ult};
        let found = self.of_user().filter(|(function, _, _, op)| {
            let Some((Ult | Ule | Ugt | Uge, a, b)) = op.comparison() else { return false };
            let (one, other) = (self.points_to.operand(*function, a), self.points_to.operand(*function, b));
            let both: BitSet = one.union(&other).collect();
            let is_one = both.count_ones(..) == 1 && !both.ones().any(|object| self.is_many(object));
            let is_address = |operand| self.is_address(*function, operand) && self.is_wide(*function, operand);
            is_address(a) && is_address(b) && !is_one
        });
        found.map(|(function, block, index, _)| Compared { function, block, index, by: By::Position }).collect()
    }

    /// Differences between addresses of two objects, where no more than their order is looked at: nothing finds its way
    /// back by them, so they may be those of positions.
    pub(super) fn differences(&self) -> Vec<Compared> {
        let found = self.of_user().filter(|(function, _, _, op)| {
            let Some(Computation::Binary { op: BinOp::Sub, dst, a, b, .. }) = op.computation() else { return false };
            let (one, other) = (self.points_to.operand(*function, *a), self.points_to.operand(*function, *b));
            self.is_number(*function, *a)
                && self.is_number(*function, *b)
                && one.is_disjoint(&other)
                && is_only_compared(&self.program.functions[*function], *dst)
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

    /// Where it takes addresses apart, beyond the bits that their alignment promises.
    pub(super) fn takes_apart(&self) -> Vec<Compared> {
        let is_apart = |function, op: &Op| op.computation().is_some_and(|c| self.taken_apart(function, c).is_some());
        let found = self.of_user().filter(|(function, _, _, op)| is_apart(*function, op));
        found.map(|(function, block, index, _)| Compared { function, block, index, by: By::Number }).collect()
    }

    /// The address that a computation takes apart.
    fn taken_apart(&self, function: FuncId, computation: &Computation) -> Option<Operand> {
        let is_number = |operand: &Operand| self.is_number(function, *operand);
        match computation {
            Computation::Binary { op: BinOp::And, a, b: Operand::Const { bits, .. }, .. } => {
                Some(*a).filter(|a| is_number(a) && !self.is_promised(function, *a, *bits))
            }
            Computation::Binary { op: BinOp::And, a: Operand::Const { bits, .. }, b, .. } => {
                Some(*b).filter(|b| is_number(b) && !self.is_promised(function, *b, *bits))
            }
            Computation::Binary { op, a, .. } => {
                use BinOp::{AShr, LShr, Mul, SDiv, SRem, UDiv, URem};
                let parts = matches!(op, Mul | UDiv | SDiv | URem | SRem | LShr | AShr);
                Some(*a).filter(|a| parts && is_number(a))
            }
            Computation::Cast { cast: Cast::Truncate, src, .. } => Some(*src).filter(is_number),
            Computation::Cast { .. }
            | Computation::Copy { .. }
            | Computation::Overflowing { .. }
            | Computation::Unary { .. }
            | Computation::Compare { .. }
            | Computation::Select { .. }
            | Computation::FloatBinary { .. }
            | Computation::FloatUnary { .. }
            | Computation::FloatCompare { .. }
            | Computation::Field { .. }
            | Computation::Index { .. } => None,
        }
    }

    /// Is the number of an address compared with one that the program knows, which could be an address, too?
    pub(super) fn meets_known_number(&self) -> bool {
        // Pages at the bottom are not mapped, and under Linux addresses have 47 bits.
        let could_be_address =
            |operand| matches!(operand, Operand::Const { bits, .. } if (1 << 12..1 << 47).contains(&bits));
        self.of_user().any(|(function, _, _, op)| {
            op.comparison().is_some_and(|(_, a, b)| {
                self.is_number(function, a) && could_be_address(b) || self.is_number(function, b) && could_be_address(a)
            })
        })
    }

    /// Does it hold the address of an object, as a number?
    fn is_number(&self, function: FuncId, operand: Operand) -> bool {
        self.is_address(function, operand)
            && self.is_wide(function, operand)
            && self.program.type_of(&self.program.functions[function], operand) != Ty::Ptr
    }

    /// These computations, and all others in which addresses meet parts of addresses, with the addresses in each. None,
    /// if a pointer is made of parts, or memory of an alignment of its own asked for.
    pub(super) fn with_company(&self, apart: Vec<Compared>, others: &[Compared]) -> Vec<(Compared, Vec<Operand>)> {
        let seeds = apart.iter().filter_map(|at| Some((at.function, self.computation(at)?.dst()))).collect();
        let parts = Flow::of(Parts(seeds), self.program, self.points_to);
        let makes_pointer = |function, op: &Op| matches!(op, Op::Compute(Computation::Cast { cast: Cast::IntToPtr, src, .. }) if parts.contains(function, *src));
        if ALIGNED.iter().any(|name| self.program.function_named(name).is_some())
            || self.of_user().any(|(function, _, _, op)| makes_pointer(function, op))
        {
            return vec![];
        }
        let mut found = vec![];
        for (function, block, index, op) in self.of_user() {
            let at = Compared { function, block, index, by: By::Number };
            let Op::Compute(computation) = op else { continue };
            let (mut addresses, mut has_part) = (vec![], false);
            op.for_each_use(|operand| match parts.contains(function, operand) {
                true => has_part = true,
                false => addresses.extend(Some(operand).filter(|operand| self.is_number(function, *operand))),
            });
            let is_other = others.iter().any(|other| Compared { by: By::Number, ..*other } == at);
            let takes = self.taken_apart(function, computation).is_some();
            if !is_other && !addresses.is_empty() && (has_part || takes) {
                found.push((at, addresses));
            }
        }
        found
    }

    fn computation(&self, at: &Compared) -> Option<&'a Computation> {
        self.program.functions[at.function].blocks[at.block].insts[at.index].op.computation()
    }

    /// The greatest alignment of all objects whose addresses are taken apart.
    pub(super) fn greatest_alignment(&self, apart: &[Compared]) -> u32 {
        let operands = apart.iter().filter_map(|at| Some((at, self.taken_apart(at.function, self.computation(at)?)?)));
        operands
            .flat_map(|(at, operand)| {
                let objects: Vec<usize> = self.points_to.operand(at.function, operand).ones().collect();
                objects.into_iter().map(|object| self.points_to.objects[object].alignment(self.program))
            })
            .max()
            .unwrap_or(1)
            .max(1)
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
    pub(super) fn reuse_matters(&self, meeting: Option<&Meeting>) -> bool {
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

/// Is the register, scaled or cut perhaps, compared and not used in any other way?
fn is_only_compared(function: &Function, reg: Reg) -> bool {
    let mut known = vec![reg];
    let mut looked_at = 0;
    while let Some(&reg) = known.get(looked_at) {
        looked_at += 1;
        let is_it = |operand: Operand| operand == Operand::Reg(reg);
        for block in function.blocks.values() {
            let mut is_used = false;
            block.term.for_each_use(|operand| is_used |= is_it(operand));
            for inst in &block.insts {
                let mut is_here = false;
                inst.op.for_each_use(|operand| is_here |= is_it(operand));
                match inst.op.computation() {
                    _ if !is_here => {}
                    Some(Computation::Compare { .. }) => {}
                    Some(
                        Computation::Binary { dst, op: BinOp::AShr | BinOp::SDiv, b: Operand::Const { .. }, .. }
                        | Computation::Copy { dst, .. }
                        | Computation::Cast { dst, cast: Cast::Truncate | Cast::SignExtend | Cast::ZeroExtend, .. },
                    ) => {
                        if !known.contains(dst) {
                            known.push(*dst);
                        }
                    }
                    _ => is_used = true,
                }
            }
            if is_used {
                return false;
            }
        }
    }
    true
}

fn is_block(program: &Program, object: Object) -> bool {
    let Object::Made(place) = object else { return false };
    !matches!(program.functions[place.function].blocks[place.block].insts[place.index].op, Op::Alloca { .. })
}

/// By function: may a run call it more than once? The code of threads counts, and whatever is called by way of its
/// address.
fn repeated(program: &Program, points_to: &PointsTo) -> Vec<bool> {
    let mut repeated = vec![false; program.functions.len()];
    loop {
        let before = repeated.clone();
        let mut called = vec![0u32; program.functions.len()];
        for (id, function) in &program.functions {
            for (number, block) in &function.blocks {
                let many = before[id.index()] || is_in_loop(function, number);
                for inst in &block.insts {
                    if let Op::Call { callee, .. } = &inst.op {
                        for callee in points_to.callees(id, *callee) {
                            called[callee.index()] += 1;
                            repeated[callee.index()] |= many || called[callee.index()] > 1;
                        }
                    } else if let Op::Intrinsic { which: Intrinsic::Spawn, args, .. } = &inst.op {
                        let bodies = args.first().map(|body| points_to.functions(id, *body)).unwrap_or_default();
                        bodies.into_iter().for_each(|body| repeated[body.index()] = true);
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
