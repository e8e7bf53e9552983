//! The command as its users meet it: exit codes, messages, files.

mod common;

use common::{Bench, RACE, RACE_LINE, Run, SAFE};

#[test]
fn a_race_is_found_and_shown() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let run = bench.run(&["check", "race.c"]);
    run.expect(10);
    assert_eq!(run.last_line(), format!("VERDICT: unsafe (assertion at race.c:{RACE_LINE})"));
    assert!(run.out.contains("switch to thread"), "{}", run.out);
    assert!(run.out.contains("replay: selvedge replay race.c --schedule"), "{}", run.out);
}

#[test]
fn a_safe_program_is_safe() {
    let bench = Bench::new();
    bench.file("safe.c", SAFE);
    let run = bench.run(&["check", "safe.c"]);
    assert_eq!(run.expect(0).last_line(), "VERDICT: safe");
}

#[test]
fn output_that_is_piped_has_no_progress_and_no_escapes() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let run = bench.run(&["check", "race.c", "-vv"]);
    run.expect(10);
    assert!(!run.out.contains('\u{1b}'), "{}", run.out);
    assert_eq!(run.err, "");
    assert!(run.out.contains("statistics: "), "{}", run.out);
}

#[test]
fn quiet_is_one_line() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let run = bench.run(&["check", "race.c", "-q"]);
    assert_eq!(run.expect(10).out.lines().count(), 1);
}

#[test]
fn the_same_input_gives_the_same_output() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    assert_eq!(bench.run(&["check", "race.c"]).out, bench.run(&["check", "race.c"]).out);
}

#[test]
fn a_missing_file_is_one_line() {
    let run = Bench::new().run(&["check", "nowhere.c"]);
    run.expect(2);
    assert!(run.err.starts_with("error: cannot read nowhere.c: "), "{}", run.err);
    assert_eq!(run.err.lines().count(), 1);
}

#[test]
fn a_folder_is_no_program() {
    let bench = Bench::new();
    let run = bench.run(&["check", "."]);
    assert_eq!(run.expect(2).err, "error: cannot read .: it is a folder\n");
}

#[test]
fn c_that_does_not_compile_is_shown_with_its_line() {
    let bench = Bench::new();
    bench.file("broken.c", "int main(void)\n{\n    return frob +;\n}\n");
    let run = bench.run(&["check", "broken.c"]);
    run.expect(2);
    assert!(run.err.contains("broken.c:3"), "{}", run.err);
}

#[test]
fn an_unknown_option_is_named() {
    let run = Bench::new().run(&["check", "a.c", "--frobnicate"]);
    run.expect(2);
    assert!(run.err.contains("--frobnicate"), "{}", run.err);
}

#[test]
fn a_compiler_that_is_not_there_is_named() {
    let bench = Bench::new();
    bench.file("safe.c", SAFE);
    let run = bench.run(&["check", "safe.c", "--clang", "./no-such-clang"]);
    run.expect(2);
    assert!(run.err.contains("no-such-clang"), "{}", run.err);
}

#[test]
fn a_path_that_cannot_be_written_is_said_before_the_search() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let run = bench.run(&["check", "race.c", "--json", "no/such/folder/x.json"]);
    run.expect(2);
    assert!(run.err.starts_with("error: cannot write no/such/folder/x.json: "), "{}", run.err);
    assert_eq!(run.out, "");
}

#[test]
fn json_says_what_the_text_says() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    bench.run(&["check", "race.c", "--json", "race.json"]).expect(10);
    let text = std::fs::read_to_string(bench.path().join("race.json")).expect("it was written");
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["verdict"], "unsafe");
    assert_eq!(document["property"], "assertion");
    assert_eq!(document["location"]["line"], RACE_LINE);
    assert_eq!(document["replayed"], true);
    assert!(document["trace"]["events"].as_array().is_some_and(|events| !events.is_empty()));
    assert_eq!(std::fs::read_dir(bench.path()).expect("a folder").count(), 2, "temporary files are left");
}

#[test]
fn json_on_standard_output_is_alone_there() {
    let bench = Bench::new();
    bench.file("safe.c", SAFE);
    let run = bench.run(&["check", "safe.c", "--json", "-"]);
    let document: serde_json::Value = serde_json::from_str(&run.expect(0).out).expect("JSON");
    assert_eq!(document["verdict"], "safe");
}

#[test]
fn a_saved_schedule_shows_the_violation_again() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let first = bench.run(&["check", "race.c", "--schedule-out", "race.schedule"]);
    let again = bench.run(&["replay", "race.c", "--schedule", "race.schedule"]);
    assert_eq!(first.expect(10).last_line(), again.expect(10).last_line());
    let schedule = std::fs::read_to_string(bench.path().join("race.schedule")).expect("it was written");
    let pasted = bench.run(&["replay", "race.c", "--schedule", schedule.trim()]);
    assert_eq!(pasted.expect(10).out, again.out);
}

#[test]
fn corrupt_schedules_are_refused() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    bench.file("bad.schedule", "v1;0*x;");
    for schedule in ["bad.schedule", "v1;0*x;", "v9;;", "no-such-file"] {
        let run = bench.run(&["replay", "race.c", "--schedule", schedule]);
        run.expect(2);
        assert!(run.err.starts_with("error: "), "{}", run.err);
    }
}

#[test]
fn property_files_are_known_by_content() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    bench.file("p.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    bench.run(&["check", "race.c", "--property-file", "p.prp"]).expect(10);
    bench.file("q.prp", "CHECK( init(main()), LTL(F end) )\n");
    let run = bench.run(&["check", "race.c", "--property-file", "q.prp"]);
    assert_eq!(run.expect(5).last_line(), "VERDICT: unknown (not supported: the property `F end` at q.prp)");
    bench.file("r.prp", "nonsense\n");
    bench.run(&["check", "race.c", "--property-file", "r.prp"]).expect(2);
}

#[test]
fn the_program_can_be_printed() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let run = bench.run(&["check", "race.c", "--emit", "program"]);
    assert!(run.expect(0).out.contains("worker"), "{}", run.out);
}

#[test]
fn strict_refuses_functions_without_a_model() {
    let bench = Bench::new();
    bench.file("call.c", "int frobnicate(int);\nint main(void)\n{\n    frobnicate(1);\n    return 0;\n}\n");
    let run = bench.run(&["check", "call.c"]);
    assert!(run.expect(0).out.contains("assumption: `frobnicate` (call.c:4)"), "{}", run.out);
    let run = bench.run(&["check", "call.c", "--strict"]);
    assert!(run.expect(5).last_line().contains("frobnicate"), "{}", run.out);
}

/// More states than anybody has memory for.
const ENDLESS: &str = r#"#include <pthread.h>
unsigned long n[4];
void *worker(void *p)
{
    while (1)
        ++*(unsigned long *)p;
}
int main(void)
{
    pthread_t t;
    for (int i = 0; i < 4; i++)
        pthread_create(&t, 0, worker, &n[i]);
    pthread_join(t, 0);
}
"#;

#[test]
fn the_time_limit_ends_a_run() {
    let bench = Bench::new();
    bench.file("long.c", ENDLESS);
    let run = bench.run(&["check", "long.c", "--time-limit", "1"]);
    assert_eq!(run.expect(5).last_line(), "VERDICT: unknown (time limit of 1 s)");
    assert!(run.out.contains("statistics: "), "{}", run.out);
}

#[test]
fn an_interrupt_ends_a_run_in_order() {
    let bench = Bench::new();
    bench.file("long.c", ENDLESS);
    let child = bench.start(&["check", "long.c", "--time-limit", "60", "--json", "long.json"]);
    std::thread::sleep(std::time::Duration::from_secs(2));
    let interrupt = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupt.is_ok_and(|status| status.success()));
    let run = Run::of(child.wait_with_output().expect("it ends"));
    assert_eq!(run.expect(5).last_line(), "VERDICT: unknown (interrupted)");
    let text = std::fs::read_to_string(bench.path().join("long.json")).expect("it was written");
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["reason"]["kind"], "interrupted");
}
