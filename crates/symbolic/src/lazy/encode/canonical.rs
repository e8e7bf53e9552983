//! One run of all that differ only in the order of independent segments.
//!
//! Every run can be rearranged so that each segment runs in the earliest round in which it could: it moves
//! to the left as long as nothing that it depends on is in the way (the normal form of Cartier and Foata;
//! as a constraint on schedules, Kahlon, Wang and Gupta, CAV 2009). The rearranged run has no more rounds
//! and ends the same way. So we ask: a thread that begins a turn with some segment, and could have gone on
//! in its turn of the round before, does so because of something that happened in between.
//!
//! The arrival of a store that has waited (`store_buffer.rs`) is moved to the left in the same way: to the turn before,
//! where the store arrives as that turn begins, or in place if it is made there. In between the thread does not notice,
//! and others do only if they touch its bytes. It must not overtake the thread's own stores that come before it, so one
//! of those that arrives in this turn is a reason, too; likewise for a segment that drains the buffer or stores in
//! place. A segment that does neither sees the same whether an own store waits or has arrived, and moves alone. Each of
//! these moves makes the sum of the rounds of all segments and arrivals smaller, so the run in which it is smallest
//! obeys all constraints.
//!
//! This prunes the search, and it tells how many rounds matter: if no run moves in round K+1, then K rounds
//! are all.

use super::record::Record;
use super::turns::Turns;
use crate::lazy::dependence::Part;
use selvedge_formula::{Term, Terms};

/// A thread's turn, as it was encoded.
pub(super) struct Turn {
    /// By store that may wait: it was made in an earlier turn, and reaches memory when this one begins.
    pub arrivals: Vec<Term>,
    /// By point: the segment is executed in this turn.
    pub ran: Vec<Term>,
    /// By point: the thread had passed it before.
    pub before: Vec<Term>,
    /// It could run at all.
    pub could_run: Term,
}

impl Turn {
    /// Does this part of the thread happen in this turn?
    fn happens(&self, part: Part) -> Term {
        match part {
            Part::Segment(point) => self.ran[point as usize],
            Part::Arrival(store) => self.arrivals[store as usize],
        }
    }
}

impl Turns {
    /// A thread has had its turn: whatever it did, it could not do in the turn before.
    pub(super) fn not_earlier(&self, terms: &mut Terms, record: &mut Record, thread: usize, turn: &Turn) {
        let Some(previous) = self.history.iter().rposition(|(other, _)| *other == thread) else { return };
        let could_run = self.history[previous].1.could_run;
        for (store, arrives) in turn.arrivals.iter().enumerate() {
            let arrives = terms.and(*arrives, could_run);
            if arrives != Terms::FALSE {
                let reason = self.reason(terms, (thread, Part::Arrival(store as u32)), previous, turn);
                record.constrain(terms.implies(arrives, reason));
            }
        }
        for point in 0..turn.ran.len() {
            // The turn begins with this segment.
            let begins = match point.checked_sub(1) {
                // It always runs with the one before.
                Some(last) if turn.before[last] == turn.before[point] => Terms::FALSE,
                Some(last) => terms.and(turn.ran[point], turn.before[last]),
                None => turn.ran[point],
            };
            let begins = terms.and(begins, could_run);
            if begins == Terms::FALSE {
                continue;
            }
            let reason = self.reason(terms, (thread, Part::Segment(point as u32)), previous, turn);
            record.constrain(terms.implies(begins, reason));
        }
    }

    /// Something has happened since the thread's previous turn on which a part of it depends.
    fn reason(&self, terms: &mut Terms, (thread, part): (usize, Part), previous: usize, turn: &Turn) -> Term {
        let mut reasons = Vec::new();
        for (other, between) in &self.history[previous + 1..] {
            let on = self.dependence.on(thread, part, *other).iter().map(|part| between.happens(*part));
            reasons.extend(on.filter(|happens| *happens != Terms::FALSE));
        }
        let own = self.dependence.needs(thread, part).iter().map(|store| turn.arrivals[*store]);
        reasons.extend(own.filter(|arrives| *arrives != Terms::FALSE));
        terms.or_all(reasons)
    }
}
