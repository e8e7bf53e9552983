//! How much the intervals tell of small programs.

use selvedge_analyze::{Interference, Intervals, Points, PointsTo, Range, Reductions};
use selvedge_bound::{Limits, bound};
use selvedge_program::text;

const HEAD: &str = "\
program lp64 entry @main
global @x 4 align 4
global @array 16 align 4
global @lock 4 align 4
";

const MAIN: &str = "
fn @main() {
  i32 %a
  i32 %b
entry:
  %a = spawn(@worker, null, null)
  %b = spawn(@worker, null, null)
  return
}
";

/// The values of a global in a number of rounds, as text; `limit` are the values of `x` known from elsewhere.
fn holds(source: &str, name: &str, at: u64, rounds: u32, limit: Option<Range>) -> String {
    let source = format!("{HEAD}{MAIN}{source}");
    let program = text::parse(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let limits = Limits { unwind: 2, recursion: 2, threads: 8, max_steps: 10_000, ..Limits::default() };
    let bounded = bound(&program, &limits).unwrap();
    let points_to = PointsTo::new(&bounded);
    let interference = Interference::new(&bounded, &points_to, Reductions::ALL);
    let points = Points::of_all(&bounded, &interference);
    let object = |name: &str| bounded.objects.iter().find(|(_, object)| object.name == name).map(|(id, _)| id).unwrap();
    let x = object("x");
    let known = |object, _, _| limit.filter(|_| object == x);
    let intervals = Intervals::with_cells(&bounded, &points_to, &interference, &points, rounds, known);
    intervals.cell(object(name), at, 4).to_string()
}

const COUNTS: &str = "
fn @worker(%p: ptr, %q: ptr) {
  i32 %v
entry:
  %v = load @x
  %v = add %v, 1i32
  store i32 %v to @x
  %v = load @x
  %v = sub %v, 3i32
  store i32 %v to @x
  return
}
";

#[test]
fn every_step_counts_once_however_many_rounds() {
    for rounds in [2, 4, 1000] {
        assert_eq!(holds(COUNTS, "x", 0, rounds, None), "-6..2");
    }
}

#[test]
fn what_is_known_from_elsewhere_is_met() {
    assert_eq!(holds(COUNTS, "x", 0, 2, Some(Range::wrapped(32, 0, 1))), "-3..2");
}

#[test]
fn an_index_that_is_checked_goes_only_where_it_may() {
    let source = "
fn @worker(%p: ptr, %q: ptr) {
  i32 %i
  i1 %ok
  ptr %at
entry:
  %i = nondet call \"any\"
  %ok = ult %i, 2i32
  branch %ok, inside, outside
inside:
  %at = index @array, %i stride 4
  store i32 7i32 to %at
  return
outside:
  return
}
";
    assert_eq!(holds(source, "array", 0, 2, None), "0..7");
    assert_eq!(holds(source, "array", 4, 2, None), "0..7");
    assert_eq!(holds(source, "array", 8, 2, None), "any", "nobody touches it");
}

#[test]
fn waiting_tells_of_the_memory_that_is_waited_for() {
    let source = "
fn @worker(%p: ptr, %q: ptr) {
  i32 %v
  i1 %free
entry:
  atomic_begin()
  %v = load @lock
  %free = eq %v, 0i32
  block_until(%free)
  %v = load @lock
  %v = sub %v, 1i32
  store i32 %v to @lock
  atomic_end()
  store i32 0i32 to @lock
  return
}
";
    assert_eq!(holds(source, "lock", 0, 1000, None), "-1..0");
}
