//! Schedulers of random runs: the choice of the next thread.
//!
//! *Priorities* (Burckhardt, Kothari, Musuvathi, Nagarakatti: A randomized scheduler with probabilistic guarantees of
//! finding bugs, ASPLOS 2010). Every thread has a random priority, and of all that can go on the one with the highest
//! goes. At d - 1 random steps the thread that would go falls behind all others. With n threads and k steps a bug that
//! needs d orderings among steps is found with probability at least 1 / (n k^(d-1)), whatever else the program does. d
//! is drawn for every run, and k is the length of the longest run so far. A thread that yields, or goes on without
//! changing anything, falls behind too, else the others would never go.
//!
//! *Uniform* runs choose among all that can go on, but stay with a thread for a while: for one step on average, or 4,
//! 16, 64.

use selvedge_vm::deadlock::Threads;
use selvedge_vm::expand::members;

/// At most so many places where priorities change.
const MOST_CHANGES: u64 = 6;
/// A thread that has changed nothing for so many steps falls behind.
const IDLE: u32 = 100;

pub struct Scheduler {
    dice: fastrand::Rng,
    kind: Kind,
    last: Option<usize>,
    /// For so many steps in a row the thread that went last has changed nothing.
    idle: u32,
}

enum Kind {
    Priorities {
        /// By thread; higher ones go first.
        of: Vec<i64>,
        /// The steps at which the thread that goes falls behind, the next one last.
        changes: Vec<u64>,
        /// Below all others.
        lowest: i64,
    },
    Uniform {
        /// The chance to switch is one in so many.
        stay: u32,
    },
}

impl Scheduler {
    /// The scheduler of a run: three out of four are by priorities. `length`: of runs, about.
    pub fn drawn(mut dice: fastrand::Rng, number: u64, length: u64) -> Scheduler {
        let kind = match number % 4 {
            3 => Kind::Uniform { stay: 1 << (2 * dice.u32(..4)) },
            _ => {
                let count = dice.u64(..=MOST_CHANGES);
                let mut changes: Vec<u64> = (0..count).map(|_| dice.u64(..length.max(1))).collect();
                changes.sort_unstable_by(|a, b| b.cmp(a));
                Kind::Priorities { of: Vec::new(), changes, lowest: 0 }
            }
        };
        Scheduler { dice, kind, last: None, idle: 0 }
    }

    /// One of the threads, before the step of this number; `None` if there are none.
    pub fn next(&mut self, threads: Threads, step: u64) -> Option<usize> {
        let favourite = self.favourite(threads)?;
        let chosen = match &mut self.kind {
            Kind::Priorities { changes, .. } if changes.last().is_some_and(|change| *change <= step) => {
                changes.pop();
                self.fall_behind(favourite);
                self.favourite(threads)?
            }
            Kind::Priorities { .. } | Kind::Uniform { .. } => favourite,
        };
        if self.last != Some(chosen) {
            (self.last, self.idle) = (Some(chosen), 0);
        }
        Some(chosen)
    }

    fn favourite(&mut self, threads: Threads) -> Option<usize> {
        match &mut self.kind {
            Kind::Priorities { of, .. } => {
                while of.len() < Threads::BITS as usize - threads.leading_zeros() as usize {
                    of.push(self.dice.i64(1..=i64::MAX));
                }
                members(threads).max_by_key(|thread| of[*thread])
            }
            Kind::Uniform { stay } => {
                let stays = |last: &usize| threads >> last & 1 == 1 && self.idle < IDLE;
                match self.last.filter(stays) {
                    Some(last) if self.dice.u32(..*stay) != 0 => Some(last),
                    _ => self.dice.choice(members(threads).collect::<Vec<_>>()),
                }
            }
        }
    }

    /// The thread that was chosen has taken a step. `changed`: anything but its own stack; `yields`: it offers to give
    /// way.
    pub fn note(&mut self, changed: bool, yields: bool) {
        self.idle = if changed { 0 } else { self.idle + 1 };
        let Some(last) = self.last.filter(|_| yields || self.idle >= IDLE) else { return };
        if matches!(self.kind, Kind::Priorities { .. }) {
            self.idle = 0;
        }
        self.fall_behind(last);
    }

    fn fall_behind(&mut self, thread: usize) {
        if let Kind::Priorities { of, lowest, .. } = &mut self.kind {
            *lowest -= 1;
            of[thread] = *lowest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_goes_until_it_falls_behind() {
        let of = vec![5, 9, 7];
        let kind = Kind::Priorities { of, changes: vec![3], lowest: 0 };
        let mut scheduler = Scheduler { dice: fastrand::Rng::with_seed(0), kind, last: None, idle: 0 };
        let mut order = Vec::new();
        for step in 0..5 {
            order.extend(scheduler.next(0b111, step));
            scheduler.note(true, false);
        }
        assert_eq!(order, [1, 1, 1, 2, 2]);
        // Blocked threads are not asked, a new one gets a priority, and the thread that has yielded goes last.
        assert_eq!(scheduler.next(0b011, 5), Some(0));
        scheduler.note(true, true);
        assert_eq!(scheduler.next(0b011, 6), Some(1));
        assert!(scheduler.next(0b1000, 7) == Some(3) && scheduler.next(0, 8).is_none());
    }

    #[test]
    fn who_changes_nothing_falls_behind() {
        for number in 0..8 {
            let mut scheduler = Scheduler::drawn(fastrand::Rng::with_seed(number), number, 1);
            let mut went = [false; 2];
            for step in 0..10 * u64::from(IDLE) {
                scheduler.next(0b11, step).into_iter().for_each(|thread| went[thread] = true);
                scheduler.note(false, false);
            }
            assert_eq!(went, [true; 2]);
        }
    }
}
