//! From turns that another checker found to a counterexample.
//!
//! A sequential checker that was given our program as C says how far each thread gets in each of its turns. With
//! these given, our own formula is small: it finds the inputs, and tells the run in steps of the VM.

use super::instances::Allowed;
use super::query::{Query, Search};
use super::{Narrowing, round_encoder, why_stopped};
use selvedge_analyze::Facts;
use selvedge_bound::Bounded;
use selvedge_engine::counterexample::Counterexample;
use selvedge_engine::{Control, Task};
use selvedge_formula::{Blaster, Cadical};
use selvedge_program::Reason;

/// How many of its points a thread has passed after its turn in this round. Round 0 is what main does first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stop {
    pub round: u32,
    pub thread: usize,
    pub passed: usize,
}

/// A violation in a run with these turns, of so many rounds. Nothing constrains a turn behind the violation, and
/// little the one in which it happens: if there is no run with all of the turns, as many as possible count.
/// `None`: there is no violation within the rounds at all, and nothing that the formula does not follow. `allowed`:
/// threads stop only there, also in turns that were not given.
pub fn counterexample_from_turns(
    bounded: &Bounded<'_>,
    task: &Task,
    rounds: u32,
    stops: &[Stop],
    allowed: Option<&Allowed>,
    control: &Control,
) -> Result<Option<Counterexample>, Reason> {
    let attempt = |turns: usize| with_turns(bounded, task, rounds, &stops[..turns], allowed, control);
    // With fewer turns given there are more runs, so the most that there is a run for can be bisected.
    let (mut possible, mut impossible) = (0, stops.len());
    let mut turns = stops.len().saturating_sub(1);
    let mut found = None;
    while possible < impossible {
        match attempt(turns)? {
            Some(run) => (possible, found) = (turns + 1, Some(run)),
            None => impossible = turns,
        }
        turns = possible + (impossible - possible) / 2;
    }
    match found {
        None if stops.is_empty() => attempt(0),
        found => Ok(found),
    }
}

fn with_turns(
    bounded: &Bounded<'_>,
    task: &Task,
    rounds: u32,
    stops: &[Stop],
    allowed: Option<&Allowed>,
    control: &Control,
) -> Result<Option<Counterexample>, Reason> {
    let stop = || control.is_over();
    let facts = Facts::new(bounded, task.properties);
    let mut formula = round_encoder(&facts, Narrowing::Own, None, &task.bounds, &stop)?;
    if let Some(allowed) = allowed {
        formula.turns.restrict(allowed);
    }
    // Given turns need not be the first of all that are equivalent; nor need those be allowed.
    formula.turns.canonical = stops.is_empty() && allowed.is_none();
    formula.turns.given = stops.iter().map(|stop| ((stop.round, stop.thread), stop.passed)).collect();
    let deadline = control.time_limit.map(|limit| control.started + limit);
    let solver = || Blaster::new(Cadical::with_limits(control.stop.clone(), deadline));
    let mut query = Query::new(formula, solver(), solver());
    query.formula.all_rounds(rounds);
    if query.formula.encoder.is_unfinished() {
        return Err(why_stopped(control));
    }
    query.this_far();
    match query.search() {
        Search::Found(found) => Ok(Some(found)),
        Search::Nothing if !stops.is_empty() => Ok(None),
        Search::Nothing => match query.obstacle().map_err(|_| why_stopped(control))? {
            None => Ok(None),
            Some((what, loc)) => Err(Reason::Unsupported { what, at: bounded.program.source.describe(loc) }),
        },
        Search::Interrupted => Err(why_stopped(control)),
    }
}
