//! The text form gives back the bounded program that it was printed from, and says what is wrong with anything else.

use selvedge_bound::{Bounded, Limits, bound, text};
use selvedge_generate::{Features, Trial};
use selvedge_passes::prepare;

/// All that is said of a bounded program, once at least.
const EVERYTHING: &str = r#"program lp64 entry @main
file f0 "a.c"
type t0 = int "int" 32 signed
place p0 "x"
place p1 "n"
global @x 4 align 4 type t0 at f0:1:5
global @own 8 align 8 thread_local at f0:2:5

fn @main() -> i32 at f0:4:1 {
  i32 %t
entry:
  %t = spawn(@worker, null, @worker)                       at 5:3
  jump 1
1:
  return 0i32                                              at 6:3
}

fn @worker(%a: ptr, %b: ptr) at f0:8:1 {
"odd name":
  return
}

bounded
object @own~t0 8 copy of @own in thread 0 at f0:2:5
object @own~t1 8 copy of @own in thread 1 at f0:2:5
object @x~6 8 stack type t0 padding [1:2, 4:8] at f0:4:3
object @stack 4096 stack "stack object"
object @heap 16 heap "heap object of a.c:5" at f0:5:3
object @heap~9 16 heap "heap object of a.c:6"
cut 0 loop 2 at f0:5:3
cut 1 recursion 3
cut 2 threads 1 at f0:6:1

thread 0 @main() {
  i32 %t, %x: t0
  ptr %q, %q~3
  i64 %n
  i1 %c
b0:
  %q = create @x~6                                         from @main entry:0 at f0:4:3
  %n = nondet call "n"                                     from @main entry:0
  %q~3 = create @stack of %n bytes                         from @main entry:0 at f0:4:3
  %q = create @heap                                        from @main entry:0
  %q = create @heap~9 of 8i64 bytes                        from @main entry:0
  %t = spawn thread 1(null, @worker)                       from @main entry:0 at f0:5:3
  store i64 %n to @own~t1-8 "n"                            from @main entry:1
  %x = load atomic @x "x"                                  from @main 1:0 at f0:6:3
  end                                                      from @main 1:0
  end @x~6, @stack                                         from @main 1:0
  %c = eq %x, 3i32                                         from @main 1:0
  proved assertion, memory
  branch %c, b1, b2                                        from @main entry:1 at f0:5:3
b1:
  cut 0                                                    from @main 1:0 at f0:6:3
b2:
  switch %x [7: b3, 4294967295: b4], b3                    from @main 1:0
b3:
  finish @x~6, @stack                                      from @main 1:0
  stop                                                     from @main 1:0
b4:
  jump b5                                                  from @worker "odd name":0
b5:
  finish                                                   from @worker "odd name":0 at f0:8:1
  stop                                                     from @worker "odd name":0
}

thread 1 @worker(%a: ptr, %b: ptr) {
b0:
  finish                                                   from @worker "odd name":0
  stop                                                     from @worker "odd name":0
}
"#;

fn survives(bounded: &Bounded<'_>) -> Result<(), String> {
    let printed = text::print(bounded);
    let program = text::program(&printed).map_err(|error| format!("{error}\n{printed}"))?;
    let again = text::parse(&printed, &program).map_err(|error| format!("{error}\n{printed}"))?;
    if again != *bounded || text::print(&again) != printed {
        return Err(format!("it changes:\n{printed}\n{}", text::print(&again)));
    }
    Ok(())
}

#[test]
fn everything_survives() {
    let program = text::program(EVERYTHING).unwrap();
    let bounded = text::parse(EVERYTHING, &program).unwrap();
    assert_eq!(text::print(&bounded), EVERYTHING);
    assert_eq!(survives(&bounded), Ok(()));
}

#[test]
fn what_bounding_makes_survives() {
    Trial { cases: 200, percent: 100 }.run(Features::ALL, |source, tally| {
        let program = prepare(source.program());
        tally.compared();
        for unwind in 1..3 {
            let limits = Limits { unwind, recursion: 1, ..Limits::default() };
            survives(&bound(&program, &limits).map_err(|refusal| refusal.to_string())?)?;
        }
        Ok(())
    });
}

/// The message for a text in which `old` is replaced.
fn message(old: &str, new: &str) -> String {
    let changed = EVERYTHING.replacen(old, new, 1);
    assert_ne!(changed, EVERYTHING, "{old}");
    let program = text::program(EVERYTHING).unwrap();
    text::parse(&changed, &program).unwrap_err().to_string()
}

#[test]
fn errors_name_the_line_and_what_was_expected() {
    let program = text::program(EVERYTHING).unwrap();
    let nothing = text::parse("program lp64 entry @main", &program).unwrap_err().to_string();
    assert_eq!(nothing, "line 1: expected 'bounded', found the end of the text");
    for (old, new, expected) in [
        ("object @x~6 8 stack", "object @x 8 stack", "line 26: expected a new name, found object"),
        (
            "object @stack 4096 stack",
            "object @stack 4096 global",
            "line 27: expected 'stack', 'heap' or 'copy', found global",
        ),
        ("cut 1 recursion", "cut 2 recursion", "line 31: expected 1, found 2"),
        ("recursion 3", "recursion", "line 31: expected a number, found the end of the line"),
        ("thread 1 @worker", "thread 2 @worker", "line 67: expected 1, found 2"),
        ("-8 \"n\"", "-8 \"m\"", "line 46: expected a place of this program, found \"m\""),
        ("from @main 1:0", "from @main 2:0", "line 47: expected a block of this function, found 2"),
        ("%q = create @heap ", "create @heap ", "line 43: expected one register before '=', found create"),
        ("  stop ", "  return ", "line 59: expected a terminator: jump, branch, switch, cut or stop, found return"),
        ("jump b5", "jump b6", "line 61: expected a block of this function, found b6"),
        (
            "  proved",
            "  proves",
            "line 51: expected an operation other than 'proves' (or a result for it) before, found assertion",
        ),
    ] {
        assert_eq!(message(old, new), expected);
    }
}
