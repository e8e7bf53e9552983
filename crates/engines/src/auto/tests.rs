//! Engines that say what they are told to, or nothing at all.

use super::*;
use selvedge_engine::{Level, conclude};
use selvedge_program::{Loc, Property, SourceMap};
use std::sync::atomic::Ordering;

const WRONG: &str = "program lp64 entry @main\nfn @main() -> i32 {\nentry:\n  violation assertion \"a claim\"\n  \
                     return 0i32\n}\n";

/// Never comes back.
struct Deaf(&'static str);

impl Engine for Deaf {
    fn name(&self) -> &'static str {
        self.0
    }

    fn scope(&self) -> Scope {
        Scope::STEPS
    }

    fn search(&self, _: &Program, _: &Task, _: &Control) -> Outcome {
        loop {
            std::thread::park();
        }
    }
}

#[test]
fn a_definite_answer_does_not_wait_for_who_is_deaf() {
    let program = selvedge_program::text::parse(WRONG).expect("a program");
    let first: Contestant = Arc::new(Puppet("explicit", Some(nothing(&[]))));
    let engines = [first, Arc::new(Deaf("lazy"))];
    let outcome = side_by_side(engines, None, &program, &Task::default(), &Control::default());
    assert_eq!((outcome.finding, outcome.by), (nothing(&[]), "explicit"));
    let engines: [Contestant; 2] = [Arc::new(Deaf("explicit")), Arc::new(Puppet("lazy", Some(violation(0))))];
    let outcome = side_by_side(engines, None, &program, &Task::default(), &Control::default());
    assert_eq!((outcome.finding, outcome.by), (violation(0), "lazy"));
}

#[test]
fn limits_hold_for_who_is_deaf() {
    let program = selvedge_program::text::parse(WRONG).expect("a program");
    let deaf = || -> [Contestant; 2] { [Arc::new(Deaf("explicit")), Arc::new(Deaf("lazy"))] };
    let control = Control { time_limit: Some(Duration::from_millis(50)), ..Control::default() };
    let outcome = side_by_side(deaf(), None, &program, &Task::default(), &control);
    assert_eq!(outcome.finding, gave_up(Reason::TimeLimit { seconds: 0 }));
    let control = Control::default();
    control.stop.store(true, Ordering::Relaxed);
    let outcome = side_by_side(deaf(), None, &program, &Task::default(), &control);
    assert_eq!(outcome.finding, gave_up(Reason::Interrupted));
}

/// Says what it was told to, or waits until it is stopped.
struct Puppet(&'static str, Option<Finding>);

impl Engine for Puppet {
    fn name(&self) -> &'static str {
        self.0
    }

    fn scope(&self) -> Scope {
        Scope::STEPS
    }

    fn search(&self, _: &Program, _: &Task, control: &Control) -> Outcome {
        let finding = self.1.clone().unwrap_or_else(|| {
            loop {
                if let Some(reason) = control.should_stop(&Progress::default()) {
                    break Finding::GaveUp(reason);
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        Outcome { finding, statistics: Statistics { states: 1, clauses: 2, ..Statistics::default() }, by: self.0 }
    }
}

fn race(first: Option<Finding>, second: Option<Finding>, control: &Control) -> (Program, Outcome) {
    let program = selvedge_program::text::parse(WRONG).expect("a program");
    let engines: [Contestant; 2] = [Arc::new(Puppet("explicit", first)), Arc::new(Puppet("lazy", second))];
    let outcome = side_by_side(engines, None, &program, &Task::default(), control);
    (program, outcome)
}

fn answer(first: Option<Finding>, second: Option<Finding>) -> (Finding, &'static str) {
    let (_, outcome) = race(first, second, &Control::default());
    (outcome.finding, outcome.by)
}

/// A schedule of [`WRONG`]'s violation, which is on its `line` 0.
fn violation(line: u32) -> Finding {
    let loc = Loc { line, ..SourceMap::NOWHERE };
    let violation = Violation { property: Property::Assertion, text: "a claim".into(), loc, thread: 0 };
    Finding::Violation { schedule: "v2;0*0;".parse().expect("a schedule"), violation }
}

fn nothing(limits: &[Limit]) -> Finding {
    Finding::NoneWithin(Coverage::within(limits.iter().cloned()))
}

fn gave_up(reason: Reason) -> Finding {
    Finding::GaveUp(reason)
}

fn limit(what: &str) -> Reason {
    Reason::Limit(what.to_string())
}

#[test]
fn the_first_definite_answer_ends_the_other_search() {
    assert_eq!(answer(Some(nothing(&[])), None), (nothing(&[]), "explicit"));
    assert_eq!(answer(None, Some(nothing(&[]))), (nothing(&[]), "lazy"));
    assert_eq!(answer(Some(violation(0)), None), (violation(0), "explicit"));
    assert_eq!(answer(None, Some(violation(0))), (violation(0), "lazy"));
}

#[test]
fn what_one_cannot_do_is_left_to_the_other() {
    let wide = || Some(gave_up(limit("too wide")));
    assert_eq!(answer(wide(), Some(violation(0))), (violation(0), "lazy"));
    assert_eq!(answer(Some(nothing(&[])), wide()), (nothing(&[]), "explicit"));
    assert_eq!(answer(wide(), Some(nothing(&[Limit::Rounds(2)]))), (nothing(&[Limit::Rounds(2)]), "lazy"));
    assert_eq!(answer(Some(nothing(&[])), Some(nothing(&[Limit::Rounds(2)]))), (nothing(&[]), "explicit"));
}

#[test]
fn a_formula_of_one_thread_that_nothing_cuts_is_a_definite_answer() {
    let whole = Finding::NoneWithin(Coverage { threads: Some(0), ..Coverage::default() });
    assert_eq!(answer(Some(nothing(&[Limit::Rounds(2)])), Some(whole.clone())), (whole, "lazy"));
}

#[test]
fn of_two_violations_the_explicit_engines_is_shown_unless_the_other_is_false() {
    assert_eq!(answer(Some(violation(0)), Some(violation(0))), (violation(0), "explicit"));
    assert_eq!(answer(Some(violation(0)), Some(violation(7))), (violation(7), "lazy"));
}

#[test]
fn reasons_of_both_are_told() {
    let both = Reason::Each(vec![("explicit", limit("too wide")), ("lazy", limit("too large"))]);
    assert_eq!(both.to_string(), "explicit: too wide; lazy: too large");
    let told = answer(Some(gave_up(limit("too wide"))), Some(gave_up(limit("too large"))));
    assert_eq!(told, (gave_up(both), "auto"));
    let time = || Reason::TimeLimit { seconds: 1 };
    assert_eq!(answer(Some(gave_up(time())), Some(gave_up(limit("too large")))), (gave_up(time()), "explicit"));
    let told = answer(Some(gave_up(limit("too wide"))), Some(gave_up(time()))).0;
    assert!(matches!(told, Finding::GaveUp(reason) if reason.kind() == "time"));
}

#[test]
fn a_contradiction_is_an_error_with_both_sides() {
    for (first, second, found_by) in [(violation(0), nothing(&[]), "explicit"), (nothing(&[]), violation(0), "lazy")] {
        // Neither waits for the other: both answers are in, or the first one won.
        let findings = [("explicit", first), ("lazy", second), ("prove", gave_up(limit("no proof")))];
        let program = selvedge_program::text::parse(WRONG).expect("a program");
        let (finding, _) = combined(&program, &Task::default(), false, findings);
        let error = conclude(&program, Task::default().properties, finding).expect_err("an error");
        assert!(error.what.starts_with("two engines contradict each other"), "{error}");
        assert_eq!(error.claims.len(), 2);
        assert_eq!(error.claims[0].engine, found_by);
        assert!(error.claims[0].schedule.is_some());
    }
}

#[test]
fn a_false_violation_is_no_contradiction() {
    let program = selvedge_program::text::parse(WRONG).expect("a program");
    let findings = [("explicit", nothing(&[])), ("lazy", violation(7)), ("prove", gave_up(limit("no proof")))];
    let (finding, _) = combined(&program, &Task::default(), false, findings);
    let error = conclude(&program, Task::default().properties, finding).expect_err("an error");
    assert!(error.what.starts_with("the engine found"), "{error}");
}

#[test]
fn an_interrupt_reaches_both() {
    let control = Control::default();
    let stop = Arc::clone(&control.stop);
    let outcome = std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            stop.store(true, Ordering::Relaxed);
        });
        race(None, None, &control).1
    });
    assert_eq!(outcome.finding, gave_up(Reason::Interrupted));
}

#[test]
fn the_time_limit_is_that_of_both() {
    let control = Control { time_limit: Some(Duration::from_millis(50)), ..Control::default() };
    let outcome = race(None, None, &control).1;
    assert_eq!(outcome.finding, gave_up(Reason::TimeLimit { seconds: 0 }));
}

#[test]
fn memory_that_is_short_stops_one_and_then_the_other() {
    let control = Control { memory_limit: Some(1), ..Control::default() };
    let outcome = race(Some(gave_up(limit("too wide"))), None, &control).1;
    let reason = Reason::Each(vec![("explicit", limit("too wide")), ("lazy", Reason::MemoryLimit { megabytes: 0 })]);
    assert_eq!(outcome.finding, gave_up(reason));
}

#[test]
fn progress_and_numbers_are_those_of_both() {
    let seen = Arc::new(Mutex::new(None));
    let sink = Arc::clone(&seen);
    let watcher: selvedge_engine::control::Watcher =
        Arc::new(move |progress| *sink.lock().expect("no panic") = Some(progress.clone()));
    let control = Control { watcher: Some(watcher), ..Control::default() };
    let view = Arc::new(View::default());
    let controls = SIDES.map(|side| inner(&control, &view, side));
    controls[EXPLICIT].should_stop(&Progress { states: 5, memory: 10, ..Progress::default() });
    let level = Some(Level { unwind: 1, rounds: 2 });
    controls[LAZY].should_stop(&Progress { level, clauses: 7, memory: 1, ..Progress::default() });
    let expected = Progress { states: 5, memory: 11, level, clauses: 7, ..Progress::default() };
    assert_eq!(*seen.lock().expect("no panic"), Some(expected));

    let statistics = race(Some(nothing(&[])), Some(nothing(&[])), &Control::default()).1.statistics;
    assert_eq!((statistics.states, statistics.clauses), (1, 2));
}

/// With a prover.
fn of_three(findings: [Option<Finding>; 3]) -> (Finding, &'static str) {
    let program = selvedge_program::text::parse(WRONG).expect("a program");
    let [first, second, third] = findings;
    let engines: [Contestant; 2] = [Arc::new(Puppet("explicit", first)), Arc::new(Puppet("lazy", second))];
    let prover: Contestant = Arc::new(Puppet("prove", third));
    let outcome = side_by_side(engines, Some(prover), &program, &Task::default(), &Control::default());
    (outcome.finding, outcome.by)
}

#[test]
fn a_proof_is_a_definite_answer() {
    assert_eq!(of_three([None, None, Some(nothing(&[]))]), (nothing(&[]), "prove"));
    assert_eq!(of_three([Some(violation(0)), None, Some(nothing(&[]))]), (violation(0), "explicit"));
}

#[test]
fn a_proof_of_most_says_more_than_bounds() {
    let most = || nothing(&[Limit::NotLookedFor(Property::Deadlock)]);
    let bounded = || nothing(&[Limit::Rounds(2)]);
    let wide = || gave_up(limit("too wide"));
    assert_eq!(of_three([Some(wide()), Some(bounded()), Some(most())]), (most(), "prove"));
    assert_eq!(of_three([Some(wide()), Some(bounded()), Some(bounded())]), (bounded(), "lazy"));
    assert_eq!(of_three([Some(nothing(&[])), None, Some(most())]), (nothing(&[]), "explicit"));
}

#[test]
fn a_violation_contradicts_a_proof_of_its_property() {
    let program = selvedge_program::text::parse(WRONG).expect("a program");
    let most = |property| nothing(&[Limit::NotLookedFor(property)]);
    let both = |proof| {
        let findings = [("explicit", violation(0)), ("lazy", gave_up(limit("late"))), ("prove", proof)];
        combined(&program, &Task::default(), false, findings)
    };
    let contradicts = |proof| matches!(both(proof).0, Finding::Contradiction { safe_by: "prove", .. });
    assert!(contradicts(nothing(&[])));
    assert!(contradicts(most(Property::Deadlock)));
    assert!(!contradicts(most(Property::Assertion)));
    assert!(!contradicts(nothing(&[Limit::OnlySequentiallyConsistent])));
}

#[test]
fn what_is_taken_for_a_proof_wrongly_is_told_unless_others_know() {
    let wrong = || Finding::NoProof { technique: "guessing", claim: String::new(), evidence: Vec::new() };
    let bounded = || nothing(&[Limit::Rounds(2)]);
    assert_eq!(of_three([Some(gave_up(limit("wide"))), Some(bounded()), Some(wrong())]), (wrong(), "prove"));
    assert_eq!(of_three([Some(nothing(&[])), Some(bounded()), Some(wrong())]), (nothing(&[]), "explicit"));
}
