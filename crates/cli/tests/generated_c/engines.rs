//! One question to one engine, and its verdict.

use selvedge_engine::{Control, Engine, Task, conclude};
use selvedge_program::{Bounds, Coverage, Cuts, Finding, Limit, Program, Properties, Schedule, Verdict, Violation};
use selvedge_search::dpor::Dpor;
use selvedge_search::explicit::Explicit;
use selvedge_swarm::runner::{self, Backend};
use selvedge_swarm::{Floor, Options, Shape, Subject};
use selvedge_symbolic::lazy::instances::{self, Ground, Reuse};
use selvedge_symbolic::lazy::{Lazy, Narrowing};
use selvedge_symbolic::tree::Tree;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// An engine that needs longer gives no answer, which is counted.
const TIME_LIMIT: Duration = Duration::from_secs(3);
const MEMORY_LIMIT: u64 = 1 << 30;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Who {
    Explicit,
    ByConflicts,
    Lazy,
    Tree,
    Swarm,
}

/// The answer of an engine to a question.
#[derive(Clone, PartialEq, Debug)]
pub enum Says {
    Unsafe { schedule: Schedule, violation: Violation },
    Safe,
    Within(Coverage),
    Unknown,
}

impl Says {
    pub fn decides(&self) -> bool {
        matches!(self, Says::Unsafe { .. } | Says::Safe)
    }

    pub fn word(&self) -> &'static str {
        match self {
            Says::Unsafe { .. } => "unsafe",
            Says::Safe => "safe",
            Says::Within(_) => "within",
            Says::Unknown => "unknown",
        }
    }

    /// Rules out the violation of this run: all is safe, or all that such a run needs.
    pub fn excludes(&self, schedule: &Schedule, violation: &Violation) -> bool {
        match self {
            Says::Safe => true,
            Says::Within(coverage) => coverage.limits.iter().all(|limit| match limit {
                Limit::Unwind { cuts: Cuts::None, .. } | Limit::EndsUnchecked(_) => true,
                Limit::Rounds(most) => schedule.rounds() <= *most as usize,
                Limit::Switches(most) => schedule.switches(violation) <= *most as usize,
                _ => false,
            }),
            Says::Unsafe { .. } | Says::Unknown => false,
        }
    }
}

/// An error of ours is an `Err`.
pub fn ask(who: Who, program: &Program, properties: Properties) -> Result<Says, String> {
    catch_unwind(AssertUnwindSafe(|| says(who, program, properties))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        Err(format!("panics: {}", text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("without a word")))
    })
}

fn says(who: Who, program: &Program, properties: Properties) -> Result<Says, String> {
    let task = Task { properties, bounds: bounds(who), ..Task::default() };
    let control = Control { time_limit: Some(TIME_LIMIT), memory_limit: Some(MEMORY_LIMIT), ..Control::default() };
    let finding = match who {
        Who::Explicit => Explicit::default().check(program, &task, &control).finding,
        Who::ByConflicts => Dpor::default().check(program, &task, &control).finding,
        Who::Lazy => Lazy::default().check(program, &task, &control).finding,
        Who::Tree => Tree::default().check(program, &task, &control).finding,
        Who::Swarm => swarm(program, &task, &control)?,
    };
    let found = match &finding {
        Finding::Violation { schedule, violation } => Some((schedule.clone(), violation.clone())),
        _ => None,
    };
    let conclusion = conclude(program, properties, finding).map_err(|error| match &error.schedule {
        Some(schedule) => format!("{error}, schedule {schedule}"),
        None => error.to_string(),
    });
    Ok(match (conclusion?.verdict, found) {
        (Verdict::Unsafe(trace), Some((schedule, _))) => Says::Unsafe { schedule, violation: trace.violation.clone() },
        (Verdict::Safe, _) => Says::Safe,
        // Runs that end in what nobody asked for show nothing of what was asked.
        (Verdict::SafeWithin(coverage), _) if ends_unchecked(&coverage) => Says::Safe,
        (Verdict::SafeWithin(coverage), _) => Says::Within(coverage),
        _ => Says::Unknown,
    })
}

fn ends_unchecked(coverage: &Coverage) -> bool {
    coverage.limits.iter().all(|limit| matches!(limit, Limit::EndsUnchecked(_)))
}

/// Small ones, that the programs seldom need more of.
fn bounds(who: Who) -> Bounds {
    let small = Bounds { unwind: Some(4), ..Bounds::default() };
    match who {
        Who::Explicit | Who::ByConflicts => Bounds::default(),
        Who::Lazy => Bounds { rounds: Some(3), ..small },
        Who::Tree => Bounds { switches: Some(2), ..small },
        Who::Swarm => Bounds { rounds: Some(2), ..small },
    }
}

fn swarm(program: &Program, task: &Task, control: &Control) -> Result<Finding, String> {
    let bounded = match instances::bounded(program, task, control) {
        Ok(bounded) => bounded,
        Err(reason) => return Ok(Finding::GaveUp(reason)),
    };
    let ground = match Ground::new(&bounded, task, Narrowing::Own, control) {
        Ok(ground) => ground,
        Err(reason) => return Ok(Finding::GaveUp(reason)),
    };
    let floor = Floor::new(ground.threads());
    let options = Options {
        shape: Shape::Uniform { size: 4, shift: 0 },
        tiles: 2,
        instances: Some(4),
        instance_time_limit: None,
        jobs: 1,
        seed: 0,
        divide: false,
        keep_going: false,
        portfolio: false,
    };
    let backend = runner::lazy::Lazy::new(&ground, Reuse::Solver);
    let subject = Subject { program, properties: task.properties, floor: &floor, scope: backend.scope() };
    let swarmed = selvedge_swarm::swarm(subject, &backend, &options, None, control, None);
    swarmed.map(|swarmed| swarmed.finding).map_err(|error| error.to_string())
}
