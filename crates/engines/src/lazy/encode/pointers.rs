//! Pointers in the formula: the bits (object, offset), as on the VM, but objects are numbered as the
//! bounded program numbers them.
//!
//! What a pointer may point to is known from the points-to analysis, and often better from its term: every
//! value is a function of the schedule and of the inputs, so the addresses that a pointer may hold stand in
//! the leaves of its term. Bits that are the same in all of them cost nothing in the formula.

use hashbrown::HashMap;
use selvedge_bound::Bounded;
use selvedge_formula::{Node, Term, Terms};
use selvedge_program::{EntityRef, GlobalId, Operand};
use std::rc::Rc;

/// How pointers are cut into object number and offset. 0 is null, then functions, then objects.
#[derive(Clone, Copy, Debug)]
pub struct Pointers {
    pub bits: u32,
    pub offset_bits: u32,
    pub functions: u64,
    objects: u64,
}

impl Pointers {
    pub fn new(bounded: &Bounded<'_>) -> Pointers {
        let bits = bounded.program.data_model.pointer_bits();
        let (functions, objects) = (bounded.program.functions.len() as u64, bounded.objects.len() as u64);
        Pointers { bits, offset_bits: bits / 2, functions, objects }
    }

    /// Do all objects fit?
    pub fn suffice(self, bounded: &Bounded<'_>) -> bool {
        let range = 1u64 << self.offset_bits;
        self.functions + self.objects + 1 < range && bounded.objects.values().all(|object| object.size < range)
    }

    pub fn number_bits(self) -> u32 {
        self.bits - self.offset_bits
    }

    pub fn number(self, object: GlobalId) -> u64 {
        1 + self.functions + object.index() as u64
    }

    fn object(self, number: u64) -> Option<GlobalId> {
        let index = number.checked_sub(1 + self.functions)?;
        (index < self.objects).then(|| GlobalId::new(index as usize))
    }

    /// The bits of an address.
    pub fn address(self, operand: Operand) -> Option<u128> {
        let mask = (1u128 << self.bits) - 1;
        match operand {
            Operand::Const { bits, .. } => Some(bits),
            Operand::Func(id) => Some((id.index() as u128 + 1) << self.offset_bits),
            Operand::Global { id, offset } => {
                Some((u128::from(self.number(id)) << self.offset_bits).wrapping_add(offset as u128) & mask)
            }
            Operand::Reg(_) => None,
        }
    }
}

/// The objects that a term may point to, in order.
pub type Leaves = Rc<[GlobalId]>;

/// What terms may point to, looked up once. `None`: the term does not tell, because it is put together from
/// parts of addresses.
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
    pub fn of(&mut self, terms: &Terms, pointers: Pointers, term: Term) -> Option<Leaves> {
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
                waiting.extend(carriers(terms.node(part)).into_iter().flatten().map(|child| (child, false)));
            }
        }
        self.known.get(&term).cloned().flatten()
    }

    /// Terms other than the first so many are forgotten.
    pub fn forget(&mut self, kept: usize) {
        self.known.retain(|term, _| term.index() < kept);
    }

    /// From the children's leaves, which are known by now.
    fn compose(&self, terms: &Terms, pointers: Pointers, term: Term) -> Option<Leaves> {
        match terms.node(term) {
            Node::Const { bits, value } => {
                let object = (bits == pointers.bits).then(|| pointers.object((value >> pointers.offset_bits) as u64));
                return Some(object.flatten().map_or_else(|| self.nothing.clone(), |object| Rc::from([object])));
            }
            Node::Ite(..) | Node::Add(..) | Node::Sub(..) => {}
            // An index, a product: it names nothing.
            Node::Mul(..) | Node::SignExtend { .. } | Node::ZeroExtend { .. } => return Some(self.nothing.clone()),
            _ => return None,
        }
        let mut union = self.nothing.clone();
        for child in carriers(terms.node(term)).into_iter().flatten() {
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

/// The children through which an address may come.
fn carriers(node: Node) -> [Option<Term>; 2] {
    match node {
        Node::Ite(_, a, b) | Node::Add(a, b) | Node::Sub(a, b) => [Some(a), Some(b)],
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
