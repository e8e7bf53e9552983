//! The text form gives back the program it was printed from, and never panics on anything else.

use selvedge_program::text::{parse, print};

/// Every operation, every kind of declaration, every odd name.
const EVERYTHING: &str = r#"
program lp64 entry @main
file f0 "a.c"
file f1 "dir/b \"c\".h"
type t0 = unknown
type t1 = int "int" 32 signed
type t2 = int "unsigned long" 64 unsigned
type t3 = bool
type t4 = float "double" 64
type t5 = pointer t9
type t6 = function
type t7 = array t1 count 10
type t8 = array t1
type t9 = struct "node" 16 { next: t5 at 0, value: t1 at 64, "odd name": t1 at 96 bits 3 }
type t10 = union "" 8 {  }
type t11 = enum "color" 32 { RED = 0, BLUE = -1 }
type t12 = named "node_t" t9
unmodelled "printf" at f0:7:3
unmodelled "nowhere"
assumption "external-variable" "two\nlines"
assumption "long-double"
global @count 4 align 4 type t1 = "01000000" at f0:3:5
global @.str.1 6 align 1 model constant = "68656c6c6f"
global @errno 4 align 4 thread_local
global @table 24 align 8 pointers [0:8 @worker, 8:8 @count+4, 16:8 @table-8]
global @"odd name" 1 align 1
global @count~12 1 align 1

fn @main() -> i32 at f0:10:1 {
  i32 %a, %b, %a~2, %"odd name": t1
  i32 %x: t1
  i1 %c, %5
  f64 %d
  ptr %p: t5, %q
  i8 %byte
  i128 %wide
entry:
  %a = copy -1i32 at 11:2
  %a = add checked %a, 2147483647i32 at 11
  %a, %c = overflowing signed mul %a, %b at f1:3:2
  %a, %c = overflowing unsigned add %a, %b
  %b = count_ones %a
  %c = slt %a, %a~2
  %d = fadd %d, 1.5f64
  %d = fneg -0.0f64
  %d = fsqrt 0x7ff8000000000000f64
  %d = fmul 1e300f64, 1e-7f64
  %c = fcmp true %d, %d
  %wide = sign_extend -3i8
  %wide = copy 170141183460469231731687303715884105727i128
  %wide = copy -170141183460469231731687303715884105728i128
  %a = select true, %a, 0xfffffffff12i32
  %p = field %p, -8 of t9
  %p = field null, 8
  %p = index %p, %a stride 4 bound 10
  %p = index %p, 2i64 stride 4
  %a = load @count "count" at 12:5
  %a = load volatile @count "count"
  %a = load atomic @count+8
  store i32 %a to @count-4 "p->next"
  store atomic i32 -5i32 to %p
  %a = rmw exchange %p, %b "count"
  %a = rmw add acq_rel %p, %b
  %a, %c = cmpxchg %p, %a, %b "x"
  %a, %c = cmpxchg seq_cst relaxed %p, %a, %b
  %a, %c = cmpxchg release relaxed %p, %a, %b
  fence
  fence acquire
  %a = load relaxed %p
  %a = load acquire %p "count"
  store release i32 %a to %p
  %p = alloca 16i64 align 8 var "n" type t9 padding [4:8, 12:16]
  %p = alloca %wide align 1
  %q = stack_save
  stack_restore %q
  memcopy %p, %q, 4i64
  memmove %p, %q, 4i64
  memset %p, 0i8, 4i64
  call @worker(null)
  %p = call @worker(%p)
  %a, %b = call *%p(%a, @worker, @table)
  call *@worker()
  %a = nondet call "__VERIFIER_nondet_int"
  %a = nondet uninitialised "x" in [1i32, 5i32]
  %a = nondet unmodelled "f"
  %a = spawn(@worker, null, 0x10ptr)
  atomic_begin()
  violation assertion "a != b"
  unsupported "asm"
  %#99 = copy %#98
  %q = copy @#fn7
  %q = copy @#global7
  branch %c, while.body, while.body~2 at 20:3
while.body:
  switch %a [1: while.body, 4294967295: 3], #77
while.body~2:
  return true
3:
  return
"odd block":
  return null, 1i32 at 3:4
6:
  jump 6
}

fn @worker(%arg: ptr t5, %n: i32) -> (ptr, i32) model {
entry:
  unreachable
}

fn @late(%b) {
  i32 %a, %b
}
"#;

#[test]
fn everything_survives() {
    let program = parse(EVERYTHING).unwrap();
    let text = print(&program);
    let again = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(program, again, "{text}");
    assert_eq!(text, print(&again));
    assert_eq!(text, program.to_string());
}

/// Text that was written by hand is printed unchanged, but for spaces, order of declarations and comments.
#[test]
fn every_statement_is_printed_as_written() {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let printed: Vec<String> = print(&parse(EVERYTHING).unwrap()).lines().map(words).collect();
    let renumbered = ["%5", "3:", "6:", "jump 6", "i32 %x: t1", "while.body~2", "@count~12"];
    for line in EVERYTHING.lines().map(words) {
        let odd = renumbered.iter().any(|r| line.contains(r)) || line.starts_with("i32 %a, %b, %a~2");
        assert!(odd || printed.contains(&line), "{line}");
    }
}

#[test]
fn an_unused_place_keeps_its_number() {
    let text = "program lp64 entry @main\nplace p0 \"unused\"\nplace p1 \"x\"\nplace p2 \"x\"\n\
                global @x 4 align 4\nfn @main() {\n i32 %a\nb:\n %a = load @x \"x\"\n %a = load @x p2\n return\n}\n";
    let program = parse(text).unwrap();
    assert_eq!(program.places.len(), 3);
    assert_eq!(parse(&print(&program)).unwrap(), program);
}

#[test]
fn errors_name_the_line_and_what_was_expected() {
    let error = |text: &str| parse(text).unwrap_err().to_string();
    assert_eq!(error(""), "line 1: expected 'program', found nothing");
    assert_eq!(error("program lp64 entry @main"), "line 1: expected a function or global of this program, found @main");
    let body =
        |body: &str| error(&format!("program lp64 entry @f\nfn @f() {{\n  i32 %a\nb:\n  {body}\n  return\n}}\n"));
    assert_eq!(body("%a = copy 3"), "line 5: expected a constant with its type, or a symbol, found 3");
    assert_eq!(body("%a = add %a %a"), "line 5: expected ',', found %a");
    assert_eq!(body("%a = copy %c"), "line 5: expected a declared register, found %c");
    assert_eq!(
        body("%a = store i32 %a to null"),
        "line 5: expected another number of registers before '=', found the end of the line"
    );
    assert_eq!(body("fence fence"), "line 5: expected the end of the line, found fence");
    assert_eq!(body("%a = copy -1000i8"), "line 5: expected a constant with its type, or a symbol, found -1000i8");
}

/// Cuts, swaps and repeats pieces of a good text: an error or a program, never a panic.
#[test]
fn garbage_does_not_panic() {
    let mut seed = 1u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below.max(1)
    };
    let chars: Vec<char> = EVERYTHING.chars().collect();
    for _ in 0..3000 {
        let mut garbage = chars.clone();
        for _ in 0..=random(4) {
            let (start, len, to) = (random(garbage.len()), random(20), random(garbage.len()));
            let piece: Vec<char> = garbage[start..(start + len).min(garbage.len())].to_vec();
            if random(2) == 0 {
                garbage.drain(start..start + piece.len());
            } else {
                garbage.splice(to..to, piece);
            }
        }
        let text: String = garbage.into_iter().collect();
        if let Ok(program) = parse(&text) {
            assert_eq!(parse(&print(&program)).as_ref(), Ok(&program));
            selvedge_program::verify::verify(&program);
        }
    }
}
