//! Functions that observe: they change nothing, they are run again only if what they read has changed, and what they
//! read is seen being written.

use selvedge_program::{Observer, Properties, Reason, text};
use selvedge_vm::Writes;
use selvedge_vm::{Code, Ended, Machine, ObserverCache, Oracle, Sharing, Stopped};

const PROGRAM: &str = "
program lp64 entry @main
global @x 4 align 4
global @y 4 align 4
global @buffer 4 align 4
invariant \"x is small\" @small
invariant \"writes\" @writes
invariant \"spins\" @spins
invariant \"waits\" @waits
abstraction \"sum\" @sum
fn @small() -> i1 {
  i32 %v
  i1 %b
entry:
  %v = load @x
  %b = ult %v, 10i32
  return %b
}
fn @writes() -> i1 {
entry:
  store i32 1i32 to @y
  return true
}
fn @spins() -> i1 {
entry:
  jump entry
}
fn @waits() -> i1 {
entry:
  block_until(false)
  return true
}
fn @sum() {
  i32 %a, %b
entry:
  %a = load @x
  store i32 %a to @buffer
  %b = load @buffer
  %b = add %b, %b
  store i32 %b to @buffer
  return
}
fn @main() -> i32 {
entry:
  store i32 1i32 to @y
  store i32 1i32 to @x
  store i32 2i32 to @y
  store i32 3i32 to @y
  store i32 1i32 to @x
  store i32 0i32 to @x
  store i32 11i32 to @x
  process_exit()
  return 0i32
}
";

struct NoChoice;

impl Oracle for NoChoice {
    fn choose(&mut self, _ways: usize) -> Result<usize, Stopped> {
        panic!("there is nothing to choose")
    }
}

fn with_machine(sharing: impl Fn(&Code<'_>) -> Sharing, test: impl Fn(&mut Machine<'_, NoChoice>, &[Observer])) {
    let program = text::parse(PROGRAM).expect("a program");
    assert_eq!(selvedge_program::verify::verify(&program), []);
    let code = Code::new(&program, Properties::default()).expect("a small one");
    let observers: Vec<Observer> = program.observers.all().cloned().collect();
    test(&mut Machine::new(&code, sharing(&code), NoChoice, 1), &observers);
}

#[test]
fn a_function_runs_again_only_if_what_it_reads_has_changed() {
    with_machine(
        |_| Sharing::everything(),
        |machine, observers| {
            let mut memo = ObserverCache::new(&observers[0], Writes::Never);
            let mut answers = Vec::new();
            let mut runs = Vec::new();
            loop {
                answers.push(memo.ask(machine).expect("it only looks").value);
                runs.push(memo.runs);
                if machine.step(0).expect("it goes on") == Ended::Exited {
                    break;
                }
            }
            // x is 0, 0, 1, 1, 1, 1, 0, 11.
            assert_eq!(answers, [1, 1, 1, 1, 1, 1, 1, 0]);
            assert_eq!(runs, [1, 1, 2, 2, 2, 2, 2, 3]);
        },
    );
}

#[test]
fn what_it_reads_is_watched_and_nothing_else() {
    let fresh = |code: &Code<'_>| Sharing::new(code.layout.initial.len() * 8, code.layout.variable_starts());
    with_machine(fresh, |machine, observers| {
        let mut memo = ObserverCache::new(&observers[0], Writes::Never);
        memo.ask(machine).expect("it only looks");
        assert!(machine.sharing.grew, "a search begins anew with what it learns");
        // One step for each write to x, with the writes to y in between.
        let mut steps = Vec::new();
        while machine.step(0).expect("it goes on") != Ended::Exited {
            steps.push(machine.steps);
        }
        assert_eq!(steps, [4, 1, 1]);
    });
}

#[test]
fn nothing_changes_and_what_is_written_is_told() {
    with_machine(
        |_| Sharing::everything(),
        |machine, observers| {
            for _ in 0..2 {
                machine.step(0).expect("it goes on");
            }
            let before = machine.state.clone();
            let observation = machine.observe(&observers[4], Writes::ToVariables).expect("it may write");
            assert_eq!(machine.state, before);
            // The buffer lies behind x and y; what it is read back from is not read from the program.
            assert_eq!(observation.answer.written, [8 << 8 | 2, 9 << 8, 10 << 8, 11 << 8]);
            assert_eq!((observation.reads.len(), observation.is_open), (1, false));
        },
    );
}

#[test]
fn what_does_more_than_look_is_refused() {
    with_machine(
        |_| Sharing::everything(),
        |machine, observers| {
            let before = machine.state.clone();
            for (observer, word) in observers[1..4].iter().zip(["writes to `y`", "does not come to an end", "blocks"]) {
                match machine.observe(observer, Writes::Never) {
                    Err(Reason::Observer { name, does }) => {
                        assert_eq!(name, observer.name);
                        assert!(does.contains(word), "{does}");
                    }
                    other => panic!("{other:?}"),
                }
                assert_eq!(machine.state, before);
            }
        },
    );
}
