//! A small program, stepped as SPIN would.

use super::*;

/// Counts to two, and fails there.
const PROGRAM: &str = "program lp64 entry @main
global @count 4 align 4
fn @main() {
  i32 %v, %w
  i1 %b
entry:
  %v = load @count
  %w = add %v, 1i32
  store i32 %w to @count
  %b = eq %w, 2i32
  branch %b, bad, entry
bad:
  violation assertion \"two\"
  unreachable
}
fn @five() {
entry:
  store i32 5i32 to @count
  return
}
fn @below_five() -> i1 {
  i32 %v
  i1 %b
entry:
  %v = load @count
  %b = ult %v, 5i32
  return %b
}
";

struct Run {
    session: Session,
    state: Vec<u64>,
    _folder: tempfile::TempDir,
}

impl Run {
    fn new(program: &str, words: usize) -> Run {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("program");
        std::fs::write(&file, program).expect("a file");
        let driver = Driver {
            program: file,
            sharing: folder.path().join("sharing"),
            properties: "assertion,invariant".to_string(),
            max_input_values: 256,
            threads: 1,
            preemptions: None,
            several: false,
        };
        let session = Session::new(driver, words).expect("a program");
        Run { session, state: vec![0; words], _folder: folder }
    }

    fn with<T>(&mut self, work: impl FnOnce(&mut Session, &mut Tracked<'_>) -> T) -> T {
        work(&mut self.session, &mut Tracked { state: &mut self.state, key: None })
    }
}

#[test]
fn a_thread_runs_until_it_fails_and_spin_may_go_back() {
    let mut run = Run::new(PROGRAM, 200);
    assert_eq!(run.with(|session, tracked| session.begin(tracked)), Ok(()));
    let first = run.state.clone();
    let mut trails = Vec::new();
    for _ in 0..2 {
        run.state.clone_from(&first);
        let mut steps = 0;
        while run.session.ways(&run.state, 0) == Ok(1) {
            let _ = run.with(|session, tracked| session.step(tracked, 0, 0));
            steps += 1;
        }
        assert_eq!(Header::of(&run.state).phase, Phase::Failed);
        trails.push(steps);
    }
    assert_eq!(trails[0], trails[1]);
    assert!(run.session.says.iter().any(|line| line.contains("two")), "{:?}", run.session.says);
}

#[test]
fn functions_run_before_the_program_and_invariants_look_at_it() {
    let mut run = Run::new(PROGRAM, 200);
    let result = run.with(|session, tracked| {
        session.begin(tracked)?;
        session.register_invariant("below_five")?;
        session.look(tracked)
    });
    assert_eq!(result, Ok(()));
    assert_eq!(Header::of(&run.state).phase, Phase::Running);
    let result = run.with(|session, tracked| {
        session.run_function(tracked, "five")?;
        session.look(tracked)
    });
    assert_eq!(result, Ok(()));
    assert_eq!(Header::of(&run.state).phase, Phase::Failed);
}

#[test]
fn what_is_wrong_is_said() {
    let mut run = Run::new(PROGRAM, 200);
    assert_eq!(run.with(|session, tracked| session.begin(tracked)), Ok(()));
    let missing = run.session.register_invariant("nothing");
    assert_eq!(missing, Err(Trouble::Wrong("the program has no function `nothing`".to_string())));
    assert!(matches!(run.with(|session, tracked| session.step(tracked, 0, 9)), Err(Trouble::Wrong(_))));
    assert_eq!(run.session.ways(&run.state, 7), Ok(0), "no such thread");
    let mut small = Run::new(PROGRAM, 6);
    assert!(matches!(small.with(|session, tracked| session.begin(tracked)), Err(Trouble::Words(words)) if words > 6));
    assert!(properties("assertion,speed").is_err());
}
