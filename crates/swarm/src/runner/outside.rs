//! Instances for an outside checker: a file of sequential C for each, as in the paper.

use super::{Backend, Checked, Instance, Runner};
use selvedge_engine::{Control, Task};
use selvedge_outside::Outside as Engine;
use selvedge_outside::instances::Instances;
use selvedge_program::{Coverage, Reason, Scope};
use selvedge_symbolic::lazy::instances::Ground;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

pub struct Outside<'a> {
    pub engine: Engine,
    pub ground: &'a Ground<'a>,
    pub task: &'a Task,
    /// The limit of each process.
    pub memory_limit: Option<u64>,
}

impl Backend for Outside<'_> {
    fn name(&self) -> &'static str {
        self.engine.tool.name()
    }

    fn scope(&self) -> Scope {
        selvedge_engine::Engine::scope(&self.engine)
    }

    fn with_runner(&self, _: usize, control: &Control, work: &mut dyn FnMut(&mut dyn Runner)) -> Result<(), Reason> {
        let control = Control { memory_limit: self.memory_limit, disk: None, watcher: None, ..control.clone() };
        let instances = Instances::new(self.engine.clone(), self.ground, self.task, &control)?;
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

    fn limits(&mut self, stop: &Arc<AtomicBool>, deadline: Option<Instant>) -> Result<Coverage, Reason> {
        let started = Instant::now();
        self.instances.coverage(&Control {
            stop: stop.clone(),
            time_limit: deadline.map(|deadline| deadline.saturating_duration_since(started)),
            memory_limit: self.memory_limit,
            started,
            ..Control::default()
        })
    }

    fn computes_here(&self) -> bool {
        false
    }

    fn size(&self) -> (u64, u64) {
        (self.instances.statistics.variables, self.instances.statistics.clauses)
    }
}
