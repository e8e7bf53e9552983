//! Targets of pointers: pairs of an object and an offset in it, by the sites where objects are made.
//!
//! Inclusion-based, as in Andersen's thesis (1994), with offsets: a pointer that moves by a known distance keeps its exact
//! offset, one that is indexed keeps its offset modulo the stride.

use super::objects::ObjectId;
use std::collections::BTreeSet;

/// So many exact offsets in one object are kept apart.
const EXACT: usize = 8;

/// An offset in an object: exactly `start`, or at `start` plus any multiple of a stride that is not 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Offset {
    pub start: i64,
    pub stride: u64,
}

impl Offset {
    pub fn exact(start: i64) -> Offset {
        Offset { start, stride: 0 }
    }

    fn strided(start: i64, stride: u64) -> Offset {
        match i64::try_from(stride) {
            Ok(0) => Offset::exact(start),
            Ok(by) => Offset { start: start.rem_euclid(by), stride },
            Err(_) => Offset { start: 0, stride: 1 },
        }
    }

    fn join(self, other: Offset) -> Offset {
        let apart = self.start.abs_diff(other.start);
        Offset::strided(self.start, gcd(gcd(self.stride, other.stride), apart))
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Targets {
    places: BTreeSet<(ObjectId, Offset)>,
    /// Also bits of which nothing is known: inputs, and memory that nobody has written.
    pub wild: bool,
}

impl Targets {
    /// The targets of a number that is no address.
    pub fn none() -> Targets {
        Targets::default()
    }

    pub fn wild() -> Targets {
        Targets { wild: true, ..Targets::default() }
    }

    pub fn at(object: ObjectId, offset: i64) -> Targets {
        Targets { places: [(object, Offset::exact(offset))].into(), wild: false }
    }

    pub fn iter(&self) -> impl Iterator<Item = (ObjectId, Offset)> + '_ {
        self.places.iter().copied()
    }

    pub fn objects(&self) -> BTreeSet<ObjectId> {
        self.places.iter().map(|(object, _)| *object).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Was anything new?
    pub fn add(&mut self, other: &Targets) -> bool {
        let before = (self.places.len(), self.wild);
        self.wild |= other.wild;
        let new: Vec<_> = other.iter().filter(|place| !self.covers(*place)).collect();
        let grows = !new.is_empty();
        self.places.extend(new);
        if grows {
            self.normalise();
        }
        grows || before.1 != self.wild
    }

    pub fn with(mut self, other: &Targets) -> Targets {
        self.add(other);
        self
    }

    fn covers(&self, (object, offset): (ObjectId, Offset)) -> bool {
        self.places.contains(&(object, offset))
            || self.iter().any(|(known, at)| known == object && at.stride != 0 && at.join(offset) == at)
    }

    /// Moved by a known distance.
    pub fn moved(&self, by: i64) -> Targets {
        let moved =
            |(object, at): (ObjectId, Offset)| (object, Offset::strided(at.start.saturating_add(by), at.stride));
        Targets { places: self.iter().map(moved).collect(), wild: self.wild }
    }

    /// Moved by any multiple of a stride.
    pub fn indexed(&self, stride: u64) -> Targets {
        let moved =
            |(object, at): (ObjectId, Offset)| (object, Offset::strided(at.start, gcd(at.stride, stride.max(1))));
        let mut targets = Targets { places: self.iter().map(moved).collect(), wild: self.wild };
        targets.normalise();
        targets
    }

    /// One stride for an object with many offsets, or with a stride already.
    fn normalise(&mut self) {
        for object in self.objects() {
            let of_it: Vec<Offset> = self.iter().filter(|(other, _)| *other == object).map(|(_, at)| at).collect();
            let has_stride = of_it.iter().any(|at| at.stride != 0);
            if of_it.len() > EXACT || has_stride && of_it.len() > 1 {
                let one = of_it.into_iter().reduce(Offset::join).unwrap_or(Offset::exact(0));
                self.places.retain(|(other, _)| *other != object);
                self.places.insert((object, one));
            }
        }
    }
}

/// A term, and what it may point to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    pub term: selvedge_formula::Term,
    pub targets: Targets,
}

impl Value {
    pub fn number(term: selvedge_formula::Term) -> Value {
        Value { term, targets: Targets::none() }
    }
}
