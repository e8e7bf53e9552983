//! From an engine's finding to a verdict: the one place where "unsafe" and "safe" are said.
//!
//! A violation is replayed on the VM first. If the run does not show it again, that is a bug of
//! ours, reported as such and never as "unsafe".

use selvedge_program::{Finding, Program, Properties, Property, Schedule, Verdict, Violation};
use selvedge_vm::replay::{Replayed, replay};
use serde::Serialize;

/// A bug in Selvedge, with what is needed to find it.
#[derive(Debug, Default, thiserror::Error)]
#[error("{what}")]
pub struct InternalError {
    pub what: String,
    /// The schedule that did not do what the engine said.
    pub schedule: Option<Box<Schedule>>,
    /// Of engines that contradict each other: what each one said.
    pub claims: Vec<Claim>,
    /// Texts to look at, by name.
    pub evidence: Vec<(&'static str, String)>,
}

/// One side of a contradiction.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    pub engine: &'static str,
    pub says: String,
    /// Of a violation, which its replay confirmed.
    pub schedule: Option<Schedule>,
}

pub fn judge(program: &Program, properties: Properties, finding: Finding) -> Result<Verdict, InternalError> {
    match finding {
        Finding::Violation { schedule, violation } => confirm(program, properties, schedule, &violation),
        Finding::NoneWithin(within) if program.observers.abstraction.is_some() => {
            let abstraction = program.observers.abstraction.iter().map(|observer| observer.name.clone()).collect();
            Ok(Verdict::SafeUnder { abstraction, within })
        }
        Finding::NoneWithin(coverage) if coverage.is_complete() => Ok(Verdict::Safe),
        Finding::NoneWithin(coverage) => Ok(Verdict::SafeWithin(coverage)),
        Finding::GaveUp(reason) => Ok(Verdict::Unknown(reason)),
        Finding::Contradiction { found_by, schedule, violation, safe_by } => {
            // If the violation does not replay, it is not the other engine that is wrong.
            confirm(program, properties, schedule.clone(), &violation)?;
            Err(contradiction(program, (found_by, schedule, &violation), safe_by))
        }
        Finding::Unfollowed { found_by, claim, evidence } => Err(InternalError {
            what: format!("{found_by} says: {claim}; but none of our runs within the same bounds goes wrong"),
            evidence,
            ..InternalError::default()
        }),
    }
}

fn contradiction(
    program: &Program,
    (found_by, schedule, violation): (&'static str, Schedule, &Violation),
    safe_by: &'static str,
) -> InternalError {
    let found = format!("found {} at {}", violation.text, program.source.describe(violation.loc));
    InternalError {
        what: format!(
            "two engines contradict each other: {found_by} {found}, which its replay confirms, but {safe_by} says safe"
        ),
        schedule: None,
        claims: vec![
            Claim { engine: found_by, says: found, schedule: Some(schedule) },
            Claim {
                engine: safe_by,
                says: "safe: everything was searched, and nothing found".to_string(),
                schedule: None,
            },
        ],
        ..InternalError::default()
    }
}

/// Does the schedule show this violation?
pub(crate) fn confirms(program: &Program, properties: Properties, schedule: &Schedule, violation: &Violation) -> bool {
    confirm(program, properties, schedule.clone(), violation).is_ok()
}

fn confirm(
    program: &Program,
    properties: Properties,
    schedule: Schedule,
    claimed: &Violation,
) -> Result<Verdict, InternalError> {
    let what = match replay(program, properties, &schedule) {
        Replayed::Violation(trace) if is_the_same(&trace.violation, claimed) => {
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
    Err(InternalError { what, schedule: Some(Box::new(schedule)), ..InternalError::default() })
}

fn is_the_same(seen: &Violation, claimed: &Violation) -> bool {
    seen.property == claimed.property && (seen.loc == claimed.loc || !has_place(claimed.property))
}

/// The engines only find that threads wait for ever; who they are and where is for the replay to say. And which
/// step breaks a condition on states or runs, for it looks after each.
fn has_place(property: Property) -> bool {
    !property.is_of_runs() && !matches!(property, Property::Deadlock | Property::Invariant)
}
