//! Calls, starts of threads and ends of objects.

use selvedge_bound::{Bounded, Limits, StepOp, bound, verify};
use selvedge_program::text::parse;
use selvedge_program::{Op, Program};

fn program(body: &str) -> Program {
    let text = format!("program lp64 entry @main\nglobal @x 4 align 4\nglobal @p 8 align 8\n{body}");
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[track_caller]
fn bounded(program: &Program) -> Bounded<'_> {
    let bounded = bound(program, &Limits { unwind: 1, ..Limits::default() }).unwrap();
    assert!(verify(&bounded).is_empty());
    bounded
}

fn count(bounded: &Bounded<'_>, wanted: impl Fn(&StepOp) -> bool) -> usize {
    let steps = bounded.threads.iter().flat_map(|thread| thread.blocks.values()).flat_map(|block| &block.steps);
    steps.filter(|step| wanted(&step.op)).count()
}

#[test]
fn objects_of_either_way_end() {
    let program = program(
        "fn @main() {
  i1 %c
  ptr %q, %r
entry:
  %c = nondet call \"c\"
  branch %c, one, other
one:
  %q = alloca 4i64 align 4
  jump join
other:
  %r = alloca 4i64 align 4
  jump join
join:
  return
}",
    );
    let bounded = bounded(&program);
    let finishes = |op: &StepOp| matches!(op, StepOp::Finish { objects } if objects.len() == 2);
    let ends = |op: &StepOp| matches!(op, StepOp::End { objects } if objects.len() == 2);
    assert_eq!(count(&bounded, |op| finishes(op) || ends(op)), 1, "{bounded}");
}

/// The limit on nested calls is none on calls one after the other.
#[test]
fn many_calls_may_follow_each_other() {
    let program = program(
        "fn @callee() {
entry:
  store i32 1i32 to @x
  return
}
fn @main() {
  i32 %i
  i1 %c
entry:
  %i = copy 0i32
  jump head
head:
  %c = slt %i, 1000i32
  branch %c, body, done
body:
  call @callee()
  %i = add %i, 1i32
  jump head
done:
  return
}",
    );
    let bounded = bounded(&program);
    assert_eq!(count(&bounded, |op| matches!(op, StepOp::Plain(Op::Store { .. }))), 1000);
    assert_eq!(count(&bounded, |op| matches!(op, StepOp::Plain(Op::Unsupported { .. }))), 0);
}

#[test]
fn a_thread_may_start_with_any_function_that_its_pointer_means() {
    let program = program(
        "fn @one(%a: ptr, %b: ptr) {
entry:
  store i32 1i32 to @x
  return
}
fn @two(%a: ptr, %b: ptr) {
entry:
  store i32 2i32 to @x
  return
}
fn @main() {
  i32 %t
  ptr %f
entry:
  store ptr @one to @p
  store ptr @two to @p
  %f = load @p
  %t = spawn(%f, null, null)
  return
}",
    );
    let bounded = bounded(&program);
    let text = bounded.to_string();
    for part in ["store i32 1i32 to @x", "store i32 2i32 to @x"] {
        assert!(text.contains(part), "{text}");
    }
}
