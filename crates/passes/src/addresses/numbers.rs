//! Registers that hold the address of an object as a number: `(uintptr_t)p`, and what is copied or computed from it.
//!
//! Numbers flow through computations, calls, and objects that some were stored into, without regard to the order of
//! operations. The difference of two addresses is none, and neither are single bits. In the same way flows what was
//! computed from addresses that were taken apart.

use crate::points_to::PointsTo;
use selvedge_program::liveness::BitSet;
use selvedge_program::{
    BinOp, Cast, Computation, EntityRef, FuncId, Function, Op, Operand, Origin, Program, Reg, Terminator,
};
use std::collections::HashSet;

pub struct Numbers {
    flow: Flow,
    /// By function: its registers.
    registers: Vec<BitSet>,
    /// By function: it may return one.
    returned: Vec<bool>,
    /// Objects that may hold some.
    objects: BitSet,
    changed: bool,
}

/// What flows.
enum Flow {
    Addresses,
    /// Whatever is computed from these registers.
    From(HashSet<(FuncId, Reg)>),
}

impl Numbers {
    pub fn of(program: &Program, points_to: &PointsTo) -> Numbers {
        Numbers::flowing(Flow::Addresses, program, points_to)
    }

    /// What is computed from these registers, and the registers themselves.
    pub fn computed_from(seeds: HashSet<(FuncId, Reg)>, program: &Program, points_to: &PointsTo) -> Numbers {
        Numbers::flowing(Flow::From(seeds), program, points_to)
    }

    fn flowing(flow: Flow, program: &Program, points_to: &PointsTo) -> Numbers {
        let mut numbers = Numbers {
            flow,
            registers: program.functions.values().map(|f| BitSet::with_capacity(f.regs.len())).collect(),
            returned: vec![false; program.functions.len()],
            objects: BitSet::with_capacity(points_to.objects.len()),
            changed: true,
        };
        while std::mem::replace(&mut numbers.changed, false) {
            for (id, function) in program.functions.iter().filter(|(_, f)| f.origin == Origin::User) {
                numbers.flow(program, points_to, id, function);
            }
        }
        numbers
    }

    pub fn contain(&self, function: FuncId, operand: Operand) -> bool {
        matches!(operand, Operand::Reg(reg) if self.registers[function.index()].contains(reg.index()))
    }

    fn flow(&mut self, program: &Program, points_to: &PointsTo, id: FuncId, function: &Function) {
        for block in function.blocks.values() {
            for inst in &block.insts {
                match &inst.op {
                    Op::Compute(computation) => self.compute(id, computation),
                    Op::Load { dst, addr, .. } => self.load(points_to, id, Operand::Reg(*dst), *addr),
                    Op::Store { addr, value, .. } => self.store(points_to, id, *addr, *value),
                    Op::Rmw { dst, addr, value, .. } => {
                        self.store(points_to, id, *addr, *value);
                        self.load(points_to, id, Operand::Reg(*dst), *addr);
                    }
                    Op::CmpXchg { old, addr, new, .. } => {
                        self.store(points_to, id, *addr, *new);
                        self.load(points_to, id, Operand::Reg(*old), *addr);
                    }
                    Op::Call { dsts, callee, args } => {
                        for callee in points_to.callees(id, *callee) {
                            self.call(program, id, callee, args);
                            if self.returned[callee.index()] {
                                dsts.iter().for_each(|dst| self.add(id, Operand::Reg(*dst)));
                            }
                        }
                    }
                    _ => {}
                }
            }
            if let Terminator::Return(values) = &block.term
                && values.iter().any(|value| self.contain(id, *value))
            {
                self.changed |= !std::mem::replace(&mut self.returned[id.index()], true);
            }
        }
    }

    fn compute(&mut self, id: FuncId, computation: &Computation) {
        if self.computes_one(id, computation) {
            self.add(id, Operand::Reg(computation.dst()));
        }
    }

    fn computes_one(&self, id: FuncId, computation: &Computation) -> bool {
        let is_one = |operand: &Operand| self.contain(id, *operand);
        if let Flow::From(seeds) = &self.flow {
            let mut is_used = false;
            Op::Compute(*computation).for_each_use(|operand| is_used |= is_one(&operand));
            return is_used || seeds.contains(&(id, computation.dst()));
        }
        match computation {
            Computation::Cast { cast: Cast::PtrToInt, .. } => true,
            Computation::Binary { op: BinOp::Sub, a, b, .. } => is_one(a) != is_one(b),
            // What is left of it may be an address, or some bits that are not.
            Computation::Binary { op: BinOp::And, a, b, .. } => {
                let keeps = |mask: &Operand| !matches!(mask, Operand::Const { bits, .. } if bits.leading_zeros() > 96);
                is_one(a) && keeps(b) || is_one(b) && keeps(a)
            }
            Computation::Binary { op: BinOp::Add | BinOp::Or | BinOp::Xor | BinOp::Shl, a, b, .. }
            | Computation::Select { a, b, .. } => is_one(a) || is_one(b),
            Computation::Copy { src, .. } | Computation::Cast { cast: Cast::ZeroExtend, src, .. } => is_one(src),
            Computation::Binary { .. }
            | Computation::Cast { .. }
            | Computation::Overflowing { .. }
            | Computation::Unary { .. }
            | Computation::Compare { .. }
            | Computation::FloatBinary { .. }
            | Computation::FloatUnary { .. }
            | Computation::FloatCompare { .. }
            | Computation::Field { .. }
            | Computation::Index { .. } => false,
        }
    }

    fn add(&mut self, function: FuncId, operand: Operand) {
        if let Operand::Reg(reg) = operand {
            self.changed |= !self.registers[function.index()].put(reg.index());
        }
    }

    fn load(&mut self, points_to: &PointsTo, id: FuncId, to: Operand, addr: Operand) {
        if !points_to.operand(id, addr).is_disjoint(&self.objects) {
            self.add(id, to);
        }
    }

    fn store(&mut self, points_to: &PointsTo, id: FuncId, addr: Operand, value: Operand) {
        let into = points_to.operand(id, addr);
        if self.contain(id, value) && !into.is_subset(&self.objects) {
            self.objects.union_with(&into);
            self.changed = true;
        }
    }

    fn call(&mut self, program: &Program, caller: FuncId, callee: FuncId, args: &[Operand]) {
        for (param, arg) in program.functions[callee].params.iter().zip(args) {
            if self.contain(caller, *arg) {
                self.add(callee, Operand::Reg(*param));
            }
        }
    }
}
