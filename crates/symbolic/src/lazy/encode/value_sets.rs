//! Value sets: the addresses that a term may be.
//!
//! Every value is a function of the schedule and of the inputs, so the addresses that a pointer may hold stand in the
//! leaves of its term. That is often more precise than the points-to analysis. Bits that are the same in all of them
//! cost nothing in the formula.

use super::pointers::Pointers;
use hashbrown::HashMap;
use selvedge_formula::{Node, Term, Terms};
use selvedge_program::GlobalId;
use std::rc::Rc;

/// The objects that a term may point to, in order.
pub type Leaves = Rc<[GlobalId]>;

/// By term: the objects that it may point to, computed once. `None`: the term does not tell, because it is put together
/// from parts of addresses.
pub struct ValueSets {
    known: HashMap<Term, Option<Leaves>>,
    nothing: Leaves,
}

impl Default for ValueSets {
    fn default() -> ValueSets {
        ValueSets { known: HashMap::new(), nothing: Rc::from([]) }
    }
}

impl ValueSets {
    pub fn of(&mut self, terms: &Terms, pointers: &Pointers, term: Term) -> Option<Leaves> {
        // Depth first, with a stack of our own: terms are deep.
        let mut waiting = vec![(term, false)];
        while let Some((part, children_known)) = waiting.pop() {
            if self.known.contains_key(&part) {
                continue;
            }
            if children_known {
                let leaves = self.compose(terms, pointers, part);
                self.known.insert(part, leaves);
            } else {
                waiting.push((part, true));
                waiting.extend(carriers(terms, pointers, part).into_iter().flatten().map(|child| (child, false)));
            }
        }
        self.known.get(&term).cloned().flatten()
    }

    /// Terms other than the first so many are forgotten.
    pub fn forget(&mut self, kept: usize) {
        self.known.retain(|term, _| term.index() < kept);
    }

    /// From the children's leaves, which are known by now.
    fn compose(&self, terms: &Terms, pointers: &Pointers, term: Term) -> Option<Leaves> {
        match terms.node(term) {
            Node::Const { bits, value } => {
                let number = match bits {
                    bits if bits == pointers.bits => Some((value >> pointers.offset_bits) as u64),
                    bits if bits == pointers.number_bits() => Some(value as u64),
                    _ => None,
                };
                let object = number.and_then(|number| pointers.object(number));
                return Some(object.map_or_else(|| self.nothing.clone(), |object| Rc::from([object])));
            }
            Node::Ite(..) | Node::Add(..) | Node::Sub(..) => {}
            Node::Concat(..) | Node::Extract { .. } if carriers(terms, pointers, term)[0].is_some() => {}
            // An index, a product: it names nothing.
            Node::Mul(..) | Node::SignExtend { .. } | Node::ZeroExtend { .. } => return Some(self.nothing.clone()),
            _ => return None,
        }
        let mut union = self.nothing.clone();
        for child in carriers(terms, pointers, term).into_iter().flatten() {
            let leaves = self.known.get(&child)?.as_ref()?;
            if union.is_empty() {
                union = leaves.clone();
            } else if !leaves.is_empty() && !Rc::ptr_eq(&union, leaves) && union != *leaves {
                let mut both: Vec<GlobalId> = union.iter().chain(leaves.iter()).copied().collect();
                both.sort_unstable();
                both.dedup();
                union = both.into();
            }
        }
        Some(union)
    }
}

/// The children through which an address may come, or the window that it lies in.
fn carriers(terms: &Terms, pointers: &Pointers, term: Term) -> [Option<Term>; 2] {
    match terms.node(term) {
        Node::Ite(_, a, b) | Node::Add(a, b) | Node::Sub(a, b) => [Some(a), Some(b)],
        Node::Concat(number, place)
            if terms.bits(term) == pointers.bits && terms.bits(place) == pointers.offset_bits =>
        {
            [Some(number), None]
        }
        Node::Extract { of, low, bits }
            if (low, bits) == (pointers.offset_bits, pointers.number_bits()) && terms.bits(of) == pointers.bits =>
        {
            [Some(of), None]
        }
        _ => [None, None],
    }
}

/// The low bits of a term that are the same whatever its variables are: how many, and their value.
pub fn known_low_bits(terms: &Terms, term: Term, known: &mut HashMap<Term, (u32, u128)>) -> (u32, u128) {
    let mut waiting = vec![(term, false)];
    while let Some((part, children_known)) = waiting.pop() {
        if known.contains_key(&part) {
            continue;
        }
        let node = terms.node(part);
        if !children_known {
            waiting.push((part, true));
            waiting.extend(node.children().map(|child| (child, false)));
            continue;
        }
        let of = |t: Term| known.get(&t).copied().unwrap_or((0, 0));
        let bits = terms.bits(part);
        let (count, value) = match node {
            Node::Const { value, .. } => (bits, value),
            Node::Add(a, b) => (of(a).0.min(of(b).0), of(a).1.wrapping_add(of(b).1)),
            Node::Sub(a, b) => (of(a).0.min(of(b).0), of(a).1.wrapping_sub(of(b).1)),
            Node::Xor(a, b) => (of(a).0.min(of(b).0), of(a).1 ^ of(b).1),
            Node::Ite(_, a, b) => {
                let same = (of(a).1 ^ of(b).1).trailing_zeros();
                (of(a).0.min(of(b).0).min(same), of(a).1)
            }
            // 2^i divides a, 2^j divides b: 2^(i+j) divides the product.
            Node::Mul(a, b) => {
                let zeros = |(count, value): (u32, u128)| value.trailing_zeros().min(count);
                (zeros(of(a)) + zeros(of(b)), 0)
            }
            Node::ZeroExtend { of: t, .. } | Node::SignExtend { of: t, .. } => of(t),
            Node::Extract { of: t, low: 0, .. } => of(t),
            Node::Concat(high, low) if of(low).0 == terms.bits(low) => {
                let width = terms.bits(low);
                (width + of(high).0, of(low).1 | of(high).1.checked_shl(width).unwrap_or(0))
            }
            Node::Concat(_, low) => of(low),
            _ => (0, 0),
        };
        let count = count.min(bits);
        let value = if count == 0 { 0 } else { value & selvedge_formula::mask(count) };
        known.insert(part, (count, value));
    }
    known.get(&term).copied().unwrap_or((0, 0))
}
