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

/// A thread that waits in a loop goes on for ever if the other never runs; a fair scheduler lets it run.
const POLLS: &str = r#"#include <pthread.h>
volatile int ready;
void *other(void *arg) { ready = 1; return 0; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    while (!ready)
        ;
    pthread_join(t, 0);
}
"#;

/// One of two orders is a deadlock.
const WAITS: &str = r#"#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void take(pthread_mutex_t *one, pthread_mutex_t *two)
{
    pthread_mutex_lock(one);
    pthread_mutex_lock(two);
    pthread_mutex_unlock(two);
    pthread_mutex_unlock(one);
}
void *other(void *arg) { take(&a, &b); return 0; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    take(&b, &a);
    pthread_join(t, 0);
}
"#;

#[test]
fn termination_is_a_property() {
    let bench = Bench::new();
    bench.file("polls.c", POLLS);
    bench.file("waits.c", WAITS);
    bench.file("faults.c", "int main(void) { int *p = 0; if (p == 0) return *p; for (;;); }\n");
    let (safe, unsafe_) = ((0, "VERDICT: safe"), (10, "VERDICT: unsafe (termination)"));
    let faulty = "VERDICT: safe within bounds (runs were seen to end only at the misuse of memory at faults.c:1, which was not checked)";
    for (file, options, (code, verdict)) in [
        ("polls.c", &[][..], unsafe_),
        ("polls.c", &["--fair"], safe),
        ("waits.c", &["--fair"], unsafe_),
        // A process that faults has ended.
        ("faults.c", &[], (0, faulty)),
    ] {
        for supersteps in [&[][..], &["--supersteps"]] {
            let run = bench.run(&[&["check", file, "--property", "termination"], options, supersteps].concat());
            assert_eq!(run.expect(code).last_line(), verdict, "{file} {options:?} {supersteps:?}");
        }
    }
    let run = bench.run(&["check", "polls.c", "--property", "termination", "--schedule-out", "s"]);
    assert!(run.expect(10).out.contains("✗ termination: the process never ends\n"), "{}", run.out);
    let again = bench.run(&["replay", "polls.c", "--property", "termination", "--schedule", "s"]);
    assert_eq!(again.expect(10).last_line(), "VERDICT: unsafe (termination)");
    // Other properties can be asked with it.
    let both = bench.run(&["check", "faults.c", "--property", "termination,memory", "-q"]);
    assert_eq!(both.expect(10).last_line(), "VERDICT: unsafe (memory at faults.c:1)");
    for command in ["swarm", "analyze", "sequentialize"] {
        let run = bench.run(&[command, "polls.c", "--property", "termination"]);
        assert!(run.expect(2).err.contains("termination is about runs without end"), "{}", run.err);
    }
}

#[test]
fn supersteps_go_with_all_that_observes() {
    let bench = bench();
    let run = |options: &[&str]| {
        let run = bench.run(&[&["check", "turns.c", "-q", "--engine", "explicit", "--supersteps"], options].concat());
        run.last_line().to_string()
    };
    let formula = ["--ltl", "GF mine", "--prop", "mine=shared.turn == 1"];
    assert_eq!(run(&formula), "VERDICT: unsafe (ltl)");
    assert_eq!(run(&[&formula[..], &["--fair"]].concat()), "VERDICT: safe");
    assert_eq!(run(&["--invariant", "shared.turn < 1"]), "VERDICT: unsafe (invariant at turns.c:25)");
    assert_eq!(run(&["--invariant", "shared.turn < 2"]), "VERDICT: safe");
    assert_eq!(
        run(&["--invariant", "shared.turn < 2", "--switches", "1"]),
        "VERDICT: safe within bounds (1 context switch of supersteps)"
    );
    bench.file("abs.c", &format!("{TURNS}static int view;\nvoid update_abs(void) {{ view = shared.turn; }}\n"));
    let run = bench.run(&["check", "abs.c", "-q", "--engine", "explicit", "--supersteps", "--abstraction"]);
    assert_eq!(run.expect(0).last_line(), "VERDICT: safe under the abstraction (update_abs)");
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
        (&["--ltl", "X small"], "--ltl: X counts steps, and the search merges steps"),
        (
            &["--ltl", "X small", "--no-merging", "--supersteps"],
            "--ltl: X counts steps, and supersteps make one of many",
        ),
        (&["--ltl", "G small", "--abstraction", "endless"], "--ltl cannot be combined with --abstraction"),
        (&["--ltl", "G small", "--prop", "big=count > 9"], "--prop big=…: the formula has no proposition `big`"),
        (&["--ltl", "G end", "--prop", "end=count > 9"], "--prop end=…: `end` always means"),
        (&["--prop", "big=count > 9"], "the following required arguments were not provided:\n  --ltl <FORMULA>"),
        (&["--fair"], "--fair requires --ltl, --livelock or --property termination"),
        (
            &["--ltl", "G small", "--engine", "lazy"],
            "--engine lazy does not take --ltl; engines that do: auto, explicit, spin",
        ),
        (&["--ltl", "G small", "--rounds", "3"], "--rounds cannot be combined with --ltl"),
        (
            &["--ltl", "G small", "--preemptions", "3"],
            "--ltl cannot be combined with --preemptions: it is about whole runs",
        ),
        (&["--property", "termination", "--preemptions", "3"], "--property termination cannot be combined with"),
        (&["--property", "termination", "--livelock"], "--property termination cannot be combined with --ltl or"),
        (&["--property", "termination", "--engine", "lazy"], "--engine lazy does not take --property termination"),
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
