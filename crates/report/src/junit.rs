//! Results as JUnit's XML, in the form that continuous integration reads: a test case for each check.

use crate::Report;
use crate::headline::full;
use crate::sources::Sources;
use crate::suite::{Score, TaskResult};
use crate::text::{Look, counterexample};
use selvedge_program::Verdict;
use std::fmt::Write;

/// The run of a counterexample is as wide as this.
const LOOK: Look = Look { width: 120, colour: false, everything: false, last: None };

/// How a test case ended.
enum Outcome {
    Passed,
    Failure { kind: String, message: String, text: String },
    Error { message: String },
    Skipped { message: String },
}

struct Case {
    class: String,
    name: String,
    seconds: f64,
    outcome: Outcome,
    /// Its output.
    out: String,
}

/// One check: it fails with a violation, and is an error if the verdict is unknown.
pub fn check(report: &Report<'_>, sources: &mut Sources) -> String {
    let verdict = full(report.verdict, report.vacuity, &report.others);
    let outcome = match report.verdict {
        Verdict::Unsafe(trace) => Outcome::Failure {
            kind: trace.violation.property.name().to_string(),
            message: trace.violation.text.clone(),
            text: counterexample(trace, sources, LOOK),
        },
        Verdict::Unknown(_) => Outcome::Error { message: verdict.clone() },
        Verdict::Safe | Verdict::SafeWithin(_) | Verdict::SafeUnder { .. } => Outcome::Passed,
    };
    let name = report.files.join(" ");
    let seconds = report.statistics.seconds;
    document(&[Case { class: "check".to_string(), name, seconds, outcome, out: verdict }])
}

/// A suite: wrong verdicts fail, tasks without a verdict are skipped.
pub fn suite(results: &[TaskResult]) -> String {
    let cases: Vec<Case> = results.iter().map(case).collect();
    document(&cases)
}

fn case(result: &TaskResult) -> Case {
    let detail = result.detail.clone();
    let outcome = match &result.score {
        Score::CorrectTrue | Score::CorrectFalse => Outcome::Passed,
        Score::WrongTrue => wrong("missed", detail),
        Score::WrongFalse => wrong("false-alarm", detail),
        Score::Bounded => Outcome::Skipped { message: detail },
        Score::Unknown(kind) if kind == "internal-error" => Outcome::Error { message: detail },
        Score::Unknown(_) => Outcome::Skipped { message: detail },
        Score::Skipped(why) => Outcome::Skipped { message: why.clone() },
    };
    Case {
        class: result.set.clone(),
        name: format!("{} ({})", result.name, result.property),
        seconds: result.seconds,
        outcome,
        out: result.detail.clone(),
    }
}

fn wrong(kind: &str, message: String) -> Outcome {
    Outcome::Failure { kind: kind.to_string(), text: message.clone(), message }
}

fn document(cases: &[Case]) -> String {
    let count = |is: fn(&Outcome) -> bool| cases.iter().filter(|case| is(&case.outcome)).count();
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\"",
        cases.len(),
        count(|outcome| matches!(outcome, Outcome::Failure { .. })),
        count(|outcome| matches!(outcome, Outcome::Error { .. })),
        count(|outcome| matches!(outcome, Outcome::Skipped { .. })),
        cases.iter().map(|case| case.seconds).sum::<f64>(),
    );
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"selvedge\" {counts}>\n<testsuite name=\"selvedge\" {counts}>\n"
    );
    for Case { class, name, seconds, outcome, out } in cases {
        let (class, name) = (attribute(class), attribute(name));
        let body = match outcome {
            Outcome::Passed => String::new(),
            Outcome::Failure { kind, message, text } => {
                let (kind, message, text) = (attribute(kind), attribute(message), content(text));
                format!("<failure type=\"{kind}\" message=\"{message}\">{text}</failure>\n")
            }
            Outcome::Error { message } => format!("<error type=\"unknown\" message=\"{}\"/>\n", attribute(message)),
            Outcome::Skipped { message } => format!("<skipped message=\"{}\"/>\n", attribute(message)),
        };
        let out = content(out);
        writeln!(
            text,
            "<testcase classname=\"{class}\" name=\"{name}\" time=\"{seconds:.3}\">\n{body}<system-out>{out}</system-out>\n</testcase>"
        )
        .expect("strings take any text");
    }
    text.push_str("</testsuite>\n</testsuites>\n");
    text
}

fn attribute(text: &str) -> String {
    content(text).replace('"', "&quot;").replace('\n', "&#10;")
}

/// XML 1.0 has no other control characters than these, not even escaped.
fn content(text: &str) -> String {
    let legal = |c: char| c == '\n' || c == '\t' || !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
    let legal: String = text.chars().map(|c| if legal(c) { c } else { '·' }).collect();
    legal.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
