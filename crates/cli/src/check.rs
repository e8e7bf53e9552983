//! `selvedge check`: load, prepare, search, judge, report.

use crate::answer::{Answer, Asker, assumptions};
use crate::args::{BoundsArgs, CheckArgs, EngineName, LoopBound, StrategyName};
use crate::failure::Failure;
use crate::property_file::Asked;
use crate::{console, emit, engine, input, interrupt, machine, output, progress};
use indicatif::ProgressBar;
use selvedge_engines::{Control, Engine, Outcome, Statistics, Task, judge};
use selvedge_program::{Bounds, Finding, Program, Properties, Property, Reason, Specification};
use selvedge_report::EngineUsed;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

pub fn check(mut args: Box<CheckArgs>) -> Result<u8, Failure> {
    let asked = input::properties(&args.property)?;
    args.watch.termination = asked.includes_termination();
    // What such tasks expect of threads that wait for one another in loops takes a fair scheduler.
    args.watch.fair |= args.watch.termination && args.property.property_file.is_some();
    search_and_report(&args, asked)
}

fn search_and_report(args: &CheckArgs, asked: Asked) -> Result<u8, Failure> {
    let started = Instant::now();
    for path in [&args.json, &args.schedule_out].into_iter().flatten() {
        output::check_writable(path)?;
    }
    if args.emit.is_none() {
        engine::check_fit(args)?;
    }
    let asker = asker(args);
    let stop = interrupt::stop_flag();

    let Some(program) = input::watched_program(&args.load, &args.watch, &stop)? else {
        return asker.report(&Answer::interrupted());
    };
    check_places(&args.bounds, &program)?;
    let properties = match asked {
        Asked::Check(properties) => with_own(properties, &program),
        Asked::NotYet(formula) => return asker.report(&Answer::not_yet(&args.property, &formula)),
    };
    if let Some(stage) = args.emit {
        return match emit::text(stage, &program, &task(args, properties), &engine::tree(args)) {
            Ok(text) => console::print(&text).map(|()| 0),
            Err(reason) => asker.report(&Answer::without_search(reason)),
        };
    }

    let engine = engine::engine(args);
    let Outcome { finding, statistics, by } = match refusal(args.strict, &program) {
        Some(reason) => Outcome { finding: Finding::GaveUp(reason), statistics: Statistics::default(), by: "none" },
        None => search(args, engine.as_ref(), &program, properties, started, stop),
    };
    let engine = EngineUsed { name: engine.name(), answered: by };
    if let Finding::GaveUp(reason @ Reason::Observer { .. }) = finding {
        return Err(Failure::BadInput(reason.to_string()));
    }
    let verdict = judge(&program, properties, finding).map_err(|error| asker.internal(engine, &statistics, error))?;
    let assumptions = assumptions(&program);
    asker.report(&Answer { verdict, engine, properties, assumptions, statistics, swarm: None })
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

/// `--strict`: no verdict that rests on functions we know nothing of.
pub fn refusal(strict: bool, program: &Program) -> Option<Reason> {
    let unmodelled = || program.unmodelled.iter().map(|f| format!("{} at {}", f.name, program.source.describe(f.loc)));
    (strict && !program.unmodelled.is_empty()).then(|| Reason::Unmodelled { functions: unmodelled().collect() })
}

fn search(
    args: &CheckArgs,
    engine: &dyn Engine,
    program: &Program,
    properties: Properties,
    started: Instant,
    stop: Arc<AtomicBool>,
) -> Outcome {
    let bar = progress::line(args.console.quiet);
    let memory_limit = args.memory_limit.map(|megabytes| megabytes << 20).or_else(machine::default_memory_limit);
    let control = Control {
        stop,
        time_limit: args.time_limit.map(Duration::from_secs),
        memory_limit,
        disk: args.explicit.disk(memory_limit),
        started,
        watcher: bar.clone().map(progress::watcher),
    };
    let outcome = engine.check(program, &task(args, properties), &control);
    bar.iter().for_each(ProgressBar::finish_and_clear);
    outcome
}

fn task(args: &CheckArgs, properties: Properties) -> Task {
    Task {
        properties,
        bounds: bounds(args),
        seed: args.seed,
        max_input_values: args.max_input_values,
        narrowing: args.intervals.narrowing(),
        widen: args.engine == EngineName::Lazy && args.tree.strategy == Some(StrategyName::Uw),
    }
}

fn bounds(args: &CheckArgs) -> Bounds {
    Bounds { preemptions: args.preemptions, ..args.bounds.bounds() }
}
