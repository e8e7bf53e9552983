//! From arguments to an engine. What the engine would not look at is refused, rather than ignored.

use crate::args::{BoundsArgs, CheckArgs, EngineName, StyleName};
use crate::failure::Failure;
use selvedge_engines::auto::Auto;
use selvedge_engines::explicit::Explicit;
use selvedge_engines::lazy::Lazy;
use selvedge_engines::outside::{Outside, Style, Tool};
use selvedge_engines::{Engine, Narrowing};

pub fn engine(args: &CheckArgs) -> Box<dyn Engine> {
    let style = args.outside.style.map_or(Style::Tacas17, Style::from);
    let outside = |tool: Tool| Box::new(Outside { tool, style });
    match args.engine {
        EngineName::Auto => Box::new(Auto { no_reduction: args.no_merging }),
        EngineName::Explicit => Box::new(Explicit { no_reduction: args.no_merging }),
        EngineName::Lazy => Box::new(Lazy),
        EngineName::Cbmc => outside(Tool::Cbmc),
        EngineName::Esbmc => outside(Tool::Esbmc),
        EngineName::Klee => outside(Tool::Klee),
        EngineName::Command => outside(Tool::Command(args.outside.backend_cmd.clone().unwrap_or_default())),
    }
}

/// Do the options go with the engine?
pub fn check_fit(args: &CheckArgs) -> Result<(), Failure> {
    check_bounds(args.engine, &args.bounds, args.preemptions)?;
    check_intervals(args.engine, args.intervals.narrowing(), args.bounds.rounds)?;
    let name = args.engine.name();
    let refused = |message: String| Err(Failure::BadInput(message));
    if args.no_merging && !explores_states(args.engine) {
        return refused(format!("--no-merging is for the explicit engine, not for --engine {name}"));
    }
    match (args.engine, &args.outside.backend_cmd, args.outside.style) {
        (EngineName::Klee, _, Some(StyleName::Cav14)) => {
            refused("--engine klee tells the values of inputs only, and needs --style tacas17".to_string())
        }
        (EngineName::Command, None, _) => refused("--engine command wants a --backend-cmd".to_string()),
        (EngineName::Command, Some(_), _) => Ok(()),
        (_, Some(_), _) => refused(format!("--backend-cmd goes with --engine command, not with --engine {name}")),
        (engine, None, Some(_)) if !engine.is_outside() => {
            refused(format!("--style is for outside checkers, not for --engine {name}"))
        }
        _ => Ok(()),
    }
}

fn explores_states(engine: EngineName) -> bool {
    matches!(engine, EngineName::Auto | EngineName::Explicit)
}

pub fn check_bounds(engine: EngineName, bounds: &BoundsArgs, preemptions: Option<u32>) -> Result<(), Failure> {
    let given = bounds.given();
    match (engine, given.first(), preemptions) {
        (EngineName::Explicit, Some(name), _) => Err(Failure::BadInput(format!(
            "{name} bounds the lazy engine: it does not go with --engine explicit, which has --preemptions"
        ))),
        (EngineName::Auto, Some(name), Some(_)) => Err(Failure::BadInput(format!(
            "{name} bounds the lazy engine, --preemptions the explicit one: choose one with --engine"
        ))),
        (engine, _, Some(_)) if !explores_states(engine) => Err(Failure::BadInput(format!(
            "--preemptions bounds the explicit engine: it does not go with --engine {}, which has --rounds",
            engine.name()
        ))),
        _ => Ok(()),
    }
}

pub fn check_intervals(engine: EngineName, narrowing: Narrowing, rounds: Option<u32>) -> Result<(), Failure> {
    let refused = |message: &str| Err(Failure::BadInput(message.to_string()));
    match (engine, narrowing, rounds) {
        (_, Narrowing::Own, _) => Ok(()),
        (EngineName::Explicit, Narrowing::None, _) => {
            refused("--no-intervals is for the lazy engine, not for --engine explicit")
        }
        (EngineName::Explicit, Narrowing::FramaC, _) => {
            refused("--intervals is for the lazy engine, not for --engine explicit")
        }
        (_, Narrowing::FramaC, None) => refused("--intervals frama-c wants --rounds: it is told of so many"),
        _ => Ok(()),
    }
}
