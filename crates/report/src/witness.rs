//! Witnesses: violations of concurrent programs in the GraphML format 1.0 of SV-COMP (Beyer, Dangl, Dietsch, Heizmann,
//! Lemberger, Tautschnig: Verification Witnesses, TOSEM 2022; for threads: `threadId` and `createThread`).
//!
//! The automaton is a path: an edge for each line that a thread goes through, for each call and return of the user's
//! functions, each thread that is created, and each input with its value.

use crate::Report;
use crate::headline::one_line;
use crate::html::escaped;
use crate::sources::Sources;
use crate::svcomp::formula;
use selvedge_program::{Event, Trace, Verdict, What};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// The keys of edges, nodes and the graph: name, what it belongs to, type, default.
const KEYS: [(&str, &str, &str, Option<&str>); 17] = [
    ("witness-type", "graph", "string", None),
    ("sourcecodelang", "graph", "string", None),
    ("producer", "graph", "string", None),
    ("specification", "graph", "string", None),
    ("programfile", "graph", "string", None),
    ("programhash", "graph", "string", None),
    ("architecture", "graph", "string", None),
    ("creationtime", "graph", "string", None),
    ("entry", "node", "boolean", Some("false")),
    ("violation", "node", "boolean", Some("false")),
    ("threadId", "edge", "string", None),
    ("createThread", "edge", "string", None),
    ("startline", "edge", "int", None),
    ("enterFunction", "edge", "string", None),
    ("returnFromFunction", "edge", "string", None),
    ("assumption", "edge", "string", None),
    ("assumption.resultfunction", "edge", "string", None),
];

/// The witness of a violation; `None` if there is nothing to witness, or the program is not a single file.
pub fn graphml(report: &Report<'_>, sources: &mut Sources, created: SystemTime) -> Option<String> {
    let Verdict::Unsafe(trace) = report.verdict else { return None };
    let [file] = report.files else { return None };
    let hash = hash(sources.bytes(file));
    let formulas = specification(report);
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
                    <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
                    xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n"
        .to_string();
    for (name, of, kind, default) in KEYS {
        let default = default.map(|value| format!("<default>{value}</default>")).unwrap_or_default();
        put(
            &mut text,
            format_args!(
                " <key id=\"{name}\" attr.name=\"{name}\" attr.type=\"{kind}\" for=\"{of}\">{default}</key>\n"
            ),
        );
    }
    text.push_str(" <graph edgedefault=\"directed\">\n");
    let architecture = format!("{}bit", 8 * report.data_model.pointer_bytes());
    let about = [
        ("witness-type", "violation_witness".to_string()),
        ("sourcecodelang", "C".to_string()),
        ("producer", format!("Selvedge {}", env!("CARGO_PKG_VERSION"))),
        ("specification", formulas),
        ("programfile", file.clone()),
        ("programhash", hash),
        ("architecture", architecture),
        ("creationtime", iso(created)),
    ];
    about.iter().for_each(|(key, value)| data(&mut text, 2, key, value));
    let edges = edges(trace);
    for node in 0..=edges.len() {
        put(&mut text, format_args!("  <node id=\"N{node}\">"));
        if node == 0 {
            text.push_str("<data key=\"entry\">true</data>");
        }
        if node == edges.len() {
            text.push_str("<data key=\"violation\">true</data>");
        }
        text.push_str("</node>\n");
    }
    for (number, edge) in edges.iter().enumerate() {
        put(&mut text, format_args!("  <edge source=\"N{number}\" target=\"N{}\">\n", number + 1));
        edge.iter().for_each(|(key, value)| data(&mut text, 3, key, value));
        text.push_str("  </edge>\n");
    }
    text.push_str(" </graph>\n</graphml>\n");
    Some(text)
}

/// The hash by which witnesses name their program.
pub(crate) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The property that was checked, as property files say it.
pub(crate) fn specification(report: &Report<'_>) -> String {
    let formulas = report.properties.iter().filter_map(formula);
    let formulas: Vec<String> = formulas.map(|formula| format!("CHECK( init(main()), LTL({formula}) )")).collect();
    formulas.join("\n")
}

/// Keys and values.
type Edge = Vec<(&'static str, String)>;

fn edges(trace: &Trace) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    let mut last: Option<(u32, u32)> = None;
    for event in &trace.events {
        let here = (event.thread, event.at.line);
        let more = attributes(event);
        // Steps on a line that say nothing more are one edge.
        if more.is_empty() && (last == Some(here) || event.at.line == 0) {
            continue;
        }
        last = Some(here);
        let mut edge = vec![("threadId", event.thread.to_string())];
        if event.at.line != 0 {
            edge.push(("startline", event.at.line.to_string()));
        }
        edge.extend(more);
        edges.push(edge);
    }
    edges
}

/// The attributes of an event, beside its line.
fn attributes(event: &Event) -> Edge {
    match &event.what {
        What::Enter { function, .. } => vec![("enterFunction", one_line(function))],
        What::Leave { .. } => vec![("returnFromFunction", one_line(&event.function))],
        What::Create { thread, .. } => vec![("createThread", thread.to_string())],
        What::Input { source, value } => match (source.strip_suffix("()"), value.parse::<i128>()) {
            (Some(function), Ok(value)) if !function.contains(' ') => {
                vec![("assumption", format!("\\result == {value};")), ("assumption.resultfunction", one_line(function))]
            }
            _ => Vec::new(),
        },
        What::Read { .. } | What::Write { .. } | What::Arrive { .. } | What::Call { .. } | What::Begin { .. } => {
            Vec::new()
        }
        What::Wakes { .. } => Vec::new(),
        What::Exit | What::Allocate { .. } | What::Free { .. } | What::Local => Vec::new(),
    }
}

/// A moment in the form of ISO 8601. Years begin in March here, so that leap days are their last (Howard Hinnant,
/// chrono-Compatible Low-Level Date Algorithms).
pub(crate) fn iso(moment: SystemTime) -> String {
    let seconds = moment.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let march = (5 * day + 2) / 153;
    let (month, day) = (if march < 10 { march + 3 } else { march - 9 }, day - (153 * march + 2) / 5 + 1);
    let year = 400 * era + year + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

fn data(text: &mut String, depth: usize, key: &str, value: &str) {
    put(text, format_args!("{:depth$}<data key=\"{key}\">{}</data>\n", "", escaped(value)));
}

fn put(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("strings take any text");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn moments() {
        let at = |seconds| iso(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00Z");
    }
}
