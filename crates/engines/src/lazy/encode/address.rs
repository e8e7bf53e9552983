//! Loads and stores: which places they may touch, and what may be wrong with them.

use super::Encoder;
use super::memory::Cell;
use super::pointers::known_low_bits;
use selvedge_analyze::Offset;
use selvedge_bound::ObjectKind;
use selvedge_formula::{Term, Terms};
use selvedge_program::{GlobalId, Operand, Property};

/// More places than this that one access may touch are beyond us.
const MAX_PLACES: usize = 8192;

/// A place that an access may touch, and when it does.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub object: GlobalId,
    pub at: u32,
    pub when: Term,
}

impl Encoder<'_> {
    pub(super) fn points_into(&mut self, addr: Term, object: GlobalId) -> Term {
        let number = self.number(addr);
        let this = self.terms.constant(self.pointers.number_bits(), u128::from(self.pointers.number(object)));
        self.terms.eq(number, this)
    }

    /// The objects that an address may point into, each with the offsets if they are known.
    pub(super) fn targets(&mut self, addr: Operand) -> Vec<(GlobalId, Option<Vec<u32>>)> {
        let term = self.value(addr);
        let leaves = self.value_sets.of(&self.terms, &self.pointers, term);
        let facts = self.facts.of(self.here.thread, addr);
        let mut targets: Vec<(GlobalId, Option<Vec<u32>>)> = Vec::new();
        for place in &facts.places {
            let is_leaf = leaves.as_ref().is_none_or(|leaves| leaves.binary_search(&place.object).is_ok());
            if !is_leaf {
                continue;
            }
            let offset = match place.offset {
                Offset::At(at) => u32::try_from(at).ok().map(|at| vec![at]),
                Offset::Any => None,
            };
            match (targets.last_mut(), offset, place.offset) {
                // Before the object, or far behind it: no access there is right.
                (_, None, Offset::At(_)) => {
                    if targets.last().is_none_or(|(object, _)| *object != place.object) {
                        targets.push((place.object, Some(Vec::new())));
                    }
                }
                (Some((object, Some(known))), Some(more), _) if *object == place.object => known.extend(more),
                (Some((object, offsets)), None, _) if *object == place.object => *offsets = None,
                (_, offset, _) => targets.push((place.object, offset)),
            }
        }
        targets
    }

    /// Where an access of `bytes` bytes may go. That it goes anywhere else is checked.
    pub(super) fn places(&mut self, addr: Operand, bytes: u32, write: bool) -> Vec<Place> {
        let targets = self.targets(addr);
        let addr = self.value(addr);
        let offset = self.offset(addr);
        let (low, residue) = known_low_bits(&self.terms, offset, &mut self.low_bits);
        let stride = 1u32 << low.min(12);
        let first = residue as u32 % stride;
        let mut places = Vec::new();
        let (mut valid, mut named) = (Terms::FALSE, Terms::FALSE);
        for (object, offsets) in targets {
            let this = self.points_into(addr, object);
            named = self.terms.or(named, this);
            if this != Terms::FALSE {
                self.note_life(object);
            }
            let Some(last) = self.last_start(object, bytes, write) else { continue };
            let inside = self.is_inside(object, offset, bytes);
            let hit = self.terms.and(this, self.memory.object(object).alive);
            let hit = self.terms.and(hit, inside);
            if hit == Terms::FALSE {
                continue;
            }
            valid = self.terms.or(valid, hit);
            if let Some(at) = self.terms.as_constant(offset) {
                places.push(Place { object, at: at as u32, when: hit });
                continue;
            }
            let all = || (first..=last).step_by(stride as usize).collect();
            for at in offsets.unwrap_or_else(all) {
                if at > last || at % stride != first {
                    continue;
                }
                let here = self.terms.constant(self.pointers.offset_bits, u128::from(at));
                let here = self.terms.eq(offset, here);
                let when = self.terms.and(hit, here);
                if when != Terms::FALSE {
                    places.push(Place { object, at, when });
                }
            }
            if places.len() > MAX_PLACES {
                self.obstacle("an access that may go to too many places");
                return Vec::new();
            }
        }
        for place in &places {
            self.note_access(place.object, place.at, bytes, write);
        }
        self.check_pointer(addr, valid, named);
        places
    }

    /// The last offset at which the object has room.
    fn last_start(&self, object: GlobalId, bytes: u32, write: bool) -> Option<u32> {
        let description = &self.bounded.objects[object];
        let constant = description.kind == ObjectKind::Global && self.bounded.program.globals[object].constant;
        let last = description.size.checked_sub(u64::from(bytes)).and_then(|last| u32::try_from(last).ok());
        last.filter(|_| !(write && constant))
    }

    fn is_inside(&mut self, object: GlobalId, offset: Term, bytes: u32) -> Term {
        let size = self.memory.object(object).size;
        let bits = self.pointers.offset_bits;
        // In one bit more, so that the sum does not wrap.
        let (offset, size) = (self.terms.zero_extend(offset, bits + 1), self.terms.zero_extend(size, bits + 1));
        let bytes = self.terms.constant(bits + 1, u128::from(bytes));
        let end = self.terms.add(offset, bytes);
        self.terms.ule(end, size)
    }

    /// A pointer that names something but must not be used, or nothing at all, is an error of the program. One that names
    /// an object which we do not expect (an input taken for a pointer, integers that were added up to one) means
    /// something that we do not follow.
    pub(super) fn check_pointer(&mut self, addr: Term, valid: Term, named: Term) {
        let number = self.number(addr);
        let no_object = self.is_no_object(number);
        let named = self.terms.or(named, no_object);
        let mut strange = self.terms.not(named);
        if strange != Terms::FALSE {
            let somewhere = self.is_somewhere(number);
            strange = self.terms.and(strange, somewhere);
        }
        self.obstacle_if(strange, "an access through a pointer that was made up");
        let (invalid, expected) = (self.terms.not(valid), self.terms.not(strange));
        let invalid = self.terms.and(invalid, expected);
        self.check_now(Property::Memory, "uses memory that it must not", invalid);
    }

    /// The value, and whether it only depends on this thread's own objects.
    pub(super) fn load(&mut self, addr: Operand, bytes: u32) -> (Term, bool) {
        let mut value = None;
        let mut own = true;
        for Place { object, at, when } in self.places(addr, bytes, false) {
            own &= self.is_own(object);
            let cell = self.memory.cell(&mut self.terms, object, at, bytes);
            let found = if self.is_own(object) { cell.value } else { self.as_known(cell.value) };
            value = Some(match value {
                None => found,
                Some(other) => self.terms.ite(when, found, other),
            });
        }
        (value.unwrap_or_else(|| self.terms.constant(8 * bytes, 0)), own)
    }

    pub(super) fn store(&mut self, addr: Operand, value: Term, bytes: u32, only_if: Term) {
        for Place { object, at, when } in self.places(addr, bytes, true) {
            let when = self.terms.and(when, only_if);
            self.write(object, at, Cell { bytes, value }, when);
        }
    }

    /// Writes if the step is executed and this holds.
    pub(super) fn write(&mut self, object: GlobalId, at: u32, new: Cell, condition: Term) {
        let when = self.change(object, condition);
        if when == Terms::FALSE {
            return;
        }
        let cell = if when == Terms::TRUE {
            new
        } else {
            let old = self.memory.cell(&mut self.terms, object, at, new.bytes);
            let value = self.terms.ite(when, new.value, old.value);
            Cell { bytes: new.bytes, value }
        };
        self.memory.put(&mut self.terms, object, at, cell);
    }

    pub(super) fn free(&mut self, pointer: Operand) {
        let targets: Vec<GlobalId> = self.targets(pointer).into_iter().map(|(object, _)| object).collect();
        let pointer = self.value(pointer);
        let (mut valid, mut named) = (Terms::FALSE, Terms::FALSE);
        for object in targets.iter().copied() {
            let this = self.points_into(pointer, object);
            named = self.terms.or(named, this);
            if self.bounded.objects[object].kind != ObjectKind::Heap {
                continue;
            }
            self.note_life(object);
            let address = self.pointers.address(Operand::Global { id: object, offset: 0 }).unwrap_or(0);
            let start = self.terms.constant(self.pointers.bits, address);
            let hit = self.terms.eq(pointer, start);
            let hit = self.terms.and(hit, self.memory.object(object).alive);
            valid = self.terms.or(valid, hit);
        }
        self.check_pointer(pointer, valid, named);
        for object in targets {
            if self.bounded.objects[object].kind == ObjectKind::Heap {
                let hit = self.points_into(pointer, object);
                let when = self.change(object, hit);
                self.set_alive(object, Terms::FALSE, when);
            }
        }
    }

    /// The size of the object that a pointer points into, or where in it.
    pub(super) fn object_fact(&mut self, addr: Operand, bits: u32, size: bool) -> Term {
        let targets = self.targets(addr);
        let addr = self.value(addr);
        let offset = self.signed_offset(addr, bits);
        let mut value = self.terms.constant(bits, 0);
        for (object, _) in targets {
            let mut hit = self.points_into(addr, object);
            let fact = if size {
                self.note_life(object);
                hit = self.terms.and(hit, self.memory.object(object).alive);
                self.memory.object(object).size
            } else {
                offset
            };
            let fact = self.resized(fact, bits);
            value = self.terms.ite(hit, fact, value);
        }
        value
    }
}
