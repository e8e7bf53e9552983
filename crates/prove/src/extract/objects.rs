//! The objects of memory, by what makes them: globals, thread-locals, stack variables, blocks of the heap, functions.
//!
//! An object of which there is one at most (in the run, or for each thread) is cut into cells, which become variables;
//! the cells are the ranges of bytes that are accessed, those that overlap taken together. Whatever else there is has
//! unknown contents: to read it is an input.

use super::contexts::{ContextId, Site};
use super::targets::Targets;
use crate::system::{Instances, TemplateId};
use cranelift_entity::entity_impl;
use selvedge_program::{FuncId, GlobalId};
use std::collections::BTreeSet;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(u32);
entity_impl!(ObjectId, "object");

/// Wider cells would not fit a term.
pub const CELL_BYTES: u32 = 16;

/// The origin of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Origin {
    Function(FuncId),
    Global(GlobalId),
    /// The copy of a thread of this template.
    ThreadLocal(TemplateId, GlobalId),
    /// The copy of some thread of a template that has many, as others see it.
    AnyThreads(TemplateId, GlobalId),
    Stack(ContextId, Site),
    Heap(ContextId, Site),
}

#[derive(Clone, Debug)]
pub struct Object {
    pub origin: Origin,
    pub name: String,
    /// None: not known, or not always the same.
    pub size: Option<u64>,
    /// The bits of a pointer to its first byte. Means nothing where there are many such objects.
    pub address: u64,
    /// The template whose threads make it, and how many threads that has.
    pub owner: Option<(TemplateId, Instances)>,
    /// Its owner makes more than one that are alive at the same time.
    pub is_summary: bool,
    /// A pointer to it is where other threads may find it.
    pub escaped: bool,
    /// Threads of other templates access it.
    pub foreign: bool,
    /// It is accessed in a way that cells do not follow.
    pub opaque: bool,
    /// It is given back to the heap somewhere.
    pub freed: bool,
    /// Bytes of which nothing is known: long arrays, and what threads of the same template write in one another's
    /// copies. From, to.
    pub clobbered: BTreeSet<(u64, u64)>,
    /// The targets of pointers in it, where it has no variables.
    pub content: Targets,
    /// Offset and length, in order, without overlap.
    cells: Vec<(u64, u32)>,
}

/// The home of an object's contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    Shared,
    Local(TemplateId),
    /// In no variable: whatever is read is an input.
    Unknown,
}

impl Object {
    pub fn new(origin: Origin, name: String, size: Option<u64>, address: u64) -> Object {
        Object {
            origin,
            name,
            size,
            address,
            owner: None,
            is_summary: false,
            escaped: false,
            foreign: false,
            opaque: false,
            freed: false,
            clobbered: BTreeSet::new(),
            content: Targets::none(),
            cells: Vec::new(),
        }
    }

    pub fn home(&self) -> Home {
        if self.opaque || self.is_summary || self.size.is_none() {
            return Home::Unknown;
        }
        match (self.origin, self.owner) {
            (Origin::Function(_) | Origin::AnyThreads(..), _) => Home::Unknown,
            (Origin::Global(_), _) | (_, None) => Home::Shared,
            (Origin::ThreadLocal(..) | Origin::Stack(..) | Origin::Heap(..), Some((owner, instances))) => {
                match instances {
                    Instances::Once if self.foreign => Home::Shared,
                    Instances::Many if self.escaped => Home::Unknown,
                    Instances::Once | Instances::Many => Home::Local(owner),
                }
            }
        }
    }

    /// Does each thread that makes one know its address, and is it the only one there?
    pub fn has_address(&self) -> bool {
        let one_of_many = self.escaped && matches!(self.owner, Some((_, Instances::Many)));
        !self.is_summary && !one_of_many && !matches!(self.origin, Origin::AnyThreads(..))
    }

    pub fn cells(&self) -> &[(u64, u32)] {
        &self.cells
    }

    /// The cell that these bytes are part of, after there is one. Tells whether cells have changed.
    pub fn touch(&mut self, offset: u64, bytes: u32) -> (Option<(u64, u32)>, bool) {
        if let Some(cell) = self.cell(offset, bytes) {
            return (Some(cell), false);
        }
        let (mut from, mut to) = (offset, offset + u64::from(bytes));
        self.cells.retain(|(start, length)| {
            let end = start + u64::from(*length);
            let is_apart = end <= from || to <= *start;
            if !is_apart {
                (from, to) = (from.min(*start), to.max(end));
            }
            is_apart
        });
        if to - from > u64::from(CELL_BYTES) {
            self.opaque = true;
            return (None, true);
        }
        let cell = (from, (to - from) as u32);
        let place = self.cells.partition_point(|(start, _)| *start < from);
        self.cells.insert(place, cell);
        (Some(cell), true)
    }

    pub fn cell(&self, offset: u64, bytes: u32) -> Option<(u64, u32)> {
        let holds =
            |(start, length): &(u64, u32)| *start <= offset && offset + u64::from(bytes) <= start + u64::from(*length);
        self.cells.iter().copied().find(holds)
    }

    pub fn is_clobbered(&self, (offset, bytes): (u64, u32)) -> bool {
        self.clobbered.iter().any(|(from, to)| *from < offset + u64::from(bytes) && offset < *to)
    }
}
