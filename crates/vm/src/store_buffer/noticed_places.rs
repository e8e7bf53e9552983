//! The places that more than one thread touches in a run, or that observers read.
//!
//! A replay lets every store wait in the buffer. In a run without end a cycle must lead back to the same state, and
//! stores that nobody notices need not arrive in it. So such a run is run twice: first to see which places matter, and
//! then only stores to these wait.

use super::Place;
use crate::memory::Spot;
use std::collections::HashMap;

/// By byte: the only one who touches it, as far as is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct NoticedPlaces {
    bytes: HashMap<Place, Option<usize>>,
}

impl NoticedPlaces {
    /// A thread touches these bytes; `None`: an observer.
    pub fn touch(&mut self, by: Option<usize>, spot: Spot, bytes: usize) {
        let Some(place) = Place::of(spot) else { return };
        for number in 0..bytes {
            let only = self.bytes.entry(place.advanced(number)).or_insert(by);
            if *only != by {
                *only = None;
            }
        }
    }

    /// Is any of these bytes touched by others than one thread?
    pub fn has(&self, place: Place, bytes: usize) -> bool {
        (0..bytes).any(|number| self.bytes.get(&place.advanced(number)) == Some(&None))
    }
}
