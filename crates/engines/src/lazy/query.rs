//! One formula that grows by rounds, and the solver that is asked about it.
//!
//! Incremental in the sense of Eén and Sörensson (2003): clauses stay, questions are assumptions. What a
//! question has shown to be impossible is added as a lemma for the rounds to come.

use super::encode::{Check, Encoder, What};
use selvedge_formula::{Blaster, Cadical, Evaluator, Node, Solved, Term, Terms};
use selvedge_program::schedule::Input;
use selvedge_program::{Loc, Program, Properties, Property, Schedule, Violation};
use selvedge_vm::replay::{Replayed, replay};

/// The solver's answer to a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Possible,
    Impossible,
    Interrupted,
}

/// The answer to "is something wrong?".
pub enum Search {
    Found(Schedule, Violation),
    Nothing,
    Interrupted,
}

pub struct Query<'b> {
    pub encoder: Encoder<'b>,
    solver: Blaster<Cadical>,
    /// Holds in runs that go where the formula does not follow.
    beyond: Term,
    constraints_given: usize,
    obstacles_given: usize,
    checks_done: usize,
    /// What the questions are about: the encoding may be one round ahead.
    scope: Scope,
}

/// How many checks, cuts and obstacles.
#[derive(Clone, Copy, Default)]
struct Scope {
    checks: usize,
    cuts: usize,
    obstacles: usize,
}

impl<'b> Query<'b> {
    pub fn new(mut encoder: Encoder<'b>, solver: Blaster<Cadical>) -> Query<'b> {
        let beyond = encoder.terms.variable(1, "beyond");
        Query { encoder, solver, beyond, constraints_given: 0, obstacles_given: 0, checks_done: 0, scope: Scope::default() }
    }

    pub fn size(&self) -> selvedge_formula::Statistics {
        self.solver.statistics()
    }

    /// From now on, questions are about all that has been encoded so far.
    pub fn this_far(&mut self) {
        let Encoder { checks, cuts, obstacles, .. } = &self.encoder;
        self.scope = Scope { checks: checks.len(), cuts: cuts.len(), obstacles: obstacles.len() };
    }

    pub fn checks(&self) -> &[Check] {
        &self.encoder.checks[..self.scope.checks]
    }

    pub fn cuts(&self) -> &[Term] {
        &self.encoder.cuts[..self.scope.cuts]
    }

    /// Is something wrong that was not asked about before?
    pub fn search(&mut self, program: &Program, properties: Properties) -> Search {
        let new: Vec<Term> = self.checks()[self.checks_done..].iter().map(|check| check.condition).collect();
        let bad = self.encoder.terms.or_all(new);
        match self.ask(bad, false) {
            Answer::Possible => {
                let (schedule, violation) = self.retell(program, properties);
                Search::Found(schedule, violation)
            }
            Answer::Impossible => {
                self.checks_done = self.scope.checks;
                let fine = self.encoder.terms.not(bad);
                let lemma = self.encoder.terms.or(self.beyond, fine);
                if lemma != Terms::TRUE {
                    self.solver.assert(&self.encoder.terms, lemma);
                }
                Search::Nothing
            }
            Answer::Interrupted => Search::Interrupted,
        }
    }

    /// Is there a run, within what the formula follows, in which this holds?
    pub fn is_possible(&mut self, goal: Term) -> Answer {
        self.ask(goal, false)
    }

    /// The first thing that is left out and can be reached: what, and where.
    pub fn obstacle(&mut self) -> Result<Option<(String, Loc)>, Answer> {
        let obstacles = &self.encoder.obstacles[..self.scope.obstacles];
        let conditions: Vec<Term> = obstacles.iter().map(|obstacle| obstacle.when).collect();
        let any = self.encoder.terms.or_all(conditions.clone());
        match self.ask(any, true) {
            Answer::Impossible => Ok(None),
            Answer::Interrupted => Err(Answer::Interrupted),
            Answer::Possible => {
                let reached = conditions.iter().position(|when| self.value(*when) == 1).unwrap_or(0);
                let obstacle = &self.encoder.obstacles[reached];
                Ok(Some((obstacle.what.clone(), obstacle.loc)))
            }
        }
    }

    fn ask(&mut self, goal: Term, beyond: bool) -> Answer {
        if !self.give_constraints() {
            return Answer::Interrupted;
        }
        if goal == Terms::FALSE {
            return Answer::Impossible;
        }
        let goal = self.solver.literal(&self.encoder.terms, goal);
        let limit = self.solver.literal(&self.encoder.terms, self.beyond);
        match self.solver.solve(&[goal, if beyond { limit } else { !limit }]) {
            Solved::Sat => Answer::Possible,
            Solved::Unsat => Answer::Impossible,
            Solved::Interrupted => Answer::Interrupted,
        }
    }

    /// Gives everything to the solver that has come since the last time, and all the checks.
    pub fn translate(&mut self) {
        self.give_constraints();
        let conditions: Vec<Term> = self.encoder.checks.iter().map(|check| check.condition).collect();
        let bad = self.encoder.terms.or_all(conditions);
        self.solver.assert(&self.encoder.terms, bad);
    }

    /// Thread, point, and the literal that allows an interruption there.
    pub fn allow_literals(&mut self) -> Vec<(usize, usize, i32)> {
        let allow: Vec<Vec<Term>> = self.encoder.allow().map(<[Term]>::to_vec).collect();
        let points = allow.into_iter().enumerate().flat_map(|(thread, points)| {
            points.into_iter().enumerate().skip(1).map(move |(point, allow)| (thread, point, allow))
        });
        points.map(|(t, p, allow)| (t, p, self.solver.literal(&self.encoder.terms, allow).dimacs())).collect()
    }

    pub fn dimacs(&self) -> String {
        self.solver.dimacs()
    }

    /// Everything that has come since the last time. False: there was no time for it.
    fn give_constraints(&mut self) -> bool {
        for constraint in &self.encoder.constraints[self.constraints_given..] {
            self.solver.assert(&self.encoder.terms, *constraint);
            if self.encoder.is_over() {
                return false;
            }
        }
        self.constraints_given = self.encoder.constraints.len();
        for number in self.obstacles_given..self.encoder.obstacles.len() {
            let when = self.encoder.obstacles[number].when;
            let allowed = self.encoder.terms.implies(when, self.beyond);
            self.solver.assert(&self.encoder.terms, allowed);
        }
        self.obstacles_given = self.encoder.obstacles.len();
        true
    }

    fn value(&self, term: Term) -> u128 {
        self.model()(term)
    }

    /// Values in the solver's model, also of terms that it was never told of.
    fn model(&self) -> impl FnMut(Term) -> u128 {
        let terms = &self.encoder.terms;
        let mut values = Evaluator::new();
        move |term| {
            let is_variable = |t: Term| matches!(terms.node(t), Node::Var { .. });
            values.value(terms, term, &mut |t| is_variable(t).then(|| self.solver.value(terms, t)))
        }
    }

    /// The run that the solver found, up to its first violation.
    fn retell(&self, program: &Program, properties: Properties) -> (Schedule, Violation) {
        let mut value = self.model();
        let mut schedule = Schedule::default();
        // Threads are numbered by creation, which is not the order of the bounded program.
        let mut numbers = std::collections::BTreeMap::from([(0, 0u32)]);
        for record in &self.encoder.log {
            if value(record.when) == 0 {
                continue;
            }
            let thread = numbers.get(&record.thread).copied().unwrap_or(record.thread as u32);
            match record.what {
                What::Step => schedule.push(thread, 1),
                What::Spawn { thread } => {
                    let next = numbers.len() as u32;
                    numbers.insert(thread, next);
                }
                What::Input { value: input } => schedule.inputs.push(Input { thread, value: value(input) }),
                What::Check(number) => {
                    let check = &self.encoder.checks[number];
                    let (property, text, loc) = (check.property, check.text.clone(), check.loc);
                    if property == Property::Deadlock {
                        return where_they_wait(program, properties, schedule, text, loc);
                    }
                    schedule.push(thread, 0);
                    return (schedule, Violation { property, text, loc, thread });
                }
            }
        }
        unreachable!("the solver found a violation")
    }
}

/// Who waits where is for the VM to say: it knows which of the threads to name.
fn where_they_wait(
    program: &Program,
    properties: Properties,
    schedule: Schedule,
    text: String,
    loc: Loc,
) -> (Schedule, Violation) {
    let violation = match replay(program, properties, &schedule) {
        Replayed::Violation(trace) if trace.violation.property == Property::Deadlock => trace.violation,
        _ => Violation { property: Property::Deadlock, text, loc, thread: 0 },
    };
    (schedule, violation)
}
