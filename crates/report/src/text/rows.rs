//! From events to rows: the events of one source line become one row, context switches become rows
//! of their own, and long stretches that no other thread can notice become one.

use crate::headline::one_line;
use selvedge_program::trace::Position;
use selvedge_program::{Event, Trace, What};

/// More local rows than this in a row are folded.
const SHOWN_LOCAL_ROWS: usize = 3;

/// So many rows just before the violation are shown even if local: they usually explain it.
const SHOWN_AT_THE_END: usize = 3;

pub enum Row {
    Line {
        thread: u32,
        at: Position,
        function: String,
        notes: Vec<Note>,
    },
    /// The running thread changes to `to`.
    Switch {
        to: u32,
        why: Left,
    },
    Folded {
        thread: u32,
        steps: usize,
    },
}

/// What happened on a line.
#[derive(Clone, PartialEq, Eq)]
pub struct Note {
    pub text: String,
    /// Other threads notice.
    pub shared: bool,
    pub times: usize,
}

/// Why the previous thread stopped running.
pub enum Left {
    /// It could have gone on.
    Preempted(u32),
    /// It was last seen at a modelled function, which may be done or still waiting inside.
    InCall(u32, String),
    /// It waits, and does so to the end.
    Blocked(u32),
    Ended(u32),
}

pub fn rows(trace: &Trace) -> Vec<Row> {
    fold(gather(&trace.events))
}

/// One row a line, and the switches between them.
fn gather(events: &[Event]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut previous: Option<&Event> = None;
    for event in events {
        if let Some(previous) = previous
            && previous.thread != event.thread
        {
            rows.push(Row::Switch { to: event.thread, why: left(previous) });
        }
        previous = Some(event);
        let same_line = matches!(rows.last(), Some(Row::Line { thread, at, function, .. })
            if *thread == event.thread && at.line == event.at.line && at.file == event.at.file
                && *function == event.function);
        if !same_line {
            rows.push(Row::Line {
                thread: event.thread,
                at: event.at.clone(),
                function: event.function.clone(),
                notes: Vec::new(),
            });
        }
        if let (Some(Row::Line { notes, .. }), Some(note)) = (rows.last_mut(), note(&event.what)) {
            match notes.last_mut() {
                Some(last) if last.text == note.text => last.times += 1,
                _ => notes.push(note),
            }
        }
    }
    rows
}

fn left(last: &Event) -> Left {
    match &last.what {
        What::Call { function, .. } => Left::InCall(last.thread, one_line(function)),
        What::Blocked { .. } => Left::Blocked(last.thread),
        What::Exit => Left::Ended(last.thread),
        _ => Left::Preempted(last.thread),
    }
}

fn note(what: &What) -> Option<Note> {
    let (text, shared) = match what {
        What::Read { place, value, shared } => (format!("reads {place} = {value}"), *shared),
        What::Write { place, value, shared } => (format!("writes {place} = {value}"), *shared),
        What::Enter { function, arguments } => (format!("enters {function}({})", arguments.join(", ")), false),
        What::Leave { value: Some(value) } => (format!("returns {value}"), false),
        What::Leave { value: None } => ("returns".to_string(), false),
        What::Call { function, arguments, result } => {
            let result = result.as_ref().map(|value| format!(" = {value}")).unwrap_or_default();
            (format!("{function}({}){result}", arguments.join(", ")), true)
        }
        What::Blocked { function, arguments } => {
            (format!("{function}({}) does not return", arguments.join(", ")), true)
        }
        What::Input { source, value } => (format!("input {source} = {value}"), true),
        What::Create { thread, function } => (format!("creates thread {thread} ({function})"), true),
        What::Exit => ("thread ends".to_string(), true),
        What::Allocate { object, bytes } => (format!("allocates {object}, {bytes} bytes"), false),
        // Other threads may still hold pointers to it.
        What::Free { object } => (format!("frees {object}"), true),
        What::Local => return None,
    };
    Some(Note { text: one_line(&text), shared, times: 1 })
}

/// Replaces long stretches of local rows.
fn fold(rows: Vec<Row>) -> Vec<Row> {
    let keep_from = rows.len().saturating_sub(SHOWN_AT_THE_END);
    let mut folded = Vec::with_capacity(rows.len());
    let mut stretch: Vec<Row> = Vec::new();
    for (index, row) in rows.into_iter().enumerate() {
        if index < keep_from && is_local(&row) {
            stretch.push(row);
        } else {
            close(&mut stretch, &mut folded);
            folded.push(row);
        }
    }
    close(&mut stretch, &mut folded);
    folded
}

/// Switches are no local rows, so a stretch is of one thread.
fn close(stretch: &mut Vec<Row>, rows: &mut Vec<Row>) {
    match stretch.first() {
        Some(Row::Line { thread, .. }) if stretch.len() > SHOWN_LOCAL_ROWS => {
            rows.push(Row::Folded { thread: *thread, steps: stretch.len() });
            stretch.clear();
        }
        _ => rows.append(stretch),
    }
}

fn is_local(row: &Row) -> bool {
    matches!(row, Row::Line { notes, .. } if notes.iter().all(|note| !note.shared))
}
