//! Comparing engines on generated programs: the questions, and the parts of answers that must agree.

use selvedge_engine::Task;
use selvedge_generate::{MainEnd, Source, Stmt};
use selvedge_program::{Finding, Properties, Property};

/// The questions about a program, one property at a time.
pub fn tasks() -> Vec<Task> {
    [Property::Assertion, Property::Deadlock, Property::Memory]
        .map(|property| Task { properties: Properties::NONE.with(property), ..Task::default() })
        .to_vec()
}

/// One word, and the property.
pub fn summary(finding: &Finding) -> String {
    match finding {
        Finding::Violation { violation, .. } => format!("violation: {}", violation.property.name()),
        Finding::NoneWithin(coverage) if coverage.is_complete() => "none".to_string(),
        Finding::NoneWithin(_) => "none within".to_string(),
        Finding::GaveUp(reason) => format!("gave up: {}", reason.kind()),
        Finding::Contradiction { .. } | Finding::Unfollowed { .. } | Finding::NoProof { .. } => {
            "contradiction".to_string()
        }
    }
}

pub fn same<T: PartialEq + std::fmt::Debug>(what: &str, a: T, b: T) -> Result<(), String> {
    if a == b { Ok(()) } else { Err(format!("{what}: {a:?} and {b:?}")) }
}

/// Has every thread ended when the process does? Where one has not, nobody sees how far it got with
/// what only it uses, and the reduced search does not stop there.
pub fn settles(source: &Source) -> bool {
    let waits = source.nested.is_none_or(|nested| nested.joins && !source.any(&|s| matches!(s, Stmt::Exit)));
    source.end == MainEnd::Thread || source.joins && waits
}
