//! Ranges against the values themselves: all operations on all intervals of small widths.

use selvedge_analyze::Possible;
use selvedge_analyze::range::{Range, converse};
use selvedge_passes::constants::{binary, unary};
use selvedge_program::integers::{compare, signed, truncate};
use selvedge_program::{BinOp, Cast, CmpOp, UnOp};

const BINARY: [BinOp; 13] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::UDiv,
    BinOp::SDiv,
    BinOp::URem,
    BinOp::SRem,
    BinOp::Shl,
    BinOp::LShr,
    BinOp::AShr,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
];
const COMPARE: [CmpOp; 10] = [
    CmpOp::Eq,
    CmpOp::Ne,
    CmpOp::Ult,
    CmpOp::Ule,
    CmpOp::Ugt,
    CmpOp::Uge,
    CmpOp::Slt,
    CmpOp::Sle,
    CmpOp::Sgt,
    CmpOp::Sge,
];

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
                    for op in BINARY {
                        let Some(value) = binary(op, width, x, y, false) else { continue };
                        let range = Range::binary(op, *a, *b);
                        assert!(range.contains(value), "{x} {op:?} {y} = {value} of {width}: {a:?} {b:?} {range:?}");
                    }
                    for op in [BinOp::Add, BinOp::Sub, BinOp::Mul] {
                        let value = binary(op, width, x, y, false).unwrap();
                        let exact = |x: i128, y: i128| match op {
                            BinOp::Add => x + y,
                            BinOp::Sub => x - y,
                            _ => x * y,
                        };
                        let wraps = exact(signed(width, x), signed(width, y)) != signed(width, value);
                        assert!(Range::overflows(op, true, *a, *b).contains(u128::from(wraps)));
                        let wraps = exact(x as i128, y as i128) != value as i128;
                        assert!(Range::overflows(op, false, *a, *b).contains(u128::from(wraps)));
                    }
                    for op in COMPARE {
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
                    for op in BINARY {
                        if let Some(value) = binary(op, width, x, y, false) {
                            let set = Possible::binary(op, width, *a, *b);
                            assert!(set.may_be(value), "{x} {op:?} {y}: {set:?} of {a:?} and {b:?}");
                        }
                    }
                    for op in COMPARE {
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

#[test]
fn shifts_by_too_much_are_shifts_by_what_is_left() {
    for (a, xs) in ranges(4) {
        for op in [BinOp::Shl, BinOp::LShr, BinOp::AShr] {
            let range = Range::binary(op, a, Range::any(4));
            for value in xs.iter().flat_map(|x| (0..16).filter_map(|y| binary(op, 4, *x, y & 3, false))) {
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
                for op in [
                    UnOp::CountOnes,
                    UnOp::CountLeadingZeros,
                    UnOp::CountTrailingZeros,
                    UnOp::SwapBytes,
                    UnOp::ReverseBits,
                ] {
                    let Some(value) = unary(op, width, *x) else { continue };
                    assert!(Range::unary(op, *a).contains(truncate(width, value)), "{op:?} {x} {a:?}");
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
    for op in BINARY {
        for b in [any, Range::exactly(64, 3), Range::exactly(64, u128::MAX)] {
            let range = Range::binary(op, any, b);
            for (x, y) in [(0, 1), (u64::MAX, 3), (1 << 63, 3), (1 << 63, u64::MAX), (u64::MAX, u64::MAX)] {
                if b.contains(u128::from(y))
                    && let Some(value) = binary(op, 64, u128::from(x), u128::from(y), false)
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
