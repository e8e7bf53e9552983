//! The schedule: where a thread stops in a round, and which stops are tried first.
//!
//! `done[i]` says that the thread has passed its point i by the end of the round. It is monotone in i and
//! in the round, so the schedule is order-encoded; a segment runs in the round in which `done` turns
//! true. Points that are not on the way taken follow the one before them, so every run has one schedule.
//!
//! Threads that get on evenly, a little in every round, are tried first: twisted interleavings are those that
//! nobody thought of.

use super::canonical::Turn;
use super::record::Record;
use crate::lazy::dependence::Dependence;
use hashbrown::HashMap;
use selvedge_analyze::Facts;
use selvedge_formula::{Term, Terms};

/// Does a thread pass its point, one of so many, by the end of this round?
struct Choice {
    variable: Term,
    round: u32,
    point: u64,
    of: u64,
}

/// The points in whose segments a step may be, in order of the walk: the first and the last.
pub(super) type Span = (usize, usize);

/// Has a thread passed its points from the first to the last, which stop together, by the end of a round?
struct Passed {
    thread: usize,
    round: u32,
    points: Span,
}

pub struct Turns {
    pub rounds: u32,
    /// How many rounds there will be, as far as we know.
    pub planned: u32,
    /// Leave out runs that are equivalent to others.
    pub canonical: bool,
    /// Turns that are given, by round and thread: how many of its points the thread has passed after it.
    pub given: HashMap<(u32, usize), usize>,
    /// By thread and point: passed by the end of the last round.
    pub(super) done: Vec<Vec<Term>>,
    /// By thread and point: may the thread be interrupted here?
    allow: Vec<Vec<Term>>,
    /// The variables that make a schedule.
    choices: Vec<Choice>,
    /// By variable: what it says.
    passed: HashMap<Term, Passed>,
    /// All turns so far, in order, with the threads that had them.
    pub(super) history: Vec<(usize, Turn)>,
    turns_in_round: usize,
    pub(super) dependence: Dependence,
}

impl Turns {
    pub(super) fn new(terms: &mut Terms, facts: &Facts<'_>) -> Turns {
        let points = facts.points.iter().map(|points| points.count).enumerate();
        let mut allow = |thread: usize, count: usize| -> Vec<Term> {
            (0..count).map(|point| terms.variable(1, format!("allow {thread} at {point}"))).collect()
        };
        Turns {
            rounds: 0,
            planned: 1,
            canonical: true,
            given: HashMap::new(),
            done: points.clone().map(|(_, count)| vec![Terms::FALSE; count]).collect(),
            allow: points.map(|(thread, count)| allow(thread, count)).collect(),
            choices: Vec::new(),
            passed: HashMap::new(),
            history: Vec::new(),
            turns_in_round: 0,
            dependence: Dependence::new(facts.bounded, &facts.points, &facts.interference),
        }
    }

    /// By thread and point: may the thread be interrupted here? Free, so that callers can restrict it.
    pub fn allow(&self) -> &[Vec<Term>] {
        &self.allow
    }

    /// Says of every point, for good and before anything is encoded, whether it may be: formulas get smaller.
    pub fn restrict(&mut self, allowed: &[Vec<bool>]) {
        let constant = |allowed: &bool| if *allowed { Terms::TRUE } else { Terms::FALSE };
        for (allow, allowed) in self.allow.iter_mut().zip(allowed) {
            *allow = allowed.iter().map(constant).collect();
        }
    }

    /// How many variables make a schedule.
    pub fn choices(&self) -> usize {
        self.choices.len()
    }

    /// The values to try first: all threads get on evenly, and end with the last round that is planned.
    pub fn preferences(&self) -> Vec<(Term, bool)> {
        let planned = u64::from(self.planned);
        let evenly = |choice: &Choice| choice.point * planned < u64::from(choice.round) * choice.of;
        self.choices.iter().map(|choice| (choice.variable, evenly(choice))).collect()
    }

    /// The point where the thread stops in this round: fresh variables, unless it is given.
    pub(super) fn guess_stop(
        &mut self,
        terms: &mut Terms,
        record: &mut Record,
        thread: usize,
        may_run: Term,
    ) -> Vec<Term> {
        let points = self.done[thread].len();
        let mut now: Vec<Term> = Vec::with_capacity(points);
        for point in 0..points {
            let passed = self.done[thread][point];
            // Main's first segment comes first in every run.
            let always = thread == 0 && point == 0;
            if passed == Terms::TRUE || always {
                now.push(Terms::TRUE);
                continue;
            }
            if self.allow[thread][point] == Terms::FALSE && point > 0 {
                // The thread cannot stop here, so it gets past this point if it gets past the one before.
                now.push(now[point - 1]);
                self.note_passed(now[point], thread, point);
                continue;
            }
            let given = self.given.get(&(self.rounds, thread)).map(|stop| point < *stop);
            let fresh = match given {
                Some(passes) => terms.bool(passes),
                None => self.choose(terms, thread, point, points),
            };
            record.constrain(terms.implies(passed, fresh));
            if let Some(previous) = now.last().copied() {
                record.constrain(terms.implies(fresh, previous));
            }
            let new = terms.implies(fresh, passed);
            record.constrain(terms.or(new, may_run));
            now.push(fresh);
        }
        now
    }

    fn choose(&mut self, terms: &mut Terms, thread: usize, point: usize, of: usize) -> Term {
        let variable = terms.variable(1, format!("done {thread}.{point} in {}", self.rounds));
        self.note_passed(variable, thread, point);
        self.choices.push(Choice { variable, round: self.rounds, point: point as u64, of: of as u64 });
        variable
    }

    /// A variable says that the thread whose turn it is has passed this point by the end of it.
    fn note_passed(&mut self, variable: Term, thread: usize, point: usize) {
        let passed = Passed { thread, round: self.rounds, points: (point, point) };
        self.passed.entry(variable).or_insert(passed).points.1 = point;
    }

    /// Has the thread passed a point by the end of a round? Only if that is what the variable says, and the answer
    /// follows from the segments in which the thread is in this round.
    pub(super) fn has_passed(&self, variable: Term, thread: usize, (first, last): Span) -> Option<bool> {
        let passed = self.passed.get(&variable).filter(|passed| passed.thread == thread)?;
        if passed.round == self.rounds {
            (passed.points.0 <= first).then_some(true)
        } else {
            (passed.points.1 >= last).then_some(false)
        }
    }

    /// The thread has had its turn, in which it passed the points up to `now`; `on_the_way`: those that it came by.
    pub(super) fn end_turn(
        &mut self,
        terms: &mut Terms,
        record: &mut Record,
        thread: usize,
        now: Vec<Term>,
        on_the_way: &[Term],
        turn: Turn,
    ) {
        for point in 1..now.len() {
            let same = terms.xor(now[point], now[point - 1]);
            let same = terms.not(same);
            record.constrain(terms.or(on_the_way[point], same));
            let goes_on = terms.implies(now[point - 1], now[point]);
            record.constrain(terms.or(goes_on, self.allow[thread][point]));
        }
        self.done[thread] = now;
        if self.canonical {
            self.not_earlier(terms, record, thread, &turn);
        }
        self.history.push((thread, turn));
    }

    /// All turns since there were so many were those of one round.
    pub(super) fn end_round(&mut self, before: usize) {
        self.turns_in_round = self.history.len() - before;
    }

    /// Every turn so far: whose it was, and by point whether it was passed by its end.
    pub fn taken(&self) -> impl Iterator<Item = (usize, &[Term])> {
        self.history.iter().enumerate().map(|(number, (thread, _))| {
            let next = self.history[number + 1..].iter().find(|(other, _)| other == thread);
            (*thread, next.map_or(&self.done[*thread], |(_, turn)| &turn.before).as_slice())
        })
    }

    /// Does anybody take a step in the newest round, or a store arrive?
    pub(super) fn somebody_moves(&self, terms: &mut Terms) -> Term {
        let turns = self.history.len().min(self.turns_in_round);
        let newest = &self.history[self.history.len() - turns..];
        let happens = newest.iter().flat_map(|(_, turn)| turn.ran.iter().chain(&turn.arrivals).copied());
        terms.or_all(happens.collect::<Vec<_>>())
    }
}
