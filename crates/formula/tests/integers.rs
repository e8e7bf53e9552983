//! Terms as integers: right where nothing overflows, and the whole problem as text, in both theories.

mod common;
#[path = "common/solvers.rs"]
mod solvers;

use common::{BINARY, binary, build_binary, build_unary, interesting, unary};
use selvedge_formula::{Answer, Incremental, Term, Terms, Theory, Unknown, mask, signed, smt};
use solvers::{names, with_each};
use std::io::Write;
use std::process::{Command, Stdio};

/// How an integer relates to the bit-vector.
#[derive(Clone, Copy, PartialEq)]
enum Relation {
    Same,
    /// It has any value, also the right one.
    Free,
    /// It does not wrap around.
    Beyond,
}

fn relation(op: &str, bits: u32, x: u128, y: u128) -> Relation {
    let (a, b) = (signed(bits, x), signed(bits, y));
    let exact = match op {
        "and" | "or" | "xor" | "implies" if bits > 8 => return Relation::Free,
        "add" => a + b,
        "sub" => a - b,
        "mul" => a * b,
        "neg" => -a,
        "shl" if y < u128::from(bits) => a << y,
        "sdiv" if b == -1 => -a,
        _ => return Relation::Same,
    };
    // A single bit is a Boolean, and does wrap around.
    let fits = bits == 1 || exact == signed(bits, exact.cast_unsigned() & mask(bits));
    if fits { Relation::Same } else { Relation::Beyond }
}

/// Under the assumptions the term can have this value, and no other unless it is free.
fn expect(
    solver: &mut dyn Incremental,
    terms: &mut Terms,
    inputs: &[Term],
    t: Term,
    value: u128,
    relation: Relation,
    what: &str,
) {
    if relation == Relation::Beyond {
        return;
    }
    let value = terms.constant(terms.bits(t), value);
    let (right, wrong) = (terms.eq(t, value), terms.ne(t, value));
    // On a level of its own: what an assumption is made of stays.
    solver.push();
    let answer = solver.check(terms, &[inputs, &[right]].concat()).unwrap();
    let is_same = relation == Relation::Same;
    let other = if is_same { solver.check(terms, &[inputs, &[wrong]].concat()).unwrap() } else { Answer::Unsat };
    solver.pop();
    // Products and quotients of variables are allowed to be too hard.
    let fits = |answer: &Answer, wanted| *answer == wanted || matches!(answer, Answer::Unknown(Unknown::GaveUp(_)));
    assert!(fits(&answer, Answer::Sat) && fits(&other, Answer::Unsat), "{what}: {answer:?}, {other:?}");
}

#[test]
fn exact_where_nothing_overflows() {
    with_each(Theory::Integers, |mut solver| {
        let solver = &mut *solver;
        let random = &mut fastrand::Rng::with_seed(11);
        let mut terms = Terms::new();
        for bits in [1, 3, 8, 32] {
            let (a, b) = (terms.variable(bits, "a"), terms.variable(bits, "b"));
            for round in 0..3 {
                let (x, y) = (interesting(random, bits), interesting(random, bits));
                let (k, l) = (terms.constant(bits, x), terms.constant(bits, y));
                let inputs = [terms.eq(a, k), terms.eq(b, l)];
                for op in BINARY {
                    // Shifts by a variable are long; one round shows as much as three.
                    if op.contains("sh") && bits > 8 && round > 0 {
                        continue;
                    }
                    let what = format!("{x} {op} {y} of {bits} bits");
                    let (value, relation) = (binary(op, bits, x, y), relation(op, bits, x, y));
                    let t = build_binary(&mut terms, op, a, b);
                    expect(solver, &mut terms, &inputs, t, value, relation, &what);
                    let t = build_binary(&mut terms, op, a, l);
                    expect(solver, &mut terms, &inputs, t, value, relation, &what);
                }
                for op in ["not", "neg"] {
                    let t = build_unary(&mut terms, op, a);
                    let relation = relation(op, bits, x, 0);
                    expect(
                        solver,
                        &mut terms,
                        &inputs,
                        t,
                        unary(op, bits, x),
                        relation,
                        &format!("{op} {x} of {bits} bits"),
                    );
                }
            }
        }
    });
}

#[test]
fn parts_and_masks() {
    with_each(Theory::Integers, |mut solver| {
        let solver = &mut *solver;
        let random = &mut fastrand::Rng::with_seed(12);
        let mut terms = Terms::new();
        let (a, p) = (terms.variable(24, "a"), terms.variable(1, "p"));
        for _ in 0..4 {
            let x = interesting(random, 24);
            let k = terms.constant(24, x);
            let inputs = [terms.eq(a, k), p];
            let mut cases: Vec<(Term, u128)> = Vec::new();
            for (low, bits) in [(0, 8), (7, 9), (0, 23), (16, 8), (23, 1), (3, 1)] {
                cases.push((terms.extract(a, low, bits), x >> low & mask(bits)));
            }
            for ones in [0xff, 0xf0, 0xff_00ff, 0x80_0000, 0xff_fff8, 0x00_8421] {
                let ones_term = terms.constant(24, ones);
                cases.push((terms.and(a, ones_term), x & ones));
                cases.push((terms.or(a, ones_term), x | ones));
                cases.push((terms.xor(a, ones_term), x ^ ones));
            }
            cases.push((terms.zero_extend(a, 40), x));
            cases.push((terms.sign_extend(a, 40), signed(24, x).cast_unsigned() & mask(40)));
            cases.push((terms.concat(a, p), x << 1 | 1));
            cases.push((terms.concat(p, a), 1 << 24 | x));
            cases.push((terms.sign_extend(p, 24), mask(24)));
            for (t, value) in cases {
                let what = format!("{:?} for {x}", terms.node(t));
                expect(solver, &mut terms, &inputs, t, value, Relation::Same, &what);
            }
        }
    });
}

#[test]
fn it_is_an_approximation() {
    with_each(Theory::Integers, |mut solver| {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable(32, "a"), terms.variable(32, "b"));
        let one = terms.constant(32, 1);
        let next = terms.add(a, one);
        let wraps = terms.slt(next, a);
        assert_eq!(solver.check(&terms, &[wraps]).unwrap(), Answer::Unsat, "no wrap-around");
        let same = terms.eq(a, b);
        let both = terms.and(a, b);
        let differs = terms.ne(both, a);
        assert_eq!(solver.check(&terms, &[same, differs]).unwrap(), Answer::Sat, "a value that is free");
        let (x, y) = (solver.value(&terms, a).unwrap(), solver.value(&terms, b).unwrap());
        assert_eq!((x, solver.value(&terms, differs).unwrap()), (y, 0), "values are those of bit-vectors");
        let negative = terms.constant(32, 0xffff_fff0);
        let is_negative = terms.eq(a, negative);
        assert_eq!(solver.check(&terms, &[is_negative]).unwrap(), Answer::Sat);
        assert_eq!(solver.value(&terms, a).unwrap(), 0xffff_fff0);
    });
}

fn small_problem() -> (Terms, Vec<Term>) {
    let mut terms = Terms::new();
    let (x, p) = (terms.variable(8, "input\n1"), terms.variable(1, "p"));
    let [three, ten] = [3, 10].map(|k| terms.constant(8, k));
    let sum = terms.add(x, three);
    let large = terms.ult(ten, sum);
    let choice = terms.ite(p, sum, x);
    let is_ten = terms.eq(choice, ten);
    (terms, vec![large, is_ten])
}

#[test]
fn a_problem_as_text() {
    let (terms, assertions) = small_problem();
    let text = smt::script(&terms, Theory::BitVectors, &assertions);
    let expected = "\
(set-logic QF_BV)
; v0 is input 1
; v1 is p
(declare-const v0 (_ BitVec 8))
(define-fun t6 () (_ BitVec 8) (bvadd v0 #x03))
(define-fun t7 () Bool (bvult #x0a t6))
(assert t7)
(declare-const v1 Bool)
(define-fun t9 () (_ BitVec 8) (ite v1 t6 v0))
(define-fun t10 () Bool (= t9 #x0a))
(assert t10)
(check-sat)
(exit)
";
    assert_eq!(text, expected);
    let text = smt::script(&terms, Theory::Integers, &assertions);
    assert!(text.starts_with("(set-logic QF_LIA)\n") && text.contains("(define-fun t6 () Int (+ v0 3))"), "{text}");
}

#[test]
fn solvers_read_the_text() {
    for theory in [Theory::BitVectors, Theory::Integers] {
        let (terms, assertions) = small_problem();
        for name in names(theory).iter().filter(|&name| name != "cadical") {
            let known = smt::KNOWN.iter().find(|known| known.name == name);
            let mut command = Command::new(known.map_or(name.as_str(), |known| known.command));
            command.args(known.map_or(&["-in"][..], |known| known.arguments));
            let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            let text = smt::script(&terms, theory, &assertions);
            process.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
            let output = process.wait_with_output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "sat", "{name}, {theory:?}");
        }
    }
}
