//! One of those who search: runs threads from states, and notes where that leads.

use super::choices::Choices;
use super::instances::Stops;
use super::pool::{Item, Pool};
use super::search::{End, Order};
use super::store::{Cursor, Found, Root, StateId, Store};
use crate::watch::Watch;
use crate::{Control, Progress, Task};
use selvedge_program::Reason;
use selvedge_vm::ways::{self, Ways};
use selvedge_vm::{Code, Ended, Machine, Sharing};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Effort between two looks at the clock.
const PATIENCE: usize = 1 << 18;

/// What all workers of a search share.
pub struct Common<'c> {
    pub store: Store,
    /// The choices that led to states on the levels they were found on, where there were any.
    pub choices: Mutex<HashMap<(StateId, u32), Vec<u32>>>,
    /// Ways to states because of which a thread may run there, beyond the one that is noted with the state.
    pub more_ways: Mutex<HashMap<(StateId, usize), Way>>,
    pub level: u32,
    pub order: Order,
    /// Where threads may be preempted, if not everywhere.
    pub stops: Option<&'c Stops>,
    pub control: &'c Control,
    pub pool: Pool,
    /// Does every switch of threads cost, also away from one that cannot go on?
    pub all_switches_cost: bool,
    /// Nothing is wanted any more but states in which nobody can go on.
    pub only_deadlocks: bool,
    /// Do threads run on while that does not matter to the others?
    pub supersteps: bool,
    /// Does a state stand for others that only look the same? Then there is one way to it.
    pub is_abstract: bool,
    /// The most transitions to take.
    pub budget: u64,
    /// By all, as of their last looks at the clock.
    pub transitions: AtomicU64,
}

/// How a state was reached, and with which choices.
#[derive(Clone, Debug)]
pub struct Way {
    pub found: Found,
    pub choices: Vec<u32>,
}

impl Common<'_> {
    /// `thread` may run from a state because it was reached in this way, too.
    pub(super) fn note_way(&self, state: StateId, thread: usize, way: &Way) {
        if !way.choices.is_empty() || !self.store.visit(state).note_again(thread, way.found) {
            self.more_ways.lock().unwrap_or_else(PoisonError::into_inner).insert((state, thread), way.clone());
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
        self.more_ways.lock().unwrap_or_else(PoisonError::into_inner).get(&(state, thread)).cloned()
    }

    /// The way in which a state was found.
    pub fn found_way(&self, state: StateId) -> Way {
        let found = self.store.visit(state).found();
        let choices = self.choices.lock().unwrap_or_else(PoisonError::into_inner);
        Way { found, choices: choices.get(&(state, found.level)).cloned().unwrap_or_default() }
    }

    /// The choices that led to a state on a level.
    pub fn remember(&self, state: StateId, level: u32, choices: Vec<u32>) {
        if !choices.is_empty() {
            self.choices.lock().unwrap_or_else(PoisonError::into_inner).insert((state, level), choices);
        }
    }
}

pub struct Worker<'c> {
    pub machine: Machine<'c, Choices>,
    /// Functions that observe the program, if there are any.
    pub(super) watch: Option<Watch>,
    pub(super) cursor: Cursor,
    /// What costs no preemption more than the current level.
    pub now: VecDeque<Item>,
    /// What costs one more.
    pub later: Vec<Item>,
    /// What the search will end with on the next level, if there is one.
    pub(super) next_end: Option<End>,
    /// What the globals were when the process ended, if somebody wants to know.
    pub finals: Option<BTreeSet<Vec<u64>>>,
    /// Since the last look at the clock.
    pub(super) transitions: u64,
    work: usize,
}

impl<'c> Worker<'c> {
    pub fn new(code: &'c Code<'c>, sharing: Sharing, task: &Task) -> Worker<'c> {
        let machine = Machine::new(code, sharing, Choices::default(), task.max_input_values);
        Worker {
            cursor: Cursor::new(&machine.state),
            machine,
            watch: Watch::new(&code.program.observers),
            now: VecDeque::new(),
            later: Vec::new(),
            next_end: None,
            finals: None,
            transitions: 0,
            work: 0,
        }
    }

    /// Stores the state that the machine begins with, and is to run its thread.
    pub fn begin(&mut self, common: &Common<'_>) -> Result<(), End> {
        let found = Found { parent: StateId(0), thread: 0, length: 0, level: 0 };
        let (root, _) = self.insert(common, found)?;
        if common.supersteps {
            self.now.push_back(Item { state: root, thread: 0 });
        } else {
            self.enable(common, root, 0, None);
        }
        // With a function that comes first, the beginning is behind it.
        let begins = self.machine.code.program.observers.init.is_none();
        if begins { self.ask_observers(root, 0, false) } else { Ok(()) }
    }

    /// The number of the machine's state, and whether it is new.
    fn insert(&mut self, common: &Common<'_>, found: Found) -> Result<(StateId, bool), End> {
        let Worker { machine, watch, cursor, .. } = self;
        let Some(watch) = watch else { return Ok(common.store.insert(cursor, &mut machine.state, found)) };
        let key = watch.key(machine).map_err(End::Stopped)?;
        if machine.sharing.grew {
            return Err(End::Shared);
        }
        Ok(match key {
            Some(key) => common.store.insert_as(key, cursor, &mut machine.state, found),
            None => common.store.insert(cursor, &mut machine.state, found),
        })
    }

    /// The number of the state that stands for the machine's under an abstraction, which says this of it, and whether it
    /// is new.
    pub(super) fn insert_as(&mut self, common: &Common<'_>, key: &[u64], found: Found) -> (StateId, bool) {
        common.store.insert_as(key, &mut self.cursor, &mut self.machine.state, found)
    }

    /// Does the machine's state, to which a step of `thread` from `at` led (or no step), break an invariant?
    fn ask_observers(&mut self, at: StateId, thread: usize, was_step: bool) -> Result<(), End> {
        let Some(watch) = &mut self.watch else { return Ok(()) };
        let broken = watch.broken(&mut self.machine, thread).map_err(End::Stopped)?;
        if self.machine.sharing.grew {
            return Err(End::Shared);
        }
        let choices = was_step.then(|| self.machine.oracle.path());
        broken.map_or(Ok(()), |violation| Err(End::Found { at, thread, choices, violation: Box::new(violation) }))
    }

    pub fn load(&mut self, common: &Common<'_>, state: StateId) {
        self.load_root(&common.store, common.store.root(state));
    }

    pub(super) fn load_root(&mut self, store: &Store, root: Root) {
        store.unfold(&mut self.cursor, root, &mut self.machine.state);
    }

    /// Keeps the state that the machine is in.
    pub(super) fn keep(&mut self, store: &Store) -> Root {
        store.fold(&mut self.cursor, &mut self.machine.state)
    }

    /// Searches the current level, until nobody has work any more.
    pub fn search(&mut self, common: &Common<'_>) -> Result<(), End> {
        let result = self.work(common);
        if result.is_err() {
            common.pool.close();
        }
        self.tell_transitions(common);
        result
    }

    fn work(&mut self, common: &Common<'_>) -> Result<(), End> {
        loop {
            while let Some(item) = self.next(common.order) {
                if common.supersteps {
                    self.expand_whole(common, item)?;
                } else if item.thread == Item::ALL {
                    self.load(common, item.state);
                    self.enable_all(common, item.state, None);
                } else {
                    self.expand(common, item.state, usize::from(item.thread))?;
                }
                self.pause_to_look(common)?;
                common.pool.share(&mut self.now);
                if common.pool.is_over() {
                    return Ok(());
                }
            }
            if !common.pool.take(&mut self.now) {
                return Ok(());
            }
        }
    }

    fn next(&mut self, order: Order) -> Option<Item> {
        match order {
            Order::DepthFirst => self.now.pop_back(),
            Order::BreadthFirst => self.now.pop_front(),
        }
    }

    /// Runs `thread` from `state`, in all ways that its choices allow.
    fn expand(&mut self, common: &Common<'_>, state: StateId, thread: usize) -> Result<(), End> {
        let mut ways = Ways::new(thread, &mut self.machine);
        while ways.is_left(&mut self.machine) {
            self.load(common, state);
            self.transitions += 1;
            match ways.run(&mut self.machine) {
                ways::Way::Nowhere => {}
                ways::Way::To(Ended::Exited) => {
                    self.ask_observers(state, thread, true)?;
                    self.note_final();
                }
                ways::Way::To(ended) => {
                    self.ask_observers(state, thread, true)?;
                    self.arrive(common, state, thread, ended, None)?;
                }
                ways::Way::Violation(_) if common.only_deadlocks => {}
                ways::Way::Violation(violation) => {
                    let choices = Some(self.machine.oracle.path());
                    return Err(End::Found { at: state, thread, choices, violation });
                }
                ways::Way::Learnt => return Err(End::Shared),
            }
        }
        if let Some(awaits) = ways.awaits() {
            return self.note_blocked(common, state, thread, awaits);
        }
        for way in ways.blocked() {
            self.machine.oracle.reset();
            self.load(common, state);
            way.enter(&mut self.machine.state);
            self.arrive(common, state, thread, Ended::Paused, Some(way.choices))?;
        }
        Ok(())
    }

    /// The machine is in a state that `thread` led to; by these choices, or else those of the last run.
    fn arrive(
        &mut self,
        common: &Common<'_>,
        from: StateId,
        thread: usize,
        ended: Ended,
        choices: Option<Vec<u32>>,
    ) -> Result<(), End> {
        if common.only_deadlocks {
            return Ok(());
        }
        if ended == Ended::Finished && self.machine.state.alive() == 0 {
            self.note_final();
        }
        let found = Found { parent: from, thread, length: 1, level: common.level };
        let (state, new) = self.insert(common, found)?;
        // Observers may have chosen, too.
        let choices = choices.unwrap_or_else(|| self.machine.oracle.path());
        let mut another_way = None;
        if new {
            common.remember(state, common.level, choices);
        } else if common.stops.is_none() && common.store.visit(state).found().level < common.level {
            return Ok(());
        } else if !common.is_abstract {
            another_way = Some(Way { found, choices });
        }
        let another_way = another_way.as_ref();
        let gives_way = ended == Ended::Finished || self.yields(thread);
        if gives_way && !common.all_switches_cost {
            self.enable_all(common, state, another_way);
            return Ok(());
        }
        if ended != Ended::Finished {
            self.enable(common, state, thread, another_way);
        }
        let news = new || common.stops.is_some();
        let can_stop = gives_way || self.may_be_preempted(common, thread);
        if news && can_stop && self.machine.state.inside_atomic().is_none() {
            self.later.push(Item { state, thread: Item::ALL });
        }
        Ok(())
    }

    fn may_be_preempted(&self, common: &Common<'_>, thread: usize) -> bool {
        common.stops.is_none_or(|stops| stops.allow(thread, self.machine.state.threads[thread].pc()))
    }

    pub(super) fn note_final(&mut self) {
        if let Some(finals) = &mut self.finals {
            finals.insert(self.machine.state.globals.to_vec());
        }
    }

    /// Does the thread offer to give way?
    pub(super) fn yields(&self, thread: usize) -> bool {
        crate::superstep::yields(&self.machine, thread)
    }

    /// `thread` may run from `state`: because of another way to it than that in which it was found, if there is one.
    #[inline]
    fn enable(&mut self, common: &Common<'_>, state: StateId, thread: usize, way: Option<&Way>) {
        if common.store.visit(state).expand(thread) {
            way.iter().for_each(|way| common.note_way(state, thread, way));
            self.now.push_back(Item { state, thread: thread as u8 });
        }
    }

    /// Enables all threads of `state`, which the machine is in.
    pub(super) fn enable_all(&mut self, common: &Common<'_>, state: StateId, way: Option<&Way>) {
        for thread in 0..self.machine.state.threads.len() {
            if !self.machine.state.threads[thread].is_finished() {
                self.enable(common, state, thread, way);
            }
        }
    }

    #[inline]
    fn pause_to_look(&mut self, common: &Common<'_>) -> Result<(), End> {
        self.work += self.machine.effort();
        if self.work < PATIENCE { Ok(()) } else { self.look(common) }
    }

    fn look(&mut self, common: &Common<'_>) -> Result<(), End> {
        self.work = 0;
        let transitions = self.tell_transitions(common);
        if transitions >= common.budget {
            return Err(End::Stopped(Reason::Limit("enough".to_string())));
        }
        if common.store.is_full() {
            return Err(End::Stopped(Reason::Limit("more than four billion states".to_string())));
        }
        let progress = Progress {
            states: common.store.len() as u64,
            transitions,
            preemptions: common.level,
            frontier: (self.now.len() + self.later.len()) as u64,
            memory: common.store.bytes() + self.bytes(),
            ..Progress::default()
        };
        common.control.should_stop(&progress).map_or(Ok(()), |reason| Err(End::Stopped(reason)))
    }

    fn tell_transitions(&mut self, common: &Common<'_>) -> u64 {
        let own = std::mem::take(&mut self.transitions);
        common.transitions.fetch_add(own, Ordering::Relaxed) + own
    }

    /// What its lists take.
    pub fn bytes(&self) -> u64 {
        ((self.now.capacity() + self.later.capacity()) * size_of::<Item>()) as u64
    }
}
