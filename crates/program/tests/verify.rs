//! Each rule of `verify` has programs that break just it.

use selvedge_program::text::parse;
use selvedge_program::verify::{Problem, verify};

fn problems(text: &str) -> Vec<Problem> {
    verify(&parse(text).unwrap_or_else(|e| panic!("{e}\n{text}")))
}

/// A good program with one more declaration and one more instruction, in `worker`.
fn with(declaration: &str, inst: &str) -> String {
    format!(
        "program lp64 entry @main
         file f0 \"a.c\"
         type t0 = int \"int\" 32 signed
         global @x 4 align 4 type t0 = \"01000000\" at f0:1:1
         {declaration}
         fn @main() -> i32 at f0:2:1 {{
         entry:
           return 0i32
         }}
         fn @worker(%a: i32 t0, %p: ptr) -> (i32, ptr) at f0:5:1 {{
           i32 %b
           i1 %c
           i8 %s
           i64 %l
           f32 %g
           f64 %d
           ptr %q
         entry:
           %b = add %a, 1i32 at 6:1
           {inst}
           return %b, %p
         }}"
    )
}

#[track_caller]
fn breaks(rule: u8, text: &str) {
    let found = problems(text);
    assert!(!found.is_empty() && found.iter().all(|p| p.rule == rule), "{found:#?}\n{text}");
}

#[test]
fn good_programs_have_no_problems() {
    let good = [
        "fence",
        "%b = load @x",
        "%l = zero_extend %b",
        "%g = reinterpret %b",
        "%l = ptr_to_int %p",
        "%b = call @worker(%a, %p)",
        "%b, %q = call @worker(%a, %p)",
        "call @worker(%a, %p)",
        "%c = eq %p, null",
        "%q = alloca 16i64 align 8 padding [4:8, 12:16]",
        "%b = spawn(@worker, %p, null)",
        "%q = alloc(%l, 8i64)",
        "block_until(%c)",
        "%b, %c = cmpxchg %p, 1i32, 2i32",
    ];
    for inst in good {
        assert_eq!(problems(&with("", inst)), [], "{inst}");
    }
}

#[test]
fn rule_1_whatever_is_named_exists() {
    for inst in [
        "%b = copy %#99",
        "%#99 = copy %b",
        "%q = copy @#fn9",
        "%q = copy @#global9",
        "call @#fn9()",
        "%b = load @x p9",
        "%q = field %p, 0 of t9",
        "fence at f9:1:1",
    ] {
        breaks(1, &with("", inst));
    }
    breaks(1, &with("type t1 = pointer t7", "fence"));
    breaks(1, &with("global @y 8 align 8 pointers [0:8 @#fn9]", "fence"));
    breaks(1, "program lp64 entry @#fn3\n");
    breaks(1, "program lp64 entry @main\nfn @main() {\nb:\n jump #7\n}");
    breaks(1, "program lp64 entry @main\nfn @main() -> i32 {\nb:\n return %#7\n}");
}

#[test]
fn rule_2_widths() {
    breaks(2, &with("", "%s = copy 0x100i8"));
    breaks(2, &with("", "%q = int_to_ptr 0i0"));
    breaks(2, "program lp64 entry @main\nfn @main() {\n i129 %a\nb:\n return\n}");
    breaks(2, "program ilp32 entry @main\nfn @main() {\n ptr %a\nb:\n %a = copy 0x100000000ptr\n return\n}");
}

#[test]
fn rule_3_blocks_parameters_and_results() {
    breaks(3, "program lp64 entry @main\nfn @main() {\n}");
    breaks(3, "program lp64 entry @main\nfn @main() {\nb:\n return\n}\nfn @f(%a, %a) {\n i32 %a\nb:\n return\n}");
    breaks(
        3,
        "program lp64 entry @main\nfn @main() {\n i1 %a\nb:\n %a, %a = overflowing signed add %a, %a\n return\n}",
    );
}

#[test]
fn rule_4_types_of_operands() {
    for inst in [
        "%b = copy 1i64",
        "%b = add %b, 1i64",
        "%q = add %q, %q",
        "%b, %c = overflowing signed xor %a, %b",
        "%b, %b~2 = overflowing signed add %a, %b",
        "%b = count_ones %l",
        "%b = eq %a, %a",
        "%c = eq %d, %d",
        "%c = eq %a, %l",
        "%d = fadd %d, %g",
        "%b = fneg %b",
        "%c = fcmp oeq %d, %g",
        "%b = select %a, %a, %a",
        "%b = select %c, %a, %l",
        "%l = field %p, 4",
        "%q = index %p, %q stride 4",
        "%b = load %l",
        "store i32 %l to %p",
        "%d = rmw add %p, %d",
        "%b = rmw fadd %p, %b",
        "%b = rmw exchange %p, %l",
        "%b, %c = cmpxchg %p, %l, %l",
        "%l = alloca 4i64 align 4",
        "%q = alloca %d align 4",
        "memcopy %p, %q, %p",
        "memset %p, %b, %l",
        "call *%l()",
        "%b = nondet call \"f\" in [1i64, 2i64]",
    ] {
        breaks(4, &with("", inst).replace("i32 %b\n", "i32 %b, %b~2\n"));
    }
}

#[test]
fn rule_5_casts() {
    for inst in [
        "%b = zero_extend %l",
        "%b = sign_extend %a",
        "%l = truncate %a",
        "%l = reinterpret %a",
        "%l = reinterpret %p",
        "%l = ptr_to_int %l",
        "%q = int_to_ptr %p",
        "%b = float_to_signed %a",
        "%d = unsigned_to_float %g",
        "%d = float_to_float %l",
    ] {
        breaks(5, &with("", inst));
    }
}

#[test]
fn rule_6_calls() {
    for inst in [
        "call @worker(%a)",
        "call @worker(%l, %p)",
        "%l = call @worker(%a, %p)",
        "%b = call @main(%a)",
        "%b, %q = call @main()",
    ] {
        breaks(6, &with("", inst));
    }
}

#[test]
fn rule_7_returns() {
    breaks(7, &with("", "return %b\nnext:"));
    breaks(7, &with("", "return %b, %l\nnext:"));
}

#[test]
fn rule_8_branches() {
    breaks(8, &with("", "branch %b, entry, entry\nnext:"));
    breaks(8, &with("", "switch %p [], entry\nnext:"));
    breaks(8, &with("", "switch %s [256: entry], entry\nnext:"));
    breaks(8, &with("", "switch %s [1: entry, 1: entry], entry\nnext:"));
}

#[test]
fn rule_9_intrinsics() {
    for inst in ["%b = spawn(%p)", "block_until(%b)", "%b = finished(%a)", "%b = yield()", "%l = alloc(%l, %l)"] {
        breaks(9, &with("", inst));
    }
}

#[test]
fn rule_10_globals() {
    for global in [
        "global @y 1 align 1 = \"0000\"",
        "global @y 8 align 8 pointers [4:8 @x]",
        "global @y 16 align 8 pointers [0:8 @x, 4:8 @x]",
    ] {
        breaks(10, &with(global, "fence"));
    }
}

#[test]
fn rule_11_alignment_and_padding() {
    breaks(11, &with("global @y 1 align 3", "fence"));
    breaks(11, &with("", "%q = alloca 8i64 align 0"));
    breaks(11, &with("", "%q = alloca 8i64 align 8 padding [4:12]"));
    breaks(11, &with("", "%q = alloca 8i64 align 8 padding [4:6, 2:3]"));
}

#[test]
fn rule_12_the_entry_takes_nothing() {
    breaks(12, &with("", "fence").replace("entry @main", "entry @worker"));
}

#[test]
fn a_problem_says_where() {
    let found = problems(&with("", "%b = copy 1i64"));
    assert_eq!(found[0].to_string(), "rule 4, fn1, b0, instruction 1: the source is Int(64), not Int(32)");
}
