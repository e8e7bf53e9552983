//! From a path in the graph to a schedule: the path is run again from the start, now with the inputs that it takes.
//!
//! A cycle must lead back to the same state also when every input has a value. Where an input that is open at
//! the end of the cycle stands for another that was open at its beginning, both get the same value; there
//! is one, unless the inputs change places.

use super::cycle::Run;
use super::graph::{Edge, Graph, Phase};
use crate::explicit::choices::{Choices, OpenInput};
use crate::explicit::store::StateId;
use selvedge_program::schedule::Input;
use selvedge_program::{Reason, Schedule};
use selvedge_vm::Stopped;

/// A step: whose, if anybody's, and its choices.
pub type Step = (Option<u8>, Vec<u32>);

impl Graph<'_> {
    pub fn tell(&mut self, path: &[Step]) -> Schedule {
        let mut telling = Telling::default();
        self.store.load(StateId(0), &mut self.machine.state);
        path.iter().for_each(|step| self.tell_step(step, &mut telling));
        telling.finished()
    }

    pub fn tell_lasso(&mut self, run: &Run) -> Result<Schedule, Reason> {
        let steps = |graph: &Graph<'_>, edges: &[Edge]| -> Vec<Step> {
            edges.iter().map(|edge| (edge.by, graph.choices[edge.choices as usize].clone())).collect()
        };
        let run = self.outside_of_sections(run)?;
        let (prefix, cycle) = (steps(self, &run.prefix), steps(self, &run.cycle));
        let start = run.prefix.last().map_or(0, |edge| edge.to);
        let mut telling = Telling::default();
        self.store.load(StateId(0), &mut self.machine.state);
        prefix.iter().for_each(|step| self.tell_step(step, &mut telling));
        self.settle(&run, &mut telling);
        telling.schedule.begin_cycle();
        if self.nodes[start as usize].phase == Phase::Running {
            let before = self.machine.state.lazy.events();
            cycle.iter().for_each(|step| self.tell_step(step, &mut telling));
            let after = self.machine.state.lazy.events();
            for (one, other) in before.into_iter().zip(after) {
                telling.unite(one as usize, other as usize)?;
            }
        }
        Ok(telling.finished())
    }

    /// A thread that waits may have something to do before that nobody can see: in the search it waits at once, in a
    /// replay, where every step is one, it must do it first. What it does is the same whenever it does it.
    fn settle(&mut self, run: &Run, telling: &mut Telling) {
        let here = self.machine.state.clone();
        let moves = |thread: usize| run.cycle.iter().any(|edge| edge.by == Some(thread as u8));
        for thread in (0..here.threads.len()).filter(|t| !here.threads[*t].is_finished() && !moves(*t)) {
            let waits = |edge: &&Edge| self.nodes[edge.to as usize].idle >> thread & 1 == 1;
            let Some(edge) = run.cycle.iter().find(waits) else { continue };
            self.store.load(self.nodes[edge.to as usize].state, &mut self.machine.state);
            self.machine.oracle = Choices::retelling(&[], std::mem::take(&mut telling.inputs));
            if self.machine.step(thread) == Err(Stopped::Blocked) && self.machine.steps > 0 {
                telling.schedule.push(thread as u32, self.machine.steps);
            }
            telling.inputs = self.machine.oracle.events.take().unwrap_or_default();
        }
        self.machine.state = here;
    }

    /// The same run, with a cycle that does not begin in the middle of an atomic section: schedules cannot.
    fn outside_of_sections(&mut self, run: &Run) -> Result<Run, Reason> {
        let mut run = run.clone();
        for _ in 0..run.cycle.len() {
            let start = run.prefix.last().map_or(0, |edge| edge.to);
            self.store.load(self.nodes[start as usize].state, &mut self.machine.state);
            if self.machine.state.inside_atomic().is_none() {
                return Ok(run);
            }
            run.prefix.push(run.cycle[0]);
            run.cycle.rotate_left(1);
        }
        Err(Reason::Limit("an atomic section goes on for ever".to_string()))
    }

    fn tell_step(&mut self, (by, choices): &Step, telling: &mut Telling) {
        let Some(thread) = by.map(usize::from) else { return };
        self.machine.oracle = Choices::retelling(choices, std::mem::take(&mut telling.inputs));
        let before = self.machine.state.clone();
        if self.machine.step(thread) == Err(Stopped::Blocked) {
            // Not a step, only the choice of inputs for which there is none.
            self.machine.state = before;
            let narrowed = std::mem::take(&mut self.machine.narrowed);
            narrowed.into_iter().for_each(|narrowed| self.machine.state.narrow(narrowed));
            self.machine.state.tidy_symbols();
        } else {
            telling.schedule.push(thread as u32, self.machine.steps);
            // Observers may choose, too: as they did.
            let _ = self.watch.broken(&mut self.machine, thread);
            if self.machine.state.inside_atomic().is_none() {
                let _ = self.watch.letter(&mut self.machine);
            }
        }
        telling.inputs = self.machine.oracle.events.take().unwrap_or_default();
    }
}

#[derive(Default)]
struct Telling {
    schedule: Schedule,
    inputs: Vec<OpenInput>,
    /// Inputs that must have the value of another one.
    same: Vec<(usize, usize)>,
}

impl Telling {
    fn unite(&mut self, one: usize, other: usize) -> Result<(), Reason> {
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

    fn finished(self) -> Schedule {
        let Telling { mut schedule, inputs, same } = self;
        let mut values: Vec<u64> = inputs.iter().map(|input| input.low).collect();
        same.into_iter().for_each(|(one, other)| values[other] = values[one]);
        let inputs = inputs.iter().zip(values);
        schedule.inputs = inputs.map(|(i, value)| Input { thread: i.thread, value: u128::from(value) }).collect();
        schedule
    }
}
