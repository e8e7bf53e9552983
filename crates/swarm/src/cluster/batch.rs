//! How large tasks are: enough instances that starting a worker does not matter, few enough that all have some.

use super::shared::Assignment;
use crate::boss::{Boss, Job, Next};
use crate::plan::Plan;
use std::time::Duration;

/// What a task should take. A worker's start takes seconds at the most.
const TASK: Duration = Duration::from_secs(60);
/// Before it is known how long instances take.
const FIRST: usize = 4;
const MOST: usize = 1000;
/// Tasks at a time while the tile size is looked for: more would be tries of sizes that nobody takes.
const PROBES: usize = 8;

/// How many instances tasks have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    /// As many as the user says.
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

    /// If so many are left, for so many tasks at a time.
    fn instances(&self, left: u128, tasks: usize) -> usize {
        let in_time = match self.instances {
            0 => FIRST,
            instances => (TASK.as_secs_f64() * instances as f64 / self.seconds.max(1e-6)) as usize,
        };
        let share = left.div_ceil(tasks.max(1) as u128).min(MOST as u128) as usize;
        self.given.unwrap_or(in_time.min(share)).clamp(1, MOST)
    }
}

/// How many tasks there may be at a time.
pub fn most(boss: &Boss<'_>, tasks: usize) -> usize {
    if boss.is_probing() { tasks.min(PROBES) } else { tasks }
}

/// So many tasks, or as many as there is work for now. `at_a_time`: all tasks that there are then.
pub fn draw(boss: &mut Boss<'_>, pace: &Pace, tasks: usize, at_a_time: usize) -> Vec<Assignment> {
    let left = boss.plans.get(&boss.current).map_or(0, Plan::left);
    let each = if boss.is_probing() { 1 } else { pace.instances(left, at_a_time) };
    let mut batch: Vec<Assignment> = Vec::new();
    let is_full = |task: &Assignment| task.instances.len() >= each;
    while batch.len() < tasks || !batch.last().is_none_or(is_full) {
        let Next::Job(Job { tile_size, name, limit, .. }) = boss.next(0) else { break };
        let limit_seconds = limit.map(|limit| limit.as_secs_f64());
        let takes =
            |task: &Assignment| !is_full(task) && (task.tile_size, task.limit_seconds) == (tile_size, limit_seconds);
        if !batch.last().is_some_and(takes) {
            if batch.len() == tasks {
                boss.lost(tile_size, name);
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
