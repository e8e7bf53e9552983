//! The engines of `selvedge swarm`, one entry each.

use crate::engines::{Capability, Entry};
use selvedge_engine::{Engine, Task};
use selvedge_outside::{IntervalSource, Outside as Checker, Tool};
use selvedge_program::{Program, Scope};
use selvedge_swarm::runner::Backend;
use selvedge_swarm::runner::explicit::Explicit;
use selvedge_swarm::runner::lazy::Lazy;
use selvedge_swarm::runner::outside::Outside;
use selvedge_symbolic::lazy::instances::{Ground, Reuse};
use std::sync::Arc;

/// The program within bounds, and how its instances are to be checked.
pub struct Work<'a> {
    pub program: &'a Program,
    pub task: &'a Task,
    pub ground: &'a Ground<'a>,
    pub reuse: Reuse,
    pub intervals: IntervalSource,
    /// For each instance.
    pub memory_limit: Option<u64>,
}

pub struct MakeBackend {
    pub backend: for<'a> fn(Work<'a>) -> Box<dyn Backend + 'a>,
    /// Looks for unchecked misuse.
    pub prober: fn() -> Arc<dyn Engine>,
}

pub static SWARM_ENGINES: [Entry<MakeBackend>; 3] = [
    Entry {
        name: "lazy",
        help: "Assumptions on one formula for a SAT solver, which keeps what it learns",
        scope: Scope::STEPS,
        capabilities: &[
            Capability::Rounds,
            Capability::Switches,
            Capability::Unwinding,
            Capability::Intervals,
            Capability::Reuse,
        ],
        cores: 1,
        make: MakeBackend {
            backend: |work| Box::new(Lazy::new(work.ground, work.reuse)),
            prober: || Arc::new(selvedge_symbolic::lazy::Lazy::default()),
        },
    },
    Entry {
        name: "explicit",
        help: "Explicit-state search with preemptions at the tiles' places in the program",
        scope: Scope::STEPS,
        capabilities: &[Capability::Switches, Capability::Unwinding],
        cores: 1,
        make: MakeBackend {
            backend: |Work { program, task, ground, .. }| Box::new(Explicit { program, task, ground }),
            prober: || Arc::new(selvedge_search::explicit::Explicit::ONE),
        },
    },
    Entry {
        name: "cbmc",
        help: "A file of sequential C for each instance, checked by CBMC",
        scope: Scope::STEPS,
        capabilities: &[Capability::Rounds, Capability::Switches, Capability::Unwinding, Capability::Intervals],
        cores: 1,
        make: MakeBackend {
            backend: |Work { ground, task, intervals, memory_limit, .. }| {
                let engine = Checker { intervals, ..Checker::new(Tool::Cbmc) };
                Box::new(Outside { engine, ground, task, memory_limit })
            },
            prober: || Arc::new(selvedge_symbolic::lazy::Lazy::default()),
        },
    },
];
