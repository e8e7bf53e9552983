//! The counterexample as text: threads side by side, time running down.
//!
//! Three steps, one file each: [`rows`] turns events into rows (one a source line) and folds what
//! is local, [`layout`] places rows in columns, [`paint`] knows colours.

mod layout;
pub(crate) mod paint;
mod rows;

use crate::headline::{one_line, place};
use crate::sources::Sources;
use paint::Paint;
use selvedge_program::{Property, Trace};

/// How the output shall look.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Columns of the terminal.
    pub width: usize,
    pub colour: bool,
    /// Every step of a run, also what no other thread can notice.
    pub everything: bool,
}

/// The run, and at its end what went wrong.
pub fn counterexample(trace: &Trace, sources: &mut Sources, look: Look) -> String {
    let paint = Paint { on: look.colour };
    let rows = rows::rows(trace, look.everything);
    let mut text = layout::lay_out(trace, &rows, sources, look.width, paint);
    text.push_str(&violation(trace, paint));
    text.push_str(&waiting(trace, paint));
    text
}

fn violation(trace: &Trace, paint: Paint) -> String {
    let what = &trace.violation;
    let mark = paint.bad(&format!("✗ {}", what.property.name()));
    if what.property == Property::Ltl {
        // A whole run is wrong, not a thread.
        return format!("{mark}: {}\n", one_line(&what.text));
    }
    let place = place(&trace.at).map(|place| format!(" at {place}")).unwrap_or_default();
    format!("{mark}{place}, {}: {}\n", thread_name(trace, what.thread), one_line(&what.text))
}

/// Of a deadlock: who waits where, and for what.
fn waiting(trace: &Trace, paint: Paint) -> String {
    if trace.waiting.is_empty() {
        return String::new();
    }
    let mut table = vec![["thread".to_string(), "waits at".to_string(), "for".to_string()]];
    for (thread, at, what) in &trace.waiting {
        let place = place(at).unwrap_or_else(|| "an unknown line".to_string());
        table.push([thread_name(trace, *thread), place, one_line(what)]);
    }
    let width = |column: usize| table.iter().map(|row| layout::width(&row[column])).max().unwrap_or(0);
    let widths = [width(0), width(1)];
    let mut text = String::new();
    for (index, [thread, place, what]) in table.iter().enumerate() {
        let line = format!("  {}  {}  {what}", layout::pad(thread, widths[0]), layout::pad(place, widths[1]));
        text.push_str(&if index == 0 { paint.faint(&line) } else { line });
        text.push('\n');
    }
    text
}

/// `thread 2 (worker)`.
fn thread_name(trace: &Trace, thread: u32) -> String {
    match usize::try_from(thread).ok().and_then(|index| trace.threads.get(index)) {
        Some(routine) => format!("thread {thread} ({})", one_line(routine)),
        None => format!("thread {thread}"),
    }
}
