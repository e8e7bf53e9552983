//! The steps of the page: a row of the run each, with all that changes in it.

use crate::rows::{self, Fold, Note, Row, Shown};
use crate::stacks::Stacks;
use crate::text::layout::switch;
use selvedge_program::trace::Position;
use selvedge_program::{Trace, What};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// The number of steps before the first thread that are shown unfolded.
const SHOWN_OF_SET_UP: usize = 6;

pub struct Step {
    pub thread: u32,
    pub at: Position,
    pub function: String,
    pub notes: Vec<Note>,
    pub events: Range<usize>,
    /// Lines before it: switches, and where a run begins to repeat.
    pub before: Vec<String>,
}

pub struct Steps {
    pub steps: Vec<Step>,
    /// Steps that are folded at first, and what they are.
    pub folds: Vec<(Range<usize>, String)>,
    /// A line after the last step.
    pub after: Option<String>,
    /// Places that more than one thread touches; those with most accesses first.
    pub places: Vec<String>,
}

impl Steps {
    pub fn of(trace: &Trace) -> Steps {
        let rows = rows::gather(trace);
        let folds = folds(trace, &rows);
        // From the numbers of rows to those of steps: switches are no steps.
        let mut numbers = Vec::with_capacity(rows.len() + 1);
        let (mut steps, mut before) = (Vec::new(), Vec::new());
        for row in rows {
            numbers.push(steps.len());
            match row {
                Row::Switch { to, why } => before.push(switch(trace, to, &why)),
                Row::Cycle { moves: true } => before.push("from here on the run repeats for ever".to_string()),
                Row::Cycle { moves: false } => before.push("nothing more happens".to_string()),
                Row::Line { thread, at, function, mut notes, events } => {
                    notes.retain(|note| note.shown != Shown::OnRequest);
                    let before = std::mem::take(&mut before);
                    steps.push(Step { thread, at, function, notes, events, before });
                }
                Row::Folded { .. } | Row::LeftOut(_) => {}
            }
        }
        numbers.push(steps.len());
        let folds = folds.into_iter().map(|(rows, text)| (numbers[rows.start]..numbers[rows.end], text)).collect();
        let after = (!before.is_empty()).then(|| before.join("; "));
        Steps { steps, folds, after, places: places(trace) }
    }

    /// The step of an event.
    pub fn with_event(&self, event: usize) -> usize {
        self.steps.partition_point(|step| step.events.end <= event).min(self.steps.len().saturating_sub(1))
    }
}

fn folds(trace: &Trace, rows: &[Row]) -> Vec<(Range<usize>, String)> {
    let creates = |row: &Row| match row {
        Row::Line { events, .. } => {
            trace.events[events.clone()].iter().any(|event| matches!(event.what, What::Create { .. }))
        }
        Row::Switch { .. } => true,
        Row::Cycle { .. } | Row::Folded { .. } | Row::LeftOut(_) => false,
    };
    let set_up = rows.iter().position(creates).filter(|rows| *rows > SHOWN_OF_SET_UP).unwrap_or(0);
    let others = rows::foldable(&rows[set_up..]).into_iter();
    let others = others.map(|(stretch, fold)| {
        let text = match fold {
            Fold::Local(_) => fold.text(),
            Fold::Rounds(_) => format!("{} of the loop", fold.text()),
        };
        (stretch.start + set_up..stretch.end + set_up, text)
    });
    let set_up =
        (set_up > 0).then(|| (0..set_up, format!("set-up: {set_up} lines before the first thread is created")));
    set_up.into_iter().chain(others).collect()
}

fn places(trace: &Trace) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for event in &trace.events {
        if let Some((place, ..)) = shared_access(&event.what) {
            *counts.entry(place).or_default() += 1;
        }
    }
    let mut places: Vec<(&str, usize)> = counts.into_iter().collect();
    places.sort_by_key(|(place, count)| (std::cmp::Reverse(*count), *place));
    places.into_iter().map(|(place, _)| place.to_string()).collect()
}

/// The place, the value, and whether memory changes; only of places that other threads touch, too.
pub fn shared_access(what: &What) -> Option<(&str, &str, bool)> {
    match what {
        What::Read { place, value, shared: true, .. } => Some((place, value, false)),
        What::Write { place, value, shared: true, buffered } => Some((place, value, !buffered)),
        What::Arrive { place, value, shared: true } => Some((place, value, true)),
        What::Read { .. } | What::Write { .. } | What::Arrive { .. } => None,
        What::Enter { .. } | What::Leave { .. } | What::Call { .. } | What::Begin { .. } | What::Input { .. } => None,
        What::Wakes { .. } | What::Create { .. } | What::Exit => None,
        What::Allocate { .. } | What::Free { .. } | What::Local => None,
    }
}

/// The changes of a step, for the page's script. Names are short because there is one record for each step.
#[derive(Serialize)]
pub struct Change {
    /// The thread, the number of the file, and the line.
    t: u32,
    f: Option<usize>,
    l: u32,
    /// Shared variables by number, with their values afterwards; `true`: written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    v: Vec<(usize, String, bool)>,
    /// The thread's calls afterwards, the innermost last: function, number of the file, line.
    c: Vec<(String, Option<usize>, u32)>,
    /// The locks of all threads afterwards, if they have changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    k: Option<Vec<(u32, String)>>,
}

/// The changes of each step. `files` numbers the files.
pub fn changes(trace: &Trace, steps: &Steps, files: &BTreeMap<String, usize>) -> Vec<Change> {
    let numbers: BTreeMap<&str, usize> =
        steps.places.iter().enumerate().map(|(n, place)| (place.as_str(), n)).collect();
    let mut stacks = Stacks::default();
    let mut held: Vec<(u32, String)> = Vec::new();
    let mut locks = trace.locks.iter().peekable();
    let mut changes = Vec::with_capacity(steps.steps.len());
    for step in &steps.steps {
        let mut values: BTreeMap<usize, (String, bool)> = BTreeMap::new();
        for event in &trace.events[step.events.clone()] {
            if let Some((place, value, written)) = shared_access(&event.what) {
                let written = written || values.get(&numbers[place]).is_some_and(|(_, written)| *written);
                values.insert(numbers[place], (value.to_string(), written));
            }
            stacks.follow(event);
        }
        let mut changed = false;
        while let Some(change) = locks.next_if(|change| change.after <= step.events.end) {
            changed = true;
            take_or_give_back(&mut held, change);
        }
        let frames = stacks.of(step.thread).iter();
        changes.push(Change {
            t: step.thread,
            f: files.get(&step.at.file).copied(),
            l: step.at.line,
            v: values.into_iter().map(|(number, (value, written))| (number, value, written)).collect(),
            c: frames.map(|f| (f.function.clone(), files.get(&f.at.file).copied(), f.at.line)).collect(),
            k: changed.then(|| held.clone()),
        });
    }
    changes
}

fn take_or_give_back(held: &mut Vec<(u32, String)>, change: &selvedge_program::trace::LockChange) {
    if change.taken {
        return held.push((change.thread, change.lock.clone()));
    }
    // A lock that another thread has taken is given back for it.
    let own = held.iter().rposition(|(thread, lock)| *thread == change.thread && *lock == change.lock);
    let whose = own.or_else(|| held.iter().rposition(|(_, lock)| *lock == change.lock));
    whose.into_iter().for_each(|index| drop(held.remove(index)));
}
