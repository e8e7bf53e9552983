//! Requirements on solvers for terms, checked on every solver there is.

mod common;
#[path = "common/solvers.rs"]
mod solvers;

use common::Pool;
use selvedge_formula::{Answer, Blasted, Cores, Incremental, Limits, Solver, Term, Terms, Theory, Unknown, open};
use solvers::with_each;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn on_each(run: impl FnMut(Box<dyn Incremental>)) {
    with_each(Theory::BitVectors, run);
}

fn fresh_like(solver: &dyn Incremental) -> Box<dyn Incremental> {
    open(solver.name(), solver.theory(), Limits::default()).unwrap()
}

/// `x < 5`, `x > 7`, `x = 3`, and x.
fn about_x(terms: &mut Terms) -> (Term, Term, Term, Term) {
    let x = terms.variable(8, "x");
    let [three, five, seven] = [3, 5, 7].map(|k| terms.constant(8, k));
    (terms.ult(x, five), terms.ult(seven, x), terms.eq(x, three), x)
}

#[test]
fn levels_come_and_go() {
    on_each(|mut solver| {
        let mut terms = Terms::new();
        let (low, high, three, x) = about_x(&mut terms);
        solver.assert(&terms, low);
        solver.push();
        solver.assert(&terms, three);
        assert_eq!(solver.check(&terms, &[]).unwrap(), Answer::Sat);
        assert_eq!(solver.value(&terms, x).unwrap(), 3);
        solver.push();
        solver.assert(&terms, high);
        assert_eq!((solver.check(&terms, &[]).unwrap(), solver.depth()), (Answer::Unsat, 2));
        assert_eq!(solver.core().unwrap(), []);
        solver.pop();
        assert_eq!(solver.check(&terms, &[three]).unwrap(), Answer::Sat);
        assert_eq!(solver.check(&terms, &[high]).unwrap(), Answer::Unsat);
        assert_eq!(solver.core().unwrap(), [high]);
        solver.pop();
        let not_three = terms.not(three);
        assert_eq!(solver.check(&terms, &[not_three]).unwrap(), Answer::Sat);
        assert!(solver.value(&terms, x).unwrap() < 5);
        let unseen = terms.variable(8, "unseen");
        let sum = terms.add(unseen, x);
        assert_eq!(solver.value(&terms, sum).unwrap(), solver.value(&terms, x).unwrap());
        assert_eq!((solver.work().checks, solver.work().restarts), (5, 0));
    });
}

#[test]
fn constants_and_repetitions() {
    on_each(|mut solver| {
        let mut terms = Terms::new();
        let (low, high, ..) = about_x(&mut terms);
        assert_eq!(solver.check(&terms, &[]).unwrap(), Answer::Sat);
        assert_eq!(solver.check(&terms, &[Terms::TRUE, low, low, Terms::TRUE]).unwrap(), Answer::Sat);
        assert_eq!(solver.check(&terms, &[low, Terms::FALSE]).unwrap(), Answer::Unsat);
        assert_eq!(solver.core().unwrap(), [Terms::FALSE]);
        solver.assert(&terms, Terms::TRUE);
        assert_eq!(solver.check(&terms, &[high, low, high, low]).unwrap(), Answer::Unsat);
        assert_eq!(solver.core().unwrap(), [high, low]);
        solver.push();
        solver.assert(&terms, Terms::FALSE);
        assert_eq!(solver.check(&terms, &[low]).unwrap(), Answer::Unsat);
        solver.pop();
        assert_eq!(solver.check(&terms, &[low]).unwrap(), Answer::Sat);
    });
}

/// Given the variables, every term has the value that it should have, and no other.
#[test]
fn all_operations() {
    on_each(|solver| {
        for seed in 0..24 {
            let widths: &[u32] = [&[1, 2][..], &[1, 3], &[1, 5, 8], &[1, 33]][seed as usize % 4];
            let mut pool = Pool::random(2_000_000 + seed, widths, 1, 60);
            let mut equal: Vec<Term> = Vec::new();
            for sample in &pool.samples {
                let value = pool.terms.constant(sample.bits, sample.values[0]);
                equal.push(pool.terms.eq(sample.term, value));
            }
            let terms = &mut pool.terms;
            let (inputs, others) = equal.split_at(pool.variables);
            let right = terms.and_all(others.iter().copied());
            let wrong = terms.not(right);
            let mut solver = fresh_like(&*solver);
            for &input in inputs {
                solver.assert(terms, input);
            }
            assert_eq!(solver.check(terms, &[wrong]).unwrap(), Answer::Unsat, "seed {seed}");
            assert_eq!(solver.check(terms, &[right]).unwrap(), Answer::Sat, "seed {seed}");
            for sample in &pool.samples {
                assert_eq!(solver.value(terms, sample.term).unwrap(), sample.values[0], "seed {seed}");
            }
        }
    });
}

/// Random assertions, assumptions and levels: all solvers agree, models are models, cores are cores.
#[test]
fn random_sessions() {
    on_each(|solver| {
        for seed in 0..30 {
            let random = &mut fastrand::Rng::with_seed(seed);
            let mut pool = Pool::random(3_000_000 + seed, &[1, 4, 7], 2, 80);
            let mut goals: Vec<Term> = Vec::new();
            for sample in &pool.samples {
                let value = pool.terms.constant(sample.bits, sample.values[random.usize(0..2)]);
                goals.push(if random.bool() {
                    pool.terms.eq(sample.term, value)
                } else {
                    pool.terms.ule(sample.term, value)
                });
            }
            session(&pool.terms, &goals, fresh_like(&*solver), random);
        }
    });
}

fn session(terms: &Terms, goals: &[Term], mut solver: Box<dyn Incremental>, random: &mut fastrand::Rng) {
    let mut levels: Vec<Vec<Term>> = vec![Vec::new()];
    let pick = |random: &mut fastrand::Rng| goals[random.usize(0..goals.len())];
    for _ in 0..12 {
        match random.u32(0..4) {
            0 => {
                solver.push();
                levels.push(Vec::new());
            }
            1 if levels.len() > 1 => {
                solver.pop();
                levels.pop();
            }
            _ => {
                let goal = pick(random);
                solver.assert(terms, goal);
                levels.last_mut().unwrap().push(goal);
            }
        }
        let assumptions: Vec<Term> = (0..random.usize(0..8)).map(|_| pick(random)).collect();
        let asserted: Vec<Term> = levels.concat();
        let mut judge = Blasted::default();
        asserted.iter().for_each(|&t| judge.assert(terms, t));
        let expected = judge.check(terms, &assumptions).unwrap();
        assert_eq!(solver.check(terms, &assumptions).unwrap(), expected);
        if expected == Answer::Sat {
            for &t in asserted.iter().chain(&assumptions) {
                assert_eq!(solver.value(terms, t).unwrap(), 1);
                assert_eq!(terms.evaluate(t, &mut |variable| solver.value(terms, variable).unwrap()), 1);
            }
        } else {
            let core = solver.core().unwrap();
            assert!(core.iter().all(|t| assumptions.contains(t)));
            assert_eq!(judge.check(terms, &core).unwrap(), Answer::Unsat);
            assert!(judge.core().unwrap().len() <= core.len());
        }
    }
}

/// Factors of a product of two primes, which take long to find.
fn hard(terms: &mut Terms) -> Term {
    let (a, b) = (terms.variable(96, "a"), terms.variable(96, "b"));
    let (product, limit) = (terms.constant(96, 1_000_000_000_039 * 1_000_000_000_061), terms.constant(96, 1 << 42));
    let is_it = {
        let actual = terms.mul(a, b);
        terms.eq(actual, product)
    };
    let one = terms.constant(96, 1);
    let parts = [a, b].map(|t| [terms.ult(one, t), terms.ult(t, limit)]).concat();
    terms.and_all(parts.into_iter().chain([is_it]))
}

#[test]
fn they_stop_when_told_and_go_on() {
    on_each(|mut solver| {
        let mut terms = Terms::new();
        let (low, high, ..) = about_x(&mut terms);
        let hard = hard(&mut terms);
        let stop = Arc::new(AtomicBool::new(false));
        solver.set_limits(Limits { stop: Some(stop.clone()), ..Limits::default() });
        solver.assert(&terms, low);
        solver.push();
        let started = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(200));
                stop.store(true, Ordering::Relaxed);
            });
            assert_eq!(solver.check(&terms, &[hard]).unwrap(), Answer::Unknown(Unknown::Interrupted));
        });
        assert!(started.elapsed() < Duration::from_secs(3));
        assert_eq!(solver.check(&terms, &[]).unwrap(), Answer::Unknown(Unknown::Interrupted), "still told to stop");
        stop.store(false, Ordering::Relaxed);
        assert_eq!(solver.check(&terms, &[high]).unwrap(), Answer::Unsat);
        assert_eq!(solver.core().unwrap(), [high]);
        solver.pop();
        assert_eq!(solver.check(&terms, &[low]).unwrap(), Answer::Sat);
    });
}

#[test]
fn they_keep_to_their_time() {
    on_each(|mut solver| {
        let mut terms = Terms::new();
        let (low, high, ..) = about_x(&mut terms);
        let hard = hard(&mut terms);
        solver.assert(&terms, low);
        solver.set_limits(Limits { per_check: Some(Duration::from_secs(1)), ..Limits::default() });
        let started = Instant::now();
        assert_eq!(solver.check(&terms, &[hard]).unwrap(), Answer::Unknown(Unknown::OutOfTime));
        assert!(started.elapsed() < Duration::from_secs(4));
        assert_eq!(solver.check(&terms, &[high]).unwrap(), Answer::Unsat);
        let deadline = Some(Instant::now() + Duration::from_millis(200));
        solver.set_limits(Limits { deadline, ..Limits::default() });
        assert_eq!(solver.check(&terms, &[hard]).unwrap(), Answer::Unknown(Unknown::OutOfTime));
        assert_eq!(solver.check(&terms, &[low]).unwrap(), Answer::Unknown(Unknown::OutOfTime), "it is over");
        assert!(started.elapsed() < Duration::from_secs(8));
        solver.set_limits(Limits::default());
        assert_eq!(solver.check(&terms, &[low]).unwrap(), Answer::Sat);
    });
}

/// Deep terms that share much: the text is as long as they are many.
#[test]
fn deep_terms() {
    on_each(|mut solver| {
        let mut terms = Terms::new();
        let [p, q] = ["p", "q"].map(|name| terms.variable(1, name));
        let mut choice = terms.variable(8, "x");
        let mut guard = p;
        for i in 0..1000 {
            let k = terms.constant(8, i);
            let fresh = terms.variable(1, "c");
            choice = terms.ite(fresh, k, choice);
            let more = terms.or(guard, fresh);
            guard = terms.and(more, if i % 2 == 0 { p } else { q });
        }
        let k = terms.constant(8, 77);
        let equal = terms.eq(choice, k);
        solver.set_limits(Limits { per_check: Some(Duration::from_secs(20)), ..Limits::default() });
        let started = Instant::now();
        assert_eq!(solver.check(&terms, &[guard, equal]).unwrap(), Answer::Sat);
        assert_eq!(solver.value(&terms, choice).unwrap(), 77);
        eprintln!("{} terms, size {}: {:?}", terms.count(), solver.work().size, started.elapsed());
        assert!(solver.work().size < 100 * terms.count());
    });
}

/// Numbers of terms mean something else after they were forgotten.
#[test]
fn forgotten_terms_make_room_for_others() {
    on_each(|mut solver| {
        let mut terms = Terms::new();
        let (low, high, three, _) = about_x(&mut terms);
        let kept = terms.count();
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..30 {
            // Enough to need several levels.
            let mut sum = terms.variable(8, "y");
            for _ in 0..random.usize(1..400) {
                let other = terms.variable(8, "z");
                sum = terms.add(sum, other);
            }
            let seven = terms.constant(8, u128::from(random.u8(..)));
            let is_seven = terms.eq(sum, seven);
            let not = terms.not(is_seven);
            assert_eq!(solver.check(&terms, &[is_seven, three]).unwrap(), Answer::Sat);
            assert_eq!(solver.value(&terms, sum).unwrap(), terms.as_constant(seven).unwrap());
            assert_eq!(solver.check(&terms, &[is_seven, not]).unwrap(), Answer::Unsat);
            assert_eq!(solver.check(&terms, &[low, high]).unwrap(), Answer::Unsat);
            let kept = if random.bool() { kept } else { is_seven.index() };
            solver.forget(kept);
            terms.truncate(kept);
            if random.bool() {
                assert_eq!(solver.check(&terms, &[low, three]).unwrap(), Answer::Sat);
            }
        }
        solver.forget(kept);
        terms.truncate(kept);
        solver.assert(&terms, three);
        assert_eq!(solver.check(&terms, &[high]).unwrap(), Answer::Unsat);
        assert_eq!(solver.check(&terms, &[low]).unwrap(), Answer::Sat);
        assert_eq!(solver.work().restarts, 0);
    });
}
