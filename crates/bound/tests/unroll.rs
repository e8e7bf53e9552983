//! Small programs and what becomes of them.

use selvedge_bound::order::Order;
use selvedge_bound::{Bounded, CutKind, Limits, ObjectKind, Refusal, StepOp, Terminator, bound, verify};
use selvedge_program::text::parse;
use selvedge_program::{BlockId, EntityRef, Op, Program};

const GLOBALS: &str = "program lp64 entry @main
file f0 \"a.c\"
global @x 4 align 4
global @p 8 align 8
global @limit 4 align 4 = \"03000000\"
global @own 8 align 8 thread_local
";

fn program(text: &str) -> Program {
    let text = format!("{GLOBALS}{text}");
    let program = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let problems = selvedge_program::verify::verify(&program);
    assert!(problems.is_empty(), "{problems:?}");
    program
}

/// With these registers and this body.
fn main_program(body: &str) -> Program {
    program(&format!(
        "fn @main() {{\n  i32 %i, %j, %v, %w\n  i1 %c, %d\n  ptr %q, %r\n{body}\n}}\nfn @callee(%a: ptr, %b: ptr) {{\nentry:\n  return\n}}"
    ))
}

fn limits(unwind: u32) -> Limits {
    Limits { unwind, recursion: 1, threads: 4, ..Limits::default() }
}

#[track_caller]
fn bounded(program: &Program, unwind: u32) -> Bounded<'_> {
    let bounded = bound(program, &limits(unwind)).unwrap();
    assert_eq!(verify(&bounded), []);
    bounded
}

/// How many stores there are to a variable of the program's.
fn stores(bounded: &Bounded<'_>) -> usize {
    count(bounded, |op| matches!(op, StepOp::Plain(Op::Store { .. })))
}

fn count(bounded: &Bounded<'_>, wanted: impl Fn(&StepOp) -> bool) -> usize {
    let steps = bounded.threads.iter().flat_map(|t| t.blocks.values()).flat_map(|b| &b.steps);
    steps.filter(|step| wanted(&step.op)).count()
}

fn kinds(bounded: &Bounded<'_>) -> Vec<CutKind> {
    bounded.cuts.iter().map(|cut| cut.kind).collect()
}

const COUNTED: &str = "entry:
  %i = copy 0i32
  jump head
head:
  %c = slt %i, 10i32
  branch %c, body, done
body:
  store i32 %i to @x
  %i = add checked %i, 1i32
  jump head
done:
  return";

#[test]
fn a_loop_with_a_constant_bound_is_unwound_fully() {
    let program = main_program(COUNTED);
    let bounded = bounded(&program, 2);
    assert_eq!(stores(&bounded), 10);
    assert_eq!(bounded.threads[0].blocks.len(), 1);
    assert!(bounded.cuts.is_empty());
}

#[test]
fn a_bound_in_a_variable_that_nobody_writes_is_constant_too() {
    let program = main_program(&COUNTED.replace("%c = slt %i, 10i32", "%v = load @limit\n  %c = slt %i, %v"));
    let bounded = bounded(&program, 1);
    assert_eq!(stores(&bounded), 3);
    assert!(bounded.cuts.is_empty());
}

#[test]
fn evident_iterations_are_limited_when_they_are_too_many() {
    let program = main_program(&COUNTED.replace("10i32", "1000000000i32"));
    let small = Limits { max_steps: 10_000, ..limits(3) };
    let bounded = bound(&program, &small).unwrap();
    assert_eq!(kinds(&bounded), [CutKind::Loop(3)]);
    assert!((256..300).contains(&stores(&bounded)), "{}", stores(&bounded));
    let smaller = Limits { max_steps: 100, ..limits(3) };
    assert_eq!(stores(&bound(&program, &smaller).unwrap()), 3);
    let none = Limits { max_steps: 10, ..limits(3) };
    assert_eq!(bound(&program, &none), Err(Refusal::TooLarge(10)));
}

const UNKNOWN: &str = "entry:
  %v = nondet call \"n\"
  %i = copy 0i32
  jump head
head:
  %c = slt %i, %v   at 7
  branch %c, body, done at 7
body:
  store i32 %i to @x at 8
  %i = add checked %i, 1i32 at 7
  jump head at 7
done:
  return";

#[test]
fn a_loop_with_an_unknown_bound_is_cut() {
    let program = main_program(UNKNOWN);
    for unwind in 1..5 {
        let bounded = bounded(&program, unwind);
        assert_eq!(stores(&bounded), unwind as usize, "the body runs as often as the bound says");
        assert_eq!(kinds(&bounded), [CutKind::Loop(unwind)]);
        assert_eq!(bounded.cuts[0].loc.line, 7);
        // The last test may still leave: one way out for every number of iterations.
        let tests = bounded.threads[0].blocks.values().filter(|b| matches!(b.term, Terminator::Branch { .. }));
        assert_eq!(tests.count(), unwind as usize + 1);
    }
}

#[test]
fn one_loop_can_have_a_bound_of_its_own() {
    let program = main_program(UNKNOWN);
    for (file, expected) in [("a.c", 5), ("b.c", 2)] {
        let limits = Limits { unwind_at: vec![((file.to_string(), 7), 5)], ..limits(2) };
        assert_eq!(stores(&bound(&program, &limits).unwrap()), expected);
    }
}

#[test]
fn nested_loops_multiply() {
    let inner = "entry:
  %i = copy 0i32
  jump outer
outer:
  %c = slt %i, 3i32
  branch %c, start, done
start:
  %j = copy 0i32
  jump inner
inner:
  %d = slt %j, BOUND
  branch %d, body, next
body:
  store i32 %j to @x
  %j = add checked %j, 1i32
  jump inner
next:
  %i = add checked %i, 1i32
  jump outer
done:
  return";
    let constant = main_program(&inner.replace("BOUND", "%i"));
    let whole = bounded(&constant, 1);
    assert_eq!((stores(&whole), whole.cuts.len()), (1 + 2, 0));
    let unknown =
        main_program(&inner.replace("  %d = slt", "  %v = nondet call \"n\"\n  %d = slt").replace("BOUND", "%v"));
    let cut = bounded(&unknown, 2);
    assert_eq!((stores(&cut), cut.cuts.len()), (3 * 2, 1), "the outer loop is evident, the inner one is cut");
}

#[test]
fn a_loop_that_is_left_in_the_middle() {
    let program = main_program(
        "entry:
  %i = copy 0i32
  jump head
head:
  %c = slt %i, 4i32
  branch %c, body, done
body:
  %v = nondet call \"n\"
  %d = eq %v, 0i32
  branch %d, done, rest
rest:
  %i = add checked %i, 1i32
  store i32 %i to @x
  jump head
done:
  return",
    );
    let bounded = bounded(&program, 1);
    assert_eq!(stores(&bounded), 4);
    assert!(bounded.cuts.is_empty(), "the constant test bounds it");
}

#[test]
fn an_endless_loop_is_cut() {
    let program = main_program("entry:\n  jump head\nhead:\n  store i32 1i32 to @x\n  jump head");
    let bounded = bounded(&program, 3);
    assert_eq!(stores(&bounded), 3);
    assert_eq!(kinds(&bounded), [CutKind::Loop(3)]);
}

#[test]
fn a_constant_that_never_changes_makes_no_iteration_evident() {
    // while (i == 0) with an i that stays, and another variable that does not.
    let program = main_program(
        "entry:
  %i = copy 0i32
  %j = copy 0i32
  jump head
head:
  %c = eq %i, 0i32
  branch %c, body, done
body:
  store i32 %j to @x
  %j = add %j, 1i32
  jump head
done:
  return",
    );
    let bounded = bounded(&program, 2);
    assert!((2..=3).contains(&stores(&bounded)), "{bounded}");
    assert_eq!(kinds(&bounded), [CutKind::Loop(2)]);
}

const IRREDUCIBLE: &str = "entry:
  %c = nondet call \"n\"
  branch %c, left, right
left:
  store i32 1i32 to @x
  %c = nondet call \"n\"
  branch %c, right, done
right:
  store i32 2i32 to @x
  jump left
done:
  return";

#[test]
fn a_loop_with_two_entries() {
    let program = main_program(IRREDUCIBLE);
    let order = Order::new(&program.functions[program.entry]);
    let heads: Vec<_> = order.line().iter().filter(|b| order.is_head(**b)).collect();
    assert_eq!(heads.len(), 1);
    let bounded = bounded(&program, 2);
    assert_eq!(kinds(&bounded), [CutKind::Loop(2)]);
    assert!(stores(&bounded) >= 4, "{bounded}");
}

#[test]
fn the_order_is_weakly_topological() {
    for text in [COUNTED, UNKNOWN, IRREDUCIBLE] {
        let program = main_program(text);
        let function = &program.functions[program.entry];
        let order = Order::new(function);
        assert_eq!(order.line()[0], BlockId::new(0));
        for block in order.line() {
            for target in function.blocks[*block].term.successors() {
                let forward = order.position(target) > order.position(*block);
                assert!(forward || order.chain(*block).contains(&target));
            }
        }
    }
}

#[test]
fn recursion_is_cut() {
    let program = program(
        "fn @main() {
entry:
  call @down(5i32)
  return
}
fn @down(%n: i32) at f0:4:1 {
  i1 %c
  i32 %m
entry:
  %c = sgt %n, 0i32
  branch %c, more, done
more:
  store i32 %n to @x
  %m = sub checked %n, 1i32
  call @down(%m)
  return
done:
  return
}",
    );
    let bound_at = |recursion| bound(&program, &Limits { recursion, ..limits(1) }).unwrap();
    assert_eq!(stores(&bound_at(1)), 2);
    assert_eq!(kinds(&bound_at(1)), [CutKind::Recursion(1)]);
    assert_eq!(bound_at(1).cuts[0].loc.line, 4);
    assert_eq!(stores(&bound_at(5)), 5);
    assert_eq!(kinds(&bound_at(5)), []);
}

const POINTED: &str = "fn @one() -> i32 {
entry:
  store i32 1i32 to @x
  return 1i32
}
fn @two(%n: i16) -> i64 {
entry:
  store i32 2i32 to @x
  return 2i64
}
fn @three(%a: i32, %b: i32) {
entry:
  store i32 3i32 to @x
  return
}
fn @main() {
  ptr %f
  i32 %v
entry:
  store ptr @one to @p
  store ptr @two to @p
  store ptr @three to @p
  FETCH
  %v = call *%f(7i32)
  store i32 %v to @x
  return
}";

#[test]
fn a_pointer_that_is_known_is_a_plain_call() {
    let program = program(&POINTED.replace("FETCH", "%f = copy @two"));
    let bounded = bounded(&program, 1);
    assert_eq!((stores(&bounded), bounded.threads[0].blocks.len()), (3 + 2, 1));
    let text = bounded.to_string();
    assert!(text.contains("store i32 2i32 to @x\n  store i32 2i32 to @x\n  finish"), "{text}");
}

#[test]
fn a_pointer_that_is_unknown_is_a_choice() {
    let program = program(&POINTED.replace("FETCH", "%f = load @p"));
    let bounded = bounded(&program, 1);
    assert_eq!(stores(&bounded), 3 + 2 + 1, "of the three, two take one argument or none\n{bounded}");
    assert_eq!(count(&bounded, |op| matches!(op, StepOp::Plain(Op::Violation { .. }))), 1);
}

#[test]
fn a_pointer_to_nothing_is_a_violation() {
    let program = program(&POINTED.replace("FETCH", "%f = copy null"));
    let text = bounded(&program, 1).to_string();
    assert!(text.contains("violation memory \"calls through a null pointer\""), "{text}");
}

const THREADS: &str = "fn @body(%a: ptr, %b: ptr) {
  i32 %me
  i64 %n
  i1 %c
entry:
  %me = self()
  store i32 %me to @x
  %n = ptr_to_int %a
  store i64 %n to @own
  return
}
fn @main() {
  i32 %i, %t, %n
  i64 %w
  ptr %q, %r
  i1 %c
entry:
  %i = copy 0i32
  jump head
head:
  %c = slt %i, 3i32
  branch %c, create, done
create:
  %w = sign_extend %i
  %q = int_to_ptr %w
  %t = spawn(@body, %q, null)
  %i = add %i, 1i32
  jump head
done:
  %n = threads()
  store i32 %n to @x
  FETCH
  %r = tls_of(%n, @own)
  store i32 9i32 to %r
  return
}";

#[test]
fn threads_created_in_a_loop() {
    let program = program(&THREADS.replace("FETCH", "%n = copy 2i32"));
    let bounded = bounded(&program, 1);
    assert_eq!(bounded.threads.len(), 4);
    let text = bounded.to_string();
    for part in [
        "spawn thread 1(null, null)",
        "spawn thread 3(0x2ptr, null)",
        "store i32 4i32 to @x",
        "store i32 9i32 to @own#t2",
        "store i32 3i32 to @x",
        "store i64 2i64 to @own#t3",
        "object @own#t3 8 bytes, thread-local of thread 3",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let copies = bounded.objects.values().filter(|o| matches!(o.kind, ObjectKind::ThreadLocal { .. })).count();
    assert_eq!(copies, 4);
    assert_eq!(count(&bounded, |op| matches!(op, StepOp::Finish { .. })), 4);
}

#[test]
fn another_threads_copy_may_be_any() {
    let program = program(&THREADS.replace("FETCH", "%n = load @x"));
    let bounded = bounded(&program, 1);
    assert_eq!(count(&bounded, |op| matches!(op, StepOp::Plain(Op::Select { .. }))), 3, "{bounded}");
}

#[test]
fn threads_are_cut() {
    let program = program(&THREADS.replace("FETCH", "%n = copy 0i32"));
    let bounded = bound(&program, &Limits { threads: 2, ..limits(1) }).unwrap();
    assert_eq!(bounded.threads.len(), 3);
    assert_eq!(kinds(&bounded), [CutKind::Threads(2)]);
}

#[test]
fn a_thread_whose_start_is_unknown() {
    let program = main_program(
        "entry:
  store ptr @callee to @p
  %q = load @p
  %v = spawn(%q, null, null)
  return",
    );
    let bounded = bounded(&program, 1);
    assert_eq!(bounded.threads.len(), 2);
    assert_eq!(count(&bounded, |op| matches!(op, StepOp::Plain(Op::Violation { .. }))), 1, "{bounded}");
}

#[test]
fn stack_objects_end_with_their_function() {
    let program = program(
        "fn @leaf(%n: i32) -> i32 {
  ptr %p
  i32 %v
entry:
  %p = alloca 4i64 align 4 var \"n\"
  store i32 %n to %p
  %v = load %p
  return %v
}
fn @plain() {
entry:
  return
}
fn @main() {
  i32 %v
  ptr %m, %q
entry:
  %v = call @leaf(1i32)
  %v = call @leaf(2i32)
  call @plain()
  %m = stack_save
  %q = alloca 4i64 align 4
  stack_restore %m
  return
}",
    );
    let bounded = bounded(&program, 1);
    let objects = program.globals.len();
    assert_eq!(bounded.objects.len(), objects + 1 + 3, "a thread-local's copy and three on the stack");
    let ends = |op: &StepOp| matches!(op, StepOp::End { objects } if objects.len() == 1);
    assert_eq!(count(&bounded, ends), 3, "{bounded}");
    assert_eq!(count(&bounded, |op| matches!(op, StepOp::End { .. })), 3);
    assert_eq!(bounded.objects.values().filter(|o| o.kind == ObjectKind::Stack && o.name == "n").count(), 2);
}

#[test]
fn the_heap_and_the_end_of_a_thread() {
    let program = main_program(
        "entry:
  %q = alloca 4i64 align 4
  %r = alloc(16i64, 8i64)
  store ptr %r to @p
  thread_exit()
  unreachable",
    );
    let bounded = bounded(&program, 1);
    let finish = |op: &StepOp| matches!(op, StepOp::Finish { objects } if objects.len() == 1);
    assert_eq!(count(&bounded, finish), 1);
    assert_eq!(bounded.objects.values().filter(|o| o.kind == ObjectKind::Heap && o.size == 16).count(), 1);
}

#[test]
fn sizes_that_are_not_known_are_limited() {
    for line in ["%q = alloca %v align 4 at 3", "%q = alloc(%v, 8i64) at 3"] {
        let program = program(&format!(
            "fn @main() at f0:1:1 {{\n  i64 %v\n  ptr %q\nentry:\n  %v = nondet call \"n\"\n  {line}\n  return\n}}"
        ));
        let bounded = bounded(&program, 1);
        let text = bounded.to_string();
        for part in [
            "= ugt %0.v, 4096i64",
            "unsupported \"an object of unknown size, larger than 4096 bytes\"",
            " of %0.v bytes",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert_eq!(bounded.objects.values().filter(|object| object.size == 4096).count(), 1);
    }
}

#[test]
fn what_cannot_be_bounded_stops_where_it_is_reached() {
    let program = main_program(
        "entry:
  %c = nondet call \"n\"
  %v = setjmp(@p)
  branch %c, jump, done
jump:
  longjmp(@p, 1i32)
  unreachable
done:
  return",
    );
    let text = bounded(&program, 1).to_string();
    assert!(text.contains("unsupported \"longjmp\"\n  stop"), "{text}");
}

#[test]
fn positions_are_those_of_the_user() {
    let program = program(
        "fn @lock() model at f0:90:1 {
entry:
  call @inner() at 91
  store i32 1i32 to @x at 92
  return
}
fn @inner() model at f0:80:1 {
entry:
  store i32 2i32 to @x at 81
  return
}
fn @main() at f0:1:1 {
entry:
  call @lock() at 5
  store i32 3i32 to @x at 6
  return at 7
}",
    );
    let bounded = bounded(&program, 1);
    let steps = bounded.threads[0].blocks.values().flat_map(|b| &b.steps);
    let lines: Vec<_> = steps.map(|step| step.origin.user.line).collect();
    assert_eq!(lines, [5, 5, 6, 7]);
}

#[test]
fn the_text_form() {
    let program = main_program(UNKNOWN);
    let text = bounded(&program, 1).to_string();
    let expected = "cut 0 iterations of a loop: 1                            at a.c:7

thread 0 @main() {
b0:
  %0.v = nondet \"n\"
  %1.c = slt 0i32, %0.v                                    at a.c:7
  branch %1.c, b1, b3                                      at a.c:7
b1:
  store i32 0i32 to @x                                     at a.c:8
  %1.c = slt 1i32, %0.v                                    at a.c:7
  branch %1.c, b2, b3                                      at a.c:7
b2:
  cut 0                                                    at a.c:7
b3:
  finish
  stop
}
";
    assert!(text.ends_with(expected), "{text}");
}

#[test]
fn broken_rules_are_named() {
    let program = main_program(UNKNOWN);
    let mut broken = bounded(&program, 1);
    let first = selvedge_bound::BlockId::new(0);
    let second = selvedge_bound::BlockId::new(1);
    broken.threads[0].blocks[second].term = Terminator::Jump(first);
    broken.threads[0].blocks[first].steps[0].op = StepOp::Plain(Op::StackSave { dst: selvedge_program::Reg::new(99) });
    let problems = format!("{:?}", verify(&broken));
    for part in ["b1 jumps to b0", "r99 does not exist", "is no step"] {
        assert!(problems.contains(part), "{part}: {problems}");
    }
}
