//! `selvedge check`: load, prepare, search, judge, report.

use crate::args::{BoundsArgs, CheckArgs, EngineName, LoopBound, StrategyName};
use crate::failure::Failure;
use crate::property_file::Asked;
use crate::{console, emit, engine, input, interrupt, machine, output, progress};
use indicatif::ProgressBar;
use selvedge_engines::{Control, Engine, InternalError, Outcome, Statistics, Task, judge};
use selvedge_program::{Bounds, Finding, Program, Properties, Reason, Verdict};
use selvedge_report::sources::Sources;
use selvedge_report::text::counterexample;
use selvedge_report::{EngineUsed, Report, headline, json, statistics};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub fn check(args: &CheckArgs) -> Result<u8, Failure> {
    let started = Instant::now();
    for path in [&args.json, &args.schedule_out].into_iter().flatten() {
        output::check_writable(path)?;
    }
    if args.emit.is_none() {
        engine::check_fit(args)?;
    }
    let stop = interrupt::stop_flag();
    let asked = input::properties(&args.property)?;

    let loaded = match input::load(&args.load) {
        // The interrupt reached the compiler too, whose complaint is not to the point.
        Err(_) if stop.load(Ordering::Relaxed) => return report(args, &Checked::interrupted()),
        loaded => loaded?,
    };
    let program = selvedge_passes::prepare(loaded);
    check_places(&args.bounds, &program)?;
    let properties = match asked {
        Asked::Check(properties) => properties,
        Asked::NotYet(formula) => return report(args, &Checked::not_yet(args, &formula)),
    };
    if let Some(stage) = args.emit {
        return match emit::text(stage, &program, &task(args, properties), &engine::tree(args)) {
            Ok(text) => console::print(&text).map(|()| 0),
            Err(reason) => report(args, &Checked::without_search(reason)),
        };
    }

    let engine = engine::engine(args);
    let Outcome { finding, statistics, by } = match refusal(args, &program) {
        Some(reason) => Outcome { finding: Finding::GaveUp(reason), statistics: Statistics::default(), by: "none" },
        None => search(args, engine.as_ref(), &program, properties, started, stop),
    };
    let engine = EngineUsed { name: engine.name(), answered: by };
    let verdict = judge(&program, properties, finding).map_err(|error| internal(args, engine, &statistics, error))?;
    report(args, &Checked { verdict, engine, properties, assumptions: assumptions(&program), statistics })
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
fn refusal(args: &CheckArgs, program: &Program) -> Option<Reason> {
    let unmodelled = || program.unmodelled.iter().map(|f| format!("{} at {}", f.name, program.source.describe(f.loc)));
    (args.strict && !program.unmodelled.is_empty()).then(|| Reason::Unmodelled { functions: unmodelled().collect() })
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
    let control = Control {
        stop,
        time_limit: args.time_limit.map(Duration::from_secs),
        memory_limit: args.memory_limit.map(|megabytes| megabytes << 20).or_else(machine::default_memory_limit),
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

/// What the verdict rests on, in sentences.
fn assumptions(program: &Program) -> Vec<String> {
    let unmodelled = program.unmodelled.iter().map(|function| {
        let place = program.source.describe(function.loc);
        format!("`{}` ({place}) has no model: it returns any value and has no other effect", function.name)
    });
    unmodelled.chain(program.assumptions.iter().cloned()).collect()
}

/// What is known at the end.
struct Checked {
    verdict: Verdict,
    engine: EngineUsed,
    properties: Properties,
    assumptions: Vec<String>,
    statistics: Statistics,
}

impl Checked {
    fn without_search(reason: Reason) -> Checked {
        Checked {
            verdict: Verdict::Unknown(reason),
            engine: EngineUsed { name: "none", answered: "none" },
            properties: Properties::NONE,
            assumptions: Vec::new(),
            statistics: Statistics::default(),
        }
    }

    fn interrupted() -> Checked {
        Checked::without_search(Reason::Interrupted)
    }

    fn not_yet(args: &CheckArgs, formula: &str) -> Checked {
        let file = args.property.property_file.as_deref().unwrap_or(Path::new("the command line"));
        Checked::without_search(Reason::Unsupported {
            what: format!("the property `{formula}`"),
            at: file.display().to_string(),
        })
    }
}

/// The trace and what belongs to it, then the files, then the verdict: it stands last even if a
/// file could not be written.
fn report(args: &CheckArgs, checked: &Checked) -> Result<u8, Failure> {
    let json_on_stdout = args.json.as_ref().is_some_and(|path| path.as_os_str() == "-");
    let written = write_files(args, checked);
    let headline = format!("{}\n", headline::headline(&checked.verdict));
    if !json_on_stdout {
        if !args.console.quiet {
            console::print(&details(args, checked))?;
        }
        console::print(&headline)?;
    }
    written.map(|()| exit_code(&checked.verdict))
}

fn exit_code(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Safe | Verdict::SafeWithin(_) => 0,
        Verdict::Unsafe(_) => 10,
        Verdict::Unknown(_) => 5,
    }
}

fn write_files(args: &CheckArgs, checked: &Checked) -> Result<(), Failure> {
    if let Some(path) = &args.json {
        let files: Vec<String> = args.load.files.iter().map(|path| path.display().to_string()).collect();
        let bounds = bounds(args);
        let report = Report {
            verdict: &checked.verdict,
            files: &files,
            engine: checked.engine,
            properties: checked.properties,
            bounds: &bounds,
            assumptions: &checked.assumptions,
            statistics: &checked.statistics,
        };
        output::write(path, &json::document(&report))?;
    }
    if let (Some(path), Verdict::Unsafe(trace)) = (&args.schedule_out, &checked.verdict) {
        output::write(path, &format!("{}\n", trace.schedule))?;
    }
    Ok(())
}

/// Longer ones are of no use on a screen; `--schedule-out` writes them to a file.
const LONGEST_SHOWN_SCHEDULE: usize = 1000;

/// All that is shown before the verdict.
fn details(args: &CheckArgs, checked: &Checked) -> String {
    let mut text = String::new();
    if let Verdict::Unsafe(trace) = &checked.verdict {
        text.push_str(&counterexample(trace, &mut Sources::default(), console::look(&args.console)));
        let again = input::again(&args.load, &args.property);
        let schedule = trace.schedule.to_string();
        match &args.schedule_out {
            Some(path) => {
                text.push_str(&format!("replay: selvedge replay {again} --schedule {}\n", path.display()));
            }
            None if schedule.len() <= LONGEST_SHOWN_SCHEDULE => {
                text.push_str(&format!("replay: selvedge replay {again} --schedule '{schedule}'\n"));
            }
            None => text.push_str("replay: save the schedule with --schedule-out FILE\n"),
        }
    }
    for assumption in &checked.assumptions {
        text.push_str(&format!("assumption: {assumption}\n"));
    }
    if args.console.verbose > 0 || matches!(checked.verdict, Verdict::Unknown(_)) {
        text.push_str(&format!("statistics: {}\n", statistics::summary(&checked.statistics, &checked.verdict)));
    }
    if args.console.verbose > 0
        && let Some(reductions) = statistics::reductions(&checked.statistics)
    {
        text.push_str(&format!("switch points: {reductions}\n"));
    }
    if args.console.verbose > 0
        && let Some(bits) = statistics::bits(&checked.statistics)
    {
        text.push_str(&format!("values: {bits}\n"));
    }
    if args.console.verbose > 1 {
        let names: Vec<&str> = checked.properties.iter().map(|p| p.name()).collect();
        text.push_str(&format!("engine: {}\nproperties: {}\n", checked.engine, names.join(", ")));
    }
    text
}

/// A bug of ours: keeps what is needed to find it, here or, if that cannot be, among the temporary files.
fn internal(args: &CheckArgs, engine: EngineUsed, statistics: &Statistics, error: InternalError) -> Failure {
    let files: Vec<String> = args.load.files.iter().map(|path| path.display().to_string()).collect();
    let command_line: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let evidence = json::evidence(&error, engine, statistics, &files, &command_line);
    let evidence = output::keep(&evidence, &[PathBuf::new(), std::env::temp_dir()]);
    Failure::Internal { error: Box::new(error), evidence }
}
