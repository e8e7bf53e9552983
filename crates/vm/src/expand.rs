//! Expanding a state: all transitions of a thread from it, and what observers say of the states they lead to.
//!
//! Every search over states is a loop over an [`Expansion`], the transitions of one thread: one, unless there is
//! something to choose. A search says how the machine gets back into the state it expands; order, store, reduction and
//! cost are its own affair:
//!
//! ```text
//! let mut expansion = Expansion::new(thread, &mut expander);
//! while let Some(outcome) = expansion.next(&mut expander, |state| …)? {
//!     match outcome { Outcome::To(successor) => …, Outcome::Wrong(wrong) => …, Outcome::Waits(waiting) => …, … }
//! }
//! ```
//!
//! The facts that searches decide by are here, too: which threads may run ([`State::runnable`]), whether switching away
//! from a thread is a preemption ([`Machine::goes_on`]), and who waits for ever ([`Machine::wait_for_ever`], defined in
//! [`crate::deadlock`]).

mod flushes;

use crate::choices::Choices;
use crate::code::Ins;
use crate::deadlock::{Threads, Waiting};
use crate::footprint::Access;
use crate::late_inputs::Narrowed;
use crate::layout::Layout;
use crate::machine::Machine;
use crate::oracle::{Ended, Oracle, Stopped};
use crate::state::State;
use crate::watch::{Seen, Watch};
use crate::{Code, Sharing};
use flushes::Flushes;
use selvedge_program::{Limit, Loc, Property, Reason, Violation};

/// Effort between two looks at the clock.
const EFFORT_BETWEEN_CHECKS: usize = 1 << 18;

/// Runs threads from states.
pub struct Expander<'c> {
    pub machine: Machine<'c, Choices>,
    /// Functions that observe the program, if there are any.
    pub watch: Option<Watch>,
    /// Run since somebody last took this.
    pub transitions: u64,
    /// Since the last look at the clock.
    pub effort: usize,
    /// How many transitions in a row, up to the last one, ran out of fuel.
    pub long_steps: u32,
    /// Has a transition ended otherwise, since somebody last cleared this?
    pub has_other_steps: bool,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Stop {
    /// Something turned out to be shared, or watched: begin anew.
    Shared,
    GaveUp(Reason),
}

/// One result of running a thread from a state.
pub enum Outcome {
    /// The machine is in a successor.
    To(Successor),
    /// The transition fails, or breaks an invariant.
    Wrong(Wrong),
    /// The thread waits, whatever is chosen. Nothing else comes then but the next, and the arrival of stores that might
    /// help.
    Waits(Waiting),
    /// The thread waits if the names of equal threads ([`crate::symmetry`]) are given in one of these ways.
    WaitsIfNamed(Vec<NamedWay>),
}

pub struct Successor {
    pub ended: Ended,
    /// Made by the transition, and by observers of its end.
    pub choices: Vec<u32>,
    /// As a schedule counts them; `None` if only inputs were chosen.
    pub steps: Option<u64>,
    /// The thread whose oldest buffered store has arrived, if the buffer was not drained.
    pub arrived: Option<usize>,
    pub seen: Seen,
}

pub struct Wrong {
    pub choices: Vec<u32>,
    pub violation: Box<Violation>,
}

impl<'c> Expander<'c> {
    pub fn new(code: &'c Code<'c>, sharing: Sharing, watch: Option<Watch>, max_input_values: u64) -> Expander<'c> {
        let machine = Machine::new(code, sharing, Choices::default(), max_input_values);
        Expander { machine, watch, transitions: 0, effort: 0, long_steps: 0, has_other_steps: false }
    }

    /// Buffers hold so many stores at most, if that is bounded.
    pub fn with_store_buffer(mut self, stores: Option<u32>) -> Self {
        self.machine.store_buffer = stores.map_or(usize::MAX, |stores| stores.max(1) as usize);
        self
    }

    /// The bound on store buffers, if one was ever full, and inputs with too many values.
    pub fn limits(&self) -> Vec<Limit> {
        let buffer = self.machine.buffer_was_full.then_some(Limit::StoreBuffer(self.machine.store_buffer as u32));
        let of_sample = |reason: &Reason| match reason {
            Reason::WideInput { input, at } => Some(Limit::SomeValues { input: input.clone(), at: at.clone() }),
            _ => None,
        };
        buffer.into_iter().chain(self.machine.sampled.values().filter_map(of_sample)).collect()
    }

    /// Asks observers about the machine's state, in which the search begins: their answers, and a broken invariant.
    /// With a function that comes first, the beginning is behind it, and invariants need not hold yet.
    pub fn look_at_start(&mut self) -> Result<(Seen, Option<Violation>), Stop> {
        let has_init = self.machine.code.program.observers.init.is_some();
        let broken = if has_init { None } else { self.broken(0)? };
        Ok((if broken.is_some() { Seen::default() } else { self.look()? }, broken))
    }

    /// An invariant that does not hold in the machine's state, to which `thread` led.
    #[inline]
    pub fn broken(&mut self, thread: usize) -> Result<Option<Violation>, Stop> {
        let Some(watch) = &mut self.watch else { return Ok(None) };
        let broken = watch.broken(&mut self.machine, thread).map_err(Stop::GaveUp)?;
        self.stop_if_shared()?;
        Ok(broken)
    }

    /// Asks propositions and the abstraction about the machine's state. The footprint of its step is lost.
    #[inline]
    pub fn look(&mut self) -> Result<Seen, Stop> {
        let Some(watch) = &mut self.watch else { return Ok(Seen::default()) };
        let seen = watch.look(&mut self.machine).map_err(Stop::GaveUp)?;
        self.stop_if_shared()?;
        Ok(seen)
    }

    fn stop_if_shared(&self) -> Result<(), Stop> {
        if self.machine.sharing.grew { Err(Stop::Shared) } else { Ok(()) }
    }

    /// Is it time to look at the clock? Then it begins anew.
    #[inline]
    pub fn is_time_to_look(&mut self) -> bool {
        let is_time = self.effort >= EFFORT_BETWEEN_CHECKS;
        if is_time {
            self.effort = 0;
        }
        is_time
    }

    /// A transition was run.
    #[inline]
    fn count(&mut self) {
        self.transitions += 1;
        self.effort += self.machine.effort();
        if self.machine.is_out_of_fuel() {
            self.long_steps += 1;
        } else {
            (self.long_steps, self.has_other_steps) = (0, true);
        }
    }
}

/// The transitions of one thread from a state.
pub struct Expansion {
    thread: usize,
    stage: Stage,
    chose: bool,
    all_block: bool,
    awaits: Threads,
    /// The footprint of all ways so far, if the machine writes footprints down.
    pub footprint: Vec<Access>,
    /// A way blocks because of an input that the step itself takes: no state has its value.
    blocked_by_own_input: Option<Loc>,
    narrowed: Vec<NarrowedWay>,
    named: Vec<NamedWay>,
    flushes: Flushes,
}

/// The next thing to report: the first way, another one, waiting, states in which only inputs were chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    First,
    More,
    Names,
    Waiting,
    Narrowed,
    Flushes,
}

/// A way that blocks, but only for some of the threads that a name may belong to.
pub struct NamedWay {
    bindings: Vec<(usize, usize)>,
    pub choices: Vec<u32>,
    pub waiting: Waiting,
}

impl NamedWay {
    /// The names belong to those threads.
    pub fn enter(&self, from: &mut State, layout: &Layout) {
        self.bindings.iter().for_each(|(name, twin)| {
            let _was_done_before = from.bind(layout, *name, *twin);
        });
    }
}

/// A way that blocks, but only for some values of inputs that were open. A state with open inputs is many states at
/// once. In those where the thread is blocked it is so for good: they become a state of their own, in which that shows.
struct NarrowedWay {
    narrowed: Vec<Narrowed>,
    choices: Vec<u32>,
}

/// The result of one way.
enum Way {
    To(Ended),
    Wrong(Box<Violation>),
    /// There is no such run, the thread waits, or it is beyond us: then the machine has noted so.
    Nowhere,
    Shared,
}

impl Expansion {
    #[inline]
    pub fn new(thread: usize, expander: &mut Expander<'_>) -> Expansion {
        Expansion::on(thread, &mut expander.machine)
    }

    #[inline]
    fn on(thread: usize, machine: &mut Machine<'_, Choices>) -> Expansion {
        machine.oracle.reset();
        Expansion {
            thread,
            stage: Stage::First,
            chose: false,
            all_block: true,
            awaits: Threads::MAX,
            footprint: Vec::new(),
            blocked_by_own_input: None,
            narrowed: Vec::new(),
            named: Vec::new(),
            flushes: Flushes::default(),
        }
    }

    /// Runs on to the next outcome. `load`: makes a state the one that is expanded.
    #[inline]
    pub fn next(
        &mut self,
        expander: &mut Expander<'_>,
        mut load: impl FnMut(&mut State),
    ) -> Result<Option<Outcome>, Stop> {
        while self.is_way_left(&mut expander.machine) {
            load(&mut expander.machine.state);
            let way = self.run(&mut expander.machine);
            expander.count();
            self.footprint.extend_from_slice(expander.machine.footprint());
            match way {
                Way::Nowhere => {}
                Way::To(ended) => return self.arrive(expander, ended).map(Some),
                Way::Wrong(violation) => return Ok(Some(wrong(&expander.machine, violation))),
                Way::Shared => return Err(Stop::Shared),
            }
        }
        self.conclude(expander, load)
    }

    #[inline]
    fn is_way_left(&mut self, machine: &mut Machine<'_, Choices>) -> bool {
        match self.stage {
            Stage::First => {
                self.stage = Stage::More;
                return true;
            }
            Stage::More if machine.oracle.advance() => return true,
            Stage::More => self.stage = Stage::Names,
            Stage::Names | Stage::Waiting | Stage::Narrowed | Stage::Flushes => {}
        }
        false
    }

    #[inline]
    fn arrive(&mut self, expander: &mut Expander<'_>, ended: Ended) -> Result<Outcome, Stop> {
        let steps = expander.machine.steps;
        let arrived = expander.machine.made_room().then_some(self.thread);
        if let Some(violation) = expander.broken(self.thread)? {
            return Ok(wrong(&expander.machine, Box::new(violation)));
        }
        let seen = expander.look()?;
        // Observers may have chosen, too.
        let choices = expander.machine.oracle.path();
        Ok(Outcome::To(Successor { ended, choices, steps: Some(steps), arrived, seen }))
    }

    /// All ways were run.
    fn conclude(
        &mut self,
        expander: &mut Expander<'_>,
        mut load: impl FnMut(&mut State),
    ) -> Result<Option<Outcome>, Stop> {
        if self.stage == Stage::Names {
            if self.flushes.are_possible {
                self.look_for_flushes(&mut expander.machine, &mut load);
            }
            self.stage = if self.all_block { Stage::Waiting } else { Stage::Narrowed };
            self.narrowed.reverse();
            if !self.named.is_empty() {
                return Ok(Some(Outcome::WaitsIfNamed(std::mem::take(&mut self.named))));
            }
        }
        if self.stage == Stage::Waiting {
            self.stage = Stage::Narrowed;
            self.narrowed.clear();
            return Ok(Some(Outcome::Waits(self.waiting(&expander.machine))));
        }
        let Some(NarrowedWay { narrowed, choices }) = self.narrowed.pop() else {
            return self.next_flush(expander, load);
        };
        let Expander { machine, watch, .. } = &mut *expander;
        machine.oracle.reset();
        load(&mut machine.state);
        machine.state.narrow_all(narrowed);
        // Nothing has happened that invariants and propositions could have noticed.
        let key = watch.as_mut().map_or(Ok(None), |watch| watch.key(machine)).map_err(Stop::GaveUp)?;
        let seen = Seen { letter: None, key: key.map(<[u64]>::to_vec) };
        expander.stop_if_shared()?;
        Ok(Some(Outcome::To(Successor { ended: Ended::Paused, choices, steps: None, arrived: None, seen })))
    }

    /// Takes the next way.
    #[inline]
    fn run(&mut self, machine: &mut Machine<'_, Choices>) -> Way {
        machine.oracle.rewind();
        let result = machine.step(self.thread);
        self.chose |= machine.oracle.has_chosen();
        self.flushes.are_possible |= machine.any_stores;
        self.flushes.made_room |= machine.made_room();
        self.flushes.ended_inside |= machine.any_stores && machine.state.inside_atomic().is_some();
        self.all_block &= result == Err(Stopped::Blocked);
        if machine.sharing.grew {
            return Way::Shared;
        }
        if result == Err(Stopped::Blocked) && machine.oracle.has_chosen() {
            let noted = machine.narrowed.is_empty() && machine.bindings.is_empty();
            self.blocked_by_own_input = self.blocked_by_own_input.or(noted.then_some(machine.stopped_at));
        }
        self.give_up_on_own_inputs(machine);
        match result {
            Ok(ended) => {
                machine.note_end(ended);
                Way::To(ended)
            }
            Err(Stopped::Blocked) => {
                self.note_blocked(machine);
                Way::Nowhere
            }
            Err(Stopped::Infeasible) => {
                machine.ends.note_assumption();
                Way::Nowhere
            }
            Err(Stopped::Unchecked { misuse, at }) => {
                machine.ends.note_unchecked(misuse, at);
                Way::Nowhere
            }
            Err(Stopped::Violation(violation)) => Way::Wrong(violation),
            Err(Stopped::GaveUp(reason)) => {
                // There may be a violation elsewhere.
                machine.obstacle.get_or_insert(reason);
                Way::Nowhere
            }
        }
    }

    #[inline]
    fn note_blocked(&mut self, machine: &Machine<'_, Choices>) {
        self.awaits &= machine.awaits();
        if !machine.bindings.is_empty() {
            let awaits = machine.awaits();
            let waiting = Waiting { thread: self.thread, awaits, for_store: false, at: machine.stopped_at };
            let (bindings, choices) = (machine.bindings.clone(), machine.oracle.path());
            self.named.push(NamedWay { bindings, choices, waiting });
        }
        if !machine.narrowed.is_empty() {
            self.narrowed.push(NarrowedWay { narrowed: machine.narrowed.clone(), choices: machine.oracle.path() });
        }
    }

    /// An atomic section that takes an input and then waits, for some values of it only: a thread with such a value
    /// waits for ever, maybe, but the section has not happened, and neither has its input.
    #[inline]
    fn give_up_on_own_inputs(&self, machine: &mut Machine<'_, Choices>) {
        let Some(at) = self.blocked_by_own_input.filter(|_| !self.all_block) else { return };
        if machine.properties().contains(Property::Deadlock) && machine.obstacle.is_none() {
            let what = "an atomic section that waits for some values of its own inputs only".to_string();
            let at = machine.code.program.source.describe(at);
            machine.obstacle = Some(Reason::Unsupported { what, at });
        }
    }

    /// Was there nothing to choose so far, nor will there be? Which stores may arrive is found out last.
    #[inline]
    pub fn is_only_one(&self) -> bool {
        !self.chose && !self.flushes.are_possible
    }

    /// The thread waits in all ways so far, in any case for these.
    fn waiting(&self, machine: &Machine<'_, Choices>) -> Waiting {
        let for_store = !self.flushes.left.is_empty();
        Waiting { thread: self.thread, awaits: self.awaits, for_store, at: machine.stopped_at }
    }
}

fn wrong(machine: &Machine<'_, Choices>, violation: Box<Violation>) -> Outcome {
    Outcome::Wrong(Wrong { choices: machine.oracle.path(), violation })
}

impl Machine<'_, Choices> {
    /// Does the thread wait, whatever is chosen? Then for whom in any case. `load`: makes a state the one to look at.
    pub fn waiting(&mut self, thread: usize, mut load: impl FnMut(&mut State)) -> Option<Waiting> {
        let mut expansion = Expansion::on(thread, self);
        while expansion.is_way_left(self) {
            load(&mut self.state);
            expansion.run(self);
            expansion.footprint.extend_from_slice(self.footprint());
            if !expansion.all_block {
                return None;
            }
        }
        if expansion.flushes.are_possible {
            expansion.look_for_flushes(self, &mut load);
        }
        Some(expansion.waiting(self))
    }
}

impl State {
    /// The threads that may run: all that have not ended, or the one that stopped inside an atomic section. If that one
    /// waits, the others may run as well.
    pub fn runnable(&self) -> Threads {
        self.inside_atomic().map_or_else(|| self.unfinished(), |inside| 1 << inside)
    }
}

impl<O: Oracle> Machine<'_, O> {
    /// Could the thread go on, as far as that can be seen without running it? Switching away from it is a preemption
    /// then, unless it waits.
    pub fn goes_on(&self, thread: usize) -> bool {
        let thread = &self.state.threads[thread];
        !thread.is_finished() && !self.yields_at(thread.pc())
    }

    /// Does a thread that stands here offer to give way?
    #[inline]
    pub fn yields_at(&self, pc: u32) -> bool {
        matches!(self.code.ins[pc as usize], Ins::Yield)
    }

    /// The violation, if deadlocks are asked about and some of those who wait in the machine's state do so for ever. It
    /// names the `favourite`, if that is one of them.
    pub fn wait_for_ever(&self, waiting: &[Waiting], favourite: usize) -> Option<Violation> {
        if waiting.is_empty() || !self.properties().contains(Property::Deadlock) {
            return None;
        }
        let doomed = self.state.doomed(waiting);
        let mut stuck = waiting.iter().filter(|one| doomed >> one.thread & 1 == 1);
        let named = stuck.clone().find(|one| one.thread == favourite).or_else(|| stuck.next());
        named.map(|one| Violation::of_deadlock(one.thread, one.at))
    }
}

/// The threads of a set, in order.
#[inline]
pub fn members(mut set: Threads) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (set != 0).then_some(set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        next
    })
}
