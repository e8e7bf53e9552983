//! Prefetching. Most of what a transition costs, if it need not be run ([`super::step_cache`]), is waiting for memory:
//! for the state it begins in, for the slot of the table where the next one should be, for that one. A few transitions
//! at once wait for all that together.
//!
//! A search that is depth first therefore follows a few branches at once, as long as its steps are cached.

use super::pool::Item;
use super::search::{End, Order};
use super::shared::{Shared, Way};
use super::step_cache::{Place, Step, StepCache};
use super::store::{self, DIRECT, Found, Root};
use super::worker::{Arrival, Worker};
use selvedge_vm::Machine;
use selvedge_vm::choices::Choices;
use selvedge_vm::deadlock::{Threads, Waiting};

/// Items that are prefetched at once.
const FAR: usize = 8;

/// An item, and where it leads if that is known.
#[derive(Clone, Copy)]
pub struct Prefetched {
    pub item: Item,
    pub step: Option<Step>,
    /// The hash of the root that it leads to.
    hash: u64,
}

impl Worker<'_> {
    /// Takes one item, or some whose steps are known; false if there is none. What has to be run comes alone: then
    /// where it leads is run next, and the machine is there already.
    pub(super) fn prefetch(&mut self, shared: &Shared<'_>, all: &mut Vec<Prefetched>) -> bool {
        all.clear();
        if self.step_cache.as_ref().is_none_or(StepCache::rests) {
            self.step_cache.iter_mut().for_each(StepCache::rest);
            all.extend(self.now.pop(shared.order).map(|item| Prefetched { item, step: None, hash: 0 }));
            return !all.is_empty();
        }
        if shared.order == Order::DepthFirst {
            self.now.newest().take(FAR).for_each(|item| shared.store.expect(item.state));
        }
        while all.len() < FAR
            && let Some(item) = self.now.pop(shared.order)
        {
            let step_cache = self.step_cache.as_mut();
            let thread = usize::from(item.thread);
            let step = step_cache.and_then(|step_cache| step_cache.look_for(&shared.store.root(item.state), thread));
            let is_run = step.is_none() && (item.thread != Item::ALL || shared.supersteps);
            if is_run && !all.is_empty() {
                self.now.put_back(item, shared.order);
                break;
            }
            let mut hash = 0;
            if let Some(Step::To { root, .. }) = &step {
                hash = store::hash(root);
                shared.store.expect_root(hash);
            }
            all.push(Prefetched { item, step, hash });
            if is_run {
                break;
            }
        }
        if all.len() > 1 {
            all.iter().filter(|next| next.hash != 0).for_each(|next| shared.store.expect_state(next.hash));
        }
        if shared.order == Order::DepthFirst {
            // The successors of the first item come first.
            all.reverse();
        }
        !all.is_empty()
    }

    /// Takes a step from the cache instead of running it.
    #[inline]
    pub(super) fn step_again(&mut self, shared: &Shared<'_>, next: &Prefetched, step: &Step) -> Result<(), End> {
        let (state, thread) = (next.item.state, usize::from(next.item.thread));
        self.expander.transitions += 1;
        self.expander.effort += Machine::<Choices>::LEAST_EFFORT;
        let (root, ended, pc) = match step {
            Step::To { root, ended, pc } => (*root, *ended, *pc),
            Step::Blocked(place) => {
                let Some(Place { awaits, loc }) = self.step_cache.as_ref().map(|step_cache| step_cache.place(*place))
                else {
                    return Ok(());
                };
                return self.note_blocked(shared, state, Waiting { thread, awaits, for_store: false, at: loc });
            }
        };
        if shared.only_deadlocks {
            return Ok(());
        }
        if self.finals.is_some() && shared.store.roll(&root).alive() == 0 {
            self.load_root(&shared.store, root);
            self.note_final();
        }
        let found = Found { parent: state, thread, length: 1, level: shared.level };
        let (state, new) = shared.store.insert_hashed(&mut self.cursor, root, next.hash, found);
        let way = Way { found, choices: Vec::new() };
        self.go_on(shared, state, new, way, Arrival { thread, ended, pc, roll: || shared.store.roll(&root) })
    }

    /// The machine has run `thread` from a state, in the only way there is: that need not be done again.
    /// `looks_at`: whom it looked at, if that is known.
    pub(super) fn note_step(&mut self, from: &Root, thread: usize, looks_at: Option<Threads>, step: Step) {
        if let Some(step_cache) = self.step_cache.as_mut().filter(|step_cache| !step_cache.rests())
            && let Some(looks_at) = looks_at
            && self.expander.machine.state.threads.len() <= DIRECT
        {
            step_cache.note(from, thread, looks_at, step);
        }
    }

    /// It is blocked, in the only way there is.
    pub(super) fn note_blocked_step(&mut self, from: &Root, thread: usize, place: Place) {
        let place = self.step_cache.as_mut().and_then(|step_cache| step_cache.number(place));
        let looks_at = self.expander.machine.looks_at();
        place.into_iter().for_each(|place| self.note_step(from, thread, looks_at, Step::Blocked(place)));
    }
}
