//! `selvedge replay`: a saved schedule, run again.

use crate::args::{Given, ReplayArgs};
use crate::failure::{EXIT_VIOLATION, Failure};
use crate::{console, harness, input, output, question, reporter};
use selvedge_program::{Bounds, DataModel, Program, Properties, Schedule, Statistics, Trace, Verdict};
use selvedge_report::headline::headline;
use selvedge_report::text::counterexample;
use selvedge_report::{EngineUsed, Report};
use selvedge_vm::replay::{Replayed, replay as run};
use std::path::Path;

pub fn replay(mut args: Box<ReplayArgs>, mut given: Given) -> Result<u8, Failure> {
    let schedule = schedule(&args.schedule)?;
    let (program, properties) = program(&mut args, &mut given)?;
    match run(&program, properties, &schedule) {
        Replayed::Violation(trace) => {
            show(&args, &given, &program, (properties, trace), args.schedule.clone())?;
            Ok(EXIT_VIOLATION)
        }
        Replayed::Nothing { why } => {
            console::print(&format!("The schedule shows no violation: {why}\n"))?;
            Ok(0)
        }
    }
}

/// The program of a schedule, and what is checked of it.
pub fn program(args: &mut ReplayArgs, given: &mut Given) -> Result<(Program, Properties), Failure> {
    let asked = question::asked(&mut args.program, given)?;
    given.check_conflicts()?;
    args.reports.reports.iter().try_for_each(|report| output::check_writable(&report.path))?;
    let program = input::program(&args.program.load, &args.program.property, &args.program.observers)?;
    let properties = asked.supported(&program)?;
    Ok((program, properties))
}

/// The run, its reports, and the headline. `schedule`: it, or the file that has it.
pub fn show(
    args: &ReplayArgs,
    given: &Given,
    program: &Program,
    (properties, trace): (Properties, Box<Trace>),
    schedule: String,
) -> Result<(), Failure> {
    let alone = args.reports.document_on_stdout();
    if !args.console.quiet && !alone {
        console::print(&counterexample(
            &trace,
            &mut harness::quoted(&args.program.load),
            console::look(&args.console),
        ))?;
    }
    let verdict = Verdict::Unsafe(trace);
    let line = input::replay_line(given, &[], schedule);
    reports(args, &line, &verdict, (properties, program.data_model))?;
    if !alone {
        console::print(&format!("{}\n", headline(&verdict)))?;
    }
    Ok(())
}

/// The reports that `--report` asks for.
fn reports(
    args: &ReplayArgs,
    replay: &str,
    verdict: &Verdict,
    (properties, data_model): (Properties, DataModel),
) -> Result<(), Failure> {
    let report = Report {
        verdict,
        files: &args.program.load.files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        generated: harness::generated(&args.program.load),
        data_model,
        engine: EngineUsed { name: "replay", answered: "replay" },
        properties,
        bounds: &Bounds::default(),
        assumptions: &[],
        covered: None,
        vacuity: None,
        proof: None,
        others: Vec::new(),
        beyond: None,
        stopped_by: None,
        next: None,
        statistics: &Statistics::default(),
        swarm: None,
        fences: None,
    };
    reporter::write_reports(&args.reports, &report, || harness::quoted(&args.program.load), Some(replay))
}

/// From a file, or from the argument itself.
pub fn schedule(argument: &str) -> Result<Schedule, Failure> {
    let path = Path::new(argument);
    let text = match path.is_file() || !argument.contains(';') {
        true => std::fs::read(path)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .map_err(|error| Failure::BadInput(format!("cannot read the schedule {argument}: {error}")))?,
        false => argument.to_string(),
    };
    text.parse().map_err(|error| match path.is_file() {
        true => Failure::BadInput(format!("{argument}: {error}")),
        false => Failure::BadInput(format!("{error}")),
    })
}
