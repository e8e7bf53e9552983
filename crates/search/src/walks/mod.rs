//! Random walks: one run after another, drawn at random. No state is stored, so the size of a program does not matter,
//! only how likely its bugs are.
//!
//! | module | what it does |
//! |---|---|
//! | `scheduler` | who goes next: by random priorities that change a few times, or uniformly |
//! | `arrivals` | when buffered stores reach memory |
//! | `walk` | one run, up to its end |
//! | `shorter` | a run with fewer switches that ends in the same violation |
//!
//! Inputs are open until they matter, and then drawn. A walk can only find something, it never shows that there is
//! nothing. Runs that do not end are cut; the limit grows as long as most of them are.

mod arrivals;
mod scheduler;
mod shorter;
mod walk;

use crate::explicit::Explicit;
use arrivals::Arrivals;
use scheduler::Scheduler;
use selvedge_engine::counterexample::{Counterexample, Leg, of_path};
use selvedge_engine::{Control, Engine, Outcome, Progress, Task};

use selvedge_program::{Finding, Program, Properties, Property, Reason, Scope, Statistics, Violation, Walked};
use selvedge_vm::choices::Dice;
use selvedge_vm::expand::{Expander, Stop};
use selvedge_vm::watch::{self, Watch};
use selvedge_vm::{Code, Sharing};
use std::collections::HashSet;
use std::time::Instant;
use walk::Walk;

/// The first walks are cut after so many transitions.
const FIRST_CUT: u64 = 1 << 13;
/// Runs are taken to be at least so long when the places of changes are drawn.
const SHORTEST: u64 = 16;
/// No walk is longer: its run has to be shown, too.
const LAST_CUT: u64 = 1 << 22;
/// An input with more values than this is drawn from its ends only.
const WIDEST: u64 = u32::MAX as u64;

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Walks {
    /// End after so many transitions and runs, if at all.
    pub most: Option<u64>,
}

impl Engine for Walks {
    fn name(&self) -> &'static str {
        "walks"
    }

    fn scope(&self) -> Scope {
        let properties = Properties::STATES.with(Property::Race);
        Scope { properties, init: true, abstraction: false, store_buffers: true }
    }

    fn search(&self, program: &Program, task: &Task, control: &Control) -> Outcome {
        let started = Instant::now();
        let mut statistics = Statistics::default();
        let finding = self.explore(program, task, control, &mut statistics).unwrap_or_else(Finding::GaveUp);
        statistics.take_time(started);
        Outcome { finding, statistics, by: self.name() }
    }
}

impl Walks {
    fn explore(
        &self,
        program: &Program,
        task: &Task,
        control: &Control,
        statistics: &mut Statistics,
    ) -> Result<Finding, Reason> {
        let code = Code::new(program, task.properties).map_err(|error| Reason::Limit(error.to_string()))?;
        watch::check_init(&code)?;
        let sharing = Explicit::ONE.sharing(&code, task, control);
        let mut tour = Tour::new(&code, task, control, sharing, self.most);
        let result = tour.run();
        statistics.transitions = tour.walked.steps;
        statistics.restarts = tour.restarts;
        statistics.walked = Some(tour.walked);
        result.map(Finding::from)
    }
}

/// The end of a walk.
pub(crate) enum WalkEnd {
    Wrong(Violation),
    /// No thread can go on, the process has ended, or there is no such run.
    Over,
    /// It was too long.
    Cut,
    /// Something turned out to be shared: what was a transition no longer is.
    Shared,
    Stopped(Reason),
}

/// All walks.
struct Tour<'c> {
    code: &'c Code<'c>,
    task: &'c Task,
    control: &'c Control,
    sharing: Sharing,
    most: Option<u64>,
    walked: Walked,
    /// Pairs of places: where one thread stopped, and another went on.
    switches: HashSet<(u32, u32)>,
    cut: u64,
    restarts: u32,
}

impl<'c> Tour<'c> {
    fn new(code: &'c Code<'c>, task: &'c Task, control: &'c Control, sharing: Sharing, most: Option<u64>) -> Self {
        let (walked, switches) = (Walked::default(), HashSet::new());
        Tour { code, task, control, sharing, most, walked, switches, cut: FIRST_CUT, restarts: 0 }
    }

    /// Walks until something is wrong.
    fn run(&mut self) -> Result<Counterexample, Reason> {
        for number in 0.. {
            if self.most.is_some_and(|most| self.walked.steps + self.walked.runs >= most) {
                break;
            }
            let mut expander = self.expander();
            let broken = match expander.look_at_start() {
                Ok((_, broken)) => broken,
                Err(Stop::GaveUp(reason)) => return Err(reason),
                Err(Stop::Shared) => {
                    self.learn(expander);
                    continue;
                }
            };
            if let Some(violation) = broken {
                return Ok(of_path(&mut expander, &[], violation));
            }
            let mut random = fastrand::Rng::with_seed(self.task.seed.wrapping_mul(0x9e37_79b9).wrapping_add(number));
            let dice = Dice::new(random.fork());
            let arrivals = Arrivals::drawn(random.fork());
            let scheduler = Scheduler::drawn(random, number, self.walked.longest.max(SHORTEST));
            let mut walk = Walk::new(expander, scheduler, arrivals, dice);
            let mut switches = std::mem::take(&mut self.switches);
            let end = walk.run(self.cut, &mut switches, &|steps| self.look(steps));
            self.switches = switches;
            self.note(&walk);
            match end {
                WalkEnd::Wrong(violation) => return Ok(self.counterexample(walk, violation)),
                WalkEnd::Over => {}
                WalkEnd::Cut => self.cut = (self.cut + self.cut / 2).min(LAST_CUT),
                WalkEnd::Shared => self.learn(walk.expander),
                WalkEnd::Stopped(reason) => return Err(reason),
            }
            if let Some(reason) = self.look(0) {
                return Err(reason);
            }
        }
        Err(Reason::Limit("random walks find violations only".to_string()))
    }

    fn expander(&self) -> Expander<'c> {
        Expander::new(self.code, self.sharing.clone(), Watch::new(&self.code.program.observers), WIDEST)
            .with_store_buffer(self.task.bounds.store_buffer)
    }

    fn learn(&mut self, expander: Expander<'_>) {
        self.restarts += 1;
        self.sharing = expander.machine.sharing.widened();
    }

    fn note(&mut self, walk: &Walk<'_>) {
        self.walked.runs += 1;
        self.walked.steps += walk.steps;
        self.walked.longest = self.walked.longest.max(walk.steps);
        self.walked.switches = self.switches.len() as u64;
    }

    /// Why to stop, if at all. So many steps were made since the last walk ended.
    fn look(&self, steps: u64) -> Option<Reason> {
        let progress = Progress {
            states: self.switches.len() as u64,
            transitions: self.walked.steps + steps,
            ..Progress::default()
        };
        self.control.should_stop(&progress)
    }

    /// The run, with fewer switches if that is possible.
    fn counterexample(&mut self, walk: Walk<'c>, violation: Violation) -> Counterexample {
        let mut fresh = self.expander();
        let path: Vec<Leg> = shorter::path(&mut fresh, walk.path, &violation, &|| self.control.is_over());
        let mut expander = self.expander();
        of_path(&mut expander, &path, violation)
    }
}
