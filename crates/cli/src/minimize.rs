//! `selvedge minimize`: a shorter schedule of the same violation.

use crate::args::{Given, MinimizeArgs, ReplayArgs};
use crate::failure::{EXIT_VIOLATION, Failure};
use crate::{console, interrupt, output, replay};
use selvedge_engines::minimize::{Cost, Minimized, minimize as shorten};
use selvedge_vm::replay::{Replayed, replay as run};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

pub fn minimize(mut args: Box<MinimizeArgs>, mut given: Given) -> Result<u8, Failure> {
    let schedule = replay::schedule(&args.replay.schedule)?;
    args.schedule_out.iter().try_for_each(|path| output::check_writable(path))?;
    let (program, properties) = replay::program(&mut args.replay, &mut given)?;
    let trace = match run(&program, properties, &schedule) {
        Replayed::Violation(trace) => trace,
        Replayed::Nothing { why } => {
            console::print(&format!("The schedule shows no violation: {why}\n"))?;
            return Ok(0);
        }
    };
    if trace.schedule.cycle.is_some() {
        return Err(Failure::BadInput("a run without end cannot be shortened".to_string()));
    }
    let (started, limit, stop) = (Instant::now(), Duration::from_secs(args.time_limit), interrupt::stop_flag());
    let goes_on = || started.elapsed() < limit && !stop.load(Ordering::Relaxed);
    let before = Cost::of(&trace.schedule);
    let Minimized { trace, replayed } = shorten(&program, properties, trace, goes_on);
    let (after, schedule) = (Cost::of(&trace.schedule), trace.schedule.to_string());
    if let Some(path) = &args.schedule_out {
        output::write(path, &format!("{schedule}\n"))?;
    }
    let MinimizeArgs { replay: of, .. }: &MinimizeArgs = &args;
    replay::show(of, &given, &program, (properties, trace), schedule.clone())?;
    if !of.reports.document_on_stdout() {
        console::print(&format!("{}schedule: {schedule}\n", summary(of, before, after, replayed)))?;
    }
    Ok(EXIT_VIOLATION)
}

/// A line about everything that became less.
fn summary(args: &ReplayArgs, before: Cost, after: Cost, replayed: usize) -> String {
    if args.console.quiet {
        return String::new();
    }
    format!(
        "minimized: {} switches instead of {}, {} steps instead of {}; {replayed} schedules tried\n",
        after.switches, before.switches, after.steps, before.steps
    )
}
