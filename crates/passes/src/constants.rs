//! Operations on constants, within a block, and the branches that they decide.
//!
//! Integers wrap around exactly as in C's unsigned arithmetic. What may be a violation stays for the
//! engines to report: division by zero and `INT_MIN / -1`, shifts by the width or more, checked
//! operations that overflow. Floats stay too, and so does an integer that becomes a pointer, unless
//! it is null: it might name an object.

use crate::Context;
use crate::jumps::{decided, remove_unreachable};
use crate::local::Known;
use selvedge_program::integers::{compare, signed, truncate};
use selvedge_program::{BinOp, Cast, DataModel, Function, Op, Operand, Terminator, Ty, UnOp};

pub fn constants(context: &Context, function: &mut Function) {
    let mut known = Known::new(function);
    for block in function.blocks.values_mut() {
        known.forget();
        let use_constant = |known: &Known, operand: &mut Operand| {
            if let Operand::Reg(reg) = operand
                && let Some(constant @ Operand::Const { .. }) = known.value(*reg)
            {
                *operand = constant;
            }
        };
        for inst in &mut block.insts {
            inst.op.for_each_use_mut(|operand| use_constant(&known, operand));
            let to = inst.op.defs().first().map(|dst| function.regs[*dst].ty);
            if let Some((dst, src)) = to.and_then(|to| fold(context.data_model, &inst.op, to)) {
                inst.op = Op::Copy { dst, src };
            }
            known.after(&inst.op);
        }
        block.term.for_each_use_mut(|operand| use_constant(&known, operand));
        if let Some(target) = decided(&block.term) {
            block.term = Terminator::Jump(target);
        }
    }
    remove_unreachable(function);
}

/// The operation as a copy of an operand that is there already, or of a constant of type `to`.
fn fold(model: DataModel, op: &Op, to: Ty) -> Option<(selvedge_program::Reg, Operand)> {
    let bits = |operand: &Operand| match operand {
        Operand::Const { bits, .. } => Some(*bits),
        _ => None,
    };
    let width = |operand: &Operand| match operand {
        Operand::Const { ty, .. } => ty.bits(model),
        _ => 0,
    };
    let (dst, value) = match op {
        Op::Binary { dst, op, a, b, checked } => (dst, binary(*op, width(a), bits(a)?, bits(b)?, *checked)?),
        Op::Unary { dst, op, a } => (dst, unary(*op, width(a), bits(a)?)?),
        Op::Compare { dst, op, a, b } => (dst, u128::from(compare(*op, width(a), bits(a)?, bits(b)?))),
        Op::Cast { dst, cast, src } => (dst, convert(*cast, width(src), to.bits(model), bits(src)?)?),
        Op::Select { dst, cond, a, b } => {
            let chosen = match bits(cond) {
                Some(0) => b,
                Some(_) => a,
                None if a == b => a,
                None => return None,
            };
            return Some((*dst, *chosen));
        }
        Op::Copy { .. }
        | Op::Overflowing { .. }
        | Op::FloatBinary { .. }
        | Op::FloatUnary { .. }
        | Op::FloatCompare { .. }
        | Op::Field { .. }
        | Op::Index { .. }
        | Op::Load { .. }
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
        | Op::Intrinsic { .. }
        | Op::Violation { .. }
        | Op::Unsupported { .. } => return None,
    };
    Some((*dst, Operand::Const { ty: to, bits: value }))
}

/// None where it is, or may be, a violation.
pub fn binary(op: BinOp, width: u32, a: u128, b: u128, checked: bool) -> Option<u128> {
    let (sa, sb) = (signed(width, a), signed(width, b));
    let exact = match op {
        BinOp::Add => sa.checked_add(sb),
        BinOp::Sub => sa.checked_sub(sb),
        BinOp::Mul => sa.checked_mul(sb),
        // Never known to be fine: C has rules of its own for a checked shift.
        BinOp::Shl => None,
        _ => Some(0),
    };
    if checked && exact.is_none_or(|value| signed(width, value as u128) != value) {
        return None;
    }
    let divisible = b != 0 && !(sb == -1 && sa == signed(width, 1 << (width - 1)));
    let shift = u32::try_from(b).ok().filter(|by| *by < width);
    let value = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a.checked_div(b)?,
        BinOp::URem => a.checked_rem(b)?,
        BinOp::SDiv if divisible => (sa / sb) as u128,
        BinOp::SRem if divisible => (sa % sb) as u128,
        BinOp::SDiv | BinOp::SRem => return None,
        BinOp::Shl => a << shift?,
        BinOp::LShr => a >> shift?,
        BinOp::AShr => (sa >> shift?) as u128,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
    };
    Some(truncate(width, value))
}

pub fn unary(op: UnOp, width: u32, a: u128) -> Option<u128> {
    Some(match op {
        UnOp::CountOnes => u128::from(a.count_ones()),
        UnOp::CountLeadingZeros => u128::from(a.leading_zeros() - (128 - width)),
        UnOp::CountTrailingZeros => u128::from(a.trailing_zeros().min(width)),
        UnOp::SwapBytes if width.is_multiple_of(8) => a.swap_bytes() >> (128 - width),
        UnOp::SwapBytes => return None,
        UnOp::ReverseBits => a.reverse_bits() >> (128 - width),
    })
    .map(|value| truncate(width, value))
}

fn convert(cast: Cast, from: u32, to: u32, bits: u128) -> Option<u128> {
    match cast {
        Cast::ZeroExtend | Cast::Truncate | Cast::PtrToInt | Cast::Reinterpret => Some(truncate(to, bits)),
        Cast::SignExtend => Some(truncate(to, signed(from, bits) as u128)),
        Cast::IntToPtr => (bits == 0).then_some(0),
        _ => None,
    }
}
