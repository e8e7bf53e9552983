//! From an engine's finding to a verdict: the one place where "unsafe" and "safe" are said.
//!
//! A violation is replayed on the VM first. If the run does not show it again, that is a bug of
//! ours, reported as such and never as "unsafe".

use selvedge_program::{Finding, Program, Properties, Schedule, Verdict, Violation};
use selvedge_vm::replay::{Replayed, replay};

/// A bug in Selvedge, with what is needed to find it.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct InternalError {
    pub what: String,
    /// The schedule that did not do what the engine said.
    pub schedule: Option<Schedule>,
}

pub fn judge(program: &Program, properties: Properties, finding: Finding) -> Result<Verdict, InternalError> {
    match finding {
        Finding::Violation { schedule, violation } => confirm(program, properties, schedule, &violation),
        Finding::NoneWithin(coverage) if coverage.is_complete() => Ok(Verdict::Safe),
        Finding::NoneWithin(coverage) => Ok(Verdict::SafeWithin(coverage)),
        Finding::GaveUp(reason) => Ok(Verdict::Unknown(reason)),
    }
}

fn confirm(
    program: &Program,
    properties: Properties,
    schedule: Schedule,
    claimed: &Violation,
) -> Result<Verdict, InternalError> {
    let what = match replay(program, properties, &schedule) {
        Replayed::Violation(trace)
            if trace.violation.property == claimed.property && trace.violation.loc == claimed.loc =>
        {
            return Ok(Verdict::Unsafe(trace));
        }
        Replayed::Violation(trace) => format!(
            "the engine found {} at {}, its replay {} at {}",
            claimed.text,
            program.source.describe(claimed.loc),
            trace.violation.text,
            program.source.describe(trace.violation.loc),
        ),
        Replayed::Nothing { why } => {
            format!("the replay did not show {} at {}: {why}", claimed.text, program.source.describe(claimed.loc))
        }
    };
    Err(InternalError { what, schedule: Some(schedule) })
}
