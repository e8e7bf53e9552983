//! All instances together find what an engine finds that looks at everything, and each stays inside its tiles.
//! On generated programs: `SELVEDGE_CASES` is the number for each test, `SELVEDGE_SEED` where they begin.

mod common;

use common::{ROUNDS, for_all, tasks};
use selvedge_engine::instances::Checked;
use selvedge_engine::{Control, Engine, Task, conclude};
use selvedge_generate::Tally;
use selvedge_outside::{Outside, Tool, instances as outside};
use selvedge_program::{Finding, Program, Property};
use selvedge_search::explicit;
use selvedge_swarm::plan::Plan;
use selvedge_swarm::runner::{Backend, Instance, explicit as explicit_runner};
use selvedge_swarm::{Floor, Tiling};
use selvedge_symbolic::lazy::instances::{self, Allowed, Ground, Instances, Manner, Reuse};
use selvedge_symbolic::lazy::{Lazy, Narrowing};

/// A space with more selections takes too long for a test.
const MOST: u128 = 400;
/// For a checker that is a process.
const FEW: u128 = 12;

/// How an instance ended, and where its threads stopped if it has a violation, as thread and point.
type Ended = (Checked, Vec<(usize, usize)>);

/// A program, cut into tiles of a third of its longest thread.
struct Cut<'a> {
    program: &'a Program,
    task: &'a Task,
    ground: &'a Ground<'a>,
    floor: Floor,
    plan: Plan,
}

/// For every task of which there are not more instances. As many tiles as rounds are enough for any run.
fn cut(
    program: &Program,
    tally: &Tally,
    most: u128,
    check: fn(Cut<'_>, &Tally) -> Result<(), String>,
) -> Result<(), String> {
    for task in tasks() {
        let control = Control::default();
        let Ok(bounded) = instances::bounded(program, &task, &control) else {
            tally.skipped("not bounded");
            continue;
        };
        let Ok(ground) = Ground::new(&bounded, &task, Narrowing::Own, &control) else {
            tally.skipped("no tiles");
            continue;
        };
        let floor = Floor::new(ground.threads());
        let tiling = Tiling::uniform(&floor, floor.longest().div_ceil(3).max(1), 1);
        let plan = Plan::new(tiling, ROUNDS as usize, None, 5, false).map_err(|error| error.to_string())?;
        if plan.space.total() > most {
            tally.skipped("too many instances");
            continue;
        }
        check(Cut { program, task: &task, ground: &ground, floor, plan }, tally)?;
    }
    Ok(())
}

impl Cut<'_> {
    /// Runs all instances; the last violation.
    fn union(
        &mut self,
        mut run: impl FnMut(&Instance<'_>) -> Result<Ended, String>,
    ) -> Result<Option<Finding>, String> {
        let mut found = None;
        while let Some(name) = self.plan.take() {
            let tiles = self.plan.tiles(&name).ok_or("no such instance")?;
            let allowed = self.floor.allowed(&tiles);
            let instance = Instance { tiling: &self.plan.tiling, name: &name, tiles: &tiles, allowed };
            match run(&instance)? {
                (Checked::Nothing, _) => {}
                (Checked::Violation(schedule, violation), stops) => {
                    let outside = stops.iter().find(|stop| !self.is_inside(&instance.allowed, **stop));
                    if let Some((thread, point)) = outside {
                        return Err(format!("instance {name}: thread {thread} stops at {point}"));
                    }
                    let finding = Finding::Violation { schedule, violation };
                    conclude(self.program, self.task.properties, finding.clone()).map_err(|error| error.to_string())?;
                    found = Some(finding);
                }
                (ended @ (Checked::TimedOut | Checked::Disagreement(_)), _) => return Err(format!("{ended:?}")),
            }
        }
        Ok(found)
    }

    fn is_inside(&self, allowed: &Allowed, (thread, point): (usize, usize)) -> bool {
        // Behind its last point a thread has ended.
        let end = allowed[thread].len();
        point == 0 || point >= end || allowed[thread][point] || self.ground.threads()[thread].blocking[point]
    }

    /// The lazy engine, alone, within the same bounds.
    fn alone(&self) -> Finding {
        Lazy::default().check(self.program, self.task, &Control::default()).finding
    }
}

fn same(alone: &Finding, found: Option<&Finding>, tally: &Tally) -> Result<(), String> {
    tally.compares(&[alone]);
    match (alone, found) {
        (Finding::Violation { .. }, None) => Err(format!("no instance found {alone:?}")),
        (Finding::NoneWithin(_), Some(found)) => Err(format!("only an instance found {found:?}")),
        _ => Ok(()),
    }
}

fn lazy(mut cut: Cut<'_>, tally: &Tally, reuse: Reuse) -> Result<(), String> {
    let (control, stop) = (Control::default(), || false);
    let Ok(mut instances) = Instances::new(cut.ground, &control, &stop, Manner { reuse, ..Manner::default() }) else {
        tally.skipped("no formula");
        return Ok(());
    };
    let found = cut.union(|instance| {
        let checked = instances.check(&instance.allowed, None).map_err(|reason| reason.to_string())?;
        let stops = if matches!(checked, Checked::Violation(..)) { instances.stops() } else { Vec::new() };
        Ok((checked, stops))
    })?;
    same(&cut.alone(), found.as_ref(), tally)
}

#[test]
fn all_instances_together_find_what_the_lazy_engine_finds() {
    for_all(60, 90, |program, tally| cut(program, tally, MOST, |cut, tally| lazy(cut, tally, Reuse::Solver)));
}

#[test]
fn so_do_instances_with_solvers_and_formulas_of_their_own() {
    for_all(10, 90, |program, tally| cut(program, tally, MOST, |cut, tally| lazy(cut, tally, Reuse::Formula)));
    for_all(20, 90, |program, tally| cut(program, tally, MOST, |cut, tally| lazy(cut, tally, Reuse::Nothing)));
}

/// A run that the formula has is in some instance of the explicit engine, too, and nothing is that the engine
/// does not find alone.
#[test]
fn all_instances_of_the_explicit_engine_find_what_both_engines_find() {
    for_all(30, 90, |program, tally| {
        cut(program, tally, MOST, |mut cut, tally| {
            let control = Control::default();
            let backend = explicit_runner::Explicit { program: cut.program, task: cut.task, ground: cut.ground };
            let (mut found, mut gave_up) = (Ok(None), false);
            let hired = backend.with_runner(0, &control, &mut |runner| {
                found = cut.union(|instance| match runner.run(instance, None) {
                    Ok(checked) => Ok((checked, Vec::new())),
                    Err(_) => {
                        gave_up = true;
                        Ok((Checked::Nothing, Vec::new()))
                    }
                });
            });
            let found = found?;
            // Not every program is within what the explicit engine follows.
            if gave_up || hired.is_err() {
                tally.skipped("an instance gave up");
                return Ok(());
            }
            let whole = explicit::Explicit::default().check(cut.program, cut.task, &control).finding;
            let alone = cut.alone();
            tally.compares(&[&whole, &alone]);
            match (&whole, &alone, &found) {
                (Finding::NoneWithin(_), _, Some(found)) => Err(format!("only an instance found {found:?}")),
                (_, alone @ Finding::Violation { .. }, None) => Err(format!("no instance found {alone:?}")),
                _ => Ok(()),
            }
        })
    });
}

#[test]
fn all_instances_for_cbmc_find_what_the_lazy_engine_finds() {
    if !selvedge_requires::cbmc() {
        return;
    }
    for_all(24, 60, |program, tally| {
        cut(program, tally, FEW, |mut cut, tally| {
            let (control, engine) = (Control::default(), Outside::new(Tool::Cbmc));
            let instances = outside::Instances::new(engine, cut.ground, cut.task, &control);
            let mut instances = instances.map_err(|reason| reason.to_string())?;
            // Freed memory does not end a run of the C where nobody asks about memory: such runs are given up, as a
            // limit.
            let may_go_on = !cut.task.properties.contains(Property::Memory);
            let mut gave_up = false;
            let found = cut.union(|instance| match instances.check(&instance.allowed, None) {
                Ok(checked) => Ok((checked, instances.stops.iter().map(|stop| (stop.thread, stop.passed)).collect())),
                Err(reason) if reason.kind() == "unsupported" || may_go_on && reason.kind() == "limit" => {
                    gave_up = true;
                    Ok((Checked::Nothing, Vec::new()))
                }
                Err(reason) => Err(reason.to_string()),
            })?;
            if gave_up {
                tally.skipped("an instance gave up");
                return Ok(());
            }
            same(&cut.alone(), found.as_ref(), tally)
        })
    });
}
