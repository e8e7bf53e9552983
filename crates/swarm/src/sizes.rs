//! Which tile size to take when nobody says: as large as instances are still quickly done.
//!
//! Large tiles make a bug more likely to be in an instance, small ones make instances quick (the paper's
//! section VI). So sizes are tried from large to small, each on a few instances, with little time for each: first
//! everything at once, then three quarters of it, a half, and so on. The first size of which most are done in time is
//! taken.
//!
//! Small tiles may be slower than large ones: where most instances have a bug, the solver finds it sooner than it shows
//! that there is none. So a size is not given up when a smaller one is tried: it then gets twice the time, on the
//! same instances, of which the solver has learnt much already. So the right size has a fixed share of all the time,
//! whatever the others do, as in Levin's universal search (1973).

use std::time::Duration;

/// Instances that are tried of each size, at the most.
const PROBES: usize = 3;
const FIRST_LIMIT: Duration = Duration::from_secs(5);
/// Everything at once is a single instance, which has the time of those that are late of another size.
const ALONE: u32 = 2;
/// A solver that is interrupted forgets which way it was going. So who is told to begins with everything, and stays so long.
const HEAD_START: Duration = Duration::from_secs(120);
/// Once a size is taken, single instances may take so many times as long.
const PATIENCE: u32 = 8;

/// The search for a size.
#[derive(Clone, Debug)]
pub struct Sizes {
    /// From large to small.
    sizes: Vec<usize>,
    /// The size that is everything at once.
    everything: usize,
    /// Sizes up to this one are tried, each twice as long as the next.
    stage: usize,
    at: usize,
    first_limit: Duration,
    head_start: bool,
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
    /// Another size, or the same with more time.
    Try,
    Take,
}

impl Sizes {
    /// For threads of at most so many points, of which so many tiles are selected.
    pub fn new(longest: usize, tiles: usize, limit: Option<Duration>) -> Sizes {
        let everything = longest.max(1);
        let most = (3 * everything).div_ceil(4 * tiles.max(1));
        let smaller = std::iter::successors(Some(most), |size| (*size > 1).then(|| size * 2 / 3));
        let mut sizes: Vec<usize> = std::iter::once(everything).chain(smaller).collect();
        sizes.dedup();
        let (first_limit, fixed) = (limit.unwrap_or(FIRST_LIMIT), limit.is_some());
        Sizes { sizes, everything, stage: 0, at: 0, first_limit, head_start: false, fixed, in_time: 0, too_long: 0 }
    }

    /// Somebody else looks at everything at once.
    #[must_use]
    pub fn without_everything(mut self) -> Sizes {
        if self.sizes.len() > 1 {
            self.sizes.remove(0);
        }
        self
    }

    /// The first thing is to look at everything at once for long.
    #[must_use]
    pub fn with_head_start(self) -> Sizes {
        Sizes { head_start: true, ..self }
    }

    /// After so many steps every size has been tried again.
    pub fn steps_through_all(&self) -> usize {
        let count = self.sizes.len();
        count * (count + 1) / 2 + count
    }

    pub fn size(&self) -> usize {
        self.sizes[self.at]
    }

    /// For one instance.
    pub fn limit(&self) -> Duration {
        if self.fixed {
            return self.first_limit;
        }
        if self.head_start && self.stage == 0 {
            return HEAD_START;
        }
        let share = if self.size() == self.everything { ALONE } else { 1 };
        self.first_limit.saturating_mul(share << (self.stage - self.at).min(30))
    }

    /// For one instance of the size that was taken.
    pub fn limit_then(&self) -> Duration {
        if self.fixed { self.limit() } else { self.limit().saturating_mul(PATIENCE) }
    }

    /// An instance of this size has ended.
    pub fn note(&mut self, in_time: bool) -> Step {
        *(if in_time { &mut self.in_time } else { &mut self.too_long }) += 1;
        if 2 * self.in_time > PROBES {
            return Step::Take;
        }
        if 2 * self.too_long <= PROBES {
            return Step::Stay;
        }
        self.go_on()
    }

    /// Enough of this size for now.
    pub fn go_on(&mut self) -> Step {
        (self.in_time, self.too_long) = (0, 0);
        let last = self.sizes.len() - 1;
        if self.fixed && self.at == last {
            return Step::Take;
        }
        if self.at < last && (self.fixed || self.at < self.stage) {
            self.at += 1;
        } else {
            self.at = 0;
            self.stage += 1;
        }
        Step::Try
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes and limits that are tried while no instance is done in time.
    fn tried(mut sizes: Sizes, steps: usize) -> Vec<(usize, u64)> {
        let mut tried = Vec::new();
        for _ in 0..steps {
            tried.push((sizes.size(), sizes.limit().as_secs()));
            if sizes.go_on() == Step::Take {
                break;
            }
        }
        tried
    }

    #[test]
    fn the_largest_of_which_most_are_quick_enough() {
        let mut sizes = Sizes::new(50, 2, None);
        assert_eq!((sizes.size(), sizes.limit()), (50, ALONE * FIRST_LIMIT));
        assert_eq!(sizes.clone().without_everything().size(), 19);
        assert_eq!(sizes.note(false), Step::Stay);
        assert_eq!(sizes.note(false), Step::Try);
        assert_eq!((sizes.size(), sizes.limit()), (50, 2 * ALONE * FIRST_LIMIT));
        assert_eq!([sizes.note(false), sizes.note(false)], [Step::Stay, Step::Try]);
        assert_eq!((sizes.size(), sizes.limit()), (19, FIRST_LIMIT));
        assert_eq!([sizes.note(true), sizes.note(false), sizes.note(true)], [Step::Stay, Step::Stay, Step::Take]);
        assert_eq!((sizes.size(), sizes.limit_then()), (19, PATIENCE * FIRST_LIMIT));
    }

    #[test]
    fn a_larger_size_gets_more_time_whenever_a_smaller_one_is_tried() {
        let sizes = Sizes::new(4, 1, None);
        let all = sizes.steps_through_all();
        let tried = tried(sizes, all);
        assert_eq!(tried[..6], [(4, 10), (4, 20), (3, 5), (4, 40), (3, 10), (2, 5)]);
        // Even the smallest is tried, and each again.
        assert_eq!(tried[all - 4..], [(4, 160), (3, 40), (2, 20), (1, 10)]);
    }

    #[test]
    fn a_head_start_is_for_everything_and_only_once() {
        let tried = tried(Sizes::new(4, 1, None).with_head_start(), 3);
        assert_eq!(tried, [(4, HEAD_START.as_secs()), (4, 20), (3, 5)]);
    }

    #[test]
    fn a_limit_that_was_given_stays() {
        let seconds = Duration::from_secs(2);
        let sizes = Sizes::new(4, 1, Some(seconds));
        assert_eq!(tried(sizes.clone(), 99), [(4, 2), (3, 2), (2, 2), (1, 2)]);
        assert_eq!((sizes.limit(), sizes.limit_then()), (seconds, seconds));
    }
}
