//! Terms, simplified, mean what they meant before; and so do their circuits.

mod common;

use common::{BINARY, Pool, UNARY, binary, build_binary, build_unary, interesting, unary};
use selvedge_formula::{Blaster, Cadical, Lit, Solved, Term, Terms};

/// Assumptions that give a term a value.
fn fix(blaster: &mut Blaster<Cadical>, terms: &Terms, t: Term, value: u128) -> Vec<Lit> {
    let bits = blaster.bits(terms, t).iter();
    bits.enumerate().map(|(i, lit)| lit.negated_if(value >> i & 1 == 0)).collect()
}

#[test]
fn random_terms_keep_their_values() {
    for seed in 0..3000 {
        let widths: &[u32] =
            [&[1, 2][..], &[1, 3], &[1, 4, 8], &[1, 7, 16], &[1, 32], &[1, 64], &[1, 128]][seed as usize % 7];
        let pool = Pool::random(seed, widths, 8, 60);
        for sample in &pool.samples {
            for (i, &expected) in sample.values.iter().enumerate() {
                let mut variable =
                    |t| pool.samples.iter().find(|sample| sample.term == t).map_or(0, |sample| sample.values[i]);
                let value = pool.terms.evaluate(sample.term, &mut variable);
                assert_eq!(value, expected, "seed {seed}: {:?}", pool.terms.node(sample.term));
            }
        }
    }
}

#[test]
fn random_circuits_compute_their_terms() {
    for seed in 0..250 {
        let widths: &[u32] = [&[1, 2][..], &[1, 3], &[1, 5, 8], &[1, 9]][seed as usize % 4];
        let pool = Pool::random(1_000_000 + seed, widths, 3, 50);
        let mut blaster = Blaster::new(Cadical::new());
        for sample in &pool.samples {
            blaster.bits(&pool.terms, sample.term);
        }
        for i in 0..3 {
            let mut inputs = Vec::new();
            for variable in &pool.samples[..pool.variables] {
                inputs.extend(fix(&mut blaster, &pool.terms, variable.term, variable.values[i]));
            }
            assert_eq!(blaster.solve(&inputs), Solved::Sat);
            for sample in &pool.samples {
                let value = blaster.value(&pool.terms, sample.term);
                assert_eq!(value, sample.values[i], "seed {seed}: {:?}", pool.terms.node(sample.term));
            }
        }
    }
}

/// All operations on two variables of a width, for the given pairs of values.
fn check_operations(bits: u32, pairs: impl Iterator<Item = (u128, u128)>) {
    let mut terms = Terms::new();
    let (a, b) = (terms.variable(bits, "a"), terms.variable(bits, "b"));
    let unaries: Vec<_> = UNARY.iter().filter(|&&op| op != "swap_bytes" || bits.is_multiple_of(8)).collect();
    let unaries: Vec<_> = unaries.into_iter().map(|op| (op, build_unary(&mut terms, op, a))).collect();
    let binaries: Vec<_> = BINARY.iter().map(|op| (op, build_binary(&mut terms, op, a, b))).collect();
    let mut blaster = Blaster::new(Cadical::new());
    for &(_, t) in unaries.iter().chain(&binaries) {
        blaster.bits(&terms, t);
    }
    for (x, y) in pairs {
        let mut inputs = fix(&mut blaster, &terms, a, x);
        inputs.extend(fix(&mut blaster, &terms, b, y));
        assert_eq!(blaster.solve(&inputs), Solved::Sat);
        for &(op, t) in &unaries {
            assert_eq!(blaster.value(&terms, t), unary(op, bits, x), "{op} {x} of {bits} bits");
        }
        for &(op, t) in &binaries {
            assert_eq!(blaster.value(&terms, t), binary(op, bits, x, y), "{x} {op} {y} of {bits} bits");
        }
    }
}

#[test]
fn every_operation_on_every_value_of_small_widths() {
    for bits in 1..=5 {
        let all = 1u128 << bits;
        check_operations(bits, (0..all).flat_map(|x| (0..all).map(move |y| (x, y))));
    }
}

#[test]
fn every_operation_on_sampled_values() {
    let mut random = fastrand::Rng::with_seed(7);
    for (bits, samples) in [(6, 200), (7, 200), (8, 200), (9, 200), (16, 60), (31, 30), (32, 30), (64, 15), (128, 6)] {
        let pairs: Vec<_> =
            (0..samples).map(|_| (interesting(&mut random, bits), interesting(&mut random, bits))).collect();
        check_operations(bits, pairs.into_iter());
    }
}

/// One operand constant: the circuits' shortcuts, and the simplifier's.
#[test]
fn every_operation_with_constants() {
    for bits in [1, 2, 3, 4] {
        let all = 1u128 << bits;
        for k in 0..all {
            let mut terms = Terms::new();
            let a = terms.variable(bits, "a");
            let constant = terms.constant(bits, k);
            let mut blaster = Blaster::new(Cadical::new());
            let built = BINARY
                .map(|op| (op, build_binary(&mut terms, op, a, constant), build_binary(&mut terms, op, constant, a)));
            for (_, left, right) in built {
                blaster.bits(&terms, left);
                blaster.bits(&terms, right);
            }
            for x in 0..all {
                let inputs = fix(&mut blaster, &terms, a, x);
                assert_eq!(blaster.solve(&inputs), Solved::Sat);
                for (op, left, right) in built {
                    for (t, expected) in [(left, binary(op, bits, x, k)), (right, binary(op, bits, k, x))] {
                        assert_eq!(
                            blaster.value(&terms, t),
                            expected,
                            "{x} {op} constant {k}, or reversed, {bits} bits"
                        );
                        assert_eq!(terms.evaluate(t, &mut |_| x), expected);
                    }
                }
            }
        }
    }
}
