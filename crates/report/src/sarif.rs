//! Results in the Static Analysis Results Interchange Format, version 2.1.0 (OASIS), for editors and code hosts.
//!
//! A violation is a result whose code flow has a thread flow for each thread; `executionOrder` interleaves them.

use crate::decisive::remarks;
use crate::headline::{full, one_line, place};
use crate::rows::{self, Row, Shown};
use crate::text::{sentence, thread_name};
use crate::{Report, json};
use selvedge_program::trace::Position;
use selvedge_program::{Property, Trace, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The log, with all violations.
pub fn log(report: &Report<'_>) -> String {
    let first = match report.verdict {
        Verdict::Unsafe(trace) => Some(trace.as_ref()),
        Verdict::Safe | Verdict::SafeWithin(_) | Verdict::SafeUnder { .. } | Verdict::Unknown(_) => None,
    };
    let traces: Vec<&Trace> = first.into_iter().chain(report.others.iter().copied()).collect();
    let mut rules: Vec<Property> = report.properties.iter().collect();
    for trace in &traces {
        if !rules.contains(&trace.violation.property) {
            rules.push(trace.violation.property);
        }
    }
    let results: Vec<Value> = traces.iter().map(|trace| result(report, trace, &rules)).collect();
    let level = match report.verdict {
        Verdict::Unsafe(_) | Verdict::Safe => "note",
        Verdict::SafeWithin(_) | Verdict::SafeUnder { .. } | Verdict::Unknown(_) => "warning",
    };
    let verdict = full(report.verdict, report.vacuity, &report.others);
    let rule = |property: &Property| json!({ "id": property.name(), "shortDescription": { "text": format!("{} violated", property.name()) } });
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Selvedge",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(rule).collect::<Vec<_>>(),
            } },
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": [{ "level": level, "message": { "text": verdict } }],
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    json::pretty(&log)
}

fn result(report: &Report<'_>, trace: &Trace, rules: &[Property]) -> Value {
    let property = trace.violation.property;
    let index = rules.iter().position(|rule| *rule == property).expect("each is there");
    let mut text = format!("{}: {}", thread_name(trace, trace.violation.thread), one_line(&trace.violation.text));
    for remark in remarks(trace) {
        text.push_str(&format!("\n- {}", remark.text));
    }
    let mut result = json!({
        "ruleId": property.name(),
        "ruleIndex": index,
        "level": "error",
        "message": { "text": text },
        "codeFlows": [{ "threadFlows": thread_flows(trace) }],
        "partialFingerprints": { "selvedgePlace/v1": format!("{}@{}", property.name(), place(&trace.at).unwrap_or_default()) },
        "properties": { "schedule": trace.schedule.to_string() },
    });
    result["locations"] =
        physical(report.position(trace)).map(|at| json!({ "physicalLocation": at })).into_iter().collect();
    let waits = trace.waiting.iter().filter_map(|wait| {
        let message = json!({ "text": one_line(&sentence(trace, wait)) });
        Some(json!({ "physicalLocation": physical(&wait.at)?, "message": message }))
    });
    let waits: Vec<Value> = waits
        .enumerate()
        .map(|(id, mut wait)| {
            wait["id"] = json!(id);
            wait
        })
        .collect();
    if !waits.is_empty() {
        result["relatedLocations"] = json!(waits);
    }
    result
}

/// The run, a flow for each thread that does anything.
fn thread_flows(trace: &Trace) -> Vec<Value> {
    let mut flows: BTreeMap<u32, Vec<Value>> = BTreeMap::new();
    let mut order = 0;
    for row in rows::gather(trace) {
        let Row::Line { thread, at, function, notes, events } = row else { continue };
        let depth = trace.events[events.start].depth;
        let told = notes.iter().filter(|note| note.shown != Shown::OnRequest);
        let text: Vec<&str> = told.clone().map(|note| note.text.as_str()).collect();
        order += 1;
        let mut location = json!({ "message": { "text": match text.is_empty() {
            true => format!("in {}", one_line(&function)),
            false => text.join(", "),
        } } });
        if let Some(at) = physical(&at) {
            location["physicalLocation"] = at;
        }
        flows.entry(thread).or_default().push(json!({
            "location": location,
            "executionOrder": order,
            "nestingLevel": depth,
            "importance": if told.clone().any(|note| note.shared) { "essential" } else { "unimportant" },
        }));
    }
    if flows.is_empty() {
        let message = json!({ "text": one_line(&trace.violation.text) });
        flows.insert(trace.violation.thread, vec![json!({ "location": { "message": message } })]);
    }
    let flow = |(thread, locations)| json!({ "id": thread_name(trace, thread), "locations": locations });
    flows.into_iter().map(flow).collect()
}

fn physical(at: &Position) -> Option<Value> {
    (at.line != 0).then(|| {
        let mut region = json!({ "startLine": at.line });
        if at.column > 0 {
            region["startColumn"] = json!(at.column);
        }
        json!({ "artifactLocation": { "uri": uri(&at.file) }, "region": region })
    })
}

/// A path as a reference of RFC 3986: relative paths stay relative.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let words: String = path
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    if words.starts_with('/') { format!("file://{words}") } else { words }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_references() {
        assert_eq!(uri("src/a b.c"), "src/a%20b.c");
        assert_eq!(uri("/src/é:1.c"), "file:///src/%C3%A9%3A1.c");
    }
}
