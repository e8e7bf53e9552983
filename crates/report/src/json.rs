//! One JSON document for each run. Field names are an interface: add, do not rename.

use crate::covered::Covered;
use crate::fences::Fences;
use crate::headline::{full, headline};
use crate::{EngineUsed, Report};
use selvedge_program::instances::Summary;
use selvedge_program::trace::{Event, Position, Race, Wait};
use selvedge_program::{Assumption, Bounds, Limit, Proof, Reason, Schedule, Trace, Vacuity, Verdict};
use selvedge_program::{Claim, InternalError, Statistics};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Document<'a> {
    tool: &'static str,
    version: &'static str,
    files: &'a [String],
    /// `unsafe | safe | safe-within-bounds | safe-under-abstraction | unknown`.
    verdict: &'static str,
    /// The `VERDICT:` line.
    headline: String,
    /// Why "safe" may mean nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    /// The violated property.
    property: Option<&'static str>,
    location: Option<&'a Position>,
    /// The violation, as a clause.
    message: Option<&'a str>,
    /// Functions without a body on whose assumed results the violation rests.
    #[serde(skip_serializing_if = "Option::is_none")]
    rests_on: Option<&'a [String]>,
    /// Violations beyond the first, if they were asked for; and the verdict on what there is beyond them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<Other<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    beyond: Option<String>,
    /// Why the verdict is unknown.
    reason: Option<Why>,
    engine: &'static str,
    /// The engine that gave the answer, if `auto` ran several; otherwise equal to `engine`.
    answered_by: &'static str,
    properties: Vec<&'static str>,
    bounds: Asked<'a>,
    assumptions: Vec<String>,
    /// A word for each.
    assumption_kinds: Vec<&'static str>,
    /// If nothing was found: how far runs got, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<&'a Covered>,
    /// Why the search went no further than its bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_by: Option<Why>,
    /// A hint: options to try next, where the verdict leaves something open.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'a str>,
    /// `preemptions`: of the violation, whose run has the fewest there are; without one, the number
    /// up to which every run was searched, or null.
    statistics: &'a Statistics,
    /// Only if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<&'a Proof>,
    /// Only for `selvedge swarm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    swarm: Option<&'a Summary>,
    /// Only for `--fences`, if there is a violation.
    #[serde(skip_serializing_if = "Option::is_none")]
    fences: Option<&'a Fences>,
    /// Whether the VM has replayed the violation, which it always has.
    replayed: bool,
    schedule: Option<&'a Schedule>,
    trace: Option<Run<'a>>,
}

#[derive(Serialize)]
struct Other<'a> {
    property: &'static str,
    location: Option<&'a Position>,
    message: &'a str,
    schedule: &'a Schedule,
}

#[derive(Serialize)]
struct Why {
    kind: &'static str,
    text: String,
}

#[derive(Serialize)]
struct Asked<'a> {
    #[serde(flatten)]
    bounds: &'a Bounds,
    /// The limits that were reached.
    limits: Vec<String>,
    /// A word for each.
    limit_kinds: Vec<&'static str>,
}

#[derive(Serialize)]
struct Run<'a> {
    threads: &'a [String],
    events: &'a [Event],
    /// In an infinite run, the events from this one on repeat for ever. If there are none, the last state lasts.
    #[serde(skip_serializing_if = "Option::is_none")]
    cycle_start: Option<usize>,
    waiting: &'a [Wait],
    #[serde(skip_serializing_if = "Option::is_none")]
    race: Option<&'a Race>,
}

/// The document, indented, with a line end.
pub fn document(report: &Report<'_>) -> String {
    let trace = match report.verdict {
        Verdict::Unsafe(trace) => Some(trace.as_ref()),
        _ => None,
    };
    let limits = match report.verdict {
        Verdict::SafeWithin(coverage) | Verdict::SafeUnder { within: coverage, .. } => coverage.limits.as_slice(),
        Verdict::Safe | Verdict::Unsafe(_) | Verdict::Unknown(_) => &[],
    };
    let document = Document {
        tool: "selvedge",
        version: env!("CARGO_PKG_VERSION"),
        files: report.files,
        verdict: report.verdict.name(),
        headline: full(report.verdict, report.vacuity, &report.others),
        warning: report.vacuity.map(Vacuity::to_string),
        property: trace.map(|t| t.violation.property.name()),
        location: trace.map(|t| &t.at).filter(|at| at.line != 0),
        message: trace.map(|t| t.violation.text.as_str()),
        rests_on: trace.map(|t| t.assumed.as_slice()).filter(|names| !names.is_empty()),
        others: report.others.iter().map(|trace| other(trace)).collect(),
        beyond: report.beyond.map(headline),
        reason: match report.verdict {
            Verdict::Unknown(reason) => Some(why(reason)),
            _ => None,
        },
        engine: report.engine.name,
        answered_by: report.engine.answered,
        properties: report.properties.iter().map(|p| p.name()).collect(),
        bounds: Asked {
            bounds: report.bounds,
            limits: limits.iter().map(Limit::to_string).collect(),
            limit_kinds: limits.iter().map(Limit::kind).collect(),
        },
        assumptions: report.assumptions.iter().map(Assumption::to_string).collect(),
        assumption_kinds: report.assumptions.iter().map(Assumption::kind).collect(),
        coverage: report.covered,
        stopped_by: report.stopped_by.map(why),
        next: report.next,
        statistics: report.statistics,
        proof: report.proof,
        swarm: report.swarm,
        fences: report.fences,
        replayed: trace.is_some(),
        schedule: trace.map(|t| &t.schedule),
        trace: trace.map(run),
    };
    pretty(&document)
}

fn other(trace: &Trace) -> Other<'_> {
    Other {
        property: trace.violation.property.name(),
        location: Some(&trace.at).filter(|at| at.line != 0),
        message: &trace.violation.text,
        schedule: &trace.schedule,
    }
}

fn why(reason: &Reason) -> Why {
    Why { kind: reason.kind(), text: reason.to_string() }
}

fn run(trace: &Trace) -> Run<'_> {
    Run {
        threads: &trace.threads,
        events: &trace.events,
        cycle_start: trace.cycle,
        waiting: &trace.waiting,
        race: trace.race.as_deref(),
    }
}

pub(crate) fn pretty(value: &impl Serialize) -> String {
    // Serialising fails only for maps with keys that are no strings, or failing `Serialize` impls;
    // the documents of this crate have neither.
    let mut text = serde_json::to_string_pretty(value).expect("documents are plain data");
    text.push('\n');
    text
}

#[derive(Serialize)]
struct Evidence<'a> {
    tool: &'static str,
    version: &'static str,
    internal_error: &'a str,
    schedule: Option<&'a Schedule>,
    /// The claims of engines that contradict each other.
    claims: &'a [Claim],
    /// Texts for inspection.
    texts: BTreeMap<&'static str, &'a str>,
    engine: String,
    statistics: &'a Statistics,
    files: &'a [String],
    command_line: &'a [String],
}

/// The evidence of an internal error, to be attached to a bug report.
pub fn evidence(
    error: &InternalError,
    engine: EngineUsed,
    statistics: &Statistics,
    files: &[String],
    command_line: &[String],
) -> String {
    pretty(&Evidence {
        tool: "selvedge",
        version: env!("CARGO_PKG_VERSION"),
        internal_error: &error.what,
        schedule: error.schedule.as_deref(),
        claims: &error.claims,
        texts: error.evidence.iter().map(|(name, text)| (*name, text.as_str())).collect(),
        engine: engine.to_string(),
        statistics,
        files,
        command_line,
    })
}
