//! From events to rows: the events of one source line become one row, context switches become rows
//! of their own, and long stretches that no other thread can notice are folded into one, as are rounds of loops.
//!
//! Events that explain nothing are left out: reads of a thread's own memory, returns of functions without a
//! result, and repetitions of another event. `everything` leaves nothing out.

use crate::headline::one_line;
use selvedge_program::trace::Position;
use selvedge_program::{Event, Trace, What};
use std::ops::Range;

/// Longer sequences of local rows are folded.
const SHOWN_LOCAL_ROWS: usize = 3;

/// The number of rows just before the violation that are shown even if local: they usually explain it.
const SHOWN_AT_THE_END: usize = 3;

pub enum Row {
    Line {
        thread: u32,
        at: Position,
        function: String,
        notes: Vec<Note>,
        /// The events of the trace that the row stands for.
        events: Range<usize>,
    },
    /// The running thread changes to `to`.
    Switch {
        to: u32,
        why: Left,
    },
    /// The following rows repeat for ever; without any, nothing more happens.
    Cycle {
        moves: bool,
    },
    Folded {
        thread: u32,
        fold: Fold,
    },
    /// The number of lines at the beginning that are not shown.
    LeftOut(usize),
}

/// An event on a line.
#[derive(Clone, PartialEq, Eq)]
pub struct Note {
    pub text: String,
    /// Whether other threads notice it.
    pub shared: bool,
    pub shown: Shown,
    pub times: usize,
}

/// Why rows are folded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fold {
    /// A number of steps that no other thread can notice.
    Local(usize),
    /// A number of rounds of a loop, between its first and its last.
    Rounds(usize),
}

impl Fold {
    pub fn text(self) -> String {
        match self {
            Fold::Local(steps) => format!("{steps} local steps"),
            Fold::Rounds(rounds) => format!("{rounds} more rounds"),
        }
    }
}

/// When a note is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    Always,
    /// Just before the violation, where it may explain it.
    AtTheEnd,
    /// Only if everything is shown.
    OnRequest,
}

/// Why the previous thread stopped running.
pub enum Left {
    /// It could have gone on, at this line (0 if unknown).
    Preempted(u32, u32),
    /// It is in a modelled function that has not returned: it may wait there, or just be slow.
    InCall(u32, String),
    /// It could have gone on, and has just called this function, for example `sched_yield`.
    After(u32, String),
    Ended(u32),
}

pub fn rows(trace: &Trace, everything: bool) -> Vec<Row> {
    let rows = gather(trace);
    if everything { rows } else { fold(pruned(rows)) }
}

/// The last lines, with what is between them.
pub fn last(mut rows: Vec<Row>, lines: usize) -> Vec<Row> {
    let is_line = |row: &Row| matches!(row, Row::Line { .. } | Row::Folded { .. });
    let mut from_the_end = rows.iter().enumerate().rev().filter(|(_, row)| is_line(row)).map(|(index, _)| index);
    let Some(first) = from_the_end.nth(lines.saturating_sub(1)).filter(|_| lines > 0) else { return rows };
    let left_out = rows[..first].iter().filter(|row| is_line(row)).count();
    if left_out > 0 {
        rows.splice(..first, [Row::LeftOut(left_out)]);
    }
    rows
}

/// One row for each line, and the switches between them.
pub fn gather(trace: &Trace) -> Vec<Row> {
    let events = &trace.events;
    let mut rows: Vec<Row> = Vec::new();
    for (index, event) in events.iter().enumerate() {
        if trace.cycle == Some(index) {
            rows.push(Row::Cycle { moves: true });
        }
        let previous = index.checked_sub(1).map(|previous| &events[previous]);
        if let Some(previous) = previous.filter(|previous| previous.thread != event.thread) {
            // The thread is at that line, but nothing has happened there yet.
            if matches!(previous.what, What::Local) && matches!(rows.last(), Some(row) if is_bare(row)) {
                rows.pop();
            }
            rows.push(Row::Switch { to: event.thread, why: left(previous) });
        }
        if !continues(rows.last(), event) {
            let (at, function) = (event.at.clone(), event.function.clone());
            rows.push(Row::Line { thread: event.thread, at, function, notes: Vec::new(), events: index..index });
        }
        if let Some(Row::Line { events, .. }) = rows.last_mut() {
            events.end = index + 1;
        }
        if let (Some(Row::Line { notes, .. }), Some(note)) = (rows.last_mut(), note(events, index)) {
            match notes.last_mut() {
                Some(last) if last.text == note.text => last.times += 1,
                _ => notes.push(note),
            }
        }
    }
    if trace.cycle == Some(events.len()) {
        rows.push(Row::Cycle { moves: false });
    }
    rows
}

/// Whether the event belongs to this row. A thread ends below its start routine, where there are no lines.
fn continues(row: Option<&Row>, event: &Event) -> bool {
    let Some(Row::Line { thread, at, function, .. }) = row else { return false };
    let same_line = at.line == event.at.line && at.file == event.at.file && *function == event.function;
    *thread == event.thread && (same_line || event.at.line == 0 && matches!(event.what, What::Exit))
}

fn left(last: &Event) -> Left {
    match &last.what {
        What::Begin { function, .. } => Left::InCall(last.thread, one_line(function)),
        What::Call { function, .. } => Left::After(last.thread, one_line(function)),
        What::Exit => Left::Ended(last.thread),
        _ => Left::Preempted(last.thread, last.at.line),
    }
}

fn note(events: &[Event], index: usize) -> Option<Note> {
    let event = &events[index];
    let next = events.get(index + 1).filter(|next| next.thread == event.thread).map(|next| &next.what);
    let call = |function: &str, arguments: &[String]| format!("{function}({})", arguments.join(", "));
    let unless = |trivial: bool| if trivial { Shown::OnRequest } else { Shown::Always };
    let (text, shared, shown) = match &event.what {
        What::Read { place, value, uninitialised: true, shared } => {
            (format!("reads {place}, which is uninitialised: {value}"), *shared, Shown::Always)
        }
        What::Read { place, value, uninitialised: false, shared } => {
            (format!("reads {place} = {value}"), *shared, if *shared { Shown::Always } else { Shown::AtTheEnd })
        }
        What::Write { place, value, shared, buffered } => {
            let buffered = if *buffered { ", buffered" } else { "" };
            (format!("writes {place} = {value}{buffered}"), *shared, Shown::Always)
        }
        What::Arrive { place, value, shared } => {
            (format!("{place} = {value} leaves the buffer of thread {}", event.thread), *shared, Shown::Always)
        }
        What::Enter { function, arguments } => {
            (format!("enters {}", call(function, arguments)), false, unless(index == 0 && arguments.is_empty()))
        }
        What::Leave { value: Some(value) } => (format!("returns {value}"), false, Shown::Always),
        What::Leave { value: None } => ("returns".to_string(), false, Shown::OnRequest),
        What::Call { function, arguments, result } => {
            let value = result.as_ref().map(|value| format!(" = {value}")).unwrap_or_default();
            let said_again = next.is_some_and(|next| says_it_too(next, function, result.as_deref()));
            (format!("{}{value}", call(function, arguments)), true, unless(said_again))
        }
        What::Begin { function, arguments } => (format!("calls {}", call(function, arguments)), true, Shown::Always),
        What::Input { source, value } => (format!("input {source} = {value}"), true, Shown::Always),
        What::Wakes { function, early: true } => {
            (format!("{function} ends by itself, without a signal"), true, Shown::Always)
        }
        What::Wakes { function, early: false } => {
            (format!("{function} will wait for a signal"), false, Shown::OnRequest)
        }
        What::Create { thread, function } => (format!("creates thread {thread} ({function})"), true, Shown::Always),
        What::Exit => ("thread ends".to_string(), true, Shown::Always),
        What::Allocate { object, bytes } => (format!("allocates {object}, {bytes} bytes"), false, Shown::Always),
        // Other threads may still hold pointers to it.
        What::Free { object } => (format!("frees {object}"), true, Shown::Always),
        What::Local => return None,
    };
    Some(Note { text: one_line(&text), shared, shown, times: 1 })
}

/// Whether the event inside a call repeats what the call itself says.
fn says_it_too(inside: &What, function: &str, result: Option<&str>) -> bool {
    match inside {
        What::Create { .. } => result == Some("0"),
        // The result is a pointer to the object, or to its first part.
        What::Allocate { object, .. } => result.is_some_and(|result| {
            let rest = result.trim_start_matches('&').strip_prefix(object.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        }),
        What::Input { source, value } => result == Some(value) && source.strip_suffix("()") == Some(function),
        _ => false,
    }
}

/// Removes notes that explain little, and rows without notes.
fn pruned(mut rows: Vec<Row>) -> Vec<Row> {
    let keep_from = rows.len().saturating_sub(SHOWN_AT_THE_END);
    let mut index = 0;
    rows.retain_mut(|row| {
        index += 1;
        let Row::Line { notes, .. } = row else { return true };
        let had_notes = !notes.is_empty();
        notes.retain(|note| match note.shown {
            Shown::Always => true,
            Shown::AtTheEnd => index > keep_from,
            Shown::OnRequest => false,
        });
        !had_notes || !notes.is_empty()
    });
    rows
}

/// Replaces what explains little.
fn fold(rows: Vec<Row>) -> Vec<Row> {
    let mut folds = foldable(&rows).into_iter().peekable();
    let mut folded = Vec::with_capacity(rows.len());
    for (index, row) in rows.into_iter().enumerate() {
        match (folds.peek(), row.thread()) {
            (Some((stretch, fold)), Some(thread)) if stretch.start == index => {
                folded.push(Row::Folded { thread, fold: *fold })
            }
            (Some((stretch, _)), _) if stretch.contains(&index) => {}
            _ => folded.push(row),
        }
        folds.next_if(|(stretch, _)| stretch.end == index + 1);
    }
    folded
}

/// Stretches of rows that can be folded, in their order: long ones that no other thread can notice, and rounds of loops
/// between the first and the last. Each belongs to one thread. The rows before the violation stay.
pub fn foldable(rows: &[Row]) -> Vec<(Range<usize>, Fold)> {
    let mut found = Vec::new();
    let mut start = 0;
    let end = rows.len().saturating_sub(SHOWN_AT_THE_END);
    while start < end {
        let local = rows[start..end].iter().take_while(|row| is_local(row)).count();
        if local > SHOWN_LOCAL_ROWS {
            found.push((start..start + local, Fold::Local(local)));
            start += local;
        } else if let Some((period, rounds)) = rounds(&rows[start..end]) {
            let all = start..start + period * rounds;
            found.push((all.start + period..all.end - period, Fold::Rounds(rounds - 2)));
            start = all.end;
        } else {
            start += local.max(1);
        }
    }
    found
}

/// The loop that begins with the first row, if enough of its rounds follow one another: its rows, and its rounds.
fn rounds(rows: &[Row]) -> Option<(usize, usize)> {
    let line = |row: &Row| match row {
        Row::Line { at, function, .. } if at.line != 0 => Some((at.line, at.file.clone(), function.clone())),
        Row::Line { .. } | Row::Switch { .. } | Row::Cycle { .. } | Row::Folded { .. } | Row::LeftOut(_) => None,
    };
    let lines: Vec<_> = rows.iter().take(LONGEST_LOOP * 2).map(line).take_while(Option::is_some).collect();
    let is_round = |period: usize| lines.len() >= 2 * period && lines[..period] == lines[period..2 * period];
    let period = (1..=LONGEST_LOOP).find(|period| is_round(*period))?;
    let first = &lines[..period];
    let rounds = rows.chunks_exact(period).take_while(|round| round.iter().map(line).eq(first.iter().cloned())).count();
    (rounds > 2 && (rounds - 2) * period > SHOWN_LOCAL_ROWS).then_some((period, rounds))
}

/// Loops with more rows are not recognised.
const LONGEST_LOOP: usize = 24;

impl Row {
    pub fn thread(&self) -> Option<u32> {
        match self {
            Row::Line { thread, .. } | Row::Folded { thread, .. } => Some(*thread),
            Row::Switch { .. } | Row::Cycle { .. } | Row::LeftOut(_) => None,
        }
    }
}

fn is_local(row: &Row) -> bool {
    matches!(row, Row::Line { notes, .. } if notes.iter().all(|note| !note.shared))
}

fn is_bare(row: &Row) -> bool {
    matches!(row, Row::Line { notes, .. } if notes.is_empty())
}
