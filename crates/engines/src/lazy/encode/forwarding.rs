//! What is known while a step runs: it has not run before.
//!
//! A segment runs in one round only. So whatever it reads in a later round under the condition that it ran in an
//! earlier one, or that a later segment of its thread did, it never reads: `done` is monotone in points and rounds
//! (`turns.rs`), and says no for all of these. That a step runs also says that the way to it was taken. Cells are
//! chains of choices under such conditions; a load looks through those that are decided where it stands. What only
//! one thread writes is then read in every round as it was in the first, and costs nothing the second time.

use super::Encoder;
use hashbrown::{HashMap, HashSet};
use selvedge_formula::{Node, Term};

/// So much of a cell's history is looked at by one load; what lies deeper stays as it is.
const DEPTH: usize = 512;
/// And so much of the conditions in it.
const MAX_CONDITIONS: usize = 4096;
/// A history without what is decided in the middle of it is a new term, of which the formula has no part yet; it
/// had better be short.
const MAX_NEW: usize = 2;

/// The points in whose segments a step may be, in order of the walk: the first and the last.
pub(super) type Span = (usize, usize);

/// Has a thread passed its points from the first to the last, which stop together, by the end of a round?
pub(super) struct Passed {
    thread: usize,
    round: u32,
    points: Span,
}

/// Where a step is: the condition under which it runs, its thread, round and segments.
type Place = (Term, usize, u32, Span);

/// What was decided in one place.
#[derive(Default)]
pub(super) struct Known {
    place: Option<Place>,
    /// What the condition is the conjunction of.
    holds: HashSet<Term>,
    decided: HashMap<Term, Option<bool>>,
    values: HashMap<Term, Term>,
    /// How much a load may still look at.
    patience: usize,
}

impl Encoder<'_> {
    /// A variable says that the thread whose turn it is has passed this point by the end of it.
    pub(super) fn note_passed(&mut self, variable: Term, thread: usize, point: usize) {
        let passed = Passed { thread, round: self.rounds, points: (point, point) };
        self.passed.entry(variable).or_insert(passed).points.1 = point;
    }

    /// What the value is if the step that is executed here is executed in this turn.
    pub(super) fn as_known(&mut self, value: Term) -> Term {
        let Some(span) = self.here.span else { return value };
        self.look_around(span);
        self.known.patience = MAX_CONDITIONS;
        let value = self.peeled(value);
        let before = self.terms.count();
        let mut waiting = vec![value];
        let mut looked_at = 0;
        while let Some(term) = waiting.last().copied() {
            if self.known.values.contains_key(&term) {
                waiting.pop();
                continue;
            }
            looked_at += 1;
            let parts = if looked_at > DEPTH { Vec::new() } else { self.parts_to_know(term) };
            let had = waiting.len();
            waiting.extend(parts.iter().filter(|part| !self.known.values.contains_key(*part)));
            if waiting.len() > had {
                continue;
            }
            let known = if looked_at > DEPTH { term } else { self.put_together(term, &parts) };
            if self.terms.count() - before > MAX_NEW {
                self.known.values.insert(value, value);
                return value;
            }
            self.known.values.insert(term, known);
            waiting.pop();
        }
        self.known.values[&value]
    }

    /// Without the choices on top of it that are decided.
    fn peeled(&mut self, mut value: Term) -> Term {
        loop {
            let Node::Ite(condition, then, otherwise) = self.terms.node(value) else { return value };
            value = match self.decided(condition) {
                Some(true) => then,
                Some(false) => otherwise,
                None => return value,
            };
        }
    }

    /// In another place, or under another condition, what was decided before says nothing.
    fn look_around(&mut self, span: Span) {
        let place = Some((self.here.active, self.here.thread, self.rounds, span));
        let known = &mut self.known;
        if known.place == place {
            return;
        }
        known.place = place;
        known.holds.clear();
        known.decided.clear();
        known.values.clear();
        let mut waiting = vec![self.here.active];
        while let Some(term) = waiting.pop().filter(|_| known.holds.len() < DEPTH) {
            if known.holds.insert(term)
                && let Node::And(a, b) = self.terms.node(term)
            {
                waiting.extend([a, b]);
            }
        }
    }

    /// What the known value of a term is made of.
    fn parts_to_know(&mut self, term: Term) -> Vec<Term> {
        match self.terms.node(term) {
            Node::Ite(condition, then, otherwise) => match self.decided(condition) {
                Some(true) => vec![then],
                Some(false) => vec![otherwise],
                None => vec![then, otherwise],
            },
            Node::ZeroExtend { of, .. } | Node::SignExtend { of, .. } | Node::Extract { of, .. } => vec![of],
            Node::Concat(high, low) => vec![high, low],
            Node::Not(inner) => vec![inner],
            Node::And(a, b) if self.terms.bits(term) == 1 && self.decided(term).is_none() => vec![a, b],
            _ => Vec::new(),
        }
    }

    /// The term made of the known values of its parts, which have been looked at.
    fn put_together(&mut self, term: Term, parts: &[Term]) -> Term {
        let node = self.terms.node(term);
        let known: Vec<Term> = parts.iter().map(|part| self.known.values[part]).collect();
        match (node, known.as_slice()) {
            (Node::Ite(..), [chosen]) => *chosen,
            (_, []) if self.terms.bits(term) == 1 => self.decided(term).map_or(term, |holds| self.terms.bool(holds)),
            (_, unchanged) if unchanged == parts => term,
            (Node::Ite(condition, ..), [then, otherwise]) => self.terms.ite(condition, *then, *otherwise),
            (Node::ZeroExtend { bits, .. }, [of]) => self.terms.zero_extend(*of, bits),
            (Node::SignExtend { bits, .. }, [of]) => self.terms.sign_extend(*of, bits),
            (Node::Extract { low, bits, .. }, [of]) => self.terms.extract(*of, low, bits),
            (Node::Concat(..), [high, low]) => self.terms.concat(*high, *low),
            (Node::Not(_), [inner]) => self.terms.not(*inner),
            (Node::And(..), [a, b]) => self.terms.and(*a, *b),
            _ => unreachable!("only these have parts to know"),
        }
    }

    /// Does a condition hold here? Looks into conjunctions and negations only.
    fn decided(&mut self, condition: Term) -> Option<bool> {
        let mut waiting = vec![condition];
        while let Some(term) = waiting.last().copied() {
            let decided = match self.decide(term) {
                Decision::Made(decided) => decided,
                Decision::Needs(part) if self.known.patience > 0 => {
                    self.known.patience -= 1;
                    waiting.push(part);
                    continue;
                }
                Decision::Needs(_) => None,
            };
            self.known.decided.insert(term, decided);
            waiting.pop();
        }
        self.known.decided[&condition]
    }

    /// What was decided, or what of the term is to be decided next: the older part first, for it is nearer to where
    /// the turn began, which is often enough.
    fn decide(&self, term: Term) -> Decision {
        let Known { holds, decided, .. } = &self.known;
        if holds.contains(&term) {
            return Decision::Made(Some(true));
        }
        if let Some(decided) = decided.get(&term) {
            return Decision::Made(*decided);
        }
        match self.terms.node(term) {
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
            Node::Var { .. } => Decision::Made(self.has_passed(term)),
            _ => Decision::Made(None),
        }
    }

    /// Whether the thread has passed a point by the end of a round, as far as where it is now says so.
    fn has_passed(&self, variable: Term) -> Option<bool> {
        let (first, last) = self.here.span?;
        let passed = self.passed.get(&variable).filter(|passed| passed.thread == self.here.thread)?;
        if passed.round == self.rounds {
            (passed.points.0 <= first).then_some(true)
        } else {
            (passed.points.1 >= last).then_some(false)
        }
    }
}

enum Decision {
    Made(Option<bool>),
    Needs(Term),
}

/// Where two ways meet.
pub(super) fn both(a: Option<Span>, b: Option<Span>) -> Option<Span> {
    a.zip(b).map(|((a_first, a_last), (b_first, b_last))| (a_first.min(b_first), a_last.max(b_last)))
}
