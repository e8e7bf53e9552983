//! The expected time to find a bug on a number of cores, estimated from the times of instances (the paper's Fig. 6).
//!
//! The paper draws sets of n instances with at least one bug among them, and averages the time of the quickest.
//! We compute that average. Let t₁ ≤ … ≤ t_B be the times of the B buggy ones among N. None of n instances drawn at
//! random is buggy and done by tᵢ with probability (1 − i/N)ⁿ, so the probability that the quickest takes exactly tᵢ
//! is the difference of two such terms.

use super::{Ended, Record};
use serde::Serialize;

/// The instances of one tile size.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// The seconds of the buggy ones, in ascending order.
    times: Vec<f64>,
    instances: usize,
}

/// A point of the curve.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Expected {
    pub cores: u64,
    pub seconds: f64,
    /// The probability that one of the instances on these cores has a bug.
    pub probability: f64,
}

impl Sample {
    /// The sample of one tile size. `None` if no bug was found: then nothing can be said.
    pub fn of(records: &[Record], tile_size: usize) -> Option<Sample> {
        let same = || records.iter().filter(|record| record.tile_size == tile_size);
        let mut times: Vec<f64> = same().filter(|r| r.ended == Ended::Buggy).map(|r| r.seconds).collect();
        times.sort_by(f64::total_cmp);
        (!times.is_empty()).then(|| Sample { times, instances: same().count() })
    }

    pub fn buggy(&self) -> f64 {
        self.times.len() as f64 / self.instances as f64
    }

    pub fn on(&self, cores: u64) -> Expected {
        let all = self.instances as f64;
        let later = |i: usize| (1.0 - i as f64 / all).powf(cores as f64);
        let quickest = self.times.iter().enumerate().map(|(i, time)| time * (later(i) - later(i + 1)));
        let probability = 1.0 - later(self.times.len());
        Expected { cores, seconds: quickest.sum::<f64>() / probability, probability }
    }

    /// The fewest cores that find a bug with this probability.
    pub fn for_probability(&self, probability: f64) -> Expected {
        let none = 1.0 - self.buggy();
        let cores = if none <= 0.0 { 1.0 } else { ((1.0 - probability).ln() / none.ln()).ceil().max(1.0) };
        self.on(cores as u64)
    }

    /// From one core to `most`, evenly on a logarithmic scale.
    pub fn curve(&self, most: u64) -> Vec<Expected> {
        let mut cores: Vec<u64> = (0..=120).map(|i| (most as f64).powf(f64::from(i) / 120.0).round() as u64).collect();
        cores.dedup();
        cores.into_iter().map(|cores| self.on(cores)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instances::Name;

    fn sample(times: &[(Ended, f64)]) -> Option<Sample> {
        let record = |(number, (ended, seconds)): (usize, &(Ended, f64))| Record {
            tile_size: 4,
            instance: Name::whole(number as u128),
            ended: *ended,
            seconds: *seconds,
            cpu_seconds: None,
            before: 0,
            schedule: None,
        };
        let records: Vec<Record> = times.iter().enumerate().map(record).collect();
        assert_eq!(Sample::of(&records, 5), None);
        Sample::of(&records, 4)
    }

    #[test]
    fn without_a_bug_nothing_is_expected() {
        assert_eq!(sample(&[(Ended::Safe, 1.0), (Ended::TimedOut, 9.0)]), None);
    }

    #[test]
    fn one_core_takes_the_average_and_many_the_minimum() {
        let sample = sample(&[(Ended::Buggy, 4.0), (Ended::Safe, 1.0), (Ended::Buggy, 2.0), (Ended::TimedOut, 9.0)]);
        let sample = sample.expect("two bugs");
        assert_eq!(sample.on(1), Expected { cores: 1, seconds: 3.0, probability: 0.5 });
        // The quicker one with 1 - (3/4)², the slower one with (3/4)² - (1/2)².
        let two = sample.on(2);
        assert!((two.seconds - (2.0 * 0.4375 + 4.0 * 0.3125) / 0.75).abs() < 1e-9, "{two:?}");
        assert!((sample.on(1000).seconds - 2.0).abs() < 1e-9);
        assert_eq!(sample.for_probability(0.95).cores, 5);
        assert_eq!(sample.for_probability(0.99).cores, 7);
        assert!(sample.curve(2000).windows(2).all(|pair| pair[0].cores < pair[1].cores));
        assert_eq!(sample.curve(2000).last().map(|last| last.cores), Some(2000));
    }

    #[test]
    fn if_all_are_buggy_one_core_will_do() {
        let sample = sample(&[(Ended::Buggy, 4.0)]).expect("a bug");
        assert_eq!(sample.for_probability(0.99), Expected { cores: 1, seconds: 4.0, probability: 1.0 });
    }
}
