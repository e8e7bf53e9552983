//! Operations on constants, by the host. Binary32 is computed in binary64 and rounded once more,
//! which is exact for +, -, *, / and the square root (Figueroa, "When is double rounding innocuous?",
//! SIGNUM 1995), and trivially so for the rest.

use super::{Binary, Format, Unary};

/// The NaN that arithmetic passes on: the first operand that is one, made quiet. Which one the host takes depends on
/// its compiler.
fn passed_on(a: f64, b: f64) -> Option<f64> {
    [a, b].into_iter().find(|value| value.is_nan()).map(|nan| f64::from_bits(nan.to_bits() | 1 << 51))
}

pub(super) fn binary(op: Binary, format: Format, a: u128, b: u128) -> u128 {
    let (a, b) = (wide(format, a), wide(format, b));
    let value = match (op, passed_on(a, b)) {
        (Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Rem, Some(nan)) => nan,
        (Binary::Add, None) => a + b,
        (Binary::Sub, None) => a - b,
        (Binary::Mul, None) => a * b,
        (Binary::Div, None) => a / b,
        (Binary::Rem, None) => a % b,
        // Spelled out: which of two zeros the host's functions return depends on its compiler, too.
        (Binary::Min, _) if a.is_nan() || b < a => b,
        (Binary::Max, _) if a.is_nan() || b > a => b,
        (Binary::Min | Binary::Max, _) => a,
        (Binary::CopySign, _) => a.copysign(b),
    };
    narrow(format, value)
}

pub(super) fn unary(op: Unary, format: Format, a: u128) -> u128 {
    let a = wide(format, a);
    let value = match op {
        Unary::Neg => -a,
        Unary::Abs => a.abs(),
        Unary::Sqrt => a.sqrt(),
        Unary::Floor => a.floor(),
        Unary::Ceil => a.ceil(),
        Unary::Trunc => a.trunc(),
        Unary::Round => a.round(),
        Unary::RoundEven => a.round_ties_even(),
    };
    narrow(format, value)
}

fn wide(format: Format, bits: u128) -> f64 {
    match format {
        Format::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits as u64),
    }
}

fn narrow(format: Format, value: f64) -> u128 {
    match format {
        Format::F32 => u128::from((value as f32).to_bits()),
        _ => u128::from(value.to_bits()),
    }
}
