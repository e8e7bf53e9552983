//! Deep terms need no deep stack, and many terms not much time.

use selvedge_formula::{Blaster, Cadical, Solved, Terms};
use std::time::{Duration, Instant};

const DEPTH: usize = 200_000;

#[test]
fn deep_terms_do_not_overflow_the_stack() {
    let mut terms = Terms::new();
    let start = terms.variable(4, "start");
    let mut deep = start;
    for i in 0..DEPTH {
        let other = terms.variable(4, "other");
        deep = match i % 4 {
            0 => terms.add(deep, other),
            1 => {
                let condition = terms.extract(other, 0, 1);
                terms.ite(condition, deep, other)
            }
            2 => {
                let k = terms.constant(4, 5);
                terms.xor(deep, k)
            }
            _ => terms.and(other, deep),
        };
    }
    let two = terms.constant(4, 2);
    let equal = terms.eq(deep, two);
    assert_eq!(terms.evaluate(deep, &mut |_| 1), terms.evaluate(deep, &mut |_| 1));
    let mut blaster = Blaster::new(Cadical::new());
    blaster.assert(&terms, equal);
    assert_eq!(blaster.solve(&[]), Solved::Sat);
    assert_eq!(blaster.value(&terms, deep), 2);
    let again = terms.evaluate(deep, &mut |variable| blaster.value(&terms, variable));
    assert_eq!(again, 2, "the model is one");
}

#[test]
fn deep_conditions_do_not_overflow_the_stack() {
    let mut terms = Terms::new();
    let [p, q] = ["p", "q"].map(|name| terms.variable(1, name));
    let mut choice = terms.variable(8, "x");
    let mut guard = p;
    for i in 0..DEPTH {
        let k = terms.constant(8, i as u128);
        let fresh = terms.variable(1, "c");
        choice = terms.ite(fresh, k, choice);
        let more = terms.or(guard, fresh);
        guard = terms.and(more, if i % 2 == 0 { p } else { q });
    }
    let k = terms.constant(8, 77);
    let equal = terms.eq(choice, k);
    let both = terms.and(equal, guard);
    let mut blaster = Blaster::new(Cadical::new());
    blaster.assert(&terms, both);
    assert_eq!(blaster.solve(&[]), Solved::Sat);
    assert_eq!(blaster.value(&terms, choice), 77);
}

#[test]
fn a_million_terms_take_about_a_second() {
    let started = Instant::now();
    let mut terms = Terms::new();
    let x = terms.variable(32, "x");
    let mut t = x;
    while terms.count() < 1_000_000 {
        let c = terms.slt(t, x);
        let sum = terms.add(t, x);
        let product = terms.xor(sum, t);
        t = terms.ite(c, product, sum);
    }
    let elapsed = started.elapsed();
    println!("{} terms in {elapsed:?}", terms.count());
    assert!(elapsed < Duration::from_secs(10), "{elapsed:?}");
}
