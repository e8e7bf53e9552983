//! Witnesses of correctness: what a proof says in C, as YAML in the formats 2.0 and 2.1 of SV-COMP (Ayaziová, Beyer,
//! Lingsch-Rosenfeld, Spiessl, Strejček: Software Verification Witnesses 2.0, SPIN 2024), with ghosts as Erhard,
//! Bentele, Heizmann, Klumpp, Saan, Schüssele, Schwarz, Seidl, Tilscher and Vojdani have them (Correctness Witnesses
//! for Concurrent Programs, VMCAI 2025): variables that statements of the program set as they run. Witnesses without
//! ghosts are of format 2.0.
//!
//! An invariant belongs to a statement, before which it holds. A proof knows lines; so only lines are named that are
//! one statement without a condition and without a call of the user's, for there the statement's first step is the
//! line's. A ghost is set where the line is nothing but the call that changes what it remembers; if one of its lines is
//! anything else, it is left out.

use crate::Report;
use crate::sources::Sources;
use crate::witness::{hash, iso, specification};
use selvedge_program::{Ghost, GhostOf, InC, LineInvariant, Verdict};
use serde_json::{Value, json};
use std::time::SystemTime;

/// Functions that may be called in a statement that is named: nothing of the user's runs inside.
const CALLS: [&str; 6] =
    ["pthread_mutex_lock", "pthread_mutex_unlock", "pthread_create", "pthread_join", "assert", "__VERIFIER_nondet_"];

/// The witness of a verdict without bounds; `None` if there is none, or the program is not a single file.
pub fn yaml(report: &Report<'_>, sources: &mut Sources, created: SystemTime) -> Option<String> {
    let (Verdict::Safe, [file]) = (report.verdict, report.files) else { return None };
    let nothing = InC::default();
    let in_c = report.proof.map_or(&nothing, |proof| &proof.in_c);
    let updates: Vec<Option<Value>> =
        in_c.ghosts.iter().map(|ghost| updates(ghost, &in_c.lines, file, sources)).collect();
    let mut used = vec![false; in_c.ghosts.len()];
    let mut invariants = Vec::new();
    for LineInvariant { function, file: of, line, holds } in &in_c.lines {
        let Some(column) = raw(sources, of, *line).filter(|_| of == file).and_then(|text| statement(&text)) else {
            continue;
        };
        let known = holds.iter().filter(|(_, ghosts)| ghosts.iter().all(|ghost| updates[*ghost].is_some()));
        let known: Vec<&(String, Vec<usize>)> = known.collect();
        known.iter().flat_map(|(_, ghosts)| ghosts).for_each(|ghost| used[*ghost] = true);
        let value: Vec<String> = known.iter().map(|(text, _)| format!("({text})")).collect();
        if !value.is_empty() {
            invariants.push(json!({ "invariant": {
                "type": "location_invariant",
                "location": { "file_name": file, "line": line, "column": column, "function": function },
                "value": value.join(" && "),
                "format": "c_expression",
            } }));
        }
    }
    let text = sources.bytes(file).to_vec();
    let ghosts: Vec<(&Ghost, Value)> = in_c
        .ghosts
        .iter()
        .zip(updates)
        .zip(used)
        .filter_map(|((ghost, updates), used)| Some((ghost, updates.filter(|_| used)?)))
        .collect();
    let version = if ghosts.is_empty() { "2.0" } else { "2.1" };
    let metadata = |entry: &str| metadata(report, (file, &text), (version, entry), created);
    let mut entries = Vec::new();
    if !ghosts.is_empty() {
        let variables: Vec<Value> = ghosts.iter().map(|(ghost, _)| json!({
            "name": ghost.name, "type": "int", "scope": "global", "initial": { "value": "0", "format": "c_expression" },
        })).collect();
        let updates: Vec<Value> =
            ghosts.iter().flat_map(|(_, updates)| updates.as_array().cloned().unwrap_or_default()).collect();
        entries.push(json!({
            "entry_type": "ghost_instrumentation", "metadata": metadata("ghosts"),
            "content": { "ghost_variables": variables, "ghost_updates": updates },
        }));
    }
    entries.push(json!({ "entry_type": "invariant_set", "metadata": metadata("invariants"), "content": invariants }));
    Some(written(&Value::Array(entries)))
}

fn metadata(
    report: &Report<'_>,
    (file, text): (&str, &[u8]),
    (version, entry): (&str, &str),
    created: SystemTime,
) -> Value {
    let created = iso(created);
    json!({
        "format_version": version,
        "uuid": uuid(&format!("{created} {entry} {}", hash(text))),
        "creation_time": created,
        "producer": { "name": "Selvedge", "version": env!("CARGO_PKG_VERSION") },
        "task": {
            "input_files": [file],
            "input_file_hashes": { file: hash(text) },
            "specification": specification(report),
            "data_model": if report.data_model.pointer_bytes() == 4 { "ILP32" } else { "LP64" },
            "language": "C",
        },
    })
}

/// A UUID of version 8 (RFC 9562): bits of our own, here of a hash.
fn uuid(of: &str) -> String {
    let hash = hash(of.as_bytes());
    let [a, b, c, d, e] = [&hash[..8], &hash[8..12], &hash[13..16], &hash[17..20], &hash[20..32]];
    format!("{a}-{b}-8{c}-a{d}-{e}")
}

/// Where a ghost is set. `None`: not every line that changes it is nothing but the call that does.
fn updates(ghost: &Ghost, lines: &[LineInvariant], file: &str, sources: &mut Sources) -> Option<Value> {
    // The program has a variable, or anything else, of this name.
    if sources.lines(file).iter().any(|line| line.contains(&ghost.name)) {
        return None;
    }
    let mut updates = Vec::new();
    for (of, line, value) in &ghost.updates {
        let text = raw(sources, of, *line).filter(|_| of == file)?;
        let call = match (ghost.of, value) {
            (GhostOf::Creation, _) => "pthread_create(",
            (GhostOf::Lock, 0) => "pthread_mutex_unlock(",
            (GhostOf::Lock, _) => "pthread_mutex_lock(",
        };
        let column = statement(&text).filter(|_| text.trim_start().starts_with(call))?;
        let function = lines.iter().find(|known| known.line == *line).map(|known| known.function.as_str());
        let mut location = json!({ "file_name": file, "line": line, "column": column });
        if let Some(function) = function {
            location["function"] = json!(function);
        }
        updates.push(json!({
            "location": location,
            "updates": [{ "variable": ghost.name, "value": value.to_string(), "format": "c_expression" }],
        }));
    }
    (!updates.is_empty()).then_some(Value::Array(updates))
}

/// A line as it is in the file.
fn raw(sources: &mut Sources, file: &str, line: u32) -> Option<String> {
    sources.lines(file).get(usize::try_from(line).ok()?.checked_sub(1)?).cloned()
}

/// The column of the statement that a line is, if it is one, without a condition and without a call of the user's.
fn statement(line: &str) -> Option<usize> {
    let text = line.trim();
    let inner = text.strip_suffix(';')?;
    let is_plain = !inner.contains(['{', '}', ';', '?', '"', '\'']) && !inner.contains("&&") && !inner.contains("||");
    let first = inner.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
    let is_jump = ["if", "else", "for", "while", "do", "return", "goto", "switch", "case", "default"].contains(&first);
    let calls = inner.match_indices('(').map(|(at, _)| {
        let before = inner[..at].trim_end();
        let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        &before[start..]
    });
    let is_known = |name: &str| name.is_empty() || name == "sizeof" || CALLS.iter().any(|call| name.starts_with(call));
    let all_known = calls.into_iter().all(is_known);
    let indent = line.len() - line.trim_start().len();
    (is_plain && !is_jump && all_known && !inner.contains(':') && !inner.is_empty()).then_some(indent + 1)
}

/// YAML in its block style, whose strings are those of JSON.
fn written(value: &Value) -> String {
    let mut text = String::new();
    block(&mut text, value, 0);
    text
}

fn block(text: &mut String, value: &Value, depth: usize) {
    let indent = " ".repeat(depth);
    match value {
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                let mut inner = String::new();
                block(&mut inner, item, depth + 2);
                text.push_str(&format!("{indent}- {}", inner.trim_start()));
            }
        }
        Value::Object(fields) if !fields.is_empty() => {
            for (name, value) in fields {
                let key = if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                    name.clone()
                } else {
                    Value::from(name.as_str()).to_string()
                };
                match value {
                    Value::Array(items) if !items.is_empty() => {
                        text.push_str(&format!("{indent}{key}:\n"));
                        block(text, value, depth);
                    }
                    Value::Object(fields) if !fields.is_empty() => {
                        text.push_str(&format!("{indent}{key}:\n"));
                        block(text, value, depth + 2);
                    }
                    plain => text.push_str(&format!("{indent}{key}: {plain}\n")),
                }
            }
        }
        plain => text.push_str(&format!("{indent}{plain}\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_can_be_named() {
        for (line, column) in [
            ("    pthread_mutex_lock(&m);", Some(5)),
            ("count = count + 1;", Some(1)),
            ("  x = (a + b) * 2;", Some(3)),
            ("  x = f(a);", None),
            ("  if (a) b = 1;", None),
            ("  a = b ? c : d;", None),
            ("  a = 1; b = 2;", None),
            ("  while (a)", None),
            ("  label: a = 1;", None),
            ("  return a;", None),
        ] {
            assert_eq!(statement(line), column, "{line}");
        }
    }

    #[test]
    fn uuids_have_their_form() {
        let one = uuid("a");
        let lengths: Vec<usize> = one.split('-').map(str::len).collect();
        assert_eq!((lengths, &one[14..15]), (vec![8, 4, 4, 4, 12], "8"));
        assert_ne!(one, uuid("b"));
    }
}
