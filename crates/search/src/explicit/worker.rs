//! One of those who search: runs threads from states, and notes where that leads.

use super::ahead::Ahead;
use super::choices::Choices;
use super::common::{Common, Way};
use super::frontier::Frontier;
use super::long_steps::LongSteps;
use super::pool::Item;
use super::recall::{Place, Recall, Step};
use super::search::End;
use super::store::{Cursor, Found, Root, StateId, Store};
use super::symmetry::Before;
use selvedge_engine::{Progress, Task};
use selvedge_program::Reason;
use selvedge_vm::dependence::Roll;
use selvedge_vm::watch::Watch;
use selvedge_vm::ways::{self, Ways};
use selvedge_vm::{Code, Ended, Machine, Sharing};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

/// Effort between two looks at the clock.
const PATIENCE: usize = 1 << 18;

/// Where a transition led.
pub(super) struct Arrival<R> {
    /// The thread that led here, by its number here.
    pub thread: usize,
    pub ended: Ended,
    /// Where the thread is now.
    pub pc: u32,
    pub roll: R,
}

pub struct Worker<'c> {
    pub machine: Machine<'c, Choices>,
    /// Functions that observe the program, if there are any.
    pub(super) watch: Option<Watch>,
    pub(super) cursor: Cursor,
    /// What was done before; not where somebody wants to look at the machine after every step.
    pub(super) recall: Option<Recall>,
    /// What costs no preemption more than the current level.
    pub now: Frontier,
    /// What costs one more.
    pub later: Frontier,
    /// What the search will end with on the next level, if there is one.
    pub(super) next_end: Option<End>,
    pub(super) long_steps: LongSteps,
    /// What the globals were when the process ended, if somebody wants to know.
    pub finals: Option<BTreeSet<Vec<u64>>>,
    /// Since the last look at the clock.
    pub(super) transitions: u64,
    pub(super) work: usize,
}

impl<'c> Worker<'c> {
    pub fn new(code: &'c Code<'c>, sharing: Sharing, task: &Task) -> Worker<'c> {
        let machine = Machine::new(code, sharing, Choices::default(), task.max_input_values);
        let watch = Watch::new(&code.program.observers);
        Worker {
            cursor: Cursor::new(&machine.state, code.layout.slots),
            machine,
            recall: watch.is_none().then(Recall::new),
            watch,
            now: Frontier::default(),
            later: Frontier::default(),
            next_end: None,
            long_steps: LongSteps::default(),
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
            self.now.push(Item { state: root, thread: 0 }, common.order);
        } else {
            self.enable(common, root, 0, None);
        }
        // With a function that comes first, the beginning is behind it.
        let begins = self.machine.code.program.observers.init.is_none();
        if begins { self.ask_observers(root, 0, false) } else { Ok(()) }
    }

    /// The number of the machine's state, and whether it is new.
    pub(super) fn insert(&mut self, common: &Common<'_>, found: Found) -> Result<(StateId, bool), End> {
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
        let mut ahead = Vec::new();
        loop {
            while self.look_ahead(common, &mut ahead) {
                ahead.iter().try_for_each(|ahead| self.see_to(common, ahead))?;
                self.pause_to_look(common)?;
                common.pool.share(self.now.near());
                if common.pool.is_over() {
                    return Ok(());
                }
            }
            if !common.pool.take(self.now.near()) {
                return Ok(());
            }
        }
    }

    #[inline]
    fn see_to(&mut self, common: &Common<'_>, ahead: &Ahead) -> Result<(), End> {
        let item = ahead.item;
        if let Some(step) = &ahead.step {
            return self.step_again(common, ahead, step);
        }
        if common.supersteps {
            self.work += self.machine.effort();
            return self.expand_whole(common, item);
        }
        if item.thread == Item::ALL && self.machine.symmetric && common.store.visit(item.state).is_whole() {
            // It was passed.
            return Ok(());
        }
        let root = common.store.root(item.state);
        if item.thread == Item::ALL {
            self.enable_all(common, item.state, common.store.roll(&root), None);
            return Ok(());
        }
        self.expand(common, item.state, &root, usize::from(item.thread))
    }

    /// Runs `thread` from `state`, in all ways that its choices allow.
    fn expand(&mut self, common: &Common<'_>, state: StateId, root: &Root, thread: usize) -> Result<(), End> {
        let mut ways = Ways::new(thread, &mut self.machine);
        while ways.is_left(&mut self.machine) {
            self.load_root(&common.store, *root);
            self.transitions += 1;
            let before = Before::of(&self.machine, thread);
            let way = ways.run(&mut self.machine);
            self.work += self.machine.effort();
            self.note_length_of_step();
            match way {
                ways::Way::Nowhere => {}
                ways::Way::To(Ended::Exited) => {
                    self.ask_observers(state, thread, true)?;
                    self.note_final();
                }
                ways::Way::To(ended) => {
                    self.ask_observers(state, thread, true)?;
                    self.note_passed(common, state, before);
                    let to = self.arrive(common, state, thread, ended, None)?;
                    if ways.is_only_one() && !common.only_deadlocks {
                        let pc = self.machine.state.threads[thread].pc();
                        self.note_step(root, thread, Step::To { root: common.store.root(to), ended, pc });
                    }
                }
                ways::Way::Violation(_) if common.only_deadlocks => {}
                ways::Way::Violation(violation) => {
                    let choices = Some(self.machine.oracle.path());
                    return Err(End::Found { at: state, thread, choices, violation });
                }
                ways::Way::Learnt => return Err(End::Shared),
            }
        }
        self.check_names(common, state, thread, &ways.named)?;
        if let Some(awaits) = ways.awaits() {
            if ways.is_only_one() {
                self.note_blocked_step(root, thread, Place { awaits, loc: self.machine.stopped_at });
            }
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

    /// The machine is in a state that `thread` led to; by these choices, or else those of the last run. The state's
    /// number, if it is one of those that are wanted.
    fn arrive(
        &mut self,
        common: &Common<'_>,
        from: StateId,
        thread: usize,
        ended: Ended,
        choices: Option<Vec<u32>>,
    ) -> Result<StateId, End> {
        if common.only_deadlocks {
            return Ok(from);
        }
        let found = Found { parent: from, thread, length: 1, level: common.level };
        let thread = self.sort_threads(thread)?;
        let roll = Roll::of(&self.machine.state);
        if roll.alive() == 0 {
            self.note_final();
        }
        let (state, new) = self.insert(common, found)?;
        // Observers may have chosen, too.
        let choices = choices.unwrap_or_else(|| self.machine.oracle.path());
        let pc = self.machine.state.threads[thread].pc();
        self.go_on(common, state, new, Way { found, choices }, Arrival { thread, ended, pc, roll: || roll });
        Ok(state)
    }

    /// A state was found, maybe not for the first time: who may run there, and when?
    #[inline]
    pub(super) fn go_on(
        &mut self,
        common: &Common<'_>,
        state: StateId,
        new: bool,
        way: Way,
        Arrival { thread, ended, pc, roll }: Arrival<impl FnOnce() -> Roll>,
    ) {
        let mut another_way = None;
        if new {
            common.remember(state, common.level, way.choices);
        } else if common.stops.is_none() && common.store.visit(state).found().level < common.level {
            return;
        } else if !common.is_abstract {
            another_way = Some(way);
        }
        let another_way = another_way.as_ref();
        let gives_way = ended == Ended::Finished || self.yields_at(pc);
        if gives_way && !common.all_switches_cost {
            self.enable_all(common, state, roll(), another_way);
            return;
        }
        if ended != Ended::Finished {
            self.enable(common, state, thread, another_way);
        }
        let news = new || common.stops.is_some();
        let can_stop = gives_way || common.stops.is_none_or(|stops| stops.allow(thread, pc));
        if news && can_stop && !roll().is_inside_atomic {
            self.later.push(Item { state, thread: Item::ALL }, common.order);
        }
    }

    pub(super) fn note_final(&mut self) {
        self.machine.ends.normally = true;
        if let Some(finals) = &mut self.finals {
            finals.insert(self.machine.state.globals.to_vec());
        }
    }

    /// Does the thread offer to give way?
    pub(super) fn yields(&self, thread: usize) -> bool {
        crate::superstep::yields(&self.machine, thread)
    }

    #[inline]
    fn yields_at(&self, pc: u32) -> bool {
        crate::superstep::yields_at(&self.machine, pc)
    }

    /// `thread` may run from `state`: because of another way to it than that in which it was found, if there is one.
    #[inline]
    fn enable(&mut self, common: &Common<'_>, state: StateId, thread: usize, way: Option<&Way>) {
        if common.store.visit(state).expand(thread) {
            way.iter().for_each(|way| common.note_way(state, thread, way));
            self.run_next(common, Item { state, thread: thread as u8 });
        }
    }

    /// Enables all threads of `state`, which has this roll.
    pub(super) fn enable_all(&mut self, common: &Common<'_>, state: StateId, roll: Roll, way: Option<&Way>) {
        for thread in (0..roll.threads).filter(|thread| !roll.is_finished(*thread)) {
            self.enable(common, state, thread, way);
        }
    }

    #[inline]
    fn pause_to_look(&mut self, common: &Common<'_>) -> Result<(), End> {
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
        self.check_disk()?;
        let progress = Progress {
            states: common.store.len() as u64,
            transitions,
            preemptions: common.level,
            frontier: (self.now.len() + self.later.len()) as u64,
            memory: common.bytes() + self.bytes(),
            ..Progress::default()
        };
        common.blocks.iter().for_each(|blocks| blocks.look_at_memory(progress.memory));
        common.control.should_stop(&progress).map_or(Ok(()), |reason| Err(End::Stopped(reason)))
    }

    fn tell_transitions(&mut self, common: &Common<'_>) -> u64 {
        let own = std::mem::take(&mut self.transitions);
        common.transitions.fetch_add(own, Ordering::Relaxed) + own
    }

    /// Did what waits get to disk, and back?
    pub fn check_disk(&self) -> Result<(), End> {
        let failure = self.now.failure().or(self.later.failure());
        failure.map_or(Ok(()), |reason| Err(End::Stopped(reason.clone())))
    }

    /// What its lists take, and what it recalls.
    pub fn bytes(&self) -> u64 {
        self.now.bytes() + self.later.bytes() + self.recall.as_ref().map_or(0, Recall::bytes)
    }
}
