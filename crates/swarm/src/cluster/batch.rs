//! The size of tasks: enough instances to make up for starting a worker, few enough to occupy all tasks.

use super::shared::Assignment;
use crate::coordinator::{Coordinator, Job, Next};
use crate::plan::Plan;
use std::time::Duration;

/// The time that a task should take. Starting a worker takes seconds at most.
const TASK: Duration = Duration::from_secs(60);
/// The instances of a task before it is known how long they take.
const FIRST: usize = 4;
const MOST: usize = 1000;
/// The most tasks at a time during the search for a tile size: more would try sizes that are not taken.
const PROBES: usize = 8;

/// Determines the number of instances in a task.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    /// The number that the user asked for.
    pub given: Option<usize>,
    seconds: f64,
    instances: u64,
}

impl Pace {
    pub fn new(given: Option<usize>) -> Pace {
        Pace { given, ..Pace::default() }
    }

    pub fn note(&mut self, seconds: f64) {
        self.seconds += seconds;
        self.instances += 1;
    }

    /// The number of instances in a task if `left` remain for `tasks` tasks at a time.
    fn instances(&self, left: u128, tasks: usize) -> usize {
        let in_time = match self.instances {
            0 => FIRST,
            instances => (TASK.as_secs_f64() * instances as f64 / self.seconds.max(1e-6)) as usize,
        };
        let share = left.div_ceil(tasks.max(1) as u128).min(MOST as u128) as usize;
        self.given.unwrap_or(in_time.min(share)).clamp(1, MOST)
    }
}

/// The most tasks at a time.
pub fn most(coordinator: &Coordinator<'_>, tasks: usize) -> usize {
    if coordinator.is_probing() { tasks.min(PROBES) } else { tasks }
}

/// Draws the given number of tasks, or as many as there is work for. `at_a_time` counts all tasks, including these.
pub fn draw(coordinator: &mut Coordinator<'_>, pace: &Pace, tasks: usize, at_a_time: usize) -> Vec<Assignment> {
    let left = coordinator.plans.get(&coordinator.current).map_or(0, Plan::left);
    let each = if coordinator.is_probing() { 1 } else { pace.instances(left, at_a_time) };
    let mut batch: Vec<Assignment> = Vec::new();
    let is_full = |task: &Assignment| task.instances.len() >= each;
    while batch.len() < tasks || !batch.last().is_none_or(is_full) {
        let Next::Job(Job { tile_size, name, limit, .. }) = coordinator.next(0) else { break };
        let limit_seconds = limit.map(|limit| limit.as_secs_f64());
        let takes =
            |task: &Assignment| !is_full(task) && (task.tile_size, task.limit_seconds) == (tile_size, limit_seconds);
        if !batch.last().is_some_and(takes) {
            if batch.len() == tasks {
                coordinator.lost(tile_size, name);
                break;
            }
            batch.push(Assignment { tile_size, instances: Vec::new(), limit_seconds, limits: false });
        }
        batch.last_mut().expect("there is one").instances.push(name);
    }
    batch
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_takes_a_minute_but_all_have_some() {
        let mut pace = Pace::new(None);
        assert_eq!(pace.instances(1_000_000, 10), FIRST);
        assert_eq!(pace.instances(20, 10), 2);
        assert_eq!(pace.instances(0, 10), 1);
        [0.25, 0.75].into_iter().for_each(|seconds| pace.note(seconds));
        assert_eq!(pace.instances(1_000_000, 10), 120);
        assert_eq!(pace.instances(100, 10), 10);
        (0..1000).for_each(|_| pace.note(0.0));
        assert_eq!(pace.instances(u128::MAX, 1), MOST);
        assert_eq!(Pace::new(Some(7)).instances(3, 1), 7);
    }
}
