//! `--emit`: stages as text.

use crate::args::Stage;
use selvedge_engine::Task;
use selvedge_program::{Program, Reason};
use selvedge_prove::extract::extract;
use selvedge_prove::print::print;
use selvedge_symbolic::bounding::{TRIP_COUNT, bound_for};
use selvedge_symbolic::lazy::Lazy;
use selvedge_symbolic::tree::Tree;

/// Without bounds given; enough to see what becomes of loops.
pub const UNWIND: u32 = 2;

pub fn text(stage: Stage, program: &Program, task: &Task, (lazy, tree): (Lazy, &Tree)) -> Result<String, Reason> {
    match stage {
        Stage::Program => Ok(program.to_string()),
        Stage::Bounded => {
            let unwind = task.bounds.unwind.unwrap_or(UNWIND);
            Ok(selvedge_bound::text::print(&bound_for(program, &task.bounds, unwind, TRIP_COUNT, &|| false)?))
        }
        Stage::Formula => lazy.formula(program, task),
        Stage::Smt2 => tree.script(program, task),
        Stage::System => Ok(print(&extract(program, task.properties)?, program)),
    }
}
