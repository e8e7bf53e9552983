//! Evidence of a search over states: the run is run again from the start, now with the inputs that it takes.

use super::Counterexample;
use selvedge_program::schedule::Input;
use selvedge_program::{Property, Reason, Schedule, Specification, Violation};
use selvedge_vm::choices::{Choices, OpenInput};
use selvedge_vm::expand::{Expander, Stop, members};
use selvedge_vm::races::Pending;
use selvedge_vm::store_buffer::flush::Flush;
use selvedge_vm::store_buffer::numbers::{Forced, StepNumbers};
use selvedge_vm::{Ended, Machine, Stopped};

/// From one state to the next: so many transitions of a thread, the first of them with choices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leg {
    pub thread: usize,
    pub length: usize,
    pub choices: Vec<u32>,
}

impl Leg {
    /// A single transition.
    pub fn new(thread: usize, choices: Vec<u32>) -> Leg {
        Leg { thread, length: 1, choices }
    }

    fn transitions(&self) -> impl Iterator<Item = &[u32]> {
        std::iter::once(self.choices.as_slice()).chain((1..self.length).map(|_| [].as_slice()))
    }
}

/// The run to a violation, along a path from the machine's state. The thread that goes wrong, or waits for ever, is
/// named last.
pub fn of_path(expander: &mut Expander<'_>, path: &[Leg], mut violation: Violation) -> Counterexample {
    let mut rerun = Rerun::default();
    for leg in path {
        if let Some(Err(Stopped::Violation(again))) = rerun.leg(expander, leg).map(|end| end.result) {
            // It is wrong where it really is: in a search functions that are alike may be one.
            violation = *again;
        }
    }
    match violation.property {
        Property::Race => rerun.race(expander),
        _ => rerun.schedule.push(violation.thread, 0),
    }
    Counterexample { schedule: rerun.finish(), violation }
}

/// The run along a path from the machine's state, and then round a cycle for ever.
pub fn of_lasso(expander: &mut Expander<'_>, prefix: &[Leg], cycle: Vec<Leg>) -> Result<Schedule, Reason> {
    let mut rerun = Rerun::default();
    prefix.iter().for_each(|leg| {
        rerun.leg(expander, leg);
    });
    rerun.cycle(expander, cycle)
}

/// The run that another tool recorded from the machine's state on, up to the first violation; if there is none, round
/// the cycle that begins after so many legs, against the specification, or into a deadlock. `None`: nothing is wrong
/// with it.
pub fn of_trail(
    expander: &mut Expander<'_>,
    trail: &[Leg],
    cycle: Option<(usize, &Specification)>,
) -> Result<Option<Counterexample>, Reason> {
    match expander.look_at_start() {
        Ok((_, Some(violation))) => return Ok(Some(Counterexample { schedule: Schedule::default(), violation })),
        Err(Stop::GaveUp(reason)) => return Err(reason),
        Ok((_, None)) | Err(Stop::Shared) => {}
    }
    let mut rerun = Rerun::default();
    let (prefix, repeats) = trail.split_at(cycle.map_or(trail.len(), |(from, _)| from));
    for leg in prefix {
        if expander.machine.state.threads.get(leg.thread).is_none_or(|thread| thread.is_finished()) {
            return Ok(None);
        }
        let wrong = match rerun.leg(expander, leg) {
            Some(End { result: Err(Stopped::Violation(violation)), .. }) => Some(*violation),
            end => end.and_then(|end| end.broken),
        };
        if let Some(violation) = wrong {
            return Ok(Some(Counterexample { schedule: rerun.finish(), violation }));
        }
    }
    if let Some((_, specification)) = cycle {
        let schedule = rerun.cycle(expander, repeats.to_vec())?;
        return Ok(Some(Counterexample { schedule, violation: Violation::of_specification(specification) }));
    }
    let Some(violation) = expander.machine.deadlock() else { return Ok(None) };
    rerun.schedule.push(violation.thread, 0);
    Ok(Some(Counterexample { schedule: rerun.finish(), violation }))
}

/// A run that is run again.
#[derive(Default)]
struct Rerun {
    schedule: Schedule,
    inputs: Vec<OpenInput>,
    /// Inputs that must have the value of another one.
    same: Vec<(usize, usize)>,
    /// The steps in which buffered stores were made.
    numbers: StepNumbers,
}

/// The result of a transition: the machine's, and an invariant that does not hold after it.
struct End {
    result: Result<Ended, Stopped>,
    broken: Option<Violation>,
}

impl Rerun {
    /// All transitions of a leg; how the last one went.
    fn leg(&mut self, expander: &mut Expander<'_>, leg: &Leg) -> Option<End> {
        leg.transitions().map(|choices| self.transition(expander, leg.thread, choices)).last()
    }

    /// A transition of `thread` from the machine's state, with these choices.
    fn transition(&mut self, expander: &mut Expander<'_>, thread: usize, choices: &[u32]) -> End {
        let Expander { machine, watch, .. } = expander;
        let before = machine.state.clone();
        let goes_nowhere = Flush::of(choices).is_some_and(|(flush, _)| flush.goes_nowhere(&before));
        let result = machine.retake(thread, choices, std::mem::take(&mut self.inputs));
        let mut broken = None;
        if result == Err(Stopped::Blocked) {
            // Not a step, only the choice of inputs for which there is none.
            machine.state = before;
            let narrowed = std::mem::take(&mut machine.narrowed);
            machine.state.narrow_all(narrowed);
        } else {
            self.note_steps(thread, choices, machine, goes_nowhere);
            // Observers may choose, too: as they did.
            if let (Ok(_), Some(watch)) = (&result, watch) {
                broken = watch.broken(machine, thread).ok().flatten();
                let _ = watch.look(machine);
            }
        }
        self.inputs = machine.oracle.events.take().unwrap_or_default();
        End { result, broken }
    }

    /// The machine has taken a transition. A schedule does not tell of stores to objects that have ended.
    fn note_steps(&mut self, thread: usize, choices: &[u32], machine: &mut Machine<'_, Choices>, goes_nowhere: bool) {
        if let Some((flush, _)) = Flush::of(choices) {
            let step = self.numbers.step(flush).filter(|_| !goes_nowhere);
            step.into_iter().for_each(|step| self.schedule.push_flush(flush.thread as u32, step));
            self.numbers.follow(flush.thread, machine);
            return;
        }
        let mut done = 0;
        for Forced { after, made } in self.numbers.follow(thread, machine) {
            self.schedule.push(thread as u32, after - done);
            self.schedule.push_flush(thread as u32, made);
            done = after;
        }
        self.schedule.push(thread as u32, machine.steps - done);
    }

    /// The machine is in a state with a race: both threads go on to just before their accesses, which nobody can see.
    fn race(&mut self, expander: &mut Expander<'_>) {
        let here = expander.machine.state.clone();
        let Ok(Some(race)) = expander.race(|state| state.clone_from(&here)) else { return };
        for Pending { thread, steps, choices, .. } in [race.first, race.second] {
            // The inputs of the transition are those with which it makes the access.
            expander.machine.state.clone_from(&here);
            let _goes_further = expander.machine.retake(thread, &choices, std::mem::take(&mut self.inputs));
            self.inputs = expander.machine.oracle.events.take().unwrap_or_default();
            self.schedule.push(thread as u32, steps);
        }
        expander.machine.state = here;
    }

    /// The machine is where a cycle begins.
    fn cycle(mut self, expander: &mut Expander<'_>, mut cycle: Vec<Leg>) -> Result<Schedule, Reason> {
        self.leave_section(expander, &mut cycle)?;
        self.settle_all(&mut expander.machine, &cycle);
        self.schedule.begin_cycle();
        let before = expander.machine.state.late_inputs.events();
        cycle.iter().for_each(|leg| {
            self.leg(expander, leg);
        });
        self.unite(before, expander.machine.state.late_inputs.events())?;
        Ok(self.finish())
    }

    /// A schedule cannot begin to repeat in the middle of an atomic section: the cycle is entered later.
    fn leave_section(&mut self, expander: &mut Expander<'_>, cycle: &mut [Leg]) -> Result<(), Reason> {
        for _ in 0..cycle.len() {
            if expander.machine.state.inside_atomic().is_none() {
                return Ok(());
            }
            self.leg(expander, &cycle[0]);
            cycle.rotate_left(1);
        }
        let is_inside = expander.machine.state.inside_atomic().is_some();
        if is_inside { Err(Reason::Limit("an atomic section goes on for ever".to_string())) } else { Ok(()) }
    }

    /// Threads that wait during the cycle do first what they do before.
    fn settle_all(&mut self, machine: &mut Machine<'_, Choices>, cycle: &[Leg]) {
        let here = machine.state.clone();
        for thread in members(here.unfinished()).filter(|thread| cycle.iter().all(|leg| leg.thread != *thread)) {
            self.settle_in_cycle(machine, thread, cycle);
            machine.state.clone_from(&here);
        }
    }

    /// The thread waits at the beginning of the cycle, or somewhere along it.
    fn settle_in_cycle(&mut self, machine: &mut Machine<'_, Choices>, thread: usize, cycle: &[Leg]) {
        let transitions = cycle.iter().flat_map(|leg| leg.transitions().map(|choices| (leg.thread, choices)));
        let mut here = machine.state.clone();
        if self.settle(machine, thread) {
            return;
        }
        for (other, choices) in transitions {
            machine.state.clone_from(&here);
            if machine.retake(other, choices, self.inputs.clone()).is_err() {
                return;
            }
            here.clone_from(&machine.state);
            if self.settle(machine, thread) {
                return;
            }
        }
    }

    /// A thread that waits may have something to do before that nobody can see: in the search it waits at once, in a
    /// replay, where every step is one, it must do it first. What it does is the same whenever it does it. The machine
    /// is in a state in which it may wait; true if it does.
    fn settle(&mut self, machine: &mut Machine<'_, Choices>, thread: usize) -> bool {
        machine.oracle = Choices::again(&[], std::mem::take(&mut self.inputs));
        let waits = machine.step(thread) == Err(Stopped::Blocked);
        if waits && machine.steps > 0 {
            self.note_steps(thread, &[], machine, false);
        }
        self.inputs = machine.oracle.events.take().unwrap_or_default();
        waits
    }

    /// A cycle must lead back to the same state also when every input has a value. Where an input that is open at
    /// the end of the cycle stands for another that was open at its beginning, both get the same value; there
    /// is one, unless the inputs change places.
    fn unite(&mut self, before: Vec<u32>, after: Vec<u32>) -> Result<(), Reason> {
        before.into_iter().zip(after).try_for_each(|(one, other)| self.unite_two(one as usize, other as usize))
    }

    fn unite_two(&mut self, one: usize, other: usize) -> Result<(), Reason> {
        if one == other {
            return Ok(());
        }
        let (Some(a), Some(b)) = (self.inputs.get(one), self.inputs.get(other)) else { return Ok(()) };
        let (low, high) = (a.low.max(b.low), a.high.min(b.high));
        if low > high || self.same.iter().any(|(_, known)| *known == other) {
            let why = "a cycle that repeats only after several rounds, because inputs change places in it";
            return Err(Reason::Limit(why.to_string()));
        }
        for number in [one, other] {
            (self.inputs[number].low, self.inputs[number].high) = (low, high);
        }
        self.same.push((one, other));
        Ok(())
    }

    fn finish(self) -> Schedule {
        let Rerun { mut schedule, inputs, same, .. } = self;
        let mut values: Vec<u64> = inputs.iter().map(|input| input.low).collect();
        same.into_iter().for_each(|(one, other)| values[other] = values[one]);
        // A part has a later number than what it is a part of.
        for (number, input) in inputs.iter().enumerate().rev() {
            if let Some((whole, shift)) = input.part_of {
                values[whole as usize] |= values[number] << shift;
            }
        }
        let inputs = inputs.iter().zip(values).filter(|(input, _)| input.part_of.is_none());
        schedule.inputs = inputs.map(|(i, value)| Input { thread: i.thread, value: u128::from(value) }).collect();
        schedule
    }
}
