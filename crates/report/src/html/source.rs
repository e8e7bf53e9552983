//! The source beside the run, with the lines that it executes.

use super::markup::Markup;
use super::steps::Steps;
use crate::sources::Sources;
use selvedge_program::Trace;
use std::collections::{BTreeMap, BTreeSet};

/// Files with more lines are shown in part: so many lines around those that are executed.
const WHOLE: usize = 1500;
const AROUND: u32 = 30;

/// The files of a run by name, in the order in which it meets them.
pub fn files(trace: &Trace) -> BTreeMap<String, usize> {
    let mut files = BTreeMap::new();
    let positions = trace.events.iter().map(|event| &event.at).chain([&trace.at]);
    for at in positions.chain(trace.waiting.iter().map(|wait| &wait.at)).filter(|at| at.line != 0) {
        let next = files.len();
        files.entry(at.file.clone()).or_insert(next);
    }
    files
}

/// The threads that execute each line, by file and line.
fn executed(steps: &Steps) -> BTreeMap<&str, BTreeMap<u32, BTreeSet<u32>>> {
    let mut executed: BTreeMap<&str, BTreeMap<u32, BTreeSet<u32>>> = BTreeMap::new();
    for step in steps.steps.iter().filter(|step| step.at.line != 0) {
        executed.entry(&step.at.file).or_default().entry(step.at.line).or_default().insert(step.thread);
    }
    executed
}

/// A listing for each file.
pub fn listings(
    page: &mut Markup,
    trace: &Trace,
    steps: &Steps,
    files: &BTreeMap<String, usize>,
    sources: &mut Sources,
) {
    let executed = executed(steps);
    let mut ordered: Vec<(&String, usize)> = files.iter().map(|(file, number)| (file, *number)).collect();
    ordered.sort_by_key(|(_, number)| *number);
    for (file, number) in ordered {
        let lines = executed.get(file.as_str());
        let failing = (trace.at.file == *file && trace.at.line != 0).then_some(trace.at.line);
        page.raw(&format!("<details class=file id=file{number} open><summary>"));
        page.text(file);
        page.raw("</summary><ol class=listing>");
        listing(page, number, sources.lines(file), lines, failing);
        page.raw("</ol></details>");
    }
}

fn listing(
    page: &mut Markup,
    number: usize,
    text: &[String],
    executed: Option<&BTreeMap<u32, BTreeSet<u32>>>,
    failing: Option<u32>,
) {
    if text.is_empty() {
        page.raw("<li class=gap>the source text is not here</li>");
    }
    let near = |line: u32| {
        let (low, high) = (line.saturating_sub(AROUND), line + AROUND);
        executed.is_some_and(|lines| lines.range(low..=high).next().is_some())
            || failing.is_some_and(|failing| (low..=high).contains(&failing))
    };
    let mut skipping = false;
    for (index, source) in text.iter().enumerate() {
        let line = index as u32 + 1;
        if text.len() > WHOLE && !near(line) {
            if !std::mem::replace(&mut skipping, true) {
                page.raw("<li class=gap>⋯</li>");
            }
            continue;
        }
        skipping = false;
        let threads = executed.and_then(|lines| lines.get(&line));
        let fails = failing == Some(line);
        let class = match (threads.is_some(), fails) {
            (_, true) => " class=fails",
            (true, false) => " class=ran",
            (false, false) => "",
        };
        page.raw(&format!("<li id=f{number}l{line}{class}><span class=n>{line}</span><span class=who>"));
        let names: Vec<String> = threads.into_iter().flatten().map(u32::to_string).collect();
        let mark = if fails { "✗ " } else { "" };
        if fails || !names.is_empty() {
            let title = match names.len() {
                0 => "fails here".to_string(),
                _ => format!("executed by thread {}", names.join(", ")),
            };
            page.element(&format!("span title=\"{title}\""), format!("{mark}{}", names.join(" ")));
        }
        page.raw("</span><code>");
        page.text(source);
        page.raw("</code></li>");
    }
}
