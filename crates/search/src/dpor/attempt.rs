//! Running a thread from a state, in all ways that its choices allow.

use super::spin::Streak;
use super::step::Step;
use selvedge_engine::counterexample::Leg;
use selvedge_program::{Properties, Property, Reason, Violation};
use selvedge_vm::deadlock::Waiting;
use selvedge_vm::expand::{Expander, Expansion, Outcome, Stop, Successor};
use selvedge_vm::footprint::{Access, only_ends};
use selvedge_vm::{Ended, State};

/// The next step of a thread.
pub enum Attempt {
    /// It can be taken, in at least one way.
    Ways(Vec<Way>),
    /// It cannot: the thread waits, goes round, or there is no such run. The accesses are all that this depends on.
    Disabled { footprint: Vec<Access>, waiting: Option<Waiting> },
}

impl Attempt {
    /// All that its outcome depends on, whatever is chosen.
    pub fn footprint(&self) -> Vec<Access> {
        match self {
            Attempt::Ways(ways) => ways.iter().flat_map(|way| way.step.footprint.iter().copied()).collect(),
            Attempt::Disabled { footprint, .. } => footprint.clone(),
        }
    }

    pub fn discard(self, spare: &mut Spare) {
        match self {
            Attempt::Ways(ways) => ways.into_iter().for_each(|way| spare.give(way.to)),
            Attempt::Disabled { .. } => {}
        }
    }
}

/// A step, and where it leads.
pub struct Way {
    pub step: Step,
    pub to: State,
    pub ended: Ended,
    pub streak: Streak,
    /// The step does nothing but end the process, and nothing is checked there: it can as well come last.
    pub can_come_last: bool,
}

/// No attempt, but the end of the search.
pub enum Failed {
    /// The step is wrong.
    Wrong(Leg, Box<Violation>),
    Stop(Stop),
}

impl From<Stop> for Failed {
    fn from(stop: Stop) -> Failed {
        Failed::Stop(stop)
    }
}

/// States to be reused: their buffers have the right sizes.
#[derive(Default)]
pub struct Spare(Vec<State>);

impl Spare {
    pub fn give(&mut self, state: State) {
        self.0.push(state);
    }

    pub fn copy(&mut self, state: &State) -> State {
        let mut copy = self.0.pop().unwrap_or_default();
        copy.clone_from(state);
        copy
    }

    pub fn swap(&mut self, state: &mut State) -> State {
        std::mem::replace(state, self.0.pop().unwrap_or_default())
    }
}

/// Runs a thread from a state; `streak`: of its last step.
pub fn attempt(
    expander: &mut Expander<'_>,
    spare: &mut Spare,
    from: &State,
    thread: usize,
    streak: &Streak,
) -> Result<Attempt, Failed> {
    let mut ways = Vec::new();
    let (mut waiting, mut disabled) = (None, Vec::new());
    let mut expansion = Expansion::new(thread, expander);
    while let Some(outcome) = expansion.next(expander, |state| state.clone_from(from))? {
        let mut footprint = std::mem::take(&mut expansion.footprint);
        match outcome {
            Outcome::To(successor) => {
                if expander.machine.is_out_of_fuel() && expander.machine.state.inside_atomic().is_some() {
                    // A part of a section is no step, and no schedule can end behind it.
                    let why = "an atomic section without end, in a search by conflicts".to_string();
                    return Err(Stop::GaveUp(Reason::Limit(why)).into());
                }
                let can_come_last = can_come_last(&footprint, &successor, thread, from, expander.machine.properties());
                match can_come_last {
                    true => footprint.clear(),
                    false => complete(&mut footprint, &successor, from, &expander.machine.state),
                }
                let to = spare.swap(&mut expander.machine.state);
                let is_plain = successor.ended == Ended::Paused && successor.steps.is_some();
                let streak = if is_plain { streak.extended(thread, from, &to) } else { Some(Streak::default()) };
                if let Some(streak) = streak {
                    let step = Step::new(thread, &successor.choices, &footprint);
                    ways.push(Way { step, to, ended: successor.ended, streak, can_come_last });
                } else {
                    disabled.append(&mut footprint);
                    spare.give(to);
                }
            }
            Outcome::Wrong(wrong) => return Err(Failed::Wrong(Leg::new(thread, wrong.choices), wrong.violation)),
            Outcome::Waits(one) => {
                waiting = Some(one);
                disabled.append(&mut footprint);
            }
            Outcome::WaitsIfNamed(_) => unreachable!("only where equal threads are one"),
        }
    }
    disabled.append(&mut expansion.footprint);
    if ways.is_empty() {
        return Ok(Attempt::Disabled { footprint: disabled, waiting });
    }
    if !disabled.is_empty() {
        // Some of its choices are not possible here, and may be elsewhere.
        for way in &mut ways {
            let footprint = [&way.step.footprint, disabled.as_slice()].concat();
            way.step = Step::new(thread, &way.step.choices, &footprint);
        }
    }
    Ok(Attempt::Ways(ways))
}

/// Is the step only the end of the process, and does nobody look at the memory that is left then?
fn can_come_last(
    footprint: &[Access],
    successor: &Successor,
    thread: usize,
    from: &State,
    checked: Properties,
) -> bool {
    let ends = successor.ended == Ended::Exited && successor.choices.is_empty() && from.inside_atomic().is_none();
    let looks = checked.contains(Property::Leak) || checked.contains(Property::Cleanup);
    ends && !looks && only_ends(footprint, thread, from)
}

/// Adds what is not memory.
fn complete(footprint: &mut Vec<Access>, successor: &Successor, from: &State, to: &State) {
    // A choice among values of an input that was open before, or is still, concerns everybody who has the input.
    let narrows = !successor.choices.is_empty() && (!from.late_inputs.is_empty() || !to.late_inputs.is_empty());
    // The rest of a section that is longer than a step will touch more.
    let is_part = to.inside_atomic().is_some() || from.inside_atomic().is_some();
    if narrows || is_part || successor.steps.is_none() || successor.ended == Ended::Exited {
        footprint.push(Access::EVERYTHING);
    }
}
