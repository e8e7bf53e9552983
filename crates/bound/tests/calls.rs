//! Calls, starts of threads and ends of objects.

use selvedge_bound::{Bounded, Limits, StepOp, bound, verify};
use selvedge_program::text::parse;
use selvedge_program::{Op, Operand, Program, Property};

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

/// The whole-program analysis follows calls of another type with the value that the parameter really gets.
#[test]
fn an_argument_of_another_type_decides_what_is_written() {
    for (parameter, argument, is_given) in [
        ("i1", "256i32", "copy %a"),
        ("i8", "514i32", "eq %a, 2i8"),
        ("i8", "-1i32", "eq %a, -1i8"),
        ("i64", "-1i32", "eq %a, 4294967295i64"),
        ("ptr", "0i64", "eq %a, null"),
    ] {
        let program = program(&format!(
            "fn @callee(%a: {parameter}) {{
  i1 %c
entry:
  %c = {is_given}
  branch %c, yes, no
yes:
  store i32 1i32 to @x
  return
no:
  return
}}
fn @worker(%a: ptr, %b: ptr) {{
  ptr %f
entry:
  %f = copy @callee
  call *%f({argument})
  return
}}
fn @main() {{
  i32 %t, %v
entry:
  %t = spawn(@worker, null, null)
  %v = load @x
  store i32 %v to @p
  return
}}"
        ));
        let bounded = bounded(&program);
        let written = |op: &StepOp| matches!(op, StepOp::Plain(Op::Store { value: Operand::Const { .. }, .. }));
        let passed_on = |op: &StepOp| matches!(op, StepOp::Plain(Op::Store { value: Operand::Reg(_), .. }));
        assert_eq!((count(&bounded, written), count(&bounded, passed_on)), (1, 1), "{parameter} {argument}: {bounded}");
    }
}

#[test]
fn nothing_follows_what_is_not_supported() {
    let program = program(
        "fn @main() {
entry:
  store i32 1i32 to @x
  unsupported \"a step back\"
  store i32 2i32 to @x
  return
}",
    );
    let bounded = bounded(&program);
    assert_eq!(count(&bounded, |op| matches!(op, StepOp::Plain(Op::Store { .. }))), 1, "{bounded}");
}

/// By block: what constants have settled.
fn proved(body: &str) -> Vec<Property> {
    let program = program(body);
    let bounded = bounded(&program);
    bounded.threads[0].blocks.values().flat_map(|block| block.proved.iter()).collect()
}

#[test]
fn checks_that_constants_settle_were_made() {
    let main = |registers: &str, steps: &str| proved(&format!("fn @main() {{\n{registers}\nentry:\n{steps}\n}}"));
    assert_eq!(main("  i32 %v", "  %v = add checked 3i32, 4i32\n  store i32 %v to @x\n  return"), [Property::Overflow]);
    assert_eq!(
        main("  i32 %v", "  %v = load @x\n  %v = sdiv %v, 3i32\n  store i32 %v to @x\n  return"),
        [Property::Arithmetic]
    );
    assert_eq!(
        main("  ptr %q", "  %q = index @p, 1i64 stride 4 bound 2\n  store i32 1i32 to %q\n  return"),
        [Property::Memory]
    );
    let branch = "  %c = eq 1i32, 1i32
  branch %c, fine, bad
bad:
  violation lock \"misuse\"
  return
fine:
  return";
    assert_eq!(main("  i1 %c", branch), [Property::Lock]);
    assert_eq!(main("  i32 %v", "  %v = add 3i32, 4i32\n  store i32 %v to @x\n  return"), []);
    let unsettled = "  %v = load @x\n  %v = add checked %v, 4i32\n  store i32 %v to @x\n  return";
    assert_eq!(main("  i32 %v", unsettled), []);
}

/// A size of so few bits that it cannot exceed the limit is not compared with it.
#[test]
fn only_sizes_that_may_be_too_large_are_limited() {
    for (bits, is_limited) in [(8, false), (12, false), (13, true), (64, true)] {
        let program = program(&format!(
            "fn @main() {{
  i{bits} %n
  ptr %q
entry:
  %n = nondet call \"n\"
  %q = alloca %n align 4
  store ptr %q to @p
  return
}}"
        ));
        let bounded = bounded(&program);
        let limits = count(&bounded, |op| matches!(op, StepOp::Plain(Op::Unsupported { .. })));
        assert_eq!(limits, usize::from(is_limited), "{bits}: {bounded}");
    }
}

/// An argument that becomes a truth value is compared with zero, also where only the survey of the whole program
/// knows it: what another thread stores is 1.
#[test]
fn an_even_argument_is_a_true_one() {
    let program = program(
        "fn @callee(%c: i1) {
  i32 %v
entry:
  %v = zero_extend %c
  store i32 %v to @x
  return
}
fn @worker(%a: ptr, %b: ptr) {
entry:
  call *@callee(2i32)
  return
}
fn @main() {
  i32 %t, %v
  i1 %is_one
entry:
  %t = spawn(@worker, null, null)
  %v = load @x
  %is_one = eq %v, 1i32
  branch %is_one, one, other
one:
  violation assertion \"one\"
  return
other:
  return
}",
    );
    assert_eq!(count(&bounded(&program), |op| matches!(op, StepOp::Plain(Op::Violation { .. }))), 1);
}
