//! Under-approximation and widening (Grumberg, Lerda, Strichman and Theobald, POPL 2005; Cordeiro and Fischer,
//! ICSE 2011) of the schedules of a formula.
//!
//! First no thread may be interrupted at all. If nothing is wrong then, the solver says which of these
//! prohibitions it used, and those are lifted; an answer that used none is about all schedules. What was lifted
//! stays so in later rounds.

use super::query::Answer;
use selvedge_formula::Lit;

#[derive(Default)]
pub struct Widening {
    lifted: Vec<Lit>,
    /// Questions so far.
    pub iterations: u64,
}

impl Widening {
    /// `ask`: about what these prohibitions leave; with the literals on which an answer "impossible" rests.
    pub fn ask(&mut self, prohibitions: Vec<Lit>, mut ask: impl FnMut(&[Lit]) -> (Answer, Vec<Lit>)) -> Answer {
        let mut left = prohibitions;
        left.retain(|prohibition| !self.lifted.contains(prohibition));
        loop {
            self.iterations += 1;
            let (answer, used) = ask(&left);
            let (lifted, kept): (Vec<Lit>, Vec<Lit>) = left.into_iter().partition(|literal| used.contains(literal));
            if answer != Answer::Impossible || lifted.is_empty() {
                return answer;
            }
            self.lifted.extend(lifted);
            left = kept;
        }
    }
}
