//! Accesses that threads are about to make, where data races are asked about ([`crate::races`]).
//!
//! Every access that may race is something that others can notice, so a thread stops before it unless it is the first such thing
//! since the thread stood still: then nothing that matters lies between the location and the access. Accesses inside an
//! atomic section belong to the location before the section, and are atomic.
//!
//! Left out are accesses of a thread that is alone, or to what only one thread can reach; to what models keep for
//! themselves; and those of which the user does not want to hear.

use super::contexts::Point;
use super::objects::{Home, ObjectId, Origin};
use super::state::State;
use super::targets::{Offset, Value};
use super::{Accesses, Extraction};
use crate::races::{Access, Extent};
use crate::system::{LocationId, TemplateId};
use selvedge_formula::Term;
use selvedge_program::{Accesses as Kind, DataAccess, EntityRef, Op, Origin as Written, Property};

/// How many bytes, and whether they are read or written.
#[derive(Clone, Copy)]
pub struct Touch {
    /// None: not known.
    pub bytes: Option<u64>,
    pub writes: bool,
}

impl Extraction<'_> {
    pub fn asks_for_races(&self) -> bool {
        self.properties.contains(Property::Race)
    }

    /// May an access there race, though no variable tells? The thread has to stop before.
    pub fn may_race_unseen(&self, addr: &Value, point: Point, writes: bool) -> bool {
        let template = self.contexts[point.context].template;
        self.asks_for_races()
            && !point.alone
            && addr.targets.objects().into_iter().any(|object| {
                let is_touched = self.touched.get(&object).is_some_and(|by| self.conflicts(by, template, writes));
                let is_unknown = self.objects[object].home() == Home::Unknown || self.is_clobbered(object);
                self.may_race_in(object) && (is_touched || is_unknown)
            })
    }

    /// Bytes are accessed that need not be in any cell: freed, copied, or looked at by a model.
    pub fn touch_bytes(&mut self, pointer: &Value, point: Point, writes: bool) {
        if !self.asks_for_races() || point.alone {
            return;
        }
        let template = self.contexts[point.context].template;
        for object in pointer.targets.objects() {
            self.note_foreign(object, template);
            let own = self.touched.entry(object).or_default().entry(template).or_default();
            let new = Accesses { reads: own.reads | !writes, writes: own.writes | writes };
            self.changed |= *own != new;
            *own = new;
        }
    }

    /// The thread is about to make an access.
    pub fn note_access(&mut self, point: Point, state: &State, addr: &Value, Touch { bytes, writes }: Touch) {
        if !self.asks_for_races() || point.alone {
            return;
        }
        let how = self.op_at(point).map_or(Kind::Plain, Op::data_access);
        let atomic = point.depth > 0 || how == Kind::Atomic;
        let loc = self.user_loc(point);
        let targets: Vec<(ObjectId, Offset)> = addr.targets.iter().collect();
        for (object, offset) in targets {
            if !self.may_race_in(object) || self.is_ignored(object, loc) {
                continue;
            }
            let start = u64::try_from(offset.start).ok().filter(|_| offset.stride == 0);
            let extent = match (bytes, start) {
                (Some(bytes), _) if self.objects[object].has_address() => Extent::At { address: addr.term, bytes },
                (Some(bytes), Some(start)) => Extent::Bytes { from: start, to: start.saturating_add(bytes) },
                _ => Extent::All,
            };
            let condition = state.guard(&mut self.terms);
            let (template, from) = self.standing;
            let access = DataAccess { writes, atomic };
            let at = (template, LocationId::new(from));
            let object = object.as_u32();
            self.about_to.push(Access { at, condition, object, extent, access, loc });
        }
    }

    /// The whole objects are freed.
    pub fn note_free(&mut self, point: Point, state: &State, pointer: &Value) {
        let objects = pointer.targets.objects();
        let all: Vec<Value> = objects
            .into_iter()
            .map(|object| Value { term: pointer.term, targets: super::Targets::at(object, 0).indexed(1, None) })
            .collect();
        all.iter().for_each(|one| self.note_access(point, state, one, Touch { bytes: None, writes: true }));
    }

    fn op_at(&self, point: Point) -> Option<&Op> {
        let function = &self.program.functions[self.contexts[point.context].function];
        function.blocks[point.site.block].insts.get(point.site.index).map(|inst| &inst.op)
    }

    fn is_clobbered(&self, object: ObjectId) -> bool {
        !self.objects[object].clobbered.is_empty()
    }

    /// Can several threads reach it, and is it the user's?
    fn may_race_in(&self, object: ObjectId) -> bool {
        let known = &self.objects[object];
        let of_user = match known.origin {
            Origin::Function(_) => false,
            Origin::Global(id) | Origin::ThreadLocal(_, id) | Origin::AnyThreads(_, id) => {
                self.program.globals[id].origin == Written::User
            }
            Origin::Stack(..) | Origin::Heap(..) => true,
        };
        let is_own = matches!(known.home(), Home::Local(_)) && !self.is_clobbered(object)
            || known.home() == Home::Unknown && known.owner.is_some() && !known.escaped && !known.foreign;
        of_user && !is_own
    }

    fn is_ignored(&self, object: ObjectId, loc: selvedge_program::Loc) -> bool {
        let variable = match self.objects[object].origin {
            Origin::Global(id) | Origin::ThreadLocal(_, id) | Origin::AnyThreads(_, id) => {
                Some(self.program.globals[id].name.as_str())
            }
            Origin::Function(_) | Origin::Stack(..) | Origin::Heap(..) => None,
        };
        self.program.ignores_race(None, variable, loc)
    }

    /// The terms that tell whether accesses from this location race.
    pub fn terms_of_accesses(&self, template: TemplateId) -> Vec<(usize, Term)> {
        let own = self.about_to.iter().filter(|access| access.at.0 == template);
        own.flat_map(|access| access.terms().map(|term| (access.at.1.index(), term))).collect()
    }
}
