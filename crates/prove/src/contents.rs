//! Guesses about what is in objects without variables, and about indices, until they hold.
//!
//! A guess is an interval for each field: a place in the blocks of one allocation site, or in the elements of an array
//! (`extract/contents.rs`). It begins with what the field begins with, or zero. Abstract interpretation tells which
//! writes may break it; that bound is then weakened to the next constant of the program, further each time, and at last
//! given up.

use crate::extract::extract_with;
use crate::interpret::{Precision, interpret, thresholds};
use crate::invariant::At;
use crate::owners::name_owners;
use crate::system::System;
use selvedge_engine::Control;
use selvedge_formula::{mask, signed};
use selvedge_program::{Loc, Program, Properties};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Guesses before giving up.
const ROUNDS: usize = 60;
/// Changes of a bound to the next constant; later ones leave out more and more.
const CAREFUL: u32 = 14;
/// Changes of a bound before it is given up.
const STEPS: u32 = 24;

/// A place in all objects of one origin.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Field {
    /// The object, as people know it.
    pub object: String,
    pub start: u64,
    pub bytes: u32,
}

/// Values from `low` to `high`, with sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    pub low: i128,
    pub high: i128,
}

impl Bounds {
    pub fn exactly(value: i128) -> Bounds {
        Bounds { low: value, high: value }
    }

    fn everything(bits: u32) -> Bounds {
        Bounds { low: signed(bits, 1 << (bits - 1)), high: (mask(bits) >> 1).cast_signed() }
    }

    pub fn is_everything(self, bits: u32) -> bool {
        let all = Bounds::everything(bits);
        self.low <= all.low && all.high <= self.high
    }

    pub fn join(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// A side of an interval.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Side {
    Below,
    Above,
}

impl Side {
    pub const ALL: [Side; 2] = [Side::Below, Side::Above];
}

/// A guess that may be wrong.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Guess {
    /// No value in a field is beyond its bound on this side.
    Bound(Field, Side),
    /// The index at this place is one that its array has.
    Index(Loc),
}

impl fmt::Display for Guess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Guess::Bound(field, Side::Below) => write!(f, "less in {}+{} than was guessed", field.object, field.start),
            Guess::Bound(field, Side::Above) => write!(f, "more in {}+{} than was guessed", field.object, field.start),
            Guess::Index(_) => write!(f, "an index that its array does not have"),
        }
    }
}

/// What is assumed of each field, and has to be kept by every write; and of indices.
#[derive(Clone, Default, Debug)]
pub struct Guesses {
    /// With how often a bound has been weakened.
    fields: BTreeMap<Field, (Bounds, u32)>,
    /// Indices of which nothing is assumed any more.
    indices: BTreeSet<Loc>,
}

impl Guesses {
    pub fn of(&self, field: &Field) -> Bounds {
        self.fields.get(field).map_or(Bounds::exactly(0), |(bounds, _)| *bounds)
    }

    /// Is it guessed that an index at this place is one that its array has?
    pub fn is_inside(&self, place: Loc) -> bool {
        !self.indices.contains(&place)
    }

    /// Guesses less. False: it has been given up before.
    fn weaken(&mut self, wrong: &Guess, thresholds: &[i128]) -> bool {
        let (field, side) = match wrong {
            Guess::Bound(field, side) => (field, *side),
            Guess::Index(place) => return self.indices.insert(*place),
        };
        let (bounds, steps) = self.fields.entry(field.clone()).or_insert((Bounds::exactly(0), 0));
        let all = Bounds::everything(8 * field.bytes);
        let skip = steps.saturating_sub(CAREFUL).pow(2) as usize;
        *steps += 1;
        let next = |further: Vec<i128>| further.get(skip).copied().filter(|_| *steps <= STEPS);
        match side {
            Side::Below => {
                let lower = thresholds.iter().rev().copied().filter(|value| *value < bounds.low && *value >= all.low);
                let low = next(lower.collect()).unwrap_or(all.low);
                std::mem::replace(&mut bounds.low, low) != low
            }
            Side::Above => {
                let higher = thresholds.iter().copied().filter(|value| *value > bounds.high && *value <= all.high);
                let high = next(higher.collect()).unwrap_or(all.high);
                std::mem::replace(&mut bounds.high, high) != high
            }
        }
    }
}

/// A location that is reached if a guess is wrong.
#[derive(Clone, Debug)]
pub struct Broken {
    pub at: At,
    pub guess: Guess,
}

/// The program with guesses that seem to hold, and with the owners of locks named. None: there is nothing to be
/// guessed, or no guess holds.
pub fn with_contents(program: &Program, properties: Properties, control: &Control) -> Option<System> {
    let mut guesses = Guesses::default();
    for round in 0..ROUNDS {
        let mut system = extract_with(program, properties, Some(&guesses)).ok()?;
        if round == 0 && system.broken.is_empty() || control.is_over() {
            return None;
        }
        name_owners(&mut system);
        let found = interpret(&mut system, Precision::LARGE, control)?;
        let thresholds = thresholds(&system);
        let open = system.broken.iter().filter(|broken| found.open.binary_search(&broken.at).is_ok());
        let wrong: BTreeSet<&Guess> = open.map(|broken| &broken.guess).collect();
        if wrong.is_empty() {
            return found.proved().then_some(system);
        }
        if wrong.into_iter().filter(|wrong| guesses.weaken(wrong, &thresholds)).count() == 0 {
            return None;
        }
    }
    None
}
