//! A second opinion on data races: a monitor of random runs, as thread checkers have it, must see no race in a program
//! that is called free of them.
//!
//! The monitor knows nothing of states in which two threads are about to race. It keeps a vector clock for each thread
//! (Lamport 1978; Fidge 1988; Mattern 1989): what a thread does comes after whatever atomic access or section it has
//! conflicted with, and after its creation. Two accesses that may race do so if neither comes after the other (as in
//! DJIT+: Pozniansky and Schuster, PPoPP 2003).
//!
//! `SELVEDGE_CASES` is the number of programs, `SELVEDGE_SEED` where they begin.

use selvedge_engine::{Control, Engine, Task};
use selvedge_generate::{Features, Source, Tally, Trial};
use selvedge_passes::prepare;
use selvedge_program::{Finding, Program, Properties, Property};
use selvedge_search::explicit::Explicit;
use selvedge_vm::choices::Dice;
use selvedge_vm::expand::{Expander, members};
use selvedge_vm::footprint::{Access, is_everything};
use selvedge_vm::{Checkpoint, Code, Ended, Sharing};
use std::cell::Cell;

const RUNS: u64 = 12;
const STEPS: usize = 400;

/// For each thread, how many of its steps come before.
type Clock = Vec<u32>;

/// A step that was taken.
struct Event {
    thread: usize,
    /// With the step itself.
    clock: Clock,
    footprint: Vec<Access>,
}

#[derive(Default)]
struct Monitor {
    clocks: Vec<Clock>,
    events: Vec<Event>,
}

impl Monitor {
    /// A thread has taken a step; `threads`: so many there are now. Does it race with an earlier one?
    fn sees_race(&mut self, thread: usize, footprint: &[Access], threads: usize) -> bool {
        let footprint: Vec<Access> = footprint.iter().copied().filter(|access| !is_everything(&[*access])).collect();
        self.clocks.resize(threads.max(thread + 1).max(self.clocks.len()), Clock::new());
        let any = |event: &Event, holds: fn(&Access, &Access) -> bool| {
            footprint.iter().any(|mine| event.footprint.iter().any(|theirs| holds(mine, theirs)))
        };
        let others = || self.events.iter().filter(|event| event.thread != thread);
        let mut clock = self.clocks[thread].clone();
        for event in others().filter(|event| any(event, |a, b| a.conflicts(b) && !a.may_race(b))) {
            join(&mut clock, &event.clock);
        }
        let races = others().any(|event| {
            let comes_before = at(&event.clock, event.thread) <= at(&clock, event.thread);
            !comes_before && any(event, Access::may_race)
        });
        *component(&mut clock, thread) += 1;
        for new in self.clocks.iter_mut().skip(thread + 1).filter(|clock| clock.is_empty()) {
            // Its creation comes before all that it does.
            new.clone_from(&clock);
        }
        self.clocks[thread].clone_from(&clock);
        self.events.push(Event { thread, clock, footprint });
        races
    }
}

fn at(clock: &Clock, thread: usize) -> u32 {
    clock.get(thread).copied().unwrap_or(0)
}

fn component(clock: &mut Clock, thread: usize) -> &mut u32 {
    clock.resize(clock.len().max(thread + 1), 0);
    &mut clock[thread]
}

fn join(clock: &mut Clock, other: &Clock) {
    for (thread, theirs) in other.iter().enumerate() {
        let mine = component(clock, thread);
        *mine = (*mine).max(*theirs);
    }
}

/// Does the monitor see a race in one of some random runs?
fn sees_race(program: &Program, properties: Properties) -> Result<bool, String> {
    let code = Code::new(program, properties).map_err(|error| error.to_string())?;
    Ok((0..RUNS).any(|number| sees_race_in_run(&code, number)))
}

fn sees_race_in_run(code: &Code<'_>, number: u64) -> bool {
    let mut random = fastrand::Rng::with_seed(number);
    let mut dice = Some(Dice::new(random.fork()));
    let mut expander = Expander::new(code, Sharing::everything(), None, 4);
    let machine = &mut expander.machine;
    machine.record(true);
    let mut monitor = Monitor::default();
    let mut here = Checkpoint::of(&mut machine.state);
    let mut blocked = 0;
    for _ in 0..STEPS {
        let able: Vec<usize> = members(machine.state.runnable() & !blocked).collect();
        let Some(thread) = random.choice(able) else { return false };
        machine.oracle.reset();
        machine.oracle.dice = dice.take();
        let ended = machine.step(thread);
        dice = machine.oracle.dice.take();
        match ended {
            Ok(Ended::Exited) => return false,
            Ok(_) => {
                let footprint = machine.footprint().to_vec();
                if monitor.sees_race(thread, &footprint, machine.state.threads.len()) {
                    return true;
                }
                blocked = 0;
                here.keep(&mut machine.state);
            }
            Err(_) => {
                here.restore(&mut machine.state);
                blocked |= 1 << thread;
            }
        }
    }
    false
}

#[test]
fn a_monitor_sees_no_race_where_there_is_none() {
    let (racy, seen) = (Cell::new(0), Cell::new(0));
    let check = |source: &Source, tally: &Tally| {
        let program = prepare(source.program());
        let properties = Properties::NONE.with(Property::Race);
        let task = Task { properties, ..Task::default() };
        let finding = Explicit::ONE.check(&program, &task, &Control::default()).finding;
        if !tally.compares(&[&finding]) {
            return Ok(());
        }
        let sees = sees_race(&program, properties)?;
        match finding {
            Finding::NoneWithin(coverage) if coverage.is_complete() && sees => {
                Err("a run has a race by its clocks, where no state has one".to_string())
            }
            Finding::Violation { .. } => {
                racy.set(racy.get() + 1);
                seen.set(seen.get() + u32::from(sees));
                Ok(())
            }
            _ => Ok(()),
        }
    };
    Trial { cases: 150, percent: 90 }.run(Features { spins: true, ..Features::ALL }, check);
    assert!(seen.get() * 2 > racy.get(), "of {} racy programs the monitor saw {} to be", racy.get(), seen.get());
}
