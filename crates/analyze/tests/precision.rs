//! Facts about small programs: exact places, exact counts.

use selvedge_analyze::{Interference, Offset, PointsTo, Reductions, Touched};
use selvedge_bound::{BlockId, Bounded, Limits, StepOp, bound};
use selvedge_program::{EntityRef, GlobalId, Op, Operand, text};

const HEAD: &str = "\
program lp64 entry @main
global @x 4 align 4
global @y 8 align 4
global @lock 4 align 4
global @handle 8 align 8
global @p 8 align 8
";

fn with_facts(source: &str, reductions: Reductions, check: impl Fn(&Bounded<'_>, &PointsTo, &Interference)) {
    let source = format!("{HEAD}{source}");
    let program = text::parse(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let limits = Limits { unwind: 2, recursion: 2, threads: 8, max_steps: 10_000, ..Limits::default() };
    let bounded = bound(&program, &limits).unwrap();
    let points_to = PointsTo::new(&bounded);
    let facts = Interference::new(&bounded, &points_to, reductions);
    check(&bounded, &points_to, &facts);
}

fn object(bounded: &Bounded<'_>, name: &str) -> GlobalId {
    bounded.objects.iter().find(|(_, object)| object.name == name).map(|(id, _)| id).unwrap()
}

/// Accesses to a global, in order: thread, whether it writes, whether it is visible.
fn accesses(bounded: &Bounded<'_>, facts: &Interference, name: &str) -> Vec<(usize, bool, bool)> {
    let wanted = object(bounded, name);
    let mut found = Vec::new();
    for (number, thread) in bounded.threads.iter().enumerate() {
        for (block, body) in &thread.blocks {
            for step in 0..body.steps.len() {
                for access in facts.accesses(number, block, step).iter().filter(|access| access.object == wanted) {
                    found.push((number, access.write, facts.visible(number, block, step)));
                }
            }
        }
    }
    found
}

const WRITER: &str = "
fn @writer(%a: ptr, %b: ptr) {
entry:
  store i32 7i32 to @x
  return
}
";

#[test]
fn creating_and_joining_order_accesses() {
    let main = "
fn @main() {
  i32 %t
  i64 %wide
  i64 %plus
  i64 %h
  i32 %narrow
  i32 %n
  i1 %f
  i32 %v
entry:
  store i32 1i32 to @x
  %t = spawn(@writer, null, null)
  %wide = sign_extend %t
  %plus = add %wide, 1i64
  store i64 %plus to @handle
  %v = load @x
  %h = load @handle
  %narrow = truncate %h
  %n = sub %narrow, 1i32
  atomic_begin()
  %f = finished(%n)
  block_until(%f)
  atomic_end()
  store i32 2i32 to @x
  return
}
";
    let source = format!("{WRITER}{main}");
    with_facts(&source, Reductions::ALL, |bounded, _, facts| {
        let seen = accesses(bounded, facts, "x");
        // Before the thread begins; while it runs; after it has ended. And the thread's own.
        assert_eq!(seen, [(0, true, false), (0, false, true), (0, true, false), (1, true, true)]);
        assert_eq!(facts.touched_by(object(bounded, "x")), Touched::Several);
        assert_eq!(facts.touched_by(object(bounded, "handle")), Touched::Only(0));
        assert_eq!(facts.touched_by(object(bounded, "y")), Touched::Nobody);
    });
    with_facts(&source, Reductions { joins: false, ..Reductions::ALL }, |bounded, _, facts| {
        let seen = accesses(bounded, facts, "x");
        assert_eq!(seen, [(0, true, false), (0, false, true), (0, true, true), (1, true, true)]);
    });
    with_facts(&source, Reductions::NONE, |bounded, points_to, facts| {
        assert!(accesses(bounded, facts, "x").iter().all(|(.., visible)| *visible));
        let counts = Interference::counts(bounded, points_to, Reductions::ALL);
        // The join, main's read and the thread's write are left.
        let expected = [
            ("at all accesses", 7),
            ("in conflict", 5),
            ("that can run", 5),
            ("after creation", 4),
            ("before joins", 3),
            ("not protected by locks", 3),
        ];
        assert_eq!(counts, expected);
    });
}

/// Two threads that add to `x`; the second does what `second` says instead.
fn two_lockers(second: &str) -> String {
    let locked = |name: &str, body: &str| {
        format!(
            "
fn @{name}(%a: ptr, %b: ptr) {{
  i32 %l
  i1 %free
  i32 %v
entry:
{body}
  return
}}
"
        )
    };
    let lock = "  atomic_begin()
  %l = load @lock
  %free = eq %l, 0i32
  block_until(%free)
  store i32 1i32 to @lock
  acquired(@lock, true)
  atomic_end()
";
    let add = "  %v = load @x
  %v = add %v, 1i32
  store i32 %v to @x
";
    let second = second.replace("LOCK", lock).replace("ADD", add);
    let first = locked("first", &format!("{lock}{add}{UNLOCK}"));
    let main = "
fn @main() {
  i32 %t
entry:
  %t = spawn(@first, null, null)
  %t = spawn(@second, null, null)
  return
}
";
    format!("{first}{}{main}", locked("second", &second))
}

#[test]
fn a_lock_protects_what_all_access_under_it() {
    with_facts(&two_lockers(&format!("LOCK\nADD\n{UNLOCK}")), Reductions::ALL, |bounded, _, facts| {
        assert!(accesses(bounded, facts, "x").iter().all(|(.., visible)| !visible));
        // Taking the lock is visible, giving it back is not.
        let seen = accesses(bounded, facts, "lock");
        let of_one = [(false, true), (true, true), (true, false)];
        let expected: Vec<_> = (1..3).flat_map(|t| of_one.map(|(write, visible)| (t, write, visible))).collect();
        assert_eq!(seen, expected);
    });
}

const UNLOCK: &str = "  atomic_begin()
  store i32 0i32 to @lock
  released(@lock)
  atomic_end()
";

#[test]
fn a_lock_does_not_protect_from_those_without_it() {
    with_facts(&two_lockers("ADD"), Reductions::ALL, |bounded, _, facts| {
        assert!(accesses(bounded, facts, "x").iter().all(|(.., visible)| *visible));
    });
}

#[test]
fn a_lock_that_others_open_protects_nothing() {
    with_facts(&two_lockers(&format!("{UNLOCK}LOCK\nADD\n{UNLOCK}")), Reductions::ALL, |bounded, _, facts| {
        assert!(accesses(bounded, facts, "x").iter().all(|(.., visible)| *visible));
    });
}

#[test]
fn fields_are_told_apart() {
    let source = "
fn @other(%a: ptr, %b: ptr) {
entry:
  store i32 7i32 to %b
  return
}

fn @main() {
  ptr %q
  i32 %t
  i32 %v
entry:
  %q = field @y, 4
  store ptr %q to @p
  %q = load @p
  %t = spawn(@other, null, %q)
  store i32 1i32 to @y
  %v = load %q
  return
}
";
    with_facts(source, Reductions::ALL, |bounded, points_to, facts| {
        let y = object(bounded, "y");
        let param = bounded.threads[1].params[1];
        assert_eq!(points_to.of(1, Operand::Reg(param)).single(), Some((y, 4)));
        assert_eq!(accesses(bounded, facts, "y"), [(0, true, false), (0, false, true), (1, true, true)]);
    });
}

#[test]
fn pointers_survive_integers_and_bytes() {
    let source = "
fn @main() {
  ptr %q
  i64 %n
  i64 %m
  i32 %half
  ptr %sum
  ptr %mixed
  ptr %copied
entry:
  %n = ptr_to_int @y
  %m = add %n, 4i64
  %sum = int_to_ptr %m
  %m = nondet call \"any\"
  %n = add %n, %m
  %mixed = int_to_ptr %n
  store ptr @x to @p
  %half = load @p
  store i32 %half to @handle
  %half = load @p+4
  store i32 %half to @handle+4
  %copied = load @handle
  store ptr %sum to @p
  store ptr %mixed to @p
  store ptr %copied to @p
  return
}
";
    with_facts(source, Reductions::ALL, |bounded, points_to, _| {
        let (x, y) = (object(bounded, "x"), object(bounded, "y"));
        let stored: Vec<_> = bounded.threads[0].blocks[BlockId::new(0)]
            .steps
            .iter()
            .filter_map(|step| match step.op {
                StepOp::Plain(Op::Store { value, .. }) => Some(points_to.of(0, value)),
                _ => None,
            })
            .collect();
        let [_, _, _, sum, mixed, copied] = stored[..] else { panic!("{stored:?}") };
        assert_eq!(sum.single(), Some((y, 4)));
        assert_eq!(
            mixed.places.iter().map(|place| (place.object, place.offset)).collect::<Vec<_>>(),
            [(y, Offset::Any)]
        );
        assert!(copied.contains(x, 0), "{copied:?}");
    });
}
