//! Bit-blasting: every bit of every term becomes a literal.
//!
//! Each term is translated once, children before parents, however often and however late it is
//! asked for; so a formula can grow between calls of the solver (incremental solving). Operations that only
//! rearrange bits (extensions, extraction, concatenation, negation of Booleans) cost nothing.

use crate::circuits::{Shift, inverted};
use crate::evaluate::Evaluator;
use crate::gates::Gates;
use crate::sat::{Lit, Sat, Solved};
use crate::terms::{Node, Term, Terms};
use std::fmt::Write;
use std::ops::Range;

/// The size of a formula.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Statistics {
    pub variables: usize,
    pub clauses: usize,
}

/// Whether a term has been translated; `From` is the index of its first literal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Translation {
    Missing,
    Pending,
    From(u32),
}

/// A SAT solver that accepts terms; all of them must come from the same [`Terms`].
pub struct Blaster<S> {
    gates: Gates<S>,
    /// By term.
    translations: Vec<Translation>,
    lits: Vec<Lit>,
}

impl<S: Sat> Blaster<S> {
    pub fn new(solver: S) -> Blaster<S> {
        Blaster::with(Gates::new(solver, false))
    }

    /// A blaster that also keeps all clauses, for [`Blaster::dimacs`].
    pub fn recording(solver: S) -> Blaster<S> {
        Blaster::with(Gates::new(solver, true))
    }

    fn with(gates: Gates<S>) -> Blaster<S> {
        Blaster { gates, translations: Vec::new(), lits: Vec::new() }
    }

    pub fn solver(&self) -> &S {
        &self.gates.solver
    }

    pub fn solver_mut(&mut self) -> &mut S {
        &mut self.gates.solver
    }

    pub fn statistics(&self) -> Statistics {
        Statistics { variables: self.gates.variables, clauses: self.gates.clauses }
    }

    /// The literal of a Boolean.
    pub fn literal(&mut self, terms: &Terms, t: Term) -> Lit {
        assert_eq!(terms.bits(t), 1, "a literal stands for a Boolean");
        self.bits(terms, t)[0]
    }

    /// The literals of a term, lowest bit first.
    pub fn bits(&mut self, terms: &Terms, t: Term) -> &[Lit] {
        self.translate(terms, t);
        &self.lits[self.range(terms, t).unwrap_or_default()]
    }

    /// Requires a Boolean to be true, from now on.
    pub fn assert(&mut self, terms: &Terms, t: Term) {
        let lit = self.literal(terms, t);
        self.gates.clause(&[lit]);
    }

    /// A new literal that stands for no term.
    pub fn fresh(&mut self) -> Lit {
        self.gates.fresh()
    }

    /// Requires one of the literals to be true, from now on.
    pub fn add_clause(&mut self, clause: &[Lit]) {
        self.gates.clause(clause);
    }

    pub fn solve(&mut self, assumptions: &[Lit]) -> Solved {
        self.gates.solver.solve(assumptions)
    }

    /// The assumptions that made the last call of `solve` fail.
    pub fn failed(&self) -> Vec<Lit> {
        self.gates.solver.failed()
    }

    /// The value of a term in the last model. Terms that were not translated are evaluated;
    /// variables that the solver never saw are 0. For many of these, see [`Blaster::known_value`].
    pub fn value(&self, terms: &Terms, t: Term) -> u128 {
        Evaluator::new().value(terms, t, &mut |t| self.known_value(terms, t))
    }

    /// The value of a translated term or of a variable in the last model, as [`Evaluator::value`]
    /// asks for it.
    pub fn known_value(&self, terms: &Terms, t: Term) -> Option<u128> {
        match self.range(terms, t) {
            Some(range) => {
                let bits = self.lits[range].iter().rev();
                Some(bits.fold(0, |value, &lit| value << 1 | u128::from(self.gates.solver.value(lit))))
            }
            None => matches!(terms.node(t), Node::Var { .. }).then_some(0),
        }
    }

    /// All clauses so far in DIMACS format; without clauses unless made by [`Blaster::recording`].
    pub fn dimacs(&self) -> String {
        let recorded = self.gates.recorded.as_deref().unwrap_or_default();
        let clauses = recorded.iter().filter(|&&lit| lit == 0).count();
        let mut text = format!("p cnf {} {clauses}\n", self.gates.variables);
        for &lit in recorded {
            let end = if lit == 0 { '\n' } else { ' ' };
            write!(text, "{lit}{end}").expect("a string takes everything");
        }
        text
    }

    fn range(&self, terms: &Terms, t: Term) -> Option<Range<usize>> {
        match self.translations.get(t.index()) {
            Some(&Translation::From(start)) => Some(start as usize..start as usize + terms.bits(t) as usize),
            _ => None,
        }
    }

    fn translate(&mut self, terms: &Terms, t: Term) {
        if self.translations.len() < terms.count() {
            self.translations.resize(terms.count(), Translation::Missing);
        }
        let translations = &mut self.translations;
        let coming = terms.cone_of_new([t], |t| {
            let new = translations[t.index()] == Translation::Missing;
            if new {
                translations[t.index()] = Translation::Pending;
            }
            new
        });
        for t in coming {
            let bits = self.circuit(terms, t);
            debug_assert_eq!(bits.len(), terms.bits(t) as usize, "{:?}", terms.node(t));
            let start = u32::try_from(self.lits.len()).expect("fewer than 2^32 literals");
            self.translations[t.index()] = Translation::From(start);
            self.lits.extend(bits);
        }
    }

    /// The bits of a term whose children have theirs.
    fn circuit(&mut self, terms: &Terms, t: Term) -> Vec<Lit> {
        let width = terms.bits(t) as usize;
        let lits = &self.lits;
        let translations = &self.translations;
        let of = |t: Term| match translations[t.index()] {
            Translation::From(start) => &lits[start as usize..][..terms.bits(t) as usize],
            Translation::Missing | Translation::Pending => unreachable!("children come first"),
        };
        let gates = &mut self.gates;
        let zero = gates.constant(false);
        match terms.node(t) {
            Node::Const { value, .. } => (0..width).map(|i| gates.constant(value >> i & 1 == 1)).collect(),
            Node::Var { .. } => (0..width).map(|_| gates.fresh()).collect(),
            Node::Not(a) => inverted(of(a)),
            Node::And(a, b) => of(a).iter().zip(of(b)).map(|(&a, &b)| gates.and(a, b)).collect(),
            Node::Xor(a, b) => of(a).iter().zip(of(b)).map(|(&a, &b)| gates.xor(a, b)).collect(),
            Node::Neg(a) => gates.negate(of(a)),
            Node::Add(a, b) => gates.add(of(a), of(b), zero),
            Node::Sub(a, b) => gates.subtract(of(a), of(b)),
            Node::Mul(a, b) => gates.multiply(of(a), of(b)),
            Node::Udiv(a, b) => gates.divide(of(a), of(b)).0,
            Node::Urem(a, b) => gates.divide(of(a), of(b)).1,
            Node::Sdiv(a, b) => gates.signed_divide(of(a), of(b)).0,
            Node::Srem(a, b) => gates.signed_divide(of(a), of(b)).1,
            Node::Shl(a, by) => gates.shift(of(a), of(by), Shift::Left),
            Node::Lshr(a, by) => gates.shift(of(a), of(by), Shift::Right { fill: zero }),
            Node::Ashr(a, by) => gates.shift(of(a), of(by), Shift::Right { fill: of(a)[width - 1] }),
            Node::Eq(a, b) => vec![gates.equal(of(a), of(b))],
            Node::Ult(a, b) => vec![gates.less(of(a), of(b))],
            Node::Slt(a, b) => vec![gates.signed_less(of(a), of(b))],
            Node::Ite(c, a, b) => gates.choose(of(c)[0], of(a), of(b)),
            Node::ZeroExtend { of: a, .. } => extended(of(a), width, zero),
            Node::SignExtend { of: a, .. } => extended(of(a), width, of(a)[of(a).len() - 1]),
            Node::Extract { of: a, low, .. } => of(a)[low as usize..][..width].to_vec(),
            Node::Concat(high, low) => [of(low), of(high)].concat(),
        }
    }
}

fn extended(bits: &[Lit], width: usize, fill: Lit) -> Vec<Lit> {
    let mut bits = bits.to_vec();
    bits.resize(width, fill);
    bits
}
