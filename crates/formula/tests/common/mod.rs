//! A second opinion on what the operations mean, written bit by bit from the SMT-LIB definitions,
//! and random terms that carry their values along.
#![allow(dead_code, reason = "each test takes what it needs")]

use selvedge_formula::{Term, Terms};

pub const BINARY: [&str; 20] = [
    "and", "or", "xor", "implies", "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "eq",
    "ne", "ult", "ule", "slt", "sle",
];
pub const UNARY: [&str; 7] =
    ["not", "neg", "count_ones", "leading_zeros", "trailing_zeros", "reverse_bits", "swap_bytes"];

pub fn all_ones(bits: u32) -> u128 {
    (0..bits).fold(0, |value, i| value | 1 << i)
}

fn bit(value: u128, i: u32) -> bool {
    value >> i & 1 == 1
}

pub fn unary(op: &str, bits: u32, a: u128) -> u128 {
    let ones = all_ones(bits);
    match op {
        "not" => ones - a,
        "neg" => {
            if a == 0 {
                0
            } else {
                ones - a + 1
            }
        }
        "count_ones" => (0..bits).filter(|&i| bit(a, i)).count() as u128,
        "leading_zeros" => (0..bits).rev().take_while(|&i| !bit(a, i)).count() as u128,
        "trailing_zeros" => (0..bits).take_while(|&i| !bit(a, i)).count() as u128,
        "reverse_bits" => (0..bits).map(|i| u128::from(bit(a, i)) << (bits - 1 - i)).sum(),
        "swap_bytes" => (0..bits / 8).map(|i| (a >> (8 * i) & 255) << (bits - 8 - 8 * i)).sum(),
        _ => panic!("{op}"),
    }
}

fn long_division(bits: u32, a: u128, b: u128) -> (u128, u128) {
    if b == 0 {
        return (all_ones(bits), a);
    }
    let mut quotient = 0;
    let mut rest = a;
    for i in (0..bits).rev() {
        if rest >> i >= b {
            rest -= b << i;
            quotient |= 1 << i;
        }
    }
    (quotient, rest)
}

pub fn binary(op: &str, bits: u32, a: u128, b: u128) -> u128 {
    let ones = all_ones(bits);
    let sign = 1 << (bits - 1);
    let neg = |x| unary("neg", bits, x);
    let abs = |x| if x & sign != 0 { neg(x) } else { x };
    let add = |x: u128, y: u128| if x > ones - y { x - (ones - y) - 1 } else { x + y };
    let steps = b.min(u128::from(bits)) as u32;
    match op {
        "and" => (0..bits).map(|i| u128::from(bit(a, i) && bit(b, i)) << i).sum(),
        "or" => (0..bits).map(|i| u128::from(bit(a, i) || bit(b, i)) << i).sum(),
        "xor" => (0..bits).map(|i| u128::from(bit(a, i) != bit(b, i)) << i).sum(),
        "implies" => (0..bits).map(|i| u128::from(!bit(a, i) || bit(b, i)) << i).sum(),
        "add" => add(a, b),
        "sub" => add(a, neg(b)),
        "mul" => (0..bits).rev().fold(0, |sum, i| {
            let twice = add(sum, sum);
            if bit(b, i) { add(twice, a) } else { twice }
        }),
        "udiv" => long_division(bits, a, b).0,
        "urem" => long_division(bits, a, b).1,
        "sdiv" => {
            let quotient = long_division(bits, abs(a), abs(b)).0;
            if (a & sign != 0) != (b & sign != 0) { neg(quotient) } else { quotient }
        }
        "srem" => {
            let rest = long_division(bits, abs(a), abs(b)).1;
            if a & sign != 0 { neg(rest) } else { rest }
        }
        "shl" => (0..steps).fold(a, |x, _| add(x, x)),
        "lshr" => (0..steps).fold(a, |x, _| x / 2),
        "ashr" => (0..steps).fold(a, |x, _| (x / 2) | (x & sign)),
        "eq" => u128::from(a == b),
        "ne" => u128::from(a != b),
        "ult" => u128::from(a < b),
        "ule" => u128::from(a <= b),
        "slt" => u128::from(a ^ sign < b ^ sign),
        "sle" => u128::from(a ^ sign <= b ^ sign),
        _ => panic!("{op}"),
    }
}

pub fn build_unary(terms: &mut Terms, op: &str, a: Term) -> Term {
    match op {
        "not" => terms.not(a),
        "neg" => terms.neg(a),
        "count_ones" => terms.count_ones(a),
        "leading_zeros" => terms.leading_zeros(a),
        "trailing_zeros" => terms.trailing_zeros(a),
        "reverse_bits" => terms.reverse_bits(a),
        "swap_bytes" => terms.swap_bytes(a),
        _ => panic!("{op}"),
    }
}

pub fn build_binary(terms: &mut Terms, op: &str, a: Term, b: Term) -> Term {
    let build = match op {
        "and" => Terms::and,
        "or" => Terms::or,
        "xor" => Terms::xor,
        "implies" => Terms::implies,
        "add" => Terms::add,
        "sub" => Terms::sub,
        "mul" => Terms::mul,
        "udiv" => Terms::udiv,
        "sdiv" => Terms::sdiv,
        "urem" => Terms::urem,
        "srem" => Terms::srem,
        "shl" => Terms::shl,
        "lshr" => Terms::lshr,
        "ashr" => Terms::ashr,
        "eq" => Terms::eq,
        "ne" => Terms::ne,
        "ult" => Terms::ult,
        "ule" => Terms::ule,
        "slt" => Terms::slt,
        "sle" => Terms::sle,
        _ => panic!("{op}"),
    };
    build(terms, a, b)
}

/// A term, its width, and its value in each of the assignments.
#[derive(Clone, Debug)]
pub struct Sample {
    pub term: Term,
    pub bits: u32,
    pub values: Vec<u128>,
}

/// Random terms over a few variables. The first `variables` samples are the variables.
pub struct Pool {
    pub terms: Terms,
    pub samples: Vec<Sample>,
    pub variables: usize,
}

/// Values near the ends and in the middle, and any.
pub fn interesting(random: &mut fastrand::Rng, bits: u32) -> u128 {
    let ones = all_ones(bits);
    match random.u32(0..8) {
        0 => 0,
        1 => 1,
        2 => ones,
        3 => 1 << (bits - 1),
        4 => ones >> 1,
        5 => 1 << random.u32(0..bits),
        6 => random.u128(..) & ones & 15,
        _ => random.u128(..) & ones,
    }
}

impl Pool {
    pub fn random(seed: u64, widths: &[u32], assignments: usize, operations: usize) -> Pool {
        let random = &mut fastrand::Rng::with_seed(seed);
        let mut pool = Pool { terms: Terms::new(), samples: Vec::new(), variables: 0 };
        for &bits in widths {
            for i in 0..2 {
                let term = pool.terms.variable(bits, format!("v{i}"));
                let values = (0..assignments).map(|_| interesting(random, bits)).collect();
                pool.samples.push(Sample { term, bits, values });
            }
        }
        pool.variables = pool.samples.len();
        for &bits in widths {
            for _ in 0..3 {
                let value = interesting(random, bits);
                let term = pool.terms.constant(bits, value);
                pool.samples.push(Sample { term, bits, values: vec![value; assignments] });
            }
        }
        for _ in 0..operations {
            let sample = pool.operation(random);
            assert_eq!(pool.terms.bits(sample.term), sample.bits, "{:?}", pool.terms.node(sample.term));
            pool.samples.push(sample);
        }
        pool
    }

    fn pick(&self, random: &mut fastrand::Rng, wanted: impl Fn(&Sample) -> bool) -> Option<Sample> {
        let fitting: Vec<&Sample> = self.samples.iter().filter(|sample| wanted(sample)).collect();
        if fitting.is_empty() { None } else { Some(fitting[random.usize(0..fitting.len())].clone()) }
    }

    fn operation(&mut self, random: &mut fastrand::Rng) -> Sample {
        loop {
            if let Some(sample) = self.try_operation(random) {
                return sample;
            }
        }
    }

    fn try_operation(&mut self, random: &mut fastrand::Rng) -> Option<Sample> {
        let a = self.pick(random, |_| true)?;
        let bits = a.bits;
        let map = |f: &dyn Fn(u128) -> u128| a.values.iter().map(|&a| f(a)).collect();
        Some(match random.u32(0..12) {
            0 => {
                let op = UNARY[random.usize(0..UNARY.len())];
                if op == "swap_bytes" && !bits.is_multiple_of(8) {
                    return None;
                }
                let term = build_unary(&mut self.terms, op, a.term);
                Sample { term, bits, values: map(&|a| unary(op, bits, a)) }
            }
            1 => {
                let wide = random.u32(bits..=(bits + 9).min(128));
                let term = self.terms.zero_extend(a.term, wide);
                Sample { term, bits: wide, values: a.values }
            }
            2 => {
                let wide = random.u32(bits..=(bits + 9).min(128));
                let term = self.terms.sign_extend(a.term, wide);
                let high = all_ones(wide) - all_ones(bits);
                Sample { term, bits: wide, values: map(&|a| if bit(a, bits - 1) { a | high } else { a }) }
            }
            3 => {
                let low = random.u32(0..bits);
                let part = random.u32(1..=bits - low);
                let term = self.terms.extract(a.term, low, part);
                Sample { term, bits: part, values: map(&|a| a >> low & all_ones(part)) }
            }
            4 => {
                let b = self.pick(random, |b| b.bits + bits <= 128)?;
                let term = self.terms.concat(a.term, b.term);
                let values = a.values.iter().zip(&b.values).map(|(x, y)| x << b.bits | y).collect();
                Sample { term, bits: bits + b.bits, values }
            }
            5 | 6 => {
                let b = self.pick(random, |b| b.bits == bits)?;
                let c = self.pick(random, |c| c.bits == 1)?;
                let term = self.terms.ite(c.term, a.term, b.term);
                let values = (0..a.values.len()).map(|i| if c.values[i] == 1 { a.values[i] } else { b.values[i] });
                Sample { term, bits, values: values.collect() }
            }
            _ => {
                let b = self.pick(random, |b| b.bits == bits)?;
                let op = BINARY[random.usize(0..BINARY.len())];
                let term = build_binary(&mut self.terms, op, a.term, b.term);
                let values = a.values.iter().zip(&b.values).map(|(&a, &b)| binary(op, bits, a, b)).collect();
                let compares = matches!(op, "eq" | "ne" | "ult" | "ule" | "slt" | "sle");
                Sample { term, bits: if compares { 1 } else { bits }, values }
            }
        })
    }
}
