//! Every engine that knows store buffers finds exactly the outcomes of litmus tests that each memory model allows.
//!
//! One test an engine and family, and one for random tests. Each program is compiled once, and then asked about every outcome: those that are allowed
//! are shown by a violation, which the judge replays, and one more question shows that there are no others.

#[path = "../common/compiler.rs"]
mod compiler;

use compiler::Compiler;
use libtest_mimic::{Arguments, Failed, Trial};
use selvedge_engine::{Control, Engine, Task, judge};
use selvedge_from_llvm::clang::DataModel;
use selvedge_generate::trial;
use selvedge_litmus::c_text::{self, Question};
use selvedge_litmus::text::printed;
use selvedge_litmus::{Litmus, Outcome};
use selvedge_program::{Bounds, Limit, MemoryModel, Program, Properties, Property, Verdict};
use selvedge_search::explicit::{Explicit, Symmetry};
use selvedge_symbolic::lazy::Lazy;
use selvedge_symbolic::tree::Tree;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// An engine, and how it is asked.
#[derive(Clone, Copy)]
struct Asked {
    name: &'static str,
    engine: fn() -> Box<dyn Engine>,
    bounds: fn() -> Bounds,
    extent: Extent,
}

/// How many questions are worth their time.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    /// Every outcome that a model allows.
    EveryOutcome,
    /// Those that the model before it does not allow.
    NewOutcomes,
}

const ENGINES: &[Asked] = &[
    Asked {
        name: "explicit",
        engine: || Box::new(Explicit::ONE),
        bounds: Bounds::default,
        extent: Extent::EveryOutcome,
    },
    Asked {
        name: "explicit_without_reduction",
        engine: || Box::new(Explicit { no_reduction: true, ..Explicit::ONE }),
        bounds: Bounds::default,
        extent: Extent::NewOutcomes,
    },
    Asked {
        name: "explicit_with_sleep_sets",
        engine: || Box::new(Explicit { sleep_sets: true, ..Explicit::ONE }),
        bounds: Bounds::default,
        extent: Extent::NewOutcomes,
    },
    Asked {
        name: "explicit_with_supersteps",
        engine: || Box::new(Explicit { supersteps: true, ..Explicit::ONE }),
        bounds: Bounds::default,
        extent: Extent::NewOutcomes,
    },
    Asked {
        name: "explicit_with_symmetry",
        engine: || Box::new(Explicit { symmetry: Symmetry::Always, ..Explicit::ONE }),
        bounds: Bounds::default,
        extent: Extent::NewOutcomes,
    },
    Asked {
        name: "lazy",
        engine: || Box::new(Lazy::default()),
        bounds: || Bounds { unwind: Some(1), rounds: Some(4), ..Bounds::default() },
        extent: Extent::EveryOutcome,
    },
    Asked {
        name: "tree",
        engine: || Box::new(Tree::default()),
        bounds: || Bounds { unwind: Some(1), ..Bounds::default() },
        extent: Extent::EveryOutcome,
    },
];

/// How many random tests each engine is asked about; `SELVEDGE_CASES` and `SELVEDGE_SEED` change that.
const RANDOM: u64 = 12;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut families: BTreeMap<String, Vec<Litmus>> = BTreeMap::new();
    for test in selvedge_litmus::all() {
        families.entry(family(&test.name).to_string()).or_default().push(test);
    }
    let mut trials = Vec::new();
    for asked in ENGINES {
        for (family, tests) in &families {
            let (asked, tests) = (*asked, tests.clone());
            let name = format!("{}::{family}", asked.name);
            trials.push(Trial::test(name, move || check(asked, &tests).map_err(Failed::from)));
        }
    }
    for asked in ENGINES {
        let (asked, name) = (*asked, format!("{}::random", asked.name));
        trials.push(Trial::test(name, move || {
            let tests: Vec<Litmus> = trial::seeds(RANDOM).map(selvedge_litmus::random::litmus).collect();
            check(Asked { extent: Extent::NewOutcomes, ..asked }, &tests).map_err(Failed::from)
        }));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
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
    let mut compiler = Compiler::new(DataModel::Lp64);
    let mut wrong = Vec::new();
    for test in tests {
        let program = compiler.program(&format!("{}.c", test.name), &c_text::program(test))?;
        for model in MemoryModel::ALL {
            let program = Program { memory_model: model, ..program.clone() };
            wrong.extend(examine(asked, test, &program));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn examine(asked: Asked, test: &Litmus, program: &Program) -> Vec<String> {
    let model = program.memory_model;
    let allowed: Vec<&Outcome> = test.allowed(model).iter().collect();
    let before = match model {
        MemoryModel::Sc => None,
        MemoryModel::Tso => Some(MemoryModel::Sc),
        MemoryModel::Pso => Some(MemoryModel::Tso),
    };
    let is_new = |outcome: &Outcome| before.is_none_or(|before| !test.allowed(before).contains(outcome));
    let wanted = allowed.iter().filter(|outcome| asked.extent == Extent::EveryOutcome || is_new(outcome));
    let missing =
        wanted.filter_map(|outcome| match says(asked, &c_text::ask(test, program, Question::Ever(outcome))) {
            Ok(Verdict::Unsafe(_)) => None,
            other => Some(format!("{} is allowed: {}", printed(outcome), told(other))),
        });
    let others = match says(asked, &c_text::ask(test, program, Question::AlwaysAmong(&allowed))) {
        Ok(Verdict::Safe) => None,
        Ok(Verdict::SafeWithin(coverage)) if coverage.limits.iter().all(is_a_bound) => None,
        other => Some(format!("nothing else is allowed: {}", told(other))),
    };
    missing.chain(others).map(|why| format!("{} {}, {}: {why}", asked.name, test.name, model.name())).collect()
}

/// The bounds that the engine was given; nothing else may be left out.
fn is_a_bound(limit: &Limit) -> bool {
    matches!(limit, Limit::Rounds(_) | Limit::Switches(_) | Limit::Unwind { .. })
}

fn says(asked: Asked, program: &Program) -> Result<Verdict, String> {
    let properties = Properties::NONE.with(Property::Assertion);
    let task = Task { properties, bounds: (asked.bounds)(), ..Task::default() };
    let finding = (asked.engine)().check(program, &task, &Control::default()).finding;
    judge(program, properties, finding).map(|judged| judged.verdict).map_err(|error| match &error.schedule {
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
