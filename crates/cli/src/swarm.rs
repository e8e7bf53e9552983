//! `selvedge swarm`: load, prepare, cut into tiles, check instances, judge, report.

use crate::answer::{Answer, Asker};
use crate::args::{ReuseName, SwarmArgs, SwarmEngine};
use crate::failure::Failure;
use crate::property_file::Asked;
use crate::{check, cluster, console, engine, input, interrupt, machine, output, progress};
use indicatif::ProgressBar;
use selvedge_engine::watchdog::{Giver, supervise, supervise_giving};
use selvedge_engine::{Control, Engine, Judgement, Task, judge};
use selvedge_engines::ends;
use selvedge_outside::{IntervalSource, Outside as Checker, Tool};
use selvedge_program::{InternalError, Statistics};
use selvedge_program::{Program, Reason};
use selvedge_report::{EngineUsed, plot};
use selvedge_swarm::cluster::ClusterError;
use selvedge_swarm::cluster::shared::fingerprint;
use selvedge_swarm::runner::Backend;
use selvedge_swarm::runner::explicit::Explicit;
use selvedge_swarm::runner::lazy::Lazy;
use selvedge_swarm::runner::outside::Outside;
use selvedge_swarm::{
    Floor, Folder, Options, Parameters, Record, Shape, Subject, SwarmError, Swarmed, Tiling, VERSION, records, swarm_in,
};
use selvedge_symbolic::lazy::instances::{self, Ground, Reuse};
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub fn swarm(args: &Arc<SwarmArgs>) -> Result<u8, Failure> {
    let control = control(args, Instant::now());
    check_arguments(args)?;
    let asker = asker(args);
    let asked = input::properties_of_steps(&args.property)?;
    let program = match load(args, &control) {
        Ok(program) => Arc::new(program?),
        Err(reason) => return asker.report(&Answer::without_search(reason)),
    };
    check::check_places(&args.bounds, &program)?;
    let properties = match asked {
        Asked::Check(properties) => properties,
        Asked::NotYet(formula) => return asker.report(&Answer::not_yet(&args.property, &formula)),
    };
    if let Some(reason) = args.strict.then(|| judge::refusal(&program)).flatten() {
        return asker.report(&Answer::without_search(reason));
    }
    let task = Task { properties, bounds: args.bounds.bounds(), seed: args.seed, ..Task::default() };
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
        Ok(End::Swarmed(swarmed, answered)) => (*swarmed, answered),
        Ok(End::Shown(text)) => return console::print(&text).map(|()| 0),
        Ok(End::Failed(failure)) => return Err(failure),
        Ok(End::GaveUp(reason)) | Err(reason) => return asker.report(&Answer::without_search(reason)),
    };
    let engine = EngineUsed { name: "swarm", answered };
    let Swarmed { finding, summary, records, statistics } = swarmed.map_err(|error| match error {
        SwarmError::Cluster(error @ ClusterError::Broken { .. }) => {
            let error = InternalError { what: error.to_string(), ..InternalError::default() };
            asker.internal(engine, &Statistics::default(), error)
        }
        error => Failure::BadInput(error.to_string()),
    })?;

    let took = Duration::from_secs_f64(statistics.seconds);
    let finding = ends::with_ends(prober(args.engine), (&program, &task), &control, took, finding);
    let judged = judge(&program, properties, finding).map_err(|error| asker.internal(engine, &statistics, error))?;
    let Judgement { verdict, assumptions } = if args.strict { judged.strict() } else { judged };
    let drawn = draw(args, &records);
    let code = asker.report(&Answer { verdict, engine, properties, assumptions, statistics, swarm: Some(summary) })?;
    drawn.map(|()| code)
}

/// How a search ends.
enum End {
    /// With an answer, and the name of who gave it.
    Swarmed(Box<Result<Swarmed, SwarmError>>, &'static str),
    /// It was only asked for the tiling.
    Shown(String),
    GaveUp(Reason),
    Failed(Failure),
}

impl From<Reason> for End {
    fn from(reason: Reason) -> End {
        End::GaveUp(reason)
    }
}

impl From<Failure> for End {
    fn from(failure: Failure) -> End {
        End::Failed(failure)
    }
}

fn control(args: &SwarmArgs, started: Instant) -> Control {
    Control {
        stop: interrupt::stop_flag(),
        time_limit: args.time_limit.map(Duration::from_secs),
        memory_limit: args.memory_limit.map(|megabytes| megabytes << 20).or_else(machine::default_memory_limit),
        started,
        ..Control::default()
    }
}

/// The program, or what is wrong with it; a reason if there was no time to tell.
fn load(args: &Arc<SwarmArgs>, control: &Control) -> Result<Result<Program, Failure>, Reason> {
    let loading = Arc::clone(args);
    check::unless_over(control, supervise("front end", control, move || input::program(&loading.load))?)
}

/// Gives its answer while workers may still be about to end.
fn search(
    args: &SwarmArgs,
    program: &Program,
    task: &Task,
    control: &Control,
    bar: Option<&ProgressBar>,
    giver: &Giver<End>,
) -> Result<(), End> {
    let bounded = instances::bounded(program, task, control)?;
    let ground = Ground::new(&bounded, task, args.intervals.source().narrowing(), control)?;
    let floor = Floor::new(ground.threads());
    let options = options(args, &ground, &floor)?;
    if args.show_tiling {
        return Err(End::Shown(shown(program, &ground, &floor, &options)));
    }
    let memory_limit = control.memory_limit.map(|limit| limit / options.jobs as u64);
    let backend = backend((args.engine, args.reuse, args.intervals.source()), program, task, &ground, memory_limit);
    let folder = folder(args, program, task, &ground, &floor, &options)?;
    let watcher = bar.cloned().map(progress::swarm_watcher);
    let subject = Subject { program, properties: task.properties, floor: &floor, scope: backend.scope() };
    std::thread::scope(|scope| {
        let swarmed = match args.cluster.cluster {
            Some(name) => cluster::swarm(name, args, subject, task, &options, folder, (control, bar, watcher.as_ref())),
            None => swarm_in(scope, subject, backend.as_ref(), &options, folder, control, watcher.as_ref()),
        };
        giver.give(End::Swarmed(Box::new(swarmed), backend.name()));
    });
    Ok(())
}

/// Who looks for misuse that nobody asked about.
fn prober(engine: SwarmEngine) -> Arc<dyn Engine> {
    match engine {
        SwarmEngine::Explicit => Arc::new(selvedge_search::explicit::Explicit::ONE),
        SwarmEngine::Lazy | SwarmEngine::Cbmc => Arc::new(selvedge_symbolic::lazy::Lazy::default()),
    }
}

fn check_arguments(args: &SwarmArgs) -> Result<(), Failure> {
    for path in [&args.json, &args.schedule_out, &args.plot].into_iter().flatten() {
        output::check_writable(path)?;
    }
    engine::check_intervals(args.engine.name(), args.intervals.source(), args.bounds.rounds)?;
    let refused = |message: &str| Err(Failure::BadInput(message.to_string()));
    match args.engine {
        SwarmEngine::Explicit if args.bounds.rounds.is_some() => {
            refused("--rounds bounds the lazy engine: it does not go with --engine explicit")
        }
        SwarmEngine::Explicit | SwarmEngine::Cbmc if args.reuse != ReuseName::Solver => {
            let name = args.engine.name().name();
            refused(&format!("--reuse is about the lazy engine's solvers: it does not go with --engine {name}"))
        }
        _ if args.instance_time_limit.is_some_and(|seconds| !(seconds > 0.0 && seconds < 1e9)) => {
            refused("--instance-time-limit must be a positive number of seconds")
        }
        _ => Ok(()),
    }
}

fn asker(args: &SwarmArgs) -> Asker<'_> {
    Asker {
        load: &args.load,
        property: &args.property,
        watch: None,
        console: &args.console,
        bounds: args.bounds.bounds(),
        json: args.json.as_deref(),
        schedule_out: args.schedule_out.as_deref(),
    }
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
        instance_time_limit: args.instance_time_limit.map(Duration::from_secs_f64),
        jobs: cluster::tasks(&args.cluster).or(args.jobs.map(usize::from)).unwrap_or_else(machine::cores),
        seed: args.seed,
        divide: args.divide,
        keep_going: args.keep_going,
        portfolio: args.engine == SwarmEngine::Lazy
            && args.reuse == ReuseName::Solver
            && args.cluster.cluster.is_none(),
    })
}

/// Who checks instances.
pub fn backend<'a>(
    (engine, reuse, intervals): (SwarmEngine, ReuseName, IntervalSource),
    program: &'a Program,
    task: &'a Task,
    ground: &'a Ground<'a>,
    memory_limit: Option<u64>,
) -> Box<dyn Backend + 'a> {
    let reuse = match reuse {
        ReuseName::Solver => Reuse::Solver,
        ReuseName::Formula => Reuse::Formula,
        ReuseName::Nothing => Reuse::Nothing,
    };
    match engine {
        SwarmEngine::Lazy => Box::new(Lazy::new(ground, reuse)),
        SwarmEngine::Explicit => Box::new(Explicit { program, task, ground }),
        SwarmEngine::Cbmc => {
            Box::new(Outside { engine: Checker { intervals, ..Checker::new(Tool::Cbmc) }, ground, task, memory_limit })
        }
    }
}

/// Where records are kept, and those that are there.
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
        engine: args.engine.name().name().to_string(),
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
