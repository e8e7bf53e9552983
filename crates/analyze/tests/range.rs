//! Ranges against the values themselves: all operations on all intervals of small widths, and on random ones of large
//! widths.

use proptest::prelude::*;
use selvedge_analyze::range::{Range, converse};
use selvedge_program::semantics::casts;
use selvedge_program::semantics::integers::{binary, compare, overflows, signed, truncate, unary};
use selvedge_program::{BinOp, Cast, CmpOp, UnOp};

/// Every range of a width, each with its values.
fn ranges(width: u32) -> Vec<(Range, Vec<u128>)> {
    let half = 1i128 << (width - 1);
    let intervals = |from: i128, to: i128| -> Vec<Option<(i128, i128)>> {
        let all = (from..to).flat_map(move |low| (low..to).map(move |high| Some((low, high))));
        all.chain([None]).collect()
    };
    let mut all = Vec::new();
    for clear in intervals(0, half) {
        for set in intervals(-half, 0) {
            let parts = [clear, set].into_iter().flatten();
            if let Some(range) = parts.map(|(low, high)| Range::wrapped(width, low, high)).reduce(Range::join) {
                all.push((range, (0..1 << width).filter(|value| range.contains(*value)).collect()));
            }
        }
    }
    all
}

#[test]
fn ranges_are_what_they_say() {
    for width in 1..=4 {
        let all = ranges(width);
        for (range, values) in &all {
            let signs = |value: &u128| signed(width, *value);
            assert_eq!(
                range.signed(),
                (values.iter().map(signs).min().unwrap(), values.iter().map(signs).max().unwrap())
            );
            assert_eq!(range.unsigned(), (values[0] as i128, values[values.len() - 1] as i128));
            assert_eq!(range.single(), (values.len() == 1).then(|| values[0]));
            assert_eq!(range.is_any(), values.len() == 1 << width);
            let bits = range.bits();
            assert!(bits.count <= width);
            for value in values {
                let low = if bits.count == 0 { 0 } else { truncate(bits.count, *value) };
                let back = if bits.signed { truncate(width, signed(bits.count, low) as u128) } else { low };
                assert_eq!(back, *value, "{range:?} in {bits:?}");
            }
            for (other, others) in &all {
                let both: Vec<u128> = values.iter().copied().filter(|value| others.contains(value)).collect();
                assert_eq!(range.meet(*other).is_some(), !both.is_empty());
                assert!(both.iter().all(|value| range.meet(*other).unwrap().contains(*value)));
                assert!(values.iter().chain(others).all(|value| range.join(*other).contains(*value)));
            }
        }
    }
}

#[test]
fn operations_contain_their_results() {
    for width in 1..=3 {
        let all = ranges(width);
        for (a, xs) in &all {
            for (b, ys) in &all {
                for (x, y) in xs.iter().flat_map(|x| ys.iter().map(move |y| (*x, *y))) {
                    for op in BinOp::ALL {
                        let Some(value) = binary(op, width, x, y) else { continue };
                        let range = Range::binary(op, *a, *b);
                        assert!(range.contains(value), "{x} {op:?} {y} = {value} of {width}: {a:?} {b:?} {range:?}");
                    }
                    for op in [BinOp::Add, BinOp::Sub, BinOp::Mul] {
                        for signed in [false, true] {
                            let wraps = overflows(op, signed, width, x, y);
                            assert!(Range::overflows(op, signed, *a, *b).contains(u128::from(wraps)));
                        }
                    }
                    for op in CmpOp::ALL {
                        let holds = compare(op, width, x, y);
                        assert!(Range::compare(op, *a, *b).contains(u128::from(holds)), "{x} {op:?} {y}: {a:?} {b:?}");
                        let (c, d) = Range::given(if holds { op } else { converse(op) }, *a, *b).unwrap();
                        assert!(c.contains(x) && d.contains(y), "{x} {op:?} {y} {holds}: {c:?} {d:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn shifts_by_too_much_are_shifts_by_what_is_left() {
    for (a, xs) in ranges(4) {
        for op in [BinOp::Shl, BinOp::LShr, BinOp::AShr] {
            let range = Range::binary(op, a, Range::any(4));
            for value in xs.iter().flat_map(|x| (0..16).filter_map(|y| binary(op, 4, *x, y & 3))) {
                assert!(range.contains(value));
            }
        }
    }
}

#[test]
fn operations_on_one_value() {
    for width in [1, 2, 3, 4, 8] {
        let all = if width == 8 { ranges(4).iter().map(|(r, _)| widened(*r)).collect() } else { ranges(width) };
        for (a, xs) in &all {
            for x in xs {
                for op in UnOp::ALL {
                    assert!(Range::unary(op, *a).contains(unary(op, width, *x)), "{op:?} {x} {a:?}");
                }
                for to in 1..=9 {
                    let sign = truncate(to, signed(width, *x) as u128);
                    assert!(to < width || Range::cast(Cast::SignExtend, *a, to).contains(sign));
                    assert!(to < width || Range::cast(Cast::ZeroExtend, *a, to).contains(*x));
                    assert!(to > width || Range::cast(Cast::Truncate, *a, to).contains(truncate(to, *x)));
                }
            }
        }
    }
}

/// A range of four bits as one of eight.
fn widened(range: Range) -> (Range, Vec<u128>) {
    let range = Range::cast(Cast::SignExtend, range, 8);
    (range, (0..256).filter(|value| range.contains(*value)).collect())
}

#[test]
fn the_widest_do_not_overflow() {
    let any = Range::any(64);
    for op in BinOp::ALL {
        for b in [any, Range::exactly(64, 3), Range::exactly(64, u128::MAX)] {
            let range = Range::binary(op, any, b);
            for (x, y) in [(0, 1), (u64::MAX, 3), (1 << 63, 3), (1 << 63, u64::MAX), (u64::MAX, u64::MAX)] {
                if b.contains(u128::from(y))
                    && let Some(value) = binary(op, 64, u128::from(x), u128::from(y))
                {
                    assert!(range.contains(value), "{x} {op:?} {y}: {range:?}");
                }
            }
        }
    }
    assert!(Range::binary(BinOp::Add, Range::any(128), Range::exactly(128, 1)).is_any());
    assert_eq!(Range::wrapped(32, -1, 2).bits().count, 3);
    assert_eq!(Range::wrapped(32, 0, 2).to_string(), "0..2");
}

/// A value of a width, and a range around it: few values, or many.
fn around(width: u32) -> impl Strategy<Value = (u128, Range)> {
    let distance = || prop_oneof![Just(0), 0..5i128, 0..1i128 << 70];
    (any::<u128>(), distance(), distance()).prop_map(move |(bits, below, above)| {
        let bits = truncate(width, bits);
        let value = signed(width, bits);
        (bits, Range::wrapped(width, value.saturating_sub(below), value.saturating_add(above)))
    })
}

proptest! {
    #[test]
    fn operations_contain_their_results_at_every_width(
        (width, (x, a), (y, b)) in proptest::sample::select(vec![1, 7, 8, 16, 32, 64, 128])
            .prop_flat_map(|width| (Just(width), around(width), around(width))),
        to in 1u32..=128,
    ) {
        prop_assert!(a.contains(x) && b.contains(y));
        for op in BinOp::ALL {
            let by = if matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr) { y % u128::from(width) } else { y };
            let b = if by == y { b } else { b.join(Range::exactly(width, by)) };
            if let Some(value) = binary(op, width, x, by) {
                prop_assert!(Range::binary(op, a, b).contains(value), "{:?}", op);
            }
            for signed in [false, true] {
                let wraps = u128::from(overflows(op, signed, width, x, y));
                prop_assert!(width > 64 || Range::overflows(op, signed, a, b).contains(wraps), "{:?} {}", op, signed);
            }
        }
        for op in CmpOp::ALL {
            prop_assert!(Range::compare(op, a, b).contains(u128::from(compare(op, width, x, y))), "{:?}", op);
        }
        for op in UnOp::ALL {
            prop_assert!(Range::unary(op, a).contains(unary(op, width, x)), "{:?}", op);
        }
        for cast in [Cast::ZeroExtend, Cast::SignExtend, Cast::Truncate, Cast::PtrToInt, Cast::IntToPtr, Cast::Reinterpret] {
            let value = casts::integer(cast, width, to, x);
            prop_assert!(value.is_some_and(|value| Range::cast(cast, a, to).contains(value)), "{:?} to {}", cast, to);
        }
    }
}

/// The ends of the widest numbers have no neighbour outside.
#[test]
fn the_least_and_the_greatest_number_are_left_out() {
    for value in [i64::MIN, i64::MAX, -1, 0] {
        let bits = u128::from(value as u64);
        assert_eq!(Range::exactly(64, bits).without(bits), None, "{value}");
    }
    let all = Range::any(64).without(u128::from(i64::MIN as u64)).expect("others are left");
    assert_eq!(all.signed(), (i128::from(i64::MIN) + 1, i128::from(i64::MAX)));
}
