//! Many generated programs, and what is asked of them.

use selvedge_engine::Task;
use selvedge_generate::{Features, Tally, Trial};
use selvedge_passes::prepare;
use selvedge_program::{Bounds, Program, Properties, Property};

pub const ROUNDS: u32 = 2;

/// Runs `check` on many programs; so many percent of the cases must be compared.
pub fn for_all(cases: u32, percent: u64, check: fn(&Program, &Tally) -> Result<(), String>) {
    Trial { cases, percent }.run(Features::ALL, |source, tally| check(&prepare(source.program()), tally));
}

pub fn tasks() -> Vec<Task> {
    let bounds = Bounds { unwind: Some(2), rounds: Some(ROUNDS), ..Bounds::default() };
    let one = |property| Properties::NONE.with(property);
    [one(Property::Assertion), one(Property::Deadlock), one(Property::Memory)]
        .map(|properties| Task { properties, bounds: bounds.clone(), ..Task::default() })
        .to_vec()
}
