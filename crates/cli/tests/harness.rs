//! Harnesses around given functions: `--threads`, `--setup`, `--final`, `--entry`, `--linearizable`.

mod common;

use common::{Bench, Run};
use std::process::Command;

/// A stack whose push is not atomic, with an interface of pointers.
const STACK: &str = r#"#include <stdatomic.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
struct stack { _Atomic(struct node *) top; };
struct stack *stack_new(void) { return calloc(1, sizeof(struct stack)); }
void push(struct stack *s, int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = atomic_load(&s->top);
    PUSH;
}
int pop(struct stack *s)
{
    struct node *top = atomic_load(&s->top);
    while (top && !atomic_compare_exchange_strong(&s->top, &top, top->next))
        ;
    return top ? top->value : -1;
}
static int size(struct stack *s)
{
    int n = 0;
    for (struct node *p = s->top; p; p = p->next)
        n++;
    return n;
}
struct node *peek(struct stack *s) { return s->top; }
"#;

fn stack(push: &str) -> Bench {
    let bench = Bench::new();
    bench.file("stack.c", &STACK.replace("PUSH", push));
    bench
}

const GOOD: &str = "while (!atomic_compare_exchange_strong(&s->top, &node->next, node))\n        ;";
const BAD: &str = "atomic_store(&s->top, node);";
const SETUP: &str = "struct stack *s = stack_new()";

fn check(bench: &Bench, more: &[&str]) -> Run {
    bench.run(&[&["check", "stack.c", "--setup", SETUP][..], more].concat())
}

#[test]
fn threads_are_started_around_functions() {
    let threads = ["--threads", "push(s, 1); push(s, 2) | push(s, 3)", "--final", "size(s) == 3"];
    let run = check(&stack(BAD), &threads);
    assert!(run.expect(10).out.contains("assertion `size(s) == 3` fails"), "{}", run.out);
    // The trace quotes the harness, and the replay line repeats it.
    assert!(run.out.contains("push(s, 3);") && run.out.contains("thread 2 (thread_2)"), "{}", run.out);
    assert!(
        run.out.contains("replay: selvedge replay stack.c '--threads=push(s, 1); push(s, 2) | push(s, 3)'"),
        "{}",
        run.out
    );
    check(&stack(GOOD), &threads).expect(0);
    // Conditions are checked in every build.
    check(&stack(BAD), &[&threads[..], &["-DNDEBUG"]].concat()).expect(10);
}

#[test]
fn a_harness_is_replayed_shortened_and_reproduced() {
    let bench = stack(BAD);
    let threads = ["--threads", "push(s, 1) | push(s, 3)", "--final", "size(s) == 2"];
    check(&bench, &[&threads[..], &["--schedule-out", "bug.schedule"]].concat()).expect(10);
    let again = [&["stack.c", "--setup", SETUP, "--schedule", "bug.schedule"][..], &threads].concat();
    bench.run(&[&["replay"][..], &again].concat()).expect(10);
    bench.run(&[&["minimize"][..], &again].concat()).expect(10);
    bench.run(&[&["reproduce", "-o", "native"][..], &again].concat()).expect(0);
    let answers = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
    let is_there = ["cc", "make", "addr2line"].into_iter().all(answers);
    if !is_there && !selvedge_requires::skip(selvedge_requires::Need::CCompiler) {
        return;
    }
    let output =
        Command::new("make").current_dir(bench.path()).args(["-C", "native", "run"]).output().expect("it starts");
    let told = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("`size(s) == 2' failed"), "{told}");
}

#[test]
fn calls_are_compared_with_sequential_runs() {
    for (threads, last) in
        [("push(s, 1); push(s, 2) | push(s, 3)", "size(s)"), ("push(s, 1); pop(s) | push(s, 2); pop(s)", "size(s)")]
    {
        let asked = ["--threads", threads, "--final", last, "--linearizable", "itself"];
        let run = check(&stack(BAD), &asked);
        assert!(run.expect(10).out.contains("`is_linearizable()` fails"), "{}", run.out);
        check(&stack(GOOD), &asked).expect(0);
    }
}

/// Calls keep their order in time: one that had ended before another one began cannot come after it.
#[test]
fn time_counts() {
    let bench = Bench::new();
    // The second reader may see less than the first: a copy that lags behind.
    bench.file(
        "lag.c",
        "int now, copy;\nvoid set(int v) { now = v; copy = v; }\nint new_one(void) { return now; }\nint old_one(void) { return copy; }\n",
    );
    let asked = |threads: &str| bench.run(&["check", "-q", "lag.c", "--linearizable", "itself", "--threads", threads]);
    asked("set(1) | new_one(); old_one()").expect(10);
    asked("set(1) | old_one(); new_one()").expect(0);
    // In time the reads of two threads are one after the other, if nobody else says so.
    asked("set(1) | new_one() | old_one()").expect(10);
    asked("set(1) | old_one()").expect(0);
}

#[test]
fn a_specification_may_stand_in_another_file() {
    let bench = Bench::new();
    let counter = |body: &str| format!("static int n;\nint next(void) {{ {body} }}\n");
    bench.file("plain.c", &counter("return n++;"));
    bench.file("broken.c", &counter("return 2 * n++;"));
    bench.file(
        "atomic.c",
        "#include <stdatomic.h>\nstatic atomic_int n;\nint next(void) { return atomic_fetch_add(&n, 1); }\n",
    );
    let asked = |file: &str, spec: &str| {
        bench.run(&["check", "-q", file, "--linearizable", spec, "--threads", "next() | next()"])
    };
    asked("atomic.c", "plain.c").expect(0);
    asked("plain.c", "plain.c").expect(10);
    asked("atomic.c", "broken.c").expect(10);
    assert!(asked("atomic.c", "missing.c").expect(2).err.contains("cannot read missing.c"));
}

/// Results of all kinds are compared: none, pointers by whether they are null, small and large numbers.
#[test]
fn kinds_of_results() {
    let bench = Bench::new();
    bench.file(
        "kinds.c",
        "#include <stdlib.h>\n#include <stdatomic.h>\natomic_int n;\nvoid none(void) { n++; }\nint *pointer(void) { static int x; return n ? &x : 0; }\n\
         long long large(void) { return n ? -9223372036854775807ll - 1 : 5000000000; }\n_Bool flag(void) { return n == 2; }\n\
         void *block(void) { return malloc(3); }\nvoid twice(int *to) { *to = n; n = *to + 1; }\n",
    );
    let asked =
        |threads: &str| bench.run(&["check", "-q", "kinds.c", "--linearizable", "itself", "--threads", threads]);
    asked("none(); large() | pointer(); flag()").expect(0);
    asked("none(); block() | free(block())").expect(0);
    asked("int x = 3; (twice(&x), x) | int x; (twice(&x), x)").expect(10);
    asked("int x = 3; (twice(&x), x); flag() | large()").expect(0);
}

#[test]
fn entries_have_any_arguments() {
    let bench = Bench::new();
    bench.file(
        "f.c",
        "#include <assert.h>\ntypedef unsigned char byte;\nenum kind { ONE, TWO };\nvoid f(byte b, const enum kind k, long l) { assert(b < 255 || l != 7); }\n\
         void g(int *p) { *p = 1; }\nstatic int state;\nvoid h(void) { state++; }\nint main(void) { assert(0); }\n",
    );
    let run = bench.run(&["check", "f.c", "--entry", "f"]);
    assert!(run.expect(10).out.contains("assertion `b < 255 || l != 7` fails"), "{}", run.out);
    bench.run(&["check", "f.c", "--entry", "h", "--final", "state == 1"]).expect(0);
    bench.run(&["check", "f.c", "--entry", "main"]).expect(10);
    bench.run(&["check", "f.c", "--threads", "main()"]).expect(10);
    let err = |more: &[&str]| bench.run(&[&["check", "f.c"][..], more].concat()).expect(2).err.clone();
    assert!(
        err(&["--entry", "g"]).contains("there are no inputs of the type `int *`: call it with arguments of your own")
    );
    assert!(err(&["--entry", "nobody"]).contains("f.c has no function of that name"));
}

#[test]
fn several_files_and_their_mains() {
    let bench = Bench::new();
    bench.file("a.c", "int shared;\nint main(void) { return 1; }\n");
    bench.file("b.c", "extern int shared;\nstatic void add(void) { shared++; }\nint main(void) { return 2; }\n");
    let run = bench.run(&["check", "-q", "a.c", "b.c", "--threads", "add() | add()", "--final", "shared == 2"]);
    run.expect(10);
    let run = bench.run(&["check", "-q", "a.c", "b.c", "--threads", "add(); nobody() | add()"]);
    assert!(run.expect(2).err.contains("nobody"), "{}", run.err);
}

#[test]
fn harnesses_are_printed_and_compile_elsewhere() {
    let bench = stack(GOOD);
    let run = check(&bench, &["--threads", "push(s, 1) | pop(s)", "--linearizable", "itself", "--emit", "harness"]);
    bench.file("kept.c", &run.expect(0).out);
    bench.run(&["check", "-q", "kept.c"]).expect(0);
    bench.file("cut.i", "int n;\nvoid add(void) { n++; }\n");
    bench.run(&["check", "-q", "cut.i", "--threads", "add() | add()", "--final", "n == 2"]).expect(10);
}

#[test]
fn every_engine_runs_a_harness() {
    let bench = stack(BAD);
    for engine in ["auto", "explicit", "lazy", "tree"] {
        let bounds: &[&str] = if ["lazy", "tree"].contains(&engine) { &["--unwind", "3"] } else { &[] };
        let asked = ["--engine", engine, "--threads", "push(s, 1) | push(s, 2)", "--final", "size(s) == 2"];
        check(&bench, &[&asked[..], bounds].concat()).expect(10);
    }
    // A number is a bound, which only some engines have.
    bench.file("main.c", common::SAFE);
    bench.run(&["check", "-q", "main.c", "--threads", "2", "--engine", "lazy"]).expect(0);
    let run = bench.run(&["check", "main.c", "--threads", "2", "--engine", "explicit"]);
    assert!(run.expect(2).err.contains("--engine explicit does not take --threads"), "{}", run.err);
}

#[test]
fn what_makes_no_harness_is_refused() {
    let bench = stack(GOOD);
    let err = |more: &[&str]| bench.run(&[&["check", "stack.c"][..], more].concat()).expect(2).err.clone();
    for (asked, expected) in [
        (&["--setup", "x = 1"][..], "--setup and --final require --threads or --entry"),
        (&["--threads", "pop(", "--setup", SETUP], "--threads: a bracket or a quotation mark is not closed"),
        (&["--threads", " "], "expected a number, or calls"),
        (&["--threads", "pop(0)", "--entry", "pop"], "--entry cannot be combined with --threads"),
        (&["--entry", "pop", "--linearizable", "itself"], "--linearizable requires --threads"),
        (&["--threads", "while (1) pop(s)", "--linearizable", "itself"], "requires threads that are calls"),
        (&["--threads", "pop(t)"], "use of undeclared identifier 't'"),
        (&["--threads", "pop(t)"], "error: the harness (see --emit harness) does not compile"),
        (&["--emit", "harness"], "--emit harness requires --threads or --entry"),
        (&[], "start functions with --threads 'f() | g()'"),
    ] {
        let err = err(asked);
        assert!(err.contains(expected), "{asked:?}: {err}");
    }
    bench.file("f.cpp", "void f() {}\n");
    let run = bench.run(&["check", "f.cpp", "--threads", "f() | f()"]);
    assert!(run.expect(2).err.contains("a harness requires a C file"), "{}", run.err);
}
