//! The instances of one tiling: which come next, and which are done.
//!
//! Selections are drawn without repetition, in an order determined by a seed, and never listed in advance.
//! Parts of divided instances alternate with fresh ones, so that neither waits for ever.

use crate::divide::{self, Ledger};
use crate::permutation::Permutation;
use crate::selection::{Space, TooMany};
use crate::tiling::{Tile, Tiling};
use selvedge_program::instances::{Ended, Name};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::time::Duration;

pub struct Plan {
    pub tiling: Tiling,
    pub space: Space,
    order: Permutation,
    /// The position of the next fresh selection in the order.
    next: u128,
    /// The number of selections to be drawn in total.
    drawn: u128,
    /// Divide instances that time out.
    divide: bool,
    parts: VecDeque<Name>,
    fresh_was_last: bool,
    /// Given to a worker, or ended.
    taken: HashSet<Name>,
    /// Instances that timed out and were not divided, with the time that they had.
    timed_out: BTreeMap<Name, Duration>,
    /// Instances shown to be free of bugs, so that none counts twice.
    shown: HashSet<Name>,
    pub ledger: Ledger,
}

impl Plan {
    /// `instances` is the most selections to draw.
    pub fn new(
        tiling: Tiling,
        selected: usize,
        instances: Option<u128>,
        seed: u64,
        divide: bool,
    ) -> Result<Plan, TooMany> {
        let tiles: Vec<usize> = tiling.threads.iter().map(Vec::len).collect();
        let space = Space::new(&tiles, selected)?;
        let total = space.total();
        Ok(Plan {
            tiling,
            order: Permutation::new(total, seed),
            space,
            next: 0,
            drawn: instances.map_or(total, |instances| instances.min(total)),
            divide,
            parts: VecDeque::new(),
            fresh_was_last: false,
            taken: HashSet::new(),
            timed_out: BTreeMap::new(),
            shown: HashSet::new(),
            ledger: Ledger::default(),
        })
    }

    pub fn tiles(&self, name: &Name) -> Option<Vec<Vec<Tile>>> {
        divide::tiles(&self.tiling, &self.space, name)
    }

    /// The next instance. `None` means none for now: running instances that are divided will add more.
    pub fn take(&mut self) -> Option<Name> {
        match self.fresh_was_last {
            true => self.take_part().or_else(|| self.take_fresh()),
            false => self.take_fresh().or_else(|| self.take_part()),
        }
    }

    /// Like [`Plan::take`], but takes a fresh one only when nothing else is left.
    pub fn take_old_first(&mut self) -> Option<Name> {
        self.take_part().or_else(|| self.take_fresh())
    }

    /// The first instance of all, even if it has been taken, unless it is shown.
    pub fn first(&self) -> Option<Name> {
        let first = (self.drawn > 0).then(|| Name::whole(self.order.at(0)));
        first.filter(|name| !self.shown.contains(name))
    }

    fn take_fresh(&mut self) -> Option<Name> {
        while self.next < self.drawn {
            let name = Name::whole(self.order.at(self.next));
            self.next += 1;
            if self.taken.insert(name.clone()) {
                self.fresh_was_last = true;
                return Some(name);
            }
        }
        None
    }

    fn take_part(&mut self) -> Option<Name> {
        while let Some(name) = self.parts.pop_front() {
            if self.taken.insert(name.clone()) {
                self.fresh_was_last = false;
                return Some(name);
            }
        }
        None
    }

    /// Adds instances.
    pub fn assign(&mut self, names: Vec<Name>) {
        self.parts.extend(names);
    }

    /// Marks an instance as taken.
    pub fn claim(&mut self, name: &Name) {
        self.taken.insert(name.clone());
    }

    /// Makes an unfinished instance available again.
    pub fn put_back(&mut self, name: Name) {
        self.taken.remove(&name);
        self.parts.push_front(name);
    }

    /// Notes the result of an instance, from this run or from the records of an earlier one.
    pub fn note(&mut self, name: &Name, ended: Ended, after: Duration) {
        self.taken.insert(name.clone());
        self.timed_out.remove(name);
        match ended {
            Ended::Safe if self.shown.insert(name.clone()) => self.ledger.prove(name),
            Ended::Safe | Ended::Buggy => {}
            Ended::TimedOut => {
                let parts = self.divide.then(|| self.tiles(name)).flatten();
                let parts = parts.map(|tiles| divide::parts(&tiles, name)).unwrap_or_default();
                if parts.is_empty() {
                    self.timed_out.insert(name.clone(), after);
                } else {
                    self.ledger.divide(name, parts.len());
                    self.parts.extend(parts);
                }
            }
        }
    }

    /// Makes timed-out instances available again that had less time than `limit`; `None` is unlimited.
    pub fn try_again(&mut self, limit: Option<Duration>) {
        self.timed_out.retain(|name, after| {
            let is_enough = limit.is_some_and(|limit| *after >= limit);
            if !is_enough {
                self.taken.remove(name);
                self.parts.push_back(name.clone());
            }
            is_enough
        });
    }

    /// The number of remaining instances, as far as is known.
    pub fn left(&self) -> u128 {
        self.drawn - self.next + self.parts.len() as u128
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(instances: Option<u128>, divide: bool) -> Plan {
        let threads = vec![vec![vec![1, 2], vec![3, 4], vec![5]], vec![vec![1], vec![2]]];
        let tiling = Tiling { threads, kind: String::new() };
        Plan::new(tiling, 1, instances, 3, divide).expect("few")
    }

    #[test]
    fn every_instance_once_in_an_order_of_its_own() {
        let mut all: Vec<u128> = std::iter::from_fn({
            let mut plan = plan(None, false);
            move || plan.take().map(|name| name.selection)
        })
        .collect();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4, 5]);
        let mut few = plan(Some(2), false);
        assert_eq!(few.left(), 2);
        assert!(few.take().is_some() && few.take().is_some() && few.take().is_none());
    }

    #[test]
    fn what_is_on_record_is_not_done_again() {
        let mut first = plan(None, false);
        let done = [first.take().expect("one"), first.take().expect("another")];
        let mut second = plan(None, false);
        done.iter().for_each(|name| second.note(name, Ended::Safe, Duration::ZERO));
        let rest: Vec<Name> = std::iter::from_fn(|| second.take()).collect();
        assert_eq!(rest.len(), 4);
        assert!(done.iter().all(|name| !rest.contains(name)));
        assert_eq!(second.ledger.whole, 2);
    }

    #[test]
    fn what_times_out_comes_back_in_parts_until_everything_is_shown() {
        let mut plan = plan(None, true);
        let mut ended = 0;
        while let Some(name) = plan.take() {
            // Whole instances take too long, parts do not.
            let divisible = !divide::parts(&plan.tiles(&name).expect("it exists"), &name).is_empty();
            let how = if divisible && name.parts.is_empty() { Ended::TimedOut } else { Ended::Safe };
            plan.note(&name, how, Duration::ZERO);
            ended += 1;
        }
        // Four of the six selections have a tile of two points.
        assert_eq!(ended, 6 + 4 * 2);
        assert_eq!(plan.ledger.whole, plan.space.total());
    }

    #[test]
    fn what_timed_out_is_tried_again_with_more_time() {
        let mut plan = plan(None, false);
        let all: Vec<Name> = std::iter::from_fn(|| plan.take()).collect();
        let seconds = Duration::from_secs;
        plan.note(&all[0], Ended::TimedOut, seconds(5));
        plan.note(&all[1], Ended::TimedOut, seconds(9));
        plan.try_again(Some(seconds(5)));
        assert_eq!(plan.take(), None);
        plan.try_again(Some(seconds(6)));
        assert_eq!((plan.take(), plan.take()), (Some(all[0].clone()), None));
        plan.try_again(None);
        assert_eq!((plan.take(), plan.take()), (Some(all[1].clone()), None));
    }

    #[test]
    fn what_was_not_finished_is_to_be_had_again() {
        let mut plan = plan(None, false);
        let name = plan.take().expect("one");
        plan.put_back(name.clone());
        let rest: Vec<Name> = std::iter::from_fn(|| plan.take()).collect();
        assert_eq!(rest.iter().filter(|other| **other == name).count(), 1);
        assert_eq!(rest.len(), 6);
    }
}
