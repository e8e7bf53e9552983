//! Floats on terms are the floats of this machine, bit for bit, those that are not numbers included.

mod host;
mod samples;
mod solving;

use host::*;
use samples::*;
use selvedge_formula::floats::{self, Binary, Format};
use selvedge_formula::{Evaluator, Term, Terms};

const WIDTHS: [u32; 12] = [1, 2, 7, 8, 16, 24, 31, 32, 53, 64, 127, 128];

fn value(terms: &Terms, t: Term, variables: &[(Term, u128)]) -> u128 {
    let mut known = |t| variables.iter().find(|(variable, _)| *variable == t).map(|(_, value)| *value);
    Evaluator::new().value(terms, t, &mut known)
}

/// On every so many of the samples.
fn check_binary(op: Binary, format: Format, samples: usize, every: usize) {
    let mut terms = Terms::new();
    let (a, b) = (terms.variable(format.bits(), "a"), terms.variable(format.bits(), "b"));
    let result = floats::binary(&mut terms, op, format, a, b).expect("a supported operation");
    let mut constants = Terms::new();
    for (x, y) in pairs(format, 1, samples).into_iter().step_by(every) {
        let expected = host_binary(op, format, x, y);
        let found = value(&terms, result, &[(a, x), (b, y)]);
        assert_eq!(found, expected, "{op:?} {format:?} of {x:#x} and {y:#x}: {found:#x}, not {expected:#x}");
        let (x, y) = (constants.constant(format.bits(), x), constants.constant(format.bits(), y));
        let folded = floats::binary(&mut constants, op, format, x, y).expect("of constants, always");
        assert_eq!(constants.as_constant(folded), Some(expected));
    }
    // The pairs' 2 operands and 1 result, as only the host computes with constants.
    assert!(constants.count() <= 3 * (special(format).len().pow(2) + samples));
}

macro_rules! binary_tests {
    ($($name:ident: $op:ident, $format:ident, $samples:literal, $every:literal;)*) => {
        $(#[test]
        fn $name() {
            check_binary(Binary::$op, Format::$format, $samples, $every);
        })*
    };
}

binary_tests! {
    add_32: Add, F32, 20_000, 1;
    add_64: Add, F64, 20_000, 1;
    sub_32: Sub, F32, 10_000, 1;
    sub_64: Sub, F64, 10_000, 1;
    mul_32: Mul, F32, 20_000, 1;
    mul_64: Mul, F64, 20_000, 1;
    div_32: Div, F32, 10_000, 1;
    div_64: Div, F64, 10_000, 1;
    min_32: Min, F32, 2_000, 1;
    min_64: Min, F64, 2_000, 1;
    max_32: Max, F32, 2_000, 1;
    max_64: Max, F64, 2_000, 1;
    copy_sign_32: CopySign, F32, 500, 1;
    copy_sign_64: CopySign, F64, 500, 1;
    rem_32: Rem, F32, 2_000, 7;
}

#[test]
fn rem_64_is_refused_unless_of_constants() {
    let mut terms = Terms::new();
    let a = terms.variable(64, "a");
    let b = terms.constant(64, bits64(3.0));
    assert_eq!(floats::binary(&mut terms, Binary::Rem, Format::F64, a, b), None);
    let a = terms.constant(64, bits64(-7.5));
    let result = floats::binary(&mut terms, Binary::Rem, Format::F64, a, b).expect("of constants");
    assert_eq!(terms.as_constant(result), Some(bits64(-1.5)));
}

#[test]
fn unary_operations() {
    for format in [Format::F32, Format::F64] {
        for op in UNARY {
            let mut terms = Terms::new();
            let a = terms.variable(format.bits(), "a");
            let result = floats::unary(&mut terms, op, format, a);
            for x in floats_of(format, 2, 10_000) {
                let expected = host_unary(op, format, x);
                let found = value(&terms, result, &[(a, x)]);
                assert_eq!(found, expected, "{op:?} {format:?} of {x:#x}: {found:#x}, not {expected:#x}");
                let x = terms.constant(format.bits(), x);
                let folded = floats::unary(&mut terms, op, format, x);
                assert_eq!(terms.as_constant(folded), Some(expected));
            }
        }
    }
}

#[test]
fn comparisons() {
    for format in [Format::F32, Format::F64] {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable(format.bits(), "a"), terms.variable(format.bits(), "b"));
        let results = COMPARE.map(|op| (op, floats::compare(&mut terms, op, format, a, b)));
        for (x, y) in pairs(format, 3, 2_000) {
            for (op, result) in results {
                let expected = host_compare(op, format, x, y);
                let found = value(&terms, result, &[(a, x), (b, y)]);
                assert_eq!(found, u128::from(expected), "{op:?} {format:?} of {x:#x} and {y:#x}");
            }
        }
    }
}

#[test]
fn comparisons_of_constants_fold() {
    let mut terms = Terms::new();
    for (x, y) in pairs(Format::F32, 4, 500) {
        let (a, b) = (terms.constant(32, x), terms.constant(32, y));
        for op in COMPARE {
            let result = floats::compare(&mut terms, op, Format::F32, a, b);
            assert_eq!(terms.as_constant(result), Some(u128::from(host_compare(op, Format::F32, x, y))));
        }
    }
}

/// The integer of 128 bits, saturated, then the lowest bits of it.
#[test]
fn floats_to_integers() {
    for format in [Format::F32, Format::F64] {
        for bits in WIDTHS {
            let mut terms = Terms::new();
            let a = terms.variable(format.bits(), "a");
            let signed = floats::to_signed(&mut terms, format, a, bits);
            let unsigned = floats::to_unsigned(&mut terms, format, a, bits);
            for x in floats_of(format, 5, 2_000) {
                let host = wide(format, x);
                let constant = terms.constant(format.bits(), x);
                let expected = (host as i128).cast_unsigned() & ones(bits);
                assert_eq!(value(&terms, signed, &[(a, x)]), expected, "{format:?} {x:#x} to i{bits}");
                let folded = floats::to_signed(&mut terms, format, constant, bits);
                assert_eq!(terms.as_constant(folded), Some(expected));
                let expected = host as u128 & ones(bits);
                assert_eq!(value(&terms, unsigned, &[(a, x)]), expected, "{format:?} {x:#x} to u{bits}");
                let folded = floats::to_unsigned(&mut terms, format, constant, bits);
                assert_eq!(terms.as_constant(folded), Some(expected));
            }
        }
    }
}

#[test]
fn integers_to_floats() {
    for bits in WIDTHS {
        let mut terms = Terms::new();
        let i = terms.variable(bits, "i");
        let results = [Format::F32, Format::F64]
            .map(|format| (floats::from_signed(&mut terms, format, i), floats::from_unsigned(&mut terms, format, i)));
        for x in integers(bits, 4_000) {
            let signed = (x << (128 - bits)).cast_signed() >> (128 - bits);
            let [(s32, u32), (s64, u64)] = results;
            assert_eq!(value(&terms, s32, &[(i, x)]), bits32(signed as f32), "i{bits} {x:#x}");
            assert_eq!(value(&terms, u32, &[(i, x)]), bits32(x as f32), "u{bits} {x:#x}");
            assert_eq!(value(&terms, s64, &[(i, x)]), bits64(signed as f64), "i{bits} {x:#x}");
            assert_eq!(value(&terms, u64, &[(i, x)]), bits64(x as f64), "u{bits} {x:#x}");
            let constant = terms.constant(bits, x);
            let folded = floats::from_signed(&mut terms, Format::F64, constant);
            assert_eq!(terms.as_constant(folded), Some(bits64(signed as f64)));
        }
    }
}

#[test]
fn between_formats() {
    let mut terms = Terms::new();
    let (single, double) = (terms.variable(32, "single"), terms.variable(64, "double"));
    let widened = floats::convert(&mut terms, Format::F32, Format::F64, single);
    let narrowed = floats::convert(&mut terms, Format::F64, Format::F32, double);
    assert_eq!(floats::convert(&mut terms, Format::F64, Format::F64, double), double);
    for x in floats_of(Format::F32, 7, 20_000) {
        assert_eq!(value(&terms, widened, &[(single, x)]), bits64(f64::from(f32_of(x))), "{x:#x}");
    }
    let random = &mut fastrand::Rng::with_seed(8);
    let mut doubles = floats_of(Format::F64, 9, 20_000);
    for x in floats_of(Format::F32, 10, 20_000) {
        // A binary32, or the middle between two of them; a neighbour of that; and something further away.
        let middle = bits64(f64::from(f32_of(x))) ^ (u128::from(random.bool()) << 28);
        doubles.extend([middle, middle ^ 1, middle ^ (random.u128(..) & ones(random.u32(1..=29)))]);
    }
    for x in doubles {
        assert_eq!(value(&terms, narrowed, &[(double, x)]), bits32(f64_of(x) as f32), "{x:#x}");
    }
}
