//! Small sets of integers, and the operations on them.

use selvedge_program::semantics::casts;
use selvedge_program::semantics::integers::{binary, compare, unary};
use selvedge_program::{BinOp, Cast, CmpOp, UnOp};

const MOST: usize = 8;

/// The integers that a value may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Possible {
    /// The number of `values` in use; more than `MOST` stands for anything.
    count: u8,
    /// Sorted.
    values: [u64; MOST],
}

impl Possible {
    /// No value: the operation that computes it never ran.
    pub const NOTHING: Possible = Possible { count: 0, values: [0; MOST] };
    pub const ANYTHING: Possible = Possible { count: u8::MAX, values: [0; MOST] };

    pub fn exactly(value: u128) -> Possible {
        let Ok(value) = u64::try_from(value) else { return Possible::ANYTHING };
        let mut values = [0; MOST];
        values[0] = value;
        Possible { count: 1, values }
    }

    pub fn is_nothing(&self) -> bool {
        self.count == 0
    }

    pub fn is_anything(&self) -> bool {
        usize::from(self.count) > MOST
    }

    /// The values; `None` if it may be anything.
    pub fn values(&self) -> Option<&[u64]> {
        self.values.get(..usize::from(self.count))
    }

    pub fn single(&self) -> Option<u64> {
        match self.values()? {
            [value] => Some(*value),
            _ => None,
        }
    }

    pub fn may_be(&self, value: u128) -> bool {
        self.values().is_none_or(|values| values.iter().any(|known| u128::from(*known) == value))
    }

    /// Whether it may be true as a condition, of which the lowest bit counts.
    pub fn may_hold(&self) -> bool {
        self.values().is_none_or(|values| values.iter().any(|value| value & 1 == 1))
    }

    pub fn may_fail(&self) -> bool {
        self.values().is_none_or(|values| values.iter().any(|value| value & 1 == 0))
    }

    #[must_use]
    pub fn join(self, other: Possible) -> Possible {
        let (Some(a), Some(b)) = (self.values(), other.values()) else { return Possible::ANYTHING };
        if b.is_empty() || self == other {
            return self;
        }
        let mut all: Vec<u64> = [a, b].concat();
        all.sort_unstable();
        all.dedup();
        Possible::from_sorted(&all)
    }

    fn from_sorted(all: &[u64]) -> Possible {
        let mut values = [0; MOST];
        let Some(room) = values.get_mut(..all.len()) else { return Possible::ANYTHING };
        room.copy_from_slice(all);
        Possible { count: all.len() as u8, values }
    }

    /// The results of `f`; an unknown one makes it anything.
    pub fn map(self, f: impl Fn(u128) -> Option<u128>) -> Possible {
        let Some(values) = self.values() else { return Possible::ANYTHING };
        values.iter().fold(Possible::NOTHING, |all, value| {
            all.join(f(u128::from(*value)).map_or(Possible::ANYTHING, Possible::exactly))
        })
    }

    pub fn map_pairs(self, other: Possible, f: impl Fn(u128, u128) -> Option<u128>) -> Possible {
        if self.is_nothing() || other.is_nothing() {
            return Possible::NOTHING;
        }
        let Some(values) = other.values() else { return Possible::ANYTHING };
        values.iter().fold(Possible::NOTHING, |all, b| all.join(self.map(|a| f(a, u128::from(*b)))))
    }

    pub fn binary(op: BinOp, width: u32, a: Possible, b: Possible) -> Possible {
        // One operand may determine the result.
        let nothing = a.is_nothing() || b.is_nothing();
        let zero = a == Possible::exactly(0) || b == Possible::exactly(0);
        if zero && !nothing && matches!(op, BinOp::And | BinOp::Mul) {
            return Possible::exactly(0);
        }
        if width == 1 && op == BinOp::Or && !nothing && (a == Possible::exactly(1) || b == Possible::exactly(1)) {
            return Possible::exactly(1);
        }
        a.map_pairs(b, |a, b| binary(op, width, a, b))
    }

    pub fn unary(op: UnOp, width: u32, a: Possible) -> Possible {
        a.map(|a| Some(unary(op, width, a)))
    }

    pub fn compare(op: CmpOp, width: u32, a: Possible, b: Possible) -> Possible {
        a.map_pairs(b, |a, b| Some(u128::from(compare(op, width, a, b))))
    }

    pub fn cast(cast: Cast, from: u32, to: u32, value: Possible) -> Possible {
        value.map(|value| casts::integer(cast, from, to, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_program::semantics::integers::{signed, truncate};

    #[test]
    fn sets_stay_small() {
        let few = (0..MOST as u128).fold(Possible::NOTHING, |all, value| all.join(Possible::exactly(value)));
        assert_eq!(few.values().map(<[u64]>::len), Some(MOST));
        assert!(few.join(Possible::exactly(99)).is_anything());
        assert_eq!(few.join(few), few);
        assert!(!few.may_be(99) && few.may_be(3));
    }

    #[test]
    fn operations_on_each_value() {
        let handle = Possible::exactly(0).join(Possible::exactly(2));
        let thread = Possible::binary(BinOp::Sub, 32, handle, Possible::exactly(1));
        assert_eq!(thread.values(), Some(&[1, 0xffff_ffff][..]));
        let wide = Possible::cast(Cast::SignExtend, 32, 64, thread);
        assert_eq!(wide.values(), Some(&[1, u64::MAX][..]));
        assert_eq!(Possible::compare(CmpOp::Slt, 64, wide, Possible::exactly(0)).values(), Some(&[0, 1][..]));
        assert_eq!(Possible::binary(BinOp::And, 32, Possible::ANYTHING, Possible::exactly(0)).single(), Some(0));
    }

    /// Every set of values of a width, and the one that is not known.
    fn sets(width: u32) -> Vec<(Possible, Vec<u128>)> {
        let all: Vec<u128> = (0..1 << width).collect();
        let mut sets = vec![(Possible::ANYTHING, all.clone())];
        for chosen in 0..1u32 << all.len() {
            let values: Vec<u128> = all.iter().copied().filter(|value| chosen >> value & 1 == 1).collect();
            let set = values.iter().fold(Possible::NOTHING, |set, value| set.join(Possible::exactly(*value)));
            sets.push((set, values));
        }
        sets
    }

    #[test]
    fn sets_contain_their_results() {
        for width in [1, 2] {
            let all = sets(width);
            for (a, xs) in &all {
                let odd = |wanted: u128| xs.iter().any(|x| x & 1 == wanted);
                assert_eq!((a.may_hold(), a.may_fail()), (odd(1), odd(0)));
                assert_eq!(a.is_nothing(), xs.is_empty());
                for (b, ys) in &all {
                    for (x, y) in xs.iter().flat_map(|x| ys.iter().map(move |y| (*x, *y))) {
                        for op in BinOp::ALL {
                            if let Some(value) = binary(op, width, x, y) {
                                let set = Possible::binary(op, width, *a, *b);
                                assert!(set.may_be(value), "{x} {op:?} {y}: {set:?} of {a:?} and {b:?}");
                            }
                        }
                        for op in CmpOp::ALL {
                            let holds = u128::from(compare(op, width, x, y));
                            assert!(Possible::compare(op, width, *a, *b).may_be(holds), "{x} {op:?} {y}: {a:?} {b:?}");
                        }
                    }
                }
                for (x, to) in xs.iter().flat_map(|x| (1..=3).map(move |to| (*x, to))) {
                    let cast = |cast: Cast| Possible::cast(cast, width, to, *a);
                    assert!(cast(Cast::SignExtend).may_be(truncate(to, signed(width, x) as u128)));
                    assert!(cast(Cast::ZeroExtend).may_be(truncate(to, x)));
                    assert!(cast(Cast::Truncate).may_be(truncate(to, x)));
                }
            }
        }
    }
}
