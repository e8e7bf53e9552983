//! A cache of what was found out lately, state by state.
//!
//! SPIN asks whether a thread can go on, then lets it, then asks about the next thread; and when it comes back to a
//! state it asks again. So a state is decoded once, and what its threads can do is kept with it, for a while: a table
//! in which a newer state takes the place of an older one. Whole states are compared, nothing is taken for another.

use crate::buffer::{self, Header, Phase};
use crate::ways::Ways;
use foldhash::fast::FixedState;
use selvedge_vm::State;
use std::hash::BuildHasher;

/// Words of states that are kept.
const KEPT_WORDS: usize = 1 << 21;
const HASHER: FixedState = FixedState::with_seed(0);

pub struct Recent {
    places: Vec<Option<Moment>>,
    /// The position of the last one.
    last: usize,
}

/// A state, and what is known of it.
pub struct Moment {
    phase: Phase,
    letter: u64,
    flat: Vec<u64>,
    pub state: State,
    /// By thread, as far as it was asked for.
    pub ways: Vec<Option<Ways>>,
}

impl Moment {
    fn is(&self, words: &[u64]) -> bool {
        let Header { phase, letter, .. } = Header::of(words);
        (self.phase, self.letter) == (phase, letter) && self.flat == buffer::flat(words)
    }
}

impl Recent {
    pub fn new(state_words: usize) -> Recent {
        // A state is kept twice, and what its threads lead to.
        let places = (KEPT_WORDS / (4 * state_words.max(1))).clamp(16, 1 << 14);
        Recent { places: (0..places).map(|_| None).collect(), last: 0 }
    }

    /// The entry of the state in a buffer. `None`: it is none of ours.
    pub fn at(&mut self, words: &[u64]) -> Option<&mut Moment> {
        if !self.places[self.last].as_ref().is_some_and(|moment| moment.is(words)) {
            let flat = buffer::flat(words);
            self.last = HASHER.hash_one(flat) as usize % self.places.len();
            if !self.places[self.last].as_ref().is_some_and(|moment| moment.is(words)) {
                let Header { phase, letter, .. } = Header::of(words);
                let state = State::unflatten(flat)?;
                let ways = vec![None; state.threads.len()];
                self.places[self.last] = Some(Moment { phase, letter, flat: flat.to_vec(), state, ways });
            }
        }
        self.places[self.last].as_mut()
    }
}
