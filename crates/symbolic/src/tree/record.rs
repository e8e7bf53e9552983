//! Schedule recording (section 3.3 of the paper): the whole tree in one formula.
//!
//! For the i-th choice of threads on a path, a variable `ts_i` says which thread is chosen, and everything
//! below depends on it. An interleaving is a value of these variables, and the solver looks for the one that
//! goes wrong. Segments that need no choice need no variable; so the paper's "effective context switches" are the
//! nodes with more than one thread that may run.
//!
//! Under-approximation and widening (section 3.4; Grumberg, Lerda, Strichman and Theobald, POPL 2005) asks about the
//! same formula with most choices closed: a control literal for each choice and thread, of which only those on the
//! first interleaving are open. An answer "no" that does not rest on closed choices is about the whole tree; otherwise
//! those on which it rests are opened.

use super::explore::{Node, Strategy};
use super::goals::{Goals, Reservations};
use super::node::counterexample;
use super::oracle::{Model, Oracle};
use crate::lazy::encode::SegmentEncoder;
use selvedge_engine::counterexample::Counterexample;
use selvedge_formula::{Term, Terms};
use selvedge_program::Reason;
use std::collections::BTreeMap;

/// The variables that make a schedule.
pub struct Choices {
    /// As many bits as it takes to name a thread, or a store that waits.
    bits: u32,
    /// Choices can be closed.
    controlled: bool,
    who: Vec<Term>,
    /// By choice and thread: it is open.
    open: BTreeMap<(usize, usize), Term>,
}

impl Choices {
    pub fn new(segments: &SegmentEncoder<'_>, controlled: bool) -> Choices {
        let bits = usize::BITS - segments.moves().leading_zeros();
        Choices { bits, controlled, who: Vec::new(), open: BTreeMap::new() }
    }

    fn choice(&mut self, terms: &mut Terms, number: usize, thread: usize) -> Term {
        while self.who.len() <= number {
            self.who.push(terms.variable(self.bits, format!("ts {}", self.who.len())));
        }
        let name = terms.constant(self.bits, thread as u128);
        let chosen = terms.eq(self.who[number], name);
        if !self.controlled {
            return chosen;
        }
        let literal = self.open.entry((number, thread));
        let open = *literal.or_insert_with(|| terms.variable(1, format!("open {number} for {thread}")));
        terms.and(chosen, open)
    }
}

/// Collects what is to be asked about the whole tree.
pub struct Recorder<'a> {
    pub choices: &'a mut Choices,
    pub goals: Goals,
    pub oracle: &'a mut Oracle,
    pub check_guards: bool,
    /// The control literals of the first interleaving.
    first: Vec<Term>,
    has_leaf: bool,
}

impl<'a> Recorder<'a> {
    pub fn new(choices: &'a mut Choices, oracle: &'a mut Oracle, check_guards: bool) -> Recorder<'a> {
        Recorder { choices, goals: Goals::default(), oracle, check_guards, first: Vec::new(), has_leaf: false }
    }

    /// Asks. A model of what is wrong, if there is one, and how often the solver was asked.
    pub fn settle(mut self, terms: &mut Terms, known: &mut Reservations) -> Result<(Option<Model>, u64), Reason> {
        let wrong = terms.or_all(std::mem::take(&mut self.goals.wrong));
        let mut closed: Vec<Term> = Vec::new();
        for literal in self.choices.open.values().filter(|literal| !self.first.contains(literal)) {
            closed.push(terms.not(*literal));
        }
        let mut iterations = 0;
        loop {
            if wrong == Terms::FALSE {
                break;
            }
            iterations += 1;
            let wanted: Vec<Term> = [wrong].into_iter().chain(closed.iter().copied()).collect();
            if self.oracle.ask(terms, &wanted)? {
                let model = self.oracle.model(terms, [wrong])?;
                return Ok((Some(model), iterations));
            }
            let culprits = self.oracle.culprits()?;
            let before = closed.len();
            closed.retain(|literal| !culprits.contains(literal));
            if closed.len() == before {
                break;
            }
        }
        self.oracle.learn(terms, self.goals, known)?;
        Ok((None, iterations))
    }
}

impl Strategy for Recorder<'_> {
    fn choice(&mut self, terms: &mut Terms, number: usize, thread: usize) -> Term {
        let chosen = self.choices.choice(terms, number, thread);
        if !self.has_leaf {
            self.first.extend(self.choices.open.get(&(number, thread)));
        }
        chosen
    }

    fn follows(&mut self, terms: &Terms, runs: Term, implied: bool) -> Result<bool, Reason> {
        Ok(implied || !self.check_guards || self.oracle.ask(terms, &[runs])?)
    }

    fn leaf(&mut self, terms: &mut Terms, path: &mut [Node]) -> Result<Option<Counterexample>, Reason> {
        self.has_leaf = true;
        self.goals.add(terms, path);
        path.iter_mut().for_each(|node| node.asked = true);
        Ok(None)
    }
}

/// Goes down the tree once more, along the interleaving of a model.
pub struct Guided<'a> {
    pub choices: &'a mut Choices,
    pub model: Model,
}

impl Strategy for Guided<'_> {
    fn choice(&mut self, terms: &mut Terms, number: usize, thread: usize) -> Term {
        self.choices.choice(terms, number, thread)
    }

    fn follows(&mut self, terms: &Terms, runs: Term, _: bool) -> Result<bool, Reason> {
        Ok(self.model.value(terms, runs) == 1)
    }

    fn leaf(&mut self, terms: &mut Terms, path: &mut [Node]) -> Result<Option<Counterexample>, Reason> {
        Ok(counterexample(path, |term| self.model.value(terms, term)))
    }
}
