//! One formula, asked again and again about runs that are interrupted only at some of their points.
//!
//! For swarms (Nguyen, Schrammel, Fischer, La Torre, Parlato: Parallel bug-finding in concurrent programs via
//! reduced interleaving instances, ASE 2017), which translate a program anew for every instance. Here an
//! instance is a set of assumptions: `allow` is false at the other points. What the solver learns from one
//! instance stays for the next, and what an instance needed to be shown safe becomes a lemma, so that all
//! others that need no more are settled at once.
//!
//! *Points at which a thread can block are always allowed*, or a thread that has to wait could not be left.
//! That makes instances larger, never smaller, so it cannot lose a run: in K rounds a thread stops at most K
//! times (main once more, before the first round, but what it does in its very last turn needs no stop: either
//! it is the violation, or it can be left out, or main waits). Any K points for each thread are therefore enough
//! for any run, whatever the tiles that contain them.
//!
//! *Stores arrive whenever they like*: tiles restrict interruptions only, not the rounds in which stores that wait in a
//! store buffer reach memory (`encode/store_buffer.rs`).
//!
//! *All equivalent runs are looked at*, unless threads may be interrupted everywhere. One of a kind would be
//! enough to cover everything, but the one that [`super::encode`] keeps may stop outside the tiles where others
//! stop inside, so we expect bugs to be in more instances this way; that has not been measured. The instance that
//! is everything has a formula of its own, the one that the engine alone would have.

use super::encode::capacity_limit;
use super::narrowing::{KnownCells, Narrowing};
use super::query::{Answer, Query, Search};
use super::{round_encoder, why_stopped};
use crate::bounding::{TRIP_COUNT, bound_for};
use selvedge_analyze::points::{self, Inside};
use selvedge_analyze::{Facts, Points};
use selvedge_bound::{Bounded, Origin, Refusal, Terminator};
use selvedge_engine::counterexample::Counterexample;
use selvedge_engine::instances::{Checked, Place};
use selvedge_engine::{Control, Task};
use selvedge_formula::{Blaster, Cadical, Lit};
use selvedge_program::Statistics;
use selvedge_program::{Bounds, Coverage, Cuts, EntityRef, FuncId, Intrinsic, Limit, Loc, Program, Reason};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

pub use selvedge_formula::{Exchange, SolverProfile};

/// If nothing else is said.
const UNWIND: u32 = 2;
pub(super) const ROUNDS: u32 = 2;

/// By thread and point: may the thread be interrupted here?
pub type Allowed = Vec<Vec<bool>>;

/// The program within the bounds of a task, for [`Ground::new`].
pub fn bounded<'p>(program: &'p Program, task: &Task, control: &Control) -> Result<Bounded<'p>, Reason> {
    match bound_for(program, &task.bounds, unwind(task), TRIP_COUNT, &|| control.is_over()) {
        Err(Refusal::Stopped) => Err(why_stopped(control)),
        bounded => Ok(bounded?),
    }
}

fn unwind(task: &Task) -> u32 {
    task.bounds.unwind.unwrap_or(UNWIND)
}

/// The bounded program and its points, which all instances have in common.
pub struct Ground<'b> {
    facts: Facts<'b>,
    narrowing: Narrowing,
    cells: Option<Box<dyn KnownCells>>,
    threads: Vec<ThreadPoints>,
    bounds: Bounds,
    pub unwind: u32,
    pub rounds: u32,
}

/// The points of one thread. The first is its beginning.
pub struct ThreadPoints {
    pub start: FuncId,
    /// It may have to wait here, or to stay here for good because a bound cuts off the section that follows.
    pub blocking: Vec<bool>,
    /// For people.
    pub locs: Vec<Loc>,
    /// By point: the operations that may run from there to the next.
    pub segments: Vec<BTreeSet<Place>>,
}

impl ThreadPoints {
    pub fn count(&self) -> usize {
        self.blocking.len()
    }
}

impl<'b> Ground<'b> {
    pub fn new(
        bounded: &'b Bounded<'b>,
        task: &Task,
        narrowing: Narrowing,
        control: &Control,
    ) -> Result<Ground<'b>, Reason> {
        let facts = Facts::new(bounded, task.properties);
        let cells = narrowing.known_cells(&facts, task.bounds.rounds, control)?;
        let threads =
            facts.points.iter().enumerate().map(|(thread, points)| thread_points(bounded, thread, points)).collect();
        let (unwind, rounds) = (unwind(task), task.bounds.rounds.unwrap_or(ROUNDS));
        Ok(Ground { facts, narrowing, cells, threads, bounds: task.bounds.clone(), unwind, rounds })
    }

    pub fn facts(&self) -> &Facts<'b> {
        &self.facts
    }

    /// The limits of runs between the points; `cuts`: do bounds end runs?
    pub fn limits(&self, cuts: Cuts) -> Coverage {
        let limits = [Limit::Unwind { iterations: self.unwind, cuts }, Limit::Rounds(self.rounds)];
        let capacity = capacity_limit(&self.facts, self.bounds.store_buffer);
        Coverage::within(limits.into_iter().chain(capacity)).with_threads(self.facts.bounded.threads.len())
    }

    pub fn threads(&self) -> &[ThreadPoints] {
        &self.threads
    }

    /// Allows all points at which a thread can block, too.
    pub fn with_blocking(&self, allowed: &Allowed) -> Allowed {
        let both = |(allowed, thread): (&Vec<bool>, &ThreadPoints)| {
            allowed.iter().zip(&thread.blocking).map(|(allowed, blocking)| *allowed || *blocking).collect()
        };
        allowed.iter().zip(&self.threads).map(both).collect()
    }
}

/// Collects where a thread's points lie, which of them can block, and what runs behind each.
fn thread_points(bounded: &Bounded<'_>, number: usize, points: &Points) -> ThreadPoints {
    let thread = &bounded.threads[number];
    let mut found = ThreadPoints {
        start: thread.start,
        blocking: vec![false; points.count],
        locs: vec![bounded.program.functions[thread.start].loc; points.count],
        segments: vec![BTreeSet::new(); points.count],
    };
    let mut entries: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::from([(0, BTreeSet::from([0]))]);
    for (block, body) in &thread.blocks {
        let mut current = entries.remove(&block.index()).unwrap_or_default();
        for (step, this) in body.steps.iter().enumerate() {
            if let Some(point) = points.at(block, step) {
                current = BTreeSet::from([point]);
                found.locs[point] = this.origin.user;
            }
            for point in &current {
                found.blocking[*point] |= this.op.is(Intrinsic::BlockUntil);
                found.segments[*point].insert(place(this.origin));
            }
        }
        let is_cut = matches!(body.term, Terminator::Cut(_));
        let stays = is_cut && points.inside(block, body.steps.len()) == Inside::Section;
        current.iter().for_each(|point| {
            found.blocking[*point] |= stays;
            found.segments[*point].insert(place(body.origin));
        });
        for to in body.term.successors() {
            entries.entry(to.index()).or_default().extend(&current);
        }
    }
    found
}

fn place(origin: Origin) -> Place {
    (origin.function, origin.block, origin.index)
}

/// How much is kept from one instance to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reuse {
    /// The solver, with all that it has learnt.
    #[default]
    Solver,
    /// The formula, for a new solver.
    Formula,
    /// Nothing: a formula for this instance alone, which is smaller.
    Nothing,
}

/// The way to solve instances.
#[derive(Clone, Default)]
pub struct Manner {
    pub reuse: Reuse,
    /// For the solver that is asked about everything at once. Those of smaller instances are all alike: a portfolio
    /// pays where one hard question is asked of all, not where each has questions of its own.
    pub profile: SolverProfile,
    /// The exchange of learnt clauses with other solvers, if the solver is kept.
    pub exchange: Option<Exchange>,
}

/// A formula and its solver. It stays in the thread that made it.
pub struct Instances<'g> {
    ground: &'g Ground<'g>,
    control: &'g Control,
    stop: &'g dyn Fn() -> bool,
    manner: Manner,
    /// For the latest instance that is not everything.
    query: Query<'g>,
    everything: Option<Query<'g>>,
    latest_is_everything: bool,
    pub statistics: Statistics,
}

impl<'g> Instances<'g> {
    /// `stop` is asked while formulas are made.
    pub fn new(
        ground: &'g Ground<'g>,
        control: &'g Control,
        stop: &'g dyn Fn() -> bool,
        manner: Manner,
    ) -> Result<Instances<'g>, Reason> {
        let mut statistics = Statistics::default();
        let mut query = query(ground, (control, stop), &Formula::Shared, &mut statistics)?;
        if let (Some(exchange), Reuse::Solver) = (&manner.exchange, manner.reuse) {
            let mut solver = Cadical::new();
            solver.join(exchange);
            query.start_over(Blaster::new(solver));
        }
        let (everything, latest_is_everything) = (None, false);
        Ok(Instances { ground, control, stop, manner, query, everything, latest_is_everything, statistics })
    }

    /// Looks for a violation in runs that are interrupted only where it is allowed, or where a thread can
    /// block.
    pub fn check(&mut self, allowed: &Allowed, deadline: Option<Instant>) -> Result<Checked, Reason> {
        let allowed = self.ground.with_blocking(allowed);
        let overall = self.control.time_limit.map(|limit| self.control.started + limit);
        let earliest = [deadline, overall].into_iter().flatten().min();
        let stop = self.control.stop.clone();
        self.latest_is_everything = is_everything(&allowed);
        let given = match (self.latest_is_everything, self.manner.reuse) {
            (true, _) => {
                if self.everything.is_none() || self.manner.reuse != Reuse::Solver {
                    self.everything = Some(self.formula(&Formula::Everything(self.manner.profile))?);
                }
                Vec::new()
            }
            (false, Reuse::Solver) => self.given(&allowed),
            (false, Reuse::Formula) => {
                self.query.start_over(Blaster::new(Cadical::new()));
                self.given(&allowed)
            }
            (false, Reuse::Nothing) => {
                self.query = self.formula(&Formula::Only(&allowed))?;
                Vec::new()
            }
        };
        let query = self.latest_mut();
        query.set_limits(stop, earliest);
        let found = query.search_given(&given);
        let size = query.size();
        self.statistics.variables = self.statistics.variables.max(size.variables as u64);
        self.statistics.clauses = self.statistics.clauses.max(size.clauses as u64);
        match found {
            Search::Found(Counterexample { schedule, violation }) => Ok(Checked::Violation(schedule, violation)),
            Search::Nothing => Ok(Checked::Nothing),
            Search::Interrupted if self.control.is_over() => Err(why_stopped(self.control)),
            Search::Interrupted => Ok(Checked::TimedOut),
        }
    }

    /// The stops of the run that was found last, as thread and point, turn by turn.
    pub fn stops(&self) -> Vec<(usize, usize)> {
        let everything = self.everything.as_ref().filter(|_| self.latest_is_everything);
        everything.unwrap_or(&self.query).stops()
    }

    fn latest_mut(&mut self) -> &mut Query<'g> {
        self.everything.as_mut().filter(|_| self.latest_is_everything).unwrap_or(&mut self.query)
    }

    fn formula(&mut self, formula: &Formula<'_>) -> Result<Query<'g>, Reason> {
        query(self.ground, (self.control, self.stop), formula, &mut self.statistics)
    }

    /// The assumptions that make the formula that of an instance.
    fn given(&mut self, allowed: &Allowed) -> Vec<Lit> {
        let literals = self.query.allow_literals().into_iter();
        let forbidden = literals.filter(|(thread, point, _)| !allowed[*thread][*point]);
        forbidden.map(|(_, _, literal)| !literal).collect()
    }

    /// When nothing was found: what the formula does not cover, in all runs within the bounds. Limits of its
    /// own, since that is asked when others are over.
    pub fn outside(&mut self, stop: &Arc<AtomicBool>, deadline: Option<Instant>) -> Result<Outside, Reason> {
        if self.manner.reuse != Reuse::Solver {
            self.query = self.formula(&Formula::Shared)?;
        }
        self.query.set_limits(stop.clone(), deadline);
        let cut = possible(self.query.is_cut());
        let obstacle = self.query.obstacle().map_err(|_| {
            Reason::Limit("no time to rule out that runs go where the formula does not follow".to_string())
        })?;
        let checks = possible(self.query.checks_something()) != Some(false);
        let at = |loc| self.ground.facts.bounded.program.source.describe(loc);
        let obstacle = obstacle.map(|(what, loc)| Reason::Unsupported { what, at: at(loc) });
        Ok(Outside { cut, obstacle, checks })
    }
}

/// `None`: there was no time to tell.
fn possible(answer: Answer) -> Option<bool> {
    match answer {
        Answer::Possible => Some(true),
        Answer::Impossible => Some(false),
        Answer::Interrupted => None,
    }
}

/// Limits to the meaning of "nothing found".
#[derive(Clone, PartialEq, Debug)]
pub struct Outside {
    /// A bound ends some run, if there was time to tell.
    pub cut: Option<bool>,
    /// A run goes where the formula does not follow.
    pub obstacle: Option<Reason>,
    /// Something that is checked can be reached, as far as is known.
    pub checks: bool,
}

fn is_everything(allowed: &Allowed) -> bool {
    allowed.iter().all(|points| points.iter().skip(1).all(|allowed| *allowed))
}

/// For which instances a formula is.
enum Formula<'a> {
    /// All, by assumptions.
    Shared,
    /// The one in which threads may be interrupted everywhere, for a solver of this profile.
    Everything(SolverProfile),
    /// The one in which they may be there.
    Only(&'a Allowed),
}

/// The formula for all rounds.
fn query<'g>(
    ground: &'g Ground<'g>,
    (control, stop): (&Control, &'g dyn Fn() -> bool),
    formula: &Formula<'_>,
    statistics: &mut Statistics,
) -> Result<Query<'g>, Reason> {
    let mut encoder = round_encoder(&ground.facts, ground.narrowing, ground.cells.as_deref(), &ground.bounds, stop)?;
    statistics.switch_points = points::total(&ground.facts.points);
    if let Formula::Only(allowed) = formula {
        encoder.turns.restrict(allowed);
    }
    encoder.turns.canonical = matches!(formula, Formula::Everything(_));
    encoder.turns.planned = ground.rounds;
    let profile = match formula {
        Formula::Everything(profile) => *profile,
        Formula::Shared | Formula::Only(_) => SolverProfile::default(),
    };
    let solver = || Blaster::new(Cadical::with_profile(profile));
    let mut query = Query::new(encoder, solver(), solver());
    query.formula.all_rounds(ground.rounds);
    if query.formula.encoder.is_unfinished() {
        return Err(why_stopped(control));
    }
    query.this_far();
    Ok(query)
}
