//! Every engine that knows store buffers finds exactly the outcomes of litmus tests that each memory model allows.
//!
//! One test an engine and family, and one for random tests. Each program is compiled once, and then asked about every
//! outcome: those that are allowed are shown by a violation, which is replayed, and one more question shows that there
//! are no others.

#[path = "../common/pan_library.rs"]
mod pan_library;

use libtest_mimic::{Arguments, Failed, Trial};
use selvedge_c_programs::Compiler;
use selvedge_engine::{Control, Engine, Task, conclude};
use selvedge_from_llvm::clang::DataModel;
use selvedge_generate::trial;
use selvedge_litmus::c_text::{self, Question};
use selvedge_litmus::text::printed;
use selvedge_litmus::{Litmus, Outcome};
use selvedge_outside::spin::{self, Spin};
use selvedge_outside::{Outside, Tool};
use selvedge_program::{Bounds, Coverage, Limit, MemoryModel, Program, Properties, Property, Verdict};
use selvedge_search::dpor::Dpor;
use selvedge_search::explicit::{Explicit, Symmetry};
use selvedge_symbolic::lazy::Lazy;
use selvedge_symbolic::tree::Tree;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// An engine, and how it is asked.
#[derive(Clone, Copy)]
struct Asked {
    name: &'static str,
    /// None if a tool is missing.
    engine: fn() -> Option<Box<dyn Engine>>,
    bounds: fn() -> Bounds,
    extent: Extent,
}

/// How many questions are worth their time.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    /// Every outcome that a model allows.
    EveryOutcome,
    /// All outcomes, without random tests: interleavings of three threads are too many.
    NotRandom,
    /// Those that the model before it does not allow.
    NewOutcomes,
    /// New outcomes, with store buffers only of tests of two threads: without any reduction, three have too many
    /// states.
    NewOutcomesOfTwo,
    /// New outcomes of these tests only: every answer takes seconds.
    Sample(&'static [&'static str]),
}

const SAMPLE: &[&str] =
    &["SB", "SB+fence+fence", "SB+rfi", "SB+word_loads", "MP", "MP+release", "MP+bytes", "2+2W", "R+fence", "n6"];

fn explicit() -> Explicit {
    Explicit::ONE
}

fn rounds() -> Bounds {
    Bounds { unwind: Some(1), rounds: Some(4), ..Bounds::default() }
}

fn unwound() -> Bounds {
    Bounds { unwind: Some(1), ..Bounds::default() }
}

const ENGINES: &[Asked] = &[
    Asked {
        name: "explicit",
        engine: || Some(Box::new(explicit())),
        bounds: Bounds::default,
        extent: Extent::EveryOutcome,
    },
    Asked {
        name: "explicit_without_reduction",
        engine: || Some(Box::new(Explicit { no_reduction: true, ..explicit() })),
        bounds: Bounds::default,
        extent: Extent::NewOutcomesOfTwo,
    },
    Asked {
        name: "explicit_with_sleep_sets",
        engine: || Some(Box::new(Explicit { sleep_sets: true, ..explicit() })),
        bounds: Bounds::default,
        extent: Extent::NewOutcomes,
    },
    Asked {
        name: "explicit_with_supersteps",
        engine: || Some(Box::new(Explicit { supersteps: true, ..explicit() })),
        bounds: Bounds::default,
        extent: Extent::NewOutcomes,
    },
    Asked {
        name: "explicit_with_symmetry",
        engine: || Some(Box::new(Explicit { symmetry: Symmetry::Always, ..explicit() })),
        bounds: Bounds::default,
        extent: Extent::NewOutcomes,
    },
    Asked {
        name: "by_conflicts",
        engine: || Some(Box::new(Dpor::default())),
        bounds: Bounds::default,
        extent: Extent::NewOutcomes,
    },
    Asked { name: "lazy", engine: || Some(Box::new(Lazy::default())), bounds: rounds, extent: Extent::EveryOutcome },
    Asked { name: "tree", engine: || Some(Box::new(Tree::default())), bounds: unwound, extent: Extent::NotRandom },
    Asked {
        name: "cbmc",
        engine: || selvedge_requires::cbmc().then(|| Box::new(Outside::new(Tool::Cbmc)) as Box<dyn Engine>),
        bounds: rounds,
        extent: Extent::Sample(SAMPLE),
    },
    Asked {
        name: "spin",
        engine: || {
            let library = selvedge_requires::spin().then(pan_library::find).flatten()?;
            let options = spin::Options { library: Some(library), ..spin::Options::default() };
            Some(Box::new(Spin { options }))
        },
        bounds: Bounds::default,
        extent: Extent::Sample(&["SB", "MP"]),
    },
];

/// How many random tests each engine is asked about; `SELVEDGE_CASES` and `SELVEDGE_SEED` change that.
const RANDOM: u64 = 12;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for asked in ENGINES {
        for (family, tests) in families(asked.extent) {
            let name = format!("{}::{family}", asked.name);
            trials.push(Trial::test(name, move || check(*asked, &tests).map_err(Failed::from)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The tests that an engine is asked about, by name of the group.
fn families(extent: Extent) -> BTreeMap<String, Vec<Litmus>> {
    let mut families: BTreeMap<String, Vec<Litmus>> = BTreeMap::new();
    for test in selvedge_litmus::all() {
        match extent {
            Extent::Sample(names) if names.contains(&test.name.as_str()) => {
                families.entry("sample".to_string()).or_default().push(test);
            }
            Extent::Sample(_) => {}
            Extent::EveryOutcome | Extent::NotRandom | Extent::NewOutcomes | Extent::NewOutcomesOfTwo => {
                families.entry(family(&test.name).to_string()).or_default().push(test);
            }
        }
    }
    if matches!(extent, Extent::EveryOutcome | Extent::NewOutcomes | Extent::NewOutcomesOfTwo) {
        families.insert("random".to_string(), trial::seeds(RANDOM).map(selvedge_litmus::random::litmus).collect());
    }
    families
}

/// The name up to what stands between its accesses; small families of few accesses share one.
fn family(name: &str) -> &str {
    let base = name.split('+').next().unwrap_or(name);
    match base {
        "SB" | "MP" | "SIZE" | "IRIW" | "RMW" | "LOCK" => base,
        "CoRR" | "CoWW" | "CoWR" | "CoRW" | "CoRW1" | "n1" | "n4" | "n5" | "n6" | "n7" => "coherence",
        "2" | "R" | "S" | "LB" => "two_threads",
        _ => "causality",
    }
}

fn check(asked: Asked, tests: &[Litmus]) -> Result<(), String> {
    let Some(engine) = (asked.engine)() else { return Ok(()) };
    let Some(compiler) = Compiler::find() else { return Ok(()) };
    let mut wrong = Vec::new();
    for test in tests {
        let program = compiler.program(&format!("{}.c", test.name), &c_text::program(test), DataModel::Lp64)?;
        let is_too_large = asked.extent == Extent::NewOutcomesOfTwo && test.threads.len() > 2;
        let models = MemoryModel::ALL.into_iter().filter(|model| !is_too_large || *model == MemoryModel::Sc);
        for model in models {
            let program = Program { memory_model: model, ..program.clone() };
            let differences = examine(asked, engine.as_ref(), test, &program);
            wrong
                .extend(differences.iter().map(|why| format!("{} {}, {}: {why}", asked.name, test.name, model.name())));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn examine(asked: Asked, engine: &dyn Engine, test: &Litmus, program: &Program) -> Vec<String> {
    // An engine that knows no store buffers sees less, and has to say so.
    let knows_buffers = engine.scope().store_buffers;
    let model = if knows_buffers { program.memory_model } else { MemoryModel::Sc };
    let is_limited = model != program.memory_model;
    let allowed: Vec<&Outcome> = test.allowed(model).iter().collect();
    let before = match model {
        MemoryModel::Sc => None,
        MemoryModel::Tso => Some(MemoryModel::Sc),
        MemoryModel::Pso => Some(MemoryModel::Tso),
    };
    let is_new = |outcome: &Outcome| before.is_none_or(|before| !test.allowed(before).contains(outcome));
    let asks_all = matches!(asked.extent, Extent::EveryOutcome | Extent::NotRandom);
    let wanted = allowed.iter().filter(|outcome| asks_all || is_new(outcome));
    let says = |question| says(engine, (asked.bounds)(), &c_text::ask(test, program, question));
    let missing = wanted.filter_map(|outcome| match says(Question::Ever(outcome)) {
        Ok(Verdict::Unsafe(_)) => None,
        other => Some(format!("{} is allowed: {}", printed(outcome), told(other))),
    });
    let others = match says(Question::AlwaysAmong(&allowed)) {
        Ok(Verdict::Safe) if !is_limited => None,
        Ok(Verdict::SafeWithin(Coverage { limits, .. }))
            if limits
                .iter()
                .all(|limit| is_a_bound(limit) || is_limited && *limit == Limit::OnlySequentiallyConsistent)
                && is_limited == limits.contains(&Limit::OnlySequentiallyConsistent) =>
        {
            None
        }
        other => Some(format!("nothing else is allowed: {}", told(other))),
    };
    missing.chain(others).collect()
}

/// The bounds that the engine was given; nothing else may be left out.
fn is_a_bound(limit: &Limit) -> bool {
    matches!(limit, Limit::Rounds(_) | Limit::Switches(_) | Limit::Unwind { .. })
}

fn says(engine: &dyn Engine, bounds: Bounds, program: &Program) -> Result<Verdict, String> {
    let properties = Properties::NONE.with(Property::Assertion);
    let task = Task { properties, bounds, ..Task::default() };
    let finding = engine.check(program, &task, &Control::default()).finding;
    conclude(program, properties, finding).map(|conclusion| conclusion.verdict).map_err(|error| match &error.schedule {
        Some(schedule) => format!("{error}, schedule {schedule}"),
        None => error.to_string(),
    })
}

fn told(verdict: Result<Verdict, String>) -> String {
    match verdict {
        Ok(Verdict::Unsafe(trace)) => format!("unsafe, schedule {}", trace.schedule),
        Ok(Verdict::SafeWithin(coverage)) => format!("safe within {coverage}"),
        Ok(other) => other.name().to_string(),
        Err(error) => error,
    }
}
