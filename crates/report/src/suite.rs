//! Many runs in one table.
//!
//! *Decided* means that the answer was `safe` or `unsafe` and there was an expected one to compare it
//! with. `safe within bounds` does not answer the question that was asked, so it has a column of its own.

use crate::headline::one_line;
use crate::text::{Look, paint::Paint};
use serde::Serialize;
use std::collections::BTreeMap;

/// The result of one task, compared with the expected one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "score", content = "why", rename_all = "kebab-case")]
pub enum Score {
    CorrectTrue,
    CorrectFalse,
    /// The answer was safe, but the program is not.
    WrongTrue,
    /// The answer was unsafe, but the program is not.
    WrongFalse,
    /// Safe within bounds.
    Bounded,
    /// No answer, with the kind of reason.
    Unknown(String),
    /// Not run, with the reason.
    Skipped(String),
}

impl Score {
    fn is_wrong(&self) -> bool {
        matches!(self, Score::WrongTrue | Score::WrongFalse)
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct TaskResult {
    pub set: String,
    pub name: String,
    /// As the task names it: `unreach-call`.
    pub property: String,
    pub expected: Option<bool>,
    #[serde(flatten)]
    pub score: Score,
    pub seconds: f64,
    pub states: u64,
    /// The size of the formula, if there was one.
    pub variables: u64,
    pub clauses: u64,
    /// The engine whose answer it is.
    pub answered_by: Option<String>,
    /// The verdict line, or the error message.
    pub detail: String,
    /// An additional remark: `another part: leak`.
    pub remark: Option<String>,
}

/// The counts of a set, or of all tasks.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tally {
    pub correct_true: usize,
    pub correct_false: usize,
    pub wrong_true: usize,
    pub wrong_false: usize,
    pub bounded: usize,
    /// By kind of reason.
    pub unknown: BTreeMap<String, usize>,
    /// By reason.
    pub skipped: BTreeMap<String, usize>,
    pub seconds: f64,
}

impl Tally {
    pub fn add(&mut self, result: &TaskResult) {
        self.seconds += result.seconds;
        match &result.score {
            Score::CorrectTrue => self.correct_true += 1,
            Score::CorrectFalse => self.correct_false += 1,
            Score::WrongTrue => self.wrong_true += 1,
            Score::WrongFalse => self.wrong_false += 1,
            Score::Bounded => self.bounded += 1,
            Score::Unknown(kind) => *self.unknown.entry(kind.clone()).or_default() += 1,
            Score::Skipped(why) => *self.skipped.entry(why.clone()).or_default() += 1,
        }
    }

    pub fn of<'a>(results: impl IntoIterator<Item = &'a TaskResult>) -> Tally {
        let mut tally = Tally::default();
        results.into_iter().for_each(|result| tally.add(result));
        tally
    }

    pub fn wrong(&self) -> usize {
        self.wrong_true + self.wrong_false
    }

    pub fn decided(&self) -> usize {
        self.correct_true + self.correct_false + self.wrong()
    }

    pub fn unknowns(&self) -> usize {
        self.unknown.values().sum()
    }

    pub fn skips(&self) -> usize {
        self.skipped.values().sum()
    }
}

/// One line for the listing.
pub fn line(result: &TaskResult) -> String {
    let score = match &result.score {
        Score::CorrectTrue | Score::CorrectFalse => "ok".to_string(),
        Score::WrongTrue | Score::WrongFalse => "WRONG".to_string(),
        Score::Bounded => "bounded".to_string(),
        Score::Unknown(_) => "unknown".to_string(),
        Score::Skipped(_) => "skipped".to_string(),
    };
    let mut detail = result.detail.strip_prefix("VERDICT: ").unwrap_or(&result.detail).to_string();
    if let Score::Skipped(why) = &result.score {
        detail.clone_from(why);
    }
    if let Some(remark) = &result.remark {
        detail = format!("{detail} ({remark})");
    }
    one_line(&format!(
        "{score:<8}{:>8.2} s  {:<13} {} ({}): {detail}",
        result.seconds, result.set, result.name, result.property
    ))
}

/// The table by set and in total, wrong answers by name, and a last line for scripts.
pub fn table(results: &[TaskResult], look: Look) -> String {
    let mut sets: BTreeMap<&str, Tally> = BTreeMap::new();
    for result in results {
        sets.entry(&result.set).or_default().add(result);
    }
    let all = Tally::of(results);
    let mut rows = vec![HEADING.map(String::from)];
    rows.extend(sets.iter().map(|(set, tally)| cells(set, tally)));
    rows.push(cells("all", &all));

    let mut text = aligned(&rows);
    text.push_str(&reasons("unknown", &all.unknown));
    text.push_str(&reasons("skipped", &all.skipped));
    text.push_str(&named("wrong", results, Score::is_wrong));
    text.push_str(&named("internal errors", results, |score| *score == Score::Unknown("internal-error".into())));
    let last = last_line(&all);
    text.push_str(&if all.wrong() > 0 { Paint { on: look.colour }.bad(&last) } else { last });
    text.push('\n');
    text
}

/// `SUITE: 112 decided, 0 wrong, 30 unknown, 5 skipped`.
fn last_line(all: &Tally) -> String {
    let bounded = match all.bounded {
        0 => String::new(),
        bounded => format!(", {bounded} bounded"),
    };
    format!(
        "SUITE: {} decided, {} wrong, {} unknown, {} skipped{bounded}",
        all.decided(),
        all.wrong(),
        all.unknowns(),
        all.skips()
    )
}

const HEADING: [&str; 9] =
    ["set", "true ✓", "false ✓", "true ✗", "false ✗", "bounded", "unknown", "skipped", "seconds"];

fn cells(set: &str, tally: &Tally) -> [String; 9] {
    [
        one_line(set),
        tally.correct_true.to_string(),
        tally.correct_false.to_string(),
        tally.wrong_true.to_string(),
        tally.wrong_false.to_string(),
        tally.bounded.to_string(),
        tally.unknowns().to_string(),
        tally.skips().to_string(),
        format!("{:.1}", tally.seconds),
    ]
}

/// Aligns the first column to the left and numbers to the right, with a rule below the heading and above the sum.
fn aligned(rows: &[[String; 9]]) -> String {
    let widths: Vec<usize> =
        (0..9).map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)).collect();
    let rule = "─".repeat(widths.iter().sum::<usize>() + 2 * 8);
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        if index == 1 || index + 1 == rows.len() {
            text.push_str(&rule);
            text.push('\n');
        }
        let mut line = format!("{:<1$}", row[0], widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            line.push_str(&format!("  {cell:>width$}"));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn reasons(what: &str, counts: &BTreeMap<String, usize>) -> String {
    if counts.is_empty() {
        return String::new();
    }
    let parts: Vec<String> = counts.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    format!("{what}: {}\n", parts.join(", "))
}

fn named(heading: &str, results: &[TaskResult], which: impl Fn(&Score) -> bool) -> String {
    let lines: Vec<String> = results
        .iter()
        .filter(|result| which(&result.score))
        .map(|result| {
            let expected = match result.expected {
                Some(true) => "expected true",
                Some(false) => "expected false",
                None => "nothing expected",
            };
            let detail = result.detail.strip_prefix("VERDICT: ").unwrap_or(&result.detail);
            one_line(&format!("  {} ({}, {expected}): {detail}", result.name, result.property))
        })
        .collect();
    if lines.is_empty() { String::new() } else { format!("{heading}:\n{}\n", lines.join("\n")) }
}

#[derive(Serialize)]
struct Document<'a> {
    tool: &'static str,
    version: &'static str,
    /// The limit of one task.
    time_limit: u64,
    jobs: usize,
    arguments: &'a [String],
    all: Tally,
    sets: BTreeMap<&'a str, Tally>,
    tasks: &'a [TaskResult],
}

/// The whole suite as JSON.
pub fn document(results: &[TaskResult], time_limit: u64, jobs: usize, arguments: &[String]) -> String {
    let mut sets: BTreeMap<&str, Tally> = BTreeMap::new();
    for result in results {
        sets.entry(&result.set).or_default().add(result);
    }
    crate::json::pretty(&Document {
        tool: "selvedge",
        version: env!("CARGO_PKG_VERSION"),
        time_limit,
        jobs,
        arguments,
        all: Tally::of(results),
        sets,
        tasks: results,
    })
}
