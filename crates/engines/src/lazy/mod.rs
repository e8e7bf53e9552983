//! Lazy sequentialization with our own encoding and CaDiCaL.
//!
//! | module | what it does |
//! |---|---|
//! | [`encode`] | the formula: round by round, thread by thread |
//! | [`memory`] | symbolic memory |
//! | [`pointers`] | what a pointer may point to |
//! | [`points`] | where threads may be interrupted |
//!
//! Without bounds given, the search deepens: one more unwinding and one more round at a time.

mod encode;
mod memory;
mod pointers;
mod points;

use crate::{Control, Engine, Outcome, Progress, Statistics, Task};
use encode::{Encoder, What};
use selvedge_bound::{Limits, bound};
use selvedge_formula::{Blaster, Cadical, Evaluator, Solved, Term, Terms};
use selvedge_program::schedule::Input;
use selvedge_program::{Coverage, Finding, Program, Property, Reason, Schedule, Violation};
use std::time::Instant;

/// Unwinding stops deepening here, if nothing else stops it.
const DEEPEST: u32 = 64;
const MAX_THREADS: u32 = 64;
const MAX_STEPS: usize = 400_000;

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lazy;

impl Engine for Lazy {
    fn name(&self) -> &'static str {
        "lazy"
    }

    fn check(&self, program: &Program, task: &Task, control: &Control) -> Outcome {
        let started = Instant::now();
        let mut statistics = Statistics::default();
        let finding = deepen(program, task, control, &mut statistics);
        statistics.seconds = started.elapsed().as_secs_f64();
        Outcome { finding, statistics }
    }
}

/// What one pair of bounds showed.
enum Level {
    Found(Schedule, Violation),
    /// Nothing wrong within `limits`; deeper may show more.
    Nothing { limits: Vec<String>, deeper: bool },
    Stopped(Reason),
}

fn deepen(program: &Program, task: &Task, control: &Control, statistics: &mut Statistics) -> Finding {
    let first = task.bounds.unwind.unwrap_or(1);
    let last = task.bounds.unwind.unwrap_or(DEEPEST);
    let mut finding = Finding::GaveUp(Reason::Limit("nothing was checked".to_string()));
    for unwind in first..=last {
        let rounds = task.bounds.rounds.unwrap_or(unwind + 1);
        match level(program, task, control, unwind, rounds, statistics) {
            Level::Found(schedule, violation) => return Finding::Violation { schedule, violation },
            Level::Stopped(reason) => return Finding::GaveUp(reason),
            Level::Nothing { limits, deeper } => {
                finding = Finding::NoneWithin(Coverage { limits });
                if !deeper {
                    break;
                }
            }
        }
    }
    finding
}

fn level(
    program: &Program,
    task: &Task,
    control: &Control,
    unwind: u32,
    rounds: u32,
    statistics: &mut Statistics,
) -> Level {
    let limits =
        Limits { unwind, unwind_at: Vec::new(), recursion: unwind, threads: MAX_THREADS, max_steps: MAX_STEPS };
    let bounded = match bound(program, &limits) {
        Ok(bounded) => bounded,
        Err(refusal) => return Level::Stopped(refusal.into()),
    };
    let Some(encoder) = Encoder::new(&bounded, task.properties) else {
        return Level::Stopped(Reason::Limit("objects too large for the encoding of pointers".to_string()));
    };
    let deadline = control.time_limit.map(|limit| control.started + limit);
    let solver = Cadical::with_limits(control.stop.clone(), deadline);
    let mut query = Query::new(encoder, solver);
    for _ in 0..rounds {
        if let Some(reason) = control.should_stop(&Progress { preemptions: query.encoder.rounds, ..Progress::default() }) {
            return Level::Stopped(reason);
        }
        query.encoder.round();
        let answer = query.search();
        query.count(statistics);
        match answer {
            Answer::Found(schedule, violation) => return Level::Found(schedule, violation),
            Answer::Interrupted => {
                let late = Progress::default();
                return Level::Stopped(control.should_stop(&late).unwrap_or(Reason::Interrupted));
            }
            Answer::Nothing => {}
        }
    }
    query.conclude(program, task, unwind)
}

enum Answer {
    Found(Schedule, Violation),
    Nothing,
    Interrupted,
}

/// One formula that grows by rounds, and its solver.
struct Query<'b> {
    encoder: Encoder<'b>,
    solver: Blaster<Cadical>,
    /// Holds in runs that go where the formula does not follow.
    beyond: Term,
    constraints_given: usize,
    obstacles_given: usize,
    checks_done: usize,
}

impl<'b> Query<'b> {
    fn new(mut encoder: Encoder<'b>, solver: Cadical) -> Query<'b> {
        let beyond = encoder.terms.variable(1, "beyond");
        Query { encoder, solver: Blaster::new(solver), beyond, constraints_given: 0, obstacles_given: 0, checks_done: 0 }
    }

    /// Is something wrong in the newest round?
    fn search(&mut self) -> Answer {
        self.give_constraints();
        let new: Vec<Term> = self.encoder.checks[self.checks_done..].iter().map(|check| check.condition).collect();
        self.checks_done = self.encoder.checks.len();
        let bad = self.encoder.terms.or_all(new);
        if bad == Terms::FALSE {
            return Answer::Nothing;
        }
        match self.ask(bad, false) {
            Solved::Sat => {
                let (schedule, violation) = self.retell();
                Answer::Found(schedule, violation)
            }
            Solved::Unsat => {
                // A lemma for the rounds to come.
                let fine = self.encoder.terms.not(bad);
                let lemma = self.encoder.terms.or(self.beyond, fine);
                self.solver.assert(&self.encoder.terms, lemma);
                Answer::Nothing
            }
            Solved::Interrupted => Answer::Interrupted,
        }
    }

    fn ask(&mut self, goal: Term, beyond: bool) -> Solved {
        let goal = self.solver.literal(&self.encoder.terms, goal);
        let limit = self.solver.literal(&self.encoder.terms, self.beyond);
        self.solver.solve(&[goal, if beyond { limit } else { !limit }])
    }

    fn give_constraints(&mut self) {
        for constraint in self.encoder.constraints[self.constraints_given..].to_vec() {
            self.solver.assert(&self.encoder.terms, constraint);
        }
        self.constraints_given = self.encoder.constraints.len();
        for number in self.obstacles_given..self.encoder.obstacles.len() {
            let when = self.encoder.obstacles[number].when;
            let allowed = self.encoder.terms.implies(when, self.beyond);
            self.solver.assert(&self.encoder.terms, allowed);
        }
        self.obstacles_given = self.encoder.obstacles.len();
    }

    /// The run that the solver found, up to its first violation.
    fn retell(&self) -> (Schedule, Violation) {
        let terms = &self.encoder.terms;
        let mut values = Evaluator::new();
        let mut value = |term: Term| {
            values.value(terms, term, &mut |t| {
                matches!(terms.node(t), selvedge_formula::Node::Var { .. }).then(|| self.solver.value(terms, t))
            })
        };
        let mut schedule = Schedule::default();
        // Threads are numbered by creation, which is not the order of the bounded program.
        let mut numbers = std::collections::HashMap::from([(0, 0u32)]);
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
                    schedule.push(thread, 0);
                    let violation =
                        Violation { property: check.property, text: check.text.clone(), loc: check.loc, thread };
                    return (schedule, violation);
                }
            }
        }
        unreachable!("the solver found a violation")
    }

    fn count(&self, statistics: &mut Statistics) {
        let size = self.solver.statistics();
        statistics.variables = size.variables as u64;
        statistics.clauses = size.clauses as u64;
        statistics.switch_points = self.encoder.points() as u64;
    }

    /// Nothing was found. How much does that say?
    fn conclude(mut self, program: &Program, task: &Task, unwind: u32) -> Level {
        let rounds = self.encoder.rounds;
        let mut limits = Vec::new();
        let cuts = self.encoder.cuts.clone();
        let cut = self.encoder.terms.or_all(cuts);
        let cut = cut != Terms::FALSE && self.ask(cut, false) != Solved::Unsat;
        limits.push(format!("unwind {unwind} {}", if cut { "cut" } else { "complete" }));
        let all_rounds = rounds as usize > self.encoder.points();
        if !all_rounds {
            limits.push(format!("rounds {rounds}"));
        }
        if task.properties.contains(Property::Deadlock) {
            limits.push("deadlocks not looked for".to_string());
        }
        let beyond: Vec<Term> = self.encoder.obstacles.iter().map(|obstacle| obstacle.when).collect();
        let beyond = self.encoder.terms.or_all(beyond);
        if beyond != Terms::FALSE && self.ask(beyond, true) != Solved::Unsat {
            let obstacle = &self.encoder.obstacles[0];
            return Level::Stopped(Reason::Unsupported {
                what: obstacle.what.clone(),
                at: program.source.describe(obstacle.loc),
            });
        }
        if limits == ["unwind 1 complete"] || (!cut && all_rounds && limits.len() == 1) {
            limits.clear();
        }
        Level::Nothing { limits, deeper: cut || !all_rounds }
    }
}
