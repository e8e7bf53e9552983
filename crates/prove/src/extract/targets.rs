//! Targets of pointers: pairs of an object and an offset in it, by the sites where objects are made.
//!
//! Inclusion-based, as in Andersen's thesis (1994), with offsets: a pointer that moves by a known distance keeps its
//! exact offset, one that is indexed keeps its offset modulo the stride, and how far the index leads where its array
//! says so.

use super::objects::ObjectId;
use std::collections::BTreeSet;

/// So many exact offsets in one object are kept apart.
const EXACT: usize = 8;
/// So many distances are few.
const DISTANCES: i128 = 4;

/// An offset in an object: `start` plus any multiple of a stride, up to the span; exactly `start` if the stride is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Offset {
    pub start: i64,
    pub stride: u64,
    /// None: anywhere in the object; `start` is then less than the stride.
    pub span: Option<u64>,
}

impl Offset {
    pub fn exact(start: i64) -> Offset {
        Offset { start, stride: 0, span: Some(0) }
    }

    fn anywhere(start: i64, stride: u64) -> Offset {
        match i64::try_from(stride) {
            Ok(0) => Offset::exact(start),
            Ok(by) => Offset { start: start.rem_euclid(by), stride, span: None },
            Err(_) => Offset { start: 0, stride: 1, span: None },
        }
    }

    fn moved(self, by: i64) -> Offset {
        let start = self.start.saturating_add(by);
        if self.span.is_some() { Offset { start, ..self } } else { Offset::anywhere(start, self.stride) }
    }

    /// Moved by so many times a stride; by any number of times, if that is not known.
    fn indexed(self, stride: u64, times: Option<u64>) -> Offset {
        let together = gcd(self.stride, stride.max(1));
        let further = times.and_then(|times| times.checked_mul(stride));
        match self.span.zip(further).and_then(|(span, further)| span.checked_add(further)) {
            Some(0) => self,
            Some(span) => Offset { start: self.start, stride: together, span: Some(span) },
            None => Offset::anywhere(self.start, together),
        }
    }

    fn covers(self, other: Offset) -> bool {
        if self.stride == 0 {
            return self == other;
        }
        let is_on_the_way =
            other.stride.is_multiple_of(self.stride) && self.start.abs_diff(other.start).is_multiple_of(self.stride);
        is_on_the_way
            && match (self.span, other.span) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(span), Some(others)) => u64::try_from(other.start.saturating_sub(self.start))
                    .is_ok_and(|before| before.checked_add(others).is_some_and(|end| end <= span)),
            }
    }

    /// May so many bytes from here share one with so many from there?
    pub fn meets(self, bytes: u64, other: Offset, others: u64) -> bool {
        let apart = i128::from(other.start) - i128::from(self.start);
        match i128::from(gcd(self.stride, other.stride)) {
            0 => -i128::from(others) < apart && apart < i128::from(bytes),
            every => apart.rem_euclid(every) < i128::from(bytes) || (-apart).rem_euclid(every) < i128::from(others),
        }
    }

    /// The distances from here to there at which so many bytes share one with so many, if they are few.
    pub fn distances(self, bytes: u64, other: Offset, others: u64) -> Option<Vec<i128>> {
        let apart = i128::from(other.start) - i128::from(self.start);
        let every = i128::from(gcd(self.stride, other.stride));
        let (from, to) = (1 - i128::from(others), i128::from(bytes) - 1);
        let found: Vec<i128> = match every {
            0 => vec![apart],
            _ => (0..DISTANCES).map(|nth| from + (apart - from).rem_euclid(every) + nth * every).collect(),
        };
        let is_all = every == 0 || found.last().is_some_and(|last| *last > to);
        is_all.then(|| found.into_iter().filter(|by| (from..=to).contains(by)).collect())
    }

    fn join(self, other: Offset) -> Offset {
        if self.covers(other) {
            return self;
        }
        if other.covers(self) {
            return other;
        }
        let apart = self.start.abs_diff(other.start);
        Offset::anywhere(self.start, gcd(gcd(self.stride, other.stride), apart).max(1))
    }
}

pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Bits of which nothing is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum Wild {
    #[default]
    None,
    /// The contents of memory that nobody had written. Following such a pointer is a misuse that ends the run.
    Unwritten,
    /// An input, or a number that was computed: it may be the address of any object.
    MadeUp,
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Targets {
    places: BTreeSet<(ObjectId, Offset)>,
    /// Other values that it may have.
    pub wild: Wild,
}

impl Targets {
    /// The targets of a number that is no address.
    pub fn none() -> Targets {
        Targets::default()
    }

    pub fn wild(wild: Wild) -> Targets {
        Targets { wild, ..Targets::default() }
    }

    pub fn at(object: ObjectId, offset: i64) -> Targets {
        Targets { places: [(object, Offset::exact(offset))].into(), wild: Wild::None }
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
        self.wild = self.wild.max(other.wild);
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
        self.iter().any(|(known, at)| known == object && at.covers(offset))
    }

    /// Moved by a known distance.
    pub fn moved(&self, by: i64) -> Targets {
        let moved = |(object, at): (ObjectId, Offset)| (object, at.moved(by));
        Targets { places: self.iter().map(moved).collect(), wild: self.wild }
    }

    /// Moved by at most so many times a stride, or by any number of times.
    pub fn indexed(&self, stride: u64, times: Option<u64>) -> Targets {
        let moved = |(object, at): (ObjectId, Offset)| (object, at.indexed(stride, times));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_one_array_meet_in_the_same_field_only() {
        let field = |start| Offset::exact(start).indexed(8, None);
        for (a, bytes, b, others, expected) in [
            (field(0), 4, field(4), 4, false),
            (field(0), 4, field(0), 4, true),
            (field(0), 5, field(4), 4, true),
            (field(4), 5, field(0), 1, true),
            (field(0), 4, Offset::exact(12), 4, false),
            (field(0), 4, Offset::exact(16), 4, true),
            (Offset::exact(0), 4, Offset::exact(4), 4, false),
            (Offset::exact(2), 4, Offset::exact(4), 4, true),
            (field(0), 8, Offset::exact(5), 1, true),
        ] {
            assert_eq!((a.meets(bytes, b, others), b.meets(others, a, bytes)), (expected, expected), "{a:?} {b:?}");
        }
    }
}
