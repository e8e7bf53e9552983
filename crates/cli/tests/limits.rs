//! Limits and signals: an answer comes, whatever an engine, a solver or a tool does. How long anything takes is not
//! measured: what does not end keeps the test from ending.

mod common;

use common::{Bench, ENDLESS, RACE, Run, SAFE, signal_when_heard};
use rustix::process::Signal;
use std::process::Command;

const SIGNALS: [Signal; 2] = [Signal::TERM, Signal::INT];

fn document(bench: &Bench, name: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(bench.path().join(name)).expect("it was written");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn a_signal_is_answered_in_every_engine() {
    let bench = Bench::new();
    bench.file("long.c", ENDLESS);
    for (number, engine) in ["auto", "explicit", "lazy", "tree"].into_iter().enumerate() {
        let child = bench.start(&["check", "long.c", "--engine", engine, "--json", "long.json"]);
        signal_when_heard(&child, SIGNALS[number % 2]);
        let run = Run::of(child.wait_with_output().expect("it ends"));
        // The answer has everything that was known by then.
        let document = document(&bench, "long.json");
        let why = match run.last_line().starts_with("VERDICT: safe within bounds (unwind ") {
            true => &document["stopped_by"],
            false => &document["reason"],
        };
        assert_eq!(why["kind"], "interrupted", "{engine}: {}", run.out);
        run.expect(if document["verdict"] == "unknown" { 5 } else { 0 });
    }
    let child = bench.start(&["swarm", "long.c", "--unwind", "9", "--rounds", "9", "--json", "long.json"]);
    signal_when_heard(&child, SIGNALS[0]);
    let run = Run::of(child.wait_with_output().expect("it ends"));
    assert_eq!(run.expect(5).last_line(), "VERDICT: unknown (interrupted)");
    assert_eq!(document(&bench, "long.json")["reason"]["kind"], "interrupted");
}

/// It says its number, and then nothing any more.
const DEAF: &str = "#!/bin/sh\necho $$ > deaf.pid\nexec sleep 1000000\n";

#[test]
fn a_compiler_a_solver_or_a_tool_that_never_ends_does_not_keep_us() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let deaf = bench.file("deaf", DEAF);
    let made = Command::new("chmod").arg("+x").arg(&deaf).status();
    assert!(made.is_ok_and(|status| status.success()));
    let deaf = deaf.display().to_string();
    let (solver, tool) = (format!("{deaf} --in"), format!("{deaf} {{file}}"));
    for arguments in [
        &["check", "race.c", "--clang", &deaf][..],
        &["swarm", "race.c", "--clang", &deaf],
        &["check", "race.c", "--engine", "tree", "--solver", &solver],
        &["check", "race.c", "--engine", "command", "--backend-cmd", &tool],
    ] {
        let run = bench.run(&[arguments, &["--time-limit", "2"]].concat());
        assert_eq!(run.expect(5).last_line(), "VERDICT: unknown (time limit of 2 s)", "{arguments:?}");
        let process = std::fs::read_to_string(bench.path().join("deaf.pid")).expect("it was started");
        while is_alive(process.trim()) {
            std::thread::yield_now();
        }
    }
}

fn is_alive(process: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let state = status.lines().find_map(|line| line.strip_prefix("State:"));
    state.is_some_and(|state| !state.trim().starts_with(['Z', 'X']))
}

#[test]
fn the_memory_limit_is_kept_where_nobody_counts() {
    let bench = Bench::new();
    let wide = "extern int __VERIFIER_nondet_int(void);\nint a[400];\nint main(void)\n{\n    for (int i = 0; i < 400; i++)\n        \
                a[i] = __VERIFIER_nondet_int();\n    for (int i = 0; i < 400; i++)\n        for (int j = 0; j < 399; j++)\n            \
                a[j] = a[j] * a[j + 1] + a[(unsigned)a[j] % 400];\n    if (a[7] == 12345 && a[8] * a[9] == 54321)\n        \
                *(int *)0 = 1;\n    return 0;\n}\n";
    bench.file("wide.c", wide);
    let run = bench.run(&["check", "wide.c", "--engine", "lazy", "--unwind", "400", "--memory-limit", "60"]);
    assert_eq!(run.expect(5).last_line(), "VERDICT: unknown (memory limit of 60 MB)");
}

#[test]
fn a_limit_leaves_the_best_bound_and_says_what_next() {
    let bench = Bench::new();
    let many = "#include <assert.h>\n#include <pthread.h>\nint a, b;\nvoid *worker(void *p)\n{\n    for (int i = 0; i < 6; i++) {\n        \
                int x = a;\n        a = x + 1;\n        b = a ^ i;\n    }\n    return p;\n}\nint main(void)\n{\n    pthread_t t[3];\n    \
                for (int i = 0; i < 3; i++)\n        pthread_create(&t[i], 0, worker, 0);\n    for (int i = 0; i < 3; i++)\n        \
                pthread_join(t[i], 0);\n    assert(a >= 1);\n    return 0;\n}\n";
    bench.file("many.c", many);
    let limits = ["--engine", "explicit", "--memory-limit", "20", "--frontier", "memory"];
    let run = bench.run(&[&["check", "many.c", "--json", "many.json"][..], &limits].concat());
    assert!(run.expect(0).last_line().ends_with(" preemptions)"), "{}", run.out);
    let document = document(&bench, "many.json");
    assert_eq!(
        (&document["verdict"], &document["stopped_by"]["kind"]),
        (&"safe-within-bounds".into(), &"memory".into())
    );
    assert_eq!(document["coverage"]["threads"], 3);
    let next = "what next: 3 threads besides main and the loops at many.c:6, many.c:16, many.c:18 make more states than fit into 20 MB";
    assert!(run.out.contains(next), "{}", run.out);
    assert!(run.out.contains("stopped by: memory limit of 20 MB"), "{}", run.out);
}

#[test]
fn the_environment_does_not_change_answers() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let trace = bench.path().join("trace");
    let with = |name: &str, value: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        command.current_dir(bench.path()).args(["check", "race.c", "--engine", "lazy"]).env(name, value);
        Run::of(command.output().expect("it starts"))
    };
    let plain = bench.run(&["check", "race.c", "--engine", "lazy"]);
    plain.expect(10);
    let trace = trace.display().to_string();
    for (name, value) in [
        ("CADICAL_API_TRACE", trace.as_str()),
        ("CADICAL_LIDRUP_TRACE", &trace),
        ("CADICAL_VERBOSE", "3"),
        ("CADICAL_TERMINATEINT", "0"),
        ("CCC_OVERRIDE_OPTIONS", "+-Dcount=other"),
    ] {
        let run = with(name, value);
        assert_eq!((run.code, &run.out), (plain.code, &plain.out), "{name}\n{}", run.err);
        assert!(!std::path::Path::new(&trace).exists(), "{name}");
    }
}

#[test]
fn a_disk_that_is_full_gets_a_message_and_the_verdict_is_printed() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    bench.file("safe.c", SAFE);
    let run = bench.run(&["check", "safe.c", "--json", "/dev/full"]);
    assert_eq!(run.expect(2).last_line(), "VERDICT: safe");
    assert!(run.err.starts_with("error: cannot write /dev/full: "), "{}", run.err);
    let run = bench.run(&["check", "race.c", "--schedule-out", "/dev/full"]);
    assert!(run.expect(2).last_line().starts_with("VERDICT: unsafe"), "{}", run.out);
    assert!(run.err.starts_with("error: cannot write /dev/full: "), "{}", run.err);
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
    let run =
        Run::of(command.current_dir(bench.path()).args(["check", "safe.c"]).stdout(full).output().expect("it starts"));
    assert!(run.expect(2).err.starts_with("error: cannot write to standard output: "), "{}", run.err);
}
