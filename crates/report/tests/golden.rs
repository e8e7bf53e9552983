//! Hand-made runs, and what the user sees of them.

mod runs;

use runs::*;
use selvedge_program::Statistics;
use selvedge_program::{Assumption, Bounds, DataModel, Event, Properties, Property, Schedule, Trace, Verdict, What};
use selvedge_report::sources::Sources;
use selvedge_report::suite::{Score, TaskResult, table};
use selvedge_report::text::{Look, counterexample};
use selvedge_report::{EngineUsed, Report, headline::headline, json};

const PLAIN: Look = Look { width: 100, colour: false, everything: false, last: None };

#[test]
fn threads_side_by_side() {
    insta::assert_snapshot!(counterexample(&lost_update(), &mut sources(), PLAIN));
}

#[test]
fn stores_that_arrive_late() {
    let buffered = |place: &str| What::Write { place: place.into(), value: "1".into(), shared: true, buffered: true };
    let arrives = |place: &str| What::Arrive { place: place.into(), value: "1".into(), shared: true };
    let events = vec![
        event(0, 10, What::Create { thread: 1, function: "worker".into() }),
        event(0, 11, What::Create { thread: 2, function: "worker".into() }),
        event(1, 4, buffered("x")),
        event(1, 5, read("y", "0")),
        event(2, 4, buffered("y")),
        event(2, 5, read("x", "0")),
        event(1, 4, arrives("x")),
        event(1, 6, What::Exit),
        event(2, 4, arrives("y")),
        event(2, 6, What::Exit),
    ];
    let both = trace(Property::Assertion, "both read 0", 16, events, &["main", "worker", "worker"]);
    insta::assert_snapshot!(counterexample(&both, &mut sources(), PLAIN));
}

#[test]
fn one_column_where_there_is_no_room() {
    insta::assert_snapshot!(counterexample(&lost_update(), &mut sources(), Look { width: 60, ..PLAIN }));
}

#[test]
fn everything_on_request() {
    insta::assert_snapshot!(counterexample(&lost_update(), &mut sources(), Look { everything: true, ..PLAIN }));
}

#[test]
fn without_the_source_file() {
    insta::assert_snapshot!(counterexample(&lost_update(), &mut Sources::default(), PLAIN));
}

#[test]
fn colour_changes_nothing_but_colour() {
    let plain = counterexample(&lost_update(), &mut sources(), PLAIN);
    let coloured = counterexample(&lost_update(), &mut sources(), Look { colour: true, ..PLAIN });
    assert_ne!(plain, coloured);
    let mut stripped = String::new();
    let mut escape = false;
    for c in coloured.chars() {
        match c {
            '\u{1b}' => escape = true,
            'm' if escape => escape = false,
            c if !escape => stripped.push(c),
            _ => {}
        }
    }
    let trimmed: Vec<&str> = stripped.lines().map(str::trim_end).collect();
    assert_eq!(plain.lines().map(str::trim_end).collect::<Vec<_>>(), trimmed);
}

#[test]
fn deadlock_says_who_waits_for_what() {
    let trace = deadlock();
    insta::assert_snapshot!(counterexample(&trace, &mut Sources::default(), PLAIN));
    assert_eq!(headline(&Verdict::Unsafe(Box::new(trace))), "VERDICT: unsafe (deadlock at count.c:12)");
}

#[test]
fn a_run_without_end_shows_its_cycle() {
    let events =
        vec![event(0, 10, What::Create { thread: 1, function: "worker".into() }), event(1, 4, read("count", "0"))];
    let mut trace = trace(Property::Ltl, "`F end` does not hold", 0, events, &["main", "worker"]);
    trace.cycle = Some(1);
    insta::assert_snapshot!(counterexample(&trace, &mut sources(), PLAIN));
    trace.cycle = Some(2);
    assert!(counterexample(&trace, &mut sources(), PLAIN).contains("─── nothing more happens ─"));
    assert_eq!(headline(&Verdict::Unsafe(Box::new(trace))), "VERDICT: unsafe (ltl)");
}

#[test]
fn a_spinning_line_is_one_row() {
    let mut events: Vec<Event> = (0..7).map(|_| event(0, 4, read("flag", "0"))).collect();
    events.push(event(0, 5, write("long_name_of_a_structure.with_a_field.and_another[12].value", "123456789")));
    events.push(event(1, 4, write("flag", "\u{1b}[31m")));
    let trace = trace(Property::Memory, "reads freed memory", 4, events, &["main", "worker"]);
    insta::assert_snapshot!(counterexample(&trace, &mut Sources::default(), PLAIN));
}

#[test]
fn json_document() {
    let mut trace = lost_update();
    trace.events.truncate(4);
    let verdict = Verdict::Unsafe(Box::new(Trace { schedule: Schedule::default(), ..trace }));
    let statistics = Statistics {
        states: 12,
        variables: 300,
        clauses: 900,
        switch_points: 4,
        reductions: vec![("accesses".into(), 9), ("shared".into(), 4)],
        ..Statistics::default()
    };
    let unwind_at = vec![(("count.c".to_string(), 14), 9)];
    let report = Report {
        verdict: &verdict,
        files: &["count.c".to_string()],
        generated: None,
        data_model: DataModel::Lp64,
        engine: EngineUsed { name: "auto", answered: "explicit" },
        properties: Properties::default(),
        bounds: &Bounds { preemptions: Some(2), unwind_at, ..Bounds::default() },
        assumptions: &[Assumption::NoModel { function: "frob".to_string(), at: "count.c:3".to_string() }],
        covered: None,
        vacuity: None,
        others: Vec::new(),
        beyond: None,
        stopped_by: None,
        next: None,
        statistics: &statistics,
        proof: None,
        swarm: None,
        fences: None,
    };
    insta::assert_snapshot!(json::document(&report).replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

#[test]
fn suite_table() {
    let task = |set: &str, name: &str, expected: bool, score: Score, detail: &str| TaskResult {
        set: set.into(),
        name: name.into(),
        property: "unreach-call".into(),
        expected: Some(expected),
        score,
        seconds: 1.25,
        states: 10,
        variables: 0,
        clauses: 0,
        answered_by: Some("explicit".into()),
        detail: detail.into(),
        remark: None,
    };
    let results = [
        task("pthread", "a.i", true, Score::CorrectTrue, "VERDICT: safe"),
        task("pthread", "b.i", false, Score::CorrectFalse, "VERDICT: unsafe (assertion at b.i:3)"),
        task("pthread", "c.i", false, Score::WrongTrue, "VERDICT: safe"),
        task("pthread-ext", "d.i", true, Score::Unknown("time".into()), "VERDICT: unknown (time limit of 30 s)"),
        task("pthread-ext", "e.i", true, Score::Unknown("internal-error".into()), "no replay"),
        task("pthread-ext", "f.i", true, Score::Bounded, "VERDICT: safe within bounds (2 preemptions)"),
        task("race", "g.i", true, Score::Skipped("no-data-race is not supported".into()), ""),
    ];
    insta::assert_snapshot!(table(&results, PLAIN));
}
