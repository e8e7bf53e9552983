//! Supersteps on small programs: how many states they leave, and that they lose no end.

use selvedge_engines::explicit::Explicit;
use selvedge_engines::{Control, Engine, Task};
use selvedge_program::{Program, text};

/// Threads with these bodies over the globals x, y, m and lock, and main, which waits for them.
fn program(threads: &[&str]) -> Program {
    let mut text = "program lp64 entry @main\nglobal @x 4 align 4\nglobal @y 4 align 4\nglobal @m 4 align 4\n\
                    global @lock 1 align 4\n"
        .to_string();
    for (number, body) in threads.iter().enumerate() {
        text +=
            &format!("fn @t{number}(%p: ptr, %q: ptr) {{\n  i32 %r\n  i8 %l\n  i1 %c\nentry:\n{body}  return\n}}\n");
    }
    text += "fn @main() -> i32 {\n  i32 %a, %b, %c\n  i1 %f\nentry:\n";
    for (number, register) in (0..threads.len()).zip(["%a", "%b", "%c"]) {
        text += &format!("  {register} = spawn(@t{number}, null, null)\n");
    }
    for (_, register) in threads.iter().zip(["%a", "%b", "%c"]) {
        text += &format!("  atomic_begin()\n  %f = finished({register})\n  block_until(%f)\n  atomic_end()\n");
    }
    text += "  process_exit()\n  return 0i32\n}\n";
    text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The states of a complete search without supersteps, and with them; the ends must be the same.
fn states(threads: &[&str]) -> [u64; 2] {
    let (program, task) = (program(threads), Task::default());
    let engines = [false, true].map(|supersteps| Explicit { supersteps, ..Explicit::ONE });
    let [without, with] = engines.map(|engine| engine.final_globals(&program, &task).expect("a complete search"));
    assert_eq!(without, with);
    engines.map(|engine| engine.check(&program, &task, &Control::default()).statistics.states)
}

const LOCK: &str = "  atomic_begin()\n  %l = load @lock\n  %c = eq %l, 0i8\n  block_until(%c)\n  \
                    store i8 1i8 to @lock\n  acquired(@lock, true)\n  atomic_end()\n";
const UNLOCK: &str = "  atomic_begin()\n  store i8 0i8 to @lock\n  released(@lock)\n  atomic_end()\n";

/// Both orders of two critical sections, whose lock is touched in atomic sections only.
#[test]
fn atomic_sections_conflict_with_one_another() {
    let section = |factor: u32| {
        format!("{LOCK}  %r = load @x\n  %r = mul %r, {factor}i32\n  %r = add %r, 1i32\n  store i32 %r to @x\n{UNLOCK}")
    };
    let program = program(&[&section(3), &section(5)]);
    let ends = Explicit { supersteps: true, ..Explicit::ONE }.final_globals(&program, &Task::default());
    assert_eq!(ends.expect("a complete search").len(), 2);
    assert_eq!(states(&[&section(3), &section(5)]), [16, 12]);
}

/// The example of the paper (Figure 8): three threads over k, x, y, m; here k is m.
#[test]
fn the_example_of_the_paper() {
    let first = "  %r = load @m\n  %r = load @x\n  %r = load @y\n";
    let second = "  store i32 6i32 to @y\n";
    let third = "  %r = load @m\n  store i32 4i32 to @m\n  store i32 8i32 to @x\n";
    assert_eq!(states(&[first, second, third]), [46, 40]);
}

/// What two threads write far from each other needs no order.
#[test]
fn different_places_need_no_order() {
    let writes = "  store i32 1i32 to @x\n  store i32 2i32 to @y\n";
    let reads = "  %r = load @m\n  store i32 %r to @m\n";
    let all = "  store i32 5i32 to @m\n  store i32 5i32 to @x\n  store i32 5i32 to @y\n";
    assert_eq!(states(&[writes, reads, all]), [146, 95]);
}
