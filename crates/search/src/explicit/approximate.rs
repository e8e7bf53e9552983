//! Searches that keep only hashes of states, for what does not fit into memory otherwise: depth first, with the states
//! on the stack, or breadth first ([`super::breadth`]), with those that wait on disk.
//!
//! Depth first threads are tried in an order drawn from the seed, and so are the hashes: another seed misses other
//! states, so that a *swarm* of such searches (Holzmann, Joshi, Groce, ASE 2008) covers more than one. With several
//! jobs, each worker is one of the swarm.
//!
//! Here a bound on preemptions makes the count part of the state, with the thread that ran last: a state may be met
//! with many preemptions before it is met with few. Without a bound neither matters.

use super::depth_first::{Child, Frame, Policy};
use super::seen::{Memory, Seen};
use super::store::{Root, Store};
use crate::superstep::{Arrival, Runner, Superstep};
use foldhash::fast::FixedState;
use selvedge_engine::Task;
use selvedge_program::Limit;
use selvedge_vm::deadlock::Waiting;
use selvedge_vm::expand::members;
use std::hash::{BuildHasher, Hash};

/// The states that were seen, by their hashes, within a bound on preemptions.
pub struct Hashed {
    pub seen: Seen,
    hasher: FixedState,
    /// Against going round with what was learnt; also gives the order of threads.
    seed: u64,
    bound: Option<u32>,
}

impl Hashed {
    /// `member`: the number of the search in a swarm.
    pub fn new(memory: Memory, task: &Task, member: u64) -> Hashed {
        let seen = match memory {
            Memory::Bitstate { megabytes } => Seen::bitstate(megabytes),
            Memory::Exact | Memory::Compact => Seen::compact(),
        };
        let seed = task.seed.wrapping_mul(0x9e37_79b9).wrapping_add(member);
        Hashed { seen, hasher: FixedState::with_seed(seed), seed, bound: task.bounds.preemptions }
    }

    /// Is a state new, to which `thread` led? `key`: what tells it apart under an abstraction.
    pub fn insert(&mut self, state: impl Hash, key: Option<Vec<u64>>, thread: usize, preemptions: u32) -> bool {
        let with = self.bound.map(|_| (thread, preemptions));
        let hash = match key {
            Some(key) => self.hasher.hash_one((key, with)),
            None => self.hasher.hash_one((state, with)),
        };
        self.seen.insert(hash)
    }

    /// The preemptions of a run that goes on with `thread` where `last` ran, which could go on or not, and those wait.
    /// `None`: too many.
    pub fn price(&self, before: u32, thread: usize, last: usize, goes_on: bool, waiting: &[Waiting]) -> Option<u32> {
        let is_preemption = thread != last && goes_on && waiting.iter().all(|one| one.thread != last);
        let price = before + u32::from(is_preemption);
        self.bound.is_none_or(|bound| price <= bound).then_some(price)
    }

    pub fn limits(&self) -> Vec<Limit> {
        let preemptions = self.bound.map(|most| Limit::Preemptions { most, of_supersteps: false });
        [self.seen.limit()].into_iter().chain(preemptions).collect()
    }
}

impl Policy for Hashed {
    /// Preemptions so far.
    type Note = u32;
    type Price = u32;
    const DEEPEST: usize = 2_000_000;
    const NEEDS_FOOTPRINTS: bool = false;
    const KEEPS_EXITS: bool = false;

    /// All threads that may run, in a random order; but who ran goes on first: its next steps cost nothing.
    fn enter(&mut self, runner: &mut Runner<'_, '_>, to: &mut Child<u32>) -> Vec<u8> {
        runner.load(to.root);
        let mut order: Vec<u8> = members(runner.expander.machine.state.runnable()).map(|thread| thread as u8).collect();
        fastrand::Rng::with_seed(self.hasher.hash_one((self.seed, to.root))).shuffle(&mut order);
        if let Some(at) = order.iter().position(|thread| usize::from(*thread) == to.leg.thread) {
            order[at..].rotate_left(1);
        }
        order
    }

    fn price(&self, runner: &mut Runner<'_, '_>, top: &Frame<u32>, thread: usize) -> Option<u32> {
        if self.bound.is_none() {
            return Some(0);
        }
        let last = top.leg.thread;
        runner.load(top.root);
        Hashed::price(self, top.note, thread, last, runner.expander.machine.goes_on(last), &top.waiting)
    }

    fn extend(&mut self, _: &mut Runner<'_, '_>, top: &mut Frame<u32>, step: Superstep, price: u32, _: &[Root]) {
        // Nothing is left of what other threads led to, and the list of ends becomes the list of children.
        let new = step.ends.into_iter().filter_map(|Arrival { root, leg, seen, .. }| {
            self.insert(root, seen.key, leg.thread, price).then_some(Child { root, leg, note: price })
        });
        top.children = new.collect();
    }

    fn states(&self, _: &Store) -> u64 {
        self.seen.len()
    }

    fn bytes(&self) -> u64 {
        self.seen.bytes()
    }

    fn limits(&self) -> Vec<Limit> {
        Hashed::limits(self)
    }
}
