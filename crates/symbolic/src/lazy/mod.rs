//! Lazy sequentialization with our own encoding and CaDiCaL (Inverso et al., CAV 2014).
//!
//! | module | what it does |
//! |---|---|
//! | [`encode`] | the formula: round by round, thread by thread |
//! | [`dependence`] | which segments between switch points must not be exchanged |
//! | [`from_turns`] | a counterexample of which another checker found the turns |
//! | [`query`] | the solver, and what it says about the formula |
//! | [`instances`] | the same formula, asked about some interruptions at a time |
//! | [`narrowing`] | whose intervals say how many bits values need |
//! | [`widen`] | few schedules first |
//!
//! Without bounds given, the search deepens in two dimensions: more unwinding as long as a bound bites,
//! more rounds as long as a run needs them.

mod dependence;
pub(crate) mod encode;
mod from_turns;
pub mod instances;
pub mod narrowing;
mod query;
mod widen;

use crate::bounding::{TRIP_COUNT, best_so_far, bound_for, cuts_of, unwindings};
use encode::RoundEncoder;
pub use encode::capacity_limit;
pub use from_turns::{Stop, counterexample_from_turns};
use instances::ROUNDS;
use narrowing::KnownCells;
pub use narrowing::Narrowing;
use query::{Answer, Query, Search};
use selvedge_analyze::points::{self, Points};
use selvedge_analyze::{Facts, Interference, PointsTo, Reductions};
use selvedge_bound::{Bounded, Refusal};
use selvedge_engine::control::{memory_limit, resident_memory};
use selvedge_engine::counterexample::Counterexample;
use selvedge_engine::{Control, Engine, Level, Outcome, Progress, Task};
use selvedge_formula::{Blaster, Cadical};
use selvedge_program::{Bounds, Coverage, Cuts, Finding, Limit, Program, Property, Reason, Scope, Statistics};
use std::cell::Cell;
use widen::Widening;

/// If that was not enough, so many times as many rounds.
const MORE_ROUNDS: u32 = 8;
const MAX_STEPS_TO_COMPARE: usize = 20_000;

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lazy {
    pub narrowing: Narrowing,
    /// Begin with few schedules, and allow more as proofs need them.
    pub widen: bool,
    /// Check the proof of every refutation.
    pub check_proofs: bool,
}

impl Engine for Lazy {
    fn name(&self) -> &'static str {
        "lazy"
    }

    fn scope(&self) -> Scope {
        Scope { store_buffers: true, ..Scope::STEPS.with(Property::Race) }
    }

    fn search(&self, program: &Program, task: &Task, control: &Control) -> Outcome {
        Outcome::of(self.name(), |statistics| {
            let mut search = Deepening { engine: *self, program, task, control, statistics, last: None };
            let finding = search.run();
            search.compare_reductions();
            finding
        })
    }
}

impl Lazy {
    /// The formula for the bounds of a task, for other solvers: its size, and its clauses in DIMACS form.
    /// It can be satisfied if and only if something is wrong within the bounds.
    pub fn formula(&self, program: &Program, task: &Task) -> Result<String, Reason> {
        let unwind = task.bounds.unwind.unwrap_or(2);
        let bounded = bound_for(program, &task.bounds, unwind, TRIP_COUNT, &|| false)?;
        let rounds = task.bounds.rounds.unwrap_or(ROUNDS);
        Ok(format!("c unwind {unwind}, rounds {rounds}\n{}", self.formula_of(&bounded, task)?))
    }

    /// The formula for a bounded program.
    pub fn formula_of(&self, bounded: &Bounded<'_>, task: &Task) -> Result<String, Reason> {
        let facts = Facts::new(bounded, task.properties);
        let cells = self.narrowing.known_cells(&facts, task.bounds.rounds, &Control::default())?;
        let encoder = round_encoder(&facts, self.narrowing, cells.as_deref(), &task.bounds, &|| false)?;
        let mut query = Query::new(encoder, Blaster::recording(Cadical::new()), Blaster::new(Cadical::new()));
        query.formula.all_rounds(task.bounds.rounds.unwrap_or(ROUNDS));
        query.translate();
        let size = query.size();
        let mut text = format!("c {} threads, {} switch points\n", bounded.threads.len(), points::total(&facts.points));
        text.push_str(&format!(
            "c {} checks, {} variables, {} clauses\n",
            query.formula.encoder.record.checks.len(),
            size.variables,
            size.clauses
        ));
        for (thread, point, literal) in query.allow_literals() {
            text.push_str(&format!(
                "c thread {thread} may be interrupted at its point {point}: {}\n",
                literal.dimacs()
            ));
        }
        text.push_str(&query.dimacs());
        Ok(text)
    }
}

fn round_encoder<'b>(
    facts: &'b Facts<'b>,
    narrowing: Narrowing,
    cells: Option<&'b dyn KnownCells>,
    bounds: &Bounds,
    stop: &'b dyn Fn() -> bool,
) -> Result<RoundEncoder<'b>, Reason> {
    RoundEncoder::new(facts, narrowing.ranges(facts, cells), bounds.store_buffer, stop).ok_or_else(objects_too_large)
}

pub(crate) fn objects_too_large() -> Reason {
    Reason::Limit("objects too large for the encoding of pointers".to_string())
}

/// Formulas grow in many places; what counts is what the process has in the end.
pub(crate) fn out_of_memory(control: &Control) -> Option<Reason> {
    let (limit, used) = (control.memory_limit?, resident_memory()?);
    (used >= limit).then(|| memory_limit(limit))
}

pub(crate) fn why_stopped(control: &Control) -> Reason {
    let reason = out_of_memory(control).or_else(|| control.should_stop(&Progress::default()));
    reason.unwrap_or(Reason::Interrupted)
}

/// The result of one unwinding.
struct Unwound {
    found: Option<Counterexample>,
    /// If nothing: within which bounds. Complete if every run was covered.
    coverage: Coverage,
    /// A bound ended some run.
    cut: bool,
    /// Why that may mean little.
    doubt: Option<Reason>,
}

impl Unwound {
    fn found(found: Counterexample) -> Unwound {
        Unwound { found: Some(found), coverage: Coverage::default(), cut: false, doubt: None }
    }

    /// No bound on loops bit, and no run needs more rounds.
    fn with_all_rounds(mut self) -> Unwound {
        self.coverage.limits.retain(|limit| matches!(limit, Limit::StoreBuffer(_)));
        self
    }

    /// Every run was covered, so it does not matter that no check was among them.
    fn is_all_that_matters(&self) -> bool {
        self.coverage.is_complete() && matches!(self.doubt, Some(Reason::NothingChecked { .. }))
    }
}

struct Deepening<'a> {
    engine: Lazy,
    program: &'a Program,
    task: &'a Task,
    control: &'a Control,
    statistics: &'a mut Statistics,
    /// The last unwinding.
    last: Option<(u32, u32)>,
}

impl<'a> Deepening<'a> {
    fn run(&mut self) -> Result<Finding, Reason> {
        let mut last = None;
        for (unwind, trip_count) in unwindings(&self.task.bounds) {
            let unwound = match self.unwound(unwind, trip_count) {
                Ok(unwound) => unwound,
                Err(reason) => return best_so_far(last, reason),
            };
            if let Some(found) = unwound.found {
                return Ok(found.into());
            }
            last = Some(match unwound.doubt {
                Some(reason) if !unwound.is_all_that_matters() => Finding::GaveUp(reason),
                _ => Finding::NoneWithin(unwound.coverage),
            });
            if !unwound.cut {
                break;
            }
        }
        Ok(last.unwrap_or(Finding::NoneWithin(Coverage::default())))
    }

    /// How many switch points of the last unwinding are left after each reduction; not of programs for which to
    /// tell takes its time.
    fn compare_reductions(&mut self) {
        let stop = || self.control.is_over();
        let Some((unwind, trip_count)) = self.last.filter(|_| !stop()) else { return };
        let Ok(bounded) = bound_for(self.program, &self.task.bounds, unwind, trip_count, &stop) else { return };
        if bounded.steps() > MAX_STEPS_TO_COMPARE {
            return;
        }
        let points_to = PointsTo::new(&bounded);
        let left =
            |reductions| points::total(&Points::of_all(&bounded, &Interference::new(&bounded, &points_to, reductions)));
        let stages = Reductions::ALL.checking(self.task.properties).stages();
        let stages = stages.into_iter().map(|(name, reductions)| (name.to_string(), left(reductions)));
        self.statistics.reductions = stages.collect();
    }

    /// All rounds at one unwinding.
    fn unwound(&mut self, unwind: u32, trip_count: u32) -> Result<Unwound, Reason> {
        self.last = Some((unwind, trip_count));
        let control = self.control;
        let asked = Cell::new(0u32);
        // To ask for the memory takes a while.
        let stop = || {
            asked.set(asked.get().wrapping_add(1));
            let memory = asked.get().is_multiple_of(256).then(|| out_of_memory(control)).flatten();
            // A half-done formula is of no use, even if there is enough memory again when that is noticed.
            memory.into_iter().for_each(|reason| control.stop_for(reason));
            control.is_over()
        };
        let bounded = match bound_for(self.program, &self.task.bounds, unwind, trip_count, &stop) {
            Err(Refusal::Stopped) => return Err(self.interrupted()),
            bounded => bounded?,
        };
        let facts = Facts::new(&bounded, self.task.properties);
        self.statistics.switch_points = points::total(&facts.points);
        let narrowing = self.engine.narrowing;
        let cells = narrowing.known_cells(&facts, self.task.bounds.rounds, control)?;
        let encoder = round_encoder(&facts, narrowing, cells.as_deref(), &self.task.bounds, &stop)?;
        let deadline = self.control.time_limit.map(|limit| self.control.started + limit);
        let solver = || {
            let mut solver = Cadical::with_limits(self.control.stop.clone(), deadline);
            if self.engine.check_proofs {
                solver.check_proofs();
            }
            Blaster::new(solver)
        };
        let mut query = Query::new(encoder, solver(), solver());
        query.widening = self.engine.widen.then(Widening::default);
        let unwound = self.rounds(&mut query, unwind);
        self.statistics.proofs_checked += query.proofs_checked();
        unwound
    }

    /// As many rounds as are asked for, unless fewer are clearly enough; or else as are needed: that is asked first,
    /// since to show that few rounds are not enough is often harder than to find what more of them show.
    fn rounds(&mut self, query: &mut Query<'_>, unwind: u32) -> Result<Unwound, Reason> {
        let asked_for = self.task.bounds.rounds;
        let mut target = asked_for.unwrap_or(unwind + 1);
        let mut all = false;
        query.formula.begin();
        loop {
            query.formula.turns.planned = target;
            while query.formula.turns.rounds < target && !all {
                self.watch(query, unwind)?;
                all = match asked_for {
                    None => !self.another_round(query)?,
                    Some(_) => self.is_clearly_enough(query)?,
                };
            }
            query.formula.at_the_end();
            self.unless_stopped(query)?;
            query.this_far();
            query.formula.turns.planned = query.formula.turns.rounds;
            let found = query.search();
            self.count(query);
            match found {
                Search::Found(found) => return Ok(Unwound::found(found)),
                Search::Interrupted => return Err(self.interrupted()),
                Search::Nothing => {}
            }
            let rounds = (!all).then_some(target);
            let so_far = self.so_far(query, unwind, rounds)?;
            all = all || asked_for.is_some() && !so_far.cut && !self.another_round(query)?;
            match (so_far.cut, all, asked_for) {
                (false, true, _) => return Ok(so_far.with_all_rounds()),
                (true, _, _) | (_, _, Some(_)) => return Ok(so_far),
                (false, false, None) => target *= MORE_ROUNDS,
            }
        }
    }

    /// One more round. False: no run needs it.
    fn another_round(&self, query: &mut Query<'_>) -> Result<bool, Reason> {
        self.encode_round(query)?;
        let moves = query.formula.somebody_moves();
        match query.is_a_schedule(moves) {
            Answer::Interrupted => Err(self.interrupted()),
            answer => Ok(answer == Answer::Possible),
        }
    }

    /// One more round. True: it is easy to see that no run needs it. Threads that hand over to one another but once
    /// need two rounds, and not a third; those that need a third may need any number.
    fn is_clearly_enough(&self, query: &mut Query<'_>) -> Result<bool, Reason> {
        self.encode_round(query)?;
        if query.formula.turns.rounds != 3 {
            return Ok(false);
        }
        let moves = query.formula.somebody_moves();
        Ok(query.is_clearly_no_schedule(moves))
    }

    fn encode_round(&self, query: &mut Query<'_>) -> Result<(), Reason> {
        query.formula.round();
        self.unless_stopped(query)
    }

    /// A formula that was left unfinished says nothing.
    fn unless_stopped(&self, query: &Query<'_>) -> Result<(), Reason> {
        if query.formula.encoder.is_unfinished() { Err(self.interrupted()) } else { Ok(()) }
    }

    /// Nothing was found. How much does that say? `rounds`: more of them may matter.
    fn so_far(&mut self, query: &mut Query<'_>, unwind: u32, rounds: Option<u32>) -> Result<Unwound, Reason> {
        let cut = match query.is_cut() {
            Answer::Interrupted => return Err(self.interrupted()),
            answer => answer == Answer::Possible,
        };
        let obstacle = query.obstacle().map_err(|_| self.interrupted())?;
        let unwound = Limit::Unwind { iterations: unwind, cuts: Cuts::any(cut) };
        let rounds = rounds.map(Limit::Rounds);
        let store_buffer = query.formula.encoder.capacity_limit();
        let bounded = query.formula.encoder.facts.bounded;
        let within = Coverage::within([unwound].into_iter().chain(rounds).chain(store_buffer));
        let cuts_at = if cut { cuts_of(bounded) } else { Vec::new() };
        let coverage = Coverage { cuts_at, ..within.with_threads(bounded.threads.len()) };
        let doubt = match obstacle {
            Some((what, loc)) => Some(Reason::Unsupported { what, at: self.program.source.describe(loc) }),
            None => match query.checks_something() {
                Answer::Possible => None,
                Answer::Impossible => Some(Reason::NothingChecked { within: Box::new(coverage.clone()) }),
                Answer::Interrupted => return Err(self.interrupted()),
            },
        };
        Ok(Unwound { found: None, coverage, cut, doubt })
    }

    fn watch(&self, query: &Query<'_>, unwind: u32) -> Result<(), Reason> {
        let size = query.size();
        let progress = Progress {
            level: Some(Level { unwind, rounds: query.formula.turns.rounds + 1 }),
            variables: size.variables as u64,
            clauses: size.clauses as u64,
            ..Progress::default()
        };
        self.control.should_stop(&progress).map_or(Ok(()), Err)
    }

    fn interrupted(&self) -> Reason {
        why_stopped(self.control)
    }

    fn count(&mut self, query: &mut Query<'_>) {
        let size = query.size();
        self.statistics.variables = self.statistics.variables.max(size.variables as u64);
        self.statistics.clauses = self.statistics.clauses.max(size.clauses as u64);
        self.statistics.iterations +=
            query.widening.as_mut().map_or(0, |widening| std::mem::take(&mut widening.iterations));
        self.statistics.bits = query.formula.bits().all;
        self.statistics.bits_needed = query.formula.bits().needed;
    }
}
