//! Shorter schedules of the same violation: fewer switches, then fewer steps, then simpler inputs.
//!
//! A greedy search over small changes of the schedule, each replayed by the virtual machine and kept if it shows the
//! same violation and costs less: a turn is left out, joined with the thread's previous or next one, or shortened; an
//! input becomes smaller. Joining turns is the simplification of Jalbert and Sen (A Trace Simplification Technique for
//! Effective Debugging of Concurrent Programs, FSE 2010); unlike theirs, ours also drops steps, so that threads which
//! the violation does not need never run. What remains is minimal among its neighbours, not among all runs.

use selvedge_program::schedule::{Action, Input, Slice};
use selvedge_program::{Program, Properties, Schedule, Trace};
use selvedge_vm::replay::{Replayed, replay};

/// The effort of following a run. Fewer switches count more than fewer steps, and these more than simple inputs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cost {
    pub switches: usize,
    pub steps: u64,
    /// The sum of the inputs, each a little more than its value, so that none is better than 0.
    pub inputs: u128,
}

impl Cost {
    pub fn of(schedule: &Schedule) -> Cost {
        let steps = schedule.slices.iter().map(|slice| match slice.action {
            Action::Steps(steps) => steps,
            Action::Flush(_) => 1,
        });
        Cost {
            switches: schedule.slices.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count(),
            steps: steps.sum(),
            inputs: schedule.inputs.iter().fold(0, |sum, input| sum.saturating_add(input.value).saturating_add(1)),
        }
    }
}

pub struct Minimized {
    pub trace: Box<Trace>,
    /// How many schedules were replayed.
    pub replayed: usize,
}

/// A smaller run that goes wrong in the same way. `goes_on` is asked before each replay. A run without end stays as it
/// is.
pub fn minimize(program: &Program, properties: Properties, trace: Box<Trace>, goes_on: impl Fn() -> bool) -> Minimized {
    let mut search = Search { program, properties, best: trace, replayed: 0, goes_on };
    if search.best.schedule.cycle.is_none() {
        while search.round() {}
    }
    Minimized { trace: search.best, replayed: search.replayed }
}

struct Search<'p, G> {
    program: &'p Program,
    properties: Properties,
    best: Box<Trace>,
    replayed: usize,
    goes_on: G,
}

impl<G: Fn() -> bool> Search<'_, G> {
    /// Tries every change once, the later turns first, for they are what the earlier ones lead to. Was one of use?
    fn round(&mut self) -> bool {
        let mut improved = false;
        for changes in [leave_out, join, shorten] {
            let mut turn = self.best.schedule.slices.len();
            while let Some(index) = turn.checked_sub(1) {
                turn = index;
                let candidates = changes(&self.best.schedule, index);
                improved |= candidates.into_iter().any(|candidate| self.improves(candidate));
                turn = turn.min(self.best.schedule.slices.len());
            }
        }
        for input in 0..self.best.schedule.inputs.len() {
            let candidates = |of: &Schedule| if input < of.inputs.len() { simpler(of, input) } else { Vec::new() };
            while candidates(&self.best.schedule).into_iter().any(|candidate| self.improves(candidate)) {
                improved = true;
            }
        }
        improved && (self.goes_on)()
    }

    fn improves(&mut self, candidate: Schedule) -> bool {
        let candidate = joined(candidate);
        if Cost::of(&candidate) >= Cost::of(&self.best.schedule) || !(self.goes_on)() {
            return false;
        }
        self.replayed += 1;
        let wanted = &self.best.violation;
        match replay(self.program, self.properties, &candidate) {
            Replayed::Violation(trace)
                if trace.violation.property == wanted.property
                    && trace.violation.loc == wanted.loc
                    && trace.assumed.len() <= self.best.assumed.len() =>
            {
                self.best = trace;
                true
            }
            Replayed::Violation(_) | Replayed::Nothing { .. } => false,
        }
    }
}

fn leave_out(schedule: &Schedule, index: usize) -> Vec<Schedule> {
    let mut without = schedule.clone();
    // The last turn names the thread that goes on into the violation.
    if index + 1 == schedule.slices.len() {
        without.slices[index].action = Action::Steps(0);
    } else {
        without.slices.remove(index);
    }
    vec![without]
}

/// The turn right behind the thread's previous one, or right before its next.
fn join(schedule: &Schedule, index: usize) -> Vec<Schedule> {
    let own = |slice: &Slice| slice.thread == schedule.slices[index].thread;
    let before = schedule.slices[..index].iter().rposition(own);
    let after = schedule.slices[index + 1..].iter().position(own).map(|after| index + after);
    let moved = |to: usize| {
        let mut moved = schedule.clone();
        let slice = moved.slices.remove(index);
        moved.slices.insert(to, slice);
        moved
    };
    before.map(|before| moved(before + 1)).into_iter().chain(after.map(moved)).collect()
}

fn shorten(schedule: &Schedule, index: usize) -> Vec<Schedule> {
    let Action::Steps(steps) = schedule.slices[index].action else { return Vec::new() };
    let with = |steps: u64| {
        let mut shorter = schedule.clone();
        shorter.slices[index].action = Action::Steps(steps);
        shorter
    };
    let fewer = [steps / 2, steps - steps / 4, steps.saturating_sub(1)].into_iter();
    fewer.filter(|fewer| *fewer < steps).map(with).collect()
}

fn simpler(schedule: &Schedule, index: usize) -> Vec<Schedule> {
    let Input { value, .. } = schedule.inputs[index];
    let smaller = [0, 1, value / 2, value.saturating_sub(1)].into_iter().filter(|smaller| *smaller < value);
    let with = |value| {
        let mut simpler = schedule.clone();
        simpler.inputs[index].value = value;
        simpler
    };
    let mut without = schedule.clone();
    without.inputs.remove(index);
    [without].into_iter().chain(smaller.map(with)).collect()
}

/// Neighbouring turns of a thread as one. Empty turns go, apart from the last.
fn joined(schedule: Schedule) -> Schedule {
    let mut joined = Schedule { slices: Vec::new(), ..schedule.clone() };
    let last = schedule.slices.len().saturating_sub(1);
    for (index, slice) in schedule.slices.into_iter().enumerate() {
        match slice.action {
            Action::Steps(0) if index < last => {}
            Action::Steps(steps) => joined.push(slice.thread, steps),
            Action::Flush(step) => joined.push_flush(slice.thread, step),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(text: &str) -> Schedule {
        text.parse().expect("a schedule")
    }

    fn texts(candidates: Vec<Schedule>) -> Vec<String> {
        candidates.into_iter().map(|candidate| joined(candidate).to_string()).collect()
    }

    #[test]
    fn changes_of_a_schedule() {
        let of = schedule("v2;0*4,1*2,0*3,1*1,0*2;1:9");
        assert_eq!(texts(leave_out(&of, 1)), ["v2;0*7,1*1,0*2;1:9"]);
        assert_eq!(texts(leave_out(&of, 4)), ["v2;0*4,1*2,0*3,1*1,0*0;1:9"]);
        assert_eq!(texts(join(&of, 2)), ["v2;0*7,1*3,0*2;1:9", "v2;0*4,1*3,0*5;1:9"]);
        assert_eq!(texts(join(&of, 0)), ["v2;1*2,0*7,1*1,0*2;1:9"]);
        assert_eq!(
            texts(shorten(&of, 0)),
            ["v2;0*2,1*2,0*3,1*1,0*2;1:9", "v2;0*3,1*2,0*3,1*1,0*2;1:9", "v2;0*3,1*2,0*3,1*1,0*2;1:9"]
        );
        assert_eq!(texts(simpler(&of, 0)).len(), 5);
    }

    #[test]
    fn switches_cost_most() {
        let cost = |text: &str| Cost::of(&schedule(text));
        assert_eq!(cost("v2;0*4,1*2,0*3;1:9"), Cost { switches: 2, steps: 9, inputs: 10 });
        assert!(cost("v2;0*40,1*2;") < cost("v2;0*1,1*1,0*1;"));
        assert!(cost("v2;0*4,1*2;0:7") < cost("v2;0*4,1*3;"));
    }
}
