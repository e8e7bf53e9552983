//! From the transitions of a run to its schedule: the run is run again from the start, now with the inputs that it
//! takes. Used by all searches over the VM's states.

use selvedge_program::schedule::Input;
use selvedge_program::{Reason, Schedule, Violation};
use selvedge_vm::choices::{Choices, OpenInput};
use selvedge_vm::watch::Watch;
use selvedge_vm::{Ended, Machine, Stopped};

#[derive(Default)]
pub struct Telling {
    pub schedule: Schedule,
    pub inputs: Vec<OpenInput>,
    /// Inputs that must have the value of another one.
    same: Vec<(usize, usize)>,
}

/// How a transition went: as the machine says, and an invariant that does not hold after it.
pub struct Told {
    pub result: Result<Ended, Stopped>,
    pub broken: Option<Violation>,
}

impl Telling {
    /// A transition of `thread` from the machine's state, with these choices.
    pub fn step(
        &mut self,
        machine: &mut Machine<'_, Choices>,
        watch: Option<&mut Watch>,
        thread: usize,
        choices: &[u32],
    ) -> Told {
        machine.oracle = Choices::retelling(choices, std::mem::take(&mut self.inputs));
        let before = machine.state.clone();
        let result = machine.step(thread);
        let mut broken = None;
        if result == Err(Stopped::Blocked) {
            // Not a step, only the choice of inputs for which there is none.
            machine.state = before;
            let narrowed = std::mem::take(&mut machine.narrowed);
            narrowed.into_iter().for_each(|narrowed| machine.state.narrow(narrowed));
            machine.state.tidy_symbols();
        } else {
            self.schedule.push(thread as u32, machine.steps);
            // Observers may choose, too: as they did.
            if let (Ok(_), Some(watch)) = (&result, watch) {
                broken = watch.broken(machine, thread).ok().flatten();
                if machine.state.inside_atomic().is_none() {
                    let _ = watch.letter(machine);
                }
                let _ = watch.key(machine);
            }
        }
        self.inputs = machine.oracle.events.take().unwrap_or_default();
        Told { result, broken }
    }

    /// A thread that waits may have something to do before that nobody can see: in the search it waits at once, in a
    /// replay, where every step is one, it must do it first. What it does is the same whenever it does it. The machine
    /// is in a state in which it may wait; true if it does.
    pub fn settle(&mut self, machine: &mut Machine<'_, Choices>, thread: usize) -> bool {
        machine.oracle = Choices::retelling(&[], std::mem::take(&mut self.inputs));
        let waits = machine.step(thread) == Err(Stopped::Blocked);
        if waits && machine.steps > 0 {
            self.schedule.push(thread as u32, machine.steps);
        }
        self.inputs = machine.oracle.events.take().unwrap_or_default();
        waits
    }

    /// A cycle must lead back to the same state also when every input has a value. Where an input that is open at
    /// the end of the cycle stands for another that was open at its beginning, both get the same value; there
    /// is one, unless the inputs change places.
    pub fn unite(&mut self, before: Vec<u32>, after: Vec<u32>) -> Result<(), Reason> {
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

    pub fn finished(self) -> Schedule {
        let Telling { mut schedule, inputs, same } = self;
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
