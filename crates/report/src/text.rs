//! The counterexample as text: threads side by side, time running down.
//!
//! Three steps, one file each: [`crate::rows`] turns events into rows (one for each source line) and folds local
//! ones, [`layout`] places rows in columns, [`paint`] knows colours.

pub(crate) mod layout;
pub(crate) mod paint;

use crate::decisive;
use crate::headline::{one_line, place};
use crate::rows;
use crate::sources::Sources;
use crate::stacks::Stacks;
use paint::Paint;
use selvedge_program::trace::{Position, RacingAccess, Wait};
use selvedge_program::{Event, Trace};

/// The appearance of the output.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The width of the terminal in columns.
    pub width: usize,
    pub colour: bool,
    /// Show every step of a run, including those that no other thread can notice.
    pub everything: bool,
    /// Show only so many lines of the program, those before the violation.
    pub last: Option<usize>,
}

/// The run, followed by the violation.
pub fn counterexample(trace: &Trace, sources: &mut Sources, look: Look) -> String {
    let paint = Paint { on: look.colour };
    let mut rows = rows::rows(trace, look.everything);
    if let Some(last) = look.last {
        rows = rows::last(rows, last);
    }
    let mut text = layout::lay_out(trace, &rows, sources, look.width, paint);
    text.push_str(&violation(trace, paint));
    text.push_str(&callers(trace));
    text.push_str(&waiting(trace));
    text.push_str(&race(trace));
    text.push_str(&decided(trace));
    text
}

/// Where the function that fails was called, if it was. Races and deadlocks name the callers of each thread.
fn callers(trace: &Trace) -> String {
    let is_of_one = trace.race.is_none() && trace.waiting.is_empty() && !trace.violation.property.is_of_runs();
    let stacks = is_of_one.then(|| Stacks::before(trace, trace.events.len()));
    let way = stacks.and_then(|stacks| stacks.way(trace.violation.thread));
    way.map_or_else(String::new, |way| format!("  in {}\n", one_line(&way)))
}

/// The accesses that a person should look at first. Of races, deadlocks and runs without end all is said before.
fn decided(trace: &Trace) -> String {
    if trace.race.is_some() || !trace.waiting.is_empty() || trace.cycle.is_some() {
        return String::new();
    }
    decisive::remarks(trace).iter().map(|remark| format!("  {}\n", remark.text)).collect()
}

fn violation(trace: &Trace, paint: Paint) -> String {
    let what = &trace.violation;
    let mark = paint.bad(&format!("✗ {}", what.property.name()));
    if what.property.is_of_runs() {
        // The violation belongs to the whole run, not to a thread.
        return format!("{mark}: {}\n", one_line(&what.text));
    }
    let place = place(&trace.at).map(|place| format!(" at {place}")).unwrap_or_default();
    format!("{mark}{place}, {}: {}\n", thread_name(trace, what.thread), one_line(&what.text))
}

/// Explains a deadlock: the threads that wait, where, for what, and why in vain.
fn waiting(trace: &Trace) -> String {
    trace.waiting.iter().map(|wait| format!("  {}\n", one_line(&sentence(trace, wait)))).collect()
}

/// Explains a race: what both threads are about to do, where they are, and what they hold.
fn race(trace: &Trace) -> String {
    let Some(race) = &trace.race else { return String::new() };
    let mut text = format!("  both are about to touch {}\n", one_line(&race.place));
    for access in &race.accesses {
        text.push_str(&format!("  {}\n", one_line(&racing(trace, access))));
    }
    let advice = match race.accesses.iter().any(|one| one.access.atomic) {
        true => "an atomic access and one that is not are not ordered: make both atomic, or protect both by one lock",
        false => "a common lock, atomic accesses, or waiting for one another would order them",
    };
    text.push_str(&format!("  {advice}\n"));
    text
}

/// `thread 1 (work) writes `n` (4 bytes) in finish (a.c:8), from work (a.c:17), holding no lock`.
pub(crate) fn racing(trace: &Trace, access: &RacingAccess) -> String {
    let RacingAccess { thread, text, stack, locks, .. } = access;
    let frames = stack.iter().map(|(function, at)| match place(at) {
        Some(at) => format!("{function} ({at})"),
        None => function.clone(),
    });
    let frames: Vec<String> = frames.collect();
    let holds = match locks.as_slice() {
        [] => "no lock".to_string(),
        locks => locks.iter().map(|lock| format!("`{lock}`")).collect::<Vec<_>>().join(", "),
    };
    format!("{} {text} in {}, holding {holds}", thread_name(trace, *thread), frames.join(", from "))
}

pub(crate) fn sentence(trace: &Trace, wait: &Wait) -> String {
    let at = |position: &Position| place(position).unwrap_or_else(|| "an unknown line".to_string());
    let thread = thread_name(trace, wait.thread);
    let mut text = match &wait.what {
        Some(what) => format!("{thread} waits for {what} at {}", at(&wait.at)),
        None => format!("{thread} waits in {} at {}", wait.call, at(&wait.at)),
    };
    if let Some(way) = Stacks::before(trace, trace.events.len()).way_to_call(wait.thread) {
        text.push_str(&format!(" in {way}"));
    }
    for (index, holder) in wait.held_by.iter().enumerate() {
        // A wait without a named object is for the end of a thread.
        let link = match (index, &wait.what) {
            (0, Some(_)) => ", held by ",
            (0, None) => ", for the end of ",
            _ => " and ",
        };
        let who = if holder.thread == wait.thread { "itself".to_string() } else { thread_name(trace, holder.thread) };
        text.push_str(&format!("{link}{who}"));
        if let Some(since) = &holder.since {
            text.push_str(&format!(" since {}", at(since)));
            let taken = |event: &Event| event.thread == holder.thread && event.at == *since;
            let taken = trace.events.iter().rposition(taken);
            if let Some(way) = taken.and_then(|event| Stacks::before(trace, event).way(holder.thread)) {
                text.push_str(&format!(" in {way}"));
            }
        }
        if holder.ended {
            text.push_str(", which has ended");
        }
    }
    if let Some(signal) = &wait.missed_signal {
        text.push_str(&format!("; the signal at {} came before anybody waited", at(signal)));
    }
    text
}

/// `thread 2 (worker)`.
pub(crate) fn thread_name(trace: &Trace, thread: u32) -> String {
    match usize::try_from(thread).ok().and_then(|index| trace.threads.get(index)) {
        Some(routine) => format!("thread {thread} ({})", one_line(routine)),
        None => format!("thread {thread}"),
    }
}
