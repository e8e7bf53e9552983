//! Numbers that depend on a seed alone.

pub(super) struct Chance(fastrand::Rng);

impl Chance {
    pub(super) fn new(seed: u64) -> Chance {
        Chance(fastrand::Rng::with_seed(seed))
    }

    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0.u64(..end)
    }

    /// A number between these bounds, both included.
    pub(super) fn between(&mut self, low: u64, high: u64) -> u64 {
        self.0.u64(low..=high)
    }

    pub(super) fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    pub(super) fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.0.usize(..choices.len())].clone()
    }
}
