//! Circuits of floats: their values, what the solver finds and proves, and their sizes.

use crate::host::*;
use crate::samples::random_float;
use selvedge_formula::floats::{self, Binary, Compare, Format, Unary};
use selvedge_formula::{Blaster, Cadical, Lit, Solved, Term, Terms};

/// Assumptions that give a term a value.
fn fix(blaster: &mut Blaster<Cadical>, terms: &Terms, t: Term, value: u128) -> Vec<Lit> {
    let bits = blaster.bits(terms, t).iter();
    bits.enumerate().map(|(i, lit)| lit.negated_if(value >> i & 1 == 0)).collect()
}

#[test]
fn circuits_compute_what_the_host_does() {
    for format in [Format::F32, Format::F64] {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable(format.bits(), "a"), terms.variable(format.bits(), "b"));
        let binaries: Vec<(Binary, Term)> =
            BINARY.into_iter().filter_map(|op| Some((op, floats::binary(&mut terms, op, format, a, b)?))).collect();
        let unaries = UNARY.map(|op| (op, floats::unary(&mut terms, op, format, a)));
        let compares = COMPARE.map(|op| (op, floats::compare(&mut terms, op, format, a, b)));
        let mut blaster = Blaster::new(Cadical::new());
        let all = binaries.iter().map(|x| x.1).chain(unaries.iter().map(|x| x.1)).chain(compares.iter().map(|x| x.1));
        for t in all {
            blaster.bits(&terms, t);
        }
        let mut random = fastrand::Rng::with_seed(11);
        for _ in 0..40 {
            let (x, y) = (random_float(&mut random, format), random_float(&mut random, format));
            let mut inputs = fix(&mut blaster, &terms, a, x);
            inputs.extend(fix(&mut blaster, &terms, b, y));
            assert_eq!(blaster.solve(&inputs), Solved::Sat);
            for &(op, t) in &binaries {
                assert_eq!(blaster.value(&terms, t), host_binary(op, format, x, y), "{op:?} {x:#x} {y:#x}");
            }
            for (op, t) in unaries {
                assert_eq!(blaster.value(&terms, t), host_unary(op, format, x), "{op:?} {x:#x}");
            }
            for (op, t) in compares {
                assert_eq!(
                    blaster.value(&terms, t),
                    u128::from(host_compare(op, format, x, y)),
                    "{op:?} {x:#x} {y:#x}"
                );
            }
        }
    }
}

fn solve(terms: &Terms, all: &[Term]) -> Option<Blaster<Cadical>> {
    let mut blaster = Blaster::new(Cadical::new());
    for &t in all {
        blaster.assert(terms, t);
    }
    (blaster.solve(&[]) == Solved::Sat).then_some(blaster)
}

#[test]
fn finds_a_square_root() {
    let mut terms = Terms::new();
    let x = terms.variable(32, "x");
    let square = floats::binary(&mut terms, Binary::Mul, Format::F32, x, x).expect("a product");
    let wanted = terms.constant(32, bits32(2.25));
    let equal = floats::compare(&mut terms, Compare::Oeq, Format::F32, square, wanted);
    let model = solve(&terms, &[equal]).expect("a root");
    let root = f32_of(model.value(&terms, x));
    assert_eq!(root * root, 2.25);
}

#[test]
fn finds_a_rounding_error() {
    let mut terms = Terms::new();
    let x = terms.variable(64, "x");
    let [tenth, zero] = [0.1, 0.0].map(|v| terms.constant(64, bits64(v)));
    let sum = floats::binary(&mut terms, Binary::Add, Format::F64, x, tenth).expect("a sum");
    let back = floats::binary(&mut terms, Binary::Sub, Format::F64, sum, tenth).expect("a difference");
    let positive = floats::compare(&mut terms, Compare::Ogt, Format::F64, x, zero);
    let lost = floats::compare(&mut terms, Compare::One, Format::F64, back, x);
    let model = solve(&terms, &[positive, lost]).expect("an inexact sum");
    let found = f64_of(model.value(&terms, x));
    assert!(found > 0.0 && found + 0.1 - 0.1 != found);
}

#[test]
fn proves_that_addition_commutes() {
    let mut terms = Terms::new();
    let (x, y) = (terms.variable(32, "x"), terms.variable(32, "y"));
    let one_way = floats::binary(&mut terms, Binary::Add, Format::F32, x, y).expect("a sum");
    let other_way = floats::binary(&mut terms, Binary::Add, Format::F32, y, x).expect("a sum");
    let ordered = floats::compare(&mut terms, Compare::Ord, Format::F32, x, y);
    let differ = terms.ne(one_way, other_way);
    assert!(solve(&terms, &[differ]).is_some(), "not of two not-a-numbers");
    assert!(solve(&terms, &[ordered, differ]).is_none());
}

#[test]
fn proves_that_widening_loses_nothing() {
    let mut terms = Terms::new();
    let x = terms.variable(32, "x");
    let widened = floats::convert(&mut terms, Format::F32, Format::F64, x);
    let back = floats::convert(&mut terms, Format::F64, Format::F32, widened);
    let number = floats::compare(&mut terms, Compare::Ord, Format::F32, x, x);
    let differ = terms.ne(x, back);
    assert!(solve(&terms, &[number, differ]).is_none());
}

#[test]
fn proves_that_integers_of_24_bits_are_exact() {
    let mut terms = Terms::new();
    for (bits, exact) in [(25, true), (26, false)] {
        let i = terms.variable(bits, "i");
        let float = floats::from_signed(&mut terms, Format::F32, i);
        let back = floats::to_signed(&mut terms, Format::F32, float, bits);
        let differ = terms.ne(i, back);
        assert_eq!(solve(&terms, &[differ]).is_none(), exact, "{bits} bits");
    }
}

#[test]
fn proves_that_floor_is_the_nearest_integer_below() {
    let mut terms = Terms::new();
    let x = terms.variable(64, "x");
    let floor = floats::unary(&mut terms, Unary::Floor, Format::F64, x);
    let truncated = floats::unary(&mut terms, Unary::Trunc, Format::F64, floor);
    let above = floats::compare(&mut terms, Compare::Ogt, Format::F64, floor, x);
    let broken = floats::compare(&mut terms, Compare::One, Format::F64, floor, truncated);
    assert!(solve(&terms, &[above]).is_none());
    assert!(solve(&terms, &[broken]).is_none());
}

/// Clauses of an operation on two variables.
fn clauses(format: Format, build: impl Fn(&mut Terms, Term, Term) -> Term) -> usize {
    let mut terms = Terms::new();
    let (a, b) = (terms.variable(format.bits(), "a"), terms.variable(format.bits(), "b"));
    let result = build(&mut terms, a, b);
    let mut blaster = Blaster::new(Cadical::new());
    blaster.bits(&terms, result);
    blaster.statistics().clauses
}

#[test]
fn sizes() {
    let sizes = [Format::F32, Format::F64].map(|format| {
        let binary = |op| clauses(format, |terms, a, b| floats::binary(terms, op, format, a, b).expect("supported"));
        let root = clauses(format, |terms, a, _| floats::unary(terms, Unary::Sqrt, format, a));
        [binary(Binary::Add), binary(Binary::Mul), binary(Binary::Div), root]
    });
    assert_eq!(
        sizes,
        [[4509, 13227, 16498, 8165], [9604, 55384, 67199, 33321]],
        "of +, *, /, sqrt in binary32, then in binary64"
    );
    let rem =
        clauses(Format::F32, |terms, a, b| floats::binary(terms, Binary::Rem, Format::F32, a, b).expect("supported"));
    assert_eq!(rem, 179429);
}
