//! Two kinds of numbers: the address of an object as a number, `(uintptr_t)p` and what is copied or computed from it;
//! and the parts of addresses that were taken apart. The difference of two addresses is no address, and neither are
//! single bits.

use crate::flow::Kind;
use crate::offsets::{Offset, OffsetsOfRegisters};
use selvedge_program::{BinOp, Cast, Computation, FuncId, Operand, Reg, Ty};
use std::collections::HashSet;

/// Addresses as numbers. A pointer is one where it is read as a number: the other member of a union, or through a
/// pointer of another type.
pub struct Numbers(pub OffsetsOfRegisters);

/// These registers, and whatever is computed from them.
pub struct Parts(pub HashSet<(FuncId, Reg)>);

impl Kind for Parts {
    fn computes(&self, function: FuncId, computation: &Computation, is_one: &dyn Fn(&Operand) -> bool) -> bool {
        let mut is_used = false;
        computation.for_each_use(|operand| is_used |= is_one(&operand));
        is_used || self.0.contains(&(function, computation.dst()))
    }
}

impl Kind for Numbers {
    fn computes(&self, _: FuncId, computation: &Computation, is_one: &dyn Fn(&Operand) -> bool) -> bool {
        match computation {
            Computation::Cast { cast: Cast::PtrToInt, .. } => true,
            Computation::Binary { op: BinOp::Sub, a, b, .. } => is_one(a) != is_one(b),
            // The bits that are left may be an address, or some that are none.
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

    fn is(&self, _: Operand, ty: Ty) -> bool {
        ty == Ty::Ptr
    }

    fn offsets(&self, function: FuncId, address: Operand) -> Vec<Offset> {
        self.0.offsets(function, address)
    }
}
