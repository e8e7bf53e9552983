//! The possible values of an integer: an interval of those with a clear sign bit, and one of those with a set one.
//!
//! The verifier of eBPF and LLVM keep an unsigned and a signed interval of each value, and reduce each by the
//! other. Fully reduced, the two are equivalent to our two halves; kept as halves there is nothing to reduce,
//! since signed and unsigned order agree within a half. An operation is done on each pair of halves with
//! numbers that are wide enough, and [`Range::wrapped`] brings the result back to the width: the only place
//! where wrapping around matters.
//!
//! Nothing is known about values of more than 64 bits.

use selvedge_program::semantics::integers::{MayOverflow, binary, signed, truncate, unary};
use selvedge_program::{BinOp, Cast, CmpOp, UnOp};
use std::fmt;

/// The widest integers that are tracked.
const WIDEST: u32 = 64;

type Interval = (i64, i64);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    width: u32,
    /// Values with a clear sign bit, then with a set one, both ends included, as signed numbers. Never both `None`.
    halves: [Option<Interval>; 2],
}

/// The number of low bits that determine a value, the others being zeros or copies of the highest of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bits {
    pub count: u32,
    pub signed: bool,
}

impl Range {
    pub fn any(width: u32) -> Range {
        let top = (1i128 << (width.clamp(1, WIDEST) - 1)) as i64;
        let greatest = top.wrapping_sub(1);
        Range { width, halves: [Some((0, greatest)), Some((-greatest - 1, -1))] }
    }

    pub fn exactly(width: u32, bits: u128) -> Range {
        let value = signed(width, bits);
        Range::wrapped(width, value, value)
    }

    /// All numbers from one to another, modulo the width.
    pub fn wrapped(width: u32, low: i128, high: i128) -> Range {
        let modulus = 1i128 << width.min(WIDEST);
        if width > WIDEST || high.saturating_sub(low) >= modulus - 1 {
            return Range::any(width);
        }
        let (least, greatest) = (-modulus / 2, modulus / 2 - 1);
        let turns = (low - least).div_euclid(modulus) * modulus;
        let (low, high) = (low - turns, high - turns);
        let mut range = Range { width, halves: [None; 2] };
        for (from, to) in [(low, high), (low - modulus, high - modulus)] {
            range.add(0, from.max(0), to.min(greatest));
            range.add(1, from.max(least), to.min(-1));
        }
        range
    }

    fn add(&mut self, half: usize, low: i128, high: i128) {
        if low <= high {
            let (low, high) = (low as i64, high as i64);
            let known = self.halves[half];
            self.halves[half] = Some(known.map_or((low, high), |(from, to)| (from.min(low), to.max(high))));
        }
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    pub fn is_any(&self) -> bool {
        self.width > WIDEST || *self == Range::any(self.width)
    }

    pub fn contains(&self, bits: u128) -> bool {
        let value = signed(self.width, bits);
        self.width > WIDEST || self.signed_halves().any(|(low, high)| low <= value && value <= high)
    }

    /// The only value, as bits.
    pub fn single(&self) -> Option<u128> {
        match (self.width <= WIDEST).then_some(self.halves)? {
            [Some((a, b)), None] | [None, Some((a, b))] if a == b => Some(truncate(self.width, a as u128)),
            _ => None,
        }
    }

    fn signed_halves(&self) -> impl Iterator<Item = (i128, i128)> + use<> {
        self.halves.into_iter().flatten().map(|(low, high)| (i128::from(low), i128::from(high)))
    }

    /// Least and greatest, as signed numbers.
    pub fn signed(&self) -> (i128, i128) {
        let all = || self.signed_halves();
        (all().map(|half| half.0).min().unwrap_or(0), all().map(|half| half.1).max().unwrap_or(0))
    }

    /// Least and greatest, as unsigned numbers.
    pub fn unsigned(&self) -> (i128, i128) {
        let all = || self.unsigned_halves();
        (all().map(|half| half.0).min().unwrap_or(0), all().map(|half| half.1).max().unwrap_or(0))
    }

    fn unsigned_halves(&self) -> impl Iterator<Item = (i128, i128)> + use<> {
        let modulus = 1i128 << self.width.min(WIDEST);
        self.signed_halves().map(move |(low, high)| if low < 0 { (low + modulus, high + modulus) } else { (low, high) })
    }

    pub fn may_hold(&self) -> bool {
        self.single() != Some(0)
    }

    pub fn may_fail(&self) -> bool {
        self.contains(0)
    }

    /// The bits that are needed to represent all its values.
    pub fn bits(&self) -> Bits {
        if self.width > WIDEST {
            return Bits { count: self.width, signed: false };
        }
        let length = |value: i128| i128::BITS - value.leading_zeros();
        let (least, greatest) = self.signed();
        let unsigned = length(self.unsigned().1);
        let signed = 1 + length(greatest.max(0)).max(length(!least.min(-1)));
        if signed < unsigned { Bits { count: signed, signed: true } } else { Bits { count: unsigned, signed: false } }
    }

    #[must_use]
    pub fn join(self, other: Range) -> Range {
        let mut all = self;
        for half in 0..2 {
            if let Some((low, high)) = other.halves[half] {
                all.add(half, low.into(), high.into());
            }
        }
        all
    }

    /// The intersection; `None` if it is empty.
    pub fn meet(self, other: Range) -> Option<Range> {
        if self.width > WIDEST {
            return Some(self);
        }
        let both = |half: usize| {
            let ((a, b), (c, d)) = (self.halves[half]?, other.halves[half]?);
            (a.max(c) <= b.min(d)).then(|| (a.max(c), b.min(d)))
        };
        let halves = [both(0), both(1)];
        (halves != [None; 2]).then_some(Range { width: self.width, halves })
    }

    /// A range that contains both, with ends that moved taken further, to the next threshold or the end of the half: so
    /// that a value grows only finitely often (Cousot and Cousot 1977; thresholds: Blanchet and others, PLDI 2003).
    /// Thresholds are signed numbers in ascending order.
    #[must_use]
    pub fn widen(self, grown: Range, thresholds: &[i128]) -> Range {
        let joined = self.join(grown);
        let limits = Range::any(self.width);
        let halves = [0, 1].map(|half| {
            let (least, greatest) = limits.halves[half]?;
            let (low, high) = joined.halves[half]?;
            let old = self.halves[half];
            let low = if old.is_some_and(|(old, _)| old <= low) {
                low
            } else {
                let below = thresholds.iter().rev().find(|&&t| t <= i128::from(low));
                below.map_or(least, |&t| least.max(t.clamp(i64::MIN.into(), i64::MAX.into()) as i64))
            };
            let high = if old.is_some_and(|(_, old)| old >= high) {
                high
            } else {
                let above = thresholds.iter().find(|&&t| t >= i128::from(high));
                above.map_or(greatest, |&t| greatest.min(t.clamp(i64::MIN.into(), i64::MAX.into()) as i64))
            };
            Some((low, high))
        });
        Range { width: self.width, halves }
    }

    /// Whether all values of this range are values of the other.
    pub fn is_within(self, other: Range) -> bool {
        self.width > WIDEST
            || self.halves.iter().zip(other.halves).all(|(mine, others)| match (*mine, others) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some((a, b)), Some((c, d))) => c <= a && b <= d,
            })
    }

    /// The range without a value, if that is at an end of a half.
    pub fn without(mut self, bits: u128) -> Option<Range> {
        let value = signed(self.width, bits);
        for half in &mut self.halves {
            *half = half.and_then(|(low, high)| match (i128::from(low) == value, i128::from(high) == value) {
                // Nothing is left, and beyond the least number there is none to name.
                (true, true) => None,
                (true, false) => Some((low + 1, high)),
                (false, true) => Some((low, high - 1)),
                (false, false) => Some((low, high)),
            });
        }
        (self.halves != [None; 2]).then_some(self)
    }

    pub fn binary(op: BinOp, a: Range, b: Range) -> Range {
        let width = a.width;
        if width > WIDEST {
            return Range::any(width);
        }
        if let (Some(a), Some(b)) = (a.single(), b.single())
            && let Some(value) = binary(op, width, a, b)
        {
            return Range::exactly(width, value);
        }
        let (signed_a, unsigned_a): (Vec<Pair>, Vec<Pair>) =
            (a.signed_halves().collect(), a.unsigned_halves().collect());
        let by = Divisors::new(op, width, b);
        let (a, b, f): (_, _, Exact) = match op {
            BinOp::Add => (signed_a, by.signed, |(a, b), (c, d)| (a + c, b + d)),
            BinOp::Sub => (signed_a, by.signed, |(a, b), (c, d)| (a - d, b - c)),
            BinOp::Mul => (signed_a, by.signed, |a, b| corners(a, b, |x, y| x * y)),
            BinOp::And => (signed_a, by.signed, bitwise_and),
            BinOp::Or => (signed_a, by.signed, |a, b| inverted(bitwise_and(inverted(a), inverted(b)))),
            BinOp::Xor => (signed_a, by.signed, bitwise_xor),
            BinOp::UDiv => (unsigned_a, by.unsigned, |a, b| corners(a, b, |x, y| x / y)),
            BinOp::URem => (unsigned_a, by.unsigned, remainder),
            BinOp::SDiv => (signed_a, by.signed, |a, b| corners(a, b, |x, y| x / y)),
            BinOp::SRem => (signed_a, by.signed, signed_remainder),
            BinOp::Shl => (signed_a, by.unsigned, |a, b| corners(a, b, |x, y| x << y)),
            BinOp::LShr => (unsigned_a, by.unsigned, |a, b| corners(a, b, |x, y| x >> y)),
            BinOp::AShr => (signed_a, by.unsigned, |a, b| corners(a, b, |x, y| x >> y)),
        };
        let pairs = a.iter().flat_map(|a| b.iter().map(|b| f(*a, *b)));
        let results = pairs.map(|(low, high)| Range::wrapped(width, low, high));
        results.reduce(Range::join).unwrap_or(Range::any(width))
    }

    /// Whether the true result of add, sub or mul differs from the wrapped one, as a range of a Boolean.
    pub fn overflows(op: BinOp, signed: bool, a: Range, b: Range) -> Range {
        let (x, y) = if signed { (a.signed(), b.signed()) } else { (a.unsigned(), b.unsigned()) };
        let exact = match MayOverflow::of(op) {
            Some(MayOverflow::Add) => (x.0 + y.0, x.1 + y.1),
            Some(MayOverflow::Sub) => (x.0 - y.1, x.1 - y.0),
            Some(MayOverflow::Mul) if signed || a.width < WIDEST => corners(x, y, |x, y| x * y),
            Some(MayOverflow::Mul | MayOverflow::Shl) => return Range::any(1),
            None => return Range::exactly(1, 0),
        };
        let all = Range::any(a.width);
        let (least, greatest) = if signed { all.signed() } else { all.unsigned() };
        if a.width <= WIDEST && least <= exact.0 && exact.1 <= greatest { Range::exactly(1, 0) } else { Range::any(1) }
    }

    pub fn unary(op: UnOp, a: Range) -> Range {
        let width = a.width;
        if let Some(value) = a.single() {
            return Range::exactly(width, unary(op, width, value));
        }
        let all = i128::from(width);
        let length = |value: i128| all - i128::from(i128::BITS - value.leading_zeros());
        match op {
            UnOp::CountLeadingZeros if width <= WIDEST => {
                let (least, greatest) = a.unsigned();
                Range::wrapped(width, length(greatest), length(least))
            }
            UnOp::CountOnes | UnOp::CountLeadingZeros | UnOp::CountTrailingZeros => Range::wrapped(width, 0, all),
            UnOp::SwapBytes | UnOp::ReverseBits => Range::any(width),
        }
    }

    /// A cast between integers; the result of a cast from a float may be anything.
    pub fn cast(cast: Cast, value: Range, to: u32) -> Range {
        let pieces: Vec<Pair> = match cast {
            _ if value.width > WIDEST => return Range::any(to),
            Cast::SignExtend => value.signed_halves().collect(),
            Cast::ZeroExtend | Cast::Truncate | Cast::PtrToInt | Cast::IntToPtr | Cast::Reinterpret => {
                value.unsigned_halves().collect()
            }
            Cast::FloatToSigned
            | Cast::FloatToUnsigned
            | Cast::SignedToFloat
            | Cast::UnsignedToFloat
            | Cast::FloatToFloat => return Range::any(to),
        };
        let results = pieces.into_iter().map(|(low, high)| Range::wrapped(to, low, high));
        results.reduce(Range::join).unwrap_or(Range::any(to))
    }

    /// The result of a comparison, as a range of a Boolean.
    pub fn compare(op: CmpOp, a: Range, b: Range) -> Range {
        let holds = Range::given(op, a, b).is_some();
        let fails = Range::given(converse(op), a, b).is_some();
        match (holds, fails) {
            (true, false) => Range::exactly(1, 1),
            (false, true) => Range::exactly(1, 0),
            _ => Range::any(1),
        }
    }

    /// The operands restricted to values for which the comparison holds; `None` if it never does.
    pub fn given(op: CmpOp, a: Range, b: Range) -> Option<(Range, Range)> {
        let width = a.width;
        if width > WIDEST {
            return Some((a, b));
        }
        let all = Range::any(width);
        let between = |(low, high): Pair| (low <= high).then(|| Range::wrapped(width, low, high));
        let at_most = |limits: Pair, a: Pair, b: Pair, less: i128| {
            Some((between((limits.0, b.1 - less))?, between((a.0 + less, limits.1))?))
        };
        let (limit_a, limit_b) = match op {
            CmpOp::Ult => at_most(all.unsigned(), a.unsigned(), b.unsigned(), 1)?,
            CmpOp::Ule => at_most(all.unsigned(), a.unsigned(), b.unsigned(), 0)?,
            CmpOp::Slt => at_most(all.signed(), a.signed(), b.signed(), 1)?,
            CmpOp::Sle => at_most(all.signed(), a.signed(), b.signed(), 0)?,
            CmpOp::Eq => (b, a),
            CmpOp::Ne => {
                let left = |x: Range, y: Range| y.single().map_or(Some(x), |value| x.without(value));
                return Some((left(a, b)?, left(b, a)?));
            }
            CmpOp::Ugt | CmpOp::Uge | CmpOp::Sgt | CmpOp::Sge => {
                return Range::given(swapped(op), b, a).map(|(b, a)| (a, b));
            }
        };
        Some((a.meet(limit_a)?, b.meet(limit_b)?))
    }
}

/// The comparison that holds exactly where this one does not.
pub fn converse(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Eq => CmpOp::Ne,
        CmpOp::Ne => CmpOp::Eq,
        CmpOp::Ult => CmpOp::Uge,
        CmpOp::Ule => CmpOp::Ugt,
        CmpOp::Ugt => CmpOp::Ule,
        CmpOp::Uge => CmpOp::Ult,
        CmpOp::Slt => CmpOp::Sge,
        CmpOp::Sle => CmpOp::Sgt,
        CmpOp::Sgt => CmpOp::Sle,
        CmpOp::Sge => CmpOp::Slt,
    }
}

/// The comparison with its operands exchanged.
fn swapped(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Ugt => CmpOp::Ult,
        CmpOp::Uge => CmpOp::Ule,
        CmpOp::Sgt => CmpOp::Slt,
        CmpOp::Sge => CmpOp::Sle,
        op => op,
    }
}

type Pair = (i128, i128);
/// An operation on halves, in numbers that are wide enough.
type Exact = fn(Pair, Pair) -> Pair;

/// A second operand: a divisor that is not zero, or a shift amount less than the width. Anything else ends the run, or
/// is truncated.
struct Divisors {
    signed: Vec<Pair>,
    unsigned: Vec<Pair>,
}

impl Divisors {
    fn new(op: BinOp, width: u32, b: Range) -> Divisors {
        let (mut signed, mut unsigned): (Vec<Pair>, Vec<Pair>) =
            (b.signed_halves().collect(), b.unsigned_halves().collect());
        match op {
            BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem => {
                for all in [&mut signed, &mut unsigned] {
                    all.retain(|half| *half != (0, 0));
                    all.iter_mut().filter(|half| half.0 == 0).for_each(|half| half.0 = 1);
                }
            }
            BinOp::Shl | BinOp::LShr | BinOp::AShr => {
                let (last, (low, high)) = (i128::from(width) - 1, b.unsigned());
                unsigned = vec![if high > last { (0, last) } else { (low, high) }];
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor => {}
        }
        Divisors { signed, unsigned }
    }
}

/// The range of a function that is monotone in each operand.
fn corners(a: Pair, b: Pair, f: impl Fn(i128, i128) -> i128) -> Pair {
    let all = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
    all.iter().fold((all[0], all[0]), |(low, high), x| (low.min(*x), high.max(*x)))
}

fn inverted((low, high): Pair) -> Pair {
    (!high, !low)
}

/// The least power of two above all values, or above their complements if they are negative.
fn above((low, high): Pair) -> i128 {
    let most = if low < 0 { !low } else { high };
    1 << (i128::BITS - most.leading_zeros())
}

fn bitwise_and(a: Pair, b: Pair) -> Pair {
    match (a.0 < 0, b.0 < 0) {
        (false, false) => (0, a.1.min(b.1)),
        (false, true) => (0, a.1),
        (true, false) => (0, b.1),
        (true, true) => (-above(a).max(above(b)), a.1.min(b.1)),
    }
}

fn bitwise_xor(a: Pair, b: Pair) -> Pair {
    let above = above(a).max(above(b));
    if (a.0 < 0) == (b.0 < 0) { (0, above - 1) } else { (-above, -1) }
}

/// The remainder of a nonnegative number by a positive one.
fn remainder(a: Pair, b: Pair) -> Pair {
    if a.1 < b.0 { a } else { (0, a.1.min(b.1 - 1)) }
}

fn signed_remainder(a: Pair, b: Pair) -> Pair {
    let negated = |(low, high): Pair| (-high, -low);
    let b = if b.0 < 0 { negated(b) } else { b };
    if a.0 < 0 { negated(remainder(negated(a), b)) } else { remainder(a, b) }
}

/// In readable form: `7`, `-1..2`, `any`.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, greatest) = if self.bits().signed { self.signed() } else { self.unsigned() };
        match self.single() {
            _ if self.is_any() => f.write_str("any"),
            Some(_) => write!(f, "{}", self.signed().0),
            None => write!(f, "{least}..{greatest}"),
        }
    }
}
