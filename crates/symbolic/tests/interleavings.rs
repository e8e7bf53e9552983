//! Exact numbers of interleavings on small programs, with and without reduction.
//!
//! A change here is not always wrong, but it is never to pass unnoticed.

use selvedge_engine::{Control, Engine, Task};
use selvedge_program::{Finding, text};
use selvedge_symbolic::tree::{Strategy, Tree};

/// Without a bound: the interleavings of the reduced tree, of the full one.
fn counts(globals: &str, threads: &[String]) -> [u64; 2] {
    let names = ["%t", "%u", "%v"];
    let (mut main, mut wait) = (String::new(), String::new());
    for (number, name) in names.iter().enumerate().take(threads.len()) {
        main += &format!("  {name} = spawn(@thread{number}, null, null)\n");
        wait += &format!("  atomic_begin()\n  %f = finished({name})\n  block_until(%f)\n  atomic_end()\n");
    }
    let bodies: Vec<String> = threads
        .iter()
        .enumerate()
        .map(|(number, body)| {
            format!(
                "fn @thread{number}(%p: ptr, %q: ptr) {{\n  i32 %r\n  i8 %l\n  i1 %c\nentry:\n{body}\n  return\n}}\n"
            )
        })
        .collect();
    let text = format!(
        "program lp64 entry @main\n{globals}\n{}\nfn @main() -> i32 {{\n  i32 %t, %u, %v\n  i1 %f\nentry:\n{main}{wait}  \
         process_exit()\n  return 0i32\n}}\n",
        bodies.concat()
    );
    let program = text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let count = |tree: Tree| {
        let outcome = tree.check(&program, &Task::default(), &Control::default());
        assert!(matches!(outcome.finding, Finding::NoneWithin(coverage) if coverage.is_complete()), "{text}");
        outcome.statistics.interleavings.expect("it has them").generated
    };
    let reduced = count(Tree::default());
    assert_eq!(count(Tree { strategy: Strategy::Record, ..Tree::default() }), reduced, "the same tree");
    [reduced, count(Tree { no_reduction: true, ..Tree::default() })]
}

const INCREMENT: &str = "  %r = load @x\n  %r = add %r, 1i32\n  store i32 %r to @x";

/// Nothing is shared: runs differ only in the order in which threads end, and in when main notices.
#[test]
fn private_globals() {
    let threads = ["@x", "@y", "@z"].map(|global| format!("  store i32 1i32 to {global}\n  %r = load {global}"));
    let globals = "global @x 4 align 4\nglobal @y 4 align 4\nglobal @z 4 align 4";
    assert_eq!(counts(globals, &threads[..2]), [1, 3]);
    assert_eq!(counts(globals, &threads), [1, 15]);
}

/// Two loads and two stores of one place: six orders, four if it does not matter which load is first.
#[test]
fn a_racy_counter() {
    let threads = [INCREMENT.to_string(), INCREMENT.to_string()];
    assert_eq!(counts("global @x 4 align 4", &threads), [4, 10]);
}

/// One interleaving for each order in which the threads get the lock.
#[test]
fn a_locked_counter() {
    let lock = "  atomic_begin()\n  %l = load @lock\n  %c = eq %l, 0i8\n  block_until(%c)\n  store i8 1i8 to @lock\n  \
                acquired(@lock, true)\n  atomic_end()";
    let unlock = "  atomic_begin()\n  store i8 0i8 to @lock\n  released(@lock)\n  atomic_end()";
    let work = format!("{lock}\n{INCREMENT}\n{unlock}");
    let globals = "global @x 4 align 4\nglobal @lock 1 align 4";
    assert_eq!(counts(globals, &[work.clone(), work.clone()]), [2, 3]);
    assert_eq!(counts(globals, &[work.clone(), work.clone(), work]), [6, 15]);
}

/// Neighbours in a row of three depend on each other, the ends do not. (There are four classes.)
#[test]
fn a_row() {
    let store = |places: &[&str]| -> String { places.iter().map(|g| format!("  store i32 1i32 to {g}\n")).collect() };
    let threads = [store(&["@x"]), store(&["@x", "@y"]), store(&["@y"])];
    assert_eq!(counts("global @x 4 align 4\nglobal @y 4 align 4", &threads), [5, 36]);
}
