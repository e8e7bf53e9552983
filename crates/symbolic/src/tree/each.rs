//! The lazy way (section 3.2 of the paper): every interleaving by itself, as soon as it is there.
//!
//! Most conditions along an interleaving are decided by constants, so the formulas are small, and many need no
//! solver at all. All checks on a path are asked about in one question, each of them at the first leaf below it;
//! what the solver has learnt about the beginning of a path it keeps for all that share it. Nothing is needed of a leaf
//! that was asked about, so its terms may be forgotten.

use super::explore::{Node, Strategy};
use super::goals::{Goals, Reservations};
use super::node::{counterexample, counterexample_terms};
use super::oracle::Oracle;
use selvedge_engine::counterexample::Counterexample;
use selvedge_formula::{Term, Terms};
use selvedge_program::Reason;

pub struct Each<'a> {
    pub oracle: &'a mut Oracle,
    pub known: &'a mut Reservations,
    /// Ask whether there are such runs before they are followed.
    pub check_guards: bool,
    /// Every leaf is asked about everything on its path, to count those that fail.
    pub whole: bool,
}

impl Strategy for Each<'_> {
    fn follows(&mut self, terms: &Terms, runs: Term, implied: bool) -> Result<bool, Reason> {
        Ok(implied || !self.check_guards || self.oracle.ask(terms, &[runs])?)
    }

    fn forgets(&mut self, kept: usize) -> bool {
        self.oracle.forget(kept);
        true
    }

    fn is_burdened(&self, spare: usize) -> bool {
        self.oracle.is_burdened(spare)
    }

    fn leaf(&mut self, terms: &mut Terms, path: &mut [Node]) -> Result<Option<Counterexample>, Reason> {
        let mut goals = Goals::default();
        goals.add(terms, path);
        let wrong = terms.or_all(std::mem::take(&mut goals.wrong));
        let fails = self.oracle.ask(terms, &[wrong])?;
        let mut found = None;
        if fails {
            let mut model = self.oracle.model(terms, counterexample_terms(path))?;
            found = counterexample(path, |term| model.value(terms, term));
        } else {
            self.oracle.learn(terms, goals, self.known)?;
        }
        if !self.whole {
            path.iter_mut().for_each(|node| node.asked = true);
        }
        Ok(found)
    }
}
