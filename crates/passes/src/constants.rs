//! Operations on constants, within a block, and the branches that they decide.
//!
//! Integers wrap around exactly as in C's unsigned arithmetic. What may be a violation stays for the engines to report:
//! division by zero and `INT_MIN / -1`, shifts by the width or more, checked operations that overflow. Those that are
//! fine stay as well, although their results are known: a check was made there. Floats stay too, and so does an integer
//! that becomes a pointer, unless it is null: it might name an object.

use crate::Context;
use crate::jumps::{decided, remove_unreachable};
use crate::local::EqualValues;
use selvedge_program::semantics::casts;
use selvedge_program::semantics::integers::{compare, defined_binary, unary};
use selvedge_program::{Cast, Computation, DataModel, Function, Op, Operand, Terminator, Ty};

pub fn constants(context: &Context, function: &mut Function) {
    let mut known = EqualValues::new(function);
    for block in function.blocks.values_mut() {
        known.forget();
        let use_constant = |known: &EqualValues, operand: &mut Operand| {
            if let Operand::Reg(reg) = operand
                && let Some(constant @ Operand::Const { .. }) = known.value(*reg)
            {
                *operand = constant;
            }
        };
        for inst in &mut block.insts {
            inst.op.for_each_use_mut(|operand| use_constant(&known, operand));
            if let Op::Compute(computation) = inst.op
                && let Some((dst, src)) = fold(context.data_model, &computation, function.regs[computation.dst()].ty)
            {
                let copy = Op::Compute(Computation::Copy { dst, src });
                known.after(&copy);
                if computation.checks().is_empty() {
                    inst.op = copy;
                }
            } else {
                known.after(&inst.op);
            }
        }
        block.term.for_each_use_mut(|operand| use_constant(&known, operand));
        if let Some(target) = decided(&block.term) {
            block.term = Terminator::Jump(target);
        }
    }
    remove_unreachable(function);
}

/// The computation as a copy of an operand that is there already, or of a constant of type `to`.
pub(crate) fn fold(model: DataModel, computation: &Computation, to: Ty) -> Option<(selvedge_program::Reg, Operand)> {
    let bits = |operand: &Operand| match operand {
        Operand::Const { bits, .. } => Some(*bits),
        _ => None,
    };
    let width = |operand: &Operand| match operand {
        Operand::Const { ty, .. } => ty.bits(model),
        _ => 0,
    };
    let (dst, value) = match computation {
        Computation::Binary { dst, op, a, b, checked } => {
            (dst, defined_binary(*op, width(a), bits(a)?, bits(b)?, *checked)?)
        }
        Computation::Unary { dst, op, a } => (dst, unary(*op, width(a), bits(a)?)),
        Computation::Compare { dst, op, a, b } => (dst, u128::from(compare(*op, width(a), bits(a)?, bits(b)?))),
        Computation::Cast { dst, cast, src } => (dst, convert(*cast, width(src), to.bits(model), bits(src)?)?),
        Computation::Select { dst, cond, a, b } => {
            let chosen = match bits(cond) {
                Some(0) => b,
                Some(_) => a,
                None if a == b => a,
                None => return None,
            };
            return Some((*dst, *chosen));
        }
        Computation::Copy { .. }
        | Computation::Overflowing { .. }
        | Computation::FloatBinary { .. }
        | Computation::FloatUnary { .. }
        | Computation::FloatCompare { .. }
        | Computation::Field { .. }
        | Computation::Index { .. } => return None,
    };
    Some((*dst, Operand::Const { ty: to, bits: value }))
}

/// An integer that becomes a pointer might name an object.
fn convert(cast: Cast, from: u32, to: u32, bits: u128) -> Option<u128> {
    casts::integer(cast, from, to, bits).filter(|_| cast != Cast::IntToPtr || bits == 0)
}
