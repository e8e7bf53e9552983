//! Looking ahead. Most of what a transition costs, if it need not be run ([`super::recall`]), is waiting for memory: for
//! the state it begins in, for the slot of the table where the next one should be, for that one. A few transitions at once
//! wait for all that together.
//!
//! So a search that is depth first follows a few branches at once, as long as it only recalls.

use super::common::{Common, Way};
use super::pool::Item;
use super::recall::{Place, Recall, Step};
use super::search::{End, Order};
use super::store::{self, DIRECT, Found, Root};
use super::worker::{Arrival, Worker};
use selvedge_vm::Machine;

/// So many at once.
const FAR: usize = 8;

/// An item, and where it leads if that is known.
#[derive(Clone, Copy)]
pub struct Ahead {
    pub item: Item,
    pub step: Option<Step>,
    /// Of the root that it leads to.
    hash: u64,
}

impl Worker<'_> {
    /// Takes one item, or some whose steps are known; false if there is none. What has to be run comes alone: then
    /// where it leads is run next, and the machine is there already.
    pub(super) fn look_ahead(&mut self, common: &Common<'_>, all: &mut Vec<Ahead>) -> bool {
        all.clear();
        if self.recall.as_ref().is_none_or(Recall::rests) {
            self.recall.iter_mut().for_each(Recall::rest);
            all.extend(self.now.pop(common.order).map(|item| Ahead { item, step: None, hash: 0 }));
            return !all.is_empty();
        }
        if common.order == Order::DepthFirst {
            self.now.newest().take(FAR).for_each(|item| common.store.expect(item.state));
        }
        while all.len() < FAR
            && let Some(item) = self.now.pop(common.order)
        {
            let recall = self.recall.as_mut();
            let thread = usize::from(item.thread);
            let step = recall.and_then(|recall| recall.look_for(&common.store.root(item.state), thread));
            let is_run = step.is_none() && (item.thread != Item::ALL || common.supersteps);
            if is_run && !all.is_empty() {
                self.now.put_back(item, common.order);
                break;
            }
            let mut hash = 0;
            if let Some(Step::To { root, .. }) = &step {
                hash = store::hash(root);
                common.store.expect_root(hash);
            }
            all.push(Ahead { item, step, hash });
            if is_run {
                break;
            }
        }
        if all.len() > 1 {
            all.iter().filter(|ahead| ahead.hash != 0).for_each(|ahead| common.store.expect_state(ahead.hash));
        }
        if common.order == Order::DepthFirst {
            // What comes from the first is to be gone into first.
            all.reverse();
        }
        !all.is_empty()
    }

    /// What `thread` did from a state before, it does again.
    #[inline]
    pub(super) fn step_again(&mut self, common: &Common<'_>, ahead: &Ahead, step: &Step) -> Result<(), End> {
        let (state, thread) = (ahead.item.state, usize::from(ahead.item.thread));
        self.transitions += 1;
        self.work += Machine::<super::choices::Choices>::LEAST_EFFORT;
        let (root, ended, pc) = match step {
            Step::To { root, ended, pc } => (*root, *ended, *pc),
            Step::Blocked(place) => {
                let Some(Place { awaits, loc }) = self.recall.as_ref().map(|recall| recall.place(*place)) else {
                    return Ok(());
                };
                self.machine.stopped_at = loc;
                return self.note_blocked(common, state, thread, awaits);
            }
        };
        if common.only_deadlocks {
            return Ok(());
        }
        if self.finals.is_some() && common.store.roll(&root).alive() == 0 {
            self.load_root(&common.store, root);
            self.note_final();
        }
        let found = Found { parent: state, thread, length: 1, level: common.level };
        let (state, new) = common.store.insert_hashed(&mut self.cursor, root, ahead.hash, found);
        let way = Way { found, choices: Vec::new() };
        self.go_on(common, state, new, way, Arrival { thread, ended, pc, roll: || common.store.roll(&root) });
        Ok(())
    }

    /// The machine has run `thread` from a state, in the only way there is: that need not be done again.
    pub(super) fn note_step(&mut self, from: &Root, thread: usize, step: Step) {
        if let Some(recall) = self.recall.as_mut().filter(|recall| !recall.rests())
            && let Some(looks_at) = self.machine.looks_at()
            && self.machine.state.threads.len() <= DIRECT
        {
            recall.note(from, thread, looks_at, step);
        }
    }

    /// The same if it is blocked.
    pub(super) fn note_blocked_step(&mut self, from: &Root, thread: usize, place: Place) {
        let place = self.recall.as_mut().and_then(|recall| recall.number(place));
        place.into_iter().for_each(|place| self.note_step(from, thread, Step::Blocked(place)));
    }
}
