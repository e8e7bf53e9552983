//! Floats: IEEE 754, rounding to the nearest.

use crate::ir::{FloatBinOp, FloatCmpOp, FloatUnOp, Ty};

pub(super) fn read(ty: Ty, bits: u128) -> f64 {
    match ty {
        Ty::F32 => f64::from(f32::from_bits(bits as u32)),
        Ty::F64 | Ty::Int(_) | Ty::Ptr => f64::from_bits(bits as u64),
    }
}

pub(super) fn write(ty: Ty, value: f64) -> u128 {
    match ty {
        Ty::F32 => u128::from((value as f32).to_bits()),
        Ty::F64 | Ty::Int(_) | Ty::Ptr => u128::from(value.to_bits()),
    }
}

/// The NaN that arithmetic passes on: the first operand that is one, made quiet. Which one the host takes depends on
/// its compiler.
fn passed_on(a: f64, b: f64) -> Option<f64> {
    [a, b].into_iter().find(|value| value.is_nan()).map(|nan| f64::from_bits(nan.to_bits() | 1 << 51))
}

/// Computing in double and rounding once is exact for float's +, -, *, / and sqrt (Figueroa, 1995).
pub fn binary(op: FloatBinOp, ty: Ty, a: u128, b: u128) -> u128 {
    let (a, b) = (read(ty, a), read(ty, b));
    let value = match (op, passed_on(a, b)) {
        (FloatBinOp::Add | FloatBinOp::Sub | FloatBinOp::Mul | FloatBinOp::Div | FloatBinOp::Rem, Some(nan)) => nan,
        (FloatBinOp::Add, None) => a + b,
        (FloatBinOp::Sub, None) => a - b,
        (FloatBinOp::Mul, None) => a * b,
        (FloatBinOp::Div, None) => a / b,
        (FloatBinOp::Rem, None) => a % b,
        // Spelled out: which of two zeros the host's functions return depends on its compiler, too.
        (FloatBinOp::Min, _) if a.is_nan() || b < a => b,
        (FloatBinOp::Max, _) if a.is_nan() || b > a => b,
        (FloatBinOp::Min | FloatBinOp::Max, _) => a,
        (FloatBinOp::CopySign, _) => a.copysign(b),
    };
    write(ty, value)
}

pub fn unary(op: FloatUnOp, ty: Ty, a: u128) -> u128 {
    let a = read(ty, a);
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
    write(ty, value)
}

pub fn compare(op: FloatCmpOp, ty: Ty, a: u128, b: u128) -> bool {
    let (a, b) = (read(ty, a), read(ty, b));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats() {
        let f = |x: f32| u128::from(x.to_bits());
        assert_eq!(binary(FloatBinOp::Add, Ty::F32, f(0.1), f(0.2)), f(0.1 + 0.2));
        assert!(compare(FloatCmpOp::Uno, Ty::F32, f(f32::NAN), f(0.0)));
        assert!(!compare(FloatCmpOp::One, Ty::F32, f(f32::NAN), f(0.0)));
    }
}
