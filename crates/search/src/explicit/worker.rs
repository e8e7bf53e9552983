//! A worker of the exact search: runs threads from states, and notes where that leads.

use super::frontier::Frontier;
use super::long_steps::LongSteps;
use super::path::Evidence;
use super::pool::{self, Item};
use super::prefetch::Prefetched;
use super::search::End;
use super::shared::{Shared, Way};
use super::step_cache::{Place, Step, StepCache};
use super::store::{Cursor, Found, Root, StateId, Store};
use super::symmetry::Before;
use selvedge_engine::counterexample::Leg;
use selvedge_engine::{Progress, Task};
use selvedge_program::Reason;
use selvedge_vm::dependence::Roll;
use selvedge_vm::expand::{Expander, Expansion, Outcome, Successor};
use selvedge_vm::watch::Watch;
use selvedge_vm::{Code, Ended, Sharing};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

/// The result of a transition.
pub(super) struct Arrival<R> {
    /// The thread that led here, by its number here.
    pub thread: usize,
    pub ended: Ended,
    /// The thread's position now.
    pub pc: u32,
    pub roll: R,
}

pub struct Worker<'c> {
    pub(super) expander: Expander<'c>,
    pub(super) cursor: Cursor,
    /// Off where a caller looks at the machine after every step.
    pub(super) step_cache: Option<StepCache>,
    /// Items that cost no preemption more than the current level.
    pub now: Frontier,
    /// Items that cost one more.
    pub later: Frontier,
    /// The end of the search on the next level, if there is one.
    pub(super) next_end: Option<End>,
    pub(super) long_steps: LongSteps,
    /// The globals at each end of the process, if they are asked for.
    pub finals: Option<BTreeSet<Vec<u64>>>,
}

impl<'c> Worker<'c> {
    pub fn new(code: &'c Code<'c>, sharing: Sharing, task: &Task) -> Worker<'c> {
        let expander = Expander::new(code, sharing, Watch::new(&code.program.observers), task.max_input_values)
            .with_store_buffer(task.bounds.store_buffer);
        Worker {
            cursor: Cursor::new(&expander.machine.state, code.layout.slots),
            step_cache: expander.watch.is_none().then(StepCache::new),
            expander,
            now: Frontier::default(),
            later: Frontier::default(),
            next_end: None,
            long_steps: LongSteps::default(),
            finals: None,
        }
    }

    /// Stores the state that the machine begins with, and is to run its thread.
    pub fn begin(&mut self, shared: &Shared<'_>) -> Result<(), End> {
        let (seen, broken) = self.expander.look_at_start()?;
        let found = Found { parent: StateId(0), thread: 0, length: 0, level: 0 };
        let (state, _) = self.insert(shared, found, seen.key);
        if shared.supersteps {
            self.now.push(Item { state, thread: 0 }, shared.order);
        } else {
            self.enable(shared, state, 0, None);
        }
        broken.map_or(Ok(()), |violation| Err(Evidence::in_state(state, violation)))
    }

    /// The number of the machine's state, or of the one that stands for it under an abstraction, which says this of it;
    /// and whether it is new.
    pub(super) fn insert(&mut self, shared: &Shared<'_>, found: Found, key: Option<Vec<u64>>) -> (StateId, bool) {
        let Worker { expander, cursor, .. } = self;
        match key {
            Some(key) => shared.store.insert_as(&key, cursor, &mut expander.machine.state, found),
            None => shared.store.insert(cursor, &mut expander.machine.state, found),
        }
    }

    pub fn load(&mut self, shared: &Shared<'_>, state: StateId) {
        self.load_root(&shared.store, shared.store.root(state));
    }

    pub(super) fn load_root(&mut self, store: &Store, root: Root) {
        store.unfold(&mut self.cursor, root, &mut self.expander.machine.state);
    }

    /// Searches the current level, until no worker has work any more.
    pub fn search(&mut self, shared: &Shared<'_>) -> Result<(), End> {
        let result = self.work(shared);
        if result.is_err() {
            shared.pool.close();
        }
        self.report_transitions(shared);
        result
    }

    fn work(&mut self, shared: &Shared<'_>) -> Result<(), End> {
        let mut batch = Vec::new();
        loop {
            while self.prefetch(shared, &mut batch) {
                batch.iter().try_for_each(|next| self.see_to(shared, next))?;
                self.pause_to_look(shared)?;
                pool::share(&shared.pool, self.now.near());
                if shared.pool.is_over() {
                    return Ok(());
                }
            }
            if !shared.pool.take(self.now.near()) {
                return Ok(());
            }
        }
    }

    #[inline]
    fn see_to(&mut self, shared: &Shared<'_>, next: &Prefetched) -> Result<(), End> {
        let item = next.item;
        if let Some(step) = &next.step {
            return self.step_again(shared, next, step);
        }
        if shared.supersteps {
            return self.expand_whole(shared, item);
        }
        if item.thread == Item::ALL && self.expander.machine.symmetric && shared.store.visit(item.state).is_whole() {
            // It was passed.
            return Ok(());
        }
        let root = shared.store.root(item.state);
        if item.thread == Item::ALL {
            self.enable_all(shared, item.state, shared.store.roll(&root), None);
            return Ok(());
        }
        self.expand(shared, item.state, &root, usize::from(item.thread))
    }

    /// Runs `thread` from `state`, in all ways that its choices allow.
    fn expand(&mut self, shared: &Shared<'_>, state: StateId, root: &Root, thread: usize) -> Result<(), End> {
        let before = self.before(&shared.store, root, thread);
        let mut expansion = Expansion::new(thread, &mut self.expander);
        while let Some(outcome) =
            expansion.next(&mut self.expander, |to| shared.store.unfold(&mut self.cursor, *root, to))?
        {
            match outcome {
                Outcome::To(Successor { ended: Ended::Exited, .. }) => self.note_final(),
                Outcome::To(_) | Outcome::Wrong(_) if shared.only_deadlocks => {}
                Outcome::To(successor) => {
                    self.note_passed(shared, state, before);
                    let (ended, looks_at) = (successor.ended, self.expander.machine.looks_at());
                    let to = self.arrive(shared, state, thread, successor)?;
                    if expansion.is_only_one() {
                        let pc = self.expander.machine.state.threads[thread].pc();
                        self.note_step(root, thread, looks_at, Step::To { root: shared.store.root(to), ended, pc });
                    }
                }
                Outcome::Wrong(wrong) => {
                    let last = Some(Leg::new(thread, wrong.choices));
                    return Err(End::Found(Evidence { at: state, last, violation: wrong.violation }));
                }
                Outcome::WaitsIfNamed(ways) => self.check_names(shared, state, &ways)?,
                Outcome::Waits(waiting) => {
                    if expansion.is_only_one() {
                        self.note_blocked_step(root, thread, Place { awaits: waiting.awaits, loc: waiting.at });
                    }
                    self.note_blocked(shared, state, waiting)?;
                }
            }
        }
        Ok(())
    }

    /// With equal threads: what has to be known before a step.
    fn before(&mut self, store: &Store, root: &Root, thread: usize) -> Option<Before> {
        self.expander.machine.symmetric.then(|| {
            self.load_root(store, *root);
            Before::of(&self.expander.machine, thread)
        })
    }

    /// The machine is in a state that `thread` led to. The state's number.
    fn arrive(
        &mut self,
        shared: &Shared<'_>,
        from: StateId,
        thread: usize,
        Successor { ended, choices, seen, .. }: Successor,
    ) -> Result<StateId, End> {
        let found = Found { parent: from, thread, length: 1, level: shared.level };
        let thread = self.sort_threads(thread)?;
        let roll = Roll::of(&self.expander.machine.state);
        if roll.alive() == 0 {
            self.note_final();
        }
        let (state, new) = self.insert(shared, found, seen.key);
        let pc = self.expander.machine.state.threads[thread].pc();
        self.go_on(shared, state, new, Way { found, choices }, Arrival { thread, ended, pc, roll: || roll })?;
        Ok(state)
    }

    /// A state was found, maybe not for the first time: who may run there, and when?
    #[inline]
    pub(super) fn go_on(
        &mut self,
        shared: &Shared<'_>,
        state: StateId,
        new: bool,
        way: Way,
        Arrival { thread, ended, pc, roll }: Arrival<impl FnOnce() -> Roll>,
    ) -> Result<(), End> {
        let mut another_way = None;
        if new {
            shared.remember(state, shared.level, way.choices);
            self.look_for_race(shared, state)?;
        } else if shared.stops.is_none() && shared.store.visit(state).found().level < shared.level {
            return Ok(());
        } else if self.comes_round(shared, &way.found, state) {
            return self.note_round(shared, state, &way);
        } else if !shared.is_abstract {
            another_way = Some(way);
        }
        let another_way = another_way.as_ref();
        let gives_way = ended == Ended::Finished || self.expander.machine.yields_at(pc);
        if gives_way && !shared.all_switches_cost {
            self.enable_all(shared, state, roll(), another_way);
            return Ok(());
        }
        if ended != Ended::Finished {
            self.enable(shared, state, thread, another_way);
        }
        let news = new || shared.stops.is_some();
        let can_stop = gives_way || shared.stops.is_none_or(|stops| stops.allow(thread, pc));
        if news && can_stop && !roll().is_inside_atomic {
            self.later.push(Item { state, thread: Item::ALL }, shared.order);
        }
        Ok(())
    }

    pub(super) fn note_final(&mut self) {
        self.expander.machine.ends.normally = true;
        if let Some(finals) = &mut self.finals {
            finals.insert(self.expander.machine.state.globals.to_vec());
        }
    }

    /// `thread` may run from `state`: because of another way to it than that in which it was found, if there is one.
    #[inline]
    fn enable(&mut self, shared: &Shared<'_>, state: StateId, thread: usize, way: Option<&Way>) {
        if shared.store.visit(state).expand(thread) {
            way.iter().for_each(|way| shared.note_way(state, thread, way));
            self.run_next(shared, Item { state, thread: thread as u8 });
        }
    }

    /// Enables all threads of `state`, which has this roll.
    pub(super) fn enable_all(&mut self, shared: &Shared<'_>, state: StateId, roll: Roll, way: Option<&Way>) {
        for thread in (0..roll.threads).filter(|thread| !roll.is_finished(*thread)) {
            self.enable(shared, state, thread, way);
        }
    }

    #[inline]
    fn pause_to_look(&mut self, shared: &Shared<'_>) -> Result<(), End> {
        if self.expander.is_time_to_look() { self.look(shared) } else { Ok(()) }
    }

    fn look(&mut self, shared: &Shared<'_>) -> Result<(), End> {
        let transitions = self.report_transitions(shared);
        if transitions >= shared.budget {
            return Err(End::Stopped(Reason::Limit("enough".to_string())));
        }
        if shared.store.is_full() {
            return Err(End::Stopped(Reason::Limit("more than four billion states".to_string())));
        }
        self.check_disk()?;
        let progress = Progress {
            states: shared.store.len() as u64,
            transitions,
            preemptions: shared.level,
            frontier: (self.now.len() + self.later.len()) as u64,
            memory: shared.bytes() + self.bytes(),
            ..Progress::default()
        };
        shared.blocks.iter().for_each(|blocks| blocks.look_at_memory(progress.memory));
        shared.control.should_stop(&progress).map_or(Ok(()), |reason| Err(End::Stopped(reason)))
    }

    fn report_transitions(&mut self, shared: &Shared<'_>) -> u64 {
        let own = std::mem::take(&mut self.expander.transitions);
        shared.transitions.fetch_add(own, Ordering::Relaxed) + own
    }

    /// Did what waits get to disk, and back?
    pub fn check_disk(&self) -> Result<(), End> {
        let failure = self.now.failure().or(self.later.failure());
        failure.map_or(Ok(()), |reason| Err(End::Stopped(reason.clone())))
    }

    /// Memory for its lists and its cache.
    pub fn bytes(&self) -> u64 {
        self.now.bytes() + self.later.bytes() + self.step_cache.as_ref().map_or(0, StepCache::bytes)
    }
}
