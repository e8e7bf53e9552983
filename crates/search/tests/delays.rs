//! Delay-bounded search against the exact one on generated programs: with as many delays as matter it finds a violation
//! where there is one, and every violation is confirmed by its replay.
//!
//! `SELVEDGE_CASES` is the number of programs for each test, `SELVEDGE_SEED` where they begin.

use selvedge_engine::{Control, Engine, Task, conclude};
use selvedge_generate::{Features, Trial};
use selvedge_program::{Finding, Limit, Properties, Property};
use selvedge_search::explicit::Explicit;
use selvedge_search::explicit::delays::Delays;

#[test]
fn enough_delays_find_what_there_is() {
    Trial { cases: 60, percent: 50 }.run(Features::ALL, |source, tally| {
        let program = source.program();
        for property in [Property::Assertion, Property::Deadlock, Property::Memory] {
            let task = Task { properties: Properties::NONE.with(property), ..Task::default() };
            let exact = Explicit::ONE.check(&program, &task, &Control::default()).finding;
            if !tally.compares(&[&exact]) {
                continue;
            }
            let found = Delays.check(&program, &task, &Control::default()).finding;
            match (&exact, found) {
                (Finding::Violation { .. }, found @ Finding::Violation { .. }) => {
                    let verdict =
                        conclude(&program, task.properties, found).map_err(|error| error.to_string())?.verdict;
                    if verdict.name() != "unsafe" {
                        return Err(format!("{} by delays, but {exact:?}", verdict.name()));
                    }
                }
                (Finding::NoneWithin(_), Finding::NoneWithin(within))
                    if within.limits.iter().any(|limit| matches!(limit, Limit::Delays(_))) => {}
                (exact, found) => return Err(format!("{property:?}: {found:?} by delays, but {exact:?}")),
            }
        }
        Ok(())
    });
}
