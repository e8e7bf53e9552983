//! Integers of up to 128 bits, in two's complement.

use crate::ir::{BinOp, CmpOp, UnOp};

/// The low `width` bits.
#[inline]
pub fn truncate(width: u32, bits: u128) -> u128 {
    let unused = 128 - width.clamp(1, 128);
    bits << unused >> unused
}

/// The bits read as two's complement.
#[inline]
pub fn signed(width: u32, bits: u128) -> i128 {
    let unused = 128 - width.clamp(1, 128);
    (bits << unused) as i128 >> unused
}

/// With wrap-around. None where it has no result: a division by zero, or of the smallest integer by -1; a shift by the
/// width or more.
pub fn binary(op: BinOp, width: u32, a: u128, b: u128) -> Option<u128> {
    let (sa, sb) = (signed(width, a), signed(width, b));
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

/// The amount of a shift that goes on although it is too large: modulo the width, as processors do for theirs.
pub fn shift_amount(width: u32, amount: u128) -> u128 {
    amount % u128::from(width)
}

/// An operation whose true result may need more bits than its operands. All others always fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MayOverflow {
    Add,
    Sub,
    Mul,
    Shl,
}

impl MayOverflow {
    pub fn of(op: BinOp) -> Option<MayOverflow> {
        match op {
            BinOp::Add => Some(MayOverflow::Add),
            BinOp::Sub => Some(MayOverflow::Sub),
            BinOp::Mul => Some(MayOverflow::Mul),
            BinOp::Shl => Some(MayOverflow::Shl),
            BinOp::UDiv
            | BinOp::SDiv
            | BinOp::URem
            | BinOp::SRem
            | BinOp::LShr
            | BinOp::AShr
            | BinOp::And
            | BinOp::Or
            | BinOp::Xor => None,
        }
    }
}

/// Does the true result differ from the wrapped one? A shift to the left is a multiplication by a power of two;
/// operations without a true result, or for which it always fits, do not overflow.
pub fn overflows(op: BinOp, is_signed: bool, width: u32, a: u128, b: u128) -> bool {
    let (Some(kind), Some(value)) = (MayOverflow::of(op), binary(op, width, a, b)) else { return false };
    let (sa, sb) = (signed(width, a), signed(width, b));
    match (kind, is_signed) {
        (MayOverflow::Add, true) => sa.checked_add(sb) != Some(signed(width, value)),
        (MayOverflow::Sub, true) => sa.checked_sub(sb) != Some(signed(width, value)),
        (MayOverflow::Mul, true) => sa.checked_mul(sb) != Some(signed(width, value)),
        (MayOverflow::Shl, true) => signed(width, value) >> b != sa,
        (MayOverflow::Add, false) => a.checked_add(b) != Some(value),
        (MayOverflow::Sub, false) => a.checked_sub(b) != Some(value),
        (MayOverflow::Mul, false) => a.checked_mul(b) != Some(value),
        (MayOverflow::Shl, false) => value >> b != a,
    }
}

/// The result, where C defines one: a `checked` operation must not overflow.
pub fn defined_binary(op: BinOp, width: u32, a: u128, b: u128, checked: bool) -> Option<u128> {
    binary(op, width, a, b).filter(|_| !checked || !overflows(op, true, width, a, b))
}

/// To swap bytes takes a whole number of them.
pub fn unary(op: UnOp, width: u32, a: u128) -> u128 {
    let value = match op {
        UnOp::CountOnes => u128::from(a.count_ones()),
        UnOp::CountLeadingZeros => u128::from(a.leading_zeros() - (128 - width)),
        UnOp::CountTrailingZeros => u128::from(a.trailing_zeros().min(width)),
        UnOp::SwapBytes => a.swap_bytes() >> (128 - width),
        UnOp::ReverseBits => a.reverse_bits() >> (128 - width),
    };
    truncate(width, value)
}

pub fn compare(op: CmpOp, width: u32, a: u128, b: u128) -> bool {
    let (sa, sb) = (signed(width, a), signed(width, b));
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Ult => a < b,
        CmpOp::Ule => a <= b,
        CmpOp::Ugt => a > b,
        CmpOp::Uge => a >= b,
        CmpOp::Slt => sa < sb,
        CmpOp::Sle => sa <= sb,
        CmpOp::Sgt => sa > sb,
        CmpOp::Sge => sa >= sb,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_is_the_top_bit_of_the_width() {
        assert_eq!((signed(8, 0xff), signed(8, 0x7f), signed(128, u128::MAX)), (-1, 127, -1));
        assert_eq!(truncate(4, 0x1f), 0xf);
        assert!(compare(CmpOp::Slt, 8, 0x80, 0) && !compare(CmpOp::Ult, 8, 0x80, 0));
    }

    #[test]
    fn arithmetic_wraps_around() {
        assert_eq!(binary(BinOp::Add, 8, 0xff, 1), Some(0));
        assert_eq!(binary(BinOp::SDiv, 8, 0xf9, 2), Some(0xfd), "-7 / 2 = -3");
        assert_eq!(binary(BinOp::AShr, 8, 0x80, 3), Some(0xf0));
        assert_eq!(unary(UnOp::CountLeadingZeros, 8, 1), 7);
        assert_eq!(unary(UnOp::SwapBytes, 16, 0x1234), 0x3412);
    }

    #[test]
    fn some_operations_have_no_result() {
        assert_eq!(binary(BinOp::URem, 8, 1, 0), None);
        assert_eq!(binary(BinOp::SDiv, 8, 0x80, 0xff), None);
        assert_eq!(binary(BinOp::Shl, 8, 1, 8), None);
    }

    #[test]
    fn what_does_not_fit_overflows() {
        assert!(overflows(BinOp::Add, true, 8, 0x7f, 1) && !overflows(BinOp::Add, false, 8, 0x7f, 1));
        assert!(overflows(BinOp::Sub, false, 8, 0, 1) && !overflows(BinOp::Sub, true, 8, 0, 1));
        assert!(!overflows(BinOp::Mul, false, 8, 16, 15) && overflows(BinOp::Mul, false, 8, 16, 16));
        assert!(overflows(BinOp::Shl, true, 8, 1, 7) && !overflows(BinOp::Shl, true, 8, 0xff, 7));
        assert!(overflows(BinOp::Mul, true, 128, 1 << 127, u128::MAX));
    }
}
