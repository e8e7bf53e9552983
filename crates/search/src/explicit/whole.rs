//! The search with supersteps ([`crate::superstep`]): a state is expanded as a whole, with the supersteps of all threads.
//!
//! Levels count preemptions of supersteps, or all switches between them, just as they count those of transitions
//! otherwise. A superstep of the thread that ran last is free on every level, and all others are at the latest on the next,
//! so that what a level finds is exactly what supersteps reach with so many preemptions or switches; as many as there
//! are in the run that is shown. But a thread cannot be interrupted inside of a superstep, and a run that is covered by
//! another may have fewer than that one; so with a bound the two searches cover different runs, and the coverage
//! says which. Without one there is no difference: the last level leaves nothing.

use super::common::{Common, Way};
use super::deadlock::waits_for_ever;
use super::pool::Item;
use super::search::End;
use super::store::{Found, StateId};
use super::worker::Worker;
use crate::superstep::{Arrival, Runner, Stop, Superstep, Wrong, waiting};
use selvedge_vm::Ended;

/// In place of a thread: whoever likes may go on, for who ran cannot, or does not want to.
const ANYBODY: usize = Item::ALL as usize;

/// Why a thread may run from a state at no cost: the first reason there was, so that each is older than what it led to.
impl Common<'_> {
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

impl From<Stop> for End {
    fn from(stop: Stop) -> End {
        match stop {
            Stop::Shared => End::Shared,
            Stop::GaveUp(reason) => End::Stopped(reason),
        }
    }
}

impl Worker<'_> {
    /// Runs all threads of a state; those that the item names go on for free.
    pub(super) fn expand_whole(&mut self, common: &Common<'_>, item: Item) -> Result<(), End> {
        let visit = common.store.visit(item.state);
        // It may have been found with fewer preemptions in the meantime.
        if visit.found().level < common.level || !visit.expand(item.bit()) {
            return Ok(());
        }
        let first = visit.expand_whole();
        let root = common.store.root(item.state);
        let Worker { machine, watch, cursor, transitions, .. } = self;
        let mut runner = Runner { machine, store: &common.store, cursor, watch: watch.as_mut(), transitions };
        let all = runner.supersteps(root)?;
        self.look_for_deadlock(common, item, &all)?;
        let before = usize::from(item.thread);
        let is_blocked = all.iter().any(|step| step.thread == before && step.blocked);
        if is_blocked && item.state.0 != 0 {
            common.note_reason(item.state, ANYBODY, &common.way_of_superstep(item.state, before));
        }
        let gave_way = item.thread == Item::ALL || is_blocked;
        for Superstep { thread, ends, wrong, .. } in all {
            let free = thread == before || gave_way && !common.all_switches_cost;
            // Somebody for whom it was not free has seen to the rest before.
            if !free && !first {
                continue;
            }
            if let Some(Wrong { choices, violation }) = wrong {
                self.conclude(free, End::Found { at: item.state, thread, choices: Some(choices), violation })?;
            }
            for end in ends {
                self.arrive_at(common, item.state, thread, end, free)?;
            }
        }
        Ok(())
    }

    /// Somebody who waits for ever: best the one who ran.
    fn look_for_deadlock(&mut self, common: &Common<'_>, item: Item, all: &[Superstep]) -> Result<(), End> {
        let waiting = waiting(all);
        if !self.deadlocks_matter() || waiting.is_empty() {
            return Ok(());
        }
        self.load(common, item.state);
        let doomed = self.machine.state.doomed(&waiting);
        let mut stuck = all.iter().filter(|step| doomed >> step.thread & 1 == 1);
        let ran = stuck.clone().find(|step| step.thread == usize::from(item.thread));
        let step = ran.or_else(|| stuck.next());
        step.map_or(Ok(()), |step| Err(waits_for_ever(item.state, step.thread, step.stopped_at)))
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
    fn arrive_at(
        &mut self,
        common: &Common<'_>,
        from: StateId,
        thread: usize,
        end: Arrival,
        free: bool,
    ) -> Result<(), End> {
        let Arrival { root, ended, choices, length, seen } = end;
        let level = common.level + u32::from(!free);
        let found = Found { parent: from, thread, length, level };
        self.load_root(&common.store, root);
        if ended == Ended::Exited || self.machine.state.alive() == 0 {
            self.note_final();
        }
        // Under an abstraction it may stand for another state, in which the invariant holds.
        let (state, new) = match seen.key.filter(|_| seen.broken.is_none()) {
            _ if ended == Ended::Exited && seen.broken.is_none() => return Ok(()),
            Some(key) => self.insert_as(common, &key, found),
            None => common.store.insert_root(&mut self.cursor, root, found),
        };
        let visit = common.store.visit(state);
        // A way to what only looks the same is none; but from here on, what does is searched on this level.
        let is_news = new || !common.is_abstract && visit.lower(found);
        if is_news {
            common.remember(state, level, choices.clone());
        }
        if let Some(violation) = seen.broken {
            return self
                .conclude(free, End::Found { at: state, thread, choices: None, violation: Box::new(violation) });
        }
        if !is_news && visit.found().level < level {
            return Ok(());
        }
        // Where every switch costs, nobody goes on for free but who ran, also if that one cannot.
        let goes_on = common.all_switches_cost || ended != Ended::Finished && !self.yields(thread);
        let item = Item { state, thread: if goes_on { thread as u8 } else { Item::ALL } };
        if !goes_on || !is_news && visit.found().thread != thread {
            common.note_reason(state, item.bit(), &Way { found, choices });
        }
        if free {
            self.now.push(item, common.order);
        } else {
            self.later.push(item, common.order);
        }
        Ok(())
    }
}
