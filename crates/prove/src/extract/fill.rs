//! Many bytes at a time: `memset` and `memcpy`, each as one step, and whether so many are there.

use super::contexts::Point;
use super::memory::Validity;
use super::objects::{ObjectId, Origin};
use super::races::Touch;
use super::state::{State, Var};
use super::targets::{Offset, Targets, Value, Wild};
use super::walk::{Flow, Walk};
use super::{Extraction, Home};
use selvedge_formula::Term;

impl Extraction<'_> {
    /// Writes bytes: copies of one, or of those at `src`.
    pub fn fill(
        &mut self,
        walk: &mut Walk,
        point: Point,
        state: &mut State,
        (dst, len): (&Value, Term),
        src: Option<&Value>,
        byte: Option<Term>,
    ) -> Flow {
        let template = self.contexts[point.context].template;
        let length = self.terms.as_constant(len).and_then(|len| u64::try_from(len).ok());
        if length == Some(0) {
            return Flow::Next;
        }
        let exact = |value: &Value| match value.targets.iter().collect::<Vec<_>>()[..] {
            [(object, Offset { start, stride: 0, .. })] if value.targets.wild == Wild::None => {
                Some((object, u64::try_from(start).ok()?))
            }
            _ => None,
        };
        let (to, from) = (exact(dst), src.and_then(exact));
        let (to_own, from_own) = (self.is_own(state, dst), src.is_some_and(|src| self.is_own(state, src)));
        self.note_write(point, dst, length);
        // The variables that are touched.
        let mut is_visible = false;
        let mut written = Vec::new();
        for object in dst.targets.objects() {
            self.note_foreign(object, template);
            for (offset, bytes) in self.objects[object].cells().to_vec() {
                let end = offset + u64::from(bytes);
                let is_apart = match (to, length) {
                    (Some((_, start)), Some(length)) => end <= start || start + length <= offset,
                    _ => false,
                };
                let var = Var::Cell(object, offset, bytes);
                if !is_apart && self.home(var) != Home::Unknown {
                    is_visible |= !to_own && self.access(var, template, point.alone, (false, true));
                    written.push((var, offset, bytes));
                }
            }
        }
        let mut content = Targets::none();
        for object in src.into_iter().flat_map(|src| src.targets.objects()) {
            self.note_foreign(object, template);
            content.add(&self.content(object));
            for (offset, bytes) in self.objects[object].cells().to_vec() {
                let var = Var::Cell(object, offset, bytes);
                if self.home(var) != Home::Unknown && !from_own {
                    is_visible |= self.access(var, template, point.alone, (true, false));
                }
                if let Some(value) = state.changed.get(&var) {
                    content.add(&value.targets);
                }
            }
        }
        let others = [(Some(dst).filter(|_| !to_own), true), (src.filter(|_| !from_own), false)];
        for (value, writes) in others {
            let Some(value) = value else { continue };
            self.touch_bytes(value, point, writes);
            is_visible |= self.may_race_unseen(value, point, writes);
        }
        if self.observe(point, state, is_visible, true) {
            return Flow::Cut;
        }
        for (value, writes) in others {
            let Some(value) = value.filter(|_| is_visible) else { continue };
            self.note_access(point, state, value, Touch { bytes: length, writes });
        }
        self.note_word_written(point, state, dst, length);
        for (value, writes) in [(Some(dst), true), (src, false)] {
            let Some(value) = value else { continue };
            if self.check_access(walk, point, state, (value, len, writes)).is_gone() {
                return Flow::Gone;
            }
        }
        // The new values.
        let mut new = Vec::new();
        for (var, offset, bytes) in written {
            let inside = match (to, length) {
                (Some((_, start)), Some(length)) if start <= offset && offset + u64::from(bytes) <= start + length => {
                    Some(offset - start)
                }
                _ => None,
            };
            let value = match (inside, byte, from) {
                (Some(_), Some(byte), _) => {
                    let byte = self.terms.extract(byte, 0, 8);
                    let term = (1..bytes).fold(byte, |all, _| self.terms.concat(all, byte));
                    Value::number(term)
                }
                (Some(at), None, Some((object, start))) => self.copied(point, state, object, start + at, bytes),
                // It may keep its value.
                _ => {
                    let targets = self.read(state, var).targets.with(&content);
                    Value { term: self.input(point, 8 * bytes, "copied"), targets }
                }
            };
            if self.home(var) == Home::Shared && !to_own {
                self.publish(&value.targets);
            }
            self.note_own(var, &value.targets);
            new.push((var, value));
        }
        state.changed.extend(new);
        for object in dst.targets.objects() {
            match byte.and_then(|byte| self.terms.as_constant(byte)) {
                Some(0) => self.zero_contents(walk, point, state, (object, dst), length),
                _ => self.mix(object),
            }
            // Also what falls between the cells, for it may be copied on.
            match self.objects[object].home() {
                Home::Shared | Home::Unknown => self.store_unknown(object, &content, to_own),
                Home::Local(_) => self.changed |= self.objects[object].content.add(&content),
            }
            if self.objects[object].home() == Home::Unknown
                && let Origin::AnyThreads(template, global) = self.objects[object].origin
            {
                self.clobber(template, global, Offset { start: 0, stride: 1, span: None }, 1);
            }
        }
        Flow::Next
    }

    fn copied(&mut self, point: Point, state: &mut State, object: ObjectId, offset: u64, bytes: u32) -> Value {
        if self.objects[object].home() != Home::Unknown
            && let Some((start, length)) = self.touch(object, offset, bytes)
        {
            let cell = Var::Cell(object, start, length);
            return self.load_cell(point, state, cell, (offset - start) as u32, 8 * bytes);
        }
        let targets = self.content(object);
        Value { term: self.input(point, 8 * bytes, "copied"), targets }
    }

    /// Are so many bytes there?
    pub fn check_access(
        &mut self,
        walk: &mut Walk,
        point: Point,
        state: &mut State,
        (addr, len, writes): (&Value, Term, bool),
    ) -> Flow {
        let mut valid = Validity { made_up: addr.targets.wild == Wild::MadeUp, ..Validity::default() };
        let length = self.terms.as_constant(len).and_then(|len| u64::try_from(len).ok());
        for object in addr.targets.objects() {
            if self.may_be_gone(object, point) {
                valid.or_unknown = true;
                continue;
            }
            let known = &self.objects[object];
            let is_constant = matches!(known.origin, Origin::Global(id) if self.program.globals[id].constant);
            if matches!(known.origin, Origin::Function(_)) || writes && is_constant {
                continue;
            }
            match (known.size, length) {
                (Some(size), Some(length)) if known.has_address() => {
                    let Some(last) = size.checked_sub(length) else { continue };
                    let start = self.terms.constant(self.space.bits, u128::from(known.address));
                    let offset = self.terms.sub(addr.term, start);
                    let last = self.terms.constant(self.space.bits, u128::from(last));
                    let inside = self.terms.ule(offset, last);
                    valid.holds = self.terms.or(valid.holds, inside);
                }
                _ => valid.or_unknown = true,
            }
        }
        if self.require_valid(walk, point, state, valid, writes) { Flow::Next } else { Flow::Gone }
    }
}

impl Flow {
    fn is_gone(&self) -> bool {
        matches!(self, Flow::Gone)
    }
}
