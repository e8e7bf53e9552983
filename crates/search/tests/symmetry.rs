//! Threads that nobody can tell apart: fewer states, and nothing else changes.
//!
//! `SELVEDGE_CASES` is the number of generated programs, `SELVEDGE_SEED` where they begin.

use selvedge_engine::{Control, Engine, Outcome, Task, conclude};
use selvedge_generate::{Features, Source, Tally, Trial, sources};
use selvedge_program::{Bounds, Finding, Program, Properties, Property, Verdict, text};
use selvedge_search::explicit::{Explicit, Symmetry};

const PLAIN: Explicit = Explicit::ONE;
const SYMMETRIC: Explicit = Explicit { symmetry: Symmetry::Always, ..Explicit::ONE };

fn check(engine: Explicit, program: &Program, task: &Task) -> Outcome {
    engine.check(program, task, &Control::default())
}

/// Whether equal threads run one function, or each a copy of its own.
#[derive(Clone, Copy, PartialEq)]
enum Code {
    One,
    Copies,
}

/// The program with as many equal threads as it had different ones, at least two.
fn twins(source: &Source, code: Code) -> Program {
    let mut source = source.clone();
    source.nested = None;
    let threads = source.threads.len().max(2);
    source.threads = vec![source.threads[0].clone(); threads];
    let mut text = source.text();
    for number in (1..threads).filter(|_| code == Code::One) {
        text = text.replace(&format!("spawn(@thread{number}, "), "spawn(@thread0, ");
    }
    text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn summary(outcome: &Outcome) -> String {
    match &outcome.finding {
        Finding::Violation { violation, .. } => {
            format!("{} after {:?} preemptions", violation.property.name(), outcome.statistics.preemptions)
        }
        Finding::NoneWithin(coverage) => format!("none within {coverage}"),
        Finding::GaveUp(reason) => format!("gave up: {}", reason.kind()),
        Finding::Contradiction { .. } | Finding::Unfollowed { .. } | Finding::NoProof { .. } => {
            "contradiction".to_string()
        }
    }
}

fn same_as_without(source: &Source, code: Code, tally: &Tally) -> Result<(), String> {
    let program = twins(source, code);
    for property in [Property::Assertion, Property::Deadlock, Property::Memory] {
        for preemptions in [None, Some(1)] {
            let bounds = Bounds { preemptions, ..Bounds::default() };
            let task = Task { properties: Properties::NONE.with(property), bounds, ..Task::default() };
            let plain = check(PLAIN, &program, &task);
            let mut alone = None;
            for jobs in [1, 2] {
                let symmetric = check(Explicit { jobs, ..SYMMETRIC }, &program, &task);
                if !tally.compares(&[&plain.finding, &symmetric.finding]) {
                    continue;
                }
                // The order of arrival at a state decides whether more preemptions would add anything.
                let is_none = |outcome: &Outcome| matches!(outcome.finding, Finding::NoneWithin(_));
                let both_none = preemptions.is_some() && is_none(&plain) && is_none(&symmetric);
                if !both_none && summary(&plain) != summary(&symmetric) {
                    return Err(format!("{} without, {} with, {jobs} jobs", summary(&plain), summary(&symmetric)));
                }
                let (fewer, more) = (symmetric.statistics.states, plain.statistics.states);
                let learnt = symmetric.statistics.restarts + plain.statistics.restarts > 0;
                if matches!(plain.finding, Finding::NoneWithin(_)) && fewer > more && !learnt {
                    return Err(format!("{more} states without, {fewer} with"));
                }
                if is_none(&symmetric) && symmetric.statistics.restarts == 0 {
                    let before = *alone.get_or_insert(fewer);
                    if before != fewer {
                        return Err(format!("{before} states alone, {fewer} with {jobs} jobs"));
                    }
                }
                if let Finding::Violation { .. } = symmetric.finding {
                    let verdict = conclude(&program, task.properties, symmetric.finding);
                    if !verdict.as_ref().is_ok_and(|conclusion| conclusion.verdict.name() == "unsafe") {
                        return Err(format!("{:?}", verdict.map(|conclusion| conclusion.verdict.name())));
                    }
                }
            }
        }
    }
    Ok(())
}

fn on_generated(features: Features, code: Code, cases: u32, percent: u64) {
    let strategy = sources(Features { spins: false, ..features });
    let show = |source: &Source| text::print(&twins(source, code));
    Trial { cases, percent }.run_on(strategy, show, |source, tally| same_as_without(source, code, tally));
}

#[test]
fn generated_programs_have_the_same_verdicts() {
    on_generated(Features::SCALAR, Code::One, 200, 90);
}

#[test]
fn so_have_those_whose_threads_run_copies() {
    on_generated(Features::SCALAR, Code::Copies, 200, 90);
}

#[test]
fn so_have_those_with_pointers() {
    on_generated(Features { size: 3000, ..Features::ALL }, Code::Copies, 100, 90);
}

/// So many threads with this body over the globals x, y and lock, created by main, which then does `after`.
fn program(threads: usize, body: &str, after: &str) -> Program {
    let mut text = "program lp64 entry @main\nglobal @x 4 align 4\nglobal @y 4 align 4\nglobal @lock 4 align 4\n\
                    global @z 4 align 4\n"
        .to_string();
    text += &format!(
        "fn @t(%p: ptr, %q: ptr) {{\n  i32 %r, %l\n  i1 %c\n  ptr %own\nentry:\n{body}  return\n}}\n\
         fn @main() -> i32 {{\n  i32 %r, %l, %a, %b, %d, %e\n  i1 %c\nentry:\n"
    );
    ["%a", "%b", "%d", "%e"][..threads].iter().for_each(|t| text += &format!("  {t} = spawn(@t, null, null)\n"));
    text += &format!("{after}  process_exit()\n  return 0i32\n}}\n");
    text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn join(thread: &str) -> String {
    format!(
        "  atomic_begin()\n  %c = finished({thread})\n  waits_for(null, {thread})\n  block_until(%c)\n  atomic_end()\n"
    )
}

fn joins(threads: usize) -> String {
    ["%a", "%b", "%d", "%e"][..threads].iter().map(|thread| join(thread)).collect()
}

const LOCK: &str = "  atomic_begin()\n  %l = load @lock\n  %c = eq %l, 0i32\n  %l = sub %l, 1i32\n  \
                    waits_for(@lock, %l)\n  block_until(%c)\n  %l = owner()\n  store i32 %l to @lock\n  \
                    acquired(@lock, true)\n  atomic_end()\n";
const UNLOCK: &str = "  atomic_begin()\n  store i32 0i32 to @lock\n  released(@lock)\n  atomic_end()\n";
const INCREMENT: &str = "  %r = load @x\n  %r = add %r, 1i32\n  store i32 %r to @x\n";

/// The states without symmetry, and with it; what the process can end with must be the same.
fn states(program: &Program) -> [u64; 2] {
    let engines = [PLAIN, SYMMETRIC];
    let [without, with] = engines.map(|engine| engine.final_globals(program, &Task::default()).expect("complete"));
    assert_eq!(without, with);
    engines.map(|engine| check(engine, program, &Task::default()).statistics.states)
}

/// A program deadlocks with symmetry reduction exactly if it does without, after as many preemptions.
fn deadlock(program: &Program, expected: &str) {
    let task = Task { properties: Properties::NONE.with(Property::Deadlock), ..Task::default() };
    for engine in [PLAIN, SYMMETRIC, Explicit { jobs: 2, ..SYMMETRIC }] {
        let outcome = check(engine, program, &task);
        assert_eq!(summary(&outcome), expected, "{engine:?}");
        if expected.starts_with("deadlock") {
            assert_eq!(conclude(program, task.properties, outcome.finding).expect("a replay").verdict.name(), "unsafe");
        }
    }
}

#[test]
fn a_racy_counter() {
    let counts: Vec<_> = (1..=4).map(|n| states(&program(n, &INCREMENT.repeat(2), &joins(n)))).collect();
    assert_eq!(counts, [[3, 3], [74, 50], [1194, 390], [22375, 2693]]);
}

#[test]
fn a_counter_under_a_lock() {
    let body = [LOCK, INCREMENT, UNLOCK].concat().repeat(2);
    let counts: Vec<_> = (1..=4).map(|n| states(&program(n, &body, &joins(n)))).collect();
    assert_eq!(counts, [[6, 6], [27, 18], [108, 40], [405, 75]]);
}

/// Each is known by its number, or by the address of something that it has: nothing is gained, or lost.
#[test]
fn who_can_be_told_apart_is_not_taken_for_another() {
    let asks = "  %l = self()\n  %r = load @x\n  %r = add %r, %l\n  store i32 %r to @x\n";
    let owns = "  %own = alloca 4i64 align 4\n  store i32 1i32 to %own\n  %r = load @x\n  %l = load %own\n  \
                %r = add %r, %l\n  store i32 %r to @x\n";
    for body in [asks, owns] {
        let [without, with] = states(&program(3, body, &joins(3)));
        assert_eq!(without, with);
    }
}

/// The first to come needs nothing, the other what main holds while it waits for one of them.
#[test]
fn whom_main_waits_for_decides() {
    let body = format!(
        "  atomic_begin()\n  %r = load @x\n  store i32 1i32 to @x\n  atomic_end()\n  %c = eq %r, 0i32\n  \
         branch %c, done, late\nlate:\n{LOCK}{UNLOCK}  jump done\ndone:\n"
    );
    // A circle of two.
    let after = [LOCK, &join("%a"), UNLOCK, &join("%b")].concat();
    deadlock(&program(2, &body, &after), "deadlock after Some(0) preemptions");
    // Nobody says for whom.
    let waits = "  atomic_begin()\n  %r = load @x\n  store i32 1i32 to @x\n  atomic_end()\n  %c = eq %r, 0i32\n  \
                 branch %c, done, late\nlate:\n  atomic_begin()\n  %r = load @y\n  %c = ne %r, 0i32\n  \
                 block_until(%c)\n  atomic_end()\n  jump done\ndone:\n";
    let after = [&join("%a"), "  store i32 1i32 to @y\n", &join("%b")].concat();
    deadlock(&program(2, waits, &after), "deadlock after Some(0) preemptions");
    // Main lets them go first.
    let after = ["  store i32 1i32 to @y\n", &joins(2)].concat();
    deadlock(&program(2, waits, &after), "none within ");
}

/// A lock goes on saying who took it away.
#[test]
fn who_ends_with_a_lock_keeps_it() {
    let body = format!("{INCREMENT}{LOCK}");
    deadlock(&program(2, &body, &joins(2)), "deadlock after Some(0) preemptions");
    states(&program(1, &body, &joins(1)));
}

/// Where it is wrong is said of the function that the thread really runs.
#[test]
fn a_violation_is_where_it_is() {
    let mut text = "program lp64 entry @main\nglobal @x 4 align 4\n".to_string();
    for name in ["a", "b", "c"] {
        text += &format!(
            "fn @{name}(%p: ptr, %q: ptr) {{\n  i32 %r\n  i1 %c\nentry:\n{INCREMENT}  %c = eq %r, 3i32\n  \
             branch %c, wrong, done\nwrong:\n  violation assertion \"{name} is the last\"\n  jump done\ndone:\n  return\n}}\n"
        );
    }
    text += "fn @main() -> i32 {\n  i32 %r\nentry:\n";
    ["a", "b", "c"].iter().for_each(|name| text += &format!("  %r = spawn(@{name}, null, null)\n"));
    text += "  return 0i32\n}\n";
    let program = text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let outcome = check(SYMMETRIC, &program, &Task::default());
    let verdict = conclude(&program, Task::default().properties, outcome.finding).expect("a replay").verdict;
    let Verdict::Unsafe(trace) = verdict else { panic!("{}", verdict.name()) };
    let violation = trace.violation;
    let last = ["a", "b", "c"][violation.thread as usize - 1];
    assert_eq!(violation.text, format!("{last} is the last"));
}
