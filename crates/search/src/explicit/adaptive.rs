//! Adaptive caching: a cache that seldom helps costs more than it saves. It is tried for a while; if it helped too
//! seldom, it is left alone for a while, each time for longer.

/// Tried so often before that is decided.
const TRIES: u32 = 1 << 14;
/// It has to help once in so many times.
const SELDOM: u32 = 16;
/// Left alone for so many times at first, and at most.
const FIRST_REST: u32 = 1 << 16;
const LONGEST_REST: u32 = 1 << 24;

pub struct Adaptive {
    tries: u32,
    helped: u32,
    rest: u32,
    next_rest: u32,
}

impl Adaptive {
    pub fn new() -> Adaptive {
        Adaptive { tries: 0, helped: 0, rest: 0, next_rest: FIRST_REST }
    }

    /// Is it left alone?
    #[inline]
    pub fn rests(&self) -> bool {
        self.rest > 0
    }

    /// It could have been tried.
    #[inline]
    pub fn rest(&mut self) {
        self.rest = self.rest.saturating_sub(1);
    }

    /// It was tried.
    #[inline]
    pub fn note(&mut self, helped: bool) {
        self.tries += 1;
        self.helped += u32::from(helped);
        if self.tries == TRIES {
            self.decide();
        }
    }

    #[cold]
    fn decide(&mut self) {
        if self.helped < TRIES / SELDOM {
            self.rest = self.next_rest;
            self.next_rest = (2 * self.next_rest).min(LONGEST_REST);
        } else {
            self.next_rest = FIRST_REST;
        }
        (self.tries, self.helped) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often it is tried, of so many times, if it helps once in `seldom` times.
    fn tried(times: u32, seldom: u32) -> u32 {
        let mut cache = Adaptive::new();
        let mut tries = 0;
        for _ in 0..times {
            if cache.rests() {
                cache.rest();
            } else {
                tries += 1;
                cache.note(tries % seldom == 0);
            }
        }
        tries
    }

    #[test]
    fn what_helps_is_tried_always_and_what_does_not_ever_less() {
        assert_eq!(tried(10_000_000, SELDOM), 10_000_000);
        assert_eq!(tried(10_000_000, 1), 10_000_000);
        assert_eq!(tried(TRIES + FIRST_REST, SELDOM + 1), TRIES);
        assert!(tried(10_000_000, SELDOM + 1) < 10 * TRIES);
    }
}
