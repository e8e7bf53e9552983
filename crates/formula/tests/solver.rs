//! Requirements on SAT solvers, checked on every solver there is.

use selvedge_formula::{Blaster, Cadical, Lit, Sat, Solved, SolverProfile, Terms};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn is_incremental(mut solver: impl Sat) {
    let [a, b, c] = std::array::from_fn(|_| solver.new_var());
    solver.add_clause(&[a, b]);
    assert_eq!(solver.solve(&[]), Solved::Sat);
    assert!(solver.value(a) || solver.value(b));
    assert_ne!(solver.value(c), solver.value(!c));
    assert_eq!(solver.solve(&[!a]), Solved::Sat);
    assert!(solver.value(b) && solver.value(!a));
    solver.add_clause(&[!b, c]);
    assert_eq!(solver.solve(&[!a, !c]), Solved::Unsat);
    assert_eq!(solver.solve(&[!a]), Solved::Sat);
    assert!(solver.value(c));
    let d = solver.new_var();
    solver.add_clause(&[!c, d]);
    assert!(solver.value(c), "a model outlives new clauses");
    assert_eq!(solver.solve(&[!a, !d]), Solved::Unsat);
    solver.add_clause(&[]);
    assert_eq!(solver.solve(&[]), Solved::Unsat);
    assert_eq!(solver.failed(), []);
    assert_eq!(solver.statistics().solved, 6);
}

fn names_failed_assumptions(mut solver: impl Sat) {
    let lits: Vec<Lit> = (0..6).map(|_| solver.new_var()).collect();
    solver.add_clause(&[!lits[1], !lits[4]]);
    assert_eq!(solver.solve(&lits), Solved::Unsat);
    assert_eq!(solver.failed(), [lits[1], lits[4]]);
    assert_eq!(solver.solve(&[lits[0], !lits[0]]), Solved::Unsat);
    assert_eq!(solver.failed().len(), 2);
    assert_eq!(solver.solve(&lits[..4]), Solved::Sat);
}

/// Pigeons that do not fit, which takes resolution exponentially long (Haken 1985).
fn pigeons(solver: &mut impl Sat, holes: usize) {
    let at: Vec<Vec<Lit>> = (0..=holes).map(|_| (0..holes).map(|_| solver.new_var()).collect()).collect();
    for pigeon in &at {
        solver.add_clause(pigeon);
    }
    for hole in 0..holes {
        for (i, first) in at.iter().enumerate() {
            for second in &at[..i] {
                solver.add_clause(&[!first[hole], !second[hole]]);
            }
        }
    }
}

#[test]
fn cadical_is_incremental() {
    is_incremental(Cadical::new());
    is_incremental(Cadical::with_profile(SolverProfile::StableOnly));
}

#[test]
fn cadical_names_failed_assumptions() {
    names_failed_assumptions(Cadical::new());
    names_failed_assumptions(Cadical::with_profile(SolverProfile::StableOnly));
}

#[test]
fn cadical_counts() {
    let mut solver = Cadical::new();
    pigeons(&mut solver, 5);
    assert_eq!(solver.solve(&[]), Solved::Unsat);
    let statistics = solver.statistics();
    assert!(statistics.conflicts > 0 && statistics.decisions > 0 && statistics.propagations > 0, "{statistics:?}");
    assert!(Cadical::signature().starts_with("cadical-"), "{}", Cadical::signature());
}

#[test]
fn what_cadical_had_no_time_for_it_is_given_later() {
    let stop = Arc::new(AtomicBool::new(true));
    let mut solver = Cadical::with_limits(Arc::clone(&stop), None);
    let [a, b] = std::array::from_fn(|_| solver.new_var());
    solver.add_clause(&[a]);
    solver.add_clause(&[!a, b]);
    solver.prefer(!b);
    solver.add_lemma(&[b]);
    assert_eq!(solver.solve(&[]), Solved::Interrupted);
    solver.add_clause(&[!b]);
    stop.store(false, Ordering::Relaxed);
    assert_eq!(solver.solve(&[]), Solved::Unsat);
}

#[test]
fn cadical_stops_at_the_deadline() {
    let started = Instant::now();
    let mut solver = Cadical::with_limits(Arc::default(), Some(started + Duration::from_millis(200)));
    pigeons(&mut solver, 14);
    assert_eq!(solver.solve(&[]), Solved::Interrupted);
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn cadical_stops_when_told_and_goes_on() {
    let stop = Arc::new(AtomicBool::new(false));
    let mut solver = Cadical::with_limits(stop.clone(), None);
    let easy = solver.new_var();
    pigeons(&mut solver, 14);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            stop.store(true, Ordering::Relaxed);
        });
        assert_eq!(solver.solve(&[easy]), Solved::Interrupted);
    });
    assert_eq!(solver.solve(&[easy]), Solved::Interrupted, "still told to stop");
    stop.store(false, Ordering::Relaxed);
    solver.add_clause(&[!easy]);
    assert_eq!(solver.solve(&[easy]), Solved::Unsat);
    assert_eq!(solver.failed(), [easy]);
}

#[test]
fn the_same_formula_has_the_same_size_and_text() {
    let mut terms = Terms::new();
    let (x, y) = (terms.variable(8, "x"), terms.variable(8, "y"));
    let sum = terms.add(x, y);
    let small = terms.ult(sum, x);
    let mut blaster = Blaster::recording(Cadical::new());
    blaster.assert(&terms, small);
    let statistics = blaster.statistics();
    // The sum: 1 xor, 1 and, 6 full adders, 1 xor of three; the comparison: 1 and, 7 majorities.
    assert_eq!(
        (statistics.variables, statistics.clauses),
        (1 + 16 + 2 + 12 + 1 + 8, 1 + 7 + 6 * 14 + 8 + 3 + 7 * 6 + 1)
    );
    let text = blaster.dimacs();
    assert!(text.starts_with(&format!("p cnf {} {}\n1 0\n", statistics.variables, statistics.clauses)), "{text}");
    assert_eq!(text.lines().count(), statistics.clauses + 1);
    blaster.bits(&terms, sum);
    assert_eq!(blaster.statistics(), statistics, "nothing is translated twice");
}

#[test]
fn values_of_terms_that_the_solver_has_not_seen() {
    let mut terms = Terms::new();
    let (x, unseen) = (terms.variable(8, "x"), terms.variable(8, "unseen"));
    let five = terms.constant(8, 5);
    let is_five = terms.eq(x, five);
    let mut blaster = Blaster::new(Cadical::new());
    blaster.assert(&terms, is_five);
    assert_eq!(blaster.solve(&[]), Solved::Sat);
    let square = terms.mul(x, x);
    let sum = terms.add(square, unseen);
    assert_eq!(blaster.value(&terms, sum), 25);
    assert_eq!((terms.name(x), terms.name(sum)), (Some("x"), None));
}
