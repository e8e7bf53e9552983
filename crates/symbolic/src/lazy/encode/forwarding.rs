//! Load forwarding: what a load gives follows in part from the fact that it runs.
//!
//! A segment runs in one round only. A value that it would read in a later round under the condition that it ran in an
//! earlier one, or that a later segment of its thread did, it never reads: `done` is monotone in points and rounds
//! (`turns.rs`), and says no for all of these. That a step runs also says that the way to it was taken. Cells are
//! chains of choices under such conditions; a load looks through those that are decided where it stands. A cell that
//! only one thread writes is then read in every round as it was in the first, and costs nothing the second time.

use super::turns::{Span, Turns};
use hashbrown::{HashMap, HashSet};
use selvedge_formula::{Node, Term, Terms};

/// The terms of a cell's history that one load looks at; what lies deeper stays as it is.
const DEPTH: usize = 512;
/// The terms in its conditions that one load looks at.
const MAX_CONDITIONS: usize = 4096;
/// A history without what is decided in the middle of it is a new term, of which the formula has no part yet; it
/// had better be short.
const MAX_NEW: usize = 2;

/// The position of a load: the condition under which it runs, its thread and segments.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct At {
    pub active: Term,
    pub thread: usize,
    pub span: Span,
}

/// The conditions and values that were decided where the last load was, in one turn.
pub(super) struct Forwarding<'e> {
    turns: &'e Turns,
    at: Option<At>,
    /// The conjuncts of the condition.
    holds: HashSet<Term>,
    decided: HashMap<Term, Option<bool>>,
    values: HashMap<Term, Term>,
    /// How many conditions a load may still look at.
    patience: usize,
}

impl<'e> Forwarding<'e> {
    pub fn new(turns: &'e Turns) -> Forwarding<'e> {
        let (holds, decided, values) = (HashSet::new(), HashMap::new(), HashMap::new());
        Forwarding { turns, at: None, holds, decided, values, patience: 0 }
    }

    /// The value, if the step that loads it is executed in this turn.
    pub fn forwarded(&mut self, terms: &mut Terms, at: At, value: Term) -> Term {
        self.look_around(terms, at);
        self.patience = MAX_CONDITIONS;
        let value = self.peeled(terms, value);
        let before = terms.count();
        let mut waiting = vec![value];
        let mut looked_at = 0;
        while let Some(term) = waiting.last().copied() {
            if self.values.contains_key(&term) {
                waiting.pop();
                continue;
            }
            looked_at += 1;
            let parts = if looked_at > DEPTH { Vec::new() } else { self.parts_to_forward(terms, term) };
            let had = waiting.len();
            waiting.extend(parts.iter().filter(|part| !self.values.contains_key(*part)));
            if waiting.len() > had {
                continue;
            }
            let known = if looked_at > DEPTH { term } else { self.put_together(terms, term, &parts) };
            if terms.count() - before > MAX_NEW {
                self.values.insert(value, value);
                return value;
            }
            self.values.insert(term, known);
            waiting.pop();
        }
        self.values[&value]
    }

    /// Without the choices on top of it that are decided.
    fn peeled(&mut self, terms: &Terms, mut value: Term) -> Term {
        loop {
            let Node::Ite(condition, then, otherwise) = terms.node(value) else { return value };
            value = match self.decision(terms, condition) {
                Some(true) => then,
                Some(false) => otherwise,
                None => return value,
            };
        }
    }

    /// In another place, or under another condition, what was decided before says nothing.
    fn look_around(&mut self, terms: &Terms, at: At) {
        if self.at == Some(at) {
            return;
        }
        self.at = Some(at);
        self.holds.clear();
        self.decided.clear();
        self.values.clear();
        let mut waiting = vec![at.active];
        while let Some(term) = waiting.pop().filter(|_| self.holds.len() < DEPTH) {
            if self.holds.insert(term)
                && let Node::And(a, b) = terms.node(term)
            {
                waiting.extend([a, b]);
            }
        }
    }

    /// The parts of which the forwarded value of a term is made.
    fn parts_to_forward(&mut self, terms: &Terms, term: Term) -> Vec<Term> {
        match terms.node(term) {
            Node::Ite(condition, then, otherwise) => match self.decision(terms, condition) {
                Some(true) => vec![then],
                Some(false) => vec![otherwise],
                None => vec![then, otherwise],
            },
            Node::ZeroExtend { of, .. } | Node::SignExtend { of, .. } | Node::Extract { of, .. } => vec![of],
            Node::Concat(high, low) => vec![high, low],
            Node::Not(inner) => vec![inner],
            Node::And(a, b) if terms.bits(term) == 1 && self.decision(terms, term).is_none() => vec![a, b],
            _ => Vec::new(),
        }
    }

    /// The term made of the forwarded values of its parts, which have been looked at.
    fn put_together(&mut self, terms: &mut Terms, term: Term, parts: &[Term]) -> Term {
        let node = terms.node(term);
        let known: Vec<Term> = parts.iter().map(|part| self.values[part]).collect();
        match (node, known.as_slice()) {
            (Node::Ite(..), [chosen]) => *chosen,
            (_, []) if terms.bits(term) == 1 => self.decision(terms, term).map_or(term, |holds| terms.bool(holds)),
            (_, unchanged) if unchanged == parts => term,
            (Node::Ite(condition, ..), [then, otherwise]) => terms.ite(condition, *then, *otherwise),
            (Node::ZeroExtend { bits, .. }, [of]) => terms.zero_extend(*of, bits),
            (Node::SignExtend { bits, .. }, [of]) => terms.sign_extend(*of, bits),
            (Node::Extract { low, bits, .. }, [of]) => terms.extract(*of, low, bits),
            (Node::Concat(..), [high, low]) => terms.concat(*high, *low),
            (Node::Not(_), [inner]) => terms.not(*inner),
            (Node::And(..), [a, b]) => terms.and(*a, *b),
            _ => unreachable!("only these have parts to forward"),
        }
    }

    /// Does a condition hold here? Looks into conjunctions and negations only.
    fn decision(&mut self, terms: &Terms, condition: Term) -> Option<bool> {
        let mut waiting = vec![condition];
        while let Some(term) = waiting.last().copied() {
            let decided = match self.decide(terms, term) {
                Decision::Made(decided) => decided,
                Decision::Needs(part) if self.patience > 0 => {
                    self.patience -= 1;
                    waiting.push(part);
                    continue;
                }
                Decision::Needs(_) => None,
            };
            self.decided.insert(term, decided);
            waiting.pop();
        }
        self.decided[&condition]
    }

    /// The decision, or the part of the term to be decided next: the older one first, for it is nearer to where
    /// the turn began, which is often enough.
    fn decide(&self, terms: &Terms, term: Term) -> Decision {
        let Forwarding { holds, decided, .. } = self;
        if holds.contains(&term) {
            return Decision::Made(Some(true));
        }
        if let Some(decided) = decided.get(&term) {
            return Decision::Made(*decided);
        }
        match terms.node(term) {
            Node::Const { value, .. } => Decision::Made(Some(value == 1)),
            Node::Not(inner) => match decided.get(&inner) {
                Some(inner) => Decision::Made(inner.map(|holds| !holds)),
                None => Decision::Needs(inner),
            },
            Node::And(a, b) => match (decided.get(&a), decided.get(&b)) {
                (Some(Some(false)), _) | (_, Some(Some(false))) => Decision::Made(Some(false)),
                (None, _) => Decision::Needs(a),
                (_, None) => Decision::Needs(b),
                (Some(a), Some(b)) => Decision::Made(a.and(*b)),
            },
            Node::Var { .. } => Decision::Made(self.at.and_then(|at| self.turns.has_passed(term, at.thread, at.span))),
            _ => Decision::Made(None),
        }
    }
}

enum Decision {
    Made(Option<bool>),
    Needs(Term),
}
