//! Exact numbers of states and transitions on small programs, with and without reduction.
//!
//! A change here is not always wrong, but it is never to pass unnoticed.

use selvedge_engine::{Control, Engine, Task};
use selvedge_program::text;
use selvedge_search::explicit::Explicit;

/// ((states, transitions) of the reduced search, of the full one), over the whole program.
fn counts(globals: &str, functions: &str, main: &str) -> [(u64, u64); 2] {
    let text = format!(
        "program lp64 entry @main\n{globals}\n{functions}\nfn @main() -> i32 {{\n  i32 %t, %u\n  i1 %f\nentry:\n{main}\n  \
         process_exit()\n  return 0i32\n}}\n"
    );
    let program = text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    [false, true].map(|no_reduction| {
        let outcome =
            Explicit { no_reduction, ..Explicit::default() }.check(&program, &Task::default(), &Control::default());
        (outcome.statistics.states, outcome.statistics.transitions)
    })
}

/// Creates two threads, and waits for them.
const TWO_THREADS: &str = "
  %t = spawn(@a, null, null)
  %u = spawn(@b, null, null)
  atomic_begin()
  %f = finished(%t)
  block_until(%f)
  atomic_end()
  atomic_begin()
  %f = finished(%u)
  block_until(%f)
  atomic_end()";

fn thread(name: &str, body: &str) -> String {
    format!("fn @{name}(%p: ptr, %q: ptr) {{\n  i32 %r\n  i8 %l\n  i1 %c\n  ptr %own\nentry:\n{body}\n  return\n}}\n")
}

/// Nothing is shared: each thread is a single transition.
#[test]
fn private_globals() {
    let work = |g: &str| format!("  store i32 1i32 to {g}\n  %r = load {g}\n  store i32 %r to {g}");
    let threads = thread("a", &work("@x")) + &thread("b", &work("@y"));
    let globals = "global @x 4 align 4\nglobal @y 4 align 4";
    assert_eq!(counts(globals, &threads, TWO_THREADS), [(7, 12), (37, 85)]);
}

/// Reads of what nobody writes conflict with nothing.
#[test]
fn read_only_globals() {
    let work = "  %r = load @x\n  %r = load @x";
    let threads = thread("a", work) + &thread("b", work);
    assert_eq!(counts("global @x 4 align 4", &threads, TWO_THREADS), [(7, 12), (26, 56)]);
}

/// Everything is shared: only the steps of creating, ending and waiting are merged.
#[test]
fn a_racy_counter() {
    let work = "  %r = load @x\n  %r = add %r, 1i32\n  store i32 %r to @x";
    let threads = thread("a", work) + &thread("b", work);
    assert_eq!(counts("global @x 4 align 4", &threads, TWO_THREADS), [(18, 35), (38, 80)]);
}

/// The lock is shared, and so is what it protects: accesses under a lock are not merged.
#[test]
fn a_locked_counter() {
    let work = "  atomic_begin()\n  %l = load @lock\n  %c = eq %l, 0i8\n  block_until(%c)\n  store i8 1i8 to @lock\n  \
                atomic_end()\n  %r = load @x\n  %r = add %r, 1i32\n  store i32 %r to @x\n  store i8 0i8 to @lock";
    let threads = thread("a", work) + &thread("b", work);
    let globals = "global @x 4 align 4\nglobal @lock 1 align 1";
    assert_eq!(counts(globals, &threads, TWO_THREADS), [(22, 48), (41, 93)]);
}

/// The same, and the lock is known to be one: what it protects is no switch point any more. Nor does it become one when
/// main looks at it without the lock, once it has waited for both.
#[test]
fn a_counter_under_a_known_lock() {
    let work = "  atomic_begin()\n  %l = load @lock\n  %c = eq %l, 0i8\n  block_until(%c)\n  store i8 1i8 to @lock\n  \
                acquired(@lock, true)\n  atomic_end()\n  %r = load @x\n  %r = add %r, 1i32\n  store i32 %r to @x\n  \
                atomic_begin()\n  store i8 0i8 to @lock\n  released(@lock)\n  atomic_end()";
    let threads = thread("a", work) + &thread("b", work);
    let globals = "global @x 4 align 4\nglobal @lock 1 align 4";
    assert_eq!(counts(globals, &threads, TWO_THREADS), [(12, 24), (41, 93)]);
    let looks = format!("{TWO_THREADS}\n  %t = load @x");
    assert_eq!(counts(globals, &threads, &looks), [(12, 24), (42, 94)]);
}

/// Stack objects whose address stays with their thread, between two shared stores.
#[test]
fn private_stack_objects() {
    let work = "  %own = alloca 4i64 align 4\n  store i32 1i32 to @x\n  store i32 2i32 to %own\n  %r = load %own\n  \
                store i32 %r to @x";
    let threads = thread("a", work) + &thread("b", work);
    assert_eq!(counts("global @x 4 align 4", &threads, TWO_THREADS), [(16, 33), (65, 156)]);
}
