//! Operations on constants, by the host. Binary32 is computed in binary64 and rounded once more,
//! which is exact for +, -, *, / and the square root (Figueroa, "When is double rounding innocuous?",
//! SIGNUM 1995), and trivially so for the rest.

use super::{Binary, Format, Unary};

pub(super) fn binary(op: Binary, format: Format, a: u128, b: u128) -> u128 {
    let (a, b) = (wide(format, a), wide(format, b));
    let value = match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
        Binary::Rem => a % b,
        Binary::Min => a.min(b),
        Binary::Max => a.max(b),
        Binary::CopySign => a.copysign(b),
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
