//! Bounds of what is in objects without variables: blocks of the heap that are made many times, long arrays, structs on
//! the stacks of many threads.
//!
//! Nobody follows each cell of such an object. But cells at the same place in all of them, or in all elements, have
//! something in common: the values that are written there. It is *guessed* between which bounds these lie. Whatever is
//! read lies between them, and writing anything else is an error of the system. If no error is reachable, nothing else
//! was ever written: the first write that breaks a guess comes before every read that relies on it in vain (assume and
//! guarantee; Misra and Chandy 1981). So any guess is sound, and a proof about the system is a proof about the program.
//! [`crate::contents`] makes the guesses.
//!
//! In the same way it is guessed that an index is one that its array has. Where nobody asks about memory, a run goes on
//! behind an index that leads into another member of the struct, which might then be written by any assignment to an
//! element.
//!
//! A new block holds any bytes. The step that makes it must have written a cell when it ends, or that cell has no
//! bounds.

use super::Extraction;
use super::contexts::Point;
use super::objects::{Home, ObjectId, Origin};
use super::state::{State, Var};
use super::targets::{Offset, Value};
use super::walk::{Target, Walk};
use crate::contents::{Bounds, Field, Guess, Side};
use selvedge_formula::{Term, Terms, signed};
use std::collections::{BTreeMap, BTreeSet};

/// The cells of an object that are read and written in the same way.
#[derive(Default)]
pub struct Fields {
    /// They come again after so many bytes. 0: they do not.
    period: u64,
    /// Accesses overlap, or nobody knows what they touch.
    is_mixed: bool,
    /// Those that are written when others may know the block.
    changing: BTreeSet<Part>,
    /// Those that hold pointers, which have no bounds.
    pointers: BTreeSet<Part>,
    /// Place within the period, and bytes.
    all: BTreeSet<Part>,
}

impl Fields {
    /// Is this place between cells?
    fn divides(&self, at: Option<u64>) -> bool {
        let within = |at: u64| if self.period > 0 { at % self.period } else { at };
        at.map(within)
            .is_some_and(|at| self.all.iter().all(|(start, bytes)| at <= *start || start + u64::from(*bytes) <= at))
    }
}

/// Place and bytes.
pub type Part = (u64, u32);

/// A block that the step at hand has made.
#[derive(Clone, PartialEq, Debug)]
pub struct Fresh {
    pointer: Value,
    written: BTreeSet<Part>,
}

/// Blocks that the step at hand has made.
pub type FreshBlocks = BTreeMap<ObjectId, Fresh>;

/// What a step has read: a value, by its address and part.
pub type Loaded = BTreeMap<(Term, ObjectId, Part), Term>;

/// Either of two steps.
pub fn merge_fresh(mut one: FreshBlocks, other: FreshBlocks) -> FreshBlocks {
    for (object, theirs) in other {
        match one.get_mut(&object) {
            Some(mine) if mine.pointer == theirs.pointer => mine.written.retain(|part| theirs.written.contains(part)),
            Some(mine) => mine.written.clear(),
            None => drop(one.insert(object, theirs)),
        }
    }
    one
}

impl Extraction<'_> {
    /// The part of an object that an access touches, where it is the same in all of them. None: nobody knows.
    fn part(&mut self, object: ObjectId, offset: Offset, bytes: u32) -> Option<Part> {
        self.guesses?;
        let known = &self.objects[object];
        let has_bounds = match known.origin {
            Origin::Global(id) => self.program.globals[id].relocations.is_empty(),
            Origin::Stack(..) | Origin::Heap(..) => true,
            Origin::Function(_) | Origin::ThreadLocal(..) | Origin::AnyThreads(..) => false,
        };
        if !has_bounds {
            return None;
        }
        let fields = self.fields.entry(object).or_default();
        if fields.is_mixed {
            return None;
        }
        let period = super::targets::gcd(fields.period, offset.stride);
        if period != fields.period {
            fields.period = period;
            fields.all.clear();
            fields.pointers.clear();
            fields.changing.clear();
            self.changed = true;
        }
        let start = match i64::try_from(period) {
            Ok(0) => u64::try_from(offset.start).ok(),
            Ok(period) => u64::try_from(offset.start.rem_euclid(period)).ok(),
            Err(_) => None,
        };
        let apart = |(a, length): Part, (b, others): Part| a + u64::from(length) <= b || b + u64::from(others) <= a;
        let fits = |start: u64| bytes <= 8 && (period == 0 || start + u64::from(bytes) <= period);
        let part = start.filter(|start| fits(*start)).map(|start| (start, bytes));
        match part {
            Some(part) if fields.all.contains(&part) => {}
            Some(part) if fields.all.iter().all(|other| apart(part, *other)) => {
                fields.all.insert(part);
                self.changed = true;
            }
            Some(_) | None => {
                fields.is_mixed = true;
                self.changed = true;
                return None;
            }
        }
        part
    }

    /// Something is written into an object that no field follows.
    pub fn mix(&mut self, object: ObjectId) {
        if self.guesses.is_some() {
            let fields = self.fields.entry(object).or_default();
            self.changed |= !std::mem::replace(&mut fields.is_mixed, true);
        }
    }

    /// The bounds of a part, if anything is known.
    fn bounds(&mut self, object: ObjectId, part: Part) -> Option<Bounds> {
        let field = self.field(object, part);
        let guess = self.guesses?.of(&field);
        if self.fields[&object].pointers.contains(&part) {
            return None;
        }
        let bounds = match self.first_contents(object, part) {
            Some(first) => guess.join(first),
            None => guess,
        };
        (!bounds.is_everything(8 * part.1)).then_some(bounds)
    }

    fn field(&self, object: ObjectId, (start, bytes): Part) -> Field {
        Field { object: self.objects[object].name.clone(), start, bytes }
    }

    /// The bounds of what a global begins with there.
    fn first_contents(&self, object: ObjectId, (start, bytes): Part) -> Option<Bounds> {
        let Origin::Global(id) = self.objects[object].origin else { return None };
        let (init, size) = (&self.program.globals[id].init, self.program.globals[id].size);
        let period = self.fields[&object].period;
        let byte = |at: u64| usize::try_from(at).ok().and_then(|at| init.get(at).copied()).unwrap_or(0);
        let value = |at: u64| {
            let bits = (0..u64::from(bytes)).map(|nth| u128::from(byte(at + nth)) << (8 * nth)).sum();
            Bounds::exactly(signed(8 * bytes, bits))
        };
        let mut all = value(start);
        let mut at = start + period;
        while period > 0 && at + u64::from(bytes) <= size && at < init.len() as u64 + period {
            all = all.join(value(at));
            at += period;
        }
        Some(all)
    }

    /// The conditions under which a value lies on either side of bounds.
    fn outside(&mut self, bounds: Bounds, value: Term) -> [(Side, Term); 2] {
        let bits = self.terms.bits(value);
        let low = self.terms.constant(bits, bounds.low.cast_unsigned() & selvedge_formula::mask(bits));
        let high = self.terms.constant(bits, bounds.high.cast_unsigned() & selvedge_formula::mask(bits));
        [(Side::Below, self.terms.slt(value, low)), (Side::Above, self.terms.slt(high, value))]
    }

    /// That a value which is read somewhere in these objects lies within bounds.
    pub fn within_bounds(&mut self, state: &State, places: &[(ObjectId, Offset)], bytes: u32, value: Term) -> Term {
        if self.guesses.is_none() || self.terms.bits(value) != 8 * bytes || places.is_empty() {
            return Terms::TRUE;
        }
        let mut any = Terms::FALSE;
        for (object, offset) in places {
            let Some(part) = self.part(*object, *offset, bytes) else { return Terms::TRUE };
            // What is read may be in a new block.
            if state.fresh.get(object).is_some_and(|fresh| !fresh.written.contains(&part)) {
                return Terms::TRUE;
            }
            let Some(bounds) = self.bounds(*object, part) else { return Terms::TRUE };
            let outside = self.outside(bounds, value).map(|(_, outside)| self.terms.not(outside));
            let inside = self.terms.and_all(outside);
            any = self.terms.or(any, inside);
        }
        any
    }

    /// A value that is read of a block whose part nobody writes any more is the one that was read there before.
    /// `value`: what it is otherwise.
    pub fn read_again(&mut self, state: &mut State, place: (ObjectId, Offset), address: Term, value: Term) -> Term {
        let bits = self.terms.bits(value);
        let (object, offset) = place;
        let is_block = matches!(self.objects[object].origin, Origin::Heap(..));
        if self.guesses.is_none() || !is_block || !bits.is_multiple_of(8) || state.fresh.contains_key(&object) {
            return value;
        }
        match self.part(object, offset, bits / 8) {
            Some(part) if !self.fields[&object].changing.contains(&part) => {
                *state.loaded.entry((address, object, part)).or_insert(value)
            }
            Some(_) | None => value,
        }
    }

    /// A value is written into an object without variables. `address`: where, if it is certain that it goes there.
    pub fn write_contents(
        &mut self,
        walk: &mut Walk,
        point: Point,
        state: &mut State,
        (object, offset, address): (ObjectId, Offset, Option<Term>),
        (value, bytes): (&Value, u32),
    ) {
        let Some(part) = self.part(object, offset, bytes) else { return };
        if !value.targets.is_empty()
            && let Some(fields) = self.fields.get_mut(&object)
        {
            self.changed |= fields.pointers.insert(part);
        }
        self.require_bounds(walk, point, state, (object, part), value.term);
        let mut is_new = false;
        if offset.stride == 0
            && let Some(address) = address
            && let Some(fresh) = state.fresh.get(&object)
        {
            let by = self.terms.constant(127, i128::from(offset.start).cast_unsigned());
            let pointer = fresh.pointer.clone();
            if self.moved(&pointer, by) == address
                && let Some(fresh) = state.fresh.get_mut(&object)
            {
                fresh.written.insert(part);
                is_new = true;
            }
        }
        if !is_new {
            self.note_changing(state, object, [part].into());
        }
    }

    fn note_changing(&mut self, state: &mut State, object: ObjectId, parts: BTreeSet<Part>) {
        if let Some(fields) = self.fields.get_mut(&object) {
            for part in parts {
                self.changed |= fields.changing.insert(part);
            }
        }
        state.loaded.clear();
    }

    /// So many bytes become zero. `to`: the pointer to the first.
    pub fn zero_contents(
        &mut self,
        walk: &mut Walk,
        point: Point,
        state: &mut State,
        (object, to): (ObjectId, &Value),
        length: Option<u64>,
    ) {
        let Some(fields) = self.fields.get(&object) else { return };
        let parts = fields.all.clone();
        let is_whole = length.is_some_and(|length| {
            let offsets = to.targets.iter().filter(|(other, _)| *other == object);
            offsets.into_iter().all(|(_, offset)| {
                let period = fields.period;
                let is_same = offset.stride == 0 || period > 0 && offset.stride.is_multiple_of(period);
                let start = u64::try_from(offset.start).ok().filter(|_| is_same);
                start.is_some_and(|start| {
                    [Some(start), start.checked_add(length)].into_iter().all(|at| fields.divides(at))
                })
            })
        });
        if !state.fresh.get(&object).is_some_and(|fresh| fresh.pointer == *to) {
            self.note_changing(state, object, parts.clone());
        }
        for part in parts {
            // A value that is not negative gets no greater if some of its bytes become zero. Of others nothing is known
            // then.
            let is_positive = self.bounds(object, part).is_some_and(|bounds| bounds.low >= 0);
            let new = match is_whole || is_positive {
                true => self.terms.constant(8 * part.1, 0),
                false => self.input(point, 8 * part.1, "part"),
            };
            self.require_bounds(walk, point, state, (object, part), new);
            if let Some(fresh) = state.fresh.get_mut(&object)
                && fresh.pointer == *to
                && is_whole
                && length.is_some_and(|length| part.0 + u64::from(part.1) <= length)
                && self.fields[&object].period == 0
            {
                fresh.written.insert(part);
            }
        }
    }

    /// A value outside of the bounds is an error.
    fn require_bounds(
        &mut self,
        walk: &mut Walk,
        point: Point,
        state: &State,
        (object, part): (ObjectId, Part),
        value: Term,
    ) {
        if let Some(bounds) = self.bounds(object, part) {
            self.require_within(walk, point, state, (&self.field(object, part), bounds), value);
        }
    }

    fn require_within(
        &mut self,
        walk: &mut Walk,
        point: Point,
        state: &State,
        (field, bounds): (&Field, Bounds),
        value: Term,
    ) {
        let loc = self.user_loc(point);
        for (side, outside) in self.outside(bounds, value) {
            let mut wrong = state.clone();
            if wrong.require(&mut self.terms, outside) {
                self.exit(walk, Target::Wrong { guess: Guess::Bound(field.clone(), side), loc }, wrong);
            }
        }
    }

    /// Is it guessed that an index here is one that its array has?
    pub fn is_guessed_inside(&self, point: Point) -> bool {
        self.guesses.is_some_and(|guesses| guesses.is_inside(self.user_loc(point)))
    }

    /// An index that its array does not have is an error. False: it never has.
    pub fn require_inside(&mut self, walk: &mut Walk, point: Point, state: &mut State, inside: Term) -> bool {
        let loc = self.user_loc(point);
        let outside = self.terms.not(inside);
        let mut wrong = state.clone();
        if wrong.require(&mut self.terms, outside) {
            self.exit(walk, Target::Wrong { guess: Guess::Index(loc), loc }, wrong);
        }
        state.require(&mut self.terms, inside)
    }

    /// A register of an activation that waits while others use its variable: its bounds are a guess, too.
    fn bounds_of_register(&mut self, var: Var) -> Option<(Field, Bounds)> {
        let Var::Register(context, _) = var else { return None };
        let bits = self.bits(var);
        let is_pointer = self.known.get(&var).is_some_and(|known| !known.targets.is_empty());
        if !bits.is_multiple_of(8) || bits > 64 || is_pointer {
            return None;
        }
        let field = Field { object: self.name(var), start: context.as_u32().into(), bytes: bits / 8 };
        let bounds = self.guesses?.of(&field);
        (!bounds.is_everything(bits)).then_some((field, bounds))
    }

    /// A register has this value when its activation begins to wait.
    pub fn keep_within_bounds(&mut self, walk: &mut Walk, point: Point, state: &State, var: Var, value: Term) {
        if let Some((field, bounds)) = self.bounds_of_register(var) {
            self.require_within(walk, point, state, (&field, bounds), value);
        }
    }

    /// That a register had this value when its activation began to wait.
    pub fn was_within_bounds(&mut self, var: Var, value: Term) -> Term {
        let Some((_, bounds)) = self.bounds_of_register(var) else { return Terms::TRUE };
        let inside = self.outside(bounds, value).map(|(_, outside)| self.terms.not(outside));
        self.terms.and_all(inside)
    }

    /// A block is made that has no variables.
    pub fn note_fresh(
        &mut self,
        walk: &mut Walk,
        point: Point,
        state: &mut State,
        (object, pointer): (ObjectId, &Value),
    ) {
        if self.guesses.is_none()
            || self.objects[object].home() != Home::Unknown && self.objects[object].clobbered.is_empty()
        {
            return;
        }
        self.settle_fresh(walk, point, state, object);
        state.fresh.insert(object, Fresh { pointer: pointer.clone(), written: BTreeSet::new() });
    }

    /// A step ends: what it has not written of its new blocks may be anything.
    pub fn settle_all_fresh(&mut self, walk: &mut Walk, point: Point, state: &mut State) {
        for object in state.fresh.keys().copied().collect::<Vec<_>>() {
            self.settle_fresh(walk, point, state, object);
        }
    }

    fn settle_fresh(&mut self, walk: &mut Walk, point: Point, state: &mut State, object: ObjectId) {
        let Some(fresh) = state.fresh.remove(&object) else { return };
        let parts = self.fields.get(&object).map(|fields| fields.all.clone()).unwrap_or_default();
        for part in parts.difference(&fresh.written) {
            let anything = self.input(point, 8 * part.1, "unwritten");
            self.require_bounds(walk, point, state, (object, *part), anything);
        }
    }

    /// Reads a cell of an object that has none any more.
    pub fn unknown_cell(&mut self, point: Point, state: &mut State, var: Var, within: u32, bits: u32) -> Value {
        let Var::Cell(object, start, _) = var else { unreachable!("only cells are in memory") };
        let targets = self.content(object);
        let term = self.input(point, bits, "loaded");
        let offset = Offset::exact((start + u64::from(within)).cast_signed());
        let holds = self.within_bounds(state, &[(object, offset)], bits.div_ceil(8), term);
        // An input has a value within any bounds.
        let _ = state.require(&mut self.terms, holds);
        Value { term, targets }
    }
}
