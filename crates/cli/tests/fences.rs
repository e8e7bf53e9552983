//! `selvedge check --fences`: the fewest fences that make a program safe, as a patch that does.

mod common;

use common::{Bench, RACE, Run};
use serde_json::Value;

const STORE_BUFFERING: &str = "#include <assert.h>
#include <pthread.h>
int x, y, r0, r1;
void *first(void *arg)
{
    x = 1;
    r0 = y;
    return 0;
}
void *second(void *arg)
{
    y = 1;
    r1 = x;
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(r0 || r1);
    return 0;
}
";

const MESSAGE_PASSING: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int data;
atomic_int ready;
void *writer(void *arg)
{
    data = 1;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return 0;
}
int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, writer, 0);
    if (ready)
        assert(data == 1);
    pthread_join(a, 0);
    return 0;
}
";

/// Stores and loads on one line: no line can stand between them.
const ON_ONE_LINE: &str = "#include <assert.h>
#include <pthread.h>
int x, y, r0, r1;
void *first(void *arg) { x = 1; r0 = y; return 0; }
void *second(void *arg) { y = 1; r1 = x; return 0; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(r0 || r1);
    return 0;
}
";

fn fences(bench: &Bench, options: &[&str]) -> (Run, Value) {
    let run = bench.run(&[&["check", "a.c", "--fences", "--json", "result.json"], options].concat());
    let text = std::fs::read_to_string(bench.path().join("result.json")).expect("it was written");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    (run, document["fences"].clone())
}

/// Applies a patch that only inserts lines. Its surroundings must be those of the text.
fn patched(text: &str, patch: &str) -> String {
    let mut rest = text.lines();
    let (mut result, mut read) = (Vec::new(), 0);
    for line in patch.lines().skip(2) {
        match line.split_at(1) {
            ("@", header) => {
                let begin = header.split(['-', ',']).nth(1).and_then(|number| number.parse::<usize>().ok());
                let skipped = begin.expect("a hunk says where it begins") - 1 - read;
                result.extend(rest.by_ref().take(skipped));
                read += skipped;
            }
            ("+", new) => result.push(new),
            (_, old) => {
                assert_eq!(rest.next(), Some(old));
                result.push(old);
                read += 1;
            }
        }
    }
    result.extend(rest);
    result.join("\n") + "\n"
}

/// The number of fences. With the patch the program is safe, and without any line of it not.
fn repaired(text: &str, options: &[&str]) -> usize {
    let bench = Bench::new();
    bench.file("a.c", text);
    let (run, fences) = fences(&bench, options);
    assert_eq!((run.code, fences["result"].as_str()), (Some(10), Some("found")), "{}", run.out);
    let patch = fences["patch"].as_str().expect("a patch");
    assert!(run.out.contains(patch), "{}", run.out);
    let verdict = |text: &str| {
        bench.file("b.c", text);
        bench.run(&[&["check", "-q", "b.c"], options].concat()).out
    };
    let fenced = patched(text, patch);
    assert_eq!(verdict(&fenced), "VERDICT: safe\n", "{fenced}");
    let lines: Vec<&str> = patch.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++")).collect();
    for line in &lines {
        let fewer = fenced.replacen(&format!("{}\n", &line[1..]), "", 1);
        assert!(verdict(&fewer).starts_with("VERDICT: unsafe"), "{fewer}");
    }
    assert_eq!(lines.len(), fences["lines"].as_array().map_or(0, Vec::len));
    lines.len()
}

const TSO: [&str; 4] = ["--engine", "explicit", "--memory-model", "tso"];
const PSO: [&str; 4] = ["--engine", "explicit", "--memory-model", "pso"];

#[test]
fn store_buffering_needs_a_fence_in_each_thread() {
    assert_eq!(repaired(STORE_BUFFERING, &TSO), 2);
    assert_eq!(repaired(STORE_BUFFERING, &PSO), 2);
}

#[test]
fn message_passing_needs_one_under_pso_only() {
    assert_eq!(repaired(MESSAGE_PASSING, &PSO), 1);
    let bench = Bench::new();
    bench.file("a.c", MESSAGE_PASSING);
    let (run, fences) = fences(&bench, &TSO);
    assert_eq!((run.code, fences), (Some(0), Value::Null));
}

fn algorithm(name: &str) -> String {
    let path = format!("{}/../../tests/programs/weak/{name}.c", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("it is there")
}

#[test]
fn peterson_and_dekker_are_repaired() {
    assert_eq!(repaired(&algorithm("peterson"), &TSO), 1);
    assert_eq!(repaired(&algorithm("peterson"), &PSO), 3);
    assert_eq!(repaired(&algorithm("dekker"), &TSO), 1);
}

#[test]
fn a_race_is_not_repaired() {
    let bench = Bench::new();
    bench.file("a.c", RACE);
    let (run, fences) = fences(&bench, &TSO);
    assert_eq!((run.code, fences["result"].as_str()), (Some(10), Some("none")));
    assert!(run.out.contains("fences: none helps: there is a violation without store buffers, too\n"), "{}", run.out);
}

#[test]
fn fences_stand_between_lines() {
    let bench = Bench::new();
    bench.file("a.c", ON_ONE_LINE);
    let (run, _) = fences(&bench, &TSO);
    assert!(run.out.contains("fences: no fence between two lines prevents a violation\n"), "{}", run.out);
}

#[test]
fn fences_need_store_buffers_and_lines() {
    let bench = Bench::new();
    bench.file("a.c", RACE);
    bench.file("a.i", RACE);
    for (options, why) in [
        (&["a.c"][..], "--fences requires --memory-model tso or pso: without store buffers fences do nothing"),
        (
            &["a.c", "--memory-model", "tso", "-O2"],
            "--fences cannot be combined with --opt: optimisers move accesses across lines",
        ),
        (&["a.c", "--memory-model", "tso", "--livelock"], "--fences looks at runs that end, not at formulas"),
        (&["a.i", "--memory-model", "tso"], "--fences requires C sources (.c)"),
    ] {
        let run = bench.run(&[&["check", "--fences"], options].concat());
        assert_eq!(run.code, Some(2), "{options:?}");
        assert!(run.err.contains(why), "{}", run.err);
    }
}
