//! Many generated programs, and what is asked of them.

use proptest::test_runner::{TestCaseError, TestError};
use selvedge_engines::Task;
use selvedge_generate::{Features, runner, sources};
use selvedge_passes::prepare;
use selvedge_program::{Bounds, Program, Properties, Property};

pub const ROUNDS: u32 = 2;

/// Runs `check` on many programs, and shows the smallest that fails.
pub fn for_all(cases: u32, check: fn(&Program) -> Result<(), String>) {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let cases = number("SELVEDGE_CASES").map_or(cases, |n: u64| n as u32);
    let mut runner = runner(number("SELVEDGE_SEED").unwrap_or(0), cases);
    let result =
        runner.run(&sources(Features::ALL), |source| check(&prepare(source.program())).map_err(TestCaseError::fail));
    match result {
        Ok(()) => {}
        Err(TestError::Fail(why, source)) => panic!("{why}\n{source:?}\n{}", source.text()),
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
}

pub fn tasks() -> Vec<Task> {
    let bounds = Bounds { unwind: Some(2), rounds: Some(ROUNDS), ..Bounds::default() };
    let one = |property| Properties::NONE.with(property);
    [one(Property::Assertion), one(Property::Deadlock), one(Property::Memory)]
        .map(|properties| Task { properties, bounds: bounds.clone(), ..Task::default() })
        .to_vec()
}
