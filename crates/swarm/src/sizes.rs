//! The search for a tile size if the user gives none: the largest whose instances are still done quickly.
//!
//! Large tiles make a bug more likely to be in an instance, small ones make instances quick (the paper's
//! section VI). Sizes are therefore tried from large to small, each on a few instances with little time: first
//! everything at once, then three quarters of it, a half, and so on. The first size with most instances done in time is
//! taken.
//!
//! Small tiles may be slower than large ones: where most instances have a bug, the solver finds it sooner than it shows
//! that there is none. A size is therefore not given up when a smaller one is tried, but gets twice the time, on the
//! same instances, about which the solver has learnt much already. The right size thus has a fixed share of the total
//! time, whatever the others do, as in Levin's universal search (1973).

use std::time::Duration;

/// The most instances that are tried of each size.
const PROBES: usize = 3;
const FIRST_LIMIT: Duration = Duration::from_secs(5);
/// Everything at once is a single instance: it gets the time that two instances of another size have before that size
/// is left.
const ALONE: u32 = 2;
/// The time for everything at once at the beginning, if asked for: an interrupted solver loses its direction, so it
/// pays to leave it alone.
const HEAD_START: Duration = Duration::from_secs(120);
/// Once a size is taken, the time limit of an instance is multiplied by this.
const LIMIT_FACTOR: u32 = 8;

/// The search for a size.
#[derive(Clone, Debug)]
pub struct SizeSearch {
    /// In descending order.
    sizes: Vec<usize>,
    /// The size that is everything at once.
    everything: usize,
    /// In stage n the first n + 1 sizes are tried, each with twice the time of the next.
    stage: usize,
    at: usize,
    first_limit: Duration,
    head_start: bool,
    /// The limit was given by the user.
    fixed: bool,
    in_time: usize,
    too_long: usize,
}

/// The next step of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Try more instances of this size.
    Stay,
    /// Try another size, or the same with more time.
    Try,
    Take,
}

impl SizeSearch {
    /// For threads of at most `longest` points, of which `tiles` tiles are selected.
    pub fn new(longest: usize, tiles: usize, limit: Option<Duration>) -> SizeSearch {
        let everything = longest.max(1);
        let most = (3 * everything).div_ceil(4 * tiles.max(1));
        let smaller = std::iter::successors(Some(most), |size| (*size > 1).then(|| size * 2 / 3));
        let mut sizes: Vec<usize> = std::iter::once(everything).chain(smaller).collect();
        sizes.dedup();
        let (first_limit, fixed) = (limit.unwrap_or(FIRST_LIMIT), limit.is_some());
        SizeSearch {
            sizes,
            everything,
            stage: 0,
            at: 0,
            first_limit,
            head_start: false,
            fixed,
            in_time: 0,
            too_long: 0,
        }
    }

    /// Leaves out everything at once, which another worker checks.
    #[must_use]
    pub fn without_everything(mut self) -> SizeSearch {
        if self.sizes.len() > 1 {
            self.sizes.remove(0);
        }
        self
    }

    /// Begins with everything at once, for [`HEAD_START`].
    #[must_use]
    pub fn with_head_start(self) -> SizeSearch {
        SizeSearch { head_start: true, ..self }
    }

    /// The number of steps after which every size has been tried again.
    pub fn steps_through_all(&self) -> usize {
        let count = self.sizes.len();
        count * (count + 1) / 2 + count
    }

    pub fn size(&self) -> usize {
        self.sizes[self.at]
    }

    /// The time limit of one instance.
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

    /// The time limit of one instance, once a size has been taken.
    pub fn limit_then(&self) -> Duration {
        if self.fixed { self.limit() } else { self.limit().saturating_mul(LIMIT_FACTOR) }
    }

    /// Notes that an instance of this size has ended.
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

    /// Leaves this size for now.
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
    fn tried(mut sizes: SizeSearch, steps: usize) -> Vec<(usize, u64)> {
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
        let mut sizes = SizeSearch::new(50, 2, None);
        assert_eq!((sizes.size(), sizes.limit()), (50, ALONE * FIRST_LIMIT));
        assert_eq!(sizes.clone().without_everything().size(), 19);
        assert_eq!(sizes.note(false), Step::Stay);
        assert_eq!(sizes.note(false), Step::Try);
        assert_eq!((sizes.size(), sizes.limit()), (50, 2 * ALONE * FIRST_LIMIT));
        assert_eq!([sizes.note(false), sizes.note(false)], [Step::Stay, Step::Try]);
        assert_eq!((sizes.size(), sizes.limit()), (19, FIRST_LIMIT));
        assert_eq!([sizes.note(true), sizes.note(false), sizes.note(true)], [Step::Stay, Step::Stay, Step::Take]);
        assert_eq!((sizes.size(), sizes.limit_then()), (19, LIMIT_FACTOR * FIRST_LIMIT));
    }

    #[test]
    fn a_larger_size_gets_more_time_whenever_a_smaller_one_is_tried() {
        let sizes = SizeSearch::new(4, 1, None);
        let all = sizes.steps_through_all();
        let tried = tried(sizes, all);
        assert_eq!(tried[..6], [(4, 10), (4, 20), (3, 5), (4, 40), (3, 10), (2, 5)]);
        // Even the smallest is tried, and each again.
        assert_eq!(tried[all - 4..], [(4, 160), (3, 40), (2, 20), (1, 10)]);
    }

    #[test]
    fn a_head_start_is_for_everything_and_only_once() {
        let tried = tried(SizeSearch::new(4, 1, None).with_head_start(), 3);
        assert_eq!(tried, [(4, HEAD_START.as_secs()), (4, 20), (3, 5)]);
    }

    #[test]
    fn a_limit_that_was_given_stays() {
        let seconds = Duration::from_secs(2);
        let sizes = SizeSearch::new(4, 1, Some(seconds));
        assert_eq!(tried(sizes.clone(), 99), [(4, 2), (3, 2), (2, 2), (1, 2)]);
        assert_eq!((sizes.limit(), sizes.limit_then()), (seconds, seconds));
    }
}
