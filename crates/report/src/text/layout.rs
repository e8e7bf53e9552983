//! Places rows in columns: one column for each thread while they fit, else a single column with the thread's
//! number before each row.

use super::paint::Paint;
use super::thread_name;
use crate::headline::one_line;
use crate::rows::{Left, Note, Row};
use crate::sources::Sources;
use selvedge_program::Trace;
use selvedge_program::trace::Position;
use std::collections::BTreeSet;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// More columns than this are harder to read than a single one.
const MOST_COLUMNS: usize = 4;
const NARROWEST_COLUMN: usize = 28;
/// The separator between columns.
const RULE: &str = " │ ";
/// The width of a line number.
const NUMBER: usize = 4;

pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

pub fn pad(text: &str, to: usize) -> String {
    format!("{text}{}", " ".repeat(to.saturating_sub(width(text))))
}

pub fn lay_out(trace: &Trace, rows: &[Row], sources: &mut Sources, width: usize, paint: Paint) -> String {
    let threads: Vec<u32> = rows.iter().filter_map(Row::thread).collect::<BTreeSet<_>>().into_iter().collect();
    let page = Page::new(trace, threads, width, paint);
    let mut text = page.heading(trace);
    for row in rows {
        let lines = match row {
            Row::Switch { to, why } => {
                text.push_str(&page.separator(&switch(trace, *to, why)));
                continue;
            }
            Row::Cycle { moves } => {
                let what = if *moves { "from here on the run repeats for ever" } else { "nothing more happens" };
                text.push_str(&page.separator(what));
                continue;
            }
            Row::LeftOut(lines) => {
                let lines = if *lines == 1 { "1 line".to_string() } else { format!("{lines} lines") };
                text.push_str(&page.separator(&format!("{lines} before")));
                continue;
            }
            Row::Folded { fold, .. } => {
                vec![Line { text: format!("{}… {} …", " ".repeat(NUMBER + 2), fold.text()), ink: Ink::Faint }]
            }
            Row::Line { at, function, notes, .. } => page.cell(at, function, notes, sources),
        };
        for line in lines {
            text.push_str(&page.line(row.thread().unwrap_or(0), &line));
        }
    }
    text
}

pub(crate) fn switch(trace: &Trace, to: u32, why: &Left) -> String {
    let to = thread_name(trace, to);
    match why {
        Left::InCall(from, function) => format!("switch to {to}, thread {from} is in {function}"),
        Left::After(from, function) => format!("switch to {to}, thread {from} pauses after {function}"),
        Left::Preempted(from, 0) => format!("switch to {to}, preempting thread {from}"),
        Left::Preempted(from, line) => format!("switch to {to}, preempting thread {from} at line {line}"),
        Left::Ended(from) => format!("switch to {to}, thread {from} has ended"),
    }
}

/// A line of a cell, before it is placed.
struct Line {
    text: String,
    ink: Ink,
}

#[derive(Clone, Copy)]
enum Ink {
    Plain,
    Shared,
    Faint,
}

struct Page {
    /// The threads with a column; empty if there is a single column for all.
    columns: Vec<u32>,
    /// The width of one column.
    column: usize,
    width: usize,
    /// Lines of other files are shown with the file name.
    main_file: String,
    paint: Paint,
}

impl Page {
    fn new(trace: &Trace, threads: Vec<u32>, width: usize, paint: Paint) -> Page {
        let rules = RULE.chars().count() * threads.len().saturating_sub(1);
        let column = width.saturating_sub(rules) / threads.len().max(1);
        let fits = threads.len() <= MOST_COLUMNS && column >= NARROWEST_COLUMN;
        Page {
            columns: if fits { threads } else { Vec::new() },
            column: if fits { column } else { width.saturating_sub(PREFIX).max(NARROWEST_COLUMN) },
            width,
            main_file: trace
                .events
                .iter()
                .map(|e| &e.at)
                .find(|at| at.line != 0)
                .map_or_else(String::new, |at| at.file.clone()),
            paint,
        }
    }

    fn heading(&self, trace: &Trace) -> String {
        if self.columns.is_empty() {
            return String::new();
        }
        let cells: Vec<String> = self
            .columns
            .iter()
            .map(|thread| self.paint.heading(&pad(&cut(&thread_name(trace, *thread), self.column), self.column)))
            .collect();
        format!("{}\n", cells.join(RULE).trim_end())
    }

    fn separator(&self, text: &str) -> String {
        let start = format!("─── {text} ");
        let dashes = self.width.min(100).saturating_sub(width(&start)).max(3);
        format!("{}\n", self.paint.switch(&format!("{start}{}", "─".repeat(dashes))))
    }

    /// The source line, and below it the events on it.
    fn cell(&self, at: &Position, function: &str, notes: &[Note], sources: &mut Sources) -> Vec<Line> {
        let number = match at.line {
            0 => String::new(),
            line if at.file == self.main_file => line.to_string(),
            line => format!("{}:{line}", at.file.rsplit('/').next().unwrap_or(&at.file)),
        };
        let source = match sources.line(&at.file, at.line) {
            Some(text) => text,
            None => format!("(in {})", one_line(function)),
        };
        let mut lines = vec![Line { text: format!("{number:>NUMBER$}  {source}"), ink: Ink::Plain }];
        let indent = NUMBER + 3;
        for group in notes.chunk_by(|one, next| one.shared == next.shared) {
            let texts = group.iter().map(|note| match note.times {
                1 => note.text.clone(),
                times => format!("{} ({times} times)", note.text),
            });
            let ink = if group[0].shared { Ink::Shared } else { Ink::Faint };
            let wrapped = wrap(texts, self.column.saturating_sub(indent));
            lines.extend(wrapped.into_iter().map(|text| Line { text: format!("{}{text}", " ".repeat(indent)), ink }));
        }
        lines
    }

    fn line(&self, thread: u32, line: &Line) -> String {
        let text = cut(&line.text, self.column);
        let painted = match line.ink {
            Ink::Plain => text.clone(),
            Ink::Shared => self.paint.shared(&text),
            Ink::Faint => self.paint.faint(&text),
        };
        let Some(own) = self.columns.iter().position(|t| *t == thread) else {
            return format!("{:<PREFIX$}{painted}\n", format!("[{thread}]"));
        };
        let blank = " ".repeat(self.column);
        let cells: Vec<String> = (0..self.columns.len())
            .map(|column| match column == own {
                true => format!("{painted}{}", " ".repeat(self.column.saturating_sub(width(&text)))),
                false => blank.clone(),
            })
            .collect();
        format!("{}\n", cells.join(RULE).trim_end())
    }
}

/// The width of `[12]`.
const PREFIX: usize = 6;

/// Joins texts with commas, in as many lines as necessary. No value may be lost, so a text that is too
/// long for a line is broken.
fn wrap(texts: impl Iterator<Item = String>, to: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for text in texts {
        match lines.last_mut() {
            Some(last) if width(last) + 2 + width(&text) <= to => {
                last.push_str(", ");
                last.push_str(&text);
            }
            _ => lines.extend(broken(&text, to)),
        }
    }
    lines
}

/// Breaks a text into lines, at spaces where possible.
fn broken(text: &str, to: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words(text) {
        let line = lines.last_mut().expect("never empty");
        if width(line) + width(word.trim_end()) <= to {
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(String::new());
        }
        for letter in word.chars() {
            let line = lines.last_mut().expect("never empty");
            if width(line) + letter.width().unwrap_or(0) > to.max(1) {
                lines.push(letter.to_string());
            } else {
                line.push(letter);
            }
        }
    }
    lines
}

/// The words of a text, each with the space after it. An equals sign stays with its value.
fn words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = Vec::new();
    let mut start = 0;
    for (space, _) in text.match_indices(' ') {
        if &text[start..space] != "=" {
            words.push(&text[start..=space]);
            start = space + 1;
        }
    }
    words.push(&text[start..]);
    words
}

/// Shortens to `to` columns, with a mark.
fn cut(text: &str, to: usize) -> String {
    if width(text) <= to {
        return text.to_string();
    }
    let mut used = 0;
    let mut short: String = text
        .chars()
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used < to
        })
        .collect();
    short.push('…');
    short
}
