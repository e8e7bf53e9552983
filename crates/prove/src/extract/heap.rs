//! Objects that come and go, addresses, and what is asked about objects.

use super::contexts::Point;
use super::objects::{ObjectId, Origin};
use super::state::{State, Var};
use super::targets::{Targets, Value, Wild};
use super::walk::{Flow, Target, Walk};
use super::{Extraction, Home};
use crate::system::{Instances, TemplateId};
use selvedge_formula::{Term, Terms};
use selvedge_program::{GlobalId, Property};

impl Extraction<'_> {
    /// A new object with contents that are not known; a pointer to it.
    pub fn make(
        &mut self,
        walk: &mut Walk,
        point: Point,
        state: &mut State,
        origin: Origin,
        name: String,
        size: Term,
    ) -> Value {
        let size = self.terms.as_constant(size).and_then(|size| u64::try_from(size).ok());
        let is_summary = match origin {
            Origin::Heap(..) => !self.is_once(point),
            // An activation has one at most, unless it makes them in a loop.
            _ => {
                let function = self.contexts[point.context].function;
                self.is_recursive(point.context) || self.shape(function).loops_of(point.site.block).next().is_some()
            }
        };
        let id = self.object(origin, || (name, size));
        let object = &mut self.objects[id];
        if object.size != size && object.size.is_some() {
            object.size = None;
            self.changed = true;
        }
        if is_summary && !object.is_summary {
            object.is_summary = true;
            self.changed = true;
        }
        for (offset, bytes) in self.objects[id].cells().to_vec() {
            let var = Var::Cell(id, offset, bytes);
            if self.home(var) != Home::Unknown {
                let value = Value {
                    term: self.input(point, 8 * bytes, "uninitialised"),
                    targets: Targets::wild(Wild::Unwritten),
                };
                state.changed.insert(var, value);
            }
        }
        let pointer = self.new_pointer(point, id);
        self.note_fresh(walk, point, state, (id, &pointer));
        self.own(state, &pointer, id);
        pointer
    }

    fn new_pointer(&mut self, point: Point, id: ObjectId) -> Value {
        if self.objects[id].has_address() {
            return self.address(id, 0);
        }
        // Somewhere in the upper half of the windows, where no object with an address of its own is.
        let window = self.input(point, self.space.number_bits() - 1, "window");
        let window = self.terms.concat(Terms::TRUE, window);
        let margin = self.terms.constant(self.space.offset_bits, u128::from(self.space.margin()));
        Value { term: self.terms.concat(window, margin), targets: Targets::at(id, 0) }
    }

    pub fn allocate(&mut self, walk: &mut Walk, point: Point, state: &mut State, size: &Value) -> Value {
        let name = self.program.source.describe(self.loc(point));
        self.make(walk, point, state, Origin::Heap(point.context, point.site), format!("heap at {name}"), size.term)
    }

    /// The block is given back. Whether somebody uses it afterwards is not known.
    pub fn free(&mut self, walk: &mut Walk, point: Point, state: &mut State, pointer: &Value) -> Flow {
        let is_own = self.is_own(state, pointer);
        if !is_own {
            self.touch_bytes(pointer, point, true);
        }
        if self.asks_for_races() && !point.alone && !is_own {
            if self.observe(point, state, true, true) {
                return Flow::Cut;
            }
            self.note_free(point, state, pointer);
        }
        self.give_up(state, pointer);
        for object in pointer.targets.objects() {
            let object = &mut self.objects[object];
            self.changed |= !object.freed;
            object.freed = true;
        }
        if self.properties.contains(Property::Memory) {
            let wrong = self.input(point, 1, "freed");
            let wrong = (wrong, Property::Memory, "frees something that is no block of the heap");
            return if self.fault(walk, point, state, wrong, true) { Flow::Next } else { Flow::Gone };
        }
        self.exit(walk, Target::Unchecked { property: Property::Memory }, state.clone());
        Flow::Next
    }

    /// The size of the object that a pointer points into, or where in it that is.
    pub fn object_fact(&mut self, point: Point, pointer: &Value, asks_size: bool) -> Value {
        let bits = self.space.bits;
        let is_unknown = pointer.targets.wild != Wild::None
            || pointer.targets.objects().into_iter().any(|object| {
                let object = &self.objects[object];
                !object.has_address() || object.size.is_none()
            });
        let mut fact = if is_unknown { self.input(point, bits, "fact") } else { self.terms.constant(bits, 0) };
        for object in pointer.targets.objects() {
            let object = &self.objects[object];
            let (Some(size), true) = (object.size, object.has_address()) else { continue };
            let first = self.space.window(object.address);
            let (address, count) = (object.address, self.space.windows(size));
            let window = self.terms.extract(pointer.term, self.space.offset_bits, self.space.number_bits());
            let first = self.terms.constant(self.space.number_bits(), u128::from(first));
            let distance = self.terms.sub(window, first);
            let count = self.terms.constant(self.space.number_bits(), u128::from(count));
            let hit = self.terms.ult(distance, count);
            let value = if asks_size {
                self.terms.constant(bits, u128::from(size))
            } else {
                let start = self.terms.constant(bits, u128::from(address));
                self.terms.sub(pointer.term, start)
            };
            fact = self.terms.ite(hit, value, fact);
        }
        Value::number(fact)
    }

    /// A pointer so many bytes further on; it never leaves its window.
    pub fn moved(&mut self, base: &Value, by: Term) -> Term {
        let bits = self.space.bits;
        if let (Some(base), Some(by)) = (self.terms.as_constant(base.term), self.terms.as_constant(by)) {
            let by = selvedge_formula::signed(127, by);
            let of = |window: u64| self.by_window.range(..=window).next_back().map(|(first, _)| *first);
            let moved = self.space.moved(base as u64, by, |from, to| of(from) == of(to));
            return self.terms.constant(bits, u128::from(moved));
        }
        let short = self.terms.extract(by, 0, bits);
        let sum = self.terms.add(base.term, short);
        // Whoever accesses memory out of bounds ends the run: where nobody asks about that, it may as well go on.
        if !self.properties.contains(Property::Memory) {
            return sum;
        }
        let place = self.terms.extract(base.term, 0, self.space.offset_bits);
        let place = self.terms.zero_extend(place, 127);
        let place = self.terms.add(place, by);
        let limit = self.terms.constant(127, 1 << self.space.offset_bits);
        let fits = self.terms.ult(place, limit);
        let nowhere = self.space.nowhere() << self.space.offset_bits;
        let nowhere = self.terms.constant(bits, u128::from(nowhere));
        self.terms.ite(fits, sum, nowhere)
    }

    /// `times`: the highest index, if there is one.
    pub fn indexed(&mut self, base: &Value, index: Term, stride: u64, times: Option<u64>) -> Value {
        let wide = self.terms.sign_extend(index, 127);
        let step = self.terms.constant(127, u128::from(stride));
        let by = self.terms.mul(wide, step);
        let targets = match self.terms.as_constant(by).map(|by| i64::try_from(selvedge_formula::signed(127, by))) {
            Some(Ok(by)) => base.targets.moved(by),
            Some(Err(_)) | None => base.targets.indexed(stride, times),
        };
        let term = if self.terms.as_constant(by).is_none() && !self.properties.contains(Property::Memory) {
            // Narrower terms give these bits, too.
            let bits = self.space.bits;
            let index = if self.terms.bits(index) < bits {
                self.terms.sign_extend(index, bits)
            } else {
                self.terms.extract(index, 0, bits)
            };
            let step = self.terms.constant(bits, u128::from(stride));
            let by = self.terms.mul(index, step);
            self.terms.add(base.term, by)
        } else {
            self.moved(base, by)
        };
        Value { term, targets }
    }

    /// The object of a global; of a thread-local, this thread's copy.
    pub fn global(&mut self, template: TemplateId, id: GlobalId) -> ObjectId {
        if self.program.globals[id].thread_local {
            self.thread_local(template, id)
        } else {
            self.object_ids[&Origin::Global(id)]
        }
    }

    pub fn thread_local(&mut self, template: TemplateId, id: GlobalId) -> ObjectId {
        let global = &self.program.globals[id];
        let name = format!("{}::{}", self.threads[template].name, global.name);
        self.object(Origin::ThreadLocal(template, id), || (name, Some(global.size)))
    }

    /// The copy of some thread of a template that has many.
    pub fn any_threads_local(&mut self, template: TemplateId, id: GlobalId) -> ObjectId {
        debug_assert_eq!(self.threads[template].instances, Instances::Many);
        let global = &self.program.globals[id];
        let name = format!("any {}::{}", self.threads[template].name, global.name);
        self.object(Origin::AnyThreads(template, id), || (name, Some(global.size)))
    }

    /// Learns the initial values of globals and thread-locals.
    pub fn learn_initial_values(&mut self) {
        let cells: Vec<(ObjectId, u64, u32)> = self
            .objects
            .iter()
            .flat_map(|(id, object)| object.cells().iter().map(move |(offset, bytes)| (id, *offset, *bytes)))
            .collect();
        for (object, offset, bytes) in cells {
            if let Some(value) = self.initial_value(object, offset, bytes) {
                self.learn(Var::Cell(object, offset, bytes), &value);
            }
        }
    }

    /// The initial value of a cell, unless its object may begin with any bytes.
    pub fn initial_value(&mut self, object: ObjectId, offset: u64, bytes: u32) -> Option<Value> {
        let (id, template) = match self.objects[object].origin {
            Origin::Global(id) => (id, TemplateId::from_u32(0)),
            Origin::ThreadLocal(template, id) => (id, template),
            Origin::Function(_) | Origin::AnyThreads(..) | Origin::Stack(..) | Origin::Heap(..) => return None,
        };
        let global = &self.program.globals[id];
        let byte = |at: u64| usize::try_from(at).ok().and_then(|at| global.init.get(at).copied()).unwrap_or(0);
        let mut bits: u128 = (0..u64::from(bytes)).map(|at| u128::from(byte(offset + at)) << (8 * at)).sum();
        let mut targets = Targets::none();
        for relocation in &global.relocations {
            let (from, to) = (relocation.at, relocation.at + u64::from(relocation.bytes));
            if from < offset + u64::from(bytes) && offset < to {
                let value = self.constant_operand(template, relocation.target);
                targets.add(&value.targets);
                let address = self.terms.as_constant(value.term).unwrap_or(0);
                for at in from.max(offset)..to.min(offset + u64::from(bytes)) {
                    let byte = address >> (8 * (at - from)) & 0xff;
                    let place = 8 * (at - offset);
                    bits = bits & !(0xff << place) | byte << place;
                }
            }
        }
        Some(Value { term: self.terms.constant(8 * bytes, bits), targets })
    }
}
