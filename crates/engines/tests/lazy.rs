//! Lazy sequentialization against the explicit engine, and both side by side, on generated programs.
//!
//! `SELVEDGE_CASES` is the number of programs for each test, `SELVEDGE_SEED` where they begin.

use selvedge_bound::text as bounded_text;
use selvedge_engine::{Control, Engine, Task, conclude};
use selvedge_engines::auto::Auto;
use selvedge_generate::{Features, Source, Tally, Trial};
use selvedge_passes::prepare;
use selvedge_program::{Bounds, Finding, MemoryModel, Program, Properties, Property, text};
use selvedge_search::explicit::Explicit;
use selvedge_symbolic::bounding::{TRIP_COUNT, bound_for};
use selvedge_symbolic::lazy::{Lazy, Narrowing};

const ROUNDS: u32 = 3;

/// Runs `check` on many programs; so many percent of the searches must have an answer.
fn for_all(cases: u32, percent: u64, check: fn(&Source, &Program, &Tally) -> Result<(), String>) {
    Trial { cases, percent }.run(Features::ALL, |source, tally| check(source, &source.program(), tally));
}

fn tasks() -> Vec<Task> {
    let one = |property| Properties::NONE.with(property);
    let all = Properties::default();
    [one(Property::Assertion), one(Property::Deadlock), one(Property::Memory), all]
        .map(|properties| Task { properties, ..Task::default() })
        .to_vec()
}

/// Every violation that it finds replays and exists, and within its bounds it misses none.
fn agrees(source: &Source, program: &Program, tally: &Tally) -> Result<(), String> {
    let program = prepare(program.clone());
    for task in tasks() {
        let bounds = Bounds { unwind: Some(4), rounds: Some(ROUNDS), ..Bounds::default() };
        let lazy = Lazy::default().check(&program, &Task { bounds, ..task.clone() }, &Control::default()).finding;
        let explicit = Explicit::default().check(&program, &task, &Control::default()).finding;
        let asked: Vec<&str> = task.properties.iter().map(Property::name).collect();
        let asked = asked.join(", ");
        tally.compares(&[&lazy, &explicit]);
        match (&lazy, &explicit) {
            (Finding::Violation { .. }, explicit) => {
                conclude(&program, task.properties, lazy.clone())
                    .map_err(|error| format!("{asked}: {error}, {lazy:?}"))?;
                if matches!(explicit, Finding::NoneWithin(coverage) if coverage.is_complete()) {
                    return Err(format!("{asked}: only lazy found {lazy:?}"));
                }
            }
            (Finding::NoneWithin(coverage), Finding::Violation { schedule, violation }) => {
                // Threads that create threads are numbered differently by the two.
                let comparable = !source.nests();
                let covered = coverage.is_complete()
                    || comparable && !coverage.may_be_cut() && schedule.rounds() <= ROUNDS as usize;
                if covered {
                    return Err(format!("{asked}: lazy missed {violation:?} in {schedule} and says {coverage:?}"));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

#[test]
fn it_agrees_with_the_explicit_engine() {
    for_all(150, 90, agrees);
}

/// Stores may arrive late.
fn agrees_with_store_buffers(source: &Source, program: &Program, tally: &Tally) -> Result<(), String> {
    for memory_model in [MemoryModel::Tso, MemoryModel::Pso] {
        agrees(source, &Program { memory_model, ..program.clone() }, tally)
            .map_err(|error| format!("{}: {error}", memory_model.name()))?;
    }
    Ok(())
}

#[test]
fn it_agrees_with_the_explicit_engine_where_stores_arrive_late() {
    for_all(75, 90, agrees_with_store_buffers);
}

/// Values have the bits of their types.
const WIDE: Lazy = Lazy { narrowing: Narrowing::None, widen: false, check_proofs: false };

/// Ranges change formulas, and nothing else: neither the kind of finding nor how much was covered.
fn intervals_change_nothing(_: &Source, program: &Program, tally: &Tally) -> Result<(), String> {
    let program = prepare(program.clone());
    for task in tasks() {
        for (unwind, rounds) in [(1, 2), (3, ROUNDS)] {
            let bounds = Bounds { unwind: Some(unwind), rounds: Some(rounds), ..Bounds::default() };
            let bounded = Task { bounds, ..task.clone() };
            let finding = |engine: Lazy| engine.check(&program, &bounded, &Control::default()).finding;
            let (narrow, wide) = (finding(Lazy::default()), finding(WIDE));
            tally.compares(&[&narrow, &wide]);
            let same = match (&narrow, &wide) {
                (Finding::Violation { .. }, Finding::Violation { .. }) => true,
                // Which obstacle is met first, and whether a bound is seen to bite, may differ.
                (Finding::GaveUp(_), Finding::GaveUp(_)) => true,
                (narrow, wide) => narrow == wide,
            };
            if !same {
                return Err(format!("{:?}: {narrow:?} with intervals, {wide:?} without", task.properties));
            }
            conclude(&program, task.properties, narrow).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

#[test]
fn intervals_change_no_verdict() {
    for_all(150, 90, intervals_change_nothing);
}

/// Both engines side by side say what the explicit one says alone.
fn auto_agrees(_: &Source, program: &Program, tally: &Tally) -> Result<(), String> {
    let program = prepare(program.clone());
    for task in tasks() {
        let auto = Auto::default().check(&program, &task, &Control::default()).finding;
        let explicit = Explicit::default().check(&program, &task, &Control::default()).finding;
        tally.compares(&[&auto, &explicit]);
        let (Some(together), Some(alone)) = (kind(&auto), kind(&explicit)) else { continue };
        if together != alone {
            return Err(format!("{:?}: {together} and {alone}: {auto:?} and {explicit:?}", task.properties));
        }
        conclude(&program, task.properties, auto).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// In a word; none if it gave up.
fn kind(finding: &Finding) -> Option<&'static str> {
    match finding {
        Finding::Violation { .. } => Some("violation"),
        Finding::NoneWithin(coverage) if coverage.is_complete() => Some("none"),
        Finding::NoneWithin(_) => Some("none within"),
        Finding::Contradiction { .. } | Finding::Unfollowed { .. } | Finding::NoProof { .. } => Some("contradiction"),
        Finding::GaveUp(_) => None,
    }
}

#[test]
fn side_by_side_they_say_what_the_explicit_engine_says() {
    for_all(100, 90, auto_agrees);
}

/// A bounded program that was printed and read gives the same formula.
fn formula_survives(_: &Source, program: &Program, tally: &Tally) -> Result<(), String> {
    let program = prepare(program.clone());
    let bounds = Bounds { unwind: Some(2), rounds: Some(2), ..Bounds::default() };
    let task = Task { bounds, ..Task::default() };
    let bounded = bound_for(&program, &task.bounds, 2, TRIP_COUNT, &|| false).map_err(|refusal| refusal.to_string())?;
    let printed = bounded_text::print(&bounded);
    let read = bounded_text::program(&printed).map_err(|error| error.to_string())?;
    let again = bounded_text::parse(&printed, &read).map_err(|error| error.to_string())?;
    tally.compared();
    match (Lazy::default().formula_of(&bounded, &task), Lazy::default().formula_of(&again, &task)) {
        (Ok(made), Ok(read)) if made == read => Ok(()),
        (made, read) => Err(format!("{made:?}\n{read:?}\n{printed}")),
    }
}

#[test]
fn the_text_of_a_bounded_program_gives_its_formula() {
    for_all(20, 100, formula_survives);
}

fn written(program: &str) -> Program {
    prepare(text::parse(program).unwrap_or_else(|error| panic!("{error}")))
}

/// A thread multiplies what nobody else writes, and another reads it.
const ONE_WRITER: &str = r#"
program lp64 entry @main
global @x 4 align 4
fn @writer(%p: ptr, %q: ptr) {
  i32 %r
entry:
  %r = nondet call "input"
  store i32 %r to @x
  %r = load @x
  %r = mul %r, %r
  store i32 %r to @x
  %r = load @x
  %r = mul %r, %r
  store i32 %r to @x
  return
}
fn @main() -> i32 {
  i32 %t, %r
  i1 %c
entry:
  %t = spawn(@writer, null, null)
  %r = load @x
  %c = eq %r, 3i32
  branch %c, wrong, end
wrong:
  violation assertion "three is no square"
  return 0i32
end:
  process_exit()
  return 0i32
}
"#;

/// It runs once, in whatever round: the multiplications of later rounds are those of the first.
#[test]
fn what_one_thread_writes_costs_nothing_in_later_rounds() {
    let program = written(ONE_WRITER);
    let variables = |rounds| {
        let bounds = Bounds { unwind: Some(1), rounds: Some(rounds), ..Bounds::default() };
        let task = Task { bounds, properties: Properties::NONE.with(Property::Assertion), ..Task::default() };
        Lazy::default().check(&program, &task, &Control::default()).statistics.variables
    };
    let (one, two) = (variables(1), variables(2));
    assert!(one > 1000, "multiplications of 32 bits have been built: {one} variables");
    assert!(two - one < one / 4, "{one} variables, then {two}");
}

/// A thread uses a small input as an index, another chooses one too, and main waits for both.
const INDEXED_BY_INPUT: &str = r#"
program lp64 entry @main
global @x 4 align 4
global @array 4 align 1
fn @indexes(%p: ptr, %q: ptr) {
  i32 %r
  ptr %t
entry:
  %r = nondet call "small" in [0i32, 1i32]
  %t = index @array, %r stride 1 bound 4
  store i8 0i8 to %t
  return
}
fn @writes(%p: ptr, %q: ptr) {
  i32 %r
entry:
  store i32 0i32 to @x
  %r = nondet call "small" in [0i32, 1i32]
  return
}
fn @main() -> i32 {
  i32 %t0, %t1
  i1 %c
entry:
  %t0 = spawn(@indexes, null, null)
  %t1 = spawn(@writes, null, null)
  atomic_begin()
  %c = finished(%t0)
  waits_for(null, %t0)
  block_until(%c)
  atomic_end()
  atomic_begin()
  %c = finished(%t1)
  waits_for(null, %t1)
  block_until(%c)
  atomic_end()
  process_exit()
  return 0i32
}
"#;

/// Whether threads wait for ever is asked before the input is chosen. It is within its range even so.
#[test]
fn inputs_have_their_range_also_where_nobody_has_asked_for_them_yet() {
    let program = written(INDEXED_BY_INPUT);
    let bounds = Bounds { unwind: Some(1), rounds: Some(2), ..Bounds::default() };
    let properties = Properties::NONE.with(Property::Deadlock);
    let task = Task { bounds, properties, ..Task::default() };
    let finding = WIDE.check(&program, &task, &Control::default()).finding;
    assert!(matches!(finding, Finding::NoneWithin(_)), "{finding:?}");
}
