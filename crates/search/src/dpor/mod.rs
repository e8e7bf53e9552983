//! Dynamic partial order reduction: one run for each order of the steps that conflict.
//!
//! Flanagan and Godefroid (POPL 2005) learn conflicts from runs: two steps of a run that conflict, and are not ordered
//! by others in between, are a *race*, and a run with the two in the other order is explored as well. Abdulla, Aronis,
//! Jonsson and Sagonas ("Source Sets", JACM 2017) explore exactly one run of each equivalence class of runs that differ
//! only in the order of independent steps: *wake-up trees* hold sequences of steps that are certain to lead to new
//! classes, and *sleep sets* the steps whose continuations have been explored.
//!
//! | module | what it does |
//! |---|---|
//! | `step` | steps, and which of them are independent |
//! | `attempt` | runs a thread from a state, in all ways |
//! | `spin` | loops that wait for a change |
//! | `lanes` | stores that reach memory later |
//! | `run` | happens-before, and races |
//! | `reversal` | from a race to the sequence that reverses it |
//! | `data_races` | races that are data races |
//! | `wakeup` | wake-up trees |
//! | `node` | states of a run, and what is planned there |
//! | `worker` | the depth-first search over runs |
//! | `search` | several workers |
//! | `ledger` | the ends of runs, for comparisons |
//! | `known` | states that have been searched already, if asked |
//!
//! **Steps** are transitions of the machine. Their footprint is all that they really touched and other threads can see;
//! what threads share is learnt ([`selvedge_vm::sharing`]), and a search that learns of more begins anew. Two steps
//! that write what observers read are dependent, for observers see the state in between; the end of the process depends
//! on every step. Everything rests on this: independent steps lead to the same state in both orders, and are the same
//! steps in both, with the same choices and footprints. Two dependences are no accesses that the program makes. A step
//! that goes through all threads (signalling a condition variable) reads what all those have of their own that do not
//! exist yet, so that it is in a race with their first waiting. And who reads memory that nobody has written chooses
//! the value: this is a write, for the next reader has nothing to choose, and its other choices have other numbers
//! then.
//!
//! **Blocking.** The papers assume that no step disables another thread. We keep to that by taking an attempt of a
//! blocked thread for a step that ends the thread: it only reads, so it is in a race with whoever wrote what it reads,
//! but it is never made part of a run. It is looked at in two places. At the end of a run every thread that has not
//! ended is such an attempt. And if the reversal of a race meets a blocked thread, that attempt is in races of its own
//! (`reversal`). This is enough. By induction over the tree of runs, every run of real steps, and every such run with
//! one attempt at its end, has been looked at when all branches of a node are done. Take such a run w from the node, no
//! branch of which begins it, and a branch p for which the longest part of w is independent of p's first step; e is the
//! step of w behind that part. Then p, that part of w, and e (or an attempt in its place, if p disables it) has been
//! looked at below p, and the race of p and e was reversed: there is a branch that begins the part with e behind it,
//! which contradicts the choice of p. A step reads in an order that its thread decides, so steps that do not conflict
//! with e behind p may conflict with e only after e's first conflict with p; of several branches that reach equally far
//! we take the one whose first conflict with e is the latest.
//!
//! Threads that the end of the process overtakes are such attempts, too, and so are steps that an assumption, or a
//! misuse that is not checked, makes impossible, and steps that close a round of a loop that waits.
//!
//! **The end of the process** comes last. A step that does nothing else is taken only where nobody else can go on, and
//! is in no race: all that happens before an early end also happens before the last one, for nobody can tell that a
//! thread is about to end the process, and who waits for ever does so until then. Only where it is checked what memory
//! is left is it a step like others, which conflicts with all.
//!
//! **Inputs.** A thread that is chosen freely is run with all its choices, and a sleeping step is a step with its
//! choices. A choice among values of an input that is open between steps depends on every step, because others may have
//! the input as well.
//!
//! **Deadlocks.** No thread leaves a set of threads that wait for each other for ever ([`selvedge_vm::deadlock`]), and
//! equivalent runs end in the same state. So it is enough to look at the ends of runs, and in the state before the
//! process ends.
//!
//! **Store buffers** add threads that let stores arrive (`lanes`); the process may end, and a section may go on, before
//! they do.
//!
//! **Runs without end** are cut at a depth, which the verdict names.
//!
mod attempt;
mod data_races;
mod known;
mod lanes;
mod ledger;
mod node;
mod reversal;
mod run;
mod search;
mod spin;
mod step;
mod wakeup;
mod worker;

use crate::explicit::Explicit;
use crate::explicit::end::End;
pub use ledger::Ledger;
use search::Search;
use selvedge_engine::{Control, Engine, Outcome, Task};
use selvedge_program::{Finding, Program, Properties, Property, Reason, Scope, Statistics};
use selvedge_vm::{Code, watch};
use std::time::Instant;

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dpor {
    /// Take every access for visible. Slow; for comparison.
    pub no_reduction: bool,
    /// Explore every order of steps, also of independent ones. Very slow; for comparison.
    pub all_orders: bool,
    /// Keep states that have been searched, so that what follows them is not searched again.
    pub keeps_states: bool,
    /// Give up when there are more runs than that.
    pub most_runs: Option<u64>,
    /// How many search at the same time; 0 is 1. One, if states are kept.
    pub jobs: usize,
}

impl Engine for Dpor {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn scope(&self) -> Scope {
        let properties = Properties::STATES.with(Property::Race);
        Scope { properties, init: true, abstraction: false, store_buffers: true }
    }

    fn search(&self, program: &Program, task: &Task, control: &Control) -> Outcome {
        let (finding, statistics, _) = self.explore(program, task, control, false);
        Outcome { finding, statistics, by: self.name() }
    }
}

impl Dpor {
    /// Searches, and records how runs end.
    pub fn search_with_ends(&self, program: &Program, task: &Task) -> (Finding, Statistics, Ledger) {
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
        if task.properties.contains(Property::Race) && program.memory_model.has_buffers() {
            // Which stores race is decided when they are made, and only their arrivals have footprints.
            let why = "data races with store buffers, in a search by conflicts".to_string();
            return (Finding::GaveUp(Reason::Limit(why)), statistics, Ledger::default());
        }
        let mut sharing = Explicit { no_reduction: self.no_reduction, ..Explicit::ONE }.sharing(&code, task, control);
        loop {
            let mut search = Search::new(self, &code, sharing, task, control, keeps);
            let result = search.run();
            search.count(&mut statistics);
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
            return (finding, statistics, search.take_ledger().unwrap_or_default());
        }
    }
}
