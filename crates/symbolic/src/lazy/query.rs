//! One formula that grows by rounds, and the solver that is asked about it.
//!
//! Incremental in the sense of Eén and Sörensson (2003): clauses stay, questions are assumptions. What a
//! question has shown to be impossible is added as a lemma for the rounds to come.

use super::encode::{Check, Encoder, Extent, RoundEncoder};
use super::widen::Widening;
use selvedge_engine::counterexample::{Counterexample, of_model};
use selvedge_formula::{Blaster, Cadical, Evaluator, Lit, Node, Sat, Solved, Term, Terms};
use selvedge_program::{Loc, Property};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The conflicts after which another question has its turn.
const CONFLICTS_PER_TURN: u32 = 20_000;

/// The conflicts after which a question is given up whose answer is not needed.
const IN_PASSING: u32 = 2000;

/// The solver's answer to a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Possible,
    Impossible,
    Interrupted,
}

/// The answer to "is something wrong?".
pub enum Search {
    Found(Counterexample),
    Nothing,
    Interrupted,
}

/// The question whether any check fails. Few of them are what the program itself claims; often it is one of these
/// that fails, and the question about them alone is easier.
struct Doubts {
    all: Term,
    /// If that is not everything, or nothing.
    claims: Option<Term>,
}

impl Doubts {
    fn new(terms: &mut Terms, checks: &[Check]) -> Doubts {
        let claims = checks.iter().filter(|check| check.property == Property::Assertion);
        let claims = terms.or_all(claims.map(|check| check.condition).collect::<Vec<_>>());
        let all = terms.or_all(checks.iter().map(|check| check.condition).collect::<Vec<_>>());
        Doubts { all, claims: Some(claims).filter(|claims| *claims != Terms::FALSE && *claims != all) }
    }
}

pub struct Query<'b> {
    pub formula: RoundEncoder<'b>,
    /// Knows what is checked.
    solver: Solver,
    /// Knows only which runs there are: what is checked need not be true of them to say how long they are.
    planner: Solver,
    /// Holds in runs that go where the formula does not follow.
    beyond: Term,
    /// The number of checks that were asked about.
    checks_done: usize,
    /// Look for what is wrong in few schedules first.
    pub widening: Option<Widening>,
    /// The part of the record that questions are about: the encoding may be one round ahead.
    scope: Extent,
}

/// A solver, and how much of the formula it was given.
struct Solver {
    blaster: Blaster<Cadical>,
    given: Extent,
    /// The number of rounds for which it was told what to try first.
    planned: Option<(u32, usize)>,
}

impl Solver {
    fn new(blaster: Blaster<Cadical>) -> Solver {
        Solver { blaster, given: Extent::default(), planned: None }
    }

    /// Gives it everything that has come since the last time. False: there was no time for it.
    fn learn(&mut self, formula: &mut RoundEncoder<'_>, beyond: Term) -> bool {
        let RoundEncoder { encoder, turns } = formula;
        for constraint in &encoder.record.constraints[self.given.constraints..] {
            self.blaster.assert(&encoder.terms, *constraint);
            if encoder.is_over() {
                return false;
            }
        }
        let Encoder { terms, record, .. } = encoder;
        let obstacles = record.obstacles[self.given.obstacles..].iter().map(|obstacle| &obstacle.when);
        for when in obstacles.chain(&record.section_cuts[self.given.section_cuts..]) {
            let allowed = terms.implies(*when, beyond);
            self.blaster.assert(terms, allowed);
        }
        self.given = record.extent();
        let planned = Some((turns.planned, turns.choices()));
        if self.planned != planned {
            for (variable, value) in turns.preferences() {
                let lit = self.blaster.literal(terms, variable);
                self.blaster.solver_mut().prefer(lit.negated_if(!value));
            }
            self.planned = planned;
        }
        true
    }

    /// Is there a run with this, within what the formula follows or beyond, in which all of `given` holds?
    fn ask(&mut self, formula: &mut RoundEncoder<'_>, goal: Term, beyond: (Term, bool), given: &[Lit]) -> Answer {
        if !self.learn(formula, beyond.0) {
            return Answer::Interrupted;
        }
        if goal == Terms::FALSE {
            return Answer::Impossible;
        }
        let goal = self.blaster.literal(&formula.encoder.terms, goal);
        let limit = self.blaster.literal(&formula.encoder.terms, beyond.0);
        let mut assumptions = vec![goal, limit.negated_if(!beyond.1)];
        assumptions.extend(given);
        match self.blaster.solve(&assumptions) {
            Solved::Sat => Answer::Possible,
            Solved::Unsat => Answer::Impossible,
            Solved::Interrupted => Answer::Interrupted,
        }
    }
}

impl<'b> Query<'b> {
    pub fn new(mut formula: RoundEncoder<'b>, solver: Blaster<Cadical>, planner: Blaster<Cadical>) -> Query<'b> {
        let beyond = formula.encoder.terms.variable(1, "beyond");
        let (solver, planner) = (Solver::new(solver), Solver::new(planner));
        Query { formula, solver, planner, beyond, checks_done: 0, widening: None, scope: Extent::default() }
    }

    pub fn proofs_checked(&self) -> u64 {
        [&self.solver, &self.planner].iter().map(|solver| solver.blaster.solver().statistics().proofs_checked).sum()
    }

    pub fn size(&self) -> selvedge_formula::Statistics {
        self.solver.blaster.statistics()
    }

    /// From now on, questions are about all that has been encoded so far.
    pub fn this_far(&mut self) {
        self.scope = self.formula.encoder.record.extent();
    }

    fn checks(&self) -> &[Check] {
        &self.formula.encoder.record.checks[..self.scope.checks]
    }

    /// Does some run reach something that is checked? What becomes of it then does not matter.
    pub fn checks_something(&mut self) -> Answer {
        let checks: Vec<Term> = self.checks().iter().map(|check| check.reached).collect();
        // Checks that were found to be fine at once count as well.
        let settled = self.formula.encoder.record.settled[..self.scope.settled].to_vec();
        for reached in [checks, settled] {
            let any = self.formula.encoder.terms.or_all(reached);
            let answer = self.ask(any, true);
            if answer != Answer::Impossible {
                return answer;
            }
        }
        Answer::Impossible
    }

    /// Does a bound end some run?
    pub fn is_cut(&mut self) -> Answer {
        let Encoder { terms, record, .. } = &mut self.formula.encoder;
        let cut = terms.or_all(record.cuts[..self.scope.cuts].to_vec());
        let section_cut = terms.or_all(record.section_cuts[..self.scope.section_cuts].to_vec());
        match self.ask(cut, false) {
            Answer::Impossible => self.ask(section_cut, true),
            answer => answer,
        }
    }

    /// Is something wrong that was not asked about before?
    pub fn search(&mut self) -> Search {
        let Encoder { terms, record, .. } = &mut self.formula.encoder;
        let doubts = Doubts::new(terms, &record.checks[self.checks_done..self.scope.checks]);
        let found = self.search_for(&doubts, &[]);
        if matches!(found, Search::Nothing) {
            self.checks_done = self.scope.checks;
        }
        found
    }

    /// Is anything wrong in runs in which all of `given` holds?
    pub fn search_given(&mut self, given: &[Lit]) -> Search {
        let Encoder { terms, record, .. } = &mut self.formula.encoder;
        let doubts = Doubts::new(terms, &record.checks[..self.scope.checks]);
        self.search_for(&doubts, given)
    }

    fn search_for(&mut self, doubts: &Doubts, given: &[Lit]) -> Search {
        let answer = match (&mut self.widening, doubts.claims) {
            (Some(_), _) => self.ask_widening(doubts.all),
            (None, Some(claims)) => self.ask_by_turns(claims, doubts.all, given),
            (None, None) => self.ask_for_good(doubts.all, given),
        };
        match answer {
            Answer::Impossible => Search::Nothing,
            Answer::Interrupted => Search::Interrupted,
            Answer::Possible => Search::Found(self.counterexample()),
        }
    }

    /// Goes on with the one and with the other, each time with more patience, until one of them is answered.
    fn ask_by_turns(&mut self, part: Term, all: Term, given: &[Lit]) -> Answer {
        let mut patience = CONFLICTS_PER_TURN;
        loop {
            for goal in [part, all] {
                self.solver.blaster.solver_mut().limit_next(Some(patience));
                let answer = self.ask_for_good(goal, given);
                let gave_up = self.solver.blaster.solver().gave_up();
                self.solver.blaster.solver_mut().limit_next(None);
                match answer {
                    Answer::Impossible if goal == part => return self.ask_for_good(all, given),
                    Answer::Interrupted if gave_up => {}
                    answer => return answer,
                }
            }
            patience = patience.saturating_mul(2);
        }
    }

    /// If it is impossible, the assumptions that show it become a lemma, which holds for other questions too.
    fn ask_for_good(&mut self, goal: Term, given: &[Lit]) -> Answer {
        let answer = self.solver.ask(&mut self.formula, goal, (self.beyond, false), given);
        if answer == Answer::Impossible && goal != Terms::FALSE {
            let lemma: Vec<Lit> = self.solver.blaster.failed().into_iter().map(|lit| !lit).collect();
            self.solver.blaster.solver_mut().add_lemma(&lemma);
        }
        answer
    }

    /// From now on it gives up at this time.
    pub fn set_limits(&mut self, stop: Arc<AtomicBool>, deadline: Option<Instant>) {
        self.solver.blaster.solver_mut().set_limits(Some(stop), deadline);
    }

    /// A solver that knows nothing yet takes the place of the one that does.
    pub fn start_over(&mut self, solver: Blaster<Cadical>) {
        self.solver = Solver::new(solver);
    }

    /// The stops of the run that was found, as thread and point, turn by turn.
    pub fn stops(&self) -> Vec<(usize, usize)> {
        let mut value = self.model();
        let turns = self.formula.turns.taken();
        let mut stop =
            |passed: &[Term]| passed.iter().position(|passed| value(*passed) == 0).filter(|point| *point > 0);
        turns.filter_map(|(thread, passed)| Some((thread, stop(passed)?))).collect()
    }

    /// Asks about few schedules first. Without widening, equivalent to a single question.
    fn ask_widening(&mut self, goal: Term) -> Answer {
        let Some(mut widening) = self.widening.take_if(|_| goal != Terms::FALSE) else {
            return self.ask(goal, false);
        };
        let prohibitions = self.allow_literals().into_iter().map(|(_, _, allow)| !allow).collect();
        let answer = widening.ask(prohibitions, |given| {
            let answer = self.solver.ask(&mut self.formula, goal, (self.beyond, false), given);
            let used = if answer == Answer::Impossible { self.solver.blaster.failed() } else { Vec::new() };
            (answer, used)
        });
        self.widening = Some(widening);
        answer
    }

    /// The first thing that is left out and can be reached: what, and where.
    pub fn obstacle(&mut self) -> Result<Option<(String, Loc)>, Answer> {
        let Encoder { terms, record, .. } = &mut self.formula.encoder;
        let left_out = record.obstacles[..self.scope.obstacles].iter().chain(&record.doubts[..self.scope.doubts]);
        let (conditions, left_out): (Vec<Term>, Vec<(String, Loc)>) =
            left_out.map(|obstacle| (obstacle.when, (obstacle.what.clone(), obstacle.loc))).unzip();
        let any = terms.or_all(conditions.clone());
        match self.ask(any, true) {
            Answer::Impossible => Ok(None),
            Answer::Interrupted => Err(Answer::Interrupted),
            Answer::Possible => {
                let reached = conditions.iter().position(|when| self.value(*when) == 1).unwrap_or(0);
                Ok(left_out.into_iter().nth(reached))
            }
        }
    }

    fn ask(&mut self, goal: Term, beyond: bool) -> Answer {
        self.solver.ask(&mut self.formula, goal, (self.beyond, beyond), &[])
    }

    /// Is there a run in which this holds? Asked of the solver that does not know what is checked.
    pub fn is_a_schedule(&mut self, goal: Term) -> Answer {
        self.planner.ask(&mut self.formula, goal, (self.beyond, false), &[])
    }

    /// Is there clearly no run in which this holds? Asked of the solver that will be asked about violations, in
    /// passing: it gives up soon.
    pub fn is_clearly_no_schedule(&mut self, goal: Term) -> bool {
        self.solver.blaster.solver_mut().limit_next(Some(IN_PASSING));
        let answer = self.ask(goal, false);
        self.solver.blaster.solver_mut().limit_next(None);
        answer == Answer::Impossible
    }

    /// Gives everything to the solver that has come since the last time, and all the checks.
    pub fn translate(&mut self) {
        self.solver.learn(&mut self.formula, self.beyond);
        let Encoder { terms, record, .. } = &mut self.formula.encoder;
        let conditions: Vec<Term> = record.checks.iter().map(|check| check.condition).collect();
        let bad = terms.or_all(conditions);
        let followed = terms.not(self.beyond);
        let wanted = terms.and(bad, followed);
        self.solver.blaster.assert(terms, wanted);
    }

    /// Thread, point, and the literal that allows an interruption there.
    pub fn allow_literals(&mut self) -> Vec<(usize, usize, Lit)> {
        let mut literals = Vec::new();
        for (thread, points) in self.formula.turns.allow().iter().enumerate() {
            for (point, allow) in points.iter().enumerate().skip(1) {
                literals.push((thread, point, self.solver.blaster.literal(&self.formula.encoder.terms, *allow)));
            }
        }
        literals
    }

    pub fn dimacs(&self) -> String {
        self.solver.blaster.dimacs()
    }

    fn value(&self, term: Term) -> u128 {
        self.model()(term)
    }

    /// Values in the solver's model, also of terms that it was never told of.
    fn model(&self) -> impl FnMut(Term) -> u128 {
        let terms = &self.formula.encoder.terms;
        let mut values = Evaluator::new();
        move |term| {
            let is_variable = |t: Term| matches!(terms.node(t), Node::Var { .. });
            values.value(terms, term, &mut |t| is_variable(t).then(|| self.solver.blaster.value(terms, t)))
        }
    }

    /// The run that the solver found, up to its first violation.
    fn counterexample(&self) -> Counterexample {
        let encoder = &self.formula.encoder;
        let found = of_model([encoder.record.evidence()], encoder.uninitialised(), self.model());
        found.expect("the solver found a violation")
    }
}
