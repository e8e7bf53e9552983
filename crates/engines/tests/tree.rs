//! The tree of interleavings against the other engines, and its strategies and reductions against each other, on
//! generated programs.
//!
//! `SELVEDGE_CASES` is the number of programs for each test, `SELVEDGE_SEED` where they begin.

use selvedge_engine::{Control, Engine, Task, conclude};
use selvedge_generate::{Features, Tally, Trial};
use selvedge_passes::prepare;
use selvedge_program::{Bounds, Finding, Program, Properties, Property, text};
use selvedge_search::explicit::Explicit;
use selvedge_symbolic::lazy::Lazy;
use selvedge_symbolic::tree::{Strategy, Tree};
use std::time::Duration;

const SWITCHES: u32 = 4;

/// Runs `check` on many programs; so many percent of the searches must have an answer.
fn for_all(cases: u32, percent: u64, check: fn(&Program, &Tally) -> Result<(), String>) {
    Trial { cases, percent }.run(Features::ALL, |source, tally| check(&prepare(source.program()), tally));
}

fn tasks(bounds: &Bounds) -> Vec<Task> {
    let one = |property| Properties::NONE.with(property);
    [one(Property::Assertion), one(Property::Deadlock), one(Property::Memory), Properties::default()]
        .map(|properties| Task { properties, bounds: bounds.clone(), ..Task::default() })
        .to_vec()
}

fn bounds() -> Bounds {
    Bounds { unwind: Some(4), switches: Some(SWITCHES), ..Bounds::default() }
}

/// Some programs have too many interleavings; then there is no answer, and nothing to compare.
fn check(engine: &dyn Engine, program: &Program, task: &Task) -> Finding {
    let control = Control { time_limit: Some(Duration::from_secs(2)), ..Control::default() };
    engine.check(program, task, &control).finding
}

/// Every violation that it finds replays and exists, and within its bounds it misses none.
fn agrees(program: &Program, tally: &Tally) -> Result<(), String> {
    for task in tasks(&bounds()) {
        let tree = check(&Tree::default(), program, &task);
        let explicit = check(&Explicit::default(), program, &Task { bounds: Bounds::default(), ..task.clone() });
        tally.compares(&[&tree, &explicit]);
        match (&tree, &explicit) {
            (Finding::Violation { .. }, explicit) => {
                conclude(program, task.properties, tree.clone()).map_err(|error| format!("{error}, {tree:?}"))?;
                if matches!(explicit, Finding::NoneWithin(coverage) if coverage.is_complete()) {
                    return Err(format!("{:?}: only tree found {tree:?}", task.properties));
                }
            }
            (Finding::NoneWithin(coverage), Finding::Violation { schedule, violation }) => {
                let few = schedule.switches(violation) <= SWITCHES as usize;
                if coverage.is_complete() || !coverage.may_be_cut() && few {
                    return Err(format!("tree missed {violation:?} in {schedule} and says {coverage:?}"));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

#[test]
fn it_agrees_with_the_explicit_engine() {
    for_all(150, 60, agrees);
}

/// Without bounds on schedules it says what lazy sequentialization says, if both know.
fn agrees_with_lazy(program: &Program, tally: &Tally) -> Result<(), String> {
    for task in tasks(&Bounds { unwind: Some(3), ..Bounds::default() }) {
        let (tree, lazy) = (check(&Tree::default(), program, &task), check(&Lazy::default(), program, &task));
        tally.compares(&[&tree, &lazy]);
        match (kind(&tree), kind(&lazy)) {
            (Some(tree_says), Some(lazy_says)) if tree_says != lazy_says => {
                return Err(format!("{:?}: {tree:?}, and {lazy:?}", task.properties));
            }
            _ => {}
        }
    }
    Ok(())
}

#[test]
fn it_agrees_with_lazy_sequentialization() {
    for_all(100, 60, agrees_with_lazy);
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

/// However the tree is looked at, it is the same tree.
fn ways_agree(program: &Program, tally: &Tally) -> Result<(), String> {
    let usual = Tree::default();
    let others = [
        ("record", Tree { strategy: Strategy::Record, ..usual.clone() }),
        ("uw", Tree { strategy: Strategy::Widen, ..usual.clone() }),
        ("check guards", Tree { check_guards: true, ..usual.clone() }),
        ("no reduction", Tree { no_reduction: true, ..usual.clone() }),
        ("forgetting at once", Tree { spare: 0, ..usual.clone() }),
    ];
    for task in tasks(&bounds()) {
        let expected = check(&usual, program, &task);
        for (name, other) in &others {
            let found = check(other, program, &task);
            tally.compares(&[&expected, &found]);
            match (kind(&expected), kind(&found)) {
                // With the reduction, fewer switches cover everything.
                (Some("none" | "none within"), Some("none" | "none within")) if *name == "no reduction" => {}
                (Some(one), Some(other)) if one != other => {
                    return Err(format!("{:?}: lazy {expected:?}, but {name} {found:?}", task.properties));
                }
                _ => {}
            }
            conclude(program, task.properties, found).map_err(|error| format!("{name}: {error}"))?;
        }
    }
    Ok(())
}

#[test]
fn strategies_and_reductions_agree() {
    for_all(100, 60, ways_agree);
}

/// Whether the lazy engine begins with all schedules or with few, it ends with the same answer.
fn widening_agrees(program: &Program, tally: &Tally) -> Result<(), String> {
    for task in tasks(&Bounds { unwind: Some(3), rounds: Some(2), ..Bounds::default() }) {
        let (all, few) =
            (check(&Lazy::default(), program, &task), check(&Lazy { widen: true, ..Lazy::default() }, program, &task));
        tally.compares(&[&all, &few]);
        match (kind(&all), kind(&few)) {
            (Some(one), Some(other)) if one != other => {
                return Err(format!("{:?}: {all:?}, but widened {few:?}", task.properties));
            }
            _ => {}
        }
        conclude(program, task.properties, few).map_err(|error| error.to_string())?;
    }
    Ok(())
}

#[test]
fn widening_the_lazy_engine_changes_no_answer() {
    for_all(150, 60, widening_agrees);
}

/// Two threads that mix inputs into what they share: terms differ from interleaving to interleaving.
fn mixers() -> Program {
    let turn = |step: usize| {
        format!(
            "  %a = nondet call \"any\" at {step}:1\n  %x = load @x at {step}:2\n  %x = mul %x, 3i32 at {step}:2\n  \
             %x = add %x, %a at {step}:2\n  store i32 %x to @x at {step}:3\n"
        )
    };
    let turns: String = (1..=4).map(turn).collect();
    let thread = |name: &str| {
        format!("fn @{name}(%p: ptr, %q: ptr) at f0:1:1 {{\n  i32 %a, %x\nentry:\n{turns}  return at 9:1\n}}\n")
    };
    let main = "fn @main() -> i32 at f0:20:1 {
  i32 %t, %u, %x
  i1 %c
entry:
  %t = spawn(@one, null, null) at 21:1
  %u = spawn(@two, null, null) at 22:1
  %x = load @x at 23:1
  %x = mul %x, %x at 23:1
  %x = and %x, 3i32 at 23:1
  %c = eq %x, 3i32 at 23:1
  branch %c, wrong, end at 23:1
wrong:
  violation assertion \"a square is 3 modulo 4\" at 24:1
  jump end
end:
  return 0i32 at 25:1
}
";
    let head = "program lp64 entry @main\nfile f0 \"a.c\"\nglobal @x 4 align 4\n";
    prepare(text::parse(&format!("{head}{}{}{main}", thread("one"), thread("two"))).expect("a program"))
}

#[test]
fn only_the_open_path_is_kept() {
    let bounds = Bounds { unwind: Some(1), switches: Some(4), ..Bounds::default() };
    let task = Task { properties: Properties::NONE.with(Property::Assertion), bounds, ..Task::default() };
    let all = |spare: usize| {
        let outcome = Tree { spare, ..Tree::default() }.check(&mixers(), &task, &Control::default());
        (outcome.finding, outcome.statistics.interleavings.expect("a tree"))
    };
    let ((found, little), (expected, everything)) = (all(0), all(usize::MAX));
    assert_eq!((&found, kind(&found)), (&expected, Some("none within")));
    assert_eq!((little.generated, little.nodes), (everything.generated, everything.nodes));
    assert!(little.most_terms < 4 * little.most_needed, "{little:?}");
    assert!(everything.most_terms > 5 * little.most_terms, "{everything:?}");
}
