//! `selvedge worker`: one task of a swarm on a cluster, with all that it needs from the folder that it shares.

use crate::args::{REUSES, WorkerArgs, named};
use crate::failure::{EXIT_UNKNOWN, Failure};
use crate::swarm::{SWARM_ENGINES, Work};
use crate::{interrupt, machine};
use selvedge_engine::Control;
use selvedge_engine::watchdog::supervise;
use selvedge_program::Reason;
use selvedge_swarm::Floor;
use selvedge_swarm::cluster::ClusterError;
use selvedge_swarm::cluster::shared::{Settings, Shared, TaskId};
use selvedge_swarm::cluster::worker::{Worked, broken, refused, work};
use selvedge_symbolic::lazy::instances::{self, Ground};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

pub fn worker(args: &WorkerArgs) -> Result<u8, Failure> {
    let stop = interrupt::stop_flag();
    let (shared, program, settings) = Shared::open(&args.folder).map_err(|error| {
        // If it can be said where the collector looks, it is.
        let shared = Shared::at(&args.folder);
        refused(&shared, args.task, error.to_string());
        Failure::BadInput(error.to_string())
    })?;
    let megabytes = [settings.memory_megabytes, args.memory_limit].into_iter().flatten().min();
    let memory_limit = megabytes.map(|megabytes| megabytes << 20).or_else(machine::default_memory_limit);
    let control = Control { stop, memory_limit, ..Control::default() };
    let (number, inner, folder) = (args.task, control.clone(), shared.clone());
    let working = move || task(number, &folder, &program, &settings, &inner);
    match catch_unwind(AssertUnwindSafe(|| supervise("task", &control, working))) {
        Ok(Ok(Ok(Worked::Done))) => Ok(0),
        // The instances done by then are on record.
        Ok(Err(_) | Ok(Ok(Worked::Stopped(_)))) => Ok(EXIT_UNKNOWN),
        Ok(Ok(Err(error))) => Err(Failure::BadInput(error.to_string())),
        Err(panic) => {
            broken(&shared, args.task, format!("it panicked; see {}", shared.logs().display()));
            resume_unwind(panic)
        }
    }
}

fn task(
    number: TaskId,
    shared: &Shared,
    program: &str,
    settings: &Settings,
    control: &Control,
) -> Result<Worked, ClusterError> {
    let refused = |why: String| refused(shared, number, why);
    let stopped = |reason: Reason| match reason {
        Reason::Interrupted => Ok(Worked::Stopped(reason)),
        reason => Err(refused(reason.to_string())),
    };
    let program = selvedge_program::text::parse(program).map_err(|error| refused(error.to_string()))?;
    let no_such = |name: &str| refused(format!("invalid variant: {name}"));
    let engine =
        SWARM_ENGINES.iter().find(|entry| entry.name == settings.engine).ok_or_else(|| no_such(&settings.engine))?;
    let reuse = named(&REUSES, &settings.reuse).ok_or_else(|| no_such(&settings.reuse))?;
    let asked = settings.task();
    let bounded = match instances::bounded(&program, &asked, control) {
        Ok(bounded) => bounded,
        Err(reason) => return stopped(reason),
    };
    let ground = match Ground::new(&bounded, &asked, settings.intervals.narrowing(), control) {
        Ok(ground) => ground,
        Err(reason) => return stopped(reason),
    };
    let floor = Floor::new(ground.threads());
    let backend = (engine.make.backend)(Work {
        program: &program,
        task: &asked,
        ground: &ground,
        reuse,
        intervals: settings.intervals,
        memory_limit: control.memory_limit,
    });
    work(shared, settings, number, &floor, backend.as_ref(), control)
}
