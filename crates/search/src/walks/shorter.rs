//! A run with fewer switches that ends in the same violation.
//!
//! Jalbert and Sen, "A trace simplification technique for effective debugging of concurrent programs" (FSE 2010):
//! random runs switch where that does not matter. A *turn* is all that a thread does in a row. Turns are left out, or
//! moved to the next or the last turn of their thread, one by one, as long as the run still ends in the same way.

use selvedge_engine::counterexample::Leg;
use selvedge_program::Violation;
use selvedge_vm::expand::{Expander, members};
use selvedge_vm::store_buffer::flush::Flush;
use selvedge_vm::{Ended, State, Stopped};

/// Effort at the most, in transitions.
const BUDGET: u64 = 1 << 20;

type Turn = Vec<Leg>;

/// The path, or one with fewer turns. The machine is where the path begins.
pub fn path(
    expander: &mut Expander<'_>,
    path: Vec<Leg>,
    violation: &Violation,
    is_over: &dyn Fn() -> bool,
) -> Vec<Leg> {
    let start = expander.machine.state.clone();
    let mut trial = Trial { expander, start, violation, left: BUDGET, is_over };
    let mut turns = turns(path);
    while let Some(fewer) = trial.fewer(&turns) {
        turns = fewer;
    }
    turns.concat()
}

fn turns(path: Vec<Leg>) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for leg in path {
        match turns.last_mut() {
            Some(turn) if turn[0].thread == leg.thread => turn.push(leg),
            _ => turns.push(vec![leg]),
        }
    }
    turns
}

struct Trial<'t, 'c> {
    expander: &'t mut Expander<'c>,
    start: State,
    violation: &'t Violation,
    /// Transitions that may still be made.
    left: u64,
    is_over: &'t dyn Fn() -> bool,
}

impl Trial<'_, '_> {
    /// All turns once more, the last ones first: each is left out or moved if that is possible. `None`: none of them
    /// is.
    fn fewer(&mut self, turns: &[Turn]) -> Option<Vec<Turn>> {
        let mut best = turns.to_vec();
        let mut at = best.len();
        while let Some(before) = at.checked_sub(1) {
            at = before;
            if at >= best.len() {
                continue;
            }
            if let Some(better) = candidates(&best, at).into_iter().find(|candidate| self.ends_in_violation(candidate))
            {
                best = better;
            }
        }
        (best.len() < turns.len()).then_some(best)
    }

    fn ends_in_violation(&mut self, turns: &[Turn]) -> bool {
        let length: usize = turns.iter().flatten().map(|leg| leg.length).sum();
        let Some(left) = self.left.checked_sub(length as u64).filter(|_| !(self.is_over)()) else { return false };
        self.left = left;
        let sharing = self.expander.machine.sharing.clone();
        self.expander.machine.state.clone_from(&self.start);
        let ends = self.run(turns);
        if self.expander.machine.sharing.grew {
            self.expander.machine.sharing = sharing;
            return false;
        }
        ends
    }

    fn run(&mut self, turns: &[Turn]) -> bool {
        let mut legs = turns.iter().flatten().peekable();
        while let Some(leg) = legs.next() {
            for transition in 0..leg.length {
                let is_last = transition + 1 == leg.length && legs.peek().is_none();
                let choices: &[u32] = if transition == 0 { &leg.choices } else { &[] };
                match self.step(leg.thread, choices) {
                    Some(Err(wrong)) => return is_last && self.is_same(&wrong),
                    Some(Ok(())) => {}
                    None => return false,
                }
            }
        }
        self.expander.machine.deadlock().is_some_and(|deadlock| self.is_same(&deadlock))
    }

    /// One transition; `None` if it is not possible.
    fn step(&mut self, thread: usize, choices: &[u32]) -> Option<Result<(), Violation>> {
        let machine = &mut self.expander.machine;
        let may_go = members(machine.state.unfinished()).any(|other| other == thread);
        if !may_go || machine.state.inside_atomic().is_some_and(|inside| inside != thread) {
            return None;
        }
        let (flush, choices) = Flush::of(choices).map_or((None, choices), |(flush, choices)| (Some(flush), choices));
        machine.oracle.fix(choices);
        let result = match flush {
            None => machine.step(thread),
            Some(flush) if machine.flushes().contains(&flush) => machine.flush(flush).map(|()| Ended::Paused),
            Some(_) => return None,
        };
        match result {
            Ok(Ended::Paused | Ended::Finished) => {}
            Err(Stopped::Violation(violation)) => return Some(Err(*violation)),
            Ok(Ended::Exited) | Err(_) => return None,
        }
        let has_other_choices = machine.oracle.path() != choices;
        let broken = self.expander.broken(thread).ok()?;
        match broken {
            _ if has_other_choices => None,
            Some(violation) => Some(Err(violation)),
            None => Some(Ok(())),
        }
    }

    fn is_same(&self, other: &Violation) -> bool {
        (other.property, other.loc) == (self.violation.property, self.violation.loc)
    }
}

/// The run without a turn, or with it moved to another one of its thread.
fn candidates(turns: &[Turn], at: usize) -> Vec<Vec<Turn>> {
    let thread = turns[at][0].thread;
    let without: Vec<Turn> = joined(turns.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, turn)| turn));
    let moved = |to: usize| {
        let mut order: Vec<&Turn> = turns.iter().collect();
        let turn = order.remove(at);
        order.insert(to, turn);
        joined(order.into_iter())
    };
    let is_own = |turn: &Turn| turn[0].thread == thread;
    let later = turns[at + 1..].iter().position(is_own).map(|distance| moved(at + distance));
    let earlier = turns[..at].iter().rposition(is_own).map(|last| moved(last + 1));
    let all = [Some(without), later, earlier];
    all.into_iter().flatten().filter(|candidate| !candidate.is_empty() && candidate.len() < turns.len()).collect()
}

fn joined<'t>(turns: impl Iterator<Item = &'t Turn>) -> Vec<Turn> {
    self::turns(turns.flatten().cloned().collect())
}
