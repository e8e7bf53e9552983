//! Dynamic partial order reduction: one run for each order of steps that conflict.
mod attempt;
mod reversal;
mod run;
mod search;
mod spin;
mod step;
mod wakeup;

use crate::explicit::Explicit;
use crate::explicit::end::End;
use search::Search;
pub use search::Ledger;
use selvedge_engine::{Control, Engine, Outcome, Task};
use selvedge_program::{Finding, Program, Properties, Reason, Scope, Statistics};
use selvedge_vm::{Code, watch};
use std::time::Instant;

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dpor {
    /// Take every access for visible. Slow; for comparison.
    pub no_reduction: bool,
}

impl Engine for Dpor {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn scope(&self) -> Scope {
        Scope { properties: Properties::STATES, init: true, abstraction: false, store_buffers: false }
    }

    fn search(&self, program: &Program, task: &Task, control: &Control) -> Outcome {
        let (finding, statistics, _) = self.explore(program, task, control, false);
        Outcome { finding, statistics, by: self.name() }
    }
}

impl Dpor {
    /// Searches, and keeps how runs end.
    pub fn survey(&self, program: &Program, task: &Task) -> (Finding, Statistics, Ledger) {
        self.explore(program, task, &Control::default(), true)
    }

    fn explore(&self, program: &Program, task: &Task, control: &Control, keeps: bool) -> (Finding, Statistics, Ledger) {
        let started = Instant::now();
        let mut statistics = Statistics::default();
        let code = match Code::new(program, task.properties) {
            Ok(code) => code,
            Err(error) => return (Finding::GaveUp(Reason::Limit(error.to_string())), statistics, Ledger::default()),
        };
        if let Err(reason) = watch::check_init(&code) {
            return (Finding::GaveUp(reason), statistics, Ledger::default());
        }
        let mut sharing = Explicit { no_reduction: self.no_reduction, ..Explicit::ONE }.sharing(&code, task);
        loop {
            let mut search = Search::new(&code, sharing, task, control);
            search.ledger = keeps.then(Ledger::default);
            let result = search.run();
            statistics.transitions += search.transitions();
            statistics.peak_memory = statistics.peak_memory.max(search.memory());
            statistics.runs = search.runs;
            statistics.runs_in_vain = search.in_vain;
            let finding = match result {
                Err(End::Shared) => {
                    statistics.restarts += 1;
                    sharing = search.into_sharing().widened();
                    continue;
                }
                Err(End::Found(found)) => Finding::Violation { schedule: found.schedule, violation: found.violation },
                Err(End::Stopped(reason)) => Finding::GaveUp(reason),
                Ok(coverage) => Finding::NoneWithin(coverage),
            };
            statistics.take_time(started);
            return (finding, statistics, search.ledger.take().unwrap_or_default());
        }
    }
}
