//! The numbers below n in a pseudo-random order, without a list of them.
//!
//! A Feistel network (Luby and Rackoff, 1988) permutes the bit strings of an even length, whatever its round
//! function. A result that is not below n is permuted again until it is (cycle walking; Black and Rogaway, CT-RSA
//! 2002). The length is the least that holds n, so this takes at most four passes on average.

/// Four rounds already leave no visible pattern; this is no cryptography.
const PASSES: u32 = 6;

/// A bijection of 0..n.
#[derive(Clone, Debug)]
pub struct Permutation {
    n: u128,
    seed: u64,
    /// The bits of half a number.
    bits: u32,
}

impl Permutation {
    pub fn new(n: u128, seed: u64) -> Permutation {
        let length = u128::BITS - n.saturating_sub(1).leading_zeros();
        Permutation { n, seed, bits: length.div_ceil(2).max(1) }
    }

    /// The number at this position in the order; both are below n.
    pub fn at(&self, place: u128) -> u128 {
        assert!(place < self.n, "{place} is not below {}", self.n);
        let mut number = self.pass(place);
        while number >= self.n {
            number = self.pass(number);
        }
        number
    }

    fn pass(&self, number: u128) -> u128 {
        let mask = u64::MAX >> (64 - self.bits);
        let (mut left, mut right) = ((number >> self.bits) as u64 & mask, number as u64 & mask);
        for pass in 0..PASSES {
            let key = self.seed.wrapping_add(u64::from(pass + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            (left, right) = (right, left ^ mixed(right ^ mixed(key)) & mask);
        }
        u128::from(left) << self.bits | u128::from(right)
    }
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
fn mixed(mut z: u64) -> u64 {
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn every_number_once(n in 1u128..3000, seed: u64) {
            let permutation = Permutation::new(n, seed);
            let image: BTreeSet<u128> = (0..n).map(|place| permutation.at(place)).collect();
            prop_assert_eq!(image.len() as u128, n);
            prop_assert!(image.iter().all(|number| *number < n));
        }

        #[test]
        fn large_ranges_stay_within_and_do_not_collide(n in 1u128 << 90.., seed: u64, a: u128, b: u128) {
            let permutation = Permutation::new(n, seed);
            let (a, b) = (a % n, b % n);
            prop_assert!(permutation.at(a) < n);
            prop_assert_eq!(a == b, permutation.at(a) == permutation.at(b));
        }
    }

    #[test]
    fn the_seed_makes_the_order() {
        let order = |seed| (0..100).map(|place| Permutation::new(100, seed).at(place)).collect::<Vec<_>>();
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        assert!((0..100).filter(|place| order(1)[*place as usize] == *place).count() < 10);
    }
}
