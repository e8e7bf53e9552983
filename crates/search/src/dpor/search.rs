//! The search over runs, by several workers.

use super::Dpor;
use super::lanes::Lanes;
use super::ledger::Ledger;
use super::node::Node;
use super::worker::{DEEPEST, Worker};
use crate::explicit::end::End;
use crate::pool::Pool;
use selvedge_engine::{Control, Task};
use selvedge_program::{Coverage, Limit, Property, Statistics};
use selvedge_vm::{Code, Ends, Sharing};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// State that all workers share, beside the plans of nodes.
pub struct Shared<'c> {
    pub control: &'c Control,
    /// Runs up to a node with branches that nobody has begun.
    pub pool: Pool<Node>,
    pub transitions: AtomicU64,
    /// Complete runs.
    pub runs: AtomicU64,
    pub most_runs: u64,
    /// Explore every order of steps.
    pub all_orders: bool,
    /// The number of workers.
    pub jobs: u64,
}

pub struct Search<'c> {
    shared: Arc<Shared<'c>>,
    /// At least one.
    workers: Vec<Worker<'c>>,
}

impl<'c> Search<'c> {
    /// `keeps`: record how runs end.
    pub fn new(
        dpor: &Dpor,
        code: &'c Code<'c>,
        sharing: Sharing,
        task: &Task,
        control: &'c Control,
        keeps: bool,
    ) -> Search<'c> {
        // A data race is found between two steps of one run.
        let keeps_states = dpor.keeps_states && !task.properties.contains(Property::Race);
        let jobs = if keeps_states { 1 } else { dpor.jobs.max(1) };
        let shared = Arc::new(Shared {
            control,
            pool: Pool::new(jobs),
            transitions: AtomicU64::new(0),
            runs: AtomicU64::new(0),
            most_runs: dpor.most_runs.unwrap_or(u64::MAX),
            all_orders: dpor.all_orders,
            jobs: jobs as u64,
        });
        let lanes = Lanes::of(code.program);
        let worker = || {
            let mut worker = Worker::new(code, sharing.clone(), task, lanes.clone(), Arc::clone(&shared));
            worker.ledger = keeps.then(Ledger::default);
            worker.known = keeps_states.then(Default::default);
            worker
        };
        let workers = (0..jobs).map(|_| worker()).collect();
        Search { shared, workers }
    }

    pub fn run(&mut self) -> Result<Coverage, End> {
        self.workers[0].begin()?;
        self.shared.pool.run(&mut self.workers, Worker::search)?;
        self.compare_sharing()?;
        self.conclude()
    }

    /// Each worker knows only what it saw itself of who touches what.
    fn compare_sharing(&mut self) -> Result<(), End> {
        let known = self.joint_sharing();
        if self.workers.len() > 1 && known.grew {
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

    fn conclude(&mut self) -> Result<Coverage, End> {
        let too_deep = self.workers.iter().any(|worker| worker.too_deep);
        let depth = too_deep.then_some(Limit::Depth(DEEPEST as u64));
        let mut coverage = Coverage::within(depth);
        self.workers.iter().for_each(|worker| coverage.add(&Coverage::within(worker.expander.limits())));
        if let Some(reason) = self.workers.iter_mut().find_map(|worker| worker.expander.machine.obstacle.take()) {
            return Err(End::Stopped(reason));
        }
        let mut ends = Ends::default();
        self.workers.iter().for_each(|worker| ends.join(&worker.expander.machine.ends));
        Ok(coverage.with_ends(ends.describe(self.workers[0].expander.machine.code, true)))
    }

    /// Adds its numbers.
    pub fn count(&self, statistics: &mut Statistics) {
        let sum = |count: fn(&Worker<'c>) -> u64| self.workers.iter().map(count).sum::<u64>();
        statistics.transitions += self.shared.transitions.load(Ordering::Relaxed);
        statistics.peak_memory = statistics.peak_memory.max(sum(|worker| worker.memory));
        statistics.runs = sum(|worker| worker.runs);
        statistics.runs_in_vain = sum(|worker| worker.in_vain);
        statistics.states = sum(Worker::states);
    }

    /// The ends of all runs, if they were recorded.
    pub fn take_ledger(&mut self) -> Option<Ledger> {
        let ledgers = self.workers.iter_mut().filter_map(|worker| worker.ledger.take());
        ledgers.reduce(|mut all, other| {
            all.join(other);
            all
        })
    }

    /// All that was learnt about who touches what.
    pub fn into_sharing(self) -> Sharing {
        self.joint_sharing()
    }
}
