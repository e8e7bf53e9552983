//! A check's result as one page that needs nothing else: no network, no other file.
//!
//! Everything is in the markup, so that it can be read, searched and printed without the script, which only adds steps:
//! values, locks and calls at each moment, from what [`steps`] says each step changes.

mod drawing;
mod markup;
mod source;
mod steps;
mod timeline;

use crate::Report;
use crate::decisive::{Remark, remarks};
use crate::headline::{full, one_line, place};
use crate::sources::Sources;
use crate::text::{sentence, thread_name};
pub(crate) use markup::escaped;
use markup::{Markup, embedded};
use selvedge_program::{Trace, Verdict};
use serde::Serialize;
use std::collections::BTreeMap;
use steps::{Change, Steps};
use timeline::Timeline;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// Data that the script needs beside the markup.
#[derive(Serialize)]
struct Data<'a> {
    threads: Vec<String>,
    files: Vec<&'a str>,
    places: &'a [String],
    steps: Vec<Change>,
}

/// The page. `replay`: the command that shows the violation again.
pub fn page(report: &Report<'_>, sources: &mut Sources, replay: Option<&str>) -> String {
    let headline = full(report.verdict, report.vacuity, &report.others);
    let verdict = headline.trim_start_matches("VERDICT: ");
    let mut page = Markup::default();
    page.raw(
        "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\
         <meta name=viewport content=\"width=device-width, initial-scale=1\"><meta name=color-scheme content=\"light dark\">",
    );
    page.element("title", format!("Selvedge: {verdict}"));
    page.raw("<style>");
    page.raw(STYLE);
    page.raw("</style><noscript><style>tbody[hidden]{display:table-row-group}.script{display:none!important}</style></noscript></head><body>");
    match report.verdict {
        Verdict::Unsafe(trace) => violation(&mut page, report, trace, sources, (verdict, replay)),
        Verdict::Safe | Verdict::SafeWithin(_) | Verdict::SafeUnder { .. } | Verdict::Unknown(_) => {
            page.raw("<header>");
            title(&mut page, report, verdict);
            facts(&mut page, report, None);
            page.raw("</header>");
        }
    }
    page.raw("</body></html>\n");
    page.finish()
}

fn title(page: &mut Markup, report: &Report<'_>, verdict: &str) {
    let (class, mark) = match report.verdict {
        Verdict::Unsafe(_) => ("bad", "✗"),
        Verdict::Safe => ("good", "✓"),
        Verdict::SafeWithin(_) | Verdict::SafeUnder { .. } | Verdict::Unknown(_) => ("open", "?"),
    };
    page.raw(&format!("<h1><span class={class} aria-hidden=true>{mark}</span> "));
    page.text(verdict);
    page.raw("</h1>");
}

/// The properties that were checked, the assumptions of the verdict, and other facts about the run.
fn facts(page: &mut Markup, report: &Report<'_>, replay: Option<&str>) {
    let properties: Vec<&str> = report.properties.iter().map(|property| property.name()).collect();
    let mut facts = vec![
        ("files", report.files.join(", ")),
        ("checked", properties.join(", ")),
        ("engine", report.engine.to_string()),
        ("version", format!("Selvedge {}", env!("CARGO_PKG_VERSION"))),
    ];
    facts.extend(report.assumptions.iter().map(|assumption| ("assumption", assumption.to_string())));
    if let Some(covered) = report.covered {
        facts.push(("coverage", covered.summary()));
        facts.extend(covered.unreached().lines().map(|line| ("", line.to_string())));
    }
    facts.extend(report.stopped_by.map(|reason| ("stopped by", reason.to_string())));
    facts.extend(report.next.map(|next| ("what next", next.to_string())));
    let others = report.others.iter();
    facts.extend(others.map(|other| ("also", format!("{} ({})", failure(other), other.violation.property.name()))));
    page.raw("<dl class=facts>");
    for (name, text) in facts.into_iter().filter(|(_, text)| !text.is_empty()) {
        page.element("dt", name);
        page.element("dd", one_line(&text));
    }
    if let Some(command) = replay {
        page.raw("<dt>see it again</dt><dd><code class=command>");
        page.text(command);
        page.raw("</code></dd>");
    }
    page.raw("</dl>");
}

/// `thread 0 (main) at a.c:30: assertion …`.
fn failure(trace: &Trace) -> String {
    let text = one_line(&trace.violation.text);
    match place(&trace.at) {
        Some(at) if !trace.violation.property.is_of_runs() => {
            format!("{} at {at}: {text}", thread_name(trace, trace.violation.thread))
        }
        _ => text,
    }
}

fn violation(
    page: &mut Markup,
    report: &Report<'_>,
    trace: &Trace,
    sources: &mut Sources,
    (verdict, replay): (&str, Option<&str>),
) {
    let (steps, files) = (Steps::of(trace), source::files(trace));
    let remarks = remarks(trace);
    let mut decisive: Vec<usize> =
        remarks.iter().flat_map(|remark| &remark.events).map(|event| steps.with_event(*event)).collect();
    decisive.sort_unstable();
    decisive.dedup();

    page.raw("<a class=skip href=#run>Skip to the run</a><header>");
    title(page, report, verdict);
    page.raw("<p class=failure>");
    page.prose(&failure(trace));
    page.raw("</p>");
    summary(page, trace, &steps, &remarks);
    drawing::violation(page, trace);
    page.raw("<details class=about><summary>About this check</summary>");
    facts(page, report, replay);
    page.raw("</details></header>");
    controls(page, steps.steps.len());
    page.raw("<main><section id=run aria-label=\"The run, step by step\">");
    Timeline { trace, steps: &steps, decisive: &decisive }.write(page, sources);
    let end = match trace.violation.property.is_of_runs() {
        true => one_line(&trace.violation.text),
        false => format!("✗ {}", failure(trace)),
    };
    page.element("p class=end", end);
    page.raw(
        "</section><aside aria-label=\"At this step\"><div class=\"state script\" id=state></div><div class=source>",
    );
    source::listings(page, trace, &steps, &files, sources);
    page.raw("</div></aside></main><div id=live class=unseen role=status aria-live=polite></div>");
    data(page, trace, &steps, &files);
    page.raw("<script>");
    page.raw(SCRIPT);
    page.raw("</script>");
}

/// The sentences on top, each with links to its steps. For a deadlock: who waits for what.
fn summary(page: &mut Markup, trace: &Trace, steps: &Steps, remarks: &[Remark]) {
    let remarks = match remarks.is_empty() {
        true => trace.waiting.iter().map(|wait| Remark { text: sentence(trace, wait), events: Vec::new() }).collect(),
        false => remarks.to_vec(),
    };
    if remarks.is_empty() {
        return;
    }
    page.raw("<section class=summary aria-label=\"What decides this run\"><h2>What decides this run</h2><ol>");
    for remark in remarks {
        page.raw("<li>");
        page.prose(&one_line(&remark.text));
        let mut named: Vec<usize> = remark.events.iter().map(|event| steps.with_event(*event)).collect();
        named.dedup();
        if !named.is_empty() {
            page.raw(" <span class=steps>");
            for (index, step) in named.iter().enumerate() {
                page.raw(if index == 0 { "step " } else { ", " });
                page.raw(&format!("<a href=#s{step}>{step}</a>"));
            }
            page.raw("</span>");
        }
        page.raw("</li>");
    }
    page.raw("</ol></section>");
}

fn controls(page: &mut Markup, steps: usize) {
    let last = steps.saturating_sub(1);
    page.raw(&format!(
        "<nav class=\"controls script\" aria-label=\"Steps\">\
         <button type=button data-go=first title=\"First step (Home)\" aria-label=\"First step\">|◀</button>\
         <button type=button data-go=back title=\"Step back (k or ↑)\" aria-label=\"Step back\">◀</button>\
         <input type=range id=at min=0 max={last} value={last} aria-label=Step>\
         <button type=button data-go=on title=\"Step on (j or ↓)\" aria-label=\"Step on\">▶</button>\
         <button type=button data-go=last title=\"Last step (End)\" aria-label=\"Last step\">▶|</button>\
         <button type=button data-go=switch title=\"To the next switch (n; p: to the previous)\">next switch</button>\
         <button type=button data-go=key title=\"To the next step that the summary names (d)\">next ★</button>\
         <label>search <input type=search id=search size=14 title=\"Search (/), on with Enter\"></label>\
         <output id=hits></output>\
         <button type=button data-go=fold title=\"Unfold or fold everything (f)\">unfold</button>\
         <button type=button data-go=theme title=\"Dark or light (t)\">dark/light</button></nav>"
    ));
}

fn data(page: &mut Markup, trace: &Trace, steps: &Steps, files: &BTreeMap<String, usize>) {
    let mut names = vec![""; files.len()];
    files.iter().for_each(|(name, number)| names[*number] = name);
    let threads = (0..trace.threads.len() as u32).map(|thread| thread_name(trace, thread)).collect();
    let data = Data { threads, files: names, places: &steps.places, steps: steps::changes(trace, steps, files) };
    page.raw("<script type=\"application/json\" id=data>");
    page.raw(&embedded(&data));
    page.raw("</script>");
}
