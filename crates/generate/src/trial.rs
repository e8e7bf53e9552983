//! Comparisons on generated programs, with a count of how many there really were.
//!
//! A comparison that skips all cases that one side gives up on passes even when it compares nothing. Therefore every
//! case ends either as compared or as skipped, with a reason, and [`Tally::require`] demands a share.
//!
//! `SELVEDGE_CASES` is the number of programs for each test, `SELVEDGE_SEED` selects them, and
//! `SELVEDGE_SPINS=1` adds loops that wait. A failure prints the values that repeat it.

use crate::{Features, Source, runner, sources};
use proptest::strategy::Strategy;
use proptest::test_runner::{TestCaseError, TestError};
use selvedge_program::Finding;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

fn environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// `SELVEDGE_SEED`, or 0.
pub fn seed() -> u64 {
    environment("SELVEDGE_SEED").unwrap_or(0)
}

/// `SELVEDGE_CASES`, or `usual`.
pub fn cases(usual: u64) -> u64 {
    environment("SELVEDGE_CASES").unwrap_or(usual)
}

/// `SELVEDGE_SPINS`, or false.
pub fn spins() -> bool {
    environment("SELVEDGE_SPINS").is_some_and(|number| number > 0)
}

/// The numbers of the programs for a test that draws each from a number of its own.
pub fn seeds(usual: u64) -> std::ops::Range<u64> {
    seed()..seed() + cases(usual)
}

/// Counts the cases that were compared and, by reason, those that were skipped.
#[derive(Default)]
pub struct Tally {
    compared: Cell<u64>,
    skipped: RefCell<BTreeMap<String, u64>>,
}

impl Tally {
    pub fn compared(&self) {
        self.compared.set(self.compared.get() + 1);
    }

    pub fn skipped(&self, why: impl Into<String>) {
        *self.skipped.borrow_mut().entry(why.into()).or_insert(0) += 1;
    }

    /// Counts a case as compared if all of these findings are answers, else as skipped because one gave up. Returns
    /// whether it is compared.
    pub fn compares(&self, findings: &[&Finding]) -> bool {
        let gave_up = findings.iter().find_map(|finding| match finding {
            Finding::GaveUp(reason) => Some(reason.kind()),
            Finding::Violation { .. }
            | Finding::NoneWithin(_)
            | Finding::Contradiction { .. }
            | Finding::Unfollowed { .. }
            | Finding::NoProof { .. } => None,
        });
        match gave_up {
            Some(kind) => self.skipped(format!("gave up ({kind})")),
            None => self.compared(),
        }
        gave_up.is_none()
    }

    /// Prints the counts.
    ///
    /// # Panics
    ///
    /// If less than `percent` of the cases were compared. A number of cases below `usual` is for examining a failure,
    /// and demands nothing.
    pub fn require(&self, percent: u64, usual: u64) {
        println!("{self}");
        let skipped: u64 = self.skipped.borrow().values().sum();
        let (compared, all) = (self.compared.get(), self.compared.get() + skipped);
        if cases(usual) >= usual {
            assert!(
                compared > 0 && compared * 100 >= all * percent,
                "{percent}% of the cases must be compared: {self}"
            );
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} compared", self.compared.get())?;
        self.skipped.borrow().iter().try_for_each(|(why, count)| write!(f, ", {count} skipped: {why}"))
    }
}

/// A comparison on a number of generated programs, with the percentage of cases that must be compared.
#[derive(Clone, Copy)]
pub struct Trial {
    pub cases: u32,
    pub percent: u64,
}

impl Trial {
    /// Runs `check` on many programs with these features.
    ///
    /// # Panics
    ///
    /// If a program fails, showing the smallest that does; or if too few cases were compared.
    pub fn run(self, features: Features, check: impl Fn(&Source, &Tally) -> Result<(), String>) {
        self.run_on(sources(features), Source::text, check);
    }

    /// Runs `check` on values of another strategy; `show` prints them for people.
    ///
    /// # Panics
    ///
    /// As above.
    pub fn run_on<S: Strategy>(
        self,
        strategy: S,
        show: impl Fn(&S::Value) -> String,
        check: impl Fn(&S::Value, &Tally) -> Result<(), String>,
    ) {
        let usual = u64::from(self.cases);
        let (seed, count) = (seed(), cases(usual));
        let mut runner = runner(seed, u32::try_from(count).unwrap_or(u32::MAX));
        let tally = Tally::default();
        let result = runner.run(&strategy, |drawn| check(&drawn, &tally).map_err(TestCaseError::fail));
        match result {
            Ok(()) => tally.require(self.percent, usual),
            Err(TestError::Fail(why, drawn)) => {
                panic!("SELVEDGE_SEED={seed} SELVEDGE_CASES={count}: {why}\n{drawn:?}\n{}", show(&drawn))
            }
            Err(TestError::Abort(why)) => panic!("SELVEDGE_SEED={seed} SELVEDGE_CASES={count}: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_program::{Coverage, Reason};

    const TRIAL: Trial = Trial { cases: 20, percent: 50 };

    #[test]
    fn what_is_compared_often_enough_passes() {
        let number = Cell::new(0);
        TRIAL.run(Features::SCALAR, |_, tally| {
            number.set(number.get() + 1);
            let (answer, gave_up) = (Finding::NoneWithin(Coverage::default()), Finding::GaveUp(Reason::Interrupted));
            let second = if number.get() % 2 == 0 { &answer } else { &gave_up };
            assert_eq!(tally.compares(&[&answer, second]), number.get() % 2 == 0);
            Ok(())
        });
    }

    #[test]
    #[should_panic(expected = "50% of the cases must be compared: 0 compared, 20 skipped: gave up")]
    fn a_comparison_that_compares_nothing_fails() {
        TRIAL.run(Features::SCALAR, |_, tally| {
            tally.skipped("gave up");
            Ok(())
        });
    }

    #[test]
    #[should_panic(expected = "SELVEDGE_SEED=0 SELVEDGE_CASES=20: it differs")]
    fn a_failure_says_how_to_repeat_it() {
        TRIAL.run(Features::SCALAR, |_, _| Err("it differs".to_string()));
    }
}
