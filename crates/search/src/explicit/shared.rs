//! The state that all workers of a search share: the store, its side tables, and how far the search is.

use super::disk::Blocks;
use super::instances::Stops;
use super::pool::Pool;
use super::search::Order;
use super::side_table::SideTable;
use super::store::{Found, StateId, Store};
use selvedge_engine::Control;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

pub struct Shared<'c> {
    pub store: Store,
    /// The choices that led to states on the levels they were found on, where there were any.
    pub choices: SideTable<Box<[u32]>>,
    /// Ways to states because of which a thread may run there, beyond the one that is noted with the state; by thread.
    pub more_ways: SideTable<Way>,
    pub level: u32,
    pub order: Order,
    /// The points where threads may be preempted; `None`: everywhere.
    pub stops: Option<&'c Stops>,
    pub control: &'c Control,
    /// For what waits.
    pub blocks: Option<Arc<Blocks>>,
    pub pool: Pool,
    /// Does every switch of threads cost, also away from one that cannot go on?
    pub all_switches_cost: bool,
    /// Only states in which no thread can go on are still wanted.
    pub only_deadlocks: bool,
    /// Do threads run on while that does not matter to the others?
    pub supersteps: bool,
    /// Does a state stand for others that only look the same? Then there is one way to it.
    pub is_abstract: bool,
    /// How often in a row a thread may run out of fuel: see [`super::long_steps`].
    pub patience: u32,
    /// The most transitions to take.
    pub budget: u64,
    /// By all, as of their last looks at the clock.
    pub transitions: AtomicU64,
}

/// The run to a state, with its choices.
#[derive(Clone, Debug)]
pub struct Way {
    pub found: Found,
    pub choices: Vec<u32>,
}

impl Shared<'_> {
    /// `thread` may run from a state because it was reached in this way, too.
    pub(super) fn note_way(&self, state: StateId, thread: usize, way: &Way) {
        if !way.choices.is_empty() || !self.store.visit(state).note_again(thread, way.found) {
            self.more_ways.insert(state, thread as u32, way.clone());
        }
    }

    /// Such a way to a state for a thread, if it is not the one in which the state was found.
    pub fn way(&self, state: StateId, thread: usize) -> Option<Way> {
        self.near_way(state, thread).or_else(|| self.far_way(state, thread))
    }

    pub(super) fn near_way(&self, state: StateId, thread: usize) -> Option<Way> {
        self.store.visit(state).again(thread).map(|found| Way { found, choices: Vec::new() })
    }

    pub(super) fn far_way(&self, state: StateId, thread: usize) -> Option<Way> {
        self.more_ways.get(state, thread as u32)
    }

    /// The way in which a state was found.
    pub fn found_way(&self, state: StateId) -> Way {
        let found = self.store.visit(state).found();
        Way { found, choices: self.choices.get(state, found.level).unwrap_or_default().into_vec() }
    }

    /// The choices that led to a state on a level.
    pub fn remember(&self, state: StateId, level: u32, choices: Vec<u32>) {
        if !choices.is_empty() {
            self.choices.insert(state, level, choices.into_boxed_slice());
        }
    }

    /// Memory for all that is known of states.
    pub fn bytes(&self) -> u64 {
        self.store.bytes() + self.choices.bytes() + self.more_ways.bytes()
    }
}
