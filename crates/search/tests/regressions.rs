//! Bugs of ours that generated programs found, as small programs with the right answer.

use selvedge_engine::{Control, Engine, Task, judge};
use selvedge_program::{Bounds, Finding, Program, Properties, Property, text};
use selvedge_search::explicit::Explicit;

/// The verdict's name, from the reduced search and from the full one.
fn verdicts(program: &str, properties: Properties) -> [String; 2] {
    let program: Program = text::parse(program).expect("a program");
    [false, true].map(|no_reduction| {
        let task = Task { properties, ..Task::default() };
        let outcome = Explicit { no_reduction, ..Explicit::default() }.check(&program, &task, &Control::default());
        match judge(&program, properties, outcome.finding) {
            Ok(judged) => judged.verdict.name().to_string(),
            Err(error) => error.to_string(),
        }
    })
}

fn only(property: Property) -> Properties {
    Properties::NONE.with(property)
}

/// A step that creates a thread and then blocks must not take the creation back.
#[test]
fn a_new_thread_stays_when_its_creator_blocks() {
    let program = r#"program lp64 entry @main
file f0 "a.c"
global @x 4 align 4
fn @thread(%a: ptr, %b: ptr) at f0:1:1 {
entry:
  store i32 1i32 to @x at 2:1
  return at 3:1
}
fn @main() -> i32 at f0:4:1 {
  i32 %t
  i1 %f
entry:
  %t = spawn(@thread, null, null) at 5:1
  atomic_begin() at 6:1
  %f = finished(%t) at 6:1
  block_until(%f) at 6:1
  atomic_end() at 6:1
  process_exit() at 7:1
  return 0i32 at 7:1
}
"#;
    assert_eq!(verdicts(program, only(Property::Deadlock)), ["safe", "safe"]);
}

/// A failed assumption at the end of a merged step discards what other threads could have seen of
/// it: here the creation of the thread that would make the assumption true.
#[test]
fn a_failed_assumption_discards_nothing_that_others_see() {
    let program = r#"program lp64 entry @main
file f0 "a.c"
global @flag 4 align 4
fn @setter(%a: ptr, %b: ptr) at f0:1:1 {
entry:
  store i32 1i32 to @flag at 2:1
  return at 3:1
}
fn @main() -> i32 at f0:4:1 {
  i32 %t, %r
  i1 %c
entry:
  %t = spawn(@setter, null, null) at 5:1
  %r = load @flag at 6:1
  %c = eq %r, 1i32 at 7:1
  assume(%c) at 7:1
  violation assertion "reached" at 8:1
  process_exit() at 9:1
  return 0i32 at 9:1
}
"#;
    assert_eq!(verdicts(program, only(Property::Assertion)), ["unsafe", "unsafe"]);
}

/// A thread that ends without being joined orders nothing: what the last thread does afterwards may
/// conflict with what it did before.
#[test]
fn the_last_thread_conflicts_with_those_that_ended() {
    let program = r#"program lp64 entry @main
file f0 "a.c"
global @x 4 align 4
fn @reader(%a: ptr, %b: ptr) at f0:1:1 {
  i32 %r, %s
  i1 %c
entry:
  %r = load @x at 2:1
  %s = load @x at 3:1
  %c = eq %r, %s at 4:1
  branch %c, end, wrong at 4:1
wrong:
  violation assertion "two reads differ" at 5:1
  jump end
end:
  return at 6:1
}
fn @main() -> i32 at f0:7:1 {
  i32 %t
entry:
  %t = spawn(@reader, null, null) at 8:1
  store i32 1i32 to @x at 9:1
  thread_exit() at 10:1
  return 0i32 at 10:1
}
"#;
    assert_eq!(verdicts(program, only(Property::Assertion)), ["unsafe", "unsafe"]);
}

/// An access to an object that is gone conflicts with the end of the object, also where it is not
/// reported. Otherwise the end is never a step of its own.
#[test]
fn the_end_of_an_object_is_seen_by_who_comes_too_late() {
    let program = r#"program lp64 entry @main
file f0 "a.c"
global @box 8 align 8
fn @publish() at f0:1:1 {
  ptr %own
entry:
  %own = alloca 4i64 align 4 var "own" at 2:1
  store i32 1i32 to %own at 2:1
  store ptr %own to @box at 3:1
  return at 4:1
}
fn @reader(%a: ptr, %b: ptr) at f0:5:1 {
  ptr %p
  i1 %null, %c
  i32 %r
entry:
  %p = load @box at 6:1
  %null = eq %p, null at 6:1
  branch %null, end, read at 6:1
read:
  %r = load %p at 7:1
  %c = ne %r, 1i32 at 8:1
  branch %c, end, wrong at 8:1
wrong:
  violation assertion "reached" at 9:1
  jump end
end:
  return at 10:1
}
fn @main() -> i32 at f0:11:1 {
  i32 %t
  i1 %f
entry:
  %t = spawn(@reader, null, null) at 12:1
  call @publish() at 13:1
  atomic_begin() at 14:1
  %f = finished(%t) at 14:1
  block_until(%f) at 14:1
  atomic_end() at 14:1
  process_exit() at 15:1
  return 0i32 at 15:1
}
"#;
    assert_eq!(verdicts(program, only(Property::Assertion)), ["unsafe", "unsafe"]);
}

/// A state with an open input stands for several: some may be deadlocks though not all are.
#[test]
fn a_deadlock_for_one_value_of_an_input() {
    let program = r#"program lp64 entry @main
file f0 "a.c"
global @x 4 align 4
fn @main() -> i32 at f0:1:1 {
  i32 %r, %v
  i1 %c
entry:
  %r = nondet call "input" in [0i32, 1i32] at 2:1
  store i32 %r to @x at 3:1
  atomic_begin() at 4:1
  %v = load @x at 4:1
  %c = ne %v, 1i32 at 4:1
  block_until(%c) at 4:1
  atomic_end() at 4:1
  process_exit() at 5:1
  return 0i32 at 5:1
}
"#;
    assert_eq!(verdicts(program, only(Property::Deadlock)), ["unsafe", "unsafe"]);
}

/// A thread that waits from its first step on has met an input on the way. Its steps were taken back;
/// the replay must do without that input in the schedule.
#[test]
fn a_deadlock_behind_an_input_replays() {
    let program = r#"program lp64 entry @main
file f0 "a.c"
global @x 4 align 4
fn @thread(%a: ptr, %b: ptr) at f0:1:1 {
  i32 %r, %v
  i1 %c
entry:
  %r = nondet call "input" in [0i32, 1i32] at 2:1
  atomic_begin() at 3:1
  %v = load @x at 3:1
  %c = eq %v, 1i32 at 3:1
  block_until(%c) at 3:1
  atomic_end() at 3:1
  return at 4:1
}
fn @main() -> i32 at f0:5:1 {
  i32 %t
  i1 %f
entry:
  %t = spawn(@thread, null, null) at 6:1
  atomic_begin() at 7:1
  %f = finished(%t) at 7:1
  block_until(%f) at 7:1
  atomic_end() at 7:1
  process_exit() at 8:1
  return 0i32 at 8:1
}
"#;
    assert_eq!(verdicts(program, only(Property::Deadlock)), ["unsafe", "unsafe"]);
}

/// The fewest context switches within which a deadlock is found; by the reduced search, the full one and supersteps. As
/// many as there are in the run that is shown.
fn fewest_switches(program: &str) -> [Option<u32>; 3] {
    let program: Program = text::parse(program).expect("a program");
    let full = Explicit { no_reduction: true, ..Explicit::ONE };
    [Explicit::ONE, full, Explicit { supersteps: true, ..Explicit::ONE }].map(|engine| {
        (0..6).find(|switches| {
            let bounds = Bounds { switches: Some(*switches), ..Bounds::default() };
            let task = Task { properties: only(Property::Deadlock), bounds, ..Task::default() };
            let finding = engine.check(&program, &task, &Control::default()).finding;
            if let Finding::Violation { schedule, violation } = &finding {
                assert_eq!(schedule.switches(violation), *switches as usize, "{schedule}");
                assert_eq!(judge(&program, task.properties, finding).expect("a verdict").verdict.name(), "unsafe");
                return true;
            }
            false
        })
    })
}

/// In all programs below x stays 0, and the thread `waiter` waits for ever.
const ENDERS_AND_WAITER: &str = r#"program lp64 entry @main
file f0 "a.c"
global @x 4 align 4
fn @ender(%a: ptr, %b: ptr) at f0:1:1 {
entry:
  store i32 0i32 to @x at 2:1
  store i32 0i32 to @x at 3:1
  return at 4:1
}
fn @waiter(%a: ptr, %b: ptr) at f0:5:1 {
  i32 %v
  i1 %c
entry:
  atomic_begin() at 6:1
  %v = load @x at 6:1
  %c = ne %v, 0i32 at 6:1
  block_until(%c) at 6:1
  atomic_end() at 6:1
  return at 7:1
}
"#;

/// Who runs last has ended, so that the schedule names somebody else, who waits: that is no switch.
#[test]
fn naming_who_waits_is_no_switch() {
    let join = |thread: &str| {
        format!(
            "  atomic_begin() at 14:1\n  %f = finished({thread}) at 14:1\n  waits_for(null, {thread}) at 14:1\n  \
             block_until(%f) at 14:1\n  atomic_end() at 14:1\n"
        )
    };
    let program = format!(
        "{ENDERS_AND_WAITER}fn @main() -> i32 at f0:10:1 {{
  i32 %t0, %t1, %t2
  i1 %f
entry:
  %t0 = spawn(@ender, null, null) at 11:1
  %t1 = spawn(@waiter, null, null) at 12:1
  %t2 = spawn(@ender, null, null) at 13:1
{}{}{}  process_exit() at 15:1
  return 0i32 at 16:1
}}
",
        join("%t0"),
        join("%t1"),
        join("%t2")
    );
    assert_eq!(fewest_switches(&program), [Some(3); 3]);
}

/// Nobody who waits has run before the last of the others ends.
#[test]
fn a_deadlock_is_there_before_anybody_looks() {
    let program = format!(
        "{ENDERS_AND_WAITER}fn @main() -> i32 at f0:10:1 {{
  i32 %t0, %t1
entry:
  %t0 = spawn(@ender, null, null) at 11:1
  %t1 = spawn(@waiter, null, null) at 12:1
  thread_exit() at 13:1
  return 0i32 at 14:1
}}
"
    );
    assert_eq!(fewest_switches(&program), [Some(1); 3]);
}
