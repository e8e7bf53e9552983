//! Violations of different kinds, run again as native programs; and shorter schedules.

mod common;

use common::{Bench, RACE};
use std::process::Command;

const TWO_THREADS: &str = "int main(void)\n{\n    pthread_t a, b;\n    pthread_create(&a, 0, one, 0);\n    \
                           pthread_create(&b, 0, two, 0);\n    pthread_join(a, 0);\n    pthread_join(b, 0);\n    END\n    return 0;\n}\n";

fn program(head: &str, one: &str, two: &str, end: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n{head}\nvoid *one(void *arg)\n{{\n{one}\n    \
         return arg;\n}}\nvoid *two(void *arg)\n{{\n{two}\n    return arg;\n}}\n{}",
        TWO_THREADS.replace("END", end)
    )
}

/// Checks the output of the native program that fails as the schedule does.
fn reproduced(text: &str, verdict: &str, expected: &str) {
    reproduced_in(&Bench::new(), text, verdict, expected);
}

fn reproduced_in(bench: &Bench, text: &str, verdict: &str, expected: &str) {
    if !tools() {
        return;
    }
    bench.file("a.c", text);
    let run = bench.run(&["check", "a.c", "--schedule-out", "a.schedule"]);
    assert!(run.expect(10).last_line().contains(verdict), "{}", run.out);
    bench.run(&["reproduce", "a.c", "--schedule", "a.schedule", "-o", "native"]).expect(0);
    let output =
        Command::new("make").current_dir(bench.path()).args(["-C", "native", "run"]).output().expect("it starts");
    let told = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!output.status.success() && told.contains(expected), "{told}");
}

fn tools() -> bool {
    let answers = |tool: &str| Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    ["cc", "make", "addr2line"].into_iter().all(answers) || selvedge_requires::skip(selvedge_requires::Need::CCompiler)
}

#[test]
fn a_lost_update() {
    reproduced(RACE, "assertion", "`count == 2' failed");
}

#[test]
fn a_deadlock() {
    let head = "pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;";
    let lock = |first: &str, second: &str| {
        format!(
            "    pthread_mutex_lock(&{first});\n    pthread_mutex_lock(&{second});\n    pthread_mutex_unlock(&{second});\n    \
                 pthread_mutex_unlock(&{first});"
        )
    };
    let text = program(head, &lock("a", "b"), &lock("b", "a"), "");
    reproduced(&text, "deadlock", "all threads that are left wait for ever");
}

#[test]
fn a_use_of_freed_memory() {
    let text = program("int *shared;", "    free(shared);", "    *shared = 3;", "")
        .replace("pthread_t a, b;", "pthread_t a, b;\n    shared = malloc(4);");
    reproduced(&text, "memory", "uses freed memory at a.c:");
}

#[test]
fn a_condition_variable_and_an_input() {
    let head = "extern int __VERIFIER_nondet_int(void);\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
                pthread_cond_t c = PTHREAD_COND_INITIALIZER;\nint ready, value;";
    let one = "    pthread_mutex_lock(&m);\n    while (!ready)\n        pthread_cond_wait(&c, &m);\n    \
               assert(value != 4711);\n    pthread_mutex_unlock(&m);";
    let two = "    int v = __VERIFIER_nondet_int();\n    pthread_mutex_lock(&m);\n    value = v;\n    ready = 1;\n    \
               pthread_cond_signal(&c);\n    pthread_mutex_unlock(&m);";
    reproduced(&program(head, one, two, ""), "assertion", "`value != 4711' failed");
}

#[test]
fn atomics_and_a_division_by_zero() {
    let head = "#include <stdatomic.h>\natomic_int left = 2;\nint share = 100;";
    let each = "    atomic_fetch_sub(&left, 1);\n    int now = atomic_load(&left);\n    share = 100 / now;";
    reproduced(&program(head, each, each, ""), "arithmetic", "Floating point exception");
}

/// Lines of an included file are not taken for those of the file that includes it.
#[test]
fn an_included_file() {
    let bench = Bench::new();
    bench.file("add.h", "static int count;\nstatic void add(void)\n{\n    int old = count;\n    count = old + 1;\n}\n");
    let text = program("#include \"add.h\"", "    add();", "    add();", "assert(count == 2);");
    reproduced_in(&bench, &text, "assertion", "`count == 2' failed");
}

#[test]
fn what_cannot_be_forced_is_refused() {
    let bench = Bench::new();
    bench.file("a.c", RACE);
    let run = bench.run(&["reproduce", "a.c", "--schedule", "v2;0*1;", "-o", "native"]);
    assert!(run.expect(2).err.contains("the schedule shows no violation"), "{}", run.err);
    let spin = program("volatile int never;", "    while (!never) ;", "    while (!never) ;", "");
    bench.file("spin.c", &spin);
    let run = bench.run(&["check", "spin.c", "--schedule-out", "spin.schedule"]);
    assert!(run.expect(10).last_line().contains("deadlock"), "{}", run.out);
    let run = bench.run(&["reproduce", "spin.c", "--schedule", "spin.schedule", "-o", "native"]);
    assert!(run.expect(2).err.contains("cannot be reproduced natively: threads that spin"), "{}", run.err);
    assert!(!bench.path().join("native").exists());
}

/// A run with needless switches, a needless thread and a large input.
#[test]
fn schedules_become_shorter() {
    let text = "#include <assert.h>\n#include <pthread.h>\nextern unsigned __VERIFIER_nondet_uint(void);\nint x, y;\n\
                void *idle(void *p)\n{\n    y++;\n    y++;\n    y++;\n    return p;\n}\n\
                void *work(void *p)\n{\n    unsigned n = __VERIFIER_nondet_uint();\n    if (n > 10)\n        x = 1;\n    return p;\n}\n\
                int main(void)\n{\n    pthread_t a, b;\n    pthread_create(&a, 0, idle, 0);\n    pthread_create(&b, 0, work, 0);\n    \
                y++;\n    assert(x == 0);\n    return 0;\n}\n";
    let bench = Bench::new();
    bench.file("a.c", text);
    let long = "v2;0*6,2*2,1*3,2*4,1*8,0*1;2:4000000000";
    let replayed = bench.run(&["replay", "a.c", "--schedule", long, "-q"]);
    let headline = replayed.expect(10).last_line();
    let run = bench.run(&["minimize", "a.c", "--schedule", long, "-o", "short.schedule"]);
    assert!(run.expect(10).out.contains(headline) && run.out.contains("minimized: "), "{}", run.out);
    let short = std::fs::read_to_string(bench.path().join("short.schedule")).expect("it was written");
    let again = bench.run(&["replay", "a.c", "--schedule", "short.schedule", "-q"]);
    assert_eq!(again.expect(10).last_line(), headline);
    assert_eq!(short, "v2;0*5,2*1,0*0;2:11\n");
}
