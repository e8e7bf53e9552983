//! Facts about accesses, steps and threads, compared exactly.

use selvedge_analyze::points::turns;
use selvedge_analyze::{Access, Interference, Offset, Points, PointsTo, Reductions, StepRef};
use selvedge_bound::{BlockId, Bounded, Limits, StepOp, bound};
use selvedge_program::{EntityRef, GlobalId, Intrinsic, Op, Operand, text};

const HEAD: &str = "\
program lp64 entry @main
global @x 4 align 4
global @y 8 align 4
global @lock 4 align 4

fn @writer(%a: ptr, %b: ptr) {
entry:
  store i32 7i32 to @x
  return
}
";

fn with_facts(main: &str, check: impl Fn(&Bounded<'_>, &PointsTo, &Interference)) {
    let source = format!("{HEAD}{main}");
    let program = text::parse(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let bounded = bound(&program, &Limits { unwind: 2, ..Limits::default() }).unwrap();
    let points_to = PointsTo::new(&bounded);
    check(&bounded, &points_to, &Interference::new(&bounded, &points_to, Reductions::ALL));
}

fn object(bounded: &Bounded<'_>, name: &str) -> GlobalId {
    bounded.objects.iter().find(|(_, object)| object.name == name).map(|(id, _)| id).unwrap()
}

#[test]
fn accesses_conflict_where_they_share_bytes() {
    let (x, y) = (GlobalId::new(0), GlobalId::new(1));
    let of = |from, to, write| Access { object: x, from, to, write };
    let (end, life) = (Access::end(x), Access::is_alive(x));
    let table = [
        (of(0, 4, true), of(0, 4, false), true),
        (of(0, 4, true), of(0, 4, true), true),
        (of(0, 4, false), of(0, 4, false), false),
        (of(0, 4, true), of(3, 8, false), true),
        (of(0, 4, true), of(4, 8, true), false),
        (of(0, 8, true), of(2, 3, false), true),
        (of(0, 4, true), Access { object: y, ..of(0, 4, true) }, false),
        (end, of(4, 8, false), true),
        (end, life, true),
        (end, end, true),
        (life, of(0, 8, true), false),
        (life, life, false),
    ];
    for (a, b, conflict) in table {
        assert_eq!((a.conflicts(&b), b.conflicts(&a)), (conflict, conflict), "{a:?} {b:?}");
    }
}

#[test]
fn steps_are_parallel_between_creating_a_thread_and_joining_it() {
    let main = "
fn @main() {
  i32 %t
  i1 %f
  i32 %v
entry:
  store i32 1i32 to @x
  %t = spawn(@writer, null, null)
  %v = load @x
  atomic_begin()
  %f = finished(%t)
  block_until(%f)
  atomic_end()
  store i32 2i32 to @x
  return
}
";
    with_facts(main, |bounded, _, facts| {
        let x = object(bounded, "x");
        let mut steps = Vec::new();
        for (thread, body) in bounded.threads.iter().enumerate() {
            for (block, body) in &body.blocks {
                let all = (0..body.steps.len()).map(|step| StepRef { thread, block, step });
                let touches = |at: &StepRef| facts.accesses(at.thread, at.block, at.step).iter().any(|a| a.object == x);
                steps.extend(all.filter(touches));
            }
        }
        let [before, during, after, other] = steps[..] else { panic!("{steps:?}") };
        for (step, parallel) in [(before, false), (during, true), (after, false), (other, false)] {
            assert_eq!((facts.parallel(step, other), facts.parallel(other, step)), (parallel, parallel));
        }
    });
}

#[test]
fn threads_take_turns_by_creator_and_most_copies_first() {
    let source = "
fn @odd(%a: ptr, %b: ptr) {
entry:
  return
}

fn @parent(%a: ptr, %b: ptr) {
  i32 %t
entry:
  %t = spawn(@odd, @child, null)
  return
}

fn @child(%a: ptr, %b: ptr) {
entry:
  return
}

fn @main() {
  i32 %t
entry:
  %t = spawn(@odd, @odd, null)
  %t = spawn(@parent, @parent, null)
  %t = spawn(@odd, @child, null)
  %t = spawn(@odd, @child, null)
  return
}
";
    with_facts(source, |bounded, _, _| {
        assert_eq!(turns(bounded), [3, 4, 1, 2, 5, 0]);
    });
}

#[test]
fn waiting_in_a_section_within_a_section_is_told_apart() {
    let wait = "  atomic_begin()
  waits_for(@lock, 1i32)
  block_until(%c)
  atomic_end()
";
    let source = format!(
        "
fn @main() {{
  i32 %t
  i1 %c
entry:
  %t = spawn(@writer, null, null)
  %c = nondet call \"c\"
{wait}
  atomic_begin()
{wait}
  atomic_end()
  return
}}
"
    );
    with_facts(&source, |bounded, _, facts| {
        let points = &Points::of_all(bounded, facts)[0];
        let block = BlockId::new(0);
        let steps = bounded.threads[0].blocks[block].steps.iter().enumerate();
        let waits = steps.filter(|(_, step)| step.op.is(Intrinsic::WaitsFor));
        let nested: Vec<bool> = waits.map(|(step, _)| points.is_nested(block, step)).collect();
        assert_eq!(nested, [false, true]);
    });
}

#[test]
fn an_address_points_where_it_says_also_if_only_a_thread_gets_it() {
    let main = "
fn @main() {
  i32 %t
entry:
  %t = spawn(@writer, null, @y+4)
  return
}
";
    with_facts(main, |bounded, points_to, _| {
        let id = object(bounded, "y");
        assert_eq!(points_to.of(0, Operand::Global { id, offset: 4 }).single(), Some((id, 4)));
    });
}

#[test]
fn a_part_of_an_address_may_point_anywhere_in_its_object() {
    let main = "
fn @main() {
  i64 %whole, %long
  i32 %low
  ptr %part
entry:
  %whole = ptr_to_int @y
  %low = truncate %whole
  %long = zero_extend %low
  %part = int_to_ptr %long
  store i32 1i32 to %part
  return
}
";
    with_facts(main, |bounded, points_to, _| {
        let steps = &bounded.threads[0].blocks[BlockId::new(0)].steps;
        let store = steps.iter().find_map(|step| match step.op {
            StepOp::Plain(Op::Store { addr, .. }) => Some(addr),
            _ => None,
        });
        let places = &points_to.of(0, store.unwrap()).places;
        assert_eq!(
            places.iter().map(|p| (p.object, p.offset)).collect::<Vec<_>>(),
            [(object(bounded, "y"), Offset::Any)]
        );
    });
}
