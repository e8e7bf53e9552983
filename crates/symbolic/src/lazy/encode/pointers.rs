//! Pointers in the formula: the bits (object, offset), as on the VM (`program/src/pointers.rs`), but objects that are
//! created lie one behind the other as the bounded program numbers them. Where a program can tell the difference, the
//! schedule says where they lie.

use hashbrown::HashMap;
use selvedge_bound::{Bounded, ObjectKind};
use selvedge_formula::{Term, Terms};
use selvedge_program::{EntityRef, GlobalId, Operand};
use selvedge_vm::Layout;
use std::rc::Rc;

/// The layout of pointers: the number of a window and an offset; and the windows of objects.
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

    /// The object in a window.
    pub fn object(&self, number: u64) -> Option<GlobalId> {
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

impl Pointers {
    /// The place in the object that begins in the pointer's window; one in front of it is a huge number.
    pub fn offset(&self, terms: &mut Terms, addr: Term) -> Term {
        let bits = self.offset_bits;
        let place = terms.extract(addr, 0, bits);
        let margin = terms.constant(bits, u128::from(self.space.margin()));
        terms.sub(place, margin)
    }

    /// As a number of so many bits, which is negative in front of the object.
    pub fn signed_offset(&self, terms: &mut Terms, addr: Term, bits: u32) -> Term {
        let place = terms.extract(addr, 0, self.offset_bits);
        let wide = bits.max(self.offset_bits);
        let place = terms.zero_extend(place, wide);
        let margin = terms.constant(wide, u128::from(self.space.margin()));
        let offset = terms.sub(place, margin);
        terms.extract(offset, 0, bits)
    }

    /// The window that a pointer points into.
    pub fn number_of(&self, terms: &mut Terms, addr: Term) -> Term {
        terms.extract(addr, self.offset_bits, self.number_bits())
    }

    /// Null, a function, or an object. Anything else is nowhere.
    pub fn is_somewhere(&self, terms: &mut Terms, number: Term) -> Term {
        let bits = self.number_bits();
        let Numbers { statics, dynamic: (first, end), .. } = *self.numbers;
        let below = |terms: &mut Terms, limit: u64| {
            let limit = terms.constant(bits, u128::from(limit));
            terms.ult(number, limit)
        };
        let is_static = below(terms, statics);
        let (before, within) = (below(terms, first), below(terms, end));
        let behind = terms.not(before);
        let is_dynamic = terms.and(behind, within);
        terms.or(is_static, is_dynamic)
    }

    /// Null or a function, which no access is ever right for.
    pub fn is_no_object(&self, terms: &mut Terms, number: Term) -> Term {
        let last = terms.constant(self.number_bits(), u128::from(self.numbers.functions));
        terms.ule(number, last)
    }

    /// A pointer so many bytes further on, signed, of any width: what [`selvedge_program::Pointers::moved`] says.
    pub fn moved(&self, terms: &mut Terms, base: Term, by: Term) -> Term {
        let (bits, window) = (self.bits, self.offset_bits);
        let wide = terms.bits(by).max(window) + 2;
        let place = terms.extract(base, 0, window);
        let place_wide = terms.zero_extend(place, wide);
        let by_wide = terms.sign_extend(by, wide);
        let sum = terms.add(place_wide, by_wide);
        let rest = terms.extract(sum, window, wide - window);
        let zero = terms.constant(wide - window, 0);
        let stays = terms.eq(rest, zero);
        if stays == Terms::TRUE {
            // No carry: the sum of the whole is shorter to write.
            let by = if wide < bits { terms.sign_extend(by_wide, bits) } else { terms.extract(by_wide, 0, bits) };
            return terms.add(base, by);
        }
        let number = self.number_of(terms, base);
        let nowhere = terms.constant(self.number_bits(), u128::from(self.space.nowhere()));
        let null = terms.constant(self.number_bits(), 0);
        let one = terms.constant(wide - window, 1);
        let was_nowhere = terms.eq(number, nowhere);
        let one_further = terms.eq(rest, one);
        let comes_back = terms.and(was_nowhere, one_further);
        let elsewhere = terms.ite(comes_back, null, nowhere);
        let number = terms.ite(stays, number, elsewhere);
        // In the window's own width, so that what was added can be taken away again.
        let by = terms.extract(by_wide, 0, window);
        let place = terms.add(place, by);
        terms.concat(number, place)
    }
}
