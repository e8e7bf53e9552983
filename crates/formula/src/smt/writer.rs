//! Terms as text, for a reader that remembers what came before.
//!
//! Every term gets a name, once: a variable is declared, everything else is defined over the names of its
//! children. The text is thus linear in the number of terms, however much they share, and is written and
//! read without recursion, however deep they are. Leaving a level forgets everything on it, names
//! included: this is SMT-LIB's own rule and needs no option of any solver.

use super::{bitvectors, integers};
use crate::solver::Theory;
use crate::terms::{Node, Term, Terms};
use foldhash::fast::FixedState;
use hashbrown::HashSet;

/// The definition of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Naming {
    /// By `define-fun`.
    Functions,
    /// By `declare-const` and an asserted equation.
    Equations,
}

/// The translation of a term into a theory.
pub(super) struct Meaning {
    pub sort: String,
    /// `None` if the term may have any value that satisfies the facts.
    pub body: Option<String>,
    pub facts: Vec<String>,
}

/// The name of a term, or the text of a constant.
pub(super) fn name(terms: &Terms, t: Term) -> String {
    match terms.node(t) {
        Node::Var { index, .. } => format!("v{index}"),
        _ => format!("t{}", t.index()),
    }
}

pub(super) struct Writer {
    theory: Theory,
    naming: Naming,
    /// In the order in which they were named.
    named: Vec<Term>,
    is_named: Vec<bool>,
    /// Terms that are implied by a Boolean constant of their own, as `check-sat-assuming` requires.
    assumable: Vec<Term>,
    is_assumable: HashSet<Term, FixedState>,
    /// The lengths of `named` and `assumable` when each level began.
    levels: Vec<(usize, usize)>,
}

impl Writer {
    pub fn new(theory: Theory, naming: Naming) -> Writer {
        Writer {
            theory,
            naming,
            named: Vec::new(),
            is_named: Vec::new(),
            assumable: Vec::new(),
            is_assumable: HashSet::with_hasher(FixedState::default()),
            levels: Vec::new(),
        }
    }

    pub fn assert(&mut self, terms: &Terms, t: Term, out: &mut String) {
        let t = self.define(terms, t, out);
        *out += &format!("(assert {t})\n");
    }

    /// A Boolean constant that implies the term. A defined name would not do: some solvers see through it.
    pub fn assume(&mut self, terms: &Terms, t: Term, out: &mut String) -> String {
        let constant = format!("a{}", t.index());
        if self.is_assumable.insert(t) {
            self.assumable.push(t);
            let t = self.define(terms, t, out);
            *out += &format!("(declare-const {constant} Bool)\n(assert (=> {constant} {t}))\n");
        }
        constant
    }

    pub fn push(&mut self, out: &mut String) {
        self.levels.push((self.named.len(), self.assumable.len()));
        *out += "(push 1)\n";
    }

    pub fn pop(&mut self, out: &mut String) {
        let (named, assumable) = self.levels.pop().expect("a level to leave");
        for t in self.named.drain(named..) {
            self.is_named[t.index()] = false;
        }
        for t in self.assumable.drain(assumable..) {
            self.is_assumable.remove(&t);
        }
        *out += "(pop 1)\n";
    }

    pub fn names(&self) -> usize {
        self.named.len()
    }

    /// The number of names on the innermost level.
    pub fn names_on_level(&self) -> usize {
        self.named.len() - self.levels.last().map_or(0, |level| level.0)
    }

    /// Leaves all levels on which a term other than the first `kept` has a name. Returns how many it left.
    pub fn forget(&mut self, kept: usize, out: &mut String) -> usize {
        let first = self.named.iter().position(|t| t.index() >= kept).unwrap_or(self.named.len());
        let ends = self.levels.iter().skip(1).map(|level| level.0).chain([self.named.len()]);
        let stay = ends.take_while(|end| *end <= first).count().min(self.levels.len());
        let left = self.levels.len() - stay;
        (0..left).for_each(|_| self.pop(out));
        left
    }

    /// The declared variables.
    pub fn variables(&self, terms: &Terms) -> impl Iterator<Item = Term> {
        self.named.iter().copied().filter(|&t| matches!(terms.node(t), Node::Var { .. }))
    }

    /// The text of a Boolean. Defines those of its subterms that have no name yet.
    pub fn define(&mut self, terms: &Terms, t: Term, out: &mut String) -> String {
        assert_eq!(terms.bits(t), 1, "what is asserted or assumed is a Boolean");
        if let Some(value) = terms.as_constant(t) {
            return (value == 1).to_string();
        }
        if self.is_named.len() < terms.count() {
            self.is_named.resize(terms.count(), false);
        }
        let is_named = &mut self.is_named;
        let new = terms
            .cone_of_new([t], |t| terms.as_constant(t).is_none() && !std::mem::replace(&mut is_named[t.index()], true));
        for &t in &new {
            let name = name(terms, t);
            let Meaning { sort, body, facts } = match self.theory {
                Theory::BitVectors => bitvectors::meaning(terms, t),
                Theory::Integers => integers::meaning(terms, t),
            };
            *out += &match (body, self.naming) {
                (None, _) => format!("(declare-const {name} {sort})\n"),
                (Some(body), Naming::Functions) => format!("(define-fun {name} () {sort} {body})\n"),
                (Some(body), Naming::Equations) => {
                    format!("(declare-const {name} {sort})\n(assert (= {name} {body}))\n")
                }
            };
            for fact in facts {
                *out += &format!("(assert {fact})\n");
            }
        }
        self.named.extend(new);
        name(terms, t)
    }
}
