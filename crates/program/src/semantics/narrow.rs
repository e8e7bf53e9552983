//! Integers of at most 64 bits as machine words: what [`super::integers`] says, for the interpreter's loop.

use crate::ir::CmpOp;

/// The low `width` bits.
#[inline]
pub fn truncate(width: u8, bits: u64) -> u64 {
    if width >= 64 { bits } else { bits & ((1 << width) - 1) }
}

/// The bits read as two's complement.
#[inline]
pub fn signed(width: u8, bits: u64) -> i64 {
    let unused = 64 - u32::from(width);
    ((bits << unused) as i64) >> unused
}

#[inline]
pub fn add(width: u8, a: u64, b: u64) -> u64 {
    truncate(width, a.wrapping_add(b))
}

#[inline]
pub fn sub(width: u8, a: u64, b: u64) -> u64 {
    truncate(width, a.wrapping_sub(b))
}

#[inline]
pub fn mul(width: u8, a: u64, b: u64) -> u64 {
    truncate(width, a.wrapping_mul(b))
}

#[inline]
pub fn sign_extend(from: u8, to: u8, bits: u64) -> u64 {
    truncate(to, signed(from, bits) as u64)
}

#[inline]
pub fn compare(op: CmpOp, width: u8, a: u64, b: u64) -> bool {
    let (sa, sb) = (|| signed(width, a), || signed(width, b));
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Ult => a < b,
        CmpOp::Ule => a <= b,
        CmpOp::Ugt => a > b,
        CmpOp::Uge => a >= b,
        CmpOp::Slt => sa() < sb(),
        CmpOp::Sle => sa() <= sb(),
        CmpOp::Sgt => sa() > sb(),
        CmpOp::Sge => sa() >= sb(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{BinOp, Cast};
    use crate::semantics::{casts, integers};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_mean_the_same(width in 1u8..=64, to in 1u8..=64, a: u64, b: u64) {
            let bits = u32::from(width);
            let (a, b) = (truncate(width, a), truncate(width, b));
            let (wide_a, wide_b) = (u128::from(a), u128::from(b));
            prop_assert_eq!(i128::from(signed(width, a)), integers::signed(bits, wide_a));
            for (op, narrow) in [(BinOp::Add, add(width, a, b)), (BinOp::Sub, sub(width, a, b)), (BinOp::Mul, mul(width, a, b))] {
                prop_assert_eq!(Some(u128::from(narrow)), integers::binary(op, bits, wide_a, wide_b));
            }
            for op in CmpOp::ALL {
                prop_assert_eq!(compare(op, width, a, b), integers::compare(op, bits, wide_a, wide_b));
            }
            let extended = casts::integer(Cast::SignExtend, bits, u32::from(to), wide_a);
            prop_assert_eq!(Some(u128::from(sign_extend(width, to, a))), extended);
        }
    }
}
