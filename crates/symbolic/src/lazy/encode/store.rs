//! Stores, alone or together with a load, and the beginning and end of objects.
//!
//! A store goes to all the cells that its address may mean, to each under the condition that it means that one
//! (`address.rs`). A change happens if the step is executed in this turn. In an object that no other thread touches it
//! happens whenever the way to it is taken: every walk fills such objects anew.

use super::address::Candidate;
use super::load::Results;
use super::memory::Cell;
use super::ranges::narrowed;
use super::walk::Walk;
use crate::operations::modify;
use selvedge_bound::ObjectKind;
use selvedge_formula::{Term, Terms};
use selvedge_program::{FloatBinOp, GlobalId, Operand, Reg, RmwOp};

impl Walk<'_, '_> {
    /// The value fills whole bytes.
    pub(super) fn store(&mut self, addr: Operand, value: Term, only_if: Term) {
        let bytes = self.terms.bits(value).div_ceil(8);
        let value = self.terms.zero_extend(value, 8 * bytes);
        let candidates = self.candidates_if(addr, bytes, true, only_if);
        for Candidate { object, at, when } in candidates {
            let when = self.terms.and(when, only_if);
            self.write(object, at, Cell { bytes, value }, when);
        }
    }

    /// A store to these bytes arrives, if the step is executed and this holds: from now on it is what memory holds.
    pub(super) fn write_cell(&mut self, object: GlobalId, at: u32, new: Cell, condition: Term) {
        let when = self.change(object, condition);
        if when == Terms::FALSE {
            return;
        }
        let cell = if when == Terms::TRUE {
            new
        } else {
            let old = self.memory.cell(self.terms, object, at, new.bytes);
            let value = self.terms.ite(when, new.value, old.value);
            Cell { bytes: new.bytes, value }
        };
        self.memory.put(self.terms, object, at, cell);
    }

    /// When a change of the object happens.
    fn change(&mut self, object: GlobalId, condition: Term) -> Term {
        let when = if self.memory.is_own(object) { self.here.guard } else { self.here.active };
        self.terms.and(when, condition)
    }

    pub(super) fn read_modify_write(&mut self, dst: Reg, op: RmwOp, addr: Operand, value: Operand) -> Results {
        let value = self.value(value);
        let old = self.load(addr, self.reg_bits(dst));
        let new = match op {
            RmwOp::FAdd => self.float_arithmetic(FloatBinOp::Add, self.reg_type(dst), old.value, value),
            RmwOp::FSub => self.float_arithmetic(FloatBinOp::Sub, self.reg_type(dst), old.value, value),
            op => modify(self.terms, op, old.value, value),
        };
        let new = narrowed(self.terms, new, self.range_of_store());
        self.store(addr, new, Terms::TRUE);
        old.gives(vec![old.value])
    }

    pub(super) fn compare_exchange(&mut self, old: Reg, addr: Operand, expected: Operand, new: Operand) -> Results {
        let (expected, new) = (self.value(expected), self.value(new));
        let found = self.load(addr, self.reg_bits(old));
        let success = self.terms.eq(found.value, expected);
        self.store(addr, new, success);
        found.gives(vec![found.value, success])
    }

    pub(super) fn create(&mut self, dst: Reg, object: GlobalId, size: Option<Operand>) {
        let when = self.change(object, Terms::TRUE);
        if let Some(size) = size {
            let size = self.value(size);
            let size = self.resized(size, self.memory.pointers.offset_bits);
            let before = self.memory.object(object).size;
            self.memory.object_mut(object).size = self.terms.ite(when, size, before);
        }
        self.set_alive(object, Terms::TRUE, when);
        let address = self.start_of(object);
        self.set(dst, address);
        self.make(object);
    }

    pub(super) fn end(&mut self, objects: &[GlobalId]) {
        for object in objects {
            let when = self.change(*object, Terms::TRUE);
            self.set_alive(*object, Terms::FALSE, when);
        }
    }

    pub(super) fn free(&mut self, pointer: Operand) {
        let targets: Vec<GlobalId> = self.targets(pointer).into_iter().map(|(object, _)| object).collect();
        let pointer = self.value(pointer);
        let (mut valid, mut named) = (Terms::FALSE, Terms::FALSE);
        for object in targets.iter().copied() {
            let this = self.points_into(pointer, object);
            named = self.terms.or(named, this);
            if self.bounded().objects[object].kind != ObjectKind::Heap {
                continue;
            }
            self.note_life(object);
            let start = self.start_of(object);
            let hit = self.terms.eq(pointer, start);
            let hit = self.terms.and(hit, self.memory.object(object).alive);
            valid = self.terms.or(valid, hit);
        }
        self.check_pointer(pointer, valid, named);
        for object in targets {
            if self.bounded().objects[object].kind == ObjectKind::Heap {
                let hit = self.points_into(pointer, object);
                self.is_about_to_free(object, hit);
                let when = self.change(object, hit);
                self.set_alive(object, Terms::FALSE, when);
            }
        }
    }

    fn set_alive(&mut self, object: GlobalId, alive: Term, when: Term) {
        let before = self.memory.object(object).alive;
        if alive == Terms::FALSE && when != Terms::FALSE {
            self.note_end(object);
        }
        self.memory.object_mut(object).alive = self.terms.ite(when, alive, before);
    }

    /// The address at which an object begins.
    fn start_of(&mut self, object: GlobalId) -> Term {
        let address = self.memory.pointers.address(Operand::Global { id: object, offset: 0 }).unwrap_or(0);
        self.terms.constant(self.memory.pointers.bits, address)
    }
}
