//! Results as commands of GitHub's workflows, which annotate lines of pull requests.

use crate::Report;
use crate::decisive::remarks;
use crate::headline::{full, one_line};
use crate::text::thread_name;
use selvedge_program::{Trace, Verdict};

/// A line for each violation; without one, a line for what was not decided, or nothing.
pub fn annotations(report: &Report<'_>) -> String {
    let verdict = full(report.verdict, report.vacuity, &report.others);
    let verdict = verdict.trim_start_matches("VERDICT: ");
    match report.verdict {
        Verdict::Unsafe(trace) => [trace.as_ref()]
            .into_iter()
            .chain(report.others.iter().copied())
            .map(|trace| annotation(report, trace))
            .collect(),
        Verdict::Unknown(_) => {
            let file = report.files.first().map(|file| format!("file={},", property(file))).unwrap_or_default();
            format!("::warning {file}title=Selvedge::{}\n", data(verdict))
        }
        Verdict::Safe | Verdict::SafeWithin(_) | Verdict::SafeUnder { .. } => match report.vacuity {
            Some(_) => format!("::warning title=Selvedge::{}\n", data(verdict)),
            None => format!("::notice title=Selvedge::{}\n", data(verdict)),
        },
    }
}

fn annotation(report: &Report<'_>, trace: &Trace) -> String {
    let (at, mut place) = (report.position(trace), String::new());
    if at.line != 0 {
        place = format!("file={},line={},", property(&at.file), at.line);
        if at.column > 0 {
            place.push_str(&format!("col={},", at.column));
        }
    }
    let title = format!("Selvedge: {}", trace.violation.property.name());
    let mut text = format!("{}: {}", thread_name(trace, trace.violation.thread), one_line(&trace.violation.text));
    for remark in remarks(trace) {
        text.push_str(&format!("\n- {}", remark.text));
    }
    format!("::error {place}title={}::{}\n", property(&title), data(&text))
}

/// The text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A value between the commas of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_command_early() {
        assert_eq!(data("100 %\nnext: a, b"), "100 %25%0Anext: a, b");
        assert_eq!(property("a,b:c"), "a%2Cb%3Ac");
    }
}
