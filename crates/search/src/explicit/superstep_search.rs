//! The search with supersteps ([`crate::superstep`]): a state is expanded as a whole, with the supersteps of all
//! threads.
//!
//! Levels count preemptions of supersteps, or all switches between them, just as they count those of transitions
//! otherwise. A superstep of the thread that ran last is free on every level, and all others are at the latest on the
//! next, so that what a level finds is exactly what supersteps reach with so many preemptions or switches; as many as
//! there are in the run that is shown. But a thread cannot be interrupted inside of a superstep, and a run that is
//! covered by another may have fewer than that one; so with a bound the two searches cover different runs, and the
//! coverage says which. Without one there is no difference: the last level leaves nothing.

use super::path::Evidence;
use super::pool::Item;
use super::search::End;
use super::shared::{Shared, Way};
use super::store::{Found, StateId};
use super::worker::Worker;
use crate::superstep::{Arrival, Runner, Superstep, waiting};
use selvedge_vm::Ended;
use selvedge_vm::deadlock::Waiting;

/// In place of a thread: any thread may go on, because the one that ran cannot, or offers to give way.
const ANYBODY: usize = Item::ALL as usize;

/// Why a thread may run from a state at no cost: the first reason there was, so that each is older than what it led to.
impl Shared<'_> {
    /// The way because of which `thread` may run, or else the one in which the state was found.
    pub fn way_of_superstep(&self, state: StateId, thread: usize) -> Way {
        let found = self.found_way(state);
        let another = if found.found.thread == thread { None } else { self.other_reason(state, thread) };
        another.unwrap_or(found)
    }

    fn other_reason(&self, state: StateId, thread: usize) -> Option<Way> {
        let level = self.store.visit(state).found().level;
        // Ways with more preemptions were noted before it was found with fewer.
        let good = |way: &Way| way.found.level <= level;
        let noted = |who| self.near_way(state, who).filter(good).or_else(|| self.far_way(state, who).filter(good));
        noted(thread).or_else(|| noted(ANYBODY))
    }

    /// `thread` may run because of this, if it could not before.
    fn note_reason(&self, state: StateId, thread: usize, way: &Way) {
        if !self.is_abstract && self.other_reason(state, thread).is_none() {
            self.note_way(state, thread, way);
        }
    }
}

impl Worker<'_> {
    /// Runs all threads of a state; those that the item names go on for free.
    pub(super) fn expand_whole(&mut self, shared: &Shared<'_>, item: Item) -> Result<(), End> {
        let visit = shared.store.visit(item.state);
        // It may have been found with fewer preemptions in the meantime.
        if visit.found().level < shared.level || !visit.expand(item.bit()) {
            return Ok(());
        }
        let first = visit.expand_whole();
        let Worker { expander, cursor, .. } = self;
        let mut runner = Runner { expander, store: &shared.store, cursor, keeps_exits: true };
        let all = runner.supersteps(shared.store.root(item.state))?;
        let before = usize::from(item.thread);
        let waiting = waiting(&all);
        self.look_for_deadlock(shared, item, &waiting)?;
        let is_blocked = waiting.iter().any(|one| one.thread == before);
        if is_blocked && item.state.0 != 0 {
            shared.note_reason(item.state, ANYBODY, &shared.way_of_superstep(item.state, before));
        }
        let gave_way = item.thread == Item::ALL || is_blocked;
        for Superstep { thread, ends, wrong, .. } in all {
            let free = thread == before || gave_way && !shared.all_switches_cost;
            // The rest was expanded before, by a thread for which it was not free.
            if !free && !first {
                continue;
            }
            if let Some((last, violation)) = wrong {
                self.conclude(free, End::Found(Evidence { at: item.state, last: Some(last), violation }))?;
            }
            ends.into_iter().for_each(|end| self.arrive_at(shared, item.state, end, free));
        }
        Ok(())
    }

    /// Some of these wait for ever: best named is the one who ran.
    fn look_for_deadlock(&mut self, shared: &Shared<'_>, item: Item, waiting: &[Waiting]) -> Result<(), End> {
        if waiting.is_empty() {
            return Ok(());
        }
        self.load(shared, item.state);
        let violation = self.expander.machine.wait_for_ever(waiting, usize::from(item.thread));
        violation.map_or(Ok(()), |violation| Err(Evidence::in_state(item.state, violation)))
    }

    /// The search ends with this: now, if it is free, or else on the next level, if there is one.
    fn conclude(&mut self, free: bool, end: End) -> Result<(), End> {
        if free {
            return Err(end);
        }
        self.next_end.get_or_insert(end);
        Ok(())
    }

    /// A superstep led there.
    fn arrive_at(&mut self, shared: &Shared<'_>, from: StateId, end: Arrival, free: bool) {
        let Arrival { root, ended, leg, seen, .. } = end;
        let level = shared.level + u32::from(!free);
        let found = Found { parent: from, thread: leg.thread, length: leg.length, level };
        self.load_root(&shared.store, root);
        if ended == Ended::Exited || self.expander.machine.state.alive() == 0 {
            self.note_final();
        }
        if ended == Ended::Exited {
            return;
        }
        let (state, new) = match seen.key {
            Some(key) => shared.store.insert_as(&key, &mut self.cursor, &mut self.expander.machine.state, found),
            None => shared.store.insert_root(&mut self.cursor, root, found),
        };
        let visit = shared.store.visit(state);
        // A way to what only looks the same is none; but from here on, what does is searched on this level.
        let is_news = new || !shared.is_abstract && visit.lower(found);
        if is_news {
            shared.remember(state, level, leg.choices.clone());
        } else if visit.found().level < level {
            return;
        }
        // If every switch costs, only the thread that ran goes on for free, even if it cannot go on.
        let goes_on = shared.all_switches_cost || self.expander.machine.goes_on(leg.thread);
        let item = Item { state, thread: if goes_on { leg.thread as u8 } else { Item::ALL } };
        if !goes_on || !is_news && visit.found().thread != leg.thread {
            shared.note_reason(state, item.bit(), &Way { found, choices: leg.choices });
        }
        let list = if free { &mut self.now } else { &mut self.later };
        list.push(item, shared.order);
    }
}
