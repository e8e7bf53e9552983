//! What C's integers mean at a given width: the one place that says it, for passes, bounding and the VM.

use crate::ir::CmpOp;

/// The low `width` bits.
pub fn truncate(width: u32, bits: u128) -> u128 {
    let unused = 128 - width.clamp(1, 128);
    bits << unused >> unused
}

/// The bits read as two's complement.
pub fn signed(width: u32, bits: u128) -> i128 {
    let unused = 128 - width.clamp(1, 128);
    (bits << unused) as i128 >> unused
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
}
