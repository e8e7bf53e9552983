//! Turns: where a thread stops in a round, and which stops are tried first.
//!
//! `done[i]` says that the thread has passed its point i by the end of the round. It is monotone in i and
//! in the round, so the schedule is order-encoded; a segment runs in the round in which `done` turns
//! true. Points that are not on the way taken follow the one before them, so every run has one schedule.
//!
//! Threads that get on evenly, a little in every round, are tried first: twisted interleavings are those that
//! nobody thought of.
//!
//! Main begins; then come the rounds, in each of which every thread has one turn, and main the last: what
//! main finds when all others have ended takes no further round.

use super::canonical::Turn;
use super::{Encoder, Mode};
use selvedge_formula::{Term, Terms};

/// Does a thread pass its point, one of so many, by the end of this round?
pub struct Choice {
    variable: Term,
    round: u32,
    point: u64,
    of: u64,
}

impl Encoder<'_> {
    /// What to try first: all threads get on evenly, and end with the last round that is planned.
    pub fn preferences(&self) -> Vec<(Term, bool)> {
        let planned = u64::from(self.planned);
        let evenly = |choice: &Choice| choice.point * planned < u64::from(choice.round) * choice.of;
        self.choices.iter().map(|choice| (choice.variable, evenly(choice))).collect()
    }

    /// A thread's turn in this round.
    pub(super) fn turn(&mut self, number: usize) {
        self.mode = Mode::Run;
        self.violated = Terms::FALSE;
        let before = self.threads[number].done.clone();
        let not_exited = self.terms.not(self.exited);
        let could_run = self.terms.and(self.threads[number].created, not_exited);
        let now = self.guess_stop(number, &before, could_run);
        let mut on_the_way = vec![Terms::FALSE; now.len()];
        let mut ran = vec![Terms::FALSE; now.len()];
        self.walk(number, |this, point| {
            let not_before = this.terms.not(before[point]);
            let window = this.terms.and(now[point], not_before);
            on_the_way[point] = this.here.guard;
            this.here.active = this.terms.and(this.here.guard, window);
            this.here.span = Some((point, point));
            ran[point] = this.here.active;
        });
        for point in 1..now.len() {
            let same = self.terms.xor(now[point], now[point - 1]);
            let same = self.terms.not(same);
            let follows = self.terms.or(on_the_way[point], same);
            self.add(follows);
            let goes_on = self.terms.implies(now[point - 1], now[point]);
            let may_stop = self.terms.or(goes_on, self.threads[number].allow[point]);
            self.add(may_stop);
        }
        self.threads[number].done = now;
        let turn = Turn { ran, before, could_run };
        if self.canonical {
            self.not_earlier(number, &turn);
        }
        self.history.push((number, turn));
    }

    /// Where the thread stops in this round: fresh variables, unless it is given.
    fn guess_stop(&mut self, number: usize, before: &[Term], may_run: Term) -> Vec<Term> {
        let mut now: Vec<Term> = Vec::with_capacity(before.len());
        for (point, passed) in before.iter().copied().enumerate() {
            // What main does first comes first in every run.
            let always = number == 0 && point == 0;
            if passed == Terms::TRUE || always {
                now.push(Terms::TRUE);
                continue;
            }
            if self.threads[number].allow[point] == Terms::FALSE && point > 0 {
                // Nobody stops here, so whoever gets past the point before gets past this one.
                now.push(now[point - 1]);
                self.note_passed(now[point], number, point);
                continue;
            }
            let given = self.given.get(&(self.rounds, number)).map(|stop| point < *stop);
            let fresh = match given {
                Some(passes) => self.terms.bool(passes),
                None => self.choose(number, point, before.len()),
            };
            let stays = self.terms.implies(passed, fresh);
            self.add(stays);
            if let Some(previous) = now.last().copied() {
                let in_order = self.terms.implies(fresh, previous);
                self.add(in_order);
            }
            let new = self.terms.implies(fresh, passed);
            let allowed = self.terms.or(new, may_run);
            self.add(allowed);
            now.push(fresh);
        }
        now
    }

    fn choose(&mut self, thread: usize, point: usize, of: usize) -> Term {
        let variable = self.terms.variable(1, format!("done {thread}.{point} in {}", self.rounds));
        self.note_passed(variable, thread, point);
        self.choices.push(Choice { variable, round: self.rounds, point: point as u64, of: of as u64 });
        variable
    }

    pub(super) fn add(&mut self, constraint: Term) {
        if constraint != Terms::TRUE {
            self.constraints.push(constraint);
        }
    }

    /// Every turn so far: whose it was, and by point whether it was passed by its end.
    pub fn turns_taken(&self) -> impl Iterator<Item = (usize, &[Term])> {
        self.history.iter().enumerate().map(|(number, (thread, _))| {
            let next = self.history[number + 1..].iter().find(|(other, _)| other == thread);
            (*thread, next.map_or(&self.threads[*thread].done, |(_, turn)| &turn.before).as_slice())
        })
    }

    /// Does anybody take a step in the newest round?
    pub fn somebody_moves(&mut self) -> Term {
        let turns = self.history.len().min(self.turns_in_round);
        let newest = &self.history[self.history.len() - turns..];
        let ran: Vec<Term> = newest.iter().flat_map(|(_, turn)| turn.ran.iter().copied()).collect();
        self.terms.or_all(ran)
    }
}
