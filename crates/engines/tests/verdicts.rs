//! Limits and notes beside "safe": properties that were not looked for, and violations of unchecked properties.

use selvedge_engine::verdict::in_scope;
use selvedge_engine::{Conclusion, Control, Disk, Engine, Task, conclude};
use selvedge_engines::ends;
use selvedge_program::{
    Assumption, Coverage, Ends, Finding, Limit, Program, Properties, Property, Reason, Scope, Specification,
    UncheckedEnd, Verdict, text,
};
use selvedge_search::explicit::{Explicit, Memory, Symmetry};
use selvedge_search::ltl::Ltl;
use selvedge_symbolic::lazy::Lazy;
use selvedge_symbolic::tree::Tree;
use std::sync::Arc;
use std::time::Duration;

/// The thread misuses memory unless main was there first; with `%first`, main does so in any case.
fn program(main_misuses: bool) -> Program {
    let misuse = if main_misuses { "  store i32 1i32 to null at f0:7:3\n" } else { "" };
    let text = format!(
        r#"program lp64 entry @main
file f0 "a.c"
global @x 4 align 4
fn @thread(%a: ptr, %b: ptr) at f0:1:1 {{
  i32 %v
  i1 %c
entry:
  %v = load @x at f0:2:3
  %c = eq %v, 0i32
  branch %c, wrong, fine at f0:2:3
wrong:
  store i32 1i32 to null at f0:3:3
  return
fine:
  return
}}
fn @main() -> i32 at f0:5:1 {{
  i32 %r
entry:
  %r = spawn(@thread, null, null) at f0:6:3
{misuse}  store i32 1i32 to @x at f0:8:3
  process_exit() at f0:9:3
  return 0i32
}}
"#
    );
    text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn only(property: Property) -> Task {
    Task { properties: Properties::NONE.with(property), ..Task::default() }
}

fn misuse(at: &str) -> UncheckedEnd {
    UncheckedEnd { misuse: Property::Memory, at: at.to_string() }
}

fn searches() -> Vec<(&'static str, Explicit)> {
    vec![
        ("plain", Explicit::ONE),
        ("two workers", Explicit { jobs: 2, ..Explicit::ONE }),
        ("no reduction", Explicit { no_reduction: true, ..Explicit::ONE }),
        ("supersteps", Explicit { supersteps: true, ..Explicit::ONE }),
        ("sleep sets", Explicit { sleep_sets: true, ..Explicit::ONE }),
        ("symmetry", Explicit { symmetry: Symmetry::Always, ..Explicit::ONE }),
        ("hash compaction", Explicit { memory: Memory::Compact, ..Explicit::ONE }),
        ("bitstate", Explicit { memory: Memory::Bitstate { megabytes: 1 }, ..Explicit::ONE }),
    ]
}

fn found_ends(engine: &dyn Engine, program: &Program, control: &Control) -> Ends {
    match engine.check(program, &only(Property::Assertion), control).finding {
        Finding::NoneWithin(Coverage { ends: Some(ends), .. }) => ends,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_search_of_states_sees_how_runs_end() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, engine) in searches() {
        for control in
            [Control::default(), Control { disk: Some(Disk::new(folder.path().to_path_buf())), ..Control::default() }]
        {
            let some = found_ends(&engine, &program(false), &control);
            assert_eq!(some, Ends { unchecked: vec![misuse("a.c:3")], normally: true, possible: Vec::new() }, "{name}");
            let all = found_ends(&engine, &program(true), &control);
            assert_eq!(
                all,
                Ends { unchecked: vec![misuse("a.c:3"), misuse("a.c:7")], normally: false, possible: Vec::new() },
                "{name}"
            );
        }
    }
}

#[test]
fn so_does_the_search_of_runs() {
    let mut program = program(false);
    program.observers.specification = Some(Specification::new("true", false).expect("a formula"));
    let ends = found_ends(&Ltl { no_reduction: false, supersteps: false }, &program, &Control::default());
    assert_eq!(ends, Ends { unchecked: vec![misuse("a.c:3")], normally: true, possible: Vec::new() });
}

fn conclusion(engine: &Arc<dyn Engine>, program: Program, properties: Properties) -> Conclusion {
    let (program, task) = (Arc::new(program), Task { properties, ..Task::default() });
    let control = Control::default();
    let finding = engine.check(&program, &task, &control).finding;
    let finding = ends::with_ends(Arc::clone(engine), (&program, &task), &control, Duration::from_secs(60), finding);
    conclude(&program, properties, finding).expect("no error")
}

#[test]
fn ends_are_named_whatever_the_engine() {
    let engines: [Arc<dyn Engine>; 3] = [Arc::new(Explicit::ONE), Arc::new(Lazy::default()), Arc::new(Tree::default())];
    for engine in &engines {
        let some = conclusion(engine, program(false), only(Property::Assertion).properties);
        assert_eq!(some.verdict, Verdict::Safe, "{}", engine.name());
        assert_eq!(some.assumptions, [Assumption::EndsUnchecked(vec![misuse("a.c:3")])], "{}", engine.name());
        let Verdict::Unknown(reason) = some.strict().verdict else { panic!("{} is not strict", engine.name()) };
        let expected = "assumed: runs end at the misuse of memory at a.c:3, which was not checked";
        assert_eq!(reason.to_string(), expected);
        let all = conclusion(engine, program(true), only(Property::Assertion).properties);
        let Verdict::SafeWithin(coverage) = all.verdict else { panic!("{:?}", all.verdict) };
        assert!(matches!(coverage.limits.last(), Some(Limit::EndsUnchecked(_))), "{coverage}");
        let asked = conclusion(engine, program(false), Properties::default());
        assert_eq!((asked.verdict.name(), asked.assumptions), ("unsafe", vec![]), "{}", engine.name());
    }
}

#[test]
fn what_nobody_can_tell_is_assumed() {
    let program = program(false);
    let conclusion = conclude(&program, only(Property::Assertion).properties, Finding::NoneWithin(Coverage::default()));
    let fatal = vec![Property::Memory, Property::Arithmetic, Property::Thread];
    assert_eq!(conclusion.expect("no error").assumptions, [Assumption::MayEndUnchecked(fatal)]);
}

#[test]
fn what_is_asked_and_not_looked_for_is_a_limit() {
    let program = program(false);
    let limits =
        |asked: Properties| match in_scope(Scope::STEPS, &program, asked, Finding::NoneWithin(Coverage::default())) {
            Finding::NoneWithin(coverage) => coverage.to_string(),
            Finding::GaveUp(reason @ Reason::NotLookedFor { .. }) => reason.to_string(),
            other => panic!("{other:?}"),
        };
    let asked = Properties::default();
    assert_eq!(limits(asked), "");
    assert_eq!(limits(asked.with(Property::Leak).with(Property::Cleanup)), "leaks not looked for");
    assert_eq!(limits(asked.with(Property::Cleanup)), "leaks not looked for");
    let both = asked.with(Property::Invariant).with(Property::Ltl);
    assert_eq!(limits(both), "broken invariants not looked for, violations of the formula not looked for");
    let nothing = limits(Properties::NONE.with(Property::Leak));
    assert_eq!(nothing, "the engine does not look for what was asked: leak");
}
