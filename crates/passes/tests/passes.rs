//! What each pass does, on small programs: before and after.

use selvedge_passes::{Context, constants, copies, jumps, prepare, promote, registers, run};
use selvedge_program::text::{parse, print};
use selvedge_program::{Function, Program};

/// A program with `body` as its main function and a few things to refer to.
fn program(body: &str) -> Program {
    let text = format!(
        "program lp64 entry @main
         type t0 = int \"int\" 32 signed
         type t1 = struct \"pair\" 8 {{ first: t0 at 0, second: t0 at 32 }}
         global @g 4 align 4
         fn @main() {{
         {body}
         }}
         fn @use(%p: ptr) {{
         entry:
           return
         }}"
    );
    parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[track_caller]
fn becomes(pass: fn(&Context, &mut Function), before: &str, after: &str) {
    let mut found = program(before);
    run(&mut found, "the pass", pass);
    run(&mut found, "registers", registers::registers);
    let mut wanted = program(after);
    found.places = wanted.places.clone();
    run(&mut wanted, "registers", registers::registers);
    assert_eq!(print(&found), print(&wanted));
}

#[track_caller]
fn stays(pass: fn(&Context, &mut Function), before: &str) {
    becomes(pass, before, before);
}

#[test]
fn a_private_variable_becomes_a_register() {
    becomes(
        promote::promote,
        "  ptr %x.addr
           i32 %t, %u
         entry:
           %x.addr = alloca 4i64 align 4 var \"x\" type t0
           store i32 1i32 to %x.addr
           %t = load volatile %x.addr
           %u = add %t, 1i32
           store i32 %u to %x.addr
           return",
        "  i32 %t, %u
           i32 %x: t0
         entry:
           %x = copy 1i32
           %t = copy %x
           %u = add %t, 1i32
           %x = copy %u
           return",
    );
}

#[test]
fn a_variable_read_before_written_gets_any_value() {
    becomes(
        promote::promote,
        "  ptr %x.addr, %y.addr
           i1 %c
           i32 %t
         entry:
           %x.addr = alloca 4i64 align 4 var \"x\" at f0:0:3
           %y.addr = alloca 4i64 align 4 var \"y\"
           %c = nondet call \"f\"
           branch %c, set, join
         set:
           store i32 1i32 to %x.addr
           store i32 1i32 to %y.addr
           %t = load %y.addr
           jump join
         join:
           %t = load %x.addr
           return",
        "  i1 %c
           i32 %t, %x, %y
         entry:
           %x = nondet uninitialised \"x\" at f0:0:3
           %c = nondet call \"f\"
           branch %c, set, join
         set:
           %x = copy 1i32
           %y = copy 1i32
           %t = copy %y
           jump join
         join:
           %t = copy %x
           return",
    );
}

#[test]
fn a_private_struct_falls_apart() {
    becomes(
        promote::promote,
        "  ptr %s, %f, %f2
           i32 %t
         entry:
           %s = alloca 8i64 align 4 var \"s\" type t1
           %f = field %s, 4 of t1
           %f2 = index %f, -1i64 stride 4
           store i32 1i32 to %f
           store i32 2i32 to %f2
           %t = load %f
           return",
        "  i32 %t, %s.first: t0, %s.second: t0
         entry:
           %s.second = copy 1i32
           %s.first = copy 2i32
           %t = copy %s.second
           return",
    );
}

#[test]
fn what_others_may_see_stays_in_memory() {
    for use_of_x in [
        "call @use(%x)",
        "store ptr %x to @g",
        "memset %x, 0i8, 4i64",
        "%t = rmw add %x, 1i32",
        "%y = select true, %x, null",
        "%y = index %x, %l stride 4",
        "%y = field %x, 4\nstore i32 0i32 to %y", // out of bounds
        "%b = load %x",                           // another type
        "%y = field %x, 1\n%b = load %y",         // overlaps
        "%x = copy null",                         // no longer always the object
    ] {
        stays(
            promote::promote,
            &format!(
                "ptr %x, %y\ni32 %t\ni64 %l\ni8 %b\nentry:\n%x = alloca 4i64 align 4 var \"x\"\n\
                 store i32 1i32 to %x\n{use_of_x}\nreturn"
            ),
        );
    }
    // In a loop, of variable size, padding, volatile with setjmp.
    stays(promote::promote, "ptr %x\nentry:\n%x = alloca 4i64 align 4\nstore i32 1i32 to %x\njump entry");
    stays(promote::promote, "ptr %x\nentry:\njump b\nb:\n%x = alloca 4i64 align 4\nstore i32 1i32 to %x\nreturn");
    stays(promote::promote, "ptr %x\ni64 %l\nentry:\n%x = alloca %l align 4\nstore i32 1i32 to %x\nreturn");
    stays(promote::promote, "ptr %x\nentry:\n%x = alloca 4i64 align 4 padding [1:4]\nstore i32 1i32 to %x\nreturn");
    stays(
        promote::promote,
        "ptr %x\nentry:\n%x = alloca 4i64 align 4\nsetjmp(@g)\nstore volatile i32 1i32 to %x\nreturn",
    );
}

#[test]
fn copies_are_read_through() {
    becomes(
        copies::copies,
        "  i32 %x, %t, %u, %v
         entry:
           %t = copy %x
           %u = add checked %t, 1i32
           %x = copy %u
           %v = sdiv 2i32, %t
           store i32 %x to @g
           return",
        // t and x are no longer equal at the division.
        "  i32 %x, %t, %u, %v
         entry:
           %t = copy %x
           %u = add checked %x, 1i32
           %v = sdiv 2i32, %t
           store i32 %u to @g
           return",
    );
}

#[test]
fn results_go_straight_to_their_variable() {
    becomes(
        copies::copies,
        "  i32 %x, %t, %u
         entry:
           %t = load @g
           %x = copy %t
           jump b
         b:
           %u = add %x, 1i32
           %x = copy %u
           branch true, b, c
         c:
           store i32 %x to @g
           return",
        "  i32 %x
         entry:
           %x = load @g
           jump b
         b:
           %x = add %x, 1i32
           branch true, b, c
         c:
           store i32 %x to @g
           return",
    );
}

#[test]
fn what_may_go_wrong_or_is_a_step_is_not_dead() {
    stays(
        copies::copies,
        "  i32 %x, %t
           ptr %p
         entry:
           %t = load @g
           %t = udiv 1i32, %x
           %t = shl 1i32, %x
           %t = add checked 1i32, %x
           %p = index @g, %x stride 4 bound 1
           %t = nondet call \"f\"
           return",
    );
    becomes(
        copies::copies,
        "i32 %x, %t\nptr %p\nentry:\n%t = add 1i32, %x\n%t = nondet uninitialised \"x\"\n%p = field @g, 4\nreturn",
        "i32 %x\nentry:\nreturn",
    );
}

#[test]
fn setjmp_may_return_with_other_registers() {
    stays(
        copies::copies,
        "  i32 %x, %t, %r
         entry:
           %t = copy %x
           %r = setjmp(@g)
           store i32 %t to @g
           %x = copy 5i32
           call @use(null)
           return",
    );
}

#[test]
fn constants_fold_as_c_counts() {
    for (op, result) in [
        ("add 255i8, 1i8", "0i8"),
        ("sub 0i8, 1i8", "-1i8"),
        ("mul 100i8, 3i8", "44i8"),
        ("add checked 100i8, 27i8", "127i8"),
        ("udiv -1i8, 2i8", "127i8"),
        ("sdiv -7i8, 2i8", "-3i8"),
        ("srem -7i8, 2i8", "-1i8"),
        ("ashr -8i8, 1i8", "-4i8"),
        ("lshr -8i8, 1i8", "124i8"),
        ("shl 1i8, 7i8", "-128i8"),
        ("leading_zeros 1i8", "7i8"),
        ("trailing_zeros 0i8", "8i8"),
        ("reverse_bits 1i8", "-128i8"),
        ("truncate 257i32", "1i8"),
        ("sign_extend true", "-1i8"),
        ("zero_extend true", "1i8"),
        ("select true, 1i8, 2i8", "1i8"),
    ] {
        let with = |op: &str| format!("i8 %a\nentry:\n%a = {op}\nreturn");
        becomes(constants::constants, &with(op), &with(&format!("copy {result}")));
    }
    for op in ["add checked 100i8, 28i8", "udiv 1i8, 0i8", "sdiv -128i8, -1i8", "shl 1i8, 8i8", "urem 1i8, 0i8"] {
        stays(constants::constants, &format!("i8 %a\nentry:\n%a = {op}\nreturn"));
    }
}

#[test]
fn decided_branches_go_with_what_they_cut_off() {
    becomes(
        constants::constants,
        "  i32 %x
           i1 %c
         entry:
           %x = copy 2i32
           %c = ult %x, 1i32
           branch %c, a, b
         a:
           fence
           return
         b:
           switch 7i32 [1: a, 7: c], a
         c:
           return",
        "  i32 %x
           i1 %c
         entry:
           %x = copy 2i32
           %c = copy false
           jump b
         b:
           jump c
         c:
           return",
    );
}

#[test]
fn jumps_are_threaded_and_blocks_merged() {
    becomes(
        jumps::jumps,
        "  i1 %c
         entry:
           fence
           jump a
         a:
           jump b
         b:
           %c = nondet call \"f\"
           jump c
         c:
           branch %c, d, e
         d:
           jump d2
         d2:
           jump d
         e:
           branch %c, f, g
         f:
           jump h
         g:
           jump h
         h:
           return",
        "  i1 %c
         entry:
           fence
           %c = nondet call \"f\"
           branch %c, d, e
         d:
           jump d
         e:
           return",
    );
}

/// `for (i = 0; i < n; i++) g++` as clang writes it.
#[test]
fn the_whole_pipeline() {
    let before = program(
        "  ptr %i, %n
           i32 %0, %1, %2, %3, %inc
           i1 %cmp
         entry:
           %i = alloca 4i64 align 4 var \"i\" type t0
           %n = alloca 4i64 align 4 var \"n\" type t0
           store i32 3i32 to %n \"n\"
           store i32 0i32 to %i \"i\"
           jump for.cond
         for.cond:
           %0 = load %i \"i\"
           %1 = load %n \"n\"
           %cmp = slt %0, %1
           branch %cmp, for.body, for.end
         for.body:
           %2 = load @g \"g\"
           %inc = add checked %2, 1i32
           store i32 %inc to @g \"g\"
           jump for.inc
         for.inc:
           %3 = load %i \"i\"
           %inc = add checked %3, 1i32
           store i32 %inc to %i \"i\"
           jump for.cond
         for.end:
           return",
    );
    let after = program(
        "  i32 %2, %inc
           i1 %cmp
           i32 %i: t0, %n: t0
         entry:
           %n = copy 3i32
           %i = copy 0i32
           jump for.cond
         for.cond:
           %cmp = slt %i, %n
           branch %cmp, for.body, for.end
         for.body:
           %2 = load @g p2
           %inc = add checked %2, 1i32
           store i32 %inc to @g p2
           %i = add checked %i, 1i32
           jump for.cond
         for.end:
           return",
    );
    let mut found = prepare(before);
    found.places = after.places.clone();
    assert_eq!(print(&found), print(&after));
}

/// Thousands of instructions, blocks and registers take no time worth mentioning.
#[test]
fn large_functions_are_no_problem() {
    let mut text = String::from("ptr %x\ni1 %c\n");
    let n = 5000;
    for i in 0..n {
        text += &format!("i32 %a{i}, %b{i}\n");
    }
    text += "entry:\n%x = alloca 4i64 align 4 var \"x\"\njump k0\n";
    for i in 0..n {
        text += &format!(
            "k{i}:\n%a{i} = load %x\n%b{i} = add %a{i}, 1i32\nstore i32 %b{i} to %x\n%c = nondet call \"f\"\nbranch %c, k{}, k{}\n",
            i + 1,
            i / 2
        );
    }
    text += &format!("k{n}:\nreturn\n");
    let big = program(&text);
    let start = std::time::Instant::now();
    let after = prepare(big);
    assert!(after.functions[after.entry].regs.len() <= 3);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
