//! The operations as this machine has them.

use selvedge_formula::floats::{Binary, Compare, Format, Unary};

pub const BINARY: [Binary; 8] =
    [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div, Binary::Rem, Binary::Min, Binary::Max, Binary::CopySign];
pub const UNARY: [Unary; 8] =
    [Unary::Neg, Unary::Abs, Unary::Sqrt, Unary::Floor, Unary::Ceil, Unary::Trunc, Unary::Round, Unary::RoundEven];
pub const COMPARE: [Compare; 16] = [
    Compare::False,
    Compare::Oeq,
    Compare::Ogt,
    Compare::Oge,
    Compare::Olt,
    Compare::Ole,
    Compare::One,
    Compare::Ord,
    Compare::Ueq,
    Compare::Ugt,
    Compare::Uge,
    Compare::Ult,
    Compare::Ule,
    Compare::Une,
    Compare::Uno,
    Compare::True,
];
pub fn f32_of(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

pub fn f64_of(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

pub fn bits32(value: f32) -> u128 {
    u128::from(value.to_bits())
}

pub fn bits64(value: f64) -> u128 {
    u128::from(value.to_bits())
}

pub fn wide(format: Format, a: u128) -> f64 {
    if format == Format::F32 { f64::from(f32_of(a)) } else { f64_of(a) }
}

/// Binary32 is narrowed from binary64 for what copies bits, and computed natively otherwise.
pub fn host_binary(op: Binary, format: Format, a: u128, b: u128) -> u128 {
    let (x, y) = (f32_of(a), f32_of(b));
    let (v, w) = (wide(format, a), wide(format, b));
    let is_arithmetic = matches!(op, Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Rem);
    let nan = [v, w].into_iter().find(|value| is_arithmetic && value.is_nan());
    // The first operand that is a NaN, made quiet.
    let quiet = nan.map(|nan| f64_of(bits64(nan) | 1 << 51));
    let copied = match (op, format) {
        _ if quiet.is_some() => quiet.unwrap_or_default(),
        (Binary::Add, Format::F32) => return bits32(x + y),
        (Binary::Sub, Format::F32) => return bits32(x - y),
        (Binary::Mul, Format::F32) => return bits32(x * y),
        (Binary::Div, Format::F32) => return bits32(x / y),
        (Binary::Rem, Format::F32) => return bits32(x % y),
        (Binary::Add, _) => v + w,
        (Binary::Sub, _) => v - w,
        (Binary::Mul, _) => v * w,
        (Binary::Div, _) => v / w,
        (Binary::Rem, _) => v % w,
        (Binary::Min, _) if v.is_nan() || w < v => w,
        (Binary::Max, _) if v.is_nan() || w > v => w,
        (Binary::Min | Binary::Max, _) => v,
        (Binary::CopySign, _) => v.copysign(w),
    };
    if format == Format::F32 { bits32(copied as f32) } else { bits64(copied) }
}

pub fn host_unary(op: Unary, format: Format, a: u128) -> u128 {
    let v = wide(format, a);
    let result = match op {
        Unary::Neg => -v,
        Unary::Abs => v.abs(),
        Unary::Sqrt if format == Format::F32 => return bits32(f32_of(a).sqrt()),
        Unary::Sqrt => v.sqrt(),
        Unary::Floor => v.floor(),
        Unary::Ceil => v.ceil(),
        Unary::Trunc => v.trunc(),
        Unary::Round => v.round(),
        Unary::RoundEven => v.round_ties_even(),
    };
    if format == Format::F32 { bits32(result as f32) } else { bits64(result) }
}

pub fn host_compare(op: Compare, format: Format, a: u128, b: u128) -> bool {
    let order = wide(format, a).partial_cmp(&wide(format, b));
    let (less, equal, greater, unordered) = match op {
        Compare::False => (false, false, false, false),
        Compare::Oeq => (false, true, false, false),
        Compare::Ogt => (false, false, true, false),
        Compare::Oge => (false, true, true, false),
        Compare::Olt => (true, false, false, false),
        Compare::Ole => (true, true, false, false),
        Compare::One => (true, false, true, false),
        Compare::Ord => (true, true, true, false),
        Compare::Ueq => (false, true, false, true),
        Compare::Ugt => (false, false, true, true),
        Compare::Uge => (false, true, true, true),
        Compare::Ult => (true, false, false, true),
        Compare::Ule => (true, true, false, true),
        Compare::Une => (true, false, true, true),
        Compare::Uno => (false, false, false, true),
        Compare::True => (true, true, true, true),
    };
    match order {
        Some(std::cmp::Ordering::Less) => less,
        Some(std::cmp::Ordering::Equal) => equal,
        Some(std::cmp::Ordering::Greater) => greater,
        None => unordered,
    }
}
