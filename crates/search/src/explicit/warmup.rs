//! Random runs before the search, to learn what threads share.
//!
//! The search begins anew whenever it meets an access to something that it took for private. A few
//! hundred random runs find nearly all of that beforehand, in milliseconds.

use selvedge_engine::{Control, Task};
use selvedge_vm::{Checkpoint, Code, Ended, Ends, Machine, Oracle, Sharing, State, Stopped};

const RUNS: u64 = 100;
const STEPS: usize = 500;
/// To see how runs end.
const LONG_RUNS: u64 = 20;
const LONG_STEPS: usize = 20_000;
/// Effort at the most, in all runs, roughly in instructions and words copied: large programs get fewer.
const BUDGET: usize = 1 << 24;

/// Stores that a buffer holds: a loop of stores would fill any.
const STORES: usize = 32;
/// One in so many moves is the arrival of a buffered store, if there is one.
const FLUSHES: u32 = 3;

/// Chooses at random.
struct Dice(fastrand::Rng);

impl Oracle for Dice {
    fn choose(&mut self, ways: usize) -> Result<usize, Stopped> {
        Ok(self.0.usize(..ways))
    }
}

pub fn learn(code: &Code<'_>, sharing: Sharing, task: &Task, control: &Control) -> Sharing {
    walks(code, sharing, task, control, &mut |_| {})
}

/// As above, for a caller that wants to see the states.
pub fn walks(
    code: &Code<'_>,
    sharing: Sharing,
    task: &Task,
    control: &Control,
    see: &mut dyn FnMut(&State),
) -> Sharing {
    let mut sharing = sharing;
    let mut budget = BUDGET;
    for run in 0..RUNS {
        if control.is_over() || !can_begin(code, &mut budget) {
            break;
        }
        let dice = Dice(fastrand::Rng::with_seed(task.seed ^ run));
        let mut machine = Machine::new(code, sharing, dice, task.max_input_values);
        machine.store_buffer = STORES;
        walk(&mut machine, STEPS, &mut budget, control, see);
        sharing = machine.sharing;
    }
    sharing.settled()
}

/// The ends of some runs.
pub fn ends(code: &Code<'_>, task: &Task, control: &Control) -> Ends {
    let fresh = Sharing::new(code.layout.initial.len() * 8, code.layout.variable_starts());
    let mut sharing = learn(code, fresh, task, control);
    let (mut all, mut budget) = (Ends::default(), BUDGET);
    for run in 0..LONG_RUNS {
        if control.is_over() || !can_begin(code, &mut budget) {
            break;
        }
        let dice = Dice(fastrand::Rng::with_seed(task.seed ^ run));
        let mut machine = Machine::new(code, sharing, dice, task.max_input_values);
        machine.store_buffer = STORES;
        walk(&mut machine, LONG_STEPS, &mut budget, control, &mut |_| {});
        all.join(&machine.ends);
        sharing = machine.sharing;
    }
    all
}

/// Is there enough left for a run, which begins with all globals?
fn can_begin(code: &Code<'_>, budget: &mut usize) -> bool {
    *budget = budget.saturating_sub(code.layout.initial.len());
    *budget > 0
}

/// One run. A thread that cannot go on makes way for another; the first other surprise ends the run.
fn walk(
    machine: &mut Machine<'_, Dice>,
    steps: usize,
    budget: &mut usize,
    control: &Control,
    see: &mut dyn FnMut(&State),
) {
    let mut blocked = 0u128;
    let (mut here, mut runnable) = (Checkpoint::of(&mut machine.state), Vec::new());
    for _ in 0..steps {
        let can_run = |t: &usize| !machine.state.threads[*t].is_finished() && blocked >> t & 1 == 0;
        runnable.clear();
        runnable.extend((0..machine.state.threads.len()).filter(can_run));
        if let Some(inside) = machine.state.inside_atomic() {
            runnable.retain(|t| *t == inside);
        }
        let flushes = machine.flushes();
        if let Some(flush) = machine.oracle.0.choice(flushes)
            && (runnable.is_empty() || machine.oracle.0.u32(..FLUSHES) == 0)
        {
            if machine.flush(flush).is_err() {
                return;
            }
            here.keep(&mut machine.state);
            blocked = 0;
            continue;
        }
        let Some(thread) = machine.oracle.0.choice(runnable.iter().copied()) else { return };
        let result = machine.step(thread);
        *budget = budget.saturating_sub(machine.effort());
        if *budget == 0 || control.is_over() {
            return;
        }
        match result {
            Ok(Ended::Exited) => {
                machine.note_end(Ended::Exited);
                return;
            }
            // It spins: until something has changed there is nothing to do for it.
            Ok(_) if here.is_same(&machine.state) => blocked |= 1 << thread,
            Ok(ended) => {
                machine.note_end(ended);
                here.keep(&mut machine.state);
                blocked = 0;
                see(&machine.state);
            }
            Err(stopped @ (Stopped::Blocked | Stopped::Infeasible | Stopped::Unchecked { .. })) => {
                if let Stopped::Unchecked { misuse, at } = stopped {
                    machine.ends.note_unchecked(misuse, at);
                }
                here.restore(&mut machine.state);
                blocked |= 1 << thread;
            }
            Err(Stopped::Violation(_) | Stopped::GaveUp(_)) => return,
        }
    }
}
