//! Swarms: many small instances of one check, on all cores.
//!
//! VeriSmart (Nguyen, Schrammel, Fischer, La Torre, Parlato: Parallel bug-finding in concurrent programs via
//! reduced interleaving instances, ASE 2017). The points at which a thread may be interrupted are cut into
//! tiles; an instance lets threads be interrupted only in a few tiles each, and where they block. A bug that is
//! rare among all interleavings is frequent in the right instance, and instances are independent. Selecting z
//! tiles of every thread in all ways covers every run in which no thread is interrupted at more than z points:
//! all runs of z rounds.
//!
//! Differences from the paper: instances are not programs but assumptions on one formula, so that solvers keep what
//! they learn ([`runner::lazy`]); they are numbered, never listed (`selection`, `permutation`); the tile size is found
//! by trying (`sizes`); instances that take too long are divided ([`divide`]).
//!
//! | module | what it does |
//! |---|---|
//! | `tiling`, `selection`, `permutation` | tiles, numbered selections of tiles, the order of the numbers |
//! | [`divide`] | smaller instances of one that takes too long; how much has been shown |
//! | [`plan`], `sizes`, `coordinator` | the next instance; the search for a tile size |
//! | [`runner`], `pool` | checking instances; one worker for each core |
//! | [`records`] | results in a folder, from which a swarm can be resumed |
//! | [`cluster`] | workers on other machines |
//! | `summary` | statistics |

pub mod cluster;
mod coordinator;
pub mod divide;
mod permutation;
pub mod plan;
mod pool;
pub mod records;
pub mod runner;
mod selection;
mod sizes;
mod summary;
mod tiling;

pub use records::{Folder, FolderError, Journal, Parameters};
pub use selection::TooMany;
pub use summary::Progress;
pub use tiling::{Floor, Tiling, TilingError};

/// Numbers of instances and formats of files may change from version to version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

use coordinator::Coordinator;
use plan::Plan;
use pool::Ending;
use runner::Backend;
use selvedge_engine::{Control, verdict};
use selvedge_program::Statistics;
use selvedge_program::instances::{Record, Summary};
use selvedge_program::{Covered, Finding, Limit, Program, Properties, Reason, Schedule, Scope};
use selvedge_vm::replay::{Replayed, replay};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The shape of tiles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    Uniform {
        size: usize,
        shift: usize,
    },
    /// Given by the user.
    Given(Tiling),
    /// Uniform, of a size found by trying.
    Probed {
        shift: usize,
    },
}

impl Shape {
    /// The text of [`Parameters::tiling`].
    pub fn describe(&self) -> String {
        match self {
            Shape::Uniform { size, shift } => format!("of size {size} shifted by {shift}"),
            Shape::Given(tiling) => format!("given by hand ({})", records::hash(&tiling.text())),
            Shape::Probed { shift } => format!("probed, shifted by {shift}"),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    pub shape: Shape,
    /// The number of tiles selected in every thread.
    pub tiles: usize,
    /// The most selections to check.
    pub instances: Option<u128>,
    pub instance_time_limit: Option<Duration>,
    pub jobs: usize,
    pub seed: u64,
    /// Divide instances that take too long.
    pub divide: bool,
    /// Check all instances, whatever they find: for statistics.
    pub keep_going: bool,
    /// Workers check an instance in different ways, so two of them may have the same one.
    pub portfolio: bool,
}

/// Called periodically.
pub type Watcher = Arc<dyn Fn(&Progress) + Send + Sync>;

/// The result of a swarm, with statistics.
pub struct Swarmed {
    pub finding: Finding,
    pub summary: Summary,
    pub records: Vec<Record>,
    pub statistics: Statistics,
}

/// Why a swarm failed.
#[derive(Debug, thiserror::Error)]
pub enum SwarmError {
    #[error(transparent)]
    TooMany(#[from] TooMany),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("instance {instance} is on record as buggy, but its schedule {schedule} shows nothing: {why}")]
    NoBug { instance: String, schedule: Box<Schedule>, why: String },
    #[error(transparent)]
    Cluster(#[from] cluster::ClusterError),
}

/// The program that is checked.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub program: &'a Program,
    pub properties: Properties,
    pub floor: &'a Floor,
    /// Everything that the engine looks for.
    pub scope: Scope,
}

/// Checks instance after instance, until there is a violation or no instance is left, and all workers have ended.
pub fn swarm(
    subject: Subject<'_>,
    backend: &dyn Backend,
    options: &Options,
    folder: Option<(Folder, Vec<Record>)>,
    control: &Control,
    watcher: Option<&Watcher>,
) -> Result<Swarmed, SwarmError> {
    std::thread::scope(|scope| swarm_in(scope, subject, backend, options, folder, control, watcher))
}

/// Like [`swarm`], but workers that do not stop in time are left to `scope`.
pub fn swarm_in<'scope, 'env>(
    scope: &'scope std::thread::Scope<'scope, 'env>,
    subject: Subject<'scope>,
    backend: &'scope dyn Backend,
    options: &'scope Options,
    folder: Option<(Folder, Vec<Record>)>,
    control: &Control,
    watcher: Option<&Watcher>,
) -> Result<Swarmed, SwarmError> {
    swarm_by(subject, options, folder, |coordinator| {
        Ok(pool::run(scope, coordinator, subject.floor, backend, options.jobs, control, watcher))
    })
}

/// Like [`swarm`], but `work` carries out what the coordinator assigns.
pub fn swarm_by<'a>(
    subject: Subject<'a>,
    options: &'a Options,
    folder: Option<(Folder, Vec<Record>)>,
    work: impl FnOnce(Coordinator<'a>) -> Result<(Coordinator<'a>, Ending), SwarmError>,
) -> Result<Swarmed, SwarmError> {
    let started = Instant::now();
    let (folder, earlier) = folder.map_or((None, Vec::new()), |(folder, records)| (Some(folder), records));
    let mut coordinator =
        Coordinator::new(subject.floor, options, folder.map(|folder| Box::new(folder) as Box<dyn Journal>))?;
    coordinator.found = found_before(subject, &earlier)?;
    coordinator.resume(earlier)?;
    let (coordinator, ending) = match coordinator.is_over() && coordinator.found.is_some() {
        true => (coordinator, Ending { reason: None, limits: None, size: (0, 0) }),
        false => work(coordinator)?,
    };
    let summary = summary::summary(&coordinator, options.tiles, options.jobs, started.elapsed());
    let statistics = Statistics {
        seconds: started.elapsed().as_secs_f64(),
        variables: ending.size.0,
        clauses: ending.size.1,
        switch_points: subject.floor.threads.iter().map(|points| points.len() as u64).sum(),
        ..Statistics::default()
    };
    if let Some(error) = coordinator.failed {
        return Err(error.into());
    }
    let finding = match coordinator.found.clone() {
        Some(found) => found,
        None => verdict::in_scope(
            subject.scope,
            subject.program,
            subject.properties,
            nothing(&coordinator, options, ending),
        ),
    };
    Ok(Swarmed { finding, summary, records: coordinator.records, statistics })
}

/// A bug from the records, replayed.
fn found_before(subject: Subject<'_>, records: &[Record]) -> Result<Option<Finding>, SwarmError> {
    records.iter().find_map(|record| found(subject, record).transpose()).transpose()
}

/// The bug of a record, if it has one, established by replaying its schedule.
fn found(subject: Subject<'_>, record: &Record) -> Result<Option<Finding>, SwarmError> {
    let Some(schedule) = record.schedule.clone() else { return Ok(None) };
    match replay(subject.program, subject.properties, &schedule) {
        Replayed::Violation(trace) => Ok(Some(Finding::Violation { schedule, violation: trace.violation })),
        Replayed::Nothing { why } => {
            let (instance, schedule) = (record.instance.to_string(), Box::new(schedule));
            Err(SwarmError::NoBug { instance, schedule, why: why.to_string() })
        }
    }
}

/// The finding of a swarm without a bug: how much has been covered.
fn nothing(coordinator: &Coordinator<'_>, options: &Options, ending: Ending) -> Finding {
    let share = |plan: &Plan| plan.ledger.selections() / plan.space.total() as f64;
    // The plan with the largest covered share, and among equals the one with the larger tiles.
    let best = coordinator.plans.values().max_by(|a, b| share(a).total_cmp(&share(b)));
    let shown = best.filter(|plan| share(plan) > 0.0);
    match (shown, ending.limits, ending.reason) {
        (_, _, Some(reason @ (Reason::Interrupted | Reason::MemoryLimit { .. }))) => Finding::GaveUp(reason),
        (Some(plan), Some(Ok(mut coverage)), _) => {
            coverage.limits.push(selections(plan, options.tiles));
            Finding::NoneWithin(coverage)
        }
        (_, _, Some(reason)) => Finding::GaveUp(reason),
        (_, Some(Err(reason)), _) => Finding::GaveUp(reason),
        _ => Finding::GaveUp(Reason::Limit("no instance could be checked in its time".to_string())),
    }
}

/// "12 of 36 selections of 2 tiles of size 5".
fn selections(plan: &Plan, tiles: usize) -> Limit {
    let total = plan.space.total();
    let covered = match plan.ledger.whole == total {
        true => Covered::All,
        false => Covered::Some(plan.ledger.selections()),
    };
    Limit::Selections { covered, total, tiles: tiles as u64, kind: plan.tiling.kind.clone() }
}
