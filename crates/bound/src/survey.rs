//! What is looked up in the whole program before it is unrolled.

use crate::order::Order;
use selvedge_program::{
    BlockId, FuncId, Function, GlobalId, Intrinsic, Loc, Op, Operand, Program, Reg, SecondaryMap, SourceMap, Ty,
};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub struct Survey {
    /// Functions whose address is used as a value.
    pub addressed: BTreeSet<FuncId>,
    /// Globals that nothing ever writes.
    unwritten: SecondaryMap<GlobalId, bool>,
    /// The thread-locals, in order.
    pub thread_locals: Vec<GlobalId>,
}

impl Survey {
    pub fn new(program: &Program) -> Survey {
        let mut addressed = BTreeSet::new();
        let mut unwritten = SecondaryMap::with_default(true);
        let mut use_of = |operand: Operand, reads_only: bool| match operand {
            Operand::Func(id) => {
                addressed.insert(id);
            }
            Operand::Global { id, .. } if !reads_only => unwritten[id] = false,
            _ => {}
        };
        for block in program.functions.values().flat_map(|f| f.blocks.values()) {
            for inst in &block.insts {
                match &inst.op {
                    Op::Load { addr, .. } => use_of(*addr, true),
                    Op::MemCopy { dst, src, len, .. } => {
                        use_of(*src, true);
                        use_of(*dst, false);
                        use_of(*len, false);
                    }
                    Op::Intrinsic { which: Intrinsic::CheckRead, args, .. } => {
                        args.iter().for_each(|arg| use_of(*arg, true));
                    }
                    op => op.for_each_use(|operand| use_of(operand, false)),
                }
            }
            block.term.for_each_use(|operand| use_of(operand, false));
        }
        for relocation in program.globals.values().flat_map(|g| &g.relocations) {
            use_of(relocation.target, false);
        }
        for (id, global) in &program.globals {
            unwritten[id] = (unwritten[id] || global.constant) && !global.thread_local;
        }
        let thread_locals = program.globals.iter().filter(|(_, g)| g.thread_local).map(|(id, _)| id).collect();
        Survey { addressed, unwritten, thread_locals }
    }

    /// The value of a load from what nothing ever writes.
    pub fn load(&self, program: &Program, address: Operand, ty: Ty) -> Option<Operand> {
        let Operand::Global { id, offset } = address else { return None };
        let global = program.globals.get(id).filter(|_| self.unwritten[id])?;
        let bytes = u64::from(ty.bytes(program.data_model));
        let from = u64::try_from(offset).ok().filter(|from| *from <= global.size && bytes <= global.size - *from)?;
        let overlaps = |at: u64, len: u64| at < from + bytes && from < at + len;
        let mut relocations = global.relocations.iter().filter(|r| overlaps(r.at, u64::from(r.bytes)));
        if let Some(relocation) = relocations.next() {
            let whole = relocation.at == from && u64::from(relocation.bytes) == bytes && ty == Ty::Ptr;
            let shared = match relocation.target {
                Operand::Global { id, .. } => !program.globals[id].thread_local,
                _ => true,
            };
            return (whole && shared).then_some(relocation.target);
        }
        let byte = |at: u64| global.init.get(at as usize).copied().unwrap_or(0);
        let bits = (0..bytes).fold(0, |bits, n| bits | u128::from(byte(from + n)) << (8 * n));
        let unused = 128 - ty.bits(program.data_model);
        Some(Operand::Const { ty, bits: bits << unused >> unused })
    }
}

/// One function, looked at once.
pub struct Shape {
    pub order: Order,
    /// Per block that branches: the registers its decision is computed from.
    pub slices: BTreeMap<BlockId, Vec<Reg>>,
    /// Per head of a loop: where it is, and all places that a user may take for it.
    pub loops: BTreeMap<BlockId, (Loc, Vec<Loc>)>,
}

impl Shape {
    pub fn of(function: &Function) -> Rc<Shape> {
        let order = Order::new(function);
        let mut slices = BTreeMap::new();
        let mut loops: BTreeMap<BlockId, (Loc, Vec<Loc>)> = BTreeMap::new();
        for id in order.line() {
            let block = &function.blocks[*id];
            let successors = block.term.successors();
            if successors.len() > 1 {
                slices.insert(*id, slice(function, *id));
            }
            for target in successors.into_iter().filter(|t| order.chain(*id).contains(t)) {
                // The jump back stands at the loop's keyword.
                loops.entry(target).or_insert((SourceMap::NOWHERE, Vec::new())).1.push(block.loc);
            }
        }
        for (head, (loc, places)) in &mut loops {
            let block = &function.blocks[*head];
            places.extend(block.insts.iter().map(|inst| inst.loc).find(|loc| loc.is_known()));
            places.push(block.loc);
            places.retain(|loc| loc.is_known());
            *loc = places.first().copied().unwrap_or(function.loc);
        }
        Rc::new(Shape { order, slices, loops })
    }
}

/// The registers that decide a block's terminator, through the operations of the block.
fn slice(function: &Function, block: BlockId) -> Vec<Reg> {
    let block = &function.blocks[block];
    let mut regs = BTreeSet::new();
    let mut add = |operand: Operand| {
        if let Operand::Reg(reg) = operand {
            regs.insert(reg);
        }
    };
    block.term.for_each_use(&mut add);
    for inst in block.insts.iter().rev() {
        if inst.op.defs().iter().any(|reg| regs.contains(reg)) {
            inst.op.for_each_use(|operand| {
                if let Operand::Reg(reg) = operand {
                    regs.insert(reg);
                }
            });
        }
    }
    regs.into_iter().collect()
}
