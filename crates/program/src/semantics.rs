//! The meaning of operations on concrete values, defined here and nowhere else.
//!
//! A value is its bits, zero above its width. The VM computes with these functions, constant folding in the passes and
//! in bounding calls them, and what others say about values (ranges, terms of formulas) is tested against them.
//!
//! | module | what it holds |
//! |---|---|
//! | [`integers`] | arithmetic, comparisons, overflow, at a given width |
//! | [`narrow`] | the same on machine words, for the interpreter's loop |
//! | [`floats`] | IEEE 754 |
//! | [`casts`] | from one type to another |

pub mod casts;
pub mod floats;
pub mod integers;
pub mod narrow;

use crate::ir::{FloatBinOp, RmwOp, Ty};
use integers::{signed, truncate};

/// The value that an atomic operation leaves in memory.
pub fn modify(op: RmwOp, ty: Ty, width: u32, old: u128, value: u128) -> u128 {
    let pick = |is_old: bool| if is_old { old } else { value };
    let new = match op {
        RmwOp::Exchange => value,
        RmwOp::Add => old.wrapping_add(value),
        RmwOp::Sub => old.wrapping_sub(value),
        RmwOp::And => old & value,
        RmwOp::Nand => !(old & value),
        RmwOp::Or => old | value,
        RmwOp::Xor => old ^ value,
        RmwOp::Max => pick(signed(width, old) >= signed(width, value)),
        RmwOp::Min => pick(signed(width, old) <= signed(width, value)),
        RmwOp::UMax => pick(old >= value),
        RmwOp::UMin => pick(old <= value),
        RmwOp::FAdd => floats::binary(FloatBinOp::Add, ty, old, value),
        RmwOp::FSub => floats::binary(FloatBinOp::Sub, ty, old, value),
    };
    truncate(width, new)
}
