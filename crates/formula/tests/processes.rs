//! Solvers that misbehave, as little scripts: what comes of it is an error or an unknown, never an answer.
#![cfg(unix)]

use selvedge_formula::{Answer, Incremental, Limits, SolverError, Stack, Term, Terms, Theory, Unknown, open};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A solver that runs a script on its input. `$1` is the number of its run, from 1.
struct Fake {
    _folder: tempfile::TempDir,
    solver: Box<dyn Incremental>,
    terms: Terms,
    x: Term,
    low: Term,
}

/// Reads lines, echoes what it should, and answers the rest by `case`.
fn polite(cases: &str) -> String {
    let echo = r#"'(echo "'*) line=${line#*\"}; echo "${line%\"*}";;"#;
    format!("while read -r line; do case $line in {echo} {cases} esac; done")
}

fn fake(script: &str) -> Fake {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("solver");
    let count = "n=$(cat \"$0.runs\" 2>/dev/null || echo 0); n=$((n+1)); echo $n > \"$0.runs\"; set -- $n";
    let mut file = std::fs::File::create(&path).unwrap();
    write!(file, "#!/bin/sh\n{count}\n{script}\n").unwrap();
    file.set_permissions(std::fs::Permissions::from_mode(0o755)).unwrap();
    drop(file);
    // With an argument it is a command line, not the name of a solver.
    let solver = open(&format!("{} -", path.display()), Theory::BitVectors, Limits::default()).unwrap();
    let mut terms = Terms::new();
    let x = terms.variable(8, "x");
    let five = terms.constant(8, 5);
    let low = terms.ult(x, five);
    Fake { _folder: folder, solver, terms, x, low }
}

impl Fake {
    fn check(&mut self) -> Result<Answer, SolverError> {
        self.solver.check(&self.terms, &[self.low])
    }

    fn fails(mut self, wanted: &str) {
        let why = self.check().expect_err("it misbehaves").to_string();
        assert!(why.contains(wanted), "{why}");
    }
}

#[test]
fn names_that_mean_nothing() {
    let open = |name| open(name, Theory::BitVectors, Limits::default()).err().expect("no solver").to_string();
    assert!(open("simplify").contains("cadical, z3, cvc5"), "{}", open("simplify"));
    assert!(open("/nowhere/z3").contains("cannot run /nowhere/z3 (`/nowhere/z3 -in`)"), "{}", open("/nowhere/z3"));
    assert!(open("").contains("there is no solver"), "{}", open(""));
    let integers = selvedge_formula::open("cadical", Theory::Integers, Limits::default());
    assert!(matches!(integers, Err(SolverError::NoSuchTheory { .. })));
}

#[test]
fn one_that_behaves() {
    let mut fake = fake(&polite("'(check-sat'*) echo sat;; '(get-value'*) echo '((v0 (_ bv3 8)))';;"));
    assert_eq!(fake.check().unwrap(), Answer::Sat);
    assert_eq!(fake.solver.value(&fake.terms, fake.x).unwrap(), 3);
    assert_eq!(fake.solver.value(&fake.terms, fake.low).unwrap(), 1);
}

#[test]
fn one_that_dies() {
    fake("exit 3").fails("died: exit status: 3");
    fake("echo oops >&2; kill -9 $$").fails("died: signal: 9 (SIGKILL): oops");
    fake("read -r line; echo sat").fails("died");
    fake("echo '(sat'").fails("died");
}

#[test]
fn one_that_complains() {
    fake(&polite("'(set-logic'*) echo '(error \"no such logic\")';; '(check-sat'*) echo sat;;"))
        .fails("rejected its input: no such logic");
    fake(&polite("'(check-sat'*) echo unsupported;;")).fails("rejected its input");
    fake(&polite("'(check-sat'*) echo 'warning: unknown logic' >&2; echo unsat;;"))
        .fails("rejected its input: warning: unknown logic");
    // More than a pipe holds.
    fake(&polite("'(check-sat'*) yes | head -c 300000 >&2; echo unsat;;")).fails("rejected its input: y");
}

#[test]
fn one_that_talks_nonsense() {
    for answer in ["perhaps", "Sat", "(sat)", ")", "'sat; echo unsat'", "'success; echo sat'"] {
        let answer = answer.trim_matches('\'');
        let mut fake =
            fake(&polite(&format!("'(check-sat'*) echo {};;", answer.replace('(', "\\(").replace(')', "\\)"))));
        assert!(matches!(fake.check(), Err(SolverError::Nonsense { .. })), "{answer}");
    }
    fake(&polite("'(check-sat'*) true;;")).fails("replied: nothing");
    fake("yes").fails("replied: y, and more");
    fake("yes '(' | tr -d '\\n'").fails("nested too deeply");
}

#[test]
fn one_whose_model_is_none() {
    let with = |value| fake(&polite(&format!("'(check-sat'*) echo sat;; '(get-value'*) echo '{value}';;")));
    let mut wrong = with("((v0 #x07))");
    assert_eq!(wrong.check().unwrap(), Answer::Sat);
    assert!(matches!(wrong.solver.value(&wrong.terms, wrong.x), Err(SolverError::WrongModel { .. })));
    for nonsense in ["()", "((v0 #x107))", "((v1 #x03))", "((v0 x))", "((v0 #x03) (v1 #x03))", "v0", "((v0 #x))"] {
        let mut fake = with(nonsense);
        assert_eq!(fake.check().unwrap(), Answer::Sat);
        let value = fake.solver.value(&fake.terms, fake.x);
        assert!(matches!(value, Err(SolverError::Nonsense { .. })), "{nonsense}: {value:?}");
    }
}

#[test]
fn one_whose_core_is_none() {
    for nonsense in ["(a77)", "(v0)", "a3", "((a3))", "(not a3)"] {
        let mut fake = fake(&polite(&format!("'(check-sat'*) echo unsat;; '(get-unsat'*) echo '{nonsense}';;")));
        assert_eq!(fake.check().unwrap(), Answer::Unsat);
        assert!(matches!(fake.solver.core(), Err(SolverError::Nonsense { .. })), "{nonsense}");
    }
}

#[test]
fn one_that_does_not_know() {
    let mut fake = fake(&polite("'(check-sat'*) echo unknown;; '(get-info'*) echo '(:reason-unknown \"too hard\")';;"));
    assert_eq!(fake.check().unwrap(), Answer::Unknown(Unknown::GaveUp("too hard".to_owned())));
    assert_eq!(fake.solver.work().restarts, 0);
    let mut fake = self::fake(&polite("'(check-sat'*) echo unknown;; '(get-info'*) echo unsupported;;"));
    assert_eq!(fake.check().unwrap(), Answer::Unknown(Unknown::GaveUp("without a reason".to_owned())));
}

#[test]
fn one_that_hangs() {
    for script in ["exec sleep 100", "while read -r line; do true; done", "exec >&-; exec sleep 100"] {
        let mut fake = fake(script);
        // More than a pipe holds.
        let many: Vec<Term> = (0..20_000).map(|_| fake.terms.variable(1, "p")).collect();
        many.iter().for_each(|&t| fake.solver.assert(&fake.terms, t));
        let stop = Arc::new(AtomicBool::new(false));
        let limits = Limits { stop: Some(stop.clone()), per_check: Some(Duration::from_millis(100)), deadline: None };
        fake.solver.set_limits(limits);
        let started = Instant::now();
        let first = fake.check();
        if script.contains(">&-") {
            assert!(matches!(first, Err(SolverError::Died { .. })), "{first:?}");
        } else {
            assert_eq!(first.unwrap(), Answer::Unknown(Unknown::OutOfTime));
        }
        stop.store(true, Ordering::Relaxed);
        assert_eq!(fake.check().unwrap(), Answer::Unknown(Unknown::Interrupted));
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}

/// The second process is told what the first one was, level by level.
#[test]
fn the_next_one_hears_everything() {
    let note = "printf '%s\\n' \"$line\" >> \"$0.heard\"";
    let answer = "case $line in '(echo'*) echo selvedge-2;; '(check'*) echo sat;; esac";
    let listen = format!("while read -r line; do {note}; {answer}; done");
    let mut fake = fake(&format!("[ $1 = 1 ] && exit 1\n{listen}"));
    let solver: &mut dyn Incremental = &mut *fake.solver;
    let stack: &mut dyn Stack = solver;
    stack.push();
    stack.assert(&fake.terms, fake.low);
    stack.push();
    stack.push();
    stack.pop();
    assert!(matches!(fake.check(), Err(SolverError::Died { .. })));
    assert_eq!(fake.check().unwrap(), Answer::Sat);
    assert_eq!(fake.solver.work().restarts, 1);
    let heard = std::fs::read_to_string(fake._folder.path().join("solver.heard")).unwrap();
    let lines: Vec<&str> = heard.lines().skip(4).collect();
    assert_eq!(
        lines,
        [
            "(push 1)",
            "(declare-const v0 (_ BitVec 8))",
            "(define-fun t4 () Bool (bvult v0 #x05))",
            "(assert t4)",
            "(push 1)",
            "(declare-const a4 Bool)",
            "(assert (=> a4 t4))",
            "(check-sat-assuming (a4))",
            "(echo \"selvedge-2\")",
        ]
    );
}
