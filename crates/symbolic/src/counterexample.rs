//! From a solver's model to a counterexample: the run in steps of the VM, up to its first violation.

use crate::lazy::encode::{EventKind, Record, Uninitialised};
use selvedge_formula::Term;
use selvedge_program::schedule::{Input, NewObject};
use selvedge_program::{GlobalId, Schedule, Violation};
use std::collections::BTreeMap;

/// A run, and what goes wrong at its end.
pub type Counterexample = (Schedule, Violation);

/// The records along the run, in order; uninitialised bytes; values in the model. `None`: nothing goes wrong.
pub fn from_model<'a>(
    records: impl IntoIterator<Item = &'a Record>,
    uninitialised: &[Uninitialised],
    mut value: impl FnMut(Term) -> u128,
) -> Option<Counterexample> {
    let mut objects = Vec::new();
    let mut schedule = Schedule::default();
    // Threads are numbered by creation, which is not the order of the bounded program.
    let mut numbers = BTreeMap::from([(0, 0u32)]);
    // The steps that each thread has taken, and those in which it made the stores that may wait.
    let (mut steps, mut made) = (BTreeMap::new(), BTreeMap::new());
    let events = records.into_iter().flat_map(|record| record.events.iter().map(|event| (event, &record.checks)));
    for (event, checks) in events {
        if value(event.when) == 0 {
            continue;
        }
        let thread = numbers.get(&event.thread).copied().unwrap_or(event.thread as u32);
        match event.kind {
            EventKind::Step => {
                schedule.push(thread, 1);
                *steps.entry(thread).or_insert(0) += 1;
            }
            EventKind::Store { store } => {
                made.insert((thread, store), steps[&thread]);
            }
            EventKind::Arrival { store } => schedule.push_flush(thread, made[&(thread, store)]),
            EventKind::ArrivesAtOnce => schedule.push_flush(thread, steps[&thread]),
            EventKind::Spawn { thread } => {
                let next = numbers.len() as u32;
                numbers.insert(thread, next);
            }
            EventKind::Input { value: input } => schedule.inputs.push(Input { thread, value: value(input) }),
            EventKind::Create { object, window } => {
                let contents = contents(uninitialised, object, &mut value);
                objects.push(NewObject { thread, window: Some(window), contents });
            }
            EventKind::Check(number) => {
                let check = &checks[number];
                let (property, text, loc) = (check.property, check.text.clone(), check.loc);
                schedule.push(thread, 0);
                schedule.objects = Some(objects);
                return Some((schedule, Violation { property, text, loc, thread }));
            }
        }
    }
    None
}

/// All terms whose values make the counterexample.
pub fn terms<'a>(records: impl IntoIterator<Item = &'a Record>, uninitialised: &[Uninitialised]) -> Vec<Term> {
    let events = records.into_iter().flat_map(|record| &record.events);
    let of_events = events.flat_map(|event| match event.kind {
        EventKind::Input { value } => [Some(event.when), Some(value)],
        EventKind::Step
        | EventKind::Spawn { .. }
        | EventKind::Create { .. }
        | EventKind::Store { .. }
        | EventKind::Arrival { .. }
        | EventKind::ArrivesAtOnce
        | EventKind::Check(_) => [Some(event.when), None],
    });
    of_events.flatten().chain(uninitialised.iter().map(|piece| piece.value)).collect()
}

/// The bytes of an object that were never written, unless they are zero.
fn contents(
    uninitialised: &[Uninitialised],
    object: GlobalId,
    value: &mut impl FnMut(Term) -> u128,
) -> Vec<(u32, Vec<u8>)> {
    let own = uninitialised.iter().filter(|piece| piece.object == object);
    let filled = own.map(|piece| {
        let bytes = value(piece.value).to_le_bytes();
        (piece.at, bytes[..piece.bytes as usize].to_vec())
    });
    let mut filled: Vec<(u32, Vec<u8>)> = filled.filter(|(_, bytes)| bytes.iter().any(|byte| *byte != 0)).collect();
    filled.sort();
    filled
}
