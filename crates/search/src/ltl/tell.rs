//! From a path in the graph to a schedule.

use super::cycle::Run;
use super::graph::{Edge, Graph, Phase};
use crate::explicit::store::StateId;
use crate::telling::Telling;
use selvedge_program::{Reason, Schedule};

/// What an edge stands for: whose step, if anybody's, the choices of its first transition, and how many it has.
#[derive(Clone, Debug)]
pub struct Step {
    pub by: Option<u8>,
    pub length: u8,
    pub choices: Vec<u32>,
}

impl Step {
    /// A single transition.
    pub fn new(thread: usize, choices: Vec<u32>) -> Step {
        Step { by: Some(thread as u8), length: 1, choices }
    }
}

impl Graph<'_> {
    pub fn tell(&mut self, path: &[Step]) -> Schedule {
        let mut telling = Telling::default();
        self.load(StateId(0));
        path.iter().for_each(|step| self.tell_step(step, &mut telling));
        telling.finished()
    }

    pub fn tell_lasso(&mut self, run: &Run) -> Result<Schedule, Reason> {
        let steps =
            |graph: &Graph<'_>, edges: &[Edge]| -> Vec<Step> { edges.iter().map(|edge| graph.step(*edge)).collect() };
        let run = self.outside_of_sections(run)?;
        let (prefix, cycle) = (steps(self, &run.prefix), steps(self, &run.cycle));
        let start = run.prefix.last().map_or(0, |edge| edge.to);
        let mut telling = Telling::default();
        self.load(StateId(0));
        prefix.iter().for_each(|step| self.tell_step(step, &mut telling));
        self.settle(&run, &mut telling);
        telling.schedule.begin_cycle();
        if self.nodes[start as usize].phase == Phase::Running {
            let before = self.machine.state.late_inputs.events();
            cycle.iter().for_each(|step| self.tell_step(step, &mut telling));
            telling.unite(before, self.machine.state.late_inputs.events())?;
        }
        Ok(telling.finished())
    }

    /// Threads that wait do first what they do before.
    fn settle(&mut self, run: &Run, telling: &mut Telling) {
        let here = self.machine.state.clone();
        let moves = |thread: usize| run.cycle.iter().any(|edge| edge.by == Some(thread as u8));
        for thread in (0..here.threads.len()).filter(|t| !here.threads[*t].is_finished() && !moves(*t)) {
            let waits = |edge: &&Edge| self.nodes[edge.to as usize].idle >> thread & 1 == 1;
            let Some(edge) = run.cycle.iter().find(waits) else { continue };
            self.load(self.nodes[edge.to as usize].state);
            telling.settle(&mut self.machine, thread);
        }
        self.machine.state = here;
    }

    /// The same run, with a cycle that does not begin in the middle of an atomic section: schedules cannot.
    fn outside_of_sections(&mut self, run: &Run) -> Result<Run, Reason> {
        let mut run = run.clone();
        for _ in 0..run.cycle.len() {
            let start = run.prefix.last().map_or(0, |edge| edge.to);
            self.load(self.nodes[start as usize].state);
            if self.machine.state.inside_atomic().is_none() {
                return Ok(run);
            }
            run.prefix.push(run.cycle[0]);
            run.cycle.rotate_left(1);
        }
        Err(Reason::Limit("an atomic section goes on for ever".to_string()))
    }

    fn tell_step(&mut self, Step { by, length, choices }: &Step, telling: &mut Telling) {
        let Some(thread) = by.map(usize::from) else { return };
        for number in 0..*length {
            let choices = if number == 0 { choices.as_slice() } else { &[] };
            telling.step(&mut self.machine, Some(&mut self.watch), thread, choices);
        }
    }
}
