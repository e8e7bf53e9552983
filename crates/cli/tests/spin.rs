//! SPIN over the VM, through the command. Where there is no SPIN, no C compiler or no library for it, tests that need
//! them are skipped.

mod common;
#[path = "common/pan_library.rs"]
mod pan_library;

use common::{Bench, RACE, RACE_LINE, Run, SAFE};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Two threads that never block, and a condition that holds.
const PAIR: &str = r"#include <pthread.h>
int a, b;
int small(void) { return a + b <= 2; }
void *worker(void *arg) { a++; b++; a--; b--; return 0; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, worker, 0);
    pthread_create(&u, 0, worker, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
";

const SERVER: &str = r"#include <pthread.h>
int request, grant;
void *server(void *arg) { for (;;) { if (request) { grant = 1; request = 0; } else grant = 0; } }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, server, 0);
    for (;;) { request = 1; while (request); }
}
";

/// A folder with programs, and the library; `None` if something is missing.
struct Place {
    bench: Bench,
    library: PathBuf,
}

impl Place {
    fn new() -> Option<Place> {
        if !selvedge_requires::spin() {
            return None;
        }
        let library = pan_library::find()?;
        Some(Place { bench: Bench::new(), library })
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        command.current_dir(self.bench.path()).args(arguments).env("SELVEDGE_PAN_LIBRARY", &self.library);
        Run::of(command.output().expect("it starts"))
    }

    fn check(&self, program: &str, arguments: &[&str]) -> Run {
        self.bench.file("a.c", program);
        self.run(&[&["check", "a.c", "--engine", "spin"], arguments].concat())
    }

    /// The output of `make` in the folder of a model.
    fn make(&self, folder: &str, target: &str) -> String {
        let output = Command::new("make").current_dir(self.bench.path().join(folder)).arg(target).output();
        String::from_utf8_lossy(&output.expect("make starts").stdout).into_owned()
    }
}

#[test]
fn a_violation_is_replayed() {
    let Some(place) = Place::new() else { return };
    let run = place.check(RACE, &[]);
    run.expect(10);
    assert_eq!(run.last_line(), format!("VERDICT: unsafe (assertion at a.c:{RACE_LINE})"));
    assert!(run.out.contains("replay: selvedge replay a.c --schedule"), "{}", run.out);
}

#[test]
fn safe_needs_an_exact_search_to_the_end() {
    let Some(place) = Place::new() else { return };
    let statistics = |run: &Run| run.out.lines().find(|line| line.starts_with("statistics:")).map(String::from);
    let states = |run: &Run| -> u64 {
        let line = statistics(run).unwrap_or_default();
        let number: String =
            line.split(" states").next().unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
        number.parse().expect("a number of states")
    };
    let safe = place.check(PAIR, &["-v"]);
    assert_eq!(safe.expect(0).last_line(), "VERDICT: safe");
    // Before the program begins, when it is over, and when that has been noticed.
    let own = place.run(&["check", "a.c", "--engine", "explicit", "-v"]);
    assert_eq!(states(&safe), states(&own) + 3);
    for (arguments, verdict) in [
        (vec!["--spin-cflags", "-DCOLLAPSE"], "VERDICT: safe"),
        (vec!["--spin-cflags", "-DBITSTATE"], "VERDICT: safe within bounds (SPIN's -DBITSTATE)"),
        (vec!["--pan-options", "-m20"], "VERDICT: safe within bounds (SPIN's depth 20)"),
        (vec!["--preemptions", "1"], "VERDICT: safe within bounds (1 preemption)"),
    ] {
        assert_eq!(place.check(PAIR, &arguments).expect(0).last_line(), verdict, "{arguments:?}");
    }
}

/// Their verdicts are those in their comments.
#[test]
fn some_of_the_programs() {
    let Some(place) = Place::new() else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    for name in [
        "cond/lost_wakeup.c",
        "deadlock/philosophers_ordered.c",
        "endless/ring_buffer.c",
        "memory/use_after_free_across.c",
        "threads/created_by_threads.c",
        "verifier/assume_cuts.c",
        "verifier/nondet_decides_schedule.c",
    ] {
        let path = root.join(name);
        let text = std::fs::read_to_string(&path).expect("a program");
        let expected = text.lines().find_map(|line| line.strip_prefix("// check: ")).expect("what to expect");
        let run = place.run(&["check", &path.display().to_string(), "--engine", "spin"]);
        let said = run.last_line().strip_prefix("VERDICT: ").unwrap_or_default();
        assert!(said.starts_with(&expected.replace(' ', " (")), "{name}: {expected}, and not {said}");
    }
}

#[test]
fn a_state_that_does_not_fit_is_no_verdict() {
    let Some(place) = Place::new() else { return };
    let run = place.check(PAIR, &["--state-bytes", "64"]);
    assert!(run.expect(5).last_line().contains("more than the model tracks: see --state-bytes"), "{}", run.out);
}

#[test]
fn invariants_and_formulas_are_spins_too() {
    let Some(place) = Place::new() else { return };
    let run = place.check(PAIR, &["--invariant", "small"]);
    assert!(run.expect(10).last_line().starts_with("VERDICT: unsafe (invariant"), "{}", run.out);
    let formula = ["--ltl", "G (request -> F grant)"];
    assert_eq!(place.check(SERVER, &formula).expect(10).last_line(), "VERDICT: unsafe (ltl)");
    assert_eq!(place.check(SERVER, &[&formula[..], &["--fair"]].concat()).expect(0).last_line(), "VERDICT: safe");
    // Other properties are checked beside the formula.
    let beside = place.check(RACE, &["--ltl", "F end"]);
    assert_eq!(beside.expect(10).last_line(), format!("VERDICT: unsafe (assertion at a.c:{RACE_LINE})"));
    let counts = place.check(SERVER, &["--ltl", "X grant"]);
    assert!(counts.expect(2).err.contains("X counts steps"), "{}", counts.err);
}

/// As Figure 3 of the paper has it: threads without pthread_create, an invariant, and a function that comes first.
#[test]
fn a_model_of_the_users_own() {
    let Some(place) = Place::new() else { return };
    place.bench.file(
        "peterson.c",
        r"volatile int flag[2], turn;
int count = 5;
void begin(void) { flag[0] = flag[1] = turn = count = 0; }
int exclusion(void) { return count <= 1; }
void *thread_main(void *arg)
{
    int me = arg != 0;
    for (;;) {
        ENTER
        while (flag[1 - me] && turn == 1 - me) ;
        count++;
        count--;
        flag[me] = 0;
    }
}
int main(void) { return 0; }
",
    );
    let thread = |number: u32| {
        format!(
            "proctype thread{number}() {{ do :: d_step {{ c_expr {{ (pan_enabled({number})) }} -> \
             c_code {{ pan_step({number}, 0); }}; assert(c_expr {{ (!pan_failed()) }}) }} od }}\n"
        )
    };
    let model = format!(
        r#"c_decl {{
\#include "driver.h"
}}
c_track "pan_state" "sizeof(pan_state)" "Matched";
init {{
    c_code {{
        pan_driver.retelling = readtrail;
        pan_setup(&pan_driver);
        pan_register_invariant("exclusion");
        pan_run_function("begin");
        pan_start_thread(0, "thread_main", 0);
        pan_start_thread(1, "thread_main", 1);
    }};
    run thread0();
    run thread1()
}}
{}{}"#,
        thread(0),
        thread(1)
    );
    for (enter, errors) in
        [("flag[me] = 1; turn = 1 - me;", "errors: 0"), ("turn = 1 - me; flag[me] = 1;", "errors: 1")]
    {
        let define = format!("-DENTER={enter}");
        let keep = ["--keep", "thread_main", "--keep", "begin", "--keep", "exclusion"];
        let run = place.run(&[&["spin", "peterson.c", "-o", "model", "--threads", "1", &define], &keep[..]].concat());
        run.expect(0);
        place.bench.file("model/driver.pml", &model);
        let said = place.make("model", "check");
        assert!(said.contains(errors), "{enter}:\n{said}");
    }
    assert!(place.make("model", "trail").contains("selvedge: violation: invariant"));
}

#[test]
fn what_is_missing_is_said() {
    let bench = Bench::new();
    bench.file("a.c", SAFE);
    let run = bench.run(&["spin", "a.c", "-o", "model", "--pan-library", "nowhere.a"]);
    assert!(run.expect(2).err.contains("nowhere.a is not there"), "{}", run.err);
    let run = bench.run(&["check", "a.c", "--engine", "spin", "--pan-library", "nowhere.a"]);
    assert!(run.expect(5).last_line().contains("nowhere.a is not there"), "{}", run.out);
    let run = bench.run(&["check", "a.c", "--engine", "explicit", "--state-bytes", "100"]);
    assert!(
        run.expect(2).err.contains("--engine explicit does not take --state-bytes; engines that do: spin"),
        "{}",
        run.err
    );
    let run = bench.run(&["check", "a.c", "--engine", "spin", "--rounds", "2"]);
    assert!(run.expect(2).err.contains("--rounds"), "{}", run.err);
    let library = bench.file("empty.a", "");
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.current_dir(bench.path()).args(["check", "a.c", "--engine", "spin"]).env("SPIN", "/no/such/spin");
    let run = Run::of(command.env("SELVEDGE_PAN_LIBRARY", &library).output().expect("it starts"));
    assert!(run.expect(5).last_line().contains("spin is not installed"), "{}", run.out);
}
