//! CaDiCaL's refutations are proofs, and what is not a proof is refused.

use selvedge_formula::{Blaster, Cadical, Lit, Proof, ProofError, Sat, Solved, SolverProfile, Terms};

fn checked() -> Cadical {
    let mut solver = Cadical::new();
    solver.check_proofs();
    solver
}

/// (1 or 2), (1 or not 2), (not 1 or 3), (not 1 or not 3).
fn small() -> Proof {
    let mut proof = Proof::default();
    for (id, clause) in [[1, 2], [1, -2], [-1, 3], [-1, -3]].iter().enumerate() {
        proof.give(clause);
        proof.original(id as i64 + 1, clause).expect("it was given");
    }
    proof
}

#[test]
fn a_proof_by_hand_is_accepted() {
    let mut proof = small();
    assert_eq!(proof.derived(5, &[1], &[1, 2]), Ok(()));
    assert_eq!(proof.derived(6, &[], &[5, 3, 4]), Ok(()));
    assert_eq!(proof.refutes(6, &[]), Ok(()));
    assert_eq!(proof.restored(3, &[3, -1]), Ok(()));
}

#[test]
fn what_is_no_proof_is_refused() {
    let does_not_follow = |result| matches!(result, Err(ProofError::DoesNotFollow { .. }));
    // Not all premises; a premise with two literals left; another clause than what follows.
    assert!(does_not_follow(small().derived(5, &[1], &[1])));
    assert!(does_not_follow(small().derived(5, &[], &[1, 2])));
    assert!(does_not_follow(small().derived(5, &[-1], &[1, 2])));
    assert!(does_not_follow(small().derived(5, &[2], &[])));
    assert_eq!(small().derived(5, &[1], &[1, 7]), Err(ProofError::Missing { id: 5, from: 7 }));
    assert_eq!(small().derived(4, &[1], &[1, 2]), Err(ProofError::Twice { id: 4 }));
    assert!(matches!(small().original(5, &[2]), Err(ProofError::NotGiven { .. })));
    assert!(matches!(small().restored(3, &[-1]), Err(ProofError::NotGiven { .. })));
    // A conclusion that speaks of more than was assumed.
    let mut proof = small();
    proof.derived(5, &[1], &[1, 2]).expect("it follows");
    assert!(matches!(proof.refutes(5, &[]), Err(ProofError::WrongConclusion { .. })));
    assert_eq!(proof.refutes(5, &[-1, 2]), Ok(()));
    assert_eq!(proof.refutes(6, &[]), Err(ProofError::NoConclusion));
}

/// A proof as CaDiCaL reports it, in which one number is changed, is refused, or still a proof of what it concludes.
#[test]
fn corrupted_proofs_are_refused() {
    let steps: [(i64, &[i32], &[i64]); 2] = [(5, &[1], &[1, 2]), (6, &[], &[5, 3, 4])];
    let check = |steps: &[(i64, Vec<i32>, Vec<i64>)]| {
        let mut proof = small();
        steps.iter().try_for_each(|(id, clause, from)| proof.derived(*id, clause, from)).is_ok()
            && proof.refutes(6, &[]).is_ok()
    };
    let whole: Vec<(i64, Vec<i32>, Vec<i64>)> =
        steps.iter().map(|(id, clause, from)| (*id, clause.to_vec(), from.to_vec())).collect();
    assert!(check(&whole));
    for step in 0..2 {
        for hint in 0..whole[step].2.len() {
            let mut without = whole.clone();
            without[step].2.remove(hint);
            assert!(!check(&without), "{without:?}");
        }
        let mut weaker = whole.clone();
        weaker[step].1.push(3);
        assert!(!check(&weaker), "{weaker:?}");
    }
}

fn random_clause(dice: &mut fastrand::Rng, lits: &[Lit]) -> Vec<Lit> {
    (0..3).map(|_| lits[dice.usize(..lits.len())].negated_if(dice.bool())).collect()
}

/// Random formulas that grow, with assumptions, through all of CaDiCaL's simplifications.
#[test]
fn incremental_refutations_are_proofs() {
    let (mut refuted, mut by_assumptions) = (0, 0);
    for seed in 0..30 {
        let mut dice = fastrand::Rng::with_seed(seed);
        let mut solver = if seed % 2 == 0 { Cadical::new() } else { Cadical::with_profile(SolverProfile::StableOnly) };
        solver.check_proofs();
        let lits: Vec<Lit> = (0..60).map(|_| solver.new_var()).collect();
        (0..180).for_each(|_| solver.add_clause(&random_clause(&mut dice, &lits)));
        for _ in 0..20 {
            (0..5).for_each(|_| solver.add_clause(&random_clause(&mut dice, &lits)));
            let assumptions: Vec<Lit> = (0..8).map(|number| lits[number * 7].negated_if(dice.bool())).collect();
            if solver.solve(&assumptions) == Solved::Unsat {
                refuted += 1;
                by_assumptions += u64::from(!solver.failed().is_empty());
            }
        }
        if solver.solve(&[]) == Solved::Unsat {
            refuted += 1;
        }
        assert_eq!(solver.statistics().proofs_checked, refuted);
        refuted = 0;
    }
    assert!(by_assumptions > 50, "only {by_assumptions} refutations of assumptions");
}

/// Multiplication commutes, distributes, and has no zero divisors among odd numbers: formulas from circuits.
#[test]
fn refutations_of_circuits_are_proofs() {
    let mut terms = Terms::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.variable(6, name));
    let sum = terms.add(y, z);
    let left = terms.mul(x, sum);
    let (xy, xz) = (terms.mul(x, y), terms.mul(x, z));
    let right = terms.add(xy, xz);
    let differs = terms.ne(left, right);
    let mut blaster = Blaster::new(checked());
    blaster.assert(&terms, differs);
    assert_eq!(blaster.solve(&[]), Solved::Unsat);
    assert_eq!(blaster.solver().statistics().proofs_checked, 1);
}

#[test]
fn contradictory_assumptions_and_the_empty_clause_are_proofs() {
    let mut solver = checked();
    let [a, b] = std::array::from_fn(|_| solver.new_var());
    assert_eq!(solver.solve(&[a, !a]), Solved::Unsat);
    solver.add_clause(&[!a, b]);
    solver.add_clause(&[a, a, b]);
    solver.add_clause(&[a, !a]);
    assert_eq!(solver.solve(&[!b]), Solved::Unsat);
    assert_eq!(solver.failed(), [!b]);
    solver.add_clause(&[]);
    assert_eq!(solver.solve(&[]), Solved::Unsat);
    assert_eq!(solver.solve(&[a]), Solved::Unsat);
    assert_eq!(solver.statistics().proofs_checked, 4);
}
