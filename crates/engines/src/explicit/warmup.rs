//! Random runs before the search, to learn what threads share.
//!
//! The search begins anew whenever it meets an access to something that it took for private. A few
//! hundred random runs find nearly all of that beforehand, in milliseconds.

use selvedge_vm::{Code, Ended, Machine, Oracle, Sharing, State, Stopped};

const RUNS: u64 = 100;
const STEPS: usize = 500;
/// Effort at the most, in all runs, in words copied: large programs get fewer.
const BUDGET: usize = 1 << 24;

/// Chooses at random.
struct Dice(fastrand::Rng);

impl Oracle for Dice {
    fn choose(&mut self, ways: usize) -> Result<usize, Stopped> {
        Ok(self.0.usize(..ways))
    }
}

pub fn learn(code: &Code<'_>, sharing: Sharing, seed: u64, max_input_values: u64) -> Sharing {
    walks(code, sharing, seed, max_input_values, &mut |_| {})
}

/// The same, for somebody who wants to see the states.
pub fn walks(
    code: &Code<'_>,
    sharing: Sharing,
    seed: u64,
    max_input_values: u64,
    see: &mut dyn FnMut(&State),
) -> Sharing {
    let mut sharing = sharing;
    let mut budget = BUDGET;
    for run in 0..RUNS {
        let dice = Dice(fastrand::Rng::with_seed(seed ^ run));
        let mut machine = Machine::new(code, sharing, dice, max_input_values);
        walk(&mut machine, &mut budget, see);
        sharing = machine.sharing;
    }
    sharing.settled()
}

/// One run. A thread that cannot go on makes way for another; the first other surprise ends the run.
fn walk(machine: &mut Machine<'_, Dice>, budget: &mut usize, see: &mut dyn FnMut(&State)) {
    let mut blocked = 0u128;
    let (mut before, mut runnable) = (State::default(), Vec::new());
    for _ in 0..STEPS {
        let can_run = |t: &usize| !machine.state.threads[*t].is_finished() && blocked >> t & 1 == 0;
        runnable.clear();
        runnable.extend((0..machine.state.threads.len()).filter(can_run));
        if let Some(inside) = machine.state.inside_atomic() {
            runnable.retain(|t| *t == inside);
        }
        let Some(thread) = machine.oracle.0.choice(runnable.iter().copied()) else { return };
        before.clone_from(&machine.state);
        let result = machine.step(thread);
        let Some(left) = budget.checked_sub(machine.state.words() + machine.effort()) else { return };
        *budget = left;
        match result {
            Ok(Ended::Exited) => return,
            Ok(_) => {
                blocked = 0;
                see(&machine.state);
            }
            Err(Stopped::Blocked | Stopped::Infeasible) => {
                std::mem::swap(&mut machine.state, &mut before);
                blocked |= 1 << thread;
            }
            Err(Stopped::Violation(_) | Stopped::GaveUp(_)) => return,
        }
    }
}
