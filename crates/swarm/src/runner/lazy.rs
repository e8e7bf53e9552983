//! Instances as assumptions on one formula: nothing is translated again, and the solver keeps what it learns.

use super::{Backend, Checked, Instance, Runner};
use selvedge_engine::{Control, Engine};
use selvedge_program::{Coverage, Cuts, Reason, Scope};
use selvedge_symbolic::lazy::instances::{Exchange, Ground, Instances, Manner, Outside, Reuse, SolverProfile};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Every worker builds the formula itself. The solvers have different profiles and share learnt clauses.
pub struct Lazy<'a> {
    ground: &'a Ground<'a>,
    reuse: Reuse,
    exchange: Exchange,
}

impl<'a> Lazy<'a> {
    pub fn new(ground: &'a Ground<'a>, reuse: Reuse) -> Lazy<'a> {
        Lazy { ground, reuse, exchange: Exchange::default() }
    }
}

impl Backend for Lazy<'_> {
    fn name(&self) -> &'static str {
        "lazy"
    }

    fn scope(&self) -> Scope {
        Engine::scope(&selvedge_symbolic::lazy::Lazy::default())
    }

    fn with_runner(
        &self,
        worker: usize,
        control: &Control,
        work: &mut dyn FnMut(&mut dyn Runner),
    ) -> Result<(), Reason> {
        let stop = || control.is_over();
        let manner = Manner {
            reuse: self.reuse,
            profile: SolverProfile::of_number(worker),
            exchange: Some(self.exchange.clone()),
        };
        let instances = Instances::new(self.ground, control, &stop, manner)?;
        work(&mut LazyRunner { ground: self.ground, instances });
        Ok(())
    }
}

struct LazyRunner<'g> {
    ground: &'g Ground<'g>,
    instances: Instances<'g>,
}

impl Runner for LazyRunner<'_> {
    fn run(&mut self, instance: &Instance<'_>, deadline: Option<Instant>) -> Result<Checked, Reason> {
        self.instances.check(&instance.allowed, deadline)
    }

    fn limits(&mut self, stop: &Arc<AtomicBool>, deadline: Option<Instant>) -> Result<Coverage, Reason> {
        let Outside { cut, obstacle, checks } = self.instances.outside(stop, deadline)?;
        let coverage = self.ground.limits(cut.map_or(Cuts::Perhaps, Cuts::any));
        match obstacle {
            Some(reason) => Err(reason),
            None if !checks => Err(Reason::NothingChecked { within: Box::new(coverage) }),
            None => Ok(coverage),
        }
    }

    fn size(&self) -> (u64, u64) {
        (self.instances.statistics.variables, self.instances.statistics.clauses)
    }
}
