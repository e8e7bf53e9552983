//! Data races in generated programs: the search without any reduction says what there is, and every other engine must
//! not contradict it.
//!
//! `SELVEDGE_CASES` is the number of programs, `SELVEDGE_SEED` where they begin.

use selvedge_engine::{Control, Engine, Task, conclude};
use selvedge_generate::{Features, Source, Tally, Trial};
use selvedge_passes::prepare;
use selvedge_program::{Bounds, Finding, Properties, Property, Verdict};
use selvedge_prove::Prove;
use selvedge_search::dpor::Dpor;
use selvedge_search::explicit::Explicit;
use selvedge_search::walks::Walks;
use selvedge_symbolic::lazy::Lazy;

/// The comparable part of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Says {
    Race,
    None,
    NoneWithin,
    Unknown,
}

fn ask(engine: &dyn Engine, source: &Source, task: &Task) -> Result<(Says, Finding), String> {
    let program = prepare(source.program());
    let finding = engine.check(&program, task, &Control::default()).finding;
    let says = match &finding {
        Finding::Violation { .. } => {
            match conclude(&program, task.properties, finding.clone()).map_err(|error| error.to_string())?.verdict {
                Verdict::Unsafe(_) => Says::Race,
                other => return Err(format!("{finding:?} is concluded to {other:?}")),
            }
        }
        Finding::NoneWithin(coverage) if coverage.is_complete() => Says::None,
        Finding::NoneWithin(_) => Says::NoneWithin,
        Finding::GaveUp(_) => Says::Unknown,
        Finding::Contradiction { .. } | Finding::Unfollowed { .. } | Finding::NoProof { .. } => {
            return Err(format!("{finding:?}"));
        }
    };
    Ok((says, finding))
}

fn agree(source: &Source, tally: &Tally) -> Result<(), String> {
    let task = Task { properties: Properties::NONE.with(Property::Race), ..Task::default() };
    let bounds = Bounds { unwind: Some(4), rounds: Some(3), ..Bounds::default() };
    let bounded = Task { bounds, ..task.clone() };
    let (known, full) = ask(&Explicit { no_reduction: true, ..Explicit::ONE }, source, &task)?;
    if !tally.compares(&[&full]) {
        return Ok(());
    }
    let engines: [(&str, &dyn Engine, &Task, bool); 5] = [
        ("explicit", &Explicit::ONE, &task, true),
        ("by conflicts", &Dpor { most_runs: Some(2_000), ..Dpor::default() }, &task, true),
        ("walks", &Walks { most: Some(2_000) }, &task, false),
        ("lazy", &Lazy::default(), &bounded, false),
        ("prove", &Prove::default(), &task, false),
    ];
    for (name, engine, task, finds_all) in engines {
        let (says, finding) = ask(engine, source, task).map_err(|error| format!("{name}: {error}"))?;
        let wrong = match (known, says) {
            (Says::Race, Says::None) | (Says::None, Says::Race) => true,
            (Says::Race, Says::NoneWithin) => finds_all,
            _ => false,
        };
        if wrong {
            return Err(format!("{name} says {finding:?}, without reductions it is {full:?}"));
        }
    }
    Ok(())
}

#[test]
fn all_engines_agree_on_races() {
    Trial { cases: 36, percent: 90 }.run(Features { spins: true, ..Features::ALL }, agree);
}
