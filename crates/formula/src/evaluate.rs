//! The meaning of the operations: the value of a term, given the values of its variables.
//!
//! As in SMT-LIB's theory of fixed-size bit-vectors every operation is total. Division by zero gives
//! all ones, its remainder the dividend; signed division works on absolute values and repairs the
//! signs; a shift by the width or more leaves zeros, or copies of the sign.

use crate::terms::{Node, Term, Terms, mask, signed};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

impl Terms {
    /// The value of a term, given the values of its variables. Not recursive, and each shared
    /// subterm is evaluated once; to share work between terms too, keep an [`Evaluator`].
    pub fn evaluate(&self, t: Term, value_of_variable: &mut dyn FnMut(Term) -> u128) -> u128 {
        Evaluator::new().value(self, t, &mut |t| matches!(self.node(t), Node::Var { .. }).then(|| value_of_variable(t)))
    }

    /// The value of a node, given those of its children.
    pub fn apply(&self, node: Node, value: impl Fn(Term) -> u128) -> u128 {
        use Node::*;
        let int = |t: Term| signed(self.bits(t), value(t));
        let shift = |t: Term, by: Term| u32::try_from(value(by)).ok().filter(|&by| by < self.bits(t));
        let result = |t: Term, raw: u128| raw & mask(self.bits(t));
        match node {
            Const { value, .. } => value,
            Var { .. } => unreachable!("a variable has no value of its own"),
            Not(a) => result(a, !value(a)),
            And(a, b) => value(a) & value(b),
            Xor(a, b) => value(a) ^ value(b),
            Neg(a) => result(a, value(a).wrapping_neg()),
            Add(a, b) => result(a, value(a).wrapping_add(value(b))),
            Sub(a, b) => result(a, value(a).wrapping_sub(value(b))),
            Mul(a, b) => result(a, value(a).wrapping_mul(value(b))),
            Udiv(a, b) => value(a).checked_div(value(b)).unwrap_or(mask(self.bits(a))),
            Urem(a, b) => value(a).checked_rem(value(b)).unwrap_or(value(a)),
            Sdiv(a, b) if value(b) == 0 => result(a, if int(a) < 0 { 1 } else { u128::MAX }),
            Sdiv(a, b) => result(a, int(a).wrapping_div(int(b)).cast_unsigned()),
            Srem(a, b) if value(b) == 0 => value(a),
            Srem(a, b) => result(a, int(a).wrapping_rem(int(b)).cast_unsigned()),
            Shl(a, by) => shift(a, by).map_or(0, |by| result(a, value(a) << by)),
            Lshr(a, by) => shift(a, by).map_or(0, |by| value(a) >> by),
            Ashr(a, by) => result(a, (int(a) >> shift(a, by).unwrap_or(127)).cast_unsigned()),
            Eq(a, b) => u128::from(value(a) == value(b)),
            Ult(a, b) => u128::from(value(a) < value(b)),
            Slt(a, b) => u128::from(int(a) < int(b)),
            Ite(c, a, b) => value(if value(c) != 0 { a } else { b }),
            ZeroExtend { of, .. } => value(of),
            SignExtend { of, bits } => int(of).cast_unsigned() & mask(bits),
            Extract { of, low, bits } => (value(of) >> low) & mask(bits),
            Concat(high, low) => value(high) << self.bits(low) | value(low),
        }
    }
}

/// Evaluates many terms under one assignment and remembers their values.
#[derive(Default)]
pub struct Evaluator {
    values: HashMap<Term, u128, FixedState>,
}

impl Evaluator {
    pub fn new() -> Evaluator {
        Evaluator::default()
    }

    /// The value of a term. Terms for which `known` returns a value are not expanded; it must return
    /// one for every variable, and always the same.
    pub fn value(&mut self, terms: &Terms, t: Term, known: &mut dyn FnMut(Term) -> Option<u128>) -> u128 {
        let values = &mut self.values;
        let mut leaves = Vec::new();
        let mut seen = hashbrown::HashSet::with_hasher(FixedState::default());
        let inner = terms.cone_of_new([t], |t| {
            if values.contains_key(&t) || !seen.insert(t) {
                return false;
            }
            let value = known(t);
            leaves.extend(value.map(|value| (t, value)));
            value.is_none()
        });
        values.extend(leaves);
        for t in inner {
            let value = terms.apply(terms.node(t), |child| values[&child]);
            values.insert(t, value);
        }
        values[&t]
    }
}
