//! Finds places where an unchecked misuse ends runs, and how far runs get, for engines that do not see it in passing.
//!
//! Random runs show most such places at once, and whether any run comes to its end. If they show none, the engine
//! itself is asked: it looks for just that misuse, within the bounds of its verdict, for about as long as that took.
//! Models go on behind the misuse that they report, so their reports are left out of that question.

use selvedge_engine::verdict::confirms;
use selvedge_engine::{Control, Engine, Task, watchdog};
use selvedge_program::{Bounds, Coverage, Ends, Finding, Limit, Op, Program, Properties, Reach, Reason, UncheckedEnd};
use selvedge_search::explicit::Explicit;
use selvedge_vm::Code;
use std::sync::Arc;
use std::time::Duration;

/// The engine has so much time to look for misuse, or as much as it took for its verdict.
const SHORT: Duration = Duration::from_secs(2);

/// Random runs may take so much, also where the time for searching is over.
const RANDOM: Duration = Duration::from_millis(500);

/// The finding of an engine, with how runs end and how far they get, if that can be told. `took`: how long it took.
pub fn with_ends(
    engine: Arc<dyn Engine>,
    (program, task): (&Arc<Program>, &Task),
    control: &Control,
    took: Duration,
    finding: Finding,
) -> Finding {
    let Finding::NoneWithin(coverage) = finding else { return finding };
    let unasked = task.properties.unasked_misuse();
    if coverage.ends.is_some() && coverage.reach.is_some() {
        return Finding::NoneWithin(coverage);
    }
    let (random, seen) = random_ends(program, task);
    // Within bounds the engine knows better what there is room for.
    let reach = Reach { threads: coverage.threads.or(seen.threads.filter(|threads| *threads > 0)), ..seen };
    let ends = if let Some(proved) = coverage.ends {
        Some(beside_proof(proved, random))
    } else if random.unchecked.is_empty() && !unasked.is_empty() {
        let misuse = Task { properties: unasked, bounds: bounds_of(&coverage, &task.bounds), ..task.clone() };
        let program = Arc::new(without_reports(program, unasked));
        let unchecked = first_end(engine, &program, misuse, &for_a_while(control, took), &coverage);
        unchecked.map(|unchecked| Ends { unchecked, ..random })
    } else {
        Some(random)
    };
    Finding::NoneWithin(Coverage { ends, reach: Some(Box::new(reach)), ..coverage })
}

/// The ends of runs that a proof does not exclude, with those that were seen. Runs need not end at all: only if those
/// that did all ended at a misuse does the proof say little.
fn beside_proof(proved: Ends, random: Ends) -> Ends {
    let normally = random.normally || random.unchecked.is_empty();
    let possible = proved.possible.into_iter().filter(|end| !random.unchecked.contains(end)).collect();
    Ends { unchecked: random.unchecked, normally, possible }
}

/// How far random runs get, where a search has no answer; `None` if there was no time for any.
pub fn seen(program: &Program, task: &Task) -> Option<Reach> {
    let (_, reach) = random_ends(program, task);
    (!reach.functions.is_empty()).then_some(reach)
}

fn random_ends(program: &Program, task: &Task) -> (Ends, Reach) {
    let control = Control { time_limit: Some(RANDOM), ..Control::default() };
    Code::new(program, task.properties).map(|code| Explicit::random_ends(&code, task, &control)).unwrap_or_default()
}

/// The program without its models' reports of these properties.
fn without_reports(program: &Program, unasked: Properties) -> Program {
    let mut program = program.clone();
    let is_report = |op: &Op| matches!(op, Op::Violation { property, .. } if unasked.contains(*property));
    for block in program.functions.values_mut().flat_map(|function| function.blocks.values_mut()) {
        block.insts.retain(|inst| !is_report(&inst.op));
    }
    program
}

/// One place, if there is any. `None`: that could not be told.
fn first_end(
    engine: Arc<dyn Engine>,
    program: &Arc<Program>,
    misuse: Task,
    control: &Control,
    coverage: &Coverage,
) -> Option<Vec<UncheckedEnd>> {
    let properties = misuse.properties;
    match watchdog::search(engine, Arc::clone(program), misuse, control).finding {
        Finding::Violation { schedule, violation } if confirms(program, properties, &schedule, &violation) => {
            let at = program.source.describe(violation.loc);
            Some(vec![UncheckedEnd { misuse: violation.property, at }])
        }
        // Where no check can be reached, nothing can be misused.
        Finding::NoneWithin(other) if covers_as_much(&other, coverage) => Some(Vec::new()),
        Finding::GaveUp(Reason::NothingChecked { within }) if covers_as_much(&within, coverage) => Some(Vec::new()),
        _ => None,
    }
}

/// The bounds within which the engine found nothing.
fn bounds_of(coverage: &Coverage, asked: &Bounds) -> Bounds {
    let mut bounds = asked.clone();
    for limit in &coverage.limits {
        match limit {
            Limit::Unwind { iterations, .. } => bounds.unwind = Some(*iterations),
            Limit::Rounds(rounds) => bounds.rounds = Some(*rounds),
            Limit::Switches(switches) => bounds.switches = Some(*switches),
            _ => {}
        }
    }
    bounds
}

/// Is there nothing that limits only the first?
fn covers_as_much(one: &Coverage, other: &Coverage) -> bool {
    let is_shared = |limit: &Limit| match limit {
        Limit::Unwind { .. } => other.limits.iter().any(|limit| matches!(limit, Limit::Unwind { .. })),
        limit => other.limits.contains(limit),
    };
    one.limits.iter().all(is_shared) && (other.may_be_cut() || !one.may_be_cut())
}

fn for_a_while(control: &Control, took: Duration) -> Control {
    let until = control.started.elapsed() + took.max(SHORT);
    let time_limit = Some(control.time_limit.map_or(until, |limit| limit.min(until)));
    Control { time_limit, ..control.clone() }
}
