//! Statistics of a swarm, while it runs and at the end.

use crate::coordinator::Coordinator;
use selvedge_engine::control::peak_memory;
use selvedge_program::instances::{Counts, Ended, OfSize, Sample, Summary, Times};
use std::time::Duration;

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

/// The results of a swarm.
pub(crate) fn summary(coordinator: &Coordinator<'_>, tiles: usize, jobs: usize, wall: Duration) -> Summary {
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
