//! `selvedge swarm`: load, prepare, cut into tiles, check instances, conclude, report.

mod engines;

pub use engines::{MakeBackend, SWARM_ENGINES, Work};

use crate::args::{Given, ObserverArgs, SwarmArgs};
use crate::engines::Capability;
use crate::failure::Failure;
use crate::reporter::{CheckResult, Reporter};
use crate::{check, cluster, console, input, machine, output, progress, question};
use indicatif::ProgressBar;
use selvedge_engine::watchdog::{Giver, supervise_giving};
use selvedge_engine::{Control, MAX_INPUT_VALUES, Task, conclude, verdict};
use selvedge_engines::ends;
use selvedge_program::instances::Record;
use selvedge_program::{InternalError, Statistics};
use selvedge_program::{Program, Reason};
use selvedge_report::{EngineUsed, plot};
use selvedge_swarm::cluster::ClusterError;
use selvedge_swarm::cluster::shared::fingerprint;
use selvedge_swarm::{
    Floor, Folder, Options, Parameters, Shape, Subject, SwarmError, Swarmed, Tiling, VERSION, records, swarm_in,
};
use selvedge_symbolic::lazy::instances::{self, Ground, Reuse};
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub fn swarm(args: &Arc<SwarmArgs>, given: &Given) -> Result<u8, Failure> {
    let control = check::control(&args.limits, Instant::now());
    check_arguments(args, given)?;
    let reporter = reporter(args, given);
    let asked = question::of_steps(&args.property)?;
    let loading = Arc::clone(args);
    let front_end = move || input::program(&loading.load, &loading.property, &ObserverArgs::default());
    let program = match check::load(&control, front_end) {
        Ok(program) => Arc::new(program?),
        Err(reason) => return reporter.report(&CheckResult::without_search(reason)),
    };
    check::check_places(&args.bounds, &program)?;
    let properties = match asked.of(&program) {
        Ok(properties) => properties,
        Err(formula) => return reporter.report(&CheckResult::not_yet(&args.property, &formula)),
    };
    if let Some(reason) = args.results.strict.then(|| verdict::refusal(&program)).flatten() {
        return reporter.report(&CheckResult::without_search(reason));
    }
    let task = Task {
        properties,
        bounds: args.bounds.bounds(&args.load.harness.threads),
        seed: args.random.seed,
        max_input_values: MAX_INPUT_VALUES,
    };
    let bar = progress::line(args.console.quiet);
    let searched = {
        let (args, program, bar) = (Arc::clone(args), Arc::clone(&program), bar.clone());
        let (task, inner) = (task.clone(), control.clone());
        supervise_giving("swarm", &control, move |giver| {
            if let Err(end) = search(&args, &program, &task, &inner, bar.as_ref(), giver) {
                giver.give(end);
            }
        })
    };
    bar.iter().for_each(ProgressBar::finish_and_clear);
    let (swarmed, answered) = match searched {
        Ok(SearchEnd::Swarmed(swarmed, answered)) => (*swarmed, answered),
        Ok(SearchEnd::Shown(text)) => return console::print(&text).map(|()| 0),
        Ok(SearchEnd::Failed(failure)) => return Err(failure),
        Ok(SearchEnd::GaveUp(reason)) | Err(reason) => return reporter.report(&CheckResult::without_search(reason)),
    };
    let engine = EngineUsed { name: "swarm", answered };
    let Swarmed { finding, summary, records, statistics } = swarmed.map_err(|error| match error {
        SwarmError::Cluster(error @ ClusterError::Broken { .. }) => {
            let error = InternalError { what: error.to_string(), ..InternalError::default() };
            reporter.internal(engine, &Statistics::default(), error)
        }
        error => Failure::BadInput(error.to_string()),
    })?;

    let took = Duration::from_secs_f64(statistics.seconds);
    let finding = ends::with_ends((args.engine.make.prober)(), (&program, &task), &control, took, finding);
    let conclusion =
        conclude(&program, properties, finding).map_err(|error| reporter.internal(engine, &statistics, error))?;
    let conclusion = if args.results.strict { conclusion.strict() } else { conclusion };
    let drawn = draw(args, &records);
    let result = CheckResult::of(conclusion, &program, (engine, properties, statistics));
    let code = reporter.report(&CheckResult { swarm: Some(summary), ..result })?;
    drawn.map(|()| code)
}

/// The end of a search.
enum SearchEnd {
    /// With an answer, and the name of who gave it.
    Swarmed(Box<Result<Swarmed, SwarmError>>, &'static str),
    /// It was only asked for the tiling.
    Shown(String),
    GaveUp(Reason),
    Failed(Failure),
}

impl From<Reason> for SearchEnd {
    fn from(reason: Reason) -> SearchEnd {
        SearchEnd::GaveUp(reason)
    }
}

impl From<Failure> for SearchEnd {
    fn from(failure: Failure) -> SearchEnd {
        SearchEnd::Failed(failure)
    }
}

/// Gives its answer while workers may still be about to end.
fn search(
    args: &SwarmArgs,
    program: &Program,
    task: &Task,
    control: &Control,
    bar: Option<&ProgressBar>,
    giver: &Giver<SearchEnd>,
) -> Result<(), SearchEnd> {
    let bounded = instances::bounded(program, task, control)?;
    let ground = Ground::new(&bounded, task, args.intervals.source().narrowing(), control)?;
    let floor = Floor::new(ground.threads());
    let options = options(args, &ground, &floor)?;
    if args.show_tiling {
        return Err(SearchEnd::Shown(shown(program, &ground, &floor, &options)));
    }
    let memory_limit = control.memory_limit.map(|limit| limit / options.jobs as u64);
    let (reuse, intervals) = (args.reuse, args.intervals.source());
    let backend = (args.engine.make.backend)(Work { program, task, ground: &ground, reuse, intervals, memory_limit });
    let folder = folder(args, program, task, &ground, &floor, &options)?;
    let watcher = bar.cloned().map(progress::swarm_watcher);
    let subject = Subject { program, properties: task.properties, floor: &floor, scope: backend.scope() };
    std::thread::scope(|scope| {
        let swarmed = match args.cluster.cluster {
            Some(scheduler) => {
                cluster::swarm(scheduler, args, subject, task, &options, folder, (control, bar, watcher.as_ref()))
            }
            None => swarm_in(scope, subject, backend.as_ref(), &options, folder, control, watcher.as_ref()),
        };
        giver.give(SearchEnd::Swarmed(Box::new(swarmed), backend.name()));
    });
    Ok(())
}

fn check_arguments(args: &SwarmArgs, given: &Given) -> Result<(), Failure> {
    args.results.files().chain(&args.plot).try_for_each(|path| output::check_writable(path))?;
    given.check_engine(args.engine, &SWARM_ENGINES)?;
    args.intervals.source.check(args.bounds.rounds)
}

fn reporter<'a>(args: &'a SwarmArgs, given: &'a Given) -> Reporter<'a> {
    let bounds = args.bounds.bounds(&args.load.harness.threads);
    Reporter { load: &args.load, given, console: &args.console, bounds, results: &args.results }
}

fn options(args: &SwarmArgs, ground: &Ground<'_>, floor: &Floor) -> Result<Options, Failure> {
    let shift = args.shift as usize;
    let shape = match (&args.tiling, args.tile_size) {
        (Some(path), _) => {
            let text = std::fs::read_to_string(path)
                .map_err(|error| Failure::BadInput(format!("cannot read {}: {error}", path.display())))?;
            let tiling = Tiling::parse(&text, floor)
                .map_err(|error| Failure::BadInput(format!("{} is no tiling: {error}", path.display())))?;
            Shape::Given(tiling)
        }
        (None, Some(size)) => Shape::Uniform { size: size as usize, shift },
        (None, None) => Shape::Probed { shift },
    };
    Ok(Options {
        shape,
        tiles: args.tiles.unwrap_or(ground.rounds) as usize,
        instances: args.instances.0,
        instance_time_limit: args.instance_time_limit,
        jobs: cluster::tasks(&args.cluster).or(args.jobs.map(usize::from)).unwrap_or_else(machine::cores),
        seed: args.random.seed,
        divide: args.divide,
        keep_going: args.keep_going,
        portfolio: args.engine.takes(Capability::Reuse)
            && args.reuse == Reuse::Solver
            && args.cluster.cluster.is_none(),
    })
}

/// The folder of records, and the records in it.
fn folder(
    args: &SwarmArgs,
    program: &Program,
    task: &Task,
    ground: &Ground<'_>,
    floor: &Floor,
    options: &Options,
) -> Result<Option<(Folder, Vec<Record>)>, Failure> {
    let Some(path) = &args.resume else { return Ok(None) };
    let asked: Vec<&str> = task.properties.iter().map(|property| property.name()).collect();
    // Instances have numbers, which mean the same as long as points do.
    let points = fingerprint(floor);
    let program = selvedge_program::text::print(program);
    let subject = format!("{VERSION} {points}\n{program}\n{}\n{:?}", asked.join(","), task.bounds);
    let parameters = Parameters {
        program: records::hash(&subject),
        unwind: ground.unwind,
        rounds: ground.rounds,
        tiling: options.shape.describe(),
        tiles: options.tiles,
        seed: options.seed,
        engine: args.engine.name.to_string(),
        divide: options.divide,
    };
    Folder::open(path, &parameters).map(Some).map_err(|error| Failure::BadInput(error.to_string()))
}

fn draw(args: &SwarmArgs, records: &[Record]) -> Result<(), Failure> {
    let Some(path) = &args.plot else { return Ok(()) };
    let names: Vec<String> = args.load.files.iter().map(|file| file.display().to_string()).collect();
    output::write(path, &plot::svg(&names.join(" "), records))
}

/// The tiling in its text form, and where its points are.
fn shown(program: &Program, ground: &Ground<'_>, floor: &Floor, options: &Options) -> String {
    let tiling = match &options.shape {
        Shape::Uniform { size, shift } => Tiling::uniform(floor, *size, *shift),
        Shape::Given(tiling) => tiling.clone(),
        Shape::Probed { .. } => Tiling::uniform(floor, floor.longest(), 0),
    };
    let mut text = String::from("# point, place; where a thread can block it can always be interrupted\n");
    for (number, thread) in ground.threads().iter().enumerate() {
        for point in 1..thread.count() {
            let place = program.source.describe(thread.locs[point]);
            let blocks = if thread.blocking[point] { ", can block" } else { "" };
            writeln!(text, "# thread {number}, point {point}: {place}{blocks}").expect("a string takes everything");
        }
    }
    text + &tiling.text()
}
