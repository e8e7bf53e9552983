//! What a pointer term may point to, read off the term.
//!
//! In this encoding every value is a function of the schedule, so the addresses that a pointer may
//! hold stand in the leaves of its term. What is left unknown (an input used as a pointer) is said.

use super::memory::Pointers;
use selvedge_formula::{Node, Term, Terms};
use selvedge_program::GlobalId;
use std::collections::{BTreeSet, HashMap};

#[derive(Clone, Debug, Default)]
pub struct Leaves {
    pub objects: BTreeSet<GlobalId>,
    /// It may also be something that we cannot name.
    pub unknown: bool,
}

#[derive(Default)]
pub struct ValueSets {
    known: HashMap<Term, Leaves>,
}

impl ValueSets {
    pub fn of(&mut self, terms: &Terms, pointers: Pointers, term: Term) -> Leaves {
        for part in terms.cone([term]) {
            if !self.known.contains_key(&part) {
                let leaves = self.compose(terms, pointers, part);
                self.known.insert(part, leaves);
            }
        }
        self.known.get(&term).cloned().unwrap_or_default()
    }

    /// From the children's leaves, which are known by now.
    fn compose(&self, terms: &Terms, pointers: Pointers, term: Term) -> Leaves {
        let child = |t: Term| self.known.get(&t).cloned().unwrap_or_default();
        let both = |a: Term, b: Term| {
            let (mut a, b) = (child(a), child(b));
            a.objects.extend(b.objects);
            a.unknown |= b.unknown;
            a
        };
        match terms.node(term) {
            Node::Const { bits, value } if bits == pointers.bits => Leaves {
                objects: pointers.object((value >> pointers.offset_bits) as u64).into_iter().collect(),
                unknown: false,
            },
            Node::Const { .. } => Leaves::default(),
            Node::Var { bits, .. } => Leaves { objects: BTreeSet::new(), unknown: bits == pointers.bits },
            Node::Ite(_, a, b) | Node::Add(a, b) | Node::Sub(a, b) | Node::And(a, b) | Node::Concat(a, b) => both(a, b),
            Node::Xor(a, b) => both(a, b),
            Node::Not(a) | Node::Neg(a) => child(a),
            Node::ZeroExtend { of, .. } | Node::SignExtend { of, .. } | Node::Extract { of, .. } => child(of),
            // Sums of products and the like are offsets: they name nothing.
            _ => Leaves::default(),
        }
    }
}

/// How many low bits of the term are surely zero.
pub fn zero_bits(terms: &Terms, term: Term) -> u32 {
    let mut known: HashMap<Term, u32> = HashMap::new();
    for part in terms.cone([term]) {
        let of = |t: Term| known.get(&t).copied().unwrap_or(0);
        let bits = terms.bits(part);
        let zeros = match terms.node(part) {
            Node::Const { value, .. } => value.trailing_zeros().min(bits),
            Node::Add(a, b) | Node::Sub(a, b) | Node::Xor(a, b) => of(a).min(of(b)),
            Node::And(a, b) => of(a).max(of(b)),
            Node::Ite(_, a, b) => of(a).min(of(b)),
            Node::Mul(a, b) => (of(a) + of(b)).min(bits),
            Node::ZeroExtend { of: t, .. } | Node::SignExtend { of: t, .. } | Node::Neg(t) => of(t),
            Node::Extract { of: t, low: 0, .. } => of(t).min(bits),
            Node::Concat(high, low) if of(low) == terms.bits(low) => of(low) + of(high),
            Node::Concat(_, low) => of(low),
            _ => 0,
        };
        known.insert(part, zeros);
    }
    known.get(&term).copied().unwrap_or(0)
}
