//! The solver, and what becomes of its answers.

use super::goals::{Goals, Reservations};
use hashbrown::HashMap;
use selvedge_engine::Control;
use selvedge_formula::{Answer, Evaluator, Incremental, Limits, Node, SolverError, Term, Terms, Theory, Unknown, open};
use selvedge_program::Reason;

pub struct Oracle {
    solver: Box<dyn Incremental>,
    control: Control,
    /// The bytes that the solver held after the first question since it last forgot something.
    needed: Option<usize>,
}

/// Facts learnt about a path are worth keeping, and so is what paths have in common.
const MUCH_MORE: usize = 4;

impl Oracle {
    pub fn new(name: &str, theory: Theory, control: &Control) -> Result<Oracle, Reason> {
        let deadline = control.time_limit.map(|limit| control.started + limit);
        let limits = Limits { stop: Some(control.stop.clone()), deadline, per_check: None };
        let solver = open(name, theory, limits).map_err(|error| refused(&error))?;
        Ok(Oracle { solver, control: control.clone(), needed: None })
    }

    pub fn calls(&self) -> u64 {
        self.solver.work().checks
    }

    /// Terms other than the first so many are about to be forgotten.
    pub fn forget(&mut self, kept: usize) {
        self.solver.forget(kept);
        self.needed = None;
    }

    /// Does it hold much more than one path needs?
    pub fn is_burdened(&self, spare: usize) -> bool {
        self.needed.is_some_and(|needed| self.solver.held() > spare.max(MUCH_MORE * needed))
    }

    /// Is there a run with all of these?
    pub fn ask(&mut self, terms: &Terms, wanted: &[Term]) -> Result<bool, Reason> {
        if wanted.contains(&Terms::FALSE) {
            return Ok(false);
        }
        let answer = self.solver.check(terms, wanted).map_err(|error| refused(&error))?;
        self.needed.get_or_insert(self.solver.held());
        match answer {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(Unknown::OutOfTime | Unknown::Interrupted) => Err(self.control.why_stopped()),
            Answer::Unknown(Unknown::GaveUp(why)) => Err(Reason::Limit(format!("the solver gave up: {why}"))),
        }
    }

    /// The wishes that are to blame if the answer to the last question was no.
    pub fn culprits(&mut self) -> Result<Vec<Term>, Reason> {
        self.solver.core().map_err(|error| refused(&error))
    }

    /// The run of the last answer, as far as these terms depend on it.
    pub fn model(&mut self, terms: &Terms, roots: impl IntoIterator<Item = Term>) -> Result<Model, Reason> {
        let mut variables = HashMap::new();
        for part in terms.cone(roots) {
            if is_variable(terms, part) {
                let value = self.solver.value(terms, part).map_err(|error| refused(&error))?;
                variables.insert(part, value);
            }
        }
        Ok(Model { variables, values: Evaluator::new() })
    }

    /// Nothing was found: how much does that say? Each question only until the answer is yes.
    pub fn learn(&mut self, terms: &mut Terms, goals: Goals, known: &mut Reservations) -> Result<(), Reason> {
        if !known.cut {
            let any = terms.or_all(goals.cut);
            known.cut = self.ask(terms, &[any])?;
        }
        if known.left_out.is_none() {
            let any: Vec<Term> = goals.left_out.iter().map(|(when, ..)| *when).collect();
            let any = terms.or_all(any);
            if self.ask(terms, &[any])? {
                let mut model = self.model(terms, [any])?;
                let met = goals.left_out.into_iter().find(|(when, ..)| model.value(terms, *when) == 1);
                known.left_out = met.map(|(_, what, loc)| (what, loc));
            }
        }
        if !known.checked {
            let any = terms.or_all(goals.reached);
            known.checked = self.ask(terms, &[any])?;
        }
        Ok(())
    }
}

/// A run that the solver found.
pub struct Model {
    variables: HashMap<Term, u128>,
    values: Evaluator,
}

impl Model {
    pub fn value(&mut self, terms: &Terms, term: Term) -> u128 {
        let variables = &self.variables;
        let known = |t: Term| is_variable(terms, t).then(|| variables.get(&t).copied().unwrap_or(0));
        self.values.value(terms, term, &mut { known })
    }
}

fn is_variable(terms: &Terms, term: Term) -> bool {
    matches!(terms.node(term), Node::Var { .. })
}

fn refused(error: &SolverError) -> Reason {
    Reason::Limit(error.to_string())
}
