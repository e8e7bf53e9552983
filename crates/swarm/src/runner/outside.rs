//! Instances for an outside checker: a file of sequential C for each, as in the paper.

use super::{Backend, Checked, Instance, Runner};
use selvedge_engines::lazy::instances::Ground;
use selvedge_engines::outside::instances::Instances;
use selvedge_engines::outside::{Outside as Engine, Style, Tool};
use selvedge_engines::{Control, Task};
use selvedge_program::Reason;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

pub struct Outside<'a> {
    pub tool: Tool,
    pub ground: &'a Ground<'a>,
    pub task: &'a Task,
    /// For each process.
    pub memory_limit: Option<u64>,
}

impl Backend for Outside<'_> {
    fn name(&self) -> &'static str {
        self.tool.name()
    }

    fn hire(&self, _: usize, control: &Control, work: &mut dyn FnMut(&mut dyn Runner)) -> Result<(), Reason> {
        let control = Control {
            stop: control.stop.clone(),
            memory_limit: self.memory_limit,
            disk: None,
            watcher: None,
            ..*control
        };
        let engine = Engine { tool: self.tool.clone(), style: Style::Tacas17 };
        let instances = Instances::new(engine, self.ground, self.task, &control)?;
        work(&mut OutsideRunner { instances, memory_limit: self.memory_limit });
        Ok(())
    }
}

struct OutsideRunner<'a> {
    instances: Instances<'a>,
    memory_limit: Option<u64>,
}

impl Runner for OutsideRunner<'_> {
    fn run(&mut self, instance: &Instance<'_>, deadline: Option<Instant>) -> Result<Checked, Reason> {
        self.instances.check(&instance.allowed, deadline)
    }

    fn limits(&mut self, stop: &Arc<AtomicBool>, deadline: Option<Instant>) -> Result<Vec<String>, Reason> {
        let started = Instant::now();
        self.instances.limits(&Control {
            stop: stop.clone(),
            time_limit: deadline.map(|deadline| deadline.saturating_duration_since(started)),
            memory_limit: self.memory_limit,
            disk: None,
            started,
            watcher: None,
        })
    }

    fn computes_here(&self) -> bool {
        false
    }

    fn size(&self) -> (u64, u64) {
        (self.instances.statistics.variables, self.instances.statistics.clauses)
    }
}
