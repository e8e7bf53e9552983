//! Does a formula of linear temporal logic hold of all runs? The automata-theoretic way (Vardi and Wolper, LICS
//! 1986): the negated formula becomes an automaton, and a run that it accepts is a cycle in the product of the
//! automaton and the program's states.
//!
//! Steps that no other thread can see are merged as everywhere else. A write to something that a proposition reads
//! counts as seen ([`selvedge_vm::sharing`]), so a transition changes propositions only with its first step, and what
//! is left out are moments in which nothing changes: formulas without X cannot tell. Supersteps have the same condition.
//! A formula with X needs the search without merging, and without them.
//!
//! A run that ends stays in its last state for ever. Where nobody can go on that is a deadlock, and found as one.
//!
//! | file | |
//! |---|---|
//! | `graph` | the program's states, what holds in them, and where they lead |
//! | `superstep` | the same with threads that run on |
//! | `emptiness` | looks for a cycle that is accepted, and fair |
//! | `cycle` | a short one in a part of the graph that has one |
//! | `tell` | from a path in the graph to a schedule |

mod cycle;
mod emptiness;
mod graph;
mod superstep;
mod tell;

use crate::explicit::Explicit;
use crate::watch::{Watch, check_init};
use crate::{Control, Engine, Outcome, Statistics, Task};
use emptiness::Product;
use graph::{End, Graph};
use selvedge_ltl::Automaton;
use selvedge_program::{Coverage, Finding, Program, Reason, Scope, Specification, Violation};
use selvedge_vm::{Code, Sharing};
use std::time::Instant;

/// The engine for programs that have a specification.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ltl {
    /// Take every access for visible: slow, but then steps can be counted.
    pub no_reduction: bool,
    /// Let threads run on while that matters neither to the others nor to the formula, unless that counts steps.
    pub supersteps: bool,
}

impl Engine for Ltl {
    fn name(&self) -> &'static str {
        "ltl"
    }

    fn scope(&self) -> Scope {
        Scope::RUNS
    }

    fn search(&self, program: &Program, task: &Task, control: &Control) -> Outcome {
        let started = Instant::now();
        let mut statistics = Statistics::default();
        let finding = match self.explore(program, task, control, &mut statistics) {
            Ok(finding) => finding,
            Err(reason) => Finding::GaveUp(reason),
        };
        statistics.seconds = started.elapsed().as_secs_f64();
        statistics.states_per_second = (statistics.states as f64 / statistics.seconds.max(1e-6)) as u64;
        Outcome { finding, statistics, by: self.name() }
    }
}

impl Ltl {
    fn explore(
        &self,
        program: &Program,
        task: &Task,
        control: &Control,
        statistics: &mut Statistics,
    ) -> Result<Finding, Reason> {
        let limit = |error: &dyn std::error::Error| Reason::Limit(error.to_string());
        let code = Code::new(program, task.properties).map_err(|error| limit(&error))?;
        check_init(&code)?;
        let (Some(specification), Some(mut watch)) = (&program.observers.specification, Watch::new(&program.observers))
        else {
            return Err(Reason::Limit("there is no formula to check".to_string()));
        };
        let automaton = Automaton::new(&specification.formula.negated()).map_err(|error| limit(&error))?;
        let mut sharing = Explicit { no_reduction: self.no_reduction, ..Explicit::ONE }.sharing(&code, task);
        loop {
            let mut graph = Graph::new(&code, sharing, task, control, watch).with_supersteps(self.supersteps);
            let result = run(&mut graph, &automaton, specification);
            statistics.states = graph.len() as u64;
            statistics.transitions += graph.transitions;
            statistics.peak_memory = statistics.peak_memory.max(graph.memory());
            match result {
                Ok(finding) => return Ok(finding),
                Err(End::Stopped(reason)) => return Err(reason),
                Err(End::Found(finding)) => return Ok(*finding),
                Err(End::Shared) => {
                    statistics.restarts += 1;
                    (sharing, watch) = graph.learnt();
                }
            }
        }
    }
}

fn run(graph: &mut Graph<'_>, automaton: &Automaton, specification: &Specification) -> Result<Finding, End> {
    graph.begin()?;
    let mut product = Product::new(automaton, specification.fair);
    if let Some(lasso) = product.find_accepted(graph)? {
        let schedule = graph.tell_lasso(&lasso).map_err(End::Stopped)?;
        return Ok(Finding::Violation { schedule, violation: Violation::of_specification(specification) });
    }
    // The product leaves out what cannot break the formula; other properties want all states.
    graph.complete()?;
    Ok(Finding::NoneWithin(Coverage::default().with_ends(graph.ends())))
}

impl Graph<'_> {
    fn learnt(self) -> (Sharing, Watch) {
        (self.machine.sharing.widened(), self.watch)
    }
}
