//! Knowledge of one bit-vector: an interval for each sign bit, and the values themselves while they are few.
//!
//! The intervals are `analyze::range`'s, exact about wrapping around. Operations are those of `formula`'s terms, where
//! every operation is total: division by zero and shifts beyond the width have results, too.

use selvedge_analyze::range::{Range, converse};
use selvedge_formula::{Node, Term, Terms, mask};
use selvedge_program::{BinOp, Cast, CmpOp};
use std::sync::{Arc, LazyLock};

/// The most values that are kept one by one.
const FEW: usize = 8;

#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    bits: u32,
    range: Range,
    /// All possible values in ascending order, if they are few. `range` is their hull.
    few: Option<Arc<[u128]>>,
}

impl Value {
    pub fn any(bits: u32) -> Value {
        if bits == 1 { Value::any_bit() } else { Value::within(Range::any(bits)) }
    }

    fn any_bit() -> Value {
        static BOTH: LazyLock<Arc<[u128]>> = LazyLock::new(|| [0, 1].into());
        Value { bits: 1, range: Range::any(1), few: Some(Arc::clone(&BOTH)) }
    }

    pub fn exactly(bits: u32, value: u128) -> Value {
        Value { bits, range: Range::exactly(bits, value), few: Some([value].into()) }
    }

    fn within(range: Range) -> Value {
        let bits = range.width();
        match range.single() {
            Some(value) => Value::exactly(bits, value),
            None if bits == 1 => Value::any_bit(),
            None => Value { bits, range, few: None },
        }
    }

    /// One of these, at least one.
    fn of(bits: u32, mut values: Vec<u128>) -> Value {
        values.sort_unstable();
        values.dedup();
        let ranges = values.iter().map(|&value| Range::exactly(bits, value));
        let range = ranges.reduce(Range::join).expect("a value");
        Value { bits, range, few: (values.len() <= FEW).then(|| values.into()) }
    }

    pub fn bits(&self) -> u32 {
        self.bits
    }

    pub fn range(&self) -> Range {
        self.range
    }

    /// The possible values, if they are few.
    pub fn few(&self) -> Option<&[u128]> {
        self.few.as_deref()
    }

    pub fn single(&self) -> Option<u128> {
        match self.few() {
            Some([value]) => Some(*value),
            _ => None,
        }
    }

    pub fn is_any(&self) -> bool {
        if self.bits == 1 {
            self.few().is_some_and(|few| few.len() == 2)
        } else {
            self.few.is_none() && self.range.is_any()
        }
    }

    /// A Boolean that holds, or fails, or may do both.
    pub fn truth(&self) -> Option<bool> {
        self.single().map(|value| value != 0)
    }

    pub fn contains(&self, value: u128) -> bool {
        self.few().map_or_else(|| self.range.contains(value), |few| few.binary_search(&value).is_ok())
    }

    pub fn join(&self, other: &Value) -> Value {
        match (self.few(), other.few()) {
            (Some(a), Some(b)) => Value::of(self.bits, a.iter().chain(b).copied().collect()),
            _ => Value::within(self.range.join(other.range)),
        }
    }

    /// `None`: no value.
    pub fn meet(&self, other: &Value) -> Option<Value> {
        let keep = |value: &Value, few: &[u128], other: &Value| {
            if few.iter().all(|&value| other.contains(value)) {
                return Some(value.clone());
            }
            let both: Vec<u128> = few.iter().copied().filter(|&value| other.contains(value)).collect();
            (!both.is_empty()).then(|| Value::of(self.bits, both))
        };
        match (self.few(), other.few()) {
            (Some(few), _) => keep(self, few, other),
            (None, Some(few)) => keep(other, few, self),
            (None, None) if self.is_any() => Some(other.clone()),
            (None, None) if other.is_any() => Some(self.clone()),
            (None, None) => Some(Value::within(self.range.meet(other.range)?)),
        }
    }

    pub fn without(&self, value: u128) -> Option<Value> {
        match self.few() {
            Some(few) => {
                let left: Vec<u128> = few.iter().copied().filter(|&other| other != value).collect();
                (!left.is_empty()).then(|| Value::of(self.bits, left))
            }
            None if self.bits > 64 => Some(self.clone()),
            None => Some(Value::within(self.range.without(value)?)),
        }
    }

    pub fn is_within(&self, other: &Value) -> bool {
        match (self.few(), other.few()) {
            (Some(few), _) => few.iter().all(|&value| other.contains(value)),
            (None, Some(_)) => false,
            (None, None) => self.range.is_within(other.range),
        }
    }

    /// Grows only finitely often: few values stay few for a while, then their hull is widened.
    pub fn widen(&self, grown: &Value, thresholds: &[i128]) -> Value {
        let joined = self.join(grown);
        if joined.few.is_some() || self.is_any() {
            return joined;
        }
        Value::within(self.range.widen(grown.range, thresholds))
    }

    /// The value of a node, given those of its children. A node that is a variable has none.
    pub fn apply(terms: &Terms, term: Term, of: &dyn Fn(Term) -> Value) -> Value {
        let node = terms.node(term);
        let bits = terms.bits(term);
        if let Some(value) = Value::one_by_one(terms, node, bits, of) {
            return value;
        }
        let binary = |op, a: Term, b: Term| Value::within(Range::binary(op, of(a).range, of(b).range));
        let compared = |op, a: Term, b: Term| Value::compare(op, &of(a), &of(b));
        match node {
            Node::Const { value, .. } => Value::exactly(bits, value),
            Node::Var { .. } => Value::any(bits),
            Node::Not(a) => Value::within(Range::binary(BinOp::Sub, Range::exactly(bits, mask(bits)), of(a).range)),
            Node::Neg(a) => Value::within(Range::binary(BinOp::Sub, Range::exactly(bits, 0), of(a).range)),
            Node::And(a, b) => binary(BinOp::And, a, b),
            Node::Xor(a, b) => binary(BinOp::Xor, a, b),
            Node::Add(a, b) => binary(BinOp::Add, a, b),
            Node::Sub(a, b) => binary(BinOp::Sub, a, b),
            Node::Mul(a, b) => binary(BinOp::Mul, a, b),
            Node::Udiv(a, b) => Value::divided(BinOp::UDiv, &of(a), &of(b)),
            Node::Sdiv(a, b) => Value::divided(BinOp::SDiv, &of(a), &of(b)),
            Node::Urem(a, b) => Value::divided(BinOp::URem, &of(a), &of(b)),
            Node::Srem(a, b) => Value::divided(BinOp::SRem, &of(a), &of(b)),
            Node::Shl(a, b) => Value::shifted(BinOp::Shl, &of(a), &of(b)),
            Node::Lshr(a, b) => Value::shifted(BinOp::LShr, &of(a), &of(b)),
            Node::Ashr(a, b) => Value::shifted(BinOp::AShr, &of(a), &of(b)),
            Node::Eq(a, b) => compared(CmpOp::Eq, a, b),
            Node::Ult(a, b) => compared(CmpOp::Ult, a, b),
            Node::Slt(a, b) => compared(CmpOp::Slt, a, b),
            Node::Ite(c, a, b) => match of(c).truth() {
                Some(true) => of(a),
                Some(false) => of(b),
                None => of(a).join(&of(b)),
            },
            Node::ZeroExtend { of: a, bits } => of(a).cast(Cast::ZeroExtend, bits),
            Node::SignExtend { of: a, bits } => of(a).cast(Cast::SignExtend, bits),
            Node::Extract { of: a, low, bits } => {
                let a = of(a);
                let shifted = if low == 0 || a.bits > 64 {
                    a.range
                } else {
                    Range::binary(BinOp::LShr, a.range, Range::exactly(a.bits, low.into()))
                };
                Value::within(Range::cast(Cast::Truncate, shifted, bits))
            }
            Node::Concat(high, low) if bits <= 64 => {
                let (high, low) = (of(high), of(low));
                let ((a, b), (c, d)) = (high.range.unsigned(), low.range.unsigned());
                Value::within(Range::wrapped(bits, (a << low.bits) + c, (b << low.bits) + d))
            }
            Node::Concat(..) => Value::any(bits),
        }
    }

    /// By computing with each of few values.
    fn one_by_one(terms: &Terms, node: Node, bits: u32, of: &dyn Fn(Term) -> Value) -> Option<Value> {
        let children: Vec<Term> = node.children().collect();
        if children.is_empty() || matches!(node, Node::Ite(..)) {
            return None;
        }
        let few: Vec<Arc<[u128]>> = children.iter().map(|&child| of(child).few).collect::<Option<_>>()?;
        let apply = |picked: &[u128]| {
            let position = |child: Term| children.iter().position(|&other| other == child);
            terms.apply(node, |child| position(child).map_or(0, |position| picked[position]))
        };
        let values = match few.as_slice() {
            [a] => a.iter().map(|&a| apply(&[a])).collect(),
            [a, _] if children[0] == children[1] => a.iter().map(|&a| apply(&[a, a])).collect(),
            [a, b] => a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b))).map(|(a, b)| apply(&[a, b])).collect(),
            _ => return None,
        };
        Some(Value::of(bits, values))
    }

    fn divided(op: BinOp, a: &Value, b: &Value) -> Value {
        if a.bits > 64 {
            return Value::any(a.bits);
        }
        let by_others = b.without(0).map(|b| Value::within(Range::binary(op, a.range, b.range)));
        if !b.contains(0) {
            return by_others.unwrap_or(Value::any(a.bits));
        }
        let by_zero = match op {
            BinOp::UDiv => Value::exactly(a.bits, mask(a.bits)),
            BinOp::URem | BinOp::SRem => a.clone(),
            _ => Value::any(a.bits),
        };
        by_others.map_or(by_zero.clone(), |others| others.join(&by_zero))
    }

    fn shifted(op: BinOp, a: &Value, by: &Value) -> Value {
        if a.bits > 64 {
            return Value::any(a.bits);
        }
        if by.range.unsigned().1 >= i128::from(a.bits) {
            return Value::any(a.bits);
        }
        Value::within(Range::binary(op, a.range, by.range))
    }

    pub fn binary(op: BinOp, a: &Value, b: &Value) -> Value {
        Value::within(Range::binary(op, a.range, b.range))
    }

    pub fn wrapped(bits: u32, low: i128, high: i128) -> Value {
        Value::within(Range::wrapped(bits, low, high))
    }

    /// Between integers.
    pub fn cast(&self, cast: Cast, bits: u32) -> Value {
        if let Some(few) = self.few() {
            let one = |&value: &u128| match cast {
                Cast::SignExtend => selvedge_formula::signed(self.bits, value).cast_unsigned() & mask(bits),
                _ => value & mask(bits),
            };
            return Value::of(bits, few.iter().map(one).collect());
        }
        Value::within(Range::cast(cast, self.range, bits))
    }

    fn compare(op: CmpOp, a: &Value, b: &Value) -> Value {
        let holds = Value::given(op, a, b).is_some();
        let fails = Value::given(converse(op), a, b).is_some();
        match (holds, fails) {
            (true, false) => Value::exactly(1, 1),
            (false, true) => Value::exactly(1, 0),
            _ => Value::any(1),
        }
    }

    /// The operands where the comparison holds; `None` if it never does.
    pub fn given(op: CmpOp, a: &Value, b: &Value) -> Option<(Value, Value)> {
        match op {
            CmpOp::Eq => {
                let both = a.meet(b)?;
                return Some((both.clone(), both));
            }
            CmpOp::Ne => {
                let left = |x: &Value, y: &Value| y.single().map_or(Some(x.clone()), |value| x.without(value));
                return Some((left(a, b)?, left(b, a)?));
            }
            CmpOp::Ult | CmpOp::Ule | CmpOp::Ugt | CmpOp::Uge | CmpOp::Slt | CmpOp::Sle | CmpOp::Sgt | CmpOp::Sge => {}
        }
        let (limit_a, limit_b) = Range::given(op, a.range, b.range)?;
        Some((a.meet(&Value::within(limit_a))?, b.meet(&Value::within(limit_b))?))
    }

    /// As a statement about a term: the weakest that implies membership.
    pub fn says(&self, terms: &mut Terms, of: Term) -> Term {
        if self.is_any() {
            return Terms::TRUE;
        }
        if let Some(few) = self.few() {
            let mut one = Terms::FALSE;
            for &value in few {
                let value = terms.constant(self.bits, value);
                let is = terms.eq(of, value);
                one = terms.or(one, is);
            }
            return one;
        }
        // Signed bounds give the ends of the halves that are far from zero, unsigned bounds those that are near.
        let bound = |terms: &mut Terms, bound: i128| terms.constant(self.bits, bound.cast_unsigned());
        let ((least, most), (low, high)) = (self.range.signed(), self.range.unsigned());
        let [least, most, low, high] = [least, most, low, high].map(|value| bound(terms, value));
        let parts = [terms.sle(least, of), terms.sle(of, most), terms.ule(low, of), terms.ule(of, high)];
        terms.and_all(parts)
    }
}
