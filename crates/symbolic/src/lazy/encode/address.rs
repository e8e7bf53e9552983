//! From an address to the cells that it may mean, and what may be wrong with it.

use super::pointers::Pointers;
use super::value_sets::{ValueSets, known_low_bits};
use super::walk::Walk;
use hashbrown::HashMap;
use selvedge_analyze::{Offset, PointsTo};
use selvedge_bound::ObjectKind;
use selvedge_formula::{Term, Terms};
use selvedge_program::{GlobalId, Operand, Property};

/// More candidates for one access than this are beyond us.
const MAX_CANDIDATES: usize = 8192;

/// A cell that an access may mean, and when it does.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub object: GlobalId,
    pub at: u32,
    pub when: Term,
}

/// An object that an address may point into, with the offsets if they are known.
pub(super) type Target = (GlobalId, Option<Vec<u32>>);

/// The meanings that addresses may have: from the analysis of the program, and from their terms.
pub struct Addresses<'b> {
    points_to: &'b PointsTo,
    value_sets: ValueSets,
    low_bits: HashMap<Term, (u32, u128)>,
}

impl<'b> Addresses<'b> {
    pub fn new(points_to: &'b PointsTo) -> Addresses<'b> {
        Addresses { points_to, value_sets: ValueSets::default(), low_bits: HashMap::new() }
    }

    /// Terms other than the first so many are forgotten.
    pub fn forget(&mut self, kept: usize) {
        self.value_sets.forget(kept);
        self.low_bits.retain(|term, _| term.index() < kept);
    }

    /// The objects that a thread's address may point into: both sources must agree.
    fn targets(
        &mut self,
        terms: &Terms,
        pointers: &Pointers,
        thread: usize,
        (addr, term): (Operand, Term),
    ) -> Vec<Target> {
        let leaves = self.value_sets.of(terms, pointers, term);
        let mut targets: Vec<Target> = Vec::new();
        for place in &self.points_to.of(thread, addr).places {
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

    /// The numbers that an offset may be: the first, and the distance from each to the next.
    fn stride(&mut self, terms: &Terms, offset: Term) -> (u32, u32) {
        let (low, residue) = known_low_bits(terms, offset, &mut self.low_bits);
        let stride = 1u32 << low.min(12);
        (residue as u32 % stride, stride)
    }
}

impl Walk<'_, '_> {
    pub(super) fn points_into(&mut self, addr: Term, object: GlobalId) -> Term {
        let pointers = &self.memory.pointers;
        let number = pointers.number_of(self.terms, addr);
        let this = self.terms.constant(pointers.number_bits(), u128::from(pointers.number(object)));
        self.terms.eq(number, this)
    }

    pub(super) fn targets(&mut self, addr: Operand) -> Vec<Target> {
        let term = self.value(addr);
        let memory = &mut *self.memory;
        memory.addresses.targets(self.terms, &memory.pointers, self.here.thread, (addr, term))
    }

    /// The cells that an access of `bytes` bytes may mean. That it goes anywhere else is checked.
    pub(super) fn candidates(&mut self, addr: Operand, bytes: u32, write: bool) -> Vec<Candidate> {
        self.candidates_if(addr, bytes, write, Terms::TRUE)
    }

    /// The cells that an access may mean that is made only if a condition holds; that it is right is checked in any
    /// case.
    pub(super) fn candidates_if(&mut self, addr: Operand, bytes: u32, write: bool, only_if: Term) -> Vec<Candidate> {
        let candidates = self.checked_candidates(addr, bytes, write);
        self.is_about_to(&candidates, bytes, write, only_if);
        candidates
    }

    /// The cells that an access may mean which is not about to be made before others are checked, too.
    pub(super) fn checked_candidates(&mut self, addr: Operand, bytes: u32, write: bool) -> Vec<Candidate> {
        let targets = self.targets(addr);
        let addr = self.value(addr);
        let offset = self.memory.pointers.offset(self.terms, addr);
        let (first, stride) = self.memory.addresses.stride(self.terms, offset);
        let mut candidates = Vec::new();
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
                candidates.push(Candidate { object, at: at as u32, when: hit });
                continue;
            }
            let all = || (first..=last).step_by(stride as usize).collect();
            for at in offsets.unwrap_or_else(all) {
                if at > last || at % stride != first {
                    continue;
                }
                let here = self.terms.constant(self.memory.pointers.offset_bits, u128::from(at));
                let here = self.terms.eq(offset, here);
                let when = self.terms.and(hit, here);
                if when != Terms::FALSE {
                    candidates.push(Candidate { object, at, when });
                }
            }
            if candidates.len() > MAX_CANDIDATES {
                self.obstacle("an access that may go to too many places");
                return Vec::new();
            }
        }
        for candidate in &candidates {
            self.note_access(candidate.object, candidate.at, bytes, write);
        }
        self.check_pointer(addr, valid, named);
        candidates
    }

    /// The last offset at which the object has room.
    fn last_start(&self, object: GlobalId, bytes: u32, write: bool) -> Option<u32> {
        let description = &self.bounded().objects[object];
        let constant = description.kind == ObjectKind::Global && self.bounded().program.globals[object].constant;
        let last = description.size.checked_sub(u64::from(bytes)).and_then(|last| u32::try_from(last).ok());
        last.filter(|_| !(write && constant))
    }

    fn is_inside(&mut self, object: GlobalId, offset: Term, bytes: u32) -> Term {
        let size = self.memory.object(object).size;
        let bits = self.memory.pointers.offset_bits;
        // In one bit more, so that the sum does not wrap.
        let (offset, size) = (self.terms.zero_extend(offset, bits + 1), self.terms.zero_extend(size, bits + 1));
        let bytes = self.terms.constant(bits + 1, u128::from(bytes));
        let end = self.terms.add(offset, bytes);
        self.terms.ule(end, size)
    }

    /// A pointer that names something but must not be used, or nothing at all, is an error of the program. One that
    /// names an object which we do not expect (an input taken for a pointer, integers that were added up to one) means
    /// something that we do not follow.
    pub(super) fn check_pointer(&mut self, addr: Term, valid: Term, named: Term) {
        let pointers = &self.memory.pointers;
        let number = pointers.number_of(self.terms, addr);
        let no_object = pointers.is_no_object(self.terms, number);
        let named = self.terms.or(named, no_object);
        let mut strange = self.terms.not(named);
        if strange != Terms::FALSE {
            let somewhere = pointers.is_somewhere(self.terms, number);
            strange = self.terms.and(strange, somewhere);
        }
        self.obstacle_if(strange, "an access through a pointer that was made up");
        let (invalid, expected) = (self.terms.not(valid), self.terms.not(strange));
        let invalid = self.terms.and(invalid, expected);
        self.check_now(Property::Memory, "uses memory that it must not", invalid);
    }

    /// The size of the object that a pointer points into, or the offset in it.
    pub(super) fn object_fact(&mut self, addr: Operand, bits: u32, size: bool) -> Term {
        let targets = self.targets(addr);
        let addr = self.value(addr);
        let offset = self.memory.pointers.signed_offset(self.terms, addr, bits);
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
