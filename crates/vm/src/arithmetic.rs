//! The meaning of operations on values: integers of any width up to 128 bits, and floats.

use selvedge_program::integers::{signed, truncate};
use selvedge_program::{BinOp, Cast, FloatBinOp, FloatCmpOp, FloatUnOp, Ty, UnOp};

/// Sign-extends a value of at most 64 bits.
#[inline]
pub fn sign_extend(value: u64, bits: u8) -> i64 {
    let unused = 64 - u32::from(bits);
    ((value << unused) as i64) >> unused
}

/// The result with wrap-around. Divisors must not be zero, and shifts must be in range.
pub(crate) fn binary(op: BinOp, a: u128, b: u128, bits: u32) -> u128 {
    let (sa, sb) = (signed(bits, a), signed(bits, b));
    let value = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a / b,
        BinOp::SDiv => sa.wrapping_div(sb) as u128,
        BinOp::URem => a % b,
        BinOp::SRem => sa.wrapping_rem(sb) as u128,
        BinOp::Shl => a << b,
        BinOp::LShr => a >> b,
        BinOp::AShr => (sa >> b) as u128,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
    };
    truncate(bits, value)
}

/// The wrapped result, and whether it differs from the true one. Defined for add, sub and mul only.
pub(crate) fn overflowing(op: BinOp, is_signed: bool, a: u128, b: u128, bits: u32) -> (u128, bool) {
    let value = binary(op, a, b, bits);
    let wrapped = if is_signed {
        let (a, b) = (signed(bits, a), signed(bits, b));
        let exact = match op {
            BinOp::Add => a.checked_add(b),
            BinOp::Sub => a.checked_sub(b),
            _ => a.checked_mul(b),
        };
        exact != Some(signed(bits, value))
    } else {
        let exact = match op {
            BinOp::Add => a.checked_add(b),
            BinOp::Sub => a.checked_sub(b),
            _ => a.checked_mul(b),
        };
        exact != Some(value)
    };
    (value, wrapped)
}

pub(crate) fn unary(op: UnOp, a: u128, bits: u32) -> u128 {
    match op {
        UnOp::CountOnes => u128::from(a.count_ones()),
        UnOp::CountLeadingZeros => u128::from(a.leading_zeros() - (128 - bits)),
        UnOp::CountTrailingZeros => u128::from(a.trailing_zeros().min(bits)),
        UnOp::SwapBytes => a.swap_bytes() >> (128 - bits),
        UnOp::ReverseBits => a.reverse_bits() >> (128 - bits),
    }
}

pub(crate) fn as_f64(ty: Ty, bits: u128) -> f64 {
    match ty {
        Ty::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits as u64),
    }
}

fn from_f64(ty: Ty, value: f64) -> u128 {
    match ty {
        Ty::F32 => u128::from((value as f32).to_bits()),
        _ => u128::from(value.to_bits()),
    }
}

/// Computing in double and rounding once is exact for float's +, -, *, / and sqrt (Figueroa, 1995).
pub(crate) fn float_binary(op: FloatBinOp, ty: Ty, a: u128, b: u128) -> u128 {
    let (a, b) = (as_f64(ty, a), as_f64(ty, b));
    let value = match op {
        FloatBinOp::Add => a + b,
        FloatBinOp::Sub => a - b,
        FloatBinOp::Mul => a * b,
        FloatBinOp::Div => a / b,
        FloatBinOp::Rem => a % b,
        FloatBinOp::Min => a.min(b),
        FloatBinOp::Max => a.max(b),
        FloatBinOp::CopySign => a.copysign(b),
    };
    from_f64(ty, value)
}

pub(crate) fn float_unary(op: FloatUnOp, ty: Ty, a: u128) -> u128 {
    let a = as_f64(ty, a);
    let value = match op {
        FloatUnOp::Neg => -a,
        FloatUnOp::Abs => a.abs(),
        FloatUnOp::Sqrt => a.sqrt(),
        FloatUnOp::Floor => a.floor(),
        FloatUnOp::Ceil => a.ceil(),
        FloatUnOp::Trunc => a.trunc(),
        FloatUnOp::Round => a.round(),
        FloatUnOp::RoundEven => a.round_ties_even(),
    };
    from_f64(ty, value)
}

pub(crate) fn float_compare(op: FloatCmpOp, a: f64, b: f64) -> bool {
    let unordered = a.is_nan() || b.is_nan();
    match op {
        FloatCmpOp::False => false,
        FloatCmpOp::Oeq => a == b,
        FloatCmpOp::Ogt => a > b,
        FloatCmpOp::Oge => a >= b,
        FloatCmpOp::Olt => a < b,
        FloatCmpOp::Ole => a <= b,
        FloatCmpOp::One => !unordered && a != b,
        FloatCmpOp::Ord => !unordered,
        FloatCmpOp::Ueq => unordered || a == b,
        FloatCmpOp::Ugt => unordered || a > b,
        FloatCmpOp::Uge => unordered || a >= b,
        FloatCmpOp::Ult => unordered || a < b,
        FloatCmpOp::Ule => unordered || a <= b,
        FloatCmpOp::Une => unordered || a != b,
        FloatCmpOp::Uno => unordered,
        FloatCmpOp::True => true,
    }
}

pub(crate) fn convert(cast: Cast, value: u128, from: Ty, to: Ty, to_bits: u32, from_bits: u32) -> u128 {
    let converted = match cast {
        Cast::ZeroExtend | Cast::Truncate | Cast::Reinterpret | Cast::PtrToInt | Cast::IntToPtr => value,
        Cast::SignExtend => signed(from_bits, value) as u128,
        Cast::FloatToSigned => as_f64(from, value) as i128 as u128,
        Cast::FloatToUnsigned => as_f64(from, value) as u128,
        Cast::SignedToFloat => match to {
            Ty::F32 => u128::from((signed(from_bits, value) as f32).to_bits()),
            _ => from_f64(to, signed(from_bits, value) as f64),
        },
        Cast::UnsignedToFloat => match to {
            Ty::F32 => u128::from((value as f32).to_bits()),
            _ => from_f64(to, value as f64),
        },
        Cast::FloatToFloat => from_f64(to, as_f64(from, value)),
    };
    truncate(to_bits, converted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrap_around() {
        assert_eq!(binary(BinOp::Add, 0xff, 1, 8), 0);
        assert_eq!(binary(BinOp::SDiv, 0xf9, 2, 8), 0xfd, "-7 / 2 = -3");
        assert_eq!(binary(BinOp::AShr, 0x80, 3, 8), 0xf0);
        assert_eq!(overflowing(BinOp::Add, true, 0x7f, 1, 8), (0x80, true));
        assert_eq!(overflowing(BinOp::Sub, false, 0, 1, 8), (0xff, true));
        assert_eq!(overflowing(BinOp::Mul, false, 16, 15, 8), (240, false));
        assert_eq!(unary(UnOp::CountLeadingZeros, 1, 8), 7);
        assert_eq!(unary(UnOp::SwapBytes, 0x1234, 16), 0x3412);
    }

    #[test]
    fn floats() {
        let f = |x: f32| u128::from(x.to_bits());
        assert_eq!(float_binary(FloatBinOp::Add, Ty::F32, f(0.1), f(0.2)), f(0.1 + 0.2));
        assert!(float_compare(FloatCmpOp::Uno, f64::NAN, 0.0));
        assert!(!float_compare(FloatCmpOp::One, f64::NAN, 0.0));
        assert_eq!(convert(Cast::FloatToSigned, f(-1.5), Ty::F32, Ty::Int(32), 32, 32), 0xffff_ffff);
    }
}
