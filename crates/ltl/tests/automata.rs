//! Automata against the definition of LTL, on random formulas and random runs.

use proptest::prelude::*;
use selvedge_ltl::{Automaton, Formula, Lasso};

const ATOMS: u8 = 3;

fn formula() -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Formula::Const),
        8 => (0..ATOMS, any::<bool>()).prop_map(|(atom, holds)| Formula::Literal { atom, holds }),
    ];
    leaf.prop_recursive(4, 12, 2, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            pair.clone().prop_map(|(a, b)| a.and(b)),
            pair.clone().prop_map(|(a, b)| a.or(b)),
            inner.clone().prop_map(Formula::next),
            inner.clone().prop_map(Formula::finally),
            inner.prop_map(Formula::globally),
            pair.clone().prop_map(|(a, b)| a.until(b)),
            pair.prop_map(|(a, b)| a.release(b)),
        ]
    })
}

fn lasso() -> impl Strategy<Value = Lasso> {
    let letters = |from: usize| proptest::collection::vec(0..1u64 << ATOMS, from..5);
    (letters(0), letters(1)).prop_map(|(prefix, cycle)| Lasso { prefix, cycle })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn an_automaton_accepts_what_its_formula_holds_of(formula in formula(), runs in proptest::collection::vec(lasso(), 4)) {
        let automaton = Automaton::new(&formula).expect("few promises");
        for run in runs {
            prop_assert_eq!(automaton.accepts(&run), run.satisfies(&formula), "{} on {:?}", formula, run);
        }
    }

    #[test]
    fn a_run_satisfies_a_formula_or_its_negation(formula in formula(), run in lasso()) {
        prop_assert_ne!(run.satisfies(&formula), run.satisfies(&formula.negated()));
    }

    #[test]
    fn stuttering_matters_only_to_next(formula in formula(), run in lasso(), at in 0usize..10) {
        if formula.has_next() {
            return Ok(());
        }
        let mut longer = run.clone();
        let (part, at) = match at % run.len() {
            at if at < run.prefix.len() => (&mut longer.prefix, at),
            at => (&mut longer.cycle, at - run.prefix.len()),
        };
        part.insert(at, part[at]);
        prop_assert_eq!(run.satisfies(&formula), longer.satisfies(&formula));
    }
}
