//! A search that takes states for one that differ only in which of several equal threads is where:
//! [`selvedge_vm::symmetry`] says when that is so.
//!
//! Two things are peculiar to it.
//!
//! *Creation.* Threads are twins only if all were created before the first took a step, and a search tries all else,
//! too. So a state from which a thread creates another, and does nothing that anybody could notice, is *passed*: nobody
//! else is run there, for what they do commutes with the creation, and can as well be done after it, with no more
//! preemptions. Threads can only become more, so no thread is passed over for ever.
//!
//! *Names.* A thread that waits for one of the twins waits in some of the ways to give its name, and not in others. In
//! the latter it goes on; the former are looked at here, for they may be deadlocks.
//!
//! A path through such states is not a run yet: it is followed once more to see which thread is which.

use super::path::Evidence;
use super::search::{End, Search};
use super::shared::Shared;
use super::store::{Found, StateId};
use super::worker::Worker;
use selvedge_engine::counterexample::{Counterexample, Leg, of_path};
use selvedge_program::{Property, Violation};
use selvedge_vm::choices::Choices;
use selvedge_vm::deadlock::Waiting;
use selvedge_vm::expand::{Expander, NamedWay, members};
use selvedge_vm::store_buffer::flush::Flush;
use selvedge_vm::symmetry::Sorted;
use selvedge_vm::{Code, Ended, Machine, Sharing, Stopped};

/// Steps for which main is followed, to see which threads it creates.
const STEPS_OF_MAIN: usize = 10_000;
/// The effort of these steps, at the most.
const EFFORT_OF_MAIN: usize = 1 << 20;

/// When are states taken for one that differ only in which of several equal threads is where?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Symmetry {
    Never,
    /// If enough threads are equal for it to pay: to sort them takes time.
    #[default]
    WhereItPays,
    Always,
}

impl Symmetry {
    /// With two equal threads there are at best half as many states, each of which costs about twice as much.
    const ENOUGH: u64 = 6;

    pub fn is_wanted(self, code: &Code<'_>, sharing: &Sharing, max_input_values: u64) -> bool {
        let pays = || permutations(code, sharing, max_input_values) >= Symmetry::ENOUGH;
        selvedge_vm::symmetry::is_possible(code.program)
            && (self == Symmetry::Always || self == Symmetry::WhereItPays && pays())
    }
}

/// Before a step of a thread.
#[derive(Clone, Copy)]
pub struct Before {
    threads: usize,
    /// Others may go first, which is no preemption there, but would be one after the step.
    gives_way: bool,
}

impl Before {
    #[inline]
    pub fn of(machine: &Machine<'_, Choices>, thread: usize) -> Before {
        let gives_way = machine.yields_at(machine.state.threads[thread].pc());
        Before { threads: machine.state.threads.len(), gives_way }
    }
}

impl Worker<'_> {
    /// Sorts the threads of the machine's state; where `thread` is then.
    #[inline]
    pub(super) fn sort_threads(&mut self, thread: usize) -> Result<usize, End> {
        let machine = &mut self.expander.machine;
        if !machine.symmetric {
            return Ok(thread);
        }
        match machine.state.sort_twins(&machine.code.layout) {
            Sorted::Same => Ok(thread),
            Sorted::Moved(whither) => Ok(whither[thread]),
            Sorted::Exposed => {
                machine.sharing.expose();
                Err(End::Shared)
            }
        }
    }

    /// The machine has taken the only step of a thread from `state`. Need others not be run from there?
    pub(super) fn note_passed(&self, shared: &Shared<'_>, state: StateId, before: Option<Before>) {
        let Some(before) = before else { return };
        let machine = &self.expander.machine;
        let creates = machine.state.threads.len() > before.threads;
        if creates && !before.gives_way && !machine.is_loud && !machine.oracle.has_chosen() {
            shared.store.visit(state).expand_whole();
        }
    }

    /// `thread` waits if names are given in certain ways: for ever?
    pub(super) fn check_names(&mut self, shared: &Shared<'_>, state: StateId, ways: &[NamedWay]) -> Result<(), End> {
        let Some(thread) = ways.first().map(|way| way.waiting.thread).filter(|_| self.deadlocks_matter()) else {
            return Ok(());
        };
        self.load(shared, state);
        let others = members(self.expander.machine.state.unfinished() & !(1 << thread));
        let others: Vec<Waiting> = others.filter_map(|other| self.waiting(shared, state, other)).collect();
        self.load(shared, state);
        let machine = &mut self.expander.machine;
        for way in ways {
            let mut waiting = others.clone();
            waiting.push(way.waiting);
            if machine.state.doomed(&waiting) >> thread & 1 == 1 {
                way.enter(&mut machine.state, &machine.code.layout);
                let found = Found { parent: state, thread, length: 1, level: shared.level };
                let (at, new) = self.insert(shared, found, None);
                if new {
                    shared.remember(at, shared.level, way.choices.clone());
                }
                return Err(Evidence::in_state(at, Violation::of_deadlock(thread, way.waiting.at)));
            }
        }
        Ok(())
    }
}

impl Search<'_> {
    /// Twins are one state, if threads can be twins at all.
    pub fn with_symmetry(mut self, symmetry: bool) -> Self {
        for Worker { expander, step_cache, .. } in &mut self.workers {
            let machine = &mut expander.machine;
            machine.symmetric = symmetry && !machine.sharing.exposed;
            if machine.symmetric {
                // A cached step has its result, but not what it told of the identity of threads.
                *step_cache = None;
            }
        }
        self
    }
}

/// Runs a path from the machine's state, first to see who is who, then for its schedule.
pub(super) fn counterexample(expander: &mut Expander<'_>, path: Vec<Leg>, violation: Violation) -> Counterexample {
    let start = expander.machine.state.clone();
    let (path, thread) = Names::follow(&mut expander.machine, path, violation.thread as usize);
    expander.machine.symmetric = false;
    expander.machine.state = start;
    let mut found = of_path(expander, &path, Violation { thread: thread as u32, ..violation });
    if found.violation.property == Property::Deadlock {
        let last = expander.machine.state.clone();
        expander.machine.waiting(thread, |state| state.clone_from(&last));
        found.violation.loc = expander.machine.stopped_at;
    }
    found
}

/// In how many ways the threads that main creates by itself could change places.
pub fn permutations(code: &Code<'_>, sharing: &Sharing, max_input_values: u64) -> u64 {
    let mut machine = Machine::new(code, sharing.clone(), Choices::default(), max_input_values);
    machine.symmetric = true;
    let (mut most, mut effort) = (1, 0);
    for _ in 0..STEPS_OF_MAIN {
        machine.oracle.reset();
        if machine.step(0) != Ok(Ended::Paused) || effort > EFFORT_OF_MAIN {
            break;
        }
        effort += machine.effort();
        most = most.max(machine.state.permutations());
    }
    most
}

/// The identities of threads. Individuals are numbered as they were created.
struct Names {
    /// By the number in the state.
    who: Vec<usize>,
    /// By the individual: the name that it turned out to have.
    name: Vec<Option<usize>>,
}

impl Names {
    /// Gives the path with the names of threads, and the name of who is `last` at its end.
    fn follow(machine: &mut Machine<'_, Choices>, path: Vec<Leg>, last: usize) -> (Vec<Leg>, usize) {
        let mut names = Names { who: vec![0], name: vec![None] };
        let mut legs = Vec::with_capacity(path.len());
        for Leg { thread, choices, .. } in path {
            let before = machine.state.clone();
            let result = machine.retake(thread, &choices, Vec::new());
            let made = machine.oracle.path_of_program();
            let made = match Flush::of(&choices) {
                Some((flush, _)) => Flush { thread: names.who[flush.thread], ..flush }.with(made),
                None => made,
            };
            legs.push(Leg::new(names.who[thread], made));
            let bindings = std::mem::take(&mut machine.bindings);
            if result == Err(Stopped::Blocked) {
                machine.state = before;
                machine.state.narrow_all(std::mem::take(&mut machine.narrowed));
                for (name, twin) in &bindings {
                    let _was_done_before = machine.state.bind(&machine.code.layout, *name, *twin);
                }
            }
            names.bind(&bindings);
            names.meet(machine.state.threads.len());
            if (result.is_ok() || result == Err(Stopped::Blocked))
                && let Sorted::Moved(whither) = machine.state.sort_twins(&machine.code.layout)
            {
                names.moved(&whither);
            }
        }
        // A thread that was never named may have any name that is left: the one that is its number now.
        for (number, who) in names.who.iter().enumerate() {
            names.name[*who].get_or_insert(number);
        }
        let name = |who: usize| names.name[who].unwrap_or(who);
        let named = |choices: Vec<u32>| match Flush::of(&choices) {
            Some((flush, rest)) => Flush { thread: name(flush.thread), ..flush }.with(rest.to_vec()),
            None => choices,
        };
        let path = legs.into_iter().map(|leg| Leg { thread: name(leg.thread), choices: named(leg.choices), ..leg });
        let path = path.collect();
        (path, name(names.who[last]))
    }

    fn bind(&mut self, bindings: &[(usize, usize)]) {
        for (name, twin) in bindings {
            self.who.swap(*name, *twin);
            self.name[self.who[*name]] = Some(*name);
        }
    }

    /// New threads.
    fn meet(&mut self, threads: usize) {
        self.who.extend(self.who.len()..threads);
        self.name.resize(self.who.len(), None);
    }

    fn moved(&mut self, whither: &[usize]) {
        let before = self.who.clone();
        whither.iter().zip(before).for_each(|(to, who)| self.who[*to] = who);
    }
}
