//! Faults of single operations, and which operations may be removed.
//!
//! The VM defines it: a division by zero, a bad access to memory and the like end the run, whether they are checked or
//! not; other operations have a result anyway. A shift by too many bits takes the amount modulo the width, signed
//! arithmetic wraps around, an index may leave its array as long as nothing is accessed, and every cast has a result.

use crate::intrinsics::Purpose;
use crate::ir::{BinOp, Computation, Op, Operand, Ty};
use crate::semantics::integers::{signed, truncate};
use crate::task::{Properties, Property};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Faults {
    /// The properties that it may violate.
    pub violates: Properties,
    /// The part of these that ends the run even where it is not checked.
    pub ends: Properties,
}

impl Faults {
    const NONE: Faults = Faults { violates: Properties::NONE, ends: Properties::NONE };

    /// The run ends.
    const fn fatal(property: Property) -> Faults {
        let properties = Properties::NONE.with(property);
        Faults { violates: properties, ends: properties }
    }

    /// The run goes on where it is not checked.
    const fn benign(property: Property) -> Faults {
        Faults { violates: Properties::NONE.with(property), ends: Properties::NONE }
    }
}

impl Computation {
    /// The faults that constants do not rule out.
    pub fn faults(self) -> Faults {
        self.faults_given(|operand| match operand {
            Operand::Const { ty: Ty::Int(width), bits } => Some((u32::from(width), bits)),
            Operand::Reg(_) | Operand::Const { .. } | Operand::Global { .. } | Operand::Func(_) => None,
        })
    }

    /// The properties to check of it: all that it may violate, even if constants rule it out.
    pub fn checks(self) -> Properties {
        self.faults_given(|_| None).violates
    }

    /// The faults it may have if these operands, integers by their width and bits, are constants.
    fn faults_given(self, constant: impl Fn(Operand) -> Option<(u32, u128)>) -> Faults {
        match self {
            // Both operands have the type of the result.
            Computation::Binary { op, b, checked, .. } => binary(op, constant(b), checked),
            Computation::Index { index, bound: Some(bound), .. }
                if constant(index).is_some_and(|(width, bits)| {
                    u64::try_from(signed(width, bits)).is_ok_and(|index| index < bound)
                }) =>
            {
                Faults::NONE
            }
            Computation::Index { bound: Some(_), .. } => Faults::benign(Property::Memory),
            Computation::Index { bound: None, .. }
            | Computation::Copy { .. }
            | Computation::Overflowing { .. }
            | Computation::Unary { .. }
            | Computation::Compare { .. }
            | Computation::FloatBinary { .. }
            | Computation::FloatUnary { .. }
            | Computation::FloatCompare { .. }
            | Computation::Cast { .. }
            | Computation::Select { .. }
            | Computation::Field { .. } => Faults::NONE,
        }
    }
}

impl Op {
    /// The faults that constants do not rule out. A call has its callee's, and the stack's.
    pub fn faults(&self) -> Faults {
        match self {
            Op::Compute(computation) => computation.faults(),
            Op::Load { .. }
            | Op::Store { .. }
            | Op::Rmw { .. }
            | Op::CmpXchg { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::Call { .. } => Faults::fatal(Property::Memory),
            Op::Intrinsic { which, .. } => match which.purpose() {
                Purpose::Spawns | Purpose::Jumps | Purpose::Frees | Purpose::ChecksAccess => {
                    Faults::fatal(Property::Memory)
                }
                Purpose::FindsCopy => Faults::fatal(Property::Thread),
                Purpose::Exits => {
                    Faults { violates: Properties::NONE.with(Property::Leak).with(Property::Cleanup), ..Faults::NONE }
                }
                Purpose::Counts
                | Purpose::AsksThread
                | Purpose::Marks
                | Purpose::Requires
                | Purpose::Allocates
                | Purpose::AsksObject => Faults::NONE,
            },
            Op::Violation { property, .. } => Faults::benign(*property),
            Op::Fence { .. }
            | Op::Alloca { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::Nondet { .. }
            | Op::Unsupported { .. } => Faults::NONE,
        }
    }

    /// The properties to check of it: all that it may violate, even if constants rule it out.
    pub fn checks(&self) -> Properties {
        if let Op::Compute(computation) = self { computation.checks() } else { self.faults().violates }
    }

    /// Does it make no difference to anybody but who reads its results, if these properties are checked? Then it can
    /// be left out where nobody does. Nothing that a schedule counts is pure.
    pub fn is_pure(&self, checked: Properties) -> bool {
        let faults = self.faults();
        let only_computes = match self {
            Op::Compute(_) => true,
            Op::Intrinsic { which, .. } => which.purpose() == Purpose::AsksObject,
            Op::Load { .. }
            | Op::Store { .. }
            | Op::Rmw { .. }
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
            | Op::Unsupported { .. } => false,
        };
        only_computes && faults.ends.is_empty() && !faults.violates.overlap(checked)
    }
}

/// The faults it may have, given its second operand if that is a constant.
fn binary(op: BinOp, constant: Option<(u32, u128)>, checked: bool) -> Faults {
    let overflow = if checked { Faults::benign(Property::Overflow) } else { Faults::NONE };
    match op {
        BinOp::UDiv | BinOp::URem if constant.is_some_and(|(_, bits)| bits != 0) => Faults::NONE,
        BinOp::SDiv | BinOp::SRem
            if constant.is_some_and(|(width, bits)| bits != 0 && bits != truncate(width, u128::MAX)) =>
        {
            Faults::NONE
        }
        BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem => Faults::fatal(Property::Arithmetic),
        BinOp::LShr | BinOp::AShr | BinOp::Shl if constant.is_some_and(|(width, bits)| bits < u128::from(width)) => {
            overflow
        }
        BinOp::LShr | BinOp::AShr | BinOp::Shl => {
            Faults { violates: overflow.violates.with(Property::Arithmetic), ..overflow }
        }
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor => overflow,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Reg;
    use cranelift_entity::EntityRef;

    fn binary(op: BinOp, b: Operand, checked: bool) -> Op {
        Op::Compute(Computation::Binary { dst: Reg::new(0), op, a: Operand::Reg(Reg::new(1)), b, checked })
    }

    #[test]
    fn what_goes_on_where_it_is_not_checked_is_pure_there() {
        let (anything, three) = (Operand::Reg(Reg::new(2)), Operand::int(8, 3));
        let (all, none) = (Properties::STATES, Properties::NONE);
        let pure = |op: &Op| (op.is_pure(all), op.is_pure(none));
        assert_eq!(pure(&binary(BinOp::Add, anything, false)), (true, true));
        assert_eq!(pure(&binary(BinOp::Add, anything, true)), (false, true));
        assert_eq!(pure(&binary(BinOp::Shl, anything, false)), (false, true));
        assert_eq!(pure(&binary(BinOp::Shl, three, false)), (true, true));
        assert_eq!(pure(&binary(BinOp::SDiv, anything, false)), (false, false));
        assert_eq!(pure(&binary(BinOp::SDiv, three, false)), (true, true));
        assert_eq!(pure(&binary(BinOp::SDiv, Operand::int(8, 0xff), false)), (false, false));
        assert_eq!(pure(&Op::Violation { property: Property::Lock, text: String::new() }), (false, false));
    }

    #[test]
    fn a_constant_rules_out_what_is_checked_nevertheless() {
        let index = |index: u128| {
            let (base, index) = (Operand::Reg(Reg::new(1)), Operand::int(64, index));
            Op::Compute(Computation::Index { dst: Reg::new(0), base, index, stride: 4, bound: Some(4) })
        };
        let three = Operand::int(8, 3);
        let properties = |op: &Op| (op.checks(), op.faults().violates);
        let only = |property: Property| Properties::NONE.with(property);
        let (arithmetic, memory, none) = (only(Property::Arithmetic), only(Property::Memory), Properties::NONE);
        assert_eq!(properties(&binary(BinOp::SDiv, three, false)), (arithmetic, none));
        assert_eq!(properties(&binary(BinOp::LShr, three, false)), (arithmetic, none));
        assert_eq!(properties(&binary(BinOp::LShr, Operand::int(8, 8), false)), (arithmetic, arithmetic));
        assert_eq!(properties(&index(3)), (memory, none));
        assert_eq!(properties(&index(4)), (memory, memory));
        assert_eq!(properties(&binary(BinOp::Add, three, false)), (none, none));
    }
}
