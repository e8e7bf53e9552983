//! Supersteps on small programs: how many states they leave, and that they lose no end, no invariant, no formula.
//! Sleep sets: how many transitions they leave.

use selvedge_engine::{Control, Engine, Task, conclude};
use selvedge_program::{Bounds, Finding, Program, text};
use selvedge_search::explicit::Explicit;
use selvedge_search::ltl::Ltl;

/// Threads with these bodies over the globals x, y, m, p and lock, and main, which waits for them.
fn program(threads: &[&str]) -> Program {
    watched_program(threads, "")
}

/// A program of these threads, with its observers.
fn watched_program(threads: &[&str], observers: &str) -> Program {
    let mut text = "program lp64 entry @main\nglobal @x 4 align 4\nglobal @y 4 align 4\nglobal @m 4 align 4\n\
                    global @lock 1 align 4\nglobal @p 8 align 8\n"
        .to_string();
    for (number, body) in threads.iter().enumerate() {
        text += &format!(
            "fn @t{number}(%p: ptr, %q: ptr) {{\n  i32 %r, %n\n  i8 %l\n  i1 %c\n  ptr %o\nentry:\n{body}  return\n}}\n"
        );
    }
    text += "fn @main() -> i32 {\n  i32 %a, %b, %c\n  i1 %f\nentry:\n";
    for (number, register) in (0..threads.len()).zip(["%a", "%b", "%c"]) {
        text += &format!("  {register} = spawn(@t{number}, null, null)\n");
    }
    for (_, register) in threads.iter().zip(["%a", "%b", "%c"]) {
        text += &format!("  atomic_begin()\n  %f = finished({register})\n  block_until(%f)\n  atomic_end()\n");
    }
    text += "  process_exit()\n  return 0i32\n}\n";
    text += observers;
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
    assert_eq!(states(&[&section(3), &section(5)]), [14, 11]);
}

/// The example of the paper (Figure 8): three threads over k, x, y, m; here k is m.
#[test]
fn the_example_of_the_paper() {
    let first = "  %r = load @m\n  %r = load @x\n  %r = load @y\n";
    let second = "  store i32 6i32 to @y\n";
    let third = "  %r = load @m\n  store i32 4i32 to @m\n  store i32 8i32 to @x\n";
    assert_eq!(states(&[first, second, third]), [45, 39]);
}

/// Writes to different variables need no order.
#[test]
fn different_places_need_no_order() {
    let writes = "  store i32 1i32 to @x\n  store i32 2i32 to @y\n";
    let reads = "  %r = load @m\n  store i32 %r to @m\n";
    let all = "  store i32 5i32 to @m\n  store i32 5i32 to @x\n  store i32 5i32 to @y\n";
    assert_eq!(states(&[writes, reads, all]), [138, 91]);
}

/// An atomic section that is too long for one transition conflicts with all that its rest may touch, and who was in it
/// can be interrupted behind it.
#[test]
fn long_atomic_sections_are_interrupted_neither_too_much_nor_too_little() {
    let section = "  atomic_begin()\n  %n = add 0i32, 0i32\n  jump round\nround:\n  %n = add %n, 1i32\n  %c = ult %n, 3000i32\n  \
                   branch %c, round, after\nafter:\n  %r = load @x\n  %n = load @y\n  %r = mul %r, 2i32\n  %r = add %r, %n\n  \
                   store i32 %r to @m\n  atomic_end()\n  store i32 7i32 to @x\n  store i32 7i32 to @y\n";
    let other = "  store i32 1i32 to @x\n  store i32 1i32 to @y\n";
    assert_eq!(states(&[section, other]), [43, 35]);
}

/// A function that is true of x and y.
fn proposition(what: &str, name: &str, comparison: &str) -> String {
    format!(
        "{what} \"{name}\" @{name}\nfn @{name}() -> i1 {{\n  i32 %x, %y\n  i1 %b\nentry:\n  %x = load @x\n  %y = load @y\n  \
         %b = {comparison} %x, %y\n  return %b\n}}\n"
    )
}

/// Verdicts and states, without supersteps and with them.
fn compare(engines: [&dyn Engine; 2], program: &Program) -> (String, [u64; 2]) {
    let task = Task::default();
    let outcomes = engines.map(|engine| engine.check(program, &task, &Control::default()));
    let states = [0, 1].map(|at| outcomes[at].statistics.states);
    let verdicts =
        outcomes.map(|outcome| conclude(program, task.properties, outcome.finding).expect("a verdict").verdict.name());
    assert_eq!(verdicts[0], verdicts[1]);
    (verdicts[0].to_string(), states)
}

const PLAIN: Explicit = Explicit::ONE;
const RUNNING_ON: Explicit = Explicit { supersteps: true, ..Explicit::ONE };

/// A variable that the invariant reads is written twice between two states that would be stored.
#[test]
fn a_superstep_ends_with_what_an_invariant_reads() {
    let writes = "  store i32 1i32 to @x\n  store i32 1i32 to @y\n  store i32 2i32 to @m\n";
    let reads = "  %r = load @m\n  %r = load @m\n";
    let equal = watched_program(&[writes, reads], &proposition("invariant", "same", "eq"));
    assert_eq!(compare([&PLAIN, &RUNNING_ON], &equal).0, "unsafe");
    let at_most = watched_program(&[writes, reads], &proposition("invariant", "above", "uge"));
    assert_eq!(compare([&PLAIN, &RUNNING_ON], &at_most), ("safe".to_string(), [16, 14]));
}

#[test]
fn a_superstep_ends_with_what_a_formula_reads() {
    let writes = "  store i32 1i32 to @x\n  store i32 1i32 to @y\n  store i32 2i32 to @m\n  store i32 3i32 to @m\n";
    let reads = "  %r = load @m\n  %r = load @m\n  %r = load @m\n";
    let engines: [&dyn Engine; 2] =
        [&Ltl { no_reduction: false, supersteps: false }, &Ltl { no_reduction: false, supersteps: true }];
    let check = |threads: &[&str], formula: &str| {
        let observers = format!("{}ltl \"{formula}\"\n", proposition("proposition", "same", "eq"));
        compare(engines, &watched_program(threads, &observers))
    };
    assert_eq!(check(&[writes, reads], "G same").0, "unsafe");
    assert_eq!(check(&[writes, reads], "same U (!same U (G same))"), ("safe".to_string(), [26, 22]));
    // Nothing but the end matters here.
    let both = "  store i32 5i32 to @m\n  store i32 5i32 to @x\n";
    assert_eq!(check(&[writes, reads, both], "F end"), ("safe".to_string(), [110, 102]));
}

/// How a bound is called.
#[test]
fn switches_of_supersteps() {
    let program = program(&["  store i32 1i32 to @x\n", "  store i32 2i32 to @x\n"]);
    let within = |switches| {
        let task = Task { bounds: Bounds { switches: Some(switches), ..Bounds::default() }, ..Task::default() };
        match RUNNING_ON.check(&program, &task, &Control::default()).finding {
            Finding::NoneWithin(coverage) => coverage.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(within(1), "1 context switch of supersteps");
    assert_eq!(within(2), "2 context switches of supersteps");
    assert!(within(20).is_empty());
}

/// States and transitions, without sleep sets and with them.
fn counts(threads: &[&str]) -> [(u64, u64); 2] {
    let program = program(threads);
    [false, true].map(|sleep_sets| {
        let engine = Explicit { sleep_sets, ..Explicit::ONE };
        let outcome = engine.check(&program, &Task::default(), &Control::default());
        assert!(matches!(outcome.finding, Finding::NoneWithin(_)), "{:?}", outcome.finding);
        (outcome.statistics.states, outcome.statistics.transitions)
    })
}

/// As many states, by fewer ways.
#[test]
fn sleep_sets_leave_out_orders() {
    let (x, y, m) = ("  store i32 1i32 to @x\n", "  store i32 1i32 to @y\n", "  %r = load @m\n");
    let all = "  store i32 5i32 to @m\n  store i32 5i32 to @x\n  store i32 5i32 to @y\n";
    assert_eq!(counts(&[x, x, x]), [(15, 32), (15, 32)]);
    assert_eq!(counts(&[&[x, y].concat(), &[m, m].concat(), all]), [(87, 218), (87, 149)]);
}

/// The first thread's second object gets the number of its first one, if by then the second thread has overwritten the
/// last pointer to that; else a new number. These steps are exchanged all the same.
#[test]
fn sleep_sets_take_numbers_of_objects_for_the_same() {
    let publish = "  %o = alloc(8i64, 4i64)\n  store ptr %o to @p\n  free(%o)\n";
    let forget = "  store ptr null to @p\n  store i32 1i32 to @x\n";
    let allocate = "  store i32 2i32 to @x\n  %o = alloc(8i64, 4i64)\n  store i32 3i32 to %o\n  store i32 4i32 to @x\n";
    let [without, with] = counts(&[&[publish, allocate].concat(), forget]).map(|(states, _)| states);
    assert_eq!([without, with], [38, 32]);
    // Here both are there before one of them ends.
    let [without, with] = counts(&[&[allocate, publish].concat(), forget]).map(|(states, _)| states);
    assert_eq!(without, with);
}
