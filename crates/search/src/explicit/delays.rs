//! Delay-bounded search: all runs of a deterministic scheduler that is thwarted a few times.
//!
//! Emmi, Qadeer and Rakamarić, "Delay-Bounded Scheduling" (POPL 2011). The scheduler goes round the threads in the
//! order of their numbers, and lets each run until it waits, ends, or gives way: without a *delay* there is one run,
//! but for inputs. A delay passes over the thread whose turn it is. So with d delays a run of k steps has at most k^d
//! variants, however many threads there are, where preemptions leave it open who goes on whenever a thread waits: the
//! first level of a bound on preemptions has n! runs of n threads. A program that is too large for that is looked at
//! with no delay, then with one, and so on, and most bugs need few.
//!
//! A thread gives way where it says so (`sched_yield`, `usleep`, …), and where it comes round a loop to a state in
//! which it was. Who waits is passed over for nothing. That somebody waits for ever does not depend on whose turn it
//! is: where the thread that went last waits or has ended, all others are asked whether they wait, too.

use super::Explicit;
use super::depth_first::{Child, DepthFirst, Frame, Policy};
use super::end::End;
use super::store::{Root, Store};
use super::swarm::Member;
use crate::superstep::{Arrival, Runner, Superstep};
use foldhash::fast::FixedState;
use selvedge_engine::{Control, Engine, Outcome, Task};
use selvedge_program::{Coverage, Finding, Limit, Program, Reason, Scope, Statistics};
use selvedge_vm::deadlock::Threads;
use selvedge_vm::expand::members;
use selvedge_vm::{Code, Ended, watch};
use std::cell::Cell;
use std::collections::HashMap;
use std::time::Instant;

/// The engine: one delay more as long as there is time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delays;

impl Engine for Delays {
    fn name(&self) -> &'static str {
        "delays"
    }

    fn scope(&self) -> Scope {
        Scope { abstraction: false, store_buffers: false, ..Explicit::ONE.scope() }
    }

    fn search(&self, program: &Program, task: &Task, control: &Control) -> Outcome {
        let started = Instant::now();
        let mut statistics = Statistics::default();
        let finding = explore(program, task, control, &mut statistics).unwrap_or_else(Finding::GaveUp);
        statistics.take_time(started);
        Outcome { finding, statistics, by: self.name() }
    }
}

fn explore(program: &Program, task: &Task, control: &Control, statistics: &mut Statistics) -> Result<Finding, Reason> {
    let code = Code::new(program, task.properties).map_err(|error| Reason::Limit(error.to_string()))?;
    watch::check_init(&code)?;
    let mut sharing = Explicit::ONE.sharing(&code, task, control);
    let mut best: Option<Coverage> = None;
    let mut most = 0;
    loop {
        let mut search = DepthFirst::new(&code, sharing.clone(), task, control, Bounded::new(most));
        let result = search.run();
        statistics.transitions += search.transitions();
        statistics.states = search.states();
        statistics.peak_memory = statistics.peak_memory.max(search.memory());
        match result {
            Ok(coverage) if search.policy().left_out.get() => {
                best = Some(coverage);
                most += 1;
            }
            Ok(coverage) => return Ok(Finding::NoneWithin(coverage)),
            Err(End::Found(found)) => return Ok((*found).into()),
            Err(End::Shared) => {
                statistics.restarts += 1;
                sharing = search.sharing().widened();
            }
            Err(End::Stopped(reason)) => return best.map(Finding::NoneWithin).ok_or(reason),
        }
    }
}

/// Runs with so many delays at the most.
pub(super) struct Bounded {
    most: u32,
    /// Did the bound leave out anything?
    left_out: Cell<bool>,
    /// The fewest delays with which a state was reached, for each thread whose turn it was then.
    reached: HashMap<(Root, u8), u32, FixedState>,
}

impl Bounded {
    fn new(most: u32) -> Bounded {
        Bounded { most, left_out: Cell::new(false), reached: HashMap::with_hasher(FixedState::with_seed(0)) }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turn {
    /// The delays of the run so far.
    delays: u32,
    /// The thread whose turn it is.
    first: u8,
    /// It came round a loop: the turn is the next one's.
    gives_way: bool,
}

/// A set of threads in the order of their turns.
fn in_turn(threads: Threads, first: u8) -> impl Iterator<Item = usize> {
    let before: Threads = (1 << first) - 1;
    members(threads & !before).chain(members(threads & before))
}

impl Policy for Bounded {
    type Note = Turn;
    /// The delays so far; `None`: too many, but it is asked whether it waits.
    type Price = Option<u32>;
    const DEEPEST: usize = usize::MAX;
    const NEEDS_FOOTPRINTS: bool = false;
    const KEEPS_EXITS: bool = false;

    fn enter(&mut self, runner: &mut Runner<'_, '_>, to: &mut Child<Turn>) -> Vec<u8> {
        runner.load(to.root);
        let machine = &runner.expander.machine;
        let turn = &mut to.note;
        if std::mem::take(&mut turn.gives_way) || !machine.goes_on(turn.first.into()) {
            let next = in_turn(machine.state.unfinished(), turn.first).find(|thread| *thread != turn.first.into());
            turn.first = next.map_or(turn.first, |thread| thread as u8);
        }
        let known = self.reached.entry((to.root, turn.first)).or_insert(u32::MAX);
        if *known <= turn.delays {
            return Vec::new();
        }
        *known = turn.delays;
        self.order(machine.state.runnable(), turn)
    }

    fn order(&self, threads: Threads, turn: &Turn) -> Vec<u8> {
        let mut order: Vec<u8> = in_turn(threads, turn.first).map(|thread| thread as u8).collect();
        order.reverse();
        order
    }

    fn price(&self, runner: &mut Runner<'_, '_>, top: &Frame<Turn>, thread: usize) -> Option<Option<u32>> {
        runner.load(top.root);
        let state = &runner.expander.machine.state;
        let waits = |thread: usize| top.waiting.iter().any(|one| one.thread == thread);
        let passed = in_turn(state.unfinished(), top.note.first).take_while(|other| *other != thread);
        let delays = top.note.delays + passed.filter(|other| !waits(*other)).count() as u32;
        if delays <= self.most {
            return Some(Some(delays));
        }
        self.left_out.set(true);
        let last = top.leg.thread;
        (waits(last) || state.threads[last].is_finished()).then_some(None)
    }

    fn extend(
        &mut self,
        _: &mut Runner<'_, '_>,
        top: &mut Frame<Turn>,
        step: Superstep,
        price: Option<u32>,
        rounds: &[Root],
    ) {
        let Some(delays) = price else { return };
        let first = step.thread as u8;
        let new =
            step.ends.into_iter().filter(|end| end.ended != Ended::Exited).map(|Arrival { root, leg, .. }| {
                let note = Turn { delays, first, gives_way: rounds.contains(&root) };
                Child { root, leg, note }
            });
        top.children = new.collect();
    }

    fn states(&self, _: &Store) -> u64 {
        self.reached.len() as u64
    }

    fn bytes(&self) -> u64 {
        (self.reached.capacity() * (size_of::<(Root, u8)>() + size_of::<u32>())) as u64
    }

    fn limits(&self) -> Vec<Limit> {
        vec![Limit::Delays(self.most)]
    }
}
