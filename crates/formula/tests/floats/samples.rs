//! Floats and integers that are worth trying.

use crate::host::{bits32, bits64};
use selvedge_formula::floats::Format;

pub fn ones(bits: u32) -> u128 {
    u128::MAX >> (128 - bits)
}

pub fn fraction_bits(format: Format) -> u32 {
    if format == Format::F32 { 23 } else { 52 }
}

/// Both signs of zeros, subnormals, powers of two, halves, neighbours of all these, not-a-numbers.
pub fn special(format: Format) -> Vec<u128> {
    let fraction = fraction_bits(format);
    let unit = 1 << fraction;
    let sign = 1 << (format.bits() - 1);
    let infinity = sign - unit;
    let value = |v: f64| if format == Format::F32 { bits32(v as f32) } else { bits64(v) };
    let mut all = vec![0, 1, 2, 3, unit / 2, unit - 1, unit, unit + 1, 2 * unit, 2 * unit - 1];
    all.extend([infinity - 1, infinity - unit, infinity, infinity + 1, infinity + unit / 2, infinity + unit / 2 + 5]);
    all.extend([sign - 1, value(f64::from(fraction)).wrapping_add(1)]);
    all.extend(
        [0.1, 0.25, 0.49999999999999994, 0.5, 0.75, 1.0, 1.5, 2.0, 2.25, 2.5, 3.0, 3.5, 4.0, 7.0, 10.0].map(value),
    );
    for power in [fraction - 1, fraction, fraction + 1, 31, 32, 63, 64, 126, 127] {
        let power = value(f64::from(power).exp2());
        all.extend([power - 1, power, power + 1]);
    }
    let near_one = value(1.0);
    all.extend([near_one - 1, near_one + 1, value(0.5) - 1, value(0.5) + 1]);
    let negative: Vec<u128> = all.iter().map(|value| value | sign).collect();
    all.extend(negative);
    all
}

/// Any bits, near one, with few bits in the significand, small integers and halves, or special.
pub fn random_float(random: &mut fastrand::Rng, format: Format) -> u128 {
    let fraction = fraction_bits(format);
    let sign = u128::from(random.bool()) << (format.bits() - 1);
    let any = random.u128(..) & ones(format.bits());
    let bias = ones(format.bits() - 2 - fraction);
    let near = sign | (bias + random.u128(0..8) - 4) << fraction | any & ones(fraction);
    let half = f64::from(random.i32(-600..600)) / 2.0;
    match random.u32(0..7) {
        0 | 1 => any,
        2 => near,
        3 => near & !ones(random.u32(1..=fraction)),
        4 => sign | any & ones(random.u32(1..=fraction + 2)),
        5 if format == Format::F32 => bits32(half as f32),
        5 => bits64(half),
        _ => {
            let special = special(format);
            special[random.usize(0..special.len())]
        }
    }
}

pub fn pairs(format: Format, seed: u64, random: usize) -> Vec<(u128, u128)> {
    let special = special(format);
    let generator = &mut fastrand::Rng::with_seed(seed);
    let mut pairs: Vec<(u128, u128)> = special.iter().flat_map(|&a| special.iter().map(move |&b| (a, b))).collect();
    for _ in 0..random {
        let a = random_float(generator, format);
        let near = a ^ generator.u128(0..16) ^ u128::from(generator.bool()) << (format.bits() - 1);
        pairs.push((a, if generator.u32(0..6) == 0 { near } else { random_float(generator, format) }));
    }
    pairs
}

pub fn floats_of(format: Format, seed: u64, samples: usize) -> Vec<u128> {
    let generator = &mut fastrand::Rng::with_seed(seed);
    let random = (0..samples).map(|_| random_float(generator, format));
    special(format).into_iter().chain(random).collect()
}

/// With few bits set, halfway between two floats and next to that, or any.
pub fn integers(bits: u32, samples: usize) -> Vec<u128> {
    let random = &mut fastrand::Rng::with_seed(6);
    let sample = |_| {
        let any = random.u128(..) >> random.u32(0..128);
        let kept = 128 - any.leading_zeros();
        let dropped = kept.saturating_sub(random.choice([24, 25, 53, 54]).unwrap_or(0));
        let short = any >> dropped << dropped;
        let near = short.wrapping_add(random.u128(0..3)).wrapping_sub(1);
        random.choice([any, short, near, !near]).unwrap_or(any) & ones(bits)
    };
    let ends = [0, 1, ones(bits), 1 << (bits - 1), ones(bits) >> 1];
    ends.into_iter().chain((0..samples).map(sample)).collect()
}
