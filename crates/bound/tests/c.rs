//! C programs, with the models, and what must or must not be left of them.

use selvedge_bound::{Bounded, Limits, StepOp, bound, verify};
use selvedge_c_programs::Compiler;
use selvedge_from_llvm::clang::DataModel;
use selvedge_program::{Op, Program};
use selvedge_requires::Need;
use std::sync::LazyLock;

const HEADER: &str = "#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int x;
";

/// None: there is no clang.
fn program(source: &str) -> Option<Program> {
    static COMPILER: LazyLock<Option<Compiler>> = LazyLock::new(Compiler::find);
    let compiler = COMPILER.as_ref()?;
    Some(compiler.program("main.c", &format!("{HEADER}{source}"), DataModel::Lp64).unwrap())
}

/// Bounds a program with one unwinding; checks that what comes out has these parts and not those.
fn check(source: &str, cuts: usize, parts: &[&str], not: &[&str]) {
    let Some(program) = program(source) else {
        selvedge_requires::skip(Need::Clang);
        return;
    };
    let bounded = bound(&program, &Limits { unwind: 1, ..Limits::default() }).unwrap();
    assert_eq!(verify(&bounded), []);
    let text = bounded.to_string();
    assert_eq!(bounded.cuts.len(), cuts, "{source}\n{text}");
    for part in parts {
        assert!(text.contains(part), "{part} is missing\n{source}\n{text}");
    }
    for part in not {
        assert!(!text.contains(part), "{part} is there\n{source}\n{text}");
    }
}

fn stores(bounded: &Bounded<'_>) -> usize {
    let steps = bounded.threads.iter().flat_map(|t| t.blocks.values()).flat_map(|b| &b.steps);
    steps.filter(|step| matches!(step.op, StepOp::Plain(Op::Store { .. }))).count()
}

#[test]
fn loops_that_a_constant_ends() {
    let loops = [
        ("for (i = 0; i < 10; i++) x = i;", 10),
        ("for (i = 0; i < 10 && y; i++) x = i;", 10),
        ("for (i = 0; y && i < 10; i++) x = i;", 10),
        ("for (i = 0; i < 10 && y && y < 100; i++) x = i;", 10),
        ("while (!(i >= 10 || y)) { x = i; i++; }", 10),
        ("while (1) { if (i >= 10) break; x = i; i++; }", 10),
        ("while (1) { x = i; if (y) break; if (++i == 10) return 0; }", 10),
        ("do { x = i; } while (++i < 10 && y);", 10),
        ("do { x = i; if (y) continue; } while (++i < 10);", 10),
        ("while (y) { x = i; if (i >= 9) goto out; i++; } out:;", 10),
    ];
    for (text, expected) in loops {
        let source = format!("int main() {{ int i = 0, y = __VERIFIER_nondet_int(); {text} return 0; }}");
        let Some(program) = program(&source) else { return };
        let bounded = bound(&program, &Limits { unwind: 1, ..Limits::default() }).unwrap();
        assert_eq!((stores(&bounded), bounded.cuts.len()), (expected, 0), "{text}\n{bounded}");
    }
}

#[test]
fn loops_that_no_constant_ends() {
    for text in [
        "while (y) { x = i; i++; y = __VERIFIER_nondet_int(); }",
        "while (y) { if (i == 3) x = i; i++; y = __VERIFIER_nondet_int(); }",
        "for (i = 0; i < y; i++) x = i;",
    ] {
        let source = format!("int main() {{ int i = 0, y = __VERIFIER_nondet_int(); {text} return 0; }}");
        let Some(program) = program(&source) else { return };
        let bounded = bound(&program, &Limits { unwind: 1, ..Limits::default() }).unwrap();
        assert_eq!(bounded.cuts.len(), 1, "{text}\n{bounded}");
        assert!(stores(&bounded) <= 1, "{text}\n{bounded}");
    }
}

const THREADS: &str = "
void *run(void *arg) { x++; return 0; }
int main() {
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    BODY
    pthread_join(t, 0);
    return 0;
}";

#[test]
fn without_cancellation_nothing_is_left_of_it() {
    check(&THREADS.replace("BODY", ""), 0, &["finished(1i32)"], &["longjmp", "unsupported", "that is not a thread"]);
    check(&THREADS.replace("BODY", "pthread_cancel(t);"), 0, &["store i8 1i8 to @selvedge_me~t1+28"], &[]);
}

#[test]
fn cleanup_handlers_without_cancellation() {
    let source = "
static void undo(void *arg) { x = 7; }
void *run(void *arg) { pthread_cleanup_push(undo, 0); x = 1; pthread_cleanup_pop(1); return 0; }
int main() {
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    pthread_join(t, 0);
    return 0;
}";
    check(source, 0, &["store i32 1i32 to @x", "store i32 7i32 to @x"], &["setjmp"]);
}

#[test]
fn destructors_run_only_where_there_are_keys() {
    check(&THREADS.replace("BODY", ""), 0, &["load @selvedge_run_destructors"], &["selvedge_keys["]);
    let keys = "pthread_key_t k; pthread_key_create(&k, 0);";
    check(&THREADS.replace("BODY", keys), 0, &["selvedge_keys["], &[]);
}

#[test]
fn a_thread_may_be_named_before_it_is_there() {
    let source = "
void *run(void *arg) { return 0; }
void *guess(void *arg) { pthread_join(3, 0); return 0; }
int main() {
    pthread_t t, u;
    pthread_create(&t, 0, guess, 0);
    pthread_create(&u, 0, run, 0);
    return 0;
}";
    check(source, 0, &["= created(2i32)", "joins something that is not a thread"], &[]);
}

#[test]
fn objects_of_unknown_size() {
    let source = "int main() {
    int n = __VERIFIER_nondet_int();
    int *p = malloc(n * sizeof *p);
    int a[n > 0 ? n : 1];
    p[0] = 1;
    a[0] = 2;
    return p[0];
}";
    let too_large = "unsupported \"an object of unknown size, larger than 4096 bytes\"";
    check(source, 0, &[too_large, "= create @heap", "= create @a "], &[]);
}

#[test]
fn pointers_mean_only_functions_that_can_get_there() {
    let source = "
static void one(void) { x = 111; }
static void two(void) { x = 222; }
static void other(void) { x = 333; }
static void never(void) { x = 444; }
void (*table[2])(void) = {one, two};
void (*elsewhere)(void);
static void unused(void) { elsewhere = never; }
int main() {
    int n = __VERIFIER_nondet_int();
    void (*f)(void) = other;
    f();
    table[n & 1]();
    table[0] = two;
    return 0;
}";
    let parts = ["store i32 111i32 to @x", "store i32 222i32 to @x", ", @one", ", @two"];
    check(source, 0, &parts, &["444i32", ", @other"]);
}
