//! Runs a schedule, and reports what happened.
//!
//! The replay uses no reduction at all: every step counts. It thus also checks the reductions of
//! the engine that made the schedule.

mod ending;
mod livelock;
pub(crate) mod synchronisation;

use crate::code::Code;
use crate::frames::user_pc;
use crate::heap_names::HeapNames;
use crate::lasso;
use crate::machine::Machine;
use crate::observe::Writes;
use crate::oracle::{Ended, Stopped};
use crate::placement::Placement;
use crate::recorder::Recorder;
use crate::sharing::Sharing;
use crate::store_buffer::flush::Flush;
use selvedge_program::{Action, Loc, Program, Properties, Schedule, Slice, SourceMap, Trace, Violation};

/// Long sections, and loops that touch nothing shared, are run in parts; a slice with more parts than this is
/// considered endless. A search has run its schedules before, so only a made-up schedule reaches this limit.
const PARTS_OF_SECTIONS: u64 = 1 << 20;

pub enum Replayed {
    Violation(Box<Trace>),
    /// The run shows no violation; `why` says how it ended.
    Nothing {
        why: String,
    },
}

pub fn replay(program: &Program, properties: Properties, schedule: &Schedule) -> Replayed {
    let code = match Code::new(program, properties) {
        Ok(code) => code,
        Err(error) => return Replayed::Nothing { why: error.to_string() },
    };
    let (mut machine, mut result) = run_once(&code, schedule, HeapNames::default());
    if let Some(names) = std::mem::take(&mut machine.oracle.heap).learned() {
        (machine, result) = run_once(&code, schedule, names);
    }
    match result {
        Ok(violation) => {
            let Machine { oracle, state, .. } = machine;
            Replayed::Violation(Box::new(oracle.into_trace(&code, &state, violation, schedule)))
        }
        Err(why) => Replayed::Nothing { why },
    }
}

fn run_once<'p>(code: &'p Code<'p>, schedule: &Schedule, heap: HeapNames) -> (Replayer<'p>, Result<Violation, String>) {
    let mut machine = replayer(code, schedule);
    machine.oracle.heap = heap.clone();
    let result = match schedule.cycle {
        Some(cycle) => {
            if machine.is_weak {
                let places = lasso::noticed_places(&mut machine, schedule);
                machine = replayer(code, schedule);
                machine.oracle.heap = heap;
                machine.noticed_places = Some(Box::new(places));
            }
            lasso::run(&mut machine, schedule, cycle)
        }
        None => run(&mut machine, schedule),
    };
    (machine, result)
}

pub(crate) type Replayer<'p> = Machine<'p, Recorder>;

/// A machine at the start, which follows the schedule.
fn replayer<'p>(code: &'p Code<'p>, schedule: &Schedule) -> Replayer<'p> {
    let mut machine = Machine::new(code, Sharing::everything(), Recorder::new(schedule), u64::MAX);
    if let Some(last) = schedule.objects.iter().flatten().filter_map(|object| object.window).max() {
        machine.state.placement = Some(Box::new(Placement::new(last + 1)));
    }
    machine.place_thread_locals(0);
    machine
}

fn run(machine: &mut Replayer<'_>, schedule: &Schedule) -> Result<Violation, String> {
    if let Some(violation) = broken_at_the_start(machine)? {
        return Ok(violation);
    }
    for (number, slice) in schedule.slices.iter().enumerate() {
        match run_slice(machine, number, slice, |_| Ok(()))? {
            Some(Advanced::Violation(violation)) => return Ok(violation),
            Some(Advanced::To(Ended::Exited)) => return Err("the process ended".to_string()),
            _ => {}
        }
    }
    let last = schedule.slices.last().map_or(0, |slice| slice.thread as usize);
    ending::finish(machine, last)
}

/// Runs the steps of a slice; `None` if it completes them. `after_each` is called outside of atomic sections.
pub(crate) fn run_slice(
    machine: &mut Replayer<'_>,
    number: usize,
    slice: &Slice,
    mut after_each: impl FnMut(&mut Replayer<'_>) -> Result<(), String>,
) -> Result<Option<Advanced>, String> {
    let thread = slice.thread as usize;
    let steps = match slice.action {
        Action::Steps(steps) => steps,
        Action::Flush(step) => {
            if machine.oracle.numbers.taken(thread) < step {
                return Err(format!("slice {number}: thread {thread} has not taken its step {step} yet"));
            }
            // A store that nobody else could tell from one made at once may have arrived already.
            let Some(store) = machine.oracle.numbers.store(thread, step) else { return Ok(None) };
            let violation = flush(machine, store)?;
            after_each(machine)?;
            return Ok(violation.map(Advanced::Violation));
        }
    };
    let mut taken = 0;
    let mut parts = 0;
    while taken < steps || machine.state.inside_atomic() == Some(thread) {
        parts += 1;
        if parts > steps.saturating_add(PARTS_OF_SECTIONS) {
            return Err(format!("slice {number} of thread {thread} has an atomic section without end"));
        }
        match advance(machine, thread)? {
            Advanced::Blocked => return Err(format!("thread {thread} is blocked in slice {number}")),
            Advanced::To(Ended::Paused | Ended::Finished) => taken += machine.steps,
            end => return Ok(Some(end)),
        }
        if machine.state.inside_atomic().is_none() {
            after_each(machine)?;
        }
    }
    Ok(None)
}

pub(crate) enum Advanced {
    To(Ended),
    Blocked,
    Violation(Violation),
}

pub(crate) fn advance(machine: &mut Replayer<'_>, thread: usize) -> Result<Advanced, String> {
    if machine.state.threads.get(thread).is_none_or(|t| t.is_finished()) {
        return Err(format!("there is no thread {thread} that could run"));
    }
    let before = machine.state.clone();
    let checkpoint = machine.oracle.checkpoint();
    let next = next_step(machine, thread);
    let result = machine.step(thread);
    if result.is_ok() {
        follow(machine, thread);
    }
    match result {
        Ok(ended) => Ok(match broken_invariant(machine, thread, next)? {
            Some(violation) => Advanced::Violation(violation),
            None => Advanced::To(ended),
        }),
        Err(Stopped::Violation(violation)) => Ok(Advanced::Violation(*violation)),
        Err(Stopped::Blocked) => {
            machine.state = before;
            machine.oracle.back_to(checkpoint, thread);
            Ok(Advanced::Blocked)
        }
        Err(Stopped::Infeasible) => Err("an assumption of the program fails".to_string()),
        Err(Stopped::Unchecked { misuse, at }) => {
            let place = machine.code.program.source.describe(at);
            Err(format!("the run ends at the {} at {place}, which is not checked", misuse.misuse()))
        }
        Err(Stopped::GaveUp(reason)) => Err(reason.to_string()),
    }
}

/// Notes in which steps the stores were made that are buffered now.
fn follow(machine: &mut Replayer<'_>, thread: usize) {
    let mut numbers = std::mem::take(&mut machine.oracle.numbers);
    numbers.follow(thread, machine);
    machine.oracle.numbers = numbers;
}

/// A store reaches memory. An invariant may be broken then.
pub(crate) fn flush(machine: &mut Replayer<'_>, store: Flush) -> Result<Option<Violation>, String> {
    let Flush { thread, .. } = store;
    machine.flush(store).map_err(|_| "a store that cannot arrive".to_string())?;
    follow(machine, thread);
    let loc = next_step(machine, thread);
    broken_invariant(machine, thread, loc)
}

/// Checks the invariants at the beginning of the run, which is after the initial function, if there is one.
pub(crate) fn broken_at_the_start(machine: &mut Replayer<'_>) -> Result<Option<Violation>, String> {
    match &machine.code.program.observers.init {
        Some(_) => Ok(None),
        None => broken_invariant(machine, 0, Some(SourceMap::NOWHERE)),
    }
}

/// The position of a thread's next step. `None` if the thread has just begun, and has yet to get to its first step.
fn next_step(machine: &Replayer<'_>, thread: usize) -> Option<Loc> {
    let code = machine.code;
    let this = &machine.state.threads[thread];
    let at = || code.loc(user_pc(code, &this.stack, this.pc(), this.base(), this.depth()));
    code.is_step[this.pc() as usize].then(at)
}

/// An invariant that does not hold after a step. Invariants are not checked inside of atomic sections.
fn broken_invariant(machine: &mut Replayer<'_>, thread: usize, step: Option<Loc>) -> Result<Option<Violation>, String> {
    if machine.state.inside_atomic().is_some() {
        return Ok(None);
    }
    let loc = step.unwrap_or(machine.oracle.last_access);
    for invariant in &machine.code.program.observers.invariants {
        let observation = machine.observe(invariant, Writes::Never).map_err(|reason| reason.to_string())?;
        if observation.answer.value == 0 {
            return Ok(Some(Violation::of_invariant(&invariant.name, loc, thread)));
        }
    }
    Ok(None)
}
