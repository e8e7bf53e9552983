//! One run of all that differ only in the order of independent segments.
//!
//! Every run can be rearranged so that each segment runs in the earliest round in which it could: it moves
//! to the left as long as nothing that it depends on is in the way (the normal form of Cartier and Foata;
//! as a constraint on schedules, Kahlon, Wang and Gupta, CAV 2009). The rearranged run has no more rounds
//! and ends the same way. So we ask: a thread that begins a turn with some segment, and could have gone on
//! in its turn of the round before, does so because of something that happened in between.
//!
//! This prunes the search, and it tells how many rounds matter: if no run moves in round K+1, then K rounds
//! are all.

use super::record::Record;
use super::turns::Turns;
use selvedge_formula::{Term, Terms};

/// A thread's turn, as it was encoded.
pub(super) struct Turn {
    /// By point: the segment is executed in this turn.
    pub ran: Vec<Term>,
    /// By point: the thread had passed it before.
    pub before: Vec<Term>,
    /// It could run at all.
    pub could_run: Term,
}

impl Turns {
    /// A thread has had its turn: whatever it did, it could not do in the turn before.
    pub(super) fn not_earlier(&self, terms: &mut Terms, record: &mut Record, thread: usize, turn: &Turn) {
        let Some(previous) = self.history.iter().rposition(|(other, _)| *other == thread) else { return };
        let could_run = self.history[previous].1.could_run;
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
            let mut reasons = Vec::new();
            for (other, between) in &self.history[previous + 1..] {
                let on = self.dependence.on(thread, point, *other);
                reasons.extend(on.iter().map(|point| between.ran[*point as usize]).filter(|ran| *ran != Terms::FALSE));
            }
            let reason = terms.or_all(reasons);
            record.constrain(terms.implies(begins, reason));
        }
    }
}
