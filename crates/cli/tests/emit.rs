//! The texts of the stages: the program, the bounded program, its formula, the ranges of its variables.

mod common;

use common::{Bench, RACE};

#[test]
fn the_program_can_be_printed() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let run = bench.run(&["check", "race.c", "--emit", "program"]);
    assert!(run.expect(0).out.contains("worker"), "{}", run.out);
}

const LOOP: &str = r#"#include <assert.h>
int input(void);
int main(void)
{
    int n = input(), s = 0;
    for (int i = 0; i < n; i++)
        s += i;
    assert(s >= 0);
    return 0;
}
"#;

#[test]
fn the_bounded_program_can_be_printed() {
    let bench = Bench::new();
    bench.file("loop.c", LOOP);
    let lines = |arguments: &[&str]| {
        let run = bench.run(&[&["check", "loop.c", "--emit", "bounded"], arguments].concat());
        assert!(run.expect(0).out.contains("thread 0 @"), "{}", run.out);
        run.out.lines().count()
    };
    let two = lines(&[]);
    assert_eq!(two, lines(&["--unwind", "2"]));
    assert!(two < lines(&["--unwind", "5"]));
    assert!(two > lines(&["--unwind", "0"]));
    assert_eq!(lines(&["--unwind", "5"]), lines(&["--unwind-loop", "loop.c:6=5"]));
    // The last of two bounds for one loop counts.
    assert_eq!(two, lines(&["--unwind-loop", "loop.c:6=5", "--unwind-loop", "loop.c:6=2"]));
}

#[test]
fn the_formula_can_be_printed() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let run = bench.run(&["check", "race.c", "--emit", "formula", "--unwind", "1", "--rounds", "2"]);
    let (comments, rest): (Vec<&str>, Vec<&str>) = run.expect(0).out.lines().partition(|line| line.starts_with('c'));
    let (header, clauses) = rest.split_first().expect("a header");
    let numbers: Vec<usize> = header.split_whitespace().skip(2).map(|word| word.parse().expect("a number")).collect();
    let &[variables, announced] = &numbers[..] else { panic!("{header}") };
    assert!(header.starts_with("p cnf "), "{header}");
    assert_eq!(clauses.len(), announced);
    for clause in clauses {
        let literals: Vec<i64> = clause.split_whitespace().map(|word| word.parse().expect("a literal")).collect();
        assert_eq!(literals.iter().position(|literal| *literal == 0), Some(literals.len() - 1), "{clause}");
        assert!(literals.iter().all(|literal| literal.unsigned_abs() as usize <= variables), "{clause}");
    }
    assert!(comments.contains(&"c unwind 1, rounds 2"), "{comments:?}");
    assert!(comments.iter().any(|line| line.ends_with(&format!("{variables} variables, {announced} clauses"))));
}

#[test]
fn more_rounds_and_more_unwinding_make_a_larger_formula() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let size = |arguments: &[&str]| {
        let run = bench.run(&[&["check", "race.c", "--emit", "formula"], arguments].concat());
        run.expect(0).out.lines().filter(|line| !line.starts_with('c')).count()
    };
    assert_eq!(size(&[]), size(&["--unwind", "2", "--rounds", "2"]));
    assert!(size(&["--rounds", "1"]) < size(&["--rounds", "2"]));
    assert!(size(&["--rounds", "2"]) < size(&["--rounds", "3"]));
}

#[test]
fn the_bounded_program_says_where_bounds_end_runs() {
    let bench = Bench::new();
    bench.file("cuts.c", CUTS);
    let cuts = |arguments: &[&str]| -> Vec<String> {
        let run = bench.run(&[&["check", "cuts.c", "--emit", "bounded"], arguments].concat());
        let lines = run.expect(0).out.lines().filter(|line| line.starts_with("cut "));
        lines.map(|line| line.split_whitespace().skip(2).collect::<Vec<_>>().join(" ")).collect()
    };
    let all = cuts(&["--unwind", "2", "--recursion", "3", "--threads", "1"]);
    let wanted = ["loop 2 at f0:14:5", "recursion 3 at f0:7", "threads 1 at f0:18:9"];
    assert_eq!(all, wanted);
    assert!(cuts(&["--threads", "2"]).iter().all(|cut| !cut.starts_with("threads")));
}

const CUTS: &str = r#"#include <pthread.h>
int input(void);
void *worker(void *arg)
{
    return arg;
}
int depth(int n)
{
    return n > 0 ? depth(n - 1) : 0;
}
int main(void)
{
    pthread_t t;
    while (input())
        input();
    int n = depth(input());
    for (int i = 0; i < 2; i++)
        pthread_create(&t, 0, worker, 0);
    return n;
}
"#;

const COUNTER: &str = "#include <pthread.h>
struct { int top; unsigned char mode; } s;
int any;
static void *worker(void *arg) {
    int local = s.top;
    s.top = local + 1;
    s.mode = 3;
    return arg;
}
int __VERIFIER_nondet_int(void);
int main(void) {
    pthread_t a, b;
    any = __VERIFIER_nondet_int();
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return any;
}
";

#[test]
fn analyze_shows_what_variables_may_hold() {
    let bench = Bench::new();
    bench.file("counter.c", COUNTER);
    let run = bench.run(&["analyze", "counter.c", "--rounds", "2"]);
    run.expect(0);
    let row = |name: &str| {
        let line = run.out.lines().find(|line| line.starts_with(name));
        line.unwrap_or_else(|| panic!("{}", run.out)).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("s.top"), "s.top 32 2 0 to 2");
    assert_eq!(row("s.mode"), "s.mode 8 2 0 to 3");
    assert_eq!(row("any"), "any 32 32 any");
    assert!(run.last_line().ends_with("bits needed (unwind 2, rounds 2)"), "{}", run.out);
    let json = bench.run(&["analyze", "counter.c", "--json", "-"]);
    assert!(json.expect(0).out.contains("\"name\": \"s.top\""), "{}", json.out);
    bench.run(&["analyze", "nowhere.c"]).expect(2);
}
