//! The engine against tools that are one line of shell, and say what they are given to say: the "program" that
//! they get is their output.

use super::*;
use selvedge_engine::conclude;
use selvedge_program::{Verdict, text};
use selvedge_to_c::Backend;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Main reads what another thread writes, or not.
const RACE: &str = r#"program lp64 entry @main
file f0 "a.c"
global @x 4 align 4
fn @writer(%a: ptr, %b: ptr) at f0:1:1 {
entry:
  store i32 1i32 to @x at 2:1
  return at 2:1
}
fn @main() -> i32 at f0:3:1 {
  i32 %t, %r
  i1 %c
entry:
  %t = spawn(@writer, null, null) at 4:1
  %r = load @x at 5:1
  %c = eq %r, 0i32 at 5:1
  branch %c, end, wrong at 5:1
wrong:
  violation assertion "x is 0" at 6:1
  jump end
end:
  return 0i32 at 7:1
}
"#;

/// In which the writer runs first.
const FAILED: &str = "\
271 variables, 420 clauses
Counterexample:

  cs_0_0=1u (1)
  cs_1_1=1u (1)
  cs_0_1=2u (2)

Violated property:
  file p.c function main line 8 thread 0
  assertion: x is 0
  0

VERIFICATION FAILED
";

/// [`RACE`] by hand, all guesses up front.
const UP_FRONT: &str = r#"
unsigned nondet_uint(void);
int x;
int main(void)
{
    unsigned cs_0_0 = nondet_uint(), cs_1_1 = nondet_uint(), cs_0_1 = nondet_uint();
    __CPROVER_assume(cs_0_0 <= 2 && cs_1_1 <= 1 && cs_0_0 <= cs_0_1 && cs_0_1 <= 2);
    if (cs_0_0 >= 2) __CPROVER_assert(x == 0, "assertion: x is 0");
    if (cs_1_1 >= 1) x = 1;
    if (cs_0_0 < 2 && cs_0_1 >= 2) __CPROVER_assert(x == 0, "assertion: x is 0");
}
"#;

/// [`RACE`] by hand, with the guesses one by one.
const ONE_BY_ONE: &str = r#"
unsigned nondet_uint(void);
int x;
unsigned ct, cs, pc[2];
int main(void)
{
    ct = 0; cs = pc[ct] + nondet_uint(); __CPROVER_assume(pc[ct] <= cs && cs <= 2);
    if (pc[ct] < 2 && cs >= 2) __CPROVER_assert(x == 0, "assertion: x is 0");
    pc[ct] = cs;
    ct = 1; cs = pc[ct] + nondet_uint(); __CPROVER_assume(pc[ct] <= cs && cs <= 1);
    if (pc[ct] < 1 && cs >= 1) x = 1;
    pc[ct] = cs;
    ct = 0; cs = pc[ct] + nondet_uint(); __CPROVER_assume(pc[ct] <= cs && cs <= 2);
    if (pc[ct] < 2 && cs >= 2) __CPROVER_assert(x == 0, "assertion: x is 0");
    pc[ct] = cs;
}
"#;

const SUCCESSFUL: &str = "VERIFICATION SUCCESSFUL\n";

fn told(program: &str, command: &str, says: &str, control: &Control) -> Outcome {
    asked(program, Tool::Command(command.to_string()), says, &Task::default(), control)
}

fn asked(program: &str, tool: Tool, says: &str, task: &Task, control: &Control) -> Outcome {
    let program = text::parse(program).expect("a program");
    let engine = Outside::new(tool);
    let emit = |facts: &Facts<'_>, rounds: u32| {
        let (style, backend, properties) = (Style::Tacas17, Backend::Cbmc, facts.properties);
        let emitted = sequentialize(
            facts.bounded,
            facts,
            None,
            &Options { rounds, style, backend, properties, store_buffer: None },
        )?;
        Ok(Sequential { text: says.to_string(), ..emitted })
    };
    engine.check_with(&program, task, control, &emit)
}

fn finding(command: &str, says: &str) -> Finding {
    told(RACE, command, says, &Control::default()).finding
}

fn gave_up(command: &str, says: &str) -> String {
    match finding(command, says) {
        Finding::GaveUp(reason) => reason.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_counterexample_becomes_a_run_that_replays() {
    let outcome = told(RACE, "cat {file}; exit 10", FAILED, &Control::default());
    assert_eq!((outcome.statistics.variables, outcome.statistics.clauses), (271, 420));
    let program = text::parse(RACE).expect("a program");
    let verdict = conclude(&program, Task::default().properties, outcome.finding).expect("it replays").verdict;
    assert!(matches!(verdict, Verdict::Unsafe(trace) if trace.violation.loc.line == 6));
}

/// The real one, where it is installed.
#[test]
fn cbmc_finds_it_in_both_styles() {
    if !selvedge_requires::cbmc() {
        return;
    }
    let program = text::parse(RACE).expect("a program");
    for sequential in [UP_FRONT, ONE_BY_ONE] {
        let outcome = asked(RACE, Tool::Cbmc, sequential, &Task::default(), &Control::default());
        assert!(outcome.statistics.variables > 0 && outcome.statistics.outside_seconds > 0.0);
        let verdict = conclude(&program, Task::default().properties, outcome.finding).expect("it replays").verdict;
        assert!(matches!(verdict, Verdict::Unsafe(trace) if trace.violation.loc.line == 6));
        let fixed = sequential.replace("x == 0", "x <= 1");
        let outcome = asked(RACE, Tool::Cbmc, &fixed, &Task::default(), &Control::default());
        assert!(matches!(outcome.finding, Finding::NoneWithin(_)), "{:?}", outcome.finding);
    }
}

#[test]
fn nothing_found_names_the_bounds() {
    let limits = [Limit::Unwind { iterations: 1, cuts: Cuts::None }, Limit::Rounds(2)];
    assert_eq!(finding("cat {file}", SUCCESSFUL), Finding::NoneWithin(Coverage::within(limits).with_threads(2)));
}

#[test]
fn a_counterexample_that_is_no_run_is_an_error_with_evidence() {
    let fine = RACE.replace("eq %r, 0i32", "ule %r, 1i32");
    let outcome = told(&fine, "cat {file}; exit 10", FAILED, &Control::default());
    let program = text::parse(&fine).expect("a program");
    let error = conclude(&program, Task::default().properties, outcome.finding).expect_err("no verdict");
    assert!(error.what.starts_with("command says: assertion: x is 0; but"), "{error}");
    let names: Vec<&str> = error.evidence.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["program", "output", "turns"]);
}

/// The tool does not know that freed memory is gone, because memory is not checked.
#[test]
fn a_run_that_misuses_memory_before_is_none_of_ours() {
    let program = r#"program lp64 entry @main
file f0 "a.c"
fn @main() -> i32 at f0:1:1 {
  ptr %p
entry:
  %p = alloc(4i64, 4i64) at 2:1
  free(%p) at 3:1
  free(%p) at 4:1
  violation assertion "x is 0" at 5:1
  return 0i32 at 6:1
}
"#;
    let task = Task { properties: Properties::NONE.with(Property::Assertion), ..Task::default() };
    let tool = Tool::Command("cat {file}; exit 10".to_string());
    let Finding::GaveUp(reason) = asked(program, tool, FAILED, &task, &Control::default()).finding else {
        panic!("a finding")
    };
    let expected = "command finds `assertion: x is 0` behind a misuse of memory at a.c:4, which is not checked for";
    assert_eq!(reason.to_string(), expected);
}

#[test]
fn without_turns_there_is_no_run() {
    let silent = FAILED.replace("cs_", "x_");
    let why = "command finds `assertion: x is 0`, but does not say in which run";
    assert_eq!(gave_up("cat {file}; exit 10", &silent), why);
}

#[test]
fn what_was_not_translated_is_named() {
    let text = FAILED.replace("assertion: x is 0", "unsupported: longjmp at a.c:13");
    assert_eq!(gave_up("cat {file}; exit 10", &text), "not supported: longjmp at a.c:13");
    // A violation counts more than a limit, if the tool finds both.
    let both = format!("{text}{FAILED}");
    assert!(matches!(finding("cat {file}; exit 10", &both), Finding::Violation { .. }));
}

#[test]
fn no_answer_is_not_safe() {
    let missing = Tool::Esbmc.is_missing();
    assert_eq!(missing, "esbmc is not installed: put it on the search path, or set ESBMC to its file");
    for (command, says, why) in [
        ("true {file}", "", "command ended without an answer; it said nothing"),
        ("cat {file}", "gibberish\n", "command ended without an answer; its last words: gibberish"),
        ("cat {file}; exit 1", SUCCESSFUL, "command ended with exit code 1; its last words: VERIFICATION SUCCESSFUL"),
        ("kill -SEGV $$ {file}", "", "command was ended by signal 11; it said nothing"),
        ("cat {file}; exit 10", "VERIFICATION FAILED\n", "command says that something is wrong, but not what"),
        ("/no/such/tool {file}", "", "not found: the backend command `/no/such/tool {file}`"),
    ] {
        assert_eq!(gave_up(command, says), why, "{command}");
    }
}

#[test]
fn too_little_memory_is_the_limits() {
    let control = Control { memory_limit: Some(1 << 30), ..Control::default() };
    let outcome = told(RACE, "cat {file}; exit 6", "std::bad_alloc\n", &control);
    assert_eq!(outcome.finding, Finding::GaveUp(Reason::MemoryLimit { megabytes: 1024 }));
}

#[test]
fn a_tool_that_never_ends_is_interrupted() {
    let mut control = Control::default();
    let stop = Arc::clone(&control.stop);
    control.watcher = Some(Arc::new(move |progress| {
        if progress.status == "begun" {
            stop.store(true, Ordering::Relaxed);
        }
    }));
    let outcome = told(RACE, "cat {file}; while :; do :; done", "begun\n", &control);
    assert_eq!(outcome.finding, Finding::GaveUp(Reason::Interrupted));
}
