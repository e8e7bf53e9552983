//! Selections: some tiles of every thread. They are numbered, so that none has to be listed.
//!
//! A set of k tiles of n has a number in the combinatorial number system (Lehmer, 1964): the sum of the
//! binomials (cᵢ over i) of its members c₁ < c₂ < …. A selection of all threads is a number whose digits are
//! those of the threads, each in a base of its own.

use std::fmt;

/// For each thread the numbers of the selected tiles, in order.
pub type Selection = Vec<Vec<usize>>;

/// All ways to select k tiles of every thread, or all tiles of a thread that has fewer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Space {
    /// For each thread the number of its tiles, how many are selected, and the number of ways to do so.
    threads: Vec<(usize, usize, u128)>,
    total: u128,
}

/// There are more selections than numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there are more than 2^128 selections: take larger tiles (--tile-size) or fewer of them (--tiles)")]
pub struct TooMany;

impl Space {
    pub fn new(tiles: &[usize], selected: usize) -> Result<Space, TooMany> {
        let mut total: u128 = 1;
        let mut threads = Vec::new();
        for tiles in tiles {
            let chosen = selected.min(*tiles);
            let ways = binomial(*tiles, chosen).ok_or(TooMany)?;
            total = total.checked_mul(ways).ok_or(TooMany)?;
            threads.push((*tiles, chosen, ways));
        }
        Ok(Space { threads, total })
    }

    pub fn total(&self) -> u128 {
        self.total
    }

    /// The selection with this number, which is below the total.
    pub fn selection(&self, number: u128) -> Selection {
        assert!(number < self.total, "{number} is not below {}", self.total);
        let mut rest = number;
        let digit = |(tiles, chosen, ways): &(usize, usize, u128)| {
            let digit = rest % ways;
            rest /= ways;
            combination(*tiles, *chosen, digit)
        };
        self.threads.iter().map(digit).collect()
    }

    pub fn number(&self, selection: &Selection) -> u128 {
        let digits = self.threads.iter().zip(selection).rev();
        digits.fold(0, |number, ((_, _, ways), chosen)| number * ways + rank(chosen))
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.total)
    }
}

/// The binomial coefficient n over k, if it fits.
pub fn binomial(n: usize, k: usize) -> Option<u128> {
    if k > n {
        return Some(0);
    }
    let mut result: u128 = 1;
    for i in 1..=k.min(n - k) {
        // The product of i consecutive numbers is divisible by i!. Common factors are removed first, so that only
        // results overflow.
        let (factor, divisor) = ((n - k.min(n - k) + i) as u128, i as u128);
        let common = gcd(result, divisor);
        result = (result / common).checked_mul(factor / (divisor / common))?;
    }
    Some(result)
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The set of `k` numbers below `n` with this rank.
pub fn combination(n: usize, k: usize, rank: u128) -> Vec<usize> {
    let mut rest = rank;
    let mut below = n;
    let mut members = Vec::with_capacity(k);
    for k in (1..=k).rev() {
        let fits = |c: &usize| binomial(*c, k).is_some_and(|sets| sets <= rest);
        let member = (0..below).rev().find(fits).expect("a rank below the number of sets");
        rest -= binomial(member, k).expect("it fits");
        members.push(member);
        below = member;
    }
    members.reverse();
    members
}

/// The rank of a set, given in order.
pub fn rank(members: &[usize]) -> u128 {
    let terms = members.iter().enumerate().map(|(i, member)| binomial(*member, i + 1).expect("part of a rank"));
    terms.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn binomials() {
        assert_eq!(binomial(5, 2), Some(10));
        assert_eq!(binomial(5, 0), Some(1));
        assert_eq!(binomial(2, 5), Some(0));
        assert_eq!(binomial(128, 64), Some(23_951_146_041_928_082_866_135_587_776_380_551_750));
        assert_eq!(binomial(200, 100), None);
    }

    #[test]
    fn all_selections_of_a_small_space() {
        let space = Space::new(&[4, 1, 3], 2).expect("few");
        assert_eq!(space.total(), 6 * 3);
        let all: Vec<Selection> = (0..18).map(|number| space.selection(number)).collect();
        assert_eq!(all[0], [vec![0, 1], vec![0], vec![0, 1]]);
        let distinct: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), 18);
    }

    #[test]
    fn too_many_are_refused() {
        assert_eq!(Space::new(&[300; 8], 4), Err(TooMany));
        assert!(Space::new(&[50; 8], 3).is_ok());
    }

    proptest! {
        #[test]
        fn numbers_and_selections_are_the_same(tiles in prop::collection::vec(0usize..12, 1..6), k in 0usize..5,
                                               at in 0.0..1.0f64) {
            let space = Space::new(&tiles, k).expect("few");
            let number = (space.total() as f64 * at) as u128;
            prop_assume!(number < space.total());
            let selection = space.selection(number);
            prop_assert_eq!(space.number(&selection), number);
            for (tiles, chosen) in tiles.iter().zip(&selection) {
                prop_assert_eq!(chosen.len(), k.min(*tiles));
                prop_assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]));
                prop_assert!(chosen.iter().all(|tile| tile < tiles));
            }
        }
    }
}
