//! `--emit`: stages as text.

use crate::args::Stage;
use selvedge_bound::{Limits, bound};
use selvedge_engines::{Task, lazy};
use selvedge_program::{Bounds, Program, Reason};

/// Without bounds given; enough to see what becomes of loops.
const UNWIND: u32 = 2;
const THREADS: u32 = 64;

pub fn text(stage: Stage, program: &Program, task: &Task) -> Result<String, Reason> {
    match stage {
        Stage::Program => Ok(program.to_string()),
        Stage::Bounded => Ok(bound(program, &limits(&task.bounds))?.to_string()),
        Stage::Formula => lazy::formula(program, task),
    }
}

pub fn limits(bounds: &Bounds) -> Limits {
    let unwind = bounds.unwind.unwrap_or(UNWIND);
    Limits {
        unwind,
        unwind_at: bounds.unwind_at.clone(),
        recursion: bounds.recursion.unwrap_or(unwind),
        threads: bounds.threads.unwrap_or(THREADS),
        ..Limits::default()
    }
}
