//! Properties of the user's own: what is shown, what is refused, and how.

mod common;

use common::Bench;
use serde_json::Value;

const TURNS: &str = r#"#include <pthread.h>
static struct { short turn; } shared;
static int count;
int small(void) { return count < 100; }
int meddles(void) { count = 0; return 1; }
int spins(void) { for (;;); }
int waits(void) { static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); return 1; }
int faults(void) { return *(int *)0; }
void endless(void) { for (;;); }
void *other(void *arg)
{
    for (;;) {
        while (shared.turn != 1)
            ;
        shared.turn = 0;
    }
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    for (;;) {
        while (shared.turn != 0)
            ;
        shared.turn = 1;
    }
}
"#;

fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("turns.c", TURNS);
    bench
}

#[test]
fn a_run_without_end_is_shown_as_one() {
    let bench = bench();
    let formula = ["--ltl", "GF mine", "--prop", "mine=shared.turn == 1"];
    let run = bench.run(&[&["check", "turns.c", "--json", "result.json"], &formula[..]].concat());
    assert_eq!(run.expect(10).last_line(), "VERDICT: unsafe (ltl)");
    assert!(run.out.contains("─── from here on the run repeats for ever ─"), "{}", run.out);
    assert!(run.out.contains("✗ ltl: `GF mine` does not hold\n"), "{}", run.out);
    let json = std::fs::read_to_string(bench.path().join("result.json")).expect("it is written");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["property"], "ltl");
    let start = json["trace"]["cycle_start"].as_u64().expect("a cycle") as usize;
    assert!(json["trace"]["events"].as_array().is_some_and(|events| start < events.len()));
    let schedule = json["schedule"].as_str().expect("a schedule");
    assert!(schedule.contains('|'), "{schedule}");
    let again = bench.run(&[&["replay", "turns.c", "--schedule", schedule], &formula[..]].concat());
    assert_eq!(again.expect(10).last_line(), "VERDICT: unsafe (ltl)");
    let fair = bench.run(&[&["check", "turns.c", "--fair"], &formula[..]].concat());
    assert_eq!(fair.expect(0).last_line(), "VERDICT: safe");
}

#[test]
fn an_invariant_is_named() {
    let bench = bench();
    let run = bench.run(&["check", "turns.c", "--invariant", "small", "--invariant", "shared.turn < 1"]);
    assert_eq!(run.expect(10).last_line(), "VERDICT: unsafe (invariant at turns.c:25)");
    assert!(run.out.contains("the invariant `shared.turn < 1` does not hold\n"), "{}", run.out);
    assert!(
        run.out.contains("replay turns.c --invariant=small '--invariant=shared.turn < 1' --schedule"),
        "{}",
        run.out
    );
}

#[test]
fn what_does_not_fit_is_refused_in_words() {
    let bench = bench();
    for (arguments, message) in [
        (
            &["--invariant", "nowhere"][..],
            "--invariant nowhere: the program has neither a function nor a variable `nowhere`",
        ),
        (&["--init", "nowhere"], "--init nowhere: the program has no function `nowhere`"),
        (&["--abstraction"], "--abstraction update_abs: the program has no function `update_abs`"),
        (
            &["--ltl", "G nowhere"],
            "the proposition nowhere: the program has neither a function nor a variable `nowhere`",
        ),
        (&["--invariant", "count <"], "--invariant count <: it does not compile:"),
        (&["--invariant", "meddles"], "`meddles` cannot be used: it writes to `count`, at turns.c:5"),
        (&["--invariant", "spins"], "`spins` cannot be used: it does not come to an end, at turns.c:6"),
        (
            &["--invariant", "waits"],
            "`waits` cannot be used: it deals with threads, locks or other things than memory, at turns.c:7",
        ),
        (&["--invariant", "faults"], "`faults` cannot be used: it reads 4 bytes through a null pointer, at turns.c:8"),
        (&["--ltl", "G meddles"], "`meddles` cannot be used: it writes to `count`, at turns.c:5"),
        (&["--init", "endless"], "`endless` cannot be used: it does not come to an end"),
        (&["--ltl", "G (small"], "--ltl: a `)` is missing here\n  G (small\n"),
        (&["--ltl", "X small"], "--ltl: X counts steps"),
        (&["--ltl", "G small", "--abstraction", "endless"], "--abstraction does not go with --ltl"),
        (&["--ltl", "G small", "--prop", "big=count > 9"], "--prop big=…: the formula has no proposition `big`"),
        (&["--ltl", "G end", "--prop", "end=count > 9"], "--prop end=…: `end` always means"),
        (&["--prop", "big=count > 9"], "--prop big=… is for the formula of --ltl, and there is none"),
        (&["--fair"], "--fair is about runs without end"),
        (&["--ltl", "G small", "--engine", "lazy"], "--ltl is for the explicit engine, not for --engine lazy"),
        (&["--ltl", "G small", "--rounds", "3"], "--rounds bounds engines that do not know --ltl"),
        (&["--ltl", "G small", "--preemptions", "3"], "--ltl is about whole runs"),
    ] {
        let run = bench.run(&[&["check", "turns.c"], arguments].concat());
        run.expect(2);
        assert!(run.err.starts_with(&format!("error: {message}")), "{arguments:?}:\n{}", run.err);
    }
    for arguments in
        [&["--prop", "x"][..], &["--prop", "G=1"], &["--abstraction", "a b"], &["--ltl", "p", "--livelock"]]
    {
        bench.run(&[&["check", "turns.c"], arguments].concat()).expect(2);
    }
}

#[test]
fn names_are_looked_for_in_every_file() {
    let bench = Bench::new();
    bench.file("a.c", "static int hidden; int step(void); int main(void) { hidden = step(); return 0; }\n");
    bench.file("b.c", "static int secret; int step(void) { secret = 1; return 2; }\n");
    let run = bench.run(&["check", "a.c", "b.c", "--ltl", "F two && F secret", "--prop", "two=hidden == 2"]);
    assert_eq!(run.expect(0).last_line(), "VERDICT: safe");
    let run = bench.run(&["check", "a.c", "b.c", "--invariant", "hidden == 0", "--invariant", "secret == 0"]);
    assert_eq!(run.expect(10).last_line(), "VERDICT: unsafe (invariant at b.c:1)");
}

#[test]
fn functions_of_ir_can_be_named() {
    let bench = Bench::new();
    let source =
        "int x; int low(void) { return x < 2; }\nint main(void)\n{\n    x = 1;\n    x = 2;\n    return 0;\n}\n";
    bench.file("a.c", source);
    let compile = |clang: &&str| {
        let mut command = std::process::Command::new(clang);
        command.args(["-O0", "-g", "-c", "-emit-llvm", "a.c", "-o", "a.bc"]).current_dir(bench.path());
        command.status().is_ok_and(|status| status.success())
    };
    assert!(["clang-19", "clang", "clang-14"].iter().any(compile), "no clang");
    let run = bench.run(&["check", "a.bc", "--ltl", "G low", "-q"]);
    assert_eq!(run.expect(10).last_line(), "VERDICT: unsafe (ltl)");
    let run = bench.run(&["check", "a.bc", "--invariant", "x < 2"]);
    run.expect(2);
    assert!(run.err.contains("C expressions need C"), "{}", run.err);
}

#[test]
fn optimisers_do_not_lose_assertions() {
    let bench = Bench::new();
    bench.file("a.c", "int x;\nvoid reach_error(void) {}\nint main(void)\n{\n    if (!x)\n        reach_error();\n}\n");
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let run = bench.run(&["check", "a.c", level]);
        assert_eq!(run.expect(10).last_line(), "VERDICT: unsafe (assertion at a.c:6)", "{level}");
    }
}
