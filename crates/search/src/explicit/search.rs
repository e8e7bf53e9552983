//! The search, level by level: everything with no preemption, then with one, and so on. With `--switches` levels count
//! all context switches instead.
//!
//! The count is not part of a state: a state that is reached again on a later level leads nowhere new, for all
//! its threads were run on the level after its own at the latest. So a bound costs nothing, and a larger one only
//! adds levels.

use super::disk::Blocks;
use super::end;
use super::frontier::Frontier;
use super::instances::Stops;
use super::long_steps;
use super::path::Evidence;
use super::pool::{Item, Pool};
use super::shared::Shared;
use super::side_table::SideTable;
use super::store::{StateId, Store};
use super::worker::Worker;
use selvedge_engine::{Control, Task};
use selvedge_program::{Coverage, Finding, Limit, Reason};
use selvedge_vm::{Code, Ends, Sharing};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Which of the transitions that cost the same comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    DepthFirst,
    BreadthFirst,
}

pub type End = end::End<Evidence>;

pub struct Search<'c> {
    pub(super) shared: Shared<'c>,
    /// At least one.
    pub(super) workers: Vec<Worker<'c>>,
    pub(super) max_level: u32,
}

impl<'c> Search<'c> {
    pub fn new(
        code: &'c Code<'c>,
        sharing: Sharing,
        task: &Task,
        control: &'c Control,
        order: Order,
        jobs: usize,
    ) -> Self {
        let shared = Shared {
            store: Store::new(),
            choices: SideTable::new(),
            more_ways: SideTable::new(),
            level: 0,
            order,
            stops: None,
            control,
            blocks: None,
            pool: Pool::new(1),
            all_switches_cost: task.bounds.switches.is_some(),
            only_deadlocks: false,
            supersteps: false,
            is_abstract: code.program.observers.abstraction.is_some(),
            patience: long_steps::FIRST_POSTPONEMENT,
            budget: u64::MAX,
            transitions: AtomicU64::new(0),
        };
        let workers = (0..jobs.max(1)).map(|_| Worker::new(code, sharing.clone(), task)).collect();
        let bound = task.bounds.switches.or(task.bounds.preemptions);
        let max_level = bound.unwrap_or(u32::MAX).min(super::store::MAX_LEVEL);
        Search { shared, workers, max_level }
    }

    /// Threads may be preempted only there.
    pub fn stop_only_at(&mut self, stops: &'c Stops) {
        self.shared.stops = Some(stops);
    }

    /// Lets waiting items be written there.
    pub fn with_disk(mut self, blocks: Option<&Arc<Blocks>>) -> Self {
        for worker in &mut self.workers {
            (worker.now, worker.later) = (Frontier::new(blocks.cloned()), Frontier::new(blocks.cloned()));
        }
        self.shared.blocks = blocks.cloned();
        self
    }

    /// Threads run on while that does not matter to the others.
    pub fn with_supersteps(mut self, supersteps: bool) -> Self {
        self.shared.supersteps = supersteps;
        self.workers.iter_mut().for_each(|worker| worker.expander.machine.record(supersteps));
        self
    }

    /// Up to this level, with so many transitions.
    pub fn limit(&mut self, max_level: u32, transitions: u64) {
        (self.max_level, self.shared.budget) = (max_level, transitions);
    }

    pub fn run(&mut self) -> Result<Coverage, End> {
        self.workers[0].begin(&self.shared)?;
        let mut long_step = None;
        loop {
            if let Err(end) = self.search_level() {
                let coverage = self.stopped_in_long_steps(end)?;
                return self.conclude(coverage);
            }
            let is_last = self.shared.level == self.max_level;
            let is_done = self.workers.iter().all(|worker| worker.later.is_empty() && worker.next_end.is_none());
            if (is_last || is_done) && self.resume_long_steps() {
                continue;
            }
            if is_done {
                return self.conclude(Coverage::default());
            }
            if is_last {
                self.look_for_deadlocks()?;
                let limits = self.is_anything_left().then(|| [Some(self.bound()), long_step]);
                return self.conclude(Coverage::within(limits.into_iter().flatten().flatten()));
            }
            self.shared.level += 1;
            if let Some(end) = self.workers.iter_mut().find_map(|worker| worker.next_end.take()) {
                return Err(end);
            }
            for worker in &mut self.workers {
                // Nothing is left of the level before.
                std::mem::swap(&mut worker.now, &mut worker.later);
            }
            if self.resume_long_steps() {
                long_step = self.long_step();
            }
        }
    }

    /// On the next level, which there will not be. What waits for it may have been done: who gets to a state first
    /// leaves its threads for later, and another worker that gets there after that may run them at once.
    fn is_anything_left(&mut self) -> bool {
        let Search { shared, workers, .. } = self;
        if shared.supersteps || shared.all_switches_cost || workers.iter().any(|worker| worker.next_end.is_some()) {
            return true;
        }
        let is_open = |item: Item| {
            let visit = shared.store.visit(item.state);
            let roll = shared.store.roll(&shared.store.root(item.state));
            let is_left = |thread: &usize| !roll.is_finished(*thread) && !visit.is_expanded(*thread);
            !visit.is_whole() && (0..roll.threads).any(|thread| is_left(&thread))
        };
        let order = shared.order;
        workers.iter_mut().any(|worker| std::iter::from_fn(|| worker.later.pop(order)).any(is_open))
    }

    /// In words that complete "safe within …".
    pub(super) fn bound(&self) -> Limit {
        let (most, of_supersteps) = (self.shared.level, self.shared.supersteps);
        match self.shared.all_switches_cost {
            true => Limit::ContextSwitches { most, of_supersteps },
            false => Limit::Preemptions { most, of_supersteps },
        }
    }

    /// If every switch costs, it is still open whether others can go on from the last states in which one cannot.
    /// Looking is no switch. (With supersteps all threads are looked at together.)
    fn look_for_deadlocks(&mut self) -> Result<(), End> {
        if !self.shared.all_switches_cost || self.shared.supersteps {
            return Ok(());
        }
        self.shared.only_deadlocks = true;
        let order = self.shared.order;
        for worker in &mut self.workers {
            while let Some(item) = worker.later.pop(order) {
                if may_be_deadlocked(&self.shared.store, item.state, worker.expander.machine.symmetric) {
                    worker.now.push(item, order);
                }
            }
        }
        self.search_level()
    }

    fn search_level(&mut self) -> Result<(), End> {
        self.shared.pool = Pool::new(self.workers.len());
        let shared = &self.shared;
        shared.pool.run(&mut self.workers, |worker| worker.search(shared))?;
        self.workers.iter().try_for_each(Worker::check_disk)?;
        self.compare_sharing()
    }

    /// Each worker knows only what it saw itself of who touches what.
    fn compare_sharing(&mut self) -> Result<(), End> {
        if self.workers.len() == 1 {
            return Ok(());
        }
        let known = self.joint_sharing();
        if known.grew {
            self.workers[0].expander.machine.sharing = known;
            return Err(End::Shared);
        }
        Ok(())
    }

    fn joint_sharing(&self) -> Sharing {
        let mut known = self.workers[0].expander.machine.sharing.clone();
        self.workers[1..].iter().for_each(|worker| known.join(&worker.expander.machine.sharing));
        known
    }

    fn conclude(&mut self, mut coverage: Coverage) -> Result<Coverage, End> {
        self.workers.iter().for_each(|worker| coverage.add(&Coverage::within(worker.expander.limits())));
        match self.workers.iter_mut().find_map(|worker| worker.expander.machine.obstacle.take()) {
            Some(reason) => Err(End::Stopped(reason)),
            None => {
                let mut ends = Ends::default();
                self.workers.iter().for_each(|worker| ends.join(&worker.expander.machine.ends));
                Ok(coverage.with_ends(ends.describe(self.workers[0].expander.machine.code, true)))
            }
        }
    }

    /// The finding where a limit ends the search: the last level that was completed, if that left nothing out.
    pub fn best_so_far(&mut self, reason: Reason) -> Finding {
        let left_out = self.shared.all_switches_cost || self.long_step().is_some() || !reason.is_limit_of_search();
        let Some(most) = self.shared.level.checked_sub(1).filter(|_| !left_out) else {
            return Finding::GaveUp(reason);
        };
        let limit = Limit::Preemptions { most, of_supersteps: self.shared.supersteps };
        match self.conclude(Coverage::within([limit])) {
            Ok(coverage) => Finding::NoneWithin(coverage.stopped_by(reason)),
            Err(_) => Finding::GaveUp(reason),
        }
    }

    /// All that was learnt about who touches what.
    pub fn into_sharing(self) -> Sharing {
        self.joint_sharing()
    }

    pub fn collect_finals(&mut self) {
        self.workers.iter_mut().for_each(|worker| worker.finals = Some(BTreeSet::new()));
    }

    /// The contents of all globals in every end of the process that was seen.
    pub fn finals(self) -> Option<BTreeSet<Vec<u64>>> {
        self.workers.into_iter().map(|worker| worker.finals).reduce(|a, b| Some(&a? | &b?))?
    }

    pub fn states(&self) -> u64 {
        self.shared.store.len() as u64
    }

    pub fn level(&self) -> u32 {
        self.shared.level
    }

    pub fn transitions(&self) -> u64 {
        self.shared.transitions.load(Ordering::Relaxed)
    }

    pub fn memory(&self) -> u64 {
        self.shared.bytes() + self.workers.iter().map(Worker::bytes).sum::<u64>()
    }
}

/// Is the thread that led to a state of the last level blocked, or has it ended? While it goes on, whoever waits for
/// ever did so in the state before, too.
fn may_be_deadlocked(store: &Store, state: StateId, has_sorted_threads: bool) -> bool {
    let visit = store.visit(state);
    let has_ended = || {
        let roll = store.roll(&store.root(state));
        // Which number it has now is not known where threads are sorted.
        if has_sorted_threads { roll.finished != 0 } else { roll.is_finished(visit.found().thread) }
    };
    visit.is_any_blocked() || has_ended()
}
