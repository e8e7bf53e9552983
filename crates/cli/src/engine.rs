//! From arguments to an engine. What the engine would not look at is refused, rather than ignored.

use crate::args::{BoundsArgs, CheckArgs, EngineName, StoreName, StrategyName, StyleName, TheoryName, WatchArgs};
use crate::failure::Failure;
use crate::machine;
use selvedge_engine::Engine;
use selvedge_engines::auto::Auto;
use selvedge_outside::IntervalSource;
use selvedge_outside::spin::Spin;
use selvedge_outside::{Outside, Style, Tool};
use selvedge_program::Property;
use selvedge_search::ltl::Ltl;
use selvedge_symbolic::lazy::Lazy;
use selvedge_symbolic::tree::{Strategy, Theory, Tree};

pub fn engine(args: &CheckArgs) -> Box<dyn Engine> {
    let style = args.outside.style.map_or(Style::Tacas17, Style::from);
    let outside = |tool: Tool| Box::new(Outside { tool, style, intervals: args.intervals.source() });
    if args.watch.is_temporal() && has_our_search(args.engine) {
        return Box::new(Ltl { no_reduction: args.no_merging, supersteps: args.explicit.supersteps });
    }
    match args.engine {
        // Nobody else asks observers.
        EngineName::Auto if !args.watch.given().is_empty() => {
            Box::new(args.explicit.engine(args.no_merging, machine::cores()))
        }
        // The lazy engine has the other core.
        EngineName::Auto => {
            let explicit = args.explicit.engine(args.no_merging, machine::cores().saturating_sub(1));
            Box::new(Auto { explicit, lazy: lazy(args) })
        }
        EngineName::Explicit => Box::new(args.explicit.engine(args.no_merging, 1)),
        EngineName::Lazy => Box::new(lazy(args)),
        EngineName::Tree => Box::new(tree(args)),
        EngineName::Spin => Box::new(Spin { options: args.spin.options(None, args.no_merging) }),
        EngineName::Cbmc => outside(Tool::Cbmc),
        EngineName::Esbmc => outside(Tool::Esbmc),
        EngineName::Klee => outside(Tool::Klee),
        EngineName::Command => outside(Tool::Command(args.outside.backend_cmd.clone().unwrap_or_default())),
    }
}

pub fn lazy(args: &CheckArgs) -> Lazy {
    let widen = args.engine == EngineName::Lazy && args.tree.strategy == Some(StrategyName::Uw);
    Lazy { narrowing: args.intervals.source().narrowing(), widen, check_proofs: false }
}

pub fn tree(args: &CheckArgs) -> Tree {
    let options = &args.tree;
    Tree {
        strategy: match options.strategy {
            None | Some(StrategyName::Lazy) => Strategy::Lazy,
            Some(StrategyName::Record) => Strategy::Record,
            Some(StrategyName::Uw) => Strategy::Widen,
        },
        solver: options.solver.clone().unwrap_or_else(|| Tree::default().solver),
        theory: match options.theory {
            None | Some(TheoryName::Bv) => Theory::BitVectors,
            Some(TheoryName::Int) => Theory::Integers,
        },
        check_guards: options.check_guards,
        no_reduction: options.no_por,
        whole: options.whole_tree,
        ..Tree::default()
    }
}

/// Do the options go with the engine?
pub fn check_fit(args: &CheckArgs) -> Result<(), Failure> {
    check_bounds(args.engine, &args.bounds, args.preemptions)?;
    check_intervals(args.engine, args.intervals.source(), args.bounds.rounds)?;
    check_tree(args)?;
    check_explicit(args)?;
    check_watch(args)?;
    let name = args.engine.name();
    let refused = |message: String| Err(Failure::BadInput(message));
    if let (true, Some(first)) = (args.engine != EngineName::Spin, args.spin.given().first()) {
        return refused(format!("{first} goes with --engine spin, not with --engine {name}"));
    }
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

/// Does the engine ask functions that observe? Cycles are found without counting preemptions.
fn check_watch(args: &CheckArgs) -> Result<(), Failure> {
    let Some(first) = args.watch.given().into_iter().next() else { return Ok(()) };
    let asked = if args.watch.is_temporal() { Property::Ltl } else { Property::Invariant };
    if !engine(args).scope().properties.contains(asked) {
        let name = args.engine.name();
        return Err(Failure::BadInput(format!("{first} is for the explicit engine, not for --engine {name}")));
    }
    let of_the_search = |name: &&str| *name == "--switches" && !args.watch.is_temporal();
    if let Some(name) = args.bounds.given().iter().find(|name| !of_the_search(name)) {
        return Err(Failure::BadInput(format!("{name} bounds engines that do not know {first}")));
    }
    check_whole_runs(&args.watch, args.preemptions)?;
    if args.engine == EngineName::Spin {
        return check_spin_watch(&args.watch, args.preemptions);
    }
    let texts = args.watch.texts().map_err(Failure::BadInput)?;
    if !texts.specification.is_some_and(|s| s.formula.has_next()) {
        return Ok(());
    }
    let refused = |why: &str| Err(Failure::BadInput(format!("--ltl: X counts steps, and {why}")));
    match (args.explicit.supersteps, args.no_merging) {
        (true, _) => refused("supersteps make one of many: say it without X, or leave out --supersteps"),
        (_, false) => {
            refused("the search merges steps that no other thread can see: say it without X, or add --no-merging")
        }
        _ => Ok(()),
    }
}

fn check_explicit(args: &CheckArgs) -> Result<(), Failure> {
    let refused = |message: String| Err(Failure::BadInput(message));
    let options = &args.explicit;
    let approximate = options.is_approximate();
    if let (false, Some(name)) = (has_our_search(args.engine), options.given().first()) {
        return refused(format!("{name} is for the explicit engine, not for --engine {}", args.engine.name()));
    }
    let cannot = |with: &str, option: &str| refused(format!("{with} does not go with {option}"));
    if options.has_sleep_sets() {
        let watched = args.watch.given().into_iter().find(|name| !matches!(*name, "--invariant" | "--init"));
        let others = [
            ("an approximate --store", approximate),
            ("--supersteps", options.supersteps),
            ("--symmetry", options.is_symmetric()),
            ("--frontier", options.frontier.is_some()),
            ("--jobs", options.jobs.is_some_and(|jobs| jobs > 1)),
            ("--switches", args.bounds.switches.is_some()),
            ("--preemptions", args.preemptions.is_some()),
        ];
        let other = others.into_iter().find_map(|(name, given)| given.then_some(name)).or(watched);
        return other.map_or(Ok(()), |name| cannot("--reduction sleep", name));
    }
    match (approximate, options.supersteps, args.bounds.switches, args.preemptions) {
        (_, _, Some(_), Some(_)) => refused("--switches counts preemptions, too: choose one of the two".to_string()),
        (true, true, ..) => cannot("an approximate --store", "--supersteps"),
        (true, _, Some(_), _) => cannot("an approximate --store", "--switches"),
        _ if options.is_symmetric() && (approximate || options.supersteps) => {
            cannot("--symmetry", if approximate { "an approximate --store" } else { "--supersteps" })
        }
        _ if !args.watch.given().is_empty() && (approximate || options.is_symmetric()) => {
            let option = if approximate { "an approximate --store" } else { "--symmetry" };
            cannot(option, args.watch.given()[0])
        }
        _ if options.store_memory.is_some() && options.store != Some(StoreName::Bitstate) => {
            refused("--store-memory is for --store bitstate".to_string())
        }
        _ => Ok(()),
    }
}

fn check_whole_runs(watch: &WatchArgs, preemptions: Option<u32>) -> Result<(), Failure> {
    match watch.given().first() {
        Some(first) if watch.is_temporal() && preemptions.is_some() => {
            Err(Failure::BadInput(format!("{first} is about whole runs: it does not go with --preemptions")))
        }
        _ => Ok(()),
    }
}

/// What of temporal logic SPIN can be asked.
pub fn check_spin_watch(watch: &WatchArgs, preemptions: Option<u32>) -> Result<(), Failure> {
    check_whole_runs(watch, preemptions)?;
    let texts = watch.texts().map_err(Failure::BadInput)?;
    match texts.specification.is_some_and(|s| s.formula.has_next()) {
        true => {
            Err(Failure::BadInput("--ltl: X counts steps, and SPIN's are not the program's: say it without X".into()))
        }
        false => Ok(()),
    }
}

fn has_our_search(engine: EngineName) -> bool {
    matches!(engine, EngineName::Auto | EngineName::Explicit)
}

fn explores_states(engine: EngineName) -> bool {
    matches!(engine, EngineName::Auto | EngineName::Explicit | EngineName::Spin)
}

/// Of the options of the tree engine, the lazy one has a single value of a single one.
fn check_tree(args: &CheckArgs) -> Result<(), Failure> {
    let widens = args.engine == EngineName::Lazy && args.tree.strategy == Some(StrategyName::Uw);
    let given = args.tree.given().into_iter().find(|name| !(widens && *name == "--strategy"));
    match (args.engine, given) {
        (EngineName::Tree, _) => tree(args).has_no_solver().map_or(Ok(()), |why| Err(Failure::BadInput(why))),
        (_, None) => Ok(()),
        (EngineName::Lazy, Some("--strategy")) => {
            Err(Failure::BadInput("of the strategies, --engine lazy has only uw".to_string()))
        }
        (engine, Some(name)) => {
            Err(Failure::BadInput(format!("{name} is for the tree engine, not for --engine {}", engine.name())))
        }
    }
}

pub fn check_bounds(engine: EngineName, bounds: &BoundsArgs, preemptions: Option<u32>) -> Result<(), Failure> {
    let given = bounds.given();
    if let (EngineName::Auto, Some(name), Some(_)) = (engine, given.first(), preemptions) {
        return Err(Failure::BadInput(format!(
            "{name} bounds the lazy engine, --preemptions the explicit one: choose one with --engine"
        )));
    }
    let instead = match engine {
        EngineName::Auto => "",
        EngineName::Explicit | EngineName::Spin => ", which has --preemptions",
        EngineName::Tree => ", which has --switches",
        _ => ", which has --rounds",
    };
    for name in given.into_iter().chain(preemptions.map(|_| "--preemptions")) {
        let (whose, fits) = match name {
            "--preemptions" => ("the explicit engine", explores_states(engine)),
            "--switches" => {
                ("the tree engine and the explicit one", matches!(engine, EngineName::Tree | EngineName::Explicit))
            }
            "--rounds" => {
                ("the lazy engine", !matches!(engine, EngineName::Explicit | EngineName::Spin | EngineName::Tree))
            }
            _ => ("programs", !matches!(engine, EngineName::Explicit | EngineName::Spin)),
        };
        if !fits {
            let engine = engine.name();
            let message = format!("{name} bounds {whose}: it does not go with --engine {engine}{instead}");
            return Err(Failure::BadInput(message));
        }
    }
    Ok(())
}

pub fn check_intervals(engine: EngineName, narrowing: IntervalSource, rounds: Option<u32>) -> Result<(), Failure> {
    let refused = |message: String| Err(Failure::BadInput(message));
    let (unfit, name) = (matches!(engine, EngineName::Explicit | EngineName::Spin | EngineName::Tree), engine.name());
    match (narrowing, rounds) {
        (IntervalSource::Own, _) => Ok(()),
        (IntervalSource::None, _) if unfit => {
            refused(format!("--no-intervals is for the lazy engine, not for --engine {name}"))
        }
        (IntervalSource::FramaC, _) if unfit => {
            refused(format!("--intervals is for the lazy engine, not for --engine {name}"))
        }
        (IntervalSource::FramaC, None) => {
            refused("--intervals frama-c wants --rounds: it is told of so many".to_string())
        }
        _ => Ok(()),
    }
}
