//! `selvedge replay`: a saved schedule, run again.

use crate::args::{Given, ReplayArgs};
use crate::failure::{EXIT_VIOLATION, Failure};
use crate::{console, input, question};
use selvedge_program::{Schedule, Verdict};
use selvedge_report::headline::headline;
use selvedge_report::sources::Sources;
use selvedge_report::text::counterexample;
use selvedge_vm::replay::{Replayed, replay as run};
use std::path::Path;

pub fn replay(mut args: Box<ReplayArgs>, mut given: Given) -> Result<u8, Failure> {
    let schedule = schedule(&args.schedule)?;
    let asked = question::asked(&mut args.program, &mut given)?;
    given.check_conflicts()?;
    let program = input::program(&args.program.load, &args.program.property, &args.program.observers)?;
    let properties = asked.supported(&program)?;
    match run(&program, properties, &schedule) {
        Replayed::Violation(trace) => {
            if !args.console.quiet {
                console::print(&counterexample(&trace, &mut Sources::default(), console::look(&args.console)))?;
            }
            console::print(&format!("{}\n", headline(&Verdict::Unsafe(trace))))?;
            Ok(EXIT_VIOLATION)
        }
        Replayed::Nothing { why } => {
            console::print(&format!("The schedule shows no violation: {why}\n"))?;
            Ok(0)
        }
    }
}

/// From a file, or from the argument itself.
fn schedule(argument: &str) -> Result<Schedule, Failure> {
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
