//! `selvedge check`: load, prepare, search, conclude, report.

use crate::args::{BoundsArgs, CheckArgs, Emitted, Given, LimitArgs, LoadArgs, LoopBound, ProgramArgs, Stage};
use crate::failure::Failure;
use crate::keep_going::{self, Others};
use crate::question::{self, Question};
use crate::reporter::{CheckResult, Reporter};
use crate::sources::Sources;
use crate::{console, emit, engines, fences, harness, input, interrupt, machine, output, progress};
use indicatif::ProgressBar;
use selvedge_engine::watchdog::{self, supervise};
use selvedge_engine::{Conclusion, Control, Engine, Outcome, Task, conclude, verdict};
use selvedge_engines::ends;
use selvedge_program::{
    Bounds, Finding, InternalError, Program, Properties, Property, Reason, Specification, Statistics, Verdict,
};
use selvedge_report::EngineUsed;
use selvedge_report::fences::Fences;
use selvedge_symbolic::lazy::Lazy;
use selvedge_symbolic::tree::Tree;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub fn check(mut args: Box<CheckArgs>, mut given: Given) -> Result<u8, Failure> {
    let asked = question::asked(&mut args.program, &mut given)?;
    search_and_report(&Arc::from(args), &given, asked)
}

fn search_and_report(args: &Arc<CheckArgs>, given: &Given, asked: Question) -> Result<u8, Failure> {
    let mut control = control(&args.limits, Instant::now());
    control.disk = args.explicit.disk(control.memory_limit);
    args.results.files().try_for_each(|path| output::check_writable(path))?;
    if args.fences {
        fences::refuse(args)?;
    }
    let purpose = match args.emit {
        Some(Emitted::Harness) => return emit_harness(&args.program.load),
        Some(Emitted::Of(stage)) => Purpose::Emit(stage),
        None => Purpose::Search(engines::engine(args, given)?),
    };
    let reporter = reporter(args, given);
    let loading = Arc::clone(args);
    let front_end = move || {
        let ProgramArgs { load, property, observers } = &loading.program;
        input::program(load, property, observers)
    };
    let program = match load(&control, front_end) {
        Ok(program) => Arc::new(program?),
        Err(reason) => return reporter.report(&CheckResult::without_search(reason)),
    };
    check_places(&args.bounds, &program)?;
    let properties = match asked.of(&program) {
        Ok(properties) => with_own(properties, &program),
        Err(formula) => return reporter.report(&CheckResult::not_yet(&args.program.property, &formula)),
    };
    let task = task(args, properties);
    let engine: Arc<dyn Engine> = match purpose {
        Purpose::Search(engine) => engine.into(),
        Purpose::Emit(stage) => {
            return match emitted(stage, (engines::lazy(args), args.tree.engine()), &program, task, &control) {
                Ok(text) => console::print(&text).map(|()| 0),
                Err(reason) => reporter.report(&CheckResult::without_search(reason)),
            };
        }
    };
    let name = engine.name();
    let Outcome { finding, statistics, by } = match args.results.strict.then(|| verdict::refusal(&program)).flatten() {
        Some(reason) => Outcome { finding: Finding::GaveUp(reason), statistics: Statistics::default(), by: "none" },
        None => search(args, Arc::clone(&engine), &program, task.clone(), control.clone()),
    };
    let searched = engine;
    let engine = EngineUsed { name, answered: by };
    if let Finding::GaveUp(reason @ Reason::Observer { .. }) = finding {
        return Err(Failure::BadInput(reason.to_string()));
    }
    let conclusion =
        conclude(&program, properties, finding).map_err(|error| reporter.internal(engine, &statistics, error))?;
    let conclusion = if args.results.strict { conclusion.strict() } else { conclusion };
    let fences = match &conclusion.verdict {
        Verdict::Unsafe(_) if args.fences => {
            let repaired = repair(args, &searched, &task, &control)?;
            Some(repaired.map_err(|error| reporter.internal(engine, &statistics, error))?)
        }
        _ => None,
    };
    let others = match &conclusion.verdict {
        Verdict::Unsafe(first) if args.keep_going => {
            let again = |program| {
                let program = Arc::new(program);
                let outcome = search(args, Arc::clone(&searched), &program, task.clone(), control.clone());
                conclude(&program, properties, outcome.finding)
            };
            let others = keep_going::others(&program, first, again);
            others.map_err(|error| reporter.internal(engine, &statistics, error))?
        }
        _ => Others::default(),
    };
    let conclusion = match &conclusion.verdict {
        Verdict::Unknown(reason) if conclusion.reach.is_none() && reason.is_limit_of_search() => {
            Conclusion { reach: ends::seen(&program, &task), ..conclusion }
        }
        _ => conclusion,
    };
    let result = CheckResult::of(conclusion, &program, (engine, properties, statistics));
    reporter.report(&CheckResult { fences, others, ..result })
}

/// The fewest fences that make the program safe, or an error of ours on the way.
fn repair(
    args: &Arc<CheckArgs>,
    engine: &Arc<dyn Engine>,
    task: &Task,
    control: &Control,
) -> Result<Result<Fences, InternalError>, Failure> {
    let prepared = fences::prepare(args)?;
    Ok(prepared.repair(&mut |program| {
        let program = Arc::new(program);
        let outcome = search(args, Arc::clone(engine), &program, task.clone(), control.clone());
        let conclusion = conclude(&program, task.properties, outcome.finding)?;
        // Fences are not to be found too few because there was no time for more.
        Ok(conclusion.stopped_by.map_or(conclusion.verdict, Verdict::Unknown))
    }))
}

fn emit_harness(load: &LoadArgs) -> Result<u8, Failure> {
    match harness::of(load, &Sources::plain(load)?)? {
        Some(harness) => console::print(&harness.text).map(|()| 0),
        None => {
            Err(Failure::BadInput("--emit harness requires --threads or --entry, of which one is made".to_string()))
        }
    }
}

/// The use that the program is put to.
enum Purpose {
    Emit(Stage),
    Search(Box<dyn Engine>),
}

pub fn control(limits: &LimitArgs, started: Instant) -> Control {
    Control {
        stop: interrupt::stop_flag(),
        time_limit: limits.time_limit.map(Duration::from_secs),
        memory_limit: limits.memory_limit.map(|megabytes| megabytes << 20).or_else(machine::default_memory_limit),
        started,
        ..Control::default()
    }
}

/// The program, or what is wrong with it; a reason if there was no time to tell.
pub fn load(
    control: &Control,
    load: impl FnOnce() -> Result<Program, Failure> + Send + 'static,
) -> Result<Result<Program, Failure>, Reason> {
    // An interrupt reaches the compiler too, whose complaint is then not to the point.
    match (supervise("front end", control, load)?, control.over()) {
        (Err(_), Some(reason)) => Err(reason),
        (loaded, _) => Ok(loaded),
    }
}

fn emitted(
    stage: Stage,
    (lazy, tree): (Lazy, Tree),
    program: &Arc<Program>,
    task: Task,
    control: &Control,
) -> Result<String, Reason> {
    let program = Arc::clone(program);
    supervise("emit", control, move || emit::text(stage, &program, &task, (lazy, &tree)))?
}

fn reporter<'a>(args: &'a CheckArgs, given: &'a Given) -> Reporter<'a> {
    Reporter { load: &args.program.load, given, console: &args.console, bounds: bounds(args), results: &args.results }
}

/// Adds the user's own invariants and formula.
pub fn with_own(properties: Properties, program: &Program) -> Properties {
    let observers = &program.observers;
    let invariant = (!observers.invariants.is_empty()).then_some(Property::Invariant);
    let of_runs = observers.specification.as_ref().map(Specification::property);
    invariant.into_iter().chain(of_runs).fold(properties, Properties::with)
}

/// Rejects a bound for a loop that does not exist: it is likely a typo.
pub fn check_places(bounds: &BoundsArgs, program: &Program) -> Result<(), Failure> {
    for LoopBound { file, line, .. } in &bounds.unwind_loop {
        // As bounding compares them.
        let is_it = |path: &String| path == file || path.strip_suffix(file).is_some_and(|rest| rest.ends_with('/'));
        if !program.source.files.values().any(is_it) {
            let message = format!("--unwind-loop {file}:{line}: the program has no source file {file}");
            return Err(Failure::BadInput(message));
        }
        let loops = selvedge_bound::loop_lines(program, file);
        if !loops.contains(line) {
            let lines: Vec<String> = loops.iter().map(u32::to_string).collect();
            let others = if lines.is_empty() { "none".to_string() } else { format!("at {}", lines.join(", ")) };
            let message = format!("--unwind-loop {file}:{line}: no loop stands there; the file's loops: {others}");
            return Err(Failure::BadInput(message));
        }
    }
    Ok(())
}

fn search(args: &CheckArgs, engine: Arc<dyn Engine>, program: &Arc<Program>, task: Task, control: Control) -> Outcome {
    let bar = progress::line(args.console.quiet);
    let control = Control { watcher: bar.clone().map(progress::watcher), ..control };
    let checked = watchdog::check(Arc::clone(&engine), Arc::clone(program), task.clone(), &control);
    let Outcome { finding, statistics, by } = checked;
    let took = Duration::from_secs_f64(statistics.seconds);
    let finding = ends::with_ends(engine, (program, &task), &control, took, finding);
    let outcome = Outcome { finding, statistics, by };
    bar.iter().for_each(ProgressBar::finish_and_clear);
    outcome
}

fn task(args: &CheckArgs, properties: Properties) -> Task {
    let (seed, max_input_values) = (args.explore.random.seed, args.explore.max_input_values);
    Task { properties, bounds: bounds(args), seed, max_input_values }
}
fn bounds(args: &CheckArgs) -> Bounds {
    Bounds { preemptions: args.explore.preemptions, ..args.bounds.bounds(&args.program.load.harness.threads) }
}
