//! Pointers in the formula: the bits (object, offset), as on the VM (`program/src/pointers.rs`), but objects that are
//! created lie one behind the other as the bounded program numbers them. Where a program can tell the difference, the
//! schedule says where they lie.
//!
//! What a pointer may point to is known from the points-to analysis, and often better from its term: every
//! value is a function of the schedule and of the inputs, so the addresses that a pointer may hold stand in
//! the leaves of its term. Bits that are the same in all of them cost nothing in the formula.

use super::Encoder;
use hashbrown::HashMap;
use selvedge_bound::{Bounded, ObjectKind};
use selvedge_formula::{Node, Term, Terms};
use selvedge_program::{EntityRef, GlobalId, Operand};
use selvedge_vm::Layout;
use std::rc::Rc;

/// How pointers are cut into the number of a window and an offset, and which windows objects have.
#[derive(Clone, Debug)]
pub struct Pointers {
    pub bits: u32,
    pub offset_bits: u32,
    space: selvedge_program::Pointers,
    numbers: Rc<Numbers>,
}

#[derive(Debug)]
struct Numbers {
    /// By object: its window.
    windows: Vec<u64>,
    objects: HashMap<u64, GlobalId>,
    /// Null and functions have the windows up to this one.
    functions: u64,
    /// Globals have those before this one.
    statics: u64,
    /// All other objects: the first window, and the one behind the last.
    dynamic: (u64, u64),
}

impl Pointers {
    /// `None`: not all objects fit.
    pub fn new(bounded: &Bounded<'_>) -> Option<Pointers> {
        let layout = Layout::new(bounded.program).ok()?;
        let space = layout.pointers;
        let mut next = layout.slots.dynamic;
        let mut windows = Vec::new();
        for (id, object) in &bounded.objects {
            if space.windows(object.size) > 1 {
                return None;
            }
            let global = (object.kind == ObjectKind::Global).then_some(Operand::Global { id, offset: 0 });
            windows.push(match global.and_then(|global| layout.address(global)) {
                Some(address) => space.window(address),
                None => {
                    next += 1;
                    next - 1
                }
            });
        }
        let objects = windows.iter().enumerate().map(|(index, window)| (*window, GlobalId::new(index))).collect();
        let functions = bounded.program.functions.len() as u64;
        let dynamic = (layout.slots.dynamic, next);
        let numbers = Numbers { windows, objects, functions, statics: layout.statics.len() as u64, dynamic };
        let pointers = Pointers { bits: space.bits, offset_bits: space.offset_bits, space, numbers: Rc::new(numbers) };
        (next < space.nowhere()).then_some(pointers)
    }

    pub fn number_bits(&self) -> u32 {
        self.space.number_bits()
    }

    /// The window that an object lies in.
    pub fn number(&self, object: GlobalId) -> u64 {
        self.numbers.windows[object.index()]
    }

    fn object(&self, number: u64) -> Option<GlobalId> {
        self.numbers.objects.get(&number).copied()
    }

    /// The bits of an address.
    pub fn address(&self, operand: Operand) -> Option<u128> {
        match operand {
            Operand::Const { bits, .. } => Some(bits),
            Operand::Func(id) => Some(u128::from(self.space.start(id.index() as u64 + 1))),
            Operand::Global { id, offset } => {
                let start = self.space.start(self.number(id));
                Some(u128::from(self.space.moved(start, i128::from(offset), |_, _| false)))
            }
            Operand::Reg(_) => None,
        }
    }
}

impl Encoder<'_> {
    /// The place in the object that begins in the pointer's window; one in front of it is a huge number.
    pub(super) fn offset(&mut self, addr: Term) -> Term {
        let bits = self.pointers.offset_bits;
        let place = self.terms.extract(addr, 0, bits);
        let margin = self.terms.constant(bits, u128::from(self.pointers.space.margin()));
        self.terms.sub(place, margin)
    }

    /// As a number of so many bits, which is negative in front of the object.
    pub(super) fn signed_offset(&mut self, addr: Term, bits: u32) -> Term {
        let place = self.terms.extract(addr, 0, self.pointers.offset_bits);
        let wide = bits.max(self.pointers.offset_bits);
        let place = self.terms.zero_extend(place, wide);
        let margin = self.terms.constant(wide, u128::from(self.pointers.space.margin()));
        let offset = self.terms.sub(place, margin);
        self.terms.extract(offset, 0, bits)
    }

    /// The window that a pointer points into.
    pub(super) fn number(&mut self, addr: Term) -> Term {
        self.terms.extract(addr, self.pointers.offset_bits, self.pointers.number_bits())
    }

    /// Null, a function, or an object. Anything else is nowhere.
    pub(super) fn is_somewhere(&mut self, number: Term) -> Term {
        let bits = self.pointers.number_bits();
        let Numbers { statics, dynamic: (first, end), .. } = *self.pointers.numbers;
        let below = |terms: &mut Terms, limit: u64| {
            let limit = terms.constant(bits, u128::from(limit));
            terms.ult(number, limit)
        };
        let is_static = below(&mut self.terms, statics);
        let (before, within) = (below(&mut self.terms, first), below(&mut self.terms, end));
        let behind = self.terms.not(before);
        let is_dynamic = self.terms.and(behind, within);
        self.terms.or(is_static, is_dynamic)
    }

    /// Null or a function, which no access is ever right for.
    pub(super) fn is_no_object(&mut self, number: Term) -> Term {
        let last = self.terms.constant(self.pointers.number_bits(), u128::from(self.pointers.numbers.functions));
        self.terms.ule(number, last)
    }

    /// A pointer so many bytes further on, signed, of any width: what [`selvedge_program::Pointers::moved`] says.
    pub(super) fn moved(&mut self, base: Term, by: Term) -> Term {
        let (bits, window) = (self.pointers.bits, self.pointers.offset_bits);
        let wide = self.terms.bits(by).max(window) + 2;
        let place = self.terms.extract(base, 0, window);
        let place_wide = self.terms.zero_extend(place, wide);
        let by_wide = self.terms.sign_extend(by, wide);
        let sum = self.terms.add(place_wide, by_wide);
        let rest = self.terms.extract(sum, window, wide - window);
        let zero = self.terms.constant(wide - window, 0);
        let stays = self.terms.eq(rest, zero);
        if stays == Terms::TRUE {
            // No carry: the sum of the whole is shorter to write.
            let by =
                if wide < bits { self.terms.sign_extend(by_wide, bits) } else { self.terms.extract(by_wide, 0, bits) };
            return self.terms.add(base, by);
        }
        let number = self.number(base);
        let nowhere = self.terms.constant(self.pointers.number_bits(), u128::from(self.pointers.space.nowhere()));
        let null = self.terms.constant(self.pointers.number_bits(), 0);
        let one = self.terms.constant(wide - window, 1);
        let was_nowhere = self.terms.eq(number, nowhere);
        let one_further = self.terms.eq(rest, one);
        let comes_back = self.terms.and(was_nowhere, one_further);
        let elsewhere = self.terms.ite(comes_back, null, nowhere);
        let number = self.terms.ite(stays, number, elsewhere);
        // In the window's own width, so that what was added can be taken away again.
        let by = self.terms.extract(by_wide, 0, window);
        let place = self.terms.add(place, by);
        self.terms.concat(number, place)
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
