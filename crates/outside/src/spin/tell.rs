//! From SPIN's trail to a schedule: the transitions are run again on our own machine.

use super::answer::Trail;
use selvedge_engine::Task;
use selvedge_program::{Program, Reason, Schedule, Violation};
use selvedge_search::telling::Telling;
use selvedge_vm::choices::Choices;
use selvedge_vm::watch::Watch;
use selvedge_vm::{Code, Machine, Sharing, Stopped};

/// What goes wrong in the run, and the run. `None`: nothing does.
pub fn tell(
    program: &Program,
    task: &Task,
    sharing: Sharing,
    trail: &Trail,
) -> Result<Option<(Schedule, Violation)>, Reason> {
    let code = Code::new(program, task.properties).map_err(|error| Reason::Limit(error.to_string()))?;
    let mut watch = Watch::new(&program.observers);
    let mut machine = Machine::new(&code, sharing, Choices::default(), task.max_input_values);
    if let (Some(watch), None) = (&mut watch, &program.observers.init)
        && let Some(violation) = watch.broken(&mut machine, 0)?
    {
        return Ok(Some((Schedule::default(), violation)));
    }
    let mut telling = Telling::default();
    let repeats = trail.cycle.unwrap_or(trail.steps.len());
    for (thread, choices) in &trail.steps[..repeats] {
        if machine.state.threads.get(*thread).is_none_or(|thread| thread.is_finished()) {
            return Ok(None);
        }
        let told = telling.step(&mut machine, watch.as_mut(), *thread, choices);
        let wrong = match told.result {
            Err(Stopped::Violation(violation)) => Some(*violation),
            _ => told.broken,
        };
        if let Some(violation) = wrong {
            return Ok(Some((telling.finished(), violation)));
        }
    }
    if let (Some(_), Some(specification)) = (trail.cycle, &program.observers.specification) {
        let cycle = &trail.steps[repeats..];
        let schedule = lasso(&mut machine, watch.as_mut(), telling, cycle)?;
        return Ok(Some((schedule, Violation::of_specification(specification))));
    }
    let Some(violation) = machine.deadlock() else { return Ok(None) };
    telling.schedule.push(violation.thread, 0);
    Ok(Some((telling.finished(), violation)))
}

/// The machine is where the cycle begins.
fn lasso(
    machine: &mut Machine<'_, Choices>,
    mut watch: Option<&mut Watch>,
    mut telling: Telling,
    cycle: &[(usize, Vec<u32>)],
) -> Result<Schedule, Reason> {
    let mut cycle = cycle.to_vec();
    // A schedule cannot begin to repeat in the middle of an atomic section.
    for _ in 0..cycle.len() {
        if machine.state.inside_atomic().is_none() {
            break;
        }
        let (thread, choices) = cycle[0].clone();
        telling.step(machine, watch.as_deref_mut(), thread, &choices);
        cycle.rotate_left(1);
    }
    let here = machine.state.clone();
    let waiting = |t: &usize| !here.threads[*t].is_finished() && !cycle.iter().any(|(thread, _)| thread == t);
    for thread in (0..here.threads.len()).filter(waiting) {
        let settled = telling.settle(machine, thread);
        machine.state.clone_from(&here);
        if !settled {
            settle_on_the_way(machine, &mut telling, thread, &cycle);
            machine.state.clone_from(&here);
        }
    }
    telling.schedule.begin_cycle();
    let before = machine.state.late_inputs.events();
    for (thread, choices) in &cycle {
        telling.step(machine, watch.as_deref_mut(), *thread, choices);
    }
    telling.unite(before, machine.state.late_inputs.events())?;
    Ok(telling.finished())
}

/// A thread that waits at some moment of the cycle, though not at its beginning.
fn settle_on_the_way(
    machine: &mut Machine<'_, Choices>,
    telling: &mut Telling,
    thread: usize,
    cycle: &[(usize, Vec<u32>)],
) {
    for (other, choices) in cycle {
        machine.oracle = Choices::retelling(choices, telling.inputs.clone());
        if machine.step(*other).is_err() {
            return;
        }
        let here = machine.state.clone();
        if telling.settle(machine, thread) {
            return;
        }
        machine.state = here;
    }
}
