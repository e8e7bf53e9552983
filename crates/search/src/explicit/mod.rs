//! Explicit-state search over all interleavings, fewest preemptions first.
//!
//! Every reachable state is visited, and stored exactly. Musuvathi and Qadeer (PLDI 2007) order runs
//! by their preemptions: switches away from a thread that could have gone on. We search level by
//! level, all runs with no preemption, then with one, and so on, without ever expanding a transition twice:
//!
//! If a state was first reached with c preemptions, each of its threads is run with at most c + 1 of
//! them, so reaching it again with more adds nothing. If it is reached again with exactly c, by
//! another thread u, then u may go on for free: (state, u) is expanded on this level instead of the next.
//!
//! The first violation therefore has the fewest preemptions there are, and when a level leaves nothing for
//! the next, everything has been searched.
//!
//! A transition is a visible step with the invisible ones behind it ([`selvedge_vm::sharing`]).
//!
//! Within a level we go depth first, which gets to the end of programs with many threads. That may
//! make a long way of a short one, so a long counterexample is looked for again, breadth first, for
//! as long as the first search took at most.

mod adaptive;
mod approximate;
mod breadth;
mod deadlock;
pub mod delays;
mod depth_first;
mod disk;
pub(crate) mod end;
mod frontier;
pub mod instances;
mod long_steps;
mod path;
mod pool;
mod prefetch;
mod races;
mod rounds;
mod search;
mod seen;
mod shared;
mod side_table;
mod sleep;
mod step_cache;
pub(crate) mod store;
mod superstep_search;
mod swarm;
mod symmetry;
pub mod warmup;
mod worker;

use disk::Blocks;
use search::{End, Order, Search};
pub use seen::Memory;
use selvedge_engine::{Control, Engine, Outcome, Task};
use selvedge_program::Statistics;
use selvedge_program::{Ends, Finding, Program, Properties, Property, Reach, Reason, Scope};
use selvedge_vm::watch;
use selvedge_vm::{Code, Sharing};
use std::collections::BTreeSet;
use std::time::Instant;
pub use symmetry::Symmetry;

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Explicit {
    /// Take every access for visible. Slow; for comparison.
    pub no_reduction: bool,
    /// How many search at the same time; 0 is 1.
    pub jobs: usize,
    /// Let threads run on while that does not matter to the others.
    pub supersteps: bool,
    /// Try one of two orders of transitions that can be exchanged, depth first. Not within bounds, nor under an
    /// abstraction.
    pub sleep_sets: bool,
    /// The kind of store, which decides how states are told apart.
    pub memory: Memory,
    /// Are states one that differ only in which of several equal threads is where? Not with supersteps or hashes.
    pub symmetry: Symmetry,
}

impl Explicit {
    /// One searches, with the reductions that keep runs with few preemptions.
    pub const ONE: Explicit = Explicit {
        no_reduction: false,
        jobs: 1,
        supersteps: false,
        sleep_sets: false,
        memory: Memory::Exact,
        symmetry: Symmetry::Never,
    };
}

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn scope(&self) -> Scope {
        // A superstep passes states by.
        let properties = match self.supersteps {
            true => Properties::STATES,
            false => Properties::STATES.with(Property::Race),
        };
        Scope { properties, init: true, abstraction: !self.sleep_sets, store_buffers: true }
    }

    fn search(&self, program: &Program, task: &Task, control: &Control) -> Outcome {
        let started = Instant::now();
        let code = match Code::new(program, task.properties) {
            Ok(code) => code,
            Err(error) => return self.gave_up(Reason::Limit(error.to_string())),
        };
        if let Err(reason) = watch::check_init(&code) {
            return self.gave_up(reason);
        }
        let mut sharing = self.sharing(&code, task, control);
        if self.memory != Memory::Exact || self.sleep_sets {
            let (finding, mut statistics) = swarm::search(*self, &code, sharing, task, control);
            statistics.take_time(started);
            return Outcome { finding, statistics, by: self.name() };
        }
        let symmetry = self.wants_symmetry(&code, &sharing, task);
        let blocks = match control.disk.as_ref().map(Blocks::new).transpose() {
            Ok(blocks) => blocks,
            Err(reason) => return self.gave_up(reason),
        };
        let mut statistics = Statistics::default();
        let finding = loop {
            let mut search = Search::new(&code, sharing, task, control, Order::DepthFirst, self.jobs)
                .with_disk(blocks.as_ref())
                .with_supersteps(self.supersteps)
                .with_symmetry(symmetry);
            let result = search.run();
            statistics.transitions += search.transitions();
            statistics.peak_memory = statistics.peak_memory.max(search.memory());
            statistics.states = search.states();
            statistics.preemptions = search.level().checked_sub(1);
            match result {
                Err(End::Shared) => {
                    statistics.restarts += 1;
                    sharing = search.into_sharing().widened();
                }
                Err(End::Found(evidence)) => {
                    statistics.preemptions = Some(search.level());
                    let long = search.counterexample(evidence);
                    break search.shorter(task, long).into();
                }
                Err(End::Stopped(reason)) => break search.best_so_far(reason),
                Ok(coverage) => {
                    statistics.preemptions = Some(search.level());
                    break Finding::NoneWithin(coverage);
                }
            }
        };
        statistics.on_disk = blocks.map_or(0, |blocks| blocks.bytes());
        if task.bounds.switches.is_some() {
            // Levels were something else.
            statistics.preemptions = None;
        }
        statistics.take_time(started);
        Outcome { finding, statistics, by: self.name() }
    }
}

impl Explicit {
    fn gave_up(&self, reason: Reason) -> Outcome {
        Outcome { finding: Finding::GaveUp(reason), statistics: Statistics::default(), by: self.name() }
    }

    /// The ends of some random runs.
    pub fn random_ends(code: &Code<'_>, task: &Task, control: &Control) -> (Ends, Reach) {
        warmup::ends(code, task, control).describe(code, false)
    }

    fn wants_symmetry(&self, code: &Code<'_>, sharing: &Sharing, task: &Task) -> bool {
        let wanted = self.symmetry.is_wanted(code, sharing, task.max_input_values);
        wanted && !self.supersteps && (self.symmetry == Symmetry::Always || task.bounds.switches.is_none())
    }

    pub(crate) fn sharing(&self, code: &Code<'_>, task: &Task, control: &Control) -> Sharing {
        if self.no_reduction {
            return Sharing::everything();
        }
        let fresh = Sharing::new(code.layout.initial.len() * 8, code.layout.variable_starts());
        warmup::learn(code, fresh, task, control)
    }

    /// The contents of all globals, as words, in every way in which the process can end; `None` if
    /// the search is not complete or finds a violation. For comparing reductions.
    pub fn final_globals(&self, program: &Program, task: &Task) -> Option<BTreeSet<Vec<u64>>> {
        let code = Code::new(program, task.properties).ok()?;
        let control = Control::default();
        let mut sharing = self.sharing(&code, task, &control);
        let symmetry = self.wants_symmetry(&code, &sharing, task);
        loop {
            let mut search = Search::new(&code, sharing, task, &control, Order::DepthFirst, self.jobs)
                .with_supersteps(self.supersteps)
                .with_symmetry(symmetry);
            search.collect_finals();
            match search.run() {
                Err(End::Shared) => sharing = search.into_sharing().widened(),
                Ok(coverage) if coverage.is_complete() => return search.finals(),
                _ => return None,
            }
        }
    }
}
