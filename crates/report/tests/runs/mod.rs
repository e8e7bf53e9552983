//! Hand-made runs, for every format.

#![allow(dead_code, reason = "every test file uses its own part")]

use selvedge_program::trace::{Holder, LockChange, Position, Wait};
use selvedge_program::{
    Assumption, Bounds, DataModel, Event, Properties, Property, SourceMap, Statistics, Trace, Verdict, Violation, What,
};
use selvedge_report::sources::Sources;
use selvedge_report::{EngineUsed, Report};

pub fn at(line: u32) -> Position {
    Position { file: "count.c".into(), line, column: 1 }
}

pub fn event(thread: u32, line: u32, what: What) -> Event {
    let function = if thread == 0 { "main" } else { "worker" };
    Event { thread, function: function.into(), at: at(line), depth: 0, what }
}

pub fn read(place: &str, value: &str) -> What {
    What::Read { place: place.into(), value: value.into(), shared: true, uninitialised: false }
}

pub fn write(place: &str, value: &str) -> What {
    What::Write { place: place.into(), value: value.into(), shared: true, buffered: false }
}

pub fn call(function: &str, argument: &str) -> What {
    What::Call { function: function.into(), arguments: vec![argument.into()], result: Some("0".into()) }
}

pub fn begin(function: &str, argument: &str) -> What {
    What::Begin { function: function.into(), arguments: vec![argument.into()] }
}

pub fn trace(property: Property, text: &str, line: u32, events: Vec<Event>, threads: &[&str]) -> Trace {
    Trace {
        events,
        violation: Violation { property, text: text.into(), loc: SourceMap::NOWHERE, thread: 0 },
        at: at(line),
        schedule: "v2;0*2,1*1,2*2,1*1,0*3;".parse().expect("a schedule"),
        cycle: None,
        threads: threads.iter().map(ToString::to_string).collect(),
        locks: Vec::new(),
        waiting: Vec::new(),
        race: None,
        assumed: Vec::new(),
    }
}

pub fn sources() -> Sources {
    let mut sources = Sources::default();
    sources.add(
        "count.c",
        "int count;\nvoid *worker(void *arg)\n{\n\tcount++;\n\treturn 0;\n}\nint main(void)\n{\n    pthread_t a, b;\n    \
         pthread_create(&a, 0, worker, 0);\n    pthread_create(&b, 0, worker, 0);\n    pthread_join(a, 0);\n    \
         pthread_join(b, 0);\n    for (int i = 0; i < 9; i++)\n        sum += i;\n    assert(count == 2);\n}\n",
    );
    sources
}

pub fn lost_update() -> Trace {
    let mut events = vec![
        event(0, 10, What::Create { thread: 1, function: "worker".into() }),
        event(0, 11, What::Create { thread: 2, function: "worker".into() }),
        event(0, 12, begin("pthread_join", "a")),
        event(1, 4, read("count", "0")),
        event(2, 4, read("count", "0")),
        event(2, 4, write("count", "1")),
        event(2, 6, What::Exit),
        event(1, 4, write("count", "1")),
        event(1, 6, What::Exit),
        event(0, 12, call("pthread_join", "a")),
        event(0, 13, call("pthread_join", "b")),
    ];
    for _ in 0..5 {
        events.push(event(0, 14, What::Local));
        events.push(event(
            0,
            15,
            What::Write { place: "sum".into(), value: "3".into(), shared: false, buffered: false },
        ));
    }
    events.push(event(0, 16, read("count", "1")));
    trace(Property::Assertion, "`count == 2` does not hold", 16, events, &["main", "worker", "worker"])
}

pub fn wait(thread: u32, line: u32, what: &str, held_by: Vec<Holder>) -> Wait {
    let (call, what) = ("pthread_mutex_lock(&a)".to_string(), Some(what.to_string()));
    Wait { thread, at: at(line), call, what, held_by, missed_signal: None }
}

pub fn holder(thread: u32, since: Option<u32>, ended: bool) -> Holder {
    Holder { thread, since: since.map(at), ended }
}

/// Two threads that take two locks in opposite orders, and some that wait for other reasons.
pub fn deadlock() -> Trace {
    let events = vec![
        event(0, 10, What::Create { thread: 1, function: "worker".into() }),
        event(0, 11, call("pthread_mutex_lock", "&a")),
        event(1, 4, call("pthread_mutex_lock", "&b")),
        event(1, 5, begin("pthread_mutex_lock", "&a")),
        event(0, 12, begin("pthread_mutex_lock", "&b")),
    ];
    let mut trace = trace(Property::Deadlock, "no thread can go on", 12, events, &["main", "worker"]);
    trace.waiting = vec![
        wait(0, 12, "mutex `b`", vec![holder(1, Some(4), false)]),
        wait(1, 5, "mutex `a`", vec![holder(0, Some(11), true), holder(1, None, false)]),
        Wait { missed_signal: Some(at(3)), ..wait(2, 9, "condition variable `c`", vec![]) },
        Wait {
            what: None,
            call: "pthread_join(thread 1, NULL)".into(),
            ..wait(3, 8, "", vec![holder(1, None, false)])
        },
    ];
    trace
}

/// Two threads that wait for each other's lock.
pub fn circle() -> Trace {
    let lock = |thread, lock: &str, after| LockChange { thread, lock: lock.into(), taken: true, after };
    Trace {
        locks: vec![lock(0, "a", 2), lock(1, "b", 3)],
        waiting: vec![
            wait(0, 12, "mutex `b`", vec![holder(1, Some(4), false)]),
            wait(1, 5, "mutex `a`", vec![holder(0, Some(11), false)]),
        ],
        ..deadlock()
    }
}

/// A set-up, a long loop that shares, a long one that does not, and names that are markup.
pub fn long() -> Trace {
    let mut events: Vec<Event> = (1..10).map(|line| event(0, line, What::Local)).collect();
    events.push(event(0, 10, What::Create { thread: 1, function: "worker".into() }));
    for round in 0..60 {
        events.push(event(1, 4, read("total", &round.to_string())));
        events.push(event(1, 5, write("total", &(round + 1).to_string())));
    }
    events.push(event(0, 12, read("total", "60")));
    for round in 0..40 {
        let value = round.to_string();
        events.push(event(0, 14, What::Write { place: "i".into(), value, shared: false, buffered: false }));
    }
    events.push(event(0, 15, read("<script>alert(1)</script>", "'\"&")));
    trace(Property::Assertion, "`total < 60` & <b>more</b> fails", 16, events, &["main", "worker"])
}

/// A run with more threads than columns.
pub fn many_threads() -> Trace {
    let threads: Vec<String> = (0..12).map(|thread| format!("t{thread}")).collect();
    let names: Vec<&str> = threads.iter().map(String::as_str).collect();
    let events = (0..12).map(|thread| event(thread, 4, write("count", &thread.to_string()))).collect();
    trace(Property::Assertion, "too many", 4, events, &names)
}

/// A report with this verdict, and nothing else known.
pub fn with_report<R>(verdict: &Verdict, with: impl FnOnce(&Report<'_>) -> R) -> R {
    with(&Report {
        verdict,
        files: &["count.c".to_string()],
        generated: Some("harness.c"),
        data_model: DataModel::Ilp32,
        engine: EngineUsed { name: "auto", answered: "explicit" },
        properties: Properties::default(),
        bounds: &Bounds::default(),
        assumptions: &[Assumption::NoModel { function: "frob".to_string(), at: "count.c:3".to_string() }],
        covered: None,
        vacuity: None,
        others: Vec::new(),
        beyond: None,
        stopped_by: None,
        next: None,
        statistics: &Statistics::default(),
        proof: None,
        swarm: None,
        fences: None,
    })
}

pub fn report<R>(trace: Trace, with: impl FnOnce(&Report<'_>) -> R) -> R {
    with_report(&Verdict::Unsafe(Box::new(trace)), with)
}
