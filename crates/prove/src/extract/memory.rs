//! Loads and stores, and which places an access may touch.
//!
//! An access goes to the cells that its pointer may name, each under the condition that it does; to an object without
//! variables it reads an input and writes nothing. A pointer that names no object that it may point to is a fault.

use super::contexts::Point;
use super::objects::{ObjectId, Origin};
use super::races::Touch;
use super::state::{State, Var, choose};
use super::targets::{Offset, Targets, Value, Wild};
use super::walk::{Flow, Target, Walk};
use super::{Extraction, Home};
use crate::system::TemplateId;
use selvedge_formula::{Term, Terms};
use selvedge_program::{FloatBinOp, GlobalId, Op, Operand, Property, RmwOp, Ty};
use selvedge_symbolic::operations as meaning;

/// So many cells may be meant by one access.
const ELEMENTS: usize = 16;

/// The places that an access may touch.
pub struct Places {
    /// A condition, a cell, and where in the cell the access begins.
    cells: Vec<(Term, Var, u32)>,
    /// The pointer's bits.
    address: Term,
    /// Objects without variables.
    unknown: Vec<(ObjectId, Offset)>,
    /// It touches one of these.
    valid: Validity,
    /// In a block that only this thread knows.
    is_own: bool,
}

/// Whether an access is valid: if the term holds, unless nobody knows.
#[derive(Clone, Copy)]
pub struct Validity {
    pub holds: Term,
    pub or_unknown: bool,
    /// The pointer may also be the address of any other object.
    pub made_up: bool,
}

impl Default for Validity {
    fn default() -> Validity {
        Validity { holds: Terms::FALSE, or_unknown: false, made_up: false }
    }
}

impl Extraction<'_> {
    pub fn memory(&mut self, walk: &mut Walk, point: Point, state: &mut State, op: &Op) -> Flow {
        let context = point.context;
        match op {
            Op::Load { dst, addr, .. } => {
                let addr = self.operand(state, context, *addr);
                let bits = self.bits(Var::Register(context, *dst));
                match self.approach(walk, point, state, (&addr, bits.div_ceil(8)), (true, false)) {
                    Ok(places) => {
                        let value = self.load(point, state, &places, bits);
                        self.note_word_read(point, state, addr.term, value.term);
                        self.set(state, context, *dst, value);
                        Flow::Next
                    }
                    Err(flow) => flow,
                }
            }
            Op::Store { ty, addr, value, .. } => {
                let (addr, value) = (self.operand(state, context, *addr), self.operand(state, context, *value));
                let bytes = ty.bytes(self.program.data_model);
                match self.approach(walk, point, state, (&addr, bytes), (false, true)) {
                    Ok(places) => {
                        self.store(walk, point, state, &places, (value, bytes));
                        Flow::Next
                    }
                    Err(flow) => flow,
                }
            }
            Op::Rmw { dst, op, addr, value, .. } => {
                let (addr, value) = (self.operand(state, context, *addr), self.operand(state, context, *value));
                let bits = self.bits(Var::Register(context, *dst));
                match self.approach(walk, point, state, (&addr, bits.div_ceil(8)), (true, true)) {
                    Ok(places) => {
                        let old = self.load(point, state, &places, bits);
                        let ty = self.program.functions[self.contexts[context].function].regs[*dst].ty;
                        let new = self.modified(point, *op, ty, &old, &value);
                        self.store(walk, point, state, &places, (new, bits.div_ceil(8)));
                        self.set(state, context, *dst, old);
                        Flow::Next
                    }
                    Err(flow) => flow,
                }
            }
            Op::CmpXchg { old, success, addr, expected, new, .. } => {
                let addr = self.operand(state, context, *addr);
                let (expected, new) = (self.operand(state, context, *expected), self.operand(state, context, *new));
                let bits = self.bits(Var::Register(context, *old));
                match self.approach(walk, point, state, (&addr, bits.div_ceil(8)), (true, true)) {
                    Ok(places) => {
                        let was = self.load(point, state, &places, bits);
                        let same = self.terms.eq(was.term, expected.term);
                        let stored = choose(&mut self.terms, same, new, was.clone());
                        self.store(walk, point, state, &places, (stored, bits.div_ceil(8)));
                        self.set(state, context, *old, was);
                        self.set(state, context, *success, Value::number(same));
                        Flow::Next
                    }
                    Err(flow) => flow,
                }
            }
            Op::MemCopy { dst, src, len, .. } => {
                let (dst, src) = (self.operand(state, context, *dst), self.operand(state, context, *src));
                let len = self.operand(state, context, *len).term;
                self.fill(walk, point, state, (&dst, len), Some(&src), None)
            }
            Op::MemSet { dst, byte, len } => {
                let (dst, byte) = (self.operand(state, context, *dst), self.operand(state, context, *byte).term);
                let len = self.operand(state, context, *len).term;
                self.fill(walk, point, state, (&dst, len), None, Some(byte))
            }
            Op::Alloca { dst, size, var, .. } => {
                let size = self.operand(state, context, *size).term;
                let name = var.clone().unwrap_or_else(|| "object".to_string());
                let value = self.make(walk, point, state, Origin::Stack(context, point.site), name, size);
                self.set(state, context, *dst, value);
                Flow::Next
            }
            Op::Compute(_)
            | Op::Fence { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::Call { .. }
            | Op::Nondet { .. }
            | Op::Intrinsic { .. }
            | Op::Violation { .. }
            | Op::Unsupported { .. } => Flow::Next,
        }
    }

    fn modified(&mut self, point: Point, op: RmwOp, ty: Ty, old: &Value, value: &Value) -> Value {
        let float = match op {
            RmwOp::FAdd => Some(FloatBinOp::Add),
            RmwOp::FSub => Some(FloatBinOp::Sub),
            RmwOp::Exchange => return value.clone(),
            RmwOp::Add
            | RmwOp::Sub
            | RmwOp::And
            | RmwOp::Nand
            | RmwOp::Or
            | RmwOp::Xor
            | RmwOp::Max
            | RmwOp::Min
            | RmwOp::UMax
            | RmwOp::UMin => None,
        };
        let term = match float {
            Some(float) => match meaning::float_binary(&mut self.terms, float, ty, old.term, value.term) {
                Some(term) => term,
                None => self.input(point, ty.bits(self.program.data_model), "float"),
            },
            None => meaning::modify(&mut self.terms, op, old.term, value.term),
        };
        let both = old.targets.clone().with(&value.targets);
        Value { term, targets: if both.is_empty() { both } else { both.indexed(1, None) } }
    }

    /// The places that an access touches, after its faults, and after a stop if others may notice.
    fn approach(
        &mut self,
        walk: &mut Walk,
        point: Point,
        state: &mut State,
        (addr, bytes): (&Value, u32),
        (reads, writes): (bool, bool),
    ) -> Result<Places, Flow> {
        let is_own = self.is_own(state, addr);
        let places = Places { is_own, ..self.places(point, addr, bytes, writes) };
        if writes {
            self.note_write(point, addr, Some(u64::from(bytes)));
        }
        let template = self.contexts[point.context].template;
        let mut is_visible = false;
        for (_, var, _) in &places.cells {
            if self.home(*var) != Home::Unknown && !is_own {
                is_visible |= self.access(*var, template, point.alone, (reads, writes));
            }
        }
        is_visible |= !is_own && self.may_race_unseen(addr, point, writes);
        if self.observe(point, state, is_visible, writes) {
            return Err(Flow::Cut);
        }
        let bytes = Some(u64::from(bytes));
        if is_visible {
            self.note_access(point, state, addr, Touch { bytes, writes });
        }
        if writes {
            self.note_word_written(point, state, addr, bytes);
        }
        if self.require_valid(walk, point, state, places.valid, writes) { Ok(places) } else { Err(Flow::Gone) }
    }

    pub fn require_valid(
        &mut self,
        walk: &mut Walk,
        point: Point,
        state: &mut State,
        valid: Validity,
        writes: bool,
    ) -> bool {
        const TEXT: &str = "accesses memory that is not there";
        let is_read_from_anywhere = valid.made_up && !writes && !self.properties.contains(Property::Memory);
        if valid.made_up && (writes || self.asks_for_races()) {
            let elsewhere = self.terms.not(valid.holds);
            let verb = if writes { "writes" } else { "reads" };
            self.gap_where(walk, point, state, elsewhere, &format!("{verb} through a pointer that was made up"));
        }
        if !valid.or_unknown && !is_read_from_anywhere {
            let wrong = self.terms.not(valid.holds);
            return self.fault(walk, point, state, (wrong, Property::Memory, TEXT), true);
        }
        if self.properties.contains(Property::Memory) {
            let known = self.input(point, 1, "valid");
            let valid = self.terms.or(valid.holds, known);
            let wrong = self.terms.not(valid);
            return self.fault(walk, point, state, (wrong, Property::Memory, TEXT), true);
        }
        self.exit(walk, Target::Unchecked { property: Property::Memory }, state.clone());
        true
    }

    fn places(&mut self, point: Point, addr: &Value, bytes: u32, writes: bool) -> Places {
        let valid = Validity::default();
        let mut places = Places { cells: Vec::new(), address: addr.term, unknown: Vec::new(), valid, is_own: false };
        places.valid.made_up = addr.targets.wild == Wild::MadeUp;
        for (object, offset) in addr.targets.iter() {
            let template = self.contexts[point.context].template;
            self.note_foreign(object, template);
            let known = &self.objects[object];
            if let Origin::Function(_) = known.origin {
                continue;
            }
            if let Origin::Global(id) = known.origin
                && writes
                && self.program.globals[id].constant
            {
                continue;
            }
            let elsewhere = places.valid.holds;
            let offsets = self.offsets(object, offset, bytes);
            match offsets {
                Some(offsets) => {
                    let mut any = Terms::FALSE;
                    for &offset in &offsets {
                        let Some((start, length)) = self.touch(object, offset, bytes) else {
                            self.unknown_place(&mut places, addr, (object, Offset::exact(offset as i64)), bytes);
                            break;
                        };
                        let address = self.address(object, offset as i64).term;
                        let hit = self.terms.eq(addr.term, address);
                        if hit != Terms::FALSE {
                            any = self.terms.or(any, hit);
                            places.cells.push((hit, Var::Cell(object, start, length), (offset - start) as u32));
                        }
                    }
                    if let [first, _, .., last] = offsets[..]
                        && addr.targets.wild == Wild::None
                        && any != Terms::TRUE
                    {
                        any = self.is_between(addr.term, object, (first, last));
                    }
                    places.valid.holds = self.terms.or(places.valid.holds, any);
                }
                None => self.unknown_place(&mut places, addr, (object, offset), bytes),
            }
            if self.may_be_gone(object, point) {
                // To be inside of it is not enough.
                places.valid = Validity { holds: elsewhere, or_unknown: true, ..places.valid };
            }
        }
        places
    }

    /// The pointer is at one of several offsets, from the first to the last. It keeps its offset modulo the stride, so
    /// the bounds say as much as all offsets one by one, and are one comparison.
    fn is_between(&mut self, pointer: Term, object: ObjectId, (first, last): (u64, u64)) -> Term {
        let start = self.address(object, first.cast_signed()).term;
        let distance = self.terms.sub(pointer, start);
        let length = self.terms.constant(self.space.bits, u128::from(last - first));
        self.terms.ule(distance, length)
    }

    /// The cell that holds these bytes. None: the object has none any more.
    pub fn touch(&mut self, object: ObjectId, offset: u64, bytes: u32) -> Option<(u64, u32)> {
        let (cell, is_new) = self.objects[object].touch(offset, bytes);
        if is_new {
            self.changed = true;
            let (start, length) = cell?;
            if let Some(value) = self.initial_value(object, start, length) {
                self.learn(Var::Cell(object, start, length), &value);
            }
        }
        cell
    }

    /// Offsets at which an access of so many bytes may begin. None: it has no variables there.
    fn offsets(&mut self, object: ObjectId, offset: Offset, bytes: u32) -> Option<Vec<u64>> {
        let known = &self.objects[object];
        let last = known.size?.checked_sub(u64::from(bytes));
        if known.home() == Home::Unknown {
            return None;
        }
        let Some(last) = last else { return Some(Vec::new()) };
        if offset.stride == 0 {
            return Some(u64::try_from(offset.start).ok().filter(|start| *start <= last).into_iter().collect());
        }
        // It may begin before the object, and lead into it.
        let before = if offset.start < 0 { offset.start.unsigned_abs().next_multiple_of(offset.stride) } else { 0 };
        let Some(first) = offset.start.checked_add_unsigned(before).map(i64::cast_unsigned) else {
            return Some(Vec::new());
        };
        let end = match offset.span {
            None => last,
            Some(span) if span < before => return Some(Vec::new()),
            Some(span) => first.saturating_add(span - before).min(last),
        };
        let count = if first > end { 0 } else { (end - first) / offset.stride + 1 };
        if count > ELEMENTS as u64 {
            let object = &mut self.objects[object];
            self.changed |= match offset.span {
                Some(_) => object.clobbered.insert((first, end + u64::from(bytes))),
                None => !std::mem::replace(&mut object.opaque, true),
            };
            return None;
        }
        Some((0..count).map(|index| first + index * offset.stride).collect())
    }

    fn unknown_place(&mut self, places: &mut Places, addr: &Value, (object, offset): (ObjectId, Offset), bytes: u32) {
        places.unknown.push((object, offset));
        let known = &self.objects[object];
        match known.size {
            Some(size) if known.has_address() => {
                let start = self.terms.constant(self.space.bits, u128::from(known.address));
                let offset = self.terms.sub(addr.term, start);
                let Some(last) = size.checked_sub(u64::from(bytes)) else { return };
                let last = self.terms.constant(self.space.bits, u128::from(last));
                let inside = self.terms.ule(offset, last);
                places.valid.holds = self.terms.or(places.valid.holds, inside);
            }
            _ => places.valid.or_unknown = true,
        }
    }

    /// If memory is checked: may the object have ended when it is accessed here? A variable on the stack is there while
    /// its activation is active; and for other threads while its thread never stops outside of that activation.
    pub fn may_be_gone(&self, object: ObjectId, point: Point) -> bool {
        let known = &self.objects[object];
        self.properties.contains(Property::Memory)
            && match known.origin {
                Origin::Function(_) | Origin::Global(_) => false,
                Origin::Stack(context, site) => {
                    let owner = self.contexts[context].template;
                    let inner = match owner == self.contexts[point.context].template {
                        true => Some(point.context),
                        false => self.lasting.get(&owner).copied().flatten(),
                    };
                    inner.is_none_or(|inner| !self.contexts.is_active(context, inner))
                        || self.may_be_left(context, site, point)
                        // Where activations are one, some of them may have ended.
                        || self.is_recursive(context)
                }
                Origin::Heap(..) => known.freed,
                Origin::ThreadLocal(template, id) => {
                    self.program.globals[id].ends_with_its_thread() && template != self.contexts[point.context].template
                }
                Origin::AnyThreads(_, id) => self.program.globals[id].ends_with_its_thread(),
            }
    }

    pub fn note_foreign(&mut self, object: ObjectId, template: TemplateId) {
        let object = &mut self.objects[object];
        if object.owner.is_some_and(|(owner, _)| owner != template) && !object.foreign {
            object.foreign = true;
            self.changed = true;
        }
    }

    fn load(&mut self, point: Point, state: &mut State, places: &Places, bits: u32) -> Value {
        let mut value = None;
        if !places.unknown.is_empty() || places.cells.is_empty() || places.valid.made_up {
            let anything = if places.valid.made_up { Targets::wild(Wild::MadeUp) } else { Targets::none() };
            let targets = places.unknown.iter().fold(anything, |all, (object, _)| {
                let content = self.content(*object);
                all.with(&content)
            });
            let mut term = self.input(point, bits, "loaded");
            if let ([place], [], false) = (&places.unknown[..], &places.cells[..], places.valid.made_up) {
                term = self.read_again(state, *place, places.address, term);
            }
            if !places.valid.made_up {
                let holds = self.within_bounds(state, &places.unknown, bits.div_ceil(8), term);
                // An input has a value within any bounds.
                let _ = state.require(&mut self.terms, holds);
            }
            value = Some(Value { term, targets });
        }
        for (hit, var, within) in &places.cells {
            let part = self.load_cell(point, state, *var, *within, bits);
            value = Some(match value {
                None => part,
                Some(other) => choose(&mut self.terms, *hit, part, other),
            });
        }
        value.unwrap_or_else(|| Value { term: Terms::FALSE, targets: Targets::wild(Wild::Unwritten) })
    }

    pub fn load_cell(&mut self, point: Point, state: &mut State, var: Var, within: u32, bits: u32) -> Value {
        if self.home(var) == Home::Unknown {
            return self.unknown_cell(point, state, var, within, bits);
        }
        let Value { term, targets } = self.read(state, var);
        Value { term: self.terms.extract(term, 8 * within, bits), targets }
    }

    fn store(
        &mut self,
        walk: &mut Walk,
        point: Point,
        state: &mut State,
        places: &Places,
        (value, bytes): (Value, u32),
    ) {
        let value = self.resized(value, 8 * bytes);
        let is_certain = places.cells.len() == 1 && places.unknown.is_empty();
        for (hit, var, within) in &places.cells {
            if let (Home::Unknown, Var::Cell(object, start, _)) = (self.home(*var), *var) {
                self.store_unknown(object, &value.targets, places.is_own);
                let offset = Offset::exact((start + u64::from(*within)).cast_signed());
                let address = is_certain.then_some(places.address);
                self.write_contents(walk, point, state, (object, offset, address), (&value, bytes));
                continue;
            }
            if self.home(*var) == Home::Shared && !places.is_own {
                self.publish(&value.targets);
            }
            let old = self.read(state, *var);
            let width = self.terms.bits(old.term);
            let (low, high) = (8 * within, 8 * (within + bytes));
            let mut term = value.term;
            if low > 0 {
                let below = self.terms.extract(old.term, 0, low);
                term = self.terms.concat(term, below);
            }
            if high < width {
                let above = self.terms.extract(old.term, high, width - high);
                term = self.terms.concat(above, term);
            }
            let is_whole = low == 0 && high == width;
            let targets = if is_whole { value.targets.clone() } else { value.targets.clone().with(&old.targets) };
            let new = Value { term, targets };
            let new = if is_certain { new } else { choose(&mut self.terms, *hit, new, old) };
            self.note_own(*var, &new.targets);
            state.changed.insert(*var, new);
        }
        for (object, offset) in &places.unknown {
            self.store_unknown(*object, &value.targets, places.is_own);
            let is_certain = places.cells.is_empty() && places.unknown.len() == 1;
            let address = is_certain.then_some(places.address);
            self.write_contents(walk, point, state, (*object, *offset, address), (&value, bytes));
            if let Origin::AnyThreads(template, global) = self.objects[*object].origin {
                self.clobber(template, global, *offset, bytes);
            }
        }
    }

    /// A thread of many writes into its copy of a thread-local: who looks at the copies of others may find that there.
    pub fn note_own(&mut self, var: Var, targets: &Targets) {
        if let Var::Cell(object, ..) = var
            && matches!(self.objects[object].origin, Origin::ThreadLocal(..))
        {
            self.changed |= self.objects[object].content.add(targets);
        }
    }

    /// Something is written into an object that has no variables. `is_own`: others do not know it yet.
    pub fn store_unknown(&mut self, object: ObjectId, targets: &Targets, is_own: bool) {
        if !is_own && !self.is_hidden(object) {
            self.publish(targets);
        }
        self.changed |= self.objects[object].content.add(targets);
    }

    /// A thread writes into the copy of another thread of a template that has many.
    pub fn clobber(&mut self, template: TemplateId, global: GlobalId, offset: Offset, bytes: u32) {
        let object = self.thread_local(template, global);
        let size = self.objects[object].size.unwrap_or(0);
        let range = match (offset.stride, u64::try_from(offset.start)) {
            (0, Ok(start)) => (start, start + u64::from(bytes)),
            _ => (0, size),
        };
        self.changed |= self.objects[object].clobbered.insert(range);
    }

    /// The targets of all pointers in an object that is read.
    pub fn content(&mut self, object: ObjectId) -> Targets {
        if let Origin::AnyThreads(template, global) = self.objects[object].origin {
            let own = self.thread_local(template, global);
            let content = self.pointers_in(own);
            self.publish(&content);
        }
        self.pointers_in(object)
    }

    /// The targets of all pointers in an object.
    pub fn pointers_in(&mut self, object: ObjectId) -> Targets {
        let known = &self.objects[object];
        let mut targets = known.content.clone();
        match known.origin {
            Origin::Function(_) => {}
            Origin::Stack(..) | Origin::Heap(..) => targets.wild = targets.wild.max(Wild::Unwritten),
            Origin::Global(global) | Origin::ThreadLocal(_, global) => {
                for relocation in &self.program.globals[global].relocations {
                    if !matches!(relocation.target, Operand::Reg(_)) {
                        let value = self.constant_operand(TemplateId::from_u32(0), relocation.target);
                        targets.add(&value.targets);
                    }
                }
            }
            Origin::AnyThreads(template, global) => {
                let own = self.thread_local(template, global);
                let content = self.pointers_in(own);
                targets.add(&content);
            }
        }
        let cells: Vec<(u64, u32)> = self.objects[object].cells().to_vec();
        for (offset, bytes) in cells {
            if let Some(known) = self.known.get(&Var::Cell(object, offset, bytes)) {
                targets.add(&known.targets);
            }
        }
        targets
    }
}
