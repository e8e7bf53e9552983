//! Statistics of a swarm, while it runs and at the end.

use crate::coordinator::Coordinator;
use crate::expect::{Expected, Sample};
use crate::records::{Ended, Record};
use selvedge_engine::control::peak_memory;
use serde::Serialize;
use std::time::Duration;

/// The number of instances by their result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Counts {
    pub safe: u64,
    pub buggy: u64,
    pub timed_out: u64,
}

impl Counts {
    pub fn of<'r>(records: impl IntoIterator<Item = &'r Record>) -> Counts {
        let mut counts = Counts::default();
        for record in records {
            match record.ended {
                Ended::Safe => counts.safe += 1,
                Ended::Buggy => counts.buggy += 1,
                Ended::TimedOut => counts.timed_out += 1,
            }
        }
        counts
    }

    pub fn total(self) -> u64 {
        self.safe + self.buggy + self.timed_out
    }
}

/// The times that instances took.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Times {
    pub least: f64,
    pub median: f64,
    pub most: f64,
    pub mean: f64,
    pub deviation: f64,
}

impl Times {
    pub fn of(seconds: impl IntoIterator<Item = f64>) -> Option<Times> {
        let mut seconds: Vec<f64> = seconds.into_iter().collect();
        seconds.sort_by(f64::total_cmp);
        let (least, most) = (*seconds.first()?, *seconds.last()?);
        let count = seconds.len() as f64;
        let mean = seconds.iter().sum::<f64>() / count;
        let variance = seconds.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / count;
        Some(Times { least, median: seconds[seconds.len() / 2], most, mean, deviation: variance.sqrt() })
    }
}

/// The state of a running swarm, for watchers.
#[derive(Clone, Debug)]
pub struct Progress {
    pub tile_size: usize,
    pub counts: Counts,
    pub running: usize,
    /// The remaining instances of this tiling, as far as is known.
    pub left: u128,
    /// How many instances took 1, 2, 4, … milliseconds.
    pub histogram: Vec<u64>,
    pub elapsed: Duration,
    /// Extrapolated from the pace so far.
    pub time_left: Option<Duration>,
}

impl Progress {
    pub fn of(coordinator: &Coordinator<'_>, elapsed: Duration) -> Progress {
        let mut histogram = Vec::new();
        for record in &coordinator.records {
            let bucket = (record.seconds * 1000.0).max(1.0).log2() as usize;
            histogram.resize(histogram.len().max(bucket + 1), 0);
            histogram[bucket] += 1;
        }
        let counts = Counts::of(&coordinator.records);
        let left = coordinator.plans.get(&coordinator.current).map_or(0, |plan| plan.left());
        let each = elapsed.as_secs_f64() / counts.total().max(1) as f64;
        // No estimate from fewer than three instances.
        let time_left = (counts.total() >= 3).then_some(each * left as f64).filter(|seconds| *seconds < 1e9);
        let time_left = time_left.map(Duration::from_secs_f64);
        Progress {
            tile_size: coordinator.current,
            counts,
            running: coordinator.running,
            left,
            histogram,
            elapsed,
            time_left,
        }
    }
}

/// The statistics of one tile size.
#[derive(Clone, Debug, Serialize)]
pub struct OfSize {
    pub tile_size: usize,
    /// How its tiles are made.
    pub kind: String,
    /// The number of tiles selected in each thread.
    pub tiles: usize,
    /// The number of all selections. A string, since it may exceed the exact range of JSON numbers.
    pub selections: String,
    /// The number of selections free of bugs, including fractions of divided ones.
    pub covered: f64,
    pub share: f64,
    #[serde(flatten)]
    pub counts: Counts,
    pub seconds: Option<Times>,
    pub seconds_of_buggy: Option<Times>,
    /// CPU time, where the system reports it.
    pub cpu_seconds_of_buggy: Option<Times>,
    /// The cores and the time needed to find a bug with probability 0.95 and 0.99.
    pub expected: Option<[Expected; 2]>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    pub jobs: usize,
    pub wall_seconds: f64,
    pub instances_per_second: f64,
    /// The CPU time of all instances, where the system reports it.
    pub cpu_seconds: f64,
    /// The peak memory of the whole process, where the system reports it: instances share it.
    pub peak_megabytes: Option<u64>,
    #[serde(flatten)]
    pub counts: Counts,
    /// By tile size, including sizes that were only tried.
    pub sizes: Vec<OfSize>,
}

impl Summary {
    pub fn of(coordinator: &Coordinator<'_>, tiles: usize, jobs: usize, wall: Duration) -> Summary {
        let sizes = coordinator.plans.iter().map(|(size, plan)| {
            let records = || coordinator.records.iter().filter(|record| record.tile_size == *size);
            let buggy = || records().filter(|record| record.ended == Ended::Buggy);
            let covered = plan.ledger.selections();
            let marks = |sample: Sample| [0.95, 0.99].map(|probability| sample.for_probability(probability));
            OfSize {
                tile_size: *size,
                kind: plan.tiling.kind.clone(),
                tiles,
                selections: plan.space.total().to_string(),
                covered,
                share: covered / plan.space.total() as f64,
                counts: Counts::of(records()),
                seconds: Times::of(records().map(|record| record.seconds)),
                seconds_of_buggy: Times::of(buggy().map(|record| record.seconds)),
                cpu_seconds_of_buggy: Times::of(buggy().filter_map(|record| record.cpu_seconds)),
                expected: Sample::of(&coordinator.records, *size).map(marks),
            }
        });
        let sizes: Vec<OfSize> = sizes.filter(|of| of.counts.total() > 0).collect();
        let counts = Counts::of(&coordinator.records);
        let wall_seconds = wall.as_secs_f64();
        let instances_per_second = counts.total() as f64 / wall_seconds.max(1e-9);
        // `sum` would give -0 for no records.
        let cpu_seconds =
            coordinator.records.iter().filter_map(|record| record.cpu_seconds).fold(0.0, |all, one| all + one);
        let peak_megabytes = peak_memory().map(|bytes| bytes >> 20);
        Summary { jobs, wall_seconds, instances_per_second, cpu_seconds, peak_megabytes, counts, sizes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(Times::of([]), None);
        let times = Times::of([3.0, 1.0, 5.0]).expect("three");
        assert_eq!((times.least, times.median, times.most, times.mean), (1.0, 3.0, 5.0, 3.0));
        assert!((times.deviation - (8.0f64 / 3.0).sqrt()).abs() < 1e-9);
    }
}
