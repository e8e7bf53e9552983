//! Which tile size to take when nobody says: as large as instances are still quickly done.
//!
//! Large tiles make a bug more likely to be in an instance, small ones make instances quick (the paper's
//! section VI). So sizes are tried from large to small, each on a few instances, with little time for each: first
//! everything at once, then half of it, and so on. The first size of which most are done in time is taken; if
//! there is none, all get more time. What the solver learns from those that were not done makes them quicker the
//! next time.

use std::time::Duration;

/// Instances that are tried of each size.
const PROBES: usize = 4;
const FIRST_LIMIT: Duration = Duration::from_secs(5);
const MORE_TIME: u32 = 4;
/// Once a size is taken, single instances may take so many times as long.
const PATIENCE: u32 = 8;

/// The search for a size.
#[derive(Clone, Debug)]
pub struct Sizes {
    /// From large to small.
    sizes: Vec<usize>,
    at: usize,
    limit: Duration,
    /// The limit is the user's.
    fixed: bool,
    in_time: usize,
    too_long: usize,
}

/// What to do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// More of this size.
    Stay,
    /// The next size, or the first again, with more time.
    Try {
        again: bool,
    },
    Take,
}

impl Sizes {
    /// For threads of at most so many points, of which so many tiles are selected.
    pub fn new(longest: usize, tiles: usize, limit: Option<Duration>) -> Sizes {
        let everything = longest.max(1);
        let half = everything.div_ceil(2 * tiles.max(1));
        let halved = std::iter::successors(Some(half), |size| (*size > 1).then(|| size.div_ceil(2)));
        let mut sizes: Vec<usize> = std::iter::once(everything).chain(halved).collect();
        sizes.dedup();
        Sizes { sizes, at: 0, limit: limit.unwrap_or(FIRST_LIMIT), fixed: limit.is_some(), in_time: 0, too_long: 0 }
    }

    /// Somebody else looks at everything at once.
    #[must_use]
    pub fn without_everything(mut self) -> Sizes {
        if self.sizes.len() > 1 {
            self.sizes.remove(0);
        }
        self
    }

    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    pub fn size(&self) -> usize {
        self.sizes[self.at]
    }

    /// For one instance.
    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// For one instance of the size that was taken.
    pub fn limit_then(&self) -> Duration {
        if self.fixed { self.limit } else { self.limit * PATIENCE }
    }

    /// An instance of this size has ended.
    pub fn note(&mut self, in_time: bool) -> Step {
        *(if in_time { &mut self.in_time } else { &mut self.too_long }) += 1;
        if 2 * self.in_time >= PROBES {
            return Step::Take;
        }
        if 2 * self.too_long <= PROBES {
            return Step::Stay;
        }
        self.go_on()
    }

    /// This size has no more instances.
    pub fn go_on(&mut self) -> Step {
        (self.in_time, self.too_long) = (0, 0);
        if self.at + 1 < self.sizes.len() {
            self.at += 1;
            return Step::Try { again: false };
        }
        if self.fixed {
            return Step::Take;
        }
        self.at = 0;
        self.limit *= MORE_TIME;
        Step::Try { again: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_that_is_quick_enough() {
        let mut sizes = Sizes::new(50, 2, None);
        assert_eq!((sizes.size(), sizes.limit()), (50, FIRST_LIMIT));
        assert_eq!(sizes.clone().without_everything().size(), 13);
        assert_eq!(sizes.note(false), Step::Stay);
        assert_eq!(sizes.note(false), Step::Stay);
        assert_eq!(sizes.note(false), Step::Try { again: false });
        assert_eq!(sizes.size(), 13);
        assert_eq!(sizes.note(true), Step::Stay);
        assert_eq!(sizes.note(true), Step::Take);
    }

    #[test]
    fn if_none_is_there_is_more_time() {
        let mut sizes = Sizes::new(3, 1, None);
        let sizes_tried: Vec<usize> = std::iter::from_fn(|| {
            let size = sizes.size();
            (sizes.go_on() == Step::Try { again: false }).then_some(size)
        })
        .collect();
        assert_eq!(sizes_tried, [3, 2]);
        assert_eq!((sizes.size(), sizes.limit()), (3, FIRST_LIMIT * MORE_TIME));
    }

    #[test]
    fn a_limit_that_was_given_stays() {
        let mut sizes = Sizes::new(1, 2, Some(Duration::from_secs(2)));
        assert_eq!(sizes.go_on(), Step::Take);
        assert_eq!((sizes.limit(), sizes.limit_then()), (Duration::from_secs(2), Duration::from_secs(2)));
    }
}
