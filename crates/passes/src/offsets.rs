//! Where in an object an address points, as far as the operations that compute it show: behind its start by a number of
//! bytes and by some multiple of a stride, as elements of arrays are.
//!
//! Offsets flow through computations and into the parameters of functions. What comes from memory or is the result of a
//! call points to the start of an object, or anywhere if pointers into objects flow there; so may any parameter.

use crate::flow::{Flow, Kind};
use crate::points_to::PointsTo;
use selvedge_program::{Computation, EntityRef, FuncId, Function, Op, Operand, Origin, Program, Reg, Ty};

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Offset {
    bytes: i64,
    stride: u64,
}

impl Offset {
    pub const START: Offset = Offset { bytes: 0, stride: 0 };
    pub const ANYWHERE: Offset = Offset { bytes: 0, stride: 1 };

    pub fn field(self, bytes: i64) -> Offset {
        Offset { bytes: self.bytes.wrapping_add(bytes), ..self }
    }

    fn plus(self, distance: Offset) -> Offset {
        Offset { stride: gcd(self.stride, distance.stride), ..self.field(distance.bytes) }
    }

    pub fn meets(self, other: Offset) -> bool {
        let apart = self.bytes.abs_diff(other.bytes);
        match gcd(self.stride, other.stride) {
            0 => apart == 0,
            stride => apart.is_multiple_of(stride),
        }
    }

    /// Where it is in a copy of the block from one offset on that begins at another.
    pub fn copied(self, from: Offset, to: Offset) -> Offset {
        self.plus(to).plus(Offset { bytes: from.bytes.wrapping_neg(), ..from })
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Different offsets, of which there are few: what is in more may be anywhere.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Offsets(Vec<Offset>);

const MOST: usize = 16;

impl Offsets {
    /// Returns whether that was new.
    pub fn insert(&mut self, offset: Offset) -> bool {
        if self.0.contains(&offset) || self.0 == [Offset::ANYWHERE] {
            return false;
        }
        self.0.push(offset);
        if self.0.len() > MOST {
            self.0 = vec![Offset::ANYWHERE];
        }
        true
    }

    pub fn iter(&self) -> impl Iterator<Item = Offset> + '_ {
        self.0.iter().copied()
    }

    pub fn meets(&self, offset: Offset) -> bool {
        self.iter().any(|one| one.meets(offset))
    }
}

/// The offsets of all registers, by function.
pub struct OffsetsOfRegisters(Vec<Vec<Offsets>>);

impl OffsetsOfRegisters {
    pub fn of(program: &Program, points_to: &PointsTo) -> OffsetsOfRegisters {
        let inner = Flow::of(Inner, program, points_to);
        let of_other = |function, reg| match inner.contains(function, Operand::Reg(reg)) {
            true => Offsets(vec![Offset::ANYWHERE]),
            false => Offsets(vec![Offset::START]),
        };
        let of_function = |(id, function): (FuncId, &Function)| {
            let mut offsets: Vec<Offsets> = function.regs.keys().map(|reg| of_other(id, reg)).collect();
            function.params.iter().for_each(|param| offsets[param.index()] = Offsets(vec![Offset::START]));
            for inst in function.blocks.values().flat_map(|block| &block.insts) {
                if let Some(computation) = inst.op.computation()
                    && !sources(computation).is_empty()
                {
                    offsets[computation.dst().index()] = Offsets::default();
                }
            }
            offsets
        };
        let mut offsets = OffsetsOfRegisters(program.functions.iter().map(of_function).collect());
        while offsets.flow(program, points_to) {}
        offsets
    }

    pub fn offsets(&self, function: FuncId, address: Operand) -> Vec<Offset> {
        match address {
            Operand::Reg(reg) => self.0[function.index()][reg.index()].iter().collect(),
            Operand::Global { offset, .. } => vec![Offset::START.field(offset)],
            Operand::Const { .. } | Operand::Func(_) => vec![Offset::START],
        }
    }

    fn flow(&mut self, program: &Program, points_to: &PointsTo) -> bool {
        let mut changed = false;
        for (id, function) in &program.functions {
            for inst in function.blocks.values().flat_map(|block| &block.insts) {
                if let Op::Compute(computation) = &inst.op {
                    for (source, distance) in sources(computation) {
                        let offsets = self.offsets(id, source).into_iter().map(|offset| offset.plus(distance));
                        changed |= self.add(id, computation.dst(), offsets);
                    }
                }
                if let Op::Call { callee, args, .. } = &inst.op {
                    for callee in points_to.callees(id, *callee) {
                        for (param, arg) in program.functions[callee].params.iter().zip(args) {
                            changed |= self.add(callee, *param, self.offsets(id, *arg).into_iter());
                        }
                        if program.functions[callee].origin == Origin::Model {
                            changed |= self.pass_on(id, args, program, points_to);
                        }
                    }
                }
            }
        }
        changed
    }

    /// A model may call the functions that it is given with the rest of what it is given.
    fn pass_on(&mut self, id: FuncId, args: &[Operand], program: &Program, points_to: &PointsTo) -> bool {
        let offsets: Vec<Offset> = args.iter().flat_map(|arg| self.offsets(id, *arg)).collect();
        let called = args.iter().flat_map(|arg| points_to.functions(id, *arg));
        called.fold(false, |changed, called| {
            let params = &program.functions[called].params;
            params.iter().fold(changed, |changed, param| changed | self.add(called, *param, offsets.iter().copied()))
        })
    }

    fn add(&mut self, function: FuncId, reg: Reg, offsets: impl Iterator<Item = Offset>) -> bool {
        let known = &mut self.0[function.index()][reg.index()];
        offsets.fold(false, |changed, offset| changed | known.insert(offset))
    }
}

/// Pointers that may point behind the start of an object.
struct Inner;

impl Kind for Inner {
    fn computes(&self, _: FuncId, computation: &Computation, is_one: &dyn Fn(&Operand) -> bool) -> bool {
        match computation {
            Computation::Field { base, bytes, .. } => *bytes != 0 || is_one(base),
            Computation::Index { .. } => true,
            Computation::Copy { src, .. } | Computation::Cast { src, .. } => is_one(src),
            Computation::Select { a, b, .. } | Computation::Binary { a, b, .. } => is_one(a) || is_one(b),
            Computation::Overflowing { .. }
            | Computation::Unary { .. }
            | Computation::Compare { .. }
            | Computation::FloatBinary { .. }
            | Computation::FloatUnary { .. }
            | Computation::FloatCompare { .. } => false,
        }
    }

    fn is(&self, operand: Operand, _: Ty) -> bool {
        matches!(operand, Operand::Global { offset, .. } if offset != 0)
    }
}

/// The addresses that this computes another from, and how far from them that is.
fn sources(computation: &Computation) -> Vec<(Operand, Offset)> {
    match *computation {
        Computation::Field { base, bytes, .. } => vec![(base, Offset { bytes, stride: 0 })],
        Computation::Index { base, stride, .. } => vec![(base, Offset { bytes: 0, stride })],
        Computation::Copy { src, .. } => vec![(src, Offset::START)],
        Computation::Select { a, b, .. } => vec![(a, Offset::START), (b, Offset::START)],
        Computation::Cast { .. }
        | Computation::Binary { .. }
        | Computation::Overflowing { .. }
        | Computation::Unary { .. }
        | Computation::Compare { .. }
        | Computation::FloatBinary { .. }
        | Computation::FloatUnary { .. }
        | Computation::FloatCompare { .. } => vec![],
    }
}
