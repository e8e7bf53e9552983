//! What every solver for terms must do, checked on every solver there is.

use selvedge_formula::{Answer, Incremental, Limits, Term, Terms, Theory, open};

fn solvers() -> Vec<Box<dyn Incremental>> {
    vec![open("cadical", Theory::BitVectors, Limits::default()).expect("ours is always there")]
}

/// `x < 5`, `x > 7`, `x = 3`, and x.
fn about_x(terms: &mut Terms) -> (Term, Term, Term, Term) {
    let x = terms.variable(8, "x");
    let [three, five, seven] = [3, 5, 7].map(|k| terms.constant(8, k));
    (terms.ult(x, five), terms.ult(seven, x), terms.eq(x, three), x)
}

#[test]
fn levels_come_and_go() {
    for mut solver in solvers() {
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
        assert_eq!(solver.work().checks, 5);
    }
}
