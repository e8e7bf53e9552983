//! Does a formula of linear temporal logic hold of all runs? The automata-theoretic way (Vardi and Wolper, LICS
//! 1986): the negated formula becomes an automaton, and a run that it accepts is a cycle in the product of the
//! automaton and the program's states.
//!
//! Steps that no other thread can see are merged as everywhere else. A write to something that a proposition reads
//! counts as seen ([`selvedge_vm::sharing`]), so a transition changes propositions only with its first step, and what
//! is left out are moments in which nothing changes: formulas without X cannot tell. Supersteps have the same
//! condition. A formula with X needs the search without merging, and without them.
//!
//! A run that ends stays in its last state for ever. If no thread can go on, that is a deadlock, and found as one.
//!
//! | file | |
//! |---|---|
//! | `graph` | the program's states, what holds in them, and where they lead |
//! | `emptiness` | looks for a cycle that is accepted, and fair |
//! | `cycle` | a short one in a part of the graph that has one |

mod cycle;
mod emptiness;
mod graph;

use crate::explicit::Explicit;
use crate::explicit::end::End;
use emptiness::Product;
use graph::Graph;
use selvedge_engine::counterexample::of_lasso;
use selvedge_engine::{Control, Engine, Outcome, Task};
use selvedge_ltl::Automaton;
use selvedge_program::{Coverage, Finding, Program, Reason, Scope, Specification, Statistics, Violation};
use selvedge_vm::Code;
use selvedge_vm::watch::{Watch, check_init};

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
        Outcome::of(self.name(), |statistics| self.explore(program, task, control, statistics))
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
        let Some(specification) = &program.observers.specification else {
            return Err(Reason::Limit("there is no formula to check".to_string()));
        };
        let mut watch = Watch::new(&program.observers);
        let automaton = Automaton::new(&specification.formula.negated()).map_err(|error| limit(&error))?;
        let mut sharing = Explicit { no_reduction: self.no_reduction, ..Explicit::ONE }.sharing(&code, task, control);
        loop {
            let mut graph = Graph::new(&code, sharing, task, control, watch).with_supersteps(self.supersteps);
            let result = run(&mut graph, &automaton, specification);
            statistics.states = graph.len() as u64;
            statistics.transitions += graph.expander.transitions;
            statistics.peak_memory = statistics.peak_memory.max(graph.memory());
            match result {
                Ok(finding) => return Ok(finding),
                Err(End::Stopped(reason)) => return Err(reason),
                Err(End::Found(found)) => return Ok((*found).into()),
                Err(End::Shared) => {
                    statistics.restarts += 1;
                    (sharing, watch) = (graph.expander.machine.sharing.widened(), graph.expander.watch);
                }
            }
        }
    }
}

fn run(graph: &mut Graph<'_>, automaton: &Automaton, specification: &Specification) -> Result<Finding, End> {
    graph.begin()?;
    let mut product = Product::new(automaton, specification.fair);
    if let Some(lasso) = product.find_accepted(graph)? {
        let (prefix, cycle) = (graph.legs(&lasso.prefix), graph.legs(&lasso.cycle));
        graph.load_start();
        let schedule = of_lasso(&mut graph.expander, &prefix, cycle).map_err(End::Stopped)?;
        return Ok(Finding::Violation { schedule, violation: Violation::of_specification(specification) });
    }
    // The product leaves out what cannot break the formula; other properties want all states.
    graph.complete()?;
    Ok(Finding::NoneWithin(Coverage::default().with_ends(graph.ends())))
}
