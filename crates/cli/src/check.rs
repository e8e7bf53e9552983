//! `selvedge check`: load, prepare, search, judge, report.

use crate::answer::{Answer, Asker};
use crate::args::{BoundsArgs, CheckArgs, LoopBound, Stage};
use crate::failure::Failure;
use crate::property_file::Asked;
use crate::{console, emit, engine, input, interrupt, machine, output, progress};
use indicatif::ProgressBar;
use selvedge_engine::watchdog::{self, supervise};
use selvedge_engine::{Control, Engine, Judgement, Outcome, Task, judge};
use selvedge_engines::ends;
use selvedge_program::Statistics;
use selvedge_program::{Bounds, Finding, Program, Properties, Property, Reason, Specification};
use selvedge_report::EngineUsed;
use selvedge_symbolic::lazy::Lazy;
use selvedge_symbolic::tree::Tree;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub fn check(mut args: Box<CheckArgs>) -> Result<u8, Failure> {
    let asked = input::properties(&args.property)?;
    args.watch.termination = asked.includes_termination();
    // What such tasks expect of threads that wait for one another in loops takes a fair scheduler.
    args.watch.fair |= args.watch.termination && args.property.property_file.is_some();
    search_and_report(&Arc::from(args), asked)
}

fn search_and_report(args: &Arc<CheckArgs>, asked: Asked) -> Result<u8, Failure> {
    let control = control(args, Instant::now());
    for path in [&args.json, &args.schedule_out].into_iter().flatten() {
        output::check_writable(path)?;
    }
    if args.emit.is_none() {
        engine::check_fit(args)?;
    }
    let asker = asker(args);
    let program = match load(args, &control) {
        Ok(program) => Arc::new(program?),
        Err(reason) => return asker.report(&Answer::without_search(reason)),
    };
    check_places(&args.bounds, &program)?;
    let properties = match asked {
        Asked::Check(properties) => with_own(properties, &program),
        Asked::NotYet(formula) => return asker.report(&Answer::not_yet(&args.property, &formula)),
    };
    let task = task(args, properties);
    if let Some(stage) = args.emit {
        return match emitted(stage, (engine::lazy(args), engine::tree(args)), &program, task, &control) {
            Ok(text) => console::print(&text).map(|()| 0),
            Err(reason) => asker.report(&Answer::without_search(reason)),
        };
    }

    let engine: Arc<dyn Engine> = engine::engine(args).into();
    let name = engine.name();
    let Outcome { finding, statistics, by } = match args.strict.then(|| judge::refusal(&program)).flatten() {
        Some(reason) => Outcome { finding: Finding::GaveUp(reason), statistics: Statistics::default(), by: "none" },
        None => search(args, engine, &program, task, control),
    };
    let engine = EngineUsed { name, answered: by };
    if let Finding::GaveUp(reason @ Reason::Observer { .. }) = finding {
        return Err(Failure::BadInput(reason.to_string()));
    }
    let judged = judge(&program, properties, finding).map_err(|error| asker.internal(engine, &statistics, error))?;
    let Judgement { verdict, assumptions } = if args.strict { judged.strict() } else { judged };
    asker.report(&Answer { verdict, engine, properties, assumptions, statistics, swarm: None })
}

fn control(args: &CheckArgs, started: Instant) -> Control {
    let memory_limit = args.memory_limit.map(|megabytes| megabytes << 20).or_else(machine::default_memory_limit);
    Control {
        stop: interrupt::stop_flag(),
        time_limit: args.time_limit.map(Duration::from_secs),
        memory_limit,
        disk: args.explicit.disk(memory_limit),
        started,
        ..Control::default()
    }
}

/// The program, or what is wrong with it; a reason if there was no time to tell.
fn load(args: &Arc<CheckArgs>, control: &Control) -> Result<Result<Program, Failure>, Reason> {
    let loading = Arc::clone(args);
    let loaded = supervise("front end", control, move || input::watched_program(&loading.load, &loading.watch))?;
    unless_over(control, loaded)
}

/// An interrupt reaches the compiler too, whose complaint is then not to the point.
pub fn unless_over<T>(control: &Control, loaded: Result<T, Failure>) -> Result<Result<T, Failure>, Reason> {
    match (loaded, control.over()) {
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

fn asker(args: &CheckArgs) -> Asker<'_> {
    Asker {
        load: &args.load,
        property: &args.property,
        watch: Some(&args.watch),
        console: &args.console,
        bounds: bounds(args),
        json: args.json.as_deref(),
        schedule_out: args.schedule_out.as_deref(),
    }
}

/// What the user wrote is checked, whatever else is.
pub fn with_own(properties: Properties, program: &Program) -> Properties {
    let observers = &program.observers;
    let invariant = (!observers.invariants.is_empty()).then_some(Property::Invariant);
    let of_runs = observers.specification.as_ref().map(Specification::property);
    invariant.into_iter().chain(of_runs).fold(properties, Properties::with)
}

/// A bound for a loop that does not exist is a slip of the pen.
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
    Task { properties, bounds: bounds(args), seed: args.seed, max_input_values: args.max_input_values }
}

fn bounds(args: &CheckArgs) -> Bounds {
    Bounds { preemptions: args.preemptions, ..args.bounds.bounds() }
}
