//! Evidence of a solver: an encoder records what may happen along a run, and under which condition; a model says what
//! does. The run is told in steps of the VM, up to its first violation. `T` is a term, whose value the model knows.

use super::Counterexample;
use selvedge_program::schedule::{Input, NewObject};
use selvedge_program::{GlobalId, Loc, Property, Schedule, Violation};
use std::collections::BTreeMap;

/// A condition under which the program is wrong.
#[derive(Clone, Debug)]
pub struct Check<T> {
    pub condition: T,
    /// Does a run get here at all?
    pub reached: T,
    pub property: Property,
    pub text: String,
    pub loc: Loc,
}

/// Something that a run is told by.
#[derive(Clone, Copy, Debug)]
pub struct Event<T> {
    pub thread: usize,
    /// Does it happen?
    pub when: T,
    pub kind: EventKind<T>,
}

#[derive(Clone, Copy, Debug)]
pub enum EventKind<T> {
    /// A step of a schedule.
    Step,
    Spawn {
        thread: usize,
    },
    Input {
        value: T,
    },
    /// An object begins to exist, in this window of the address space.
    Create {
        object: GlobalId,
        window: u64,
    },
    /// The thread's last step has made a store that may wait, with this number.
    Store {
        store: usize,
    },
    /// A store that the thread has made reaches memory.
    Arrival {
        store: usize,
    },
    /// The store that the thread's last step has made reaches memory.
    ArrivesAtOnce,
    /// A number of the checks that were recorded with the event.
    Check(usize),
}

/// Uninitialised bytes. They hold the same in all runs in which the object begins to exist, and a copy is equal to
/// what it was copied from.
#[derive(Clone, Copy, Debug)]
pub struct Uninitialised<T> {
    pub object: GlobalId,
    pub at: u32,
    pub bytes: u32,
    /// A variable.
    pub value: T,
}

/// The run that happens in a model: records of events with their checks, in order; uninitialised bytes; values in the
/// model. `None`: nothing goes wrong.
pub fn of_model<'a, T: Copy + 'a>(
    records: impl IntoIterator<Item = (&'a [Event<T>], &'a [Check<T>])>,
    uninitialised: &[Uninitialised<T>],
    mut value: impl FnMut(T) -> u128,
) -> Option<Counterexample> {
    let mut objects = Vec::new();
    let mut schedule = Schedule::default();
    // Threads are numbered by creation, which is not the order of the bounded program.
    let mut numbers = BTreeMap::from([(0, 0u32)]);
    // The steps that each thread has taken, and those in which it made the stores that may wait.
    let (mut steps, mut made) = (BTreeMap::new(), BTreeMap::new());
    let events = records.into_iter().flat_map(|(events, checks)| events.iter().map(move |event| (event, checks)));
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
                return Some(Counterexample { schedule, violation: Violation { property, text, loc, thread } });
            }
        }
    }
    None
}

/// All terms whose values make the counterexample.
pub fn terms<'a, T: Copy + 'a>(
    events: impl IntoIterator<Item = &'a Event<T>>,
    uninitialised: &[Uninitialised<T>],
) -> Vec<T> {
    let of_events = events.into_iter().flat_map(|event| match event.kind {
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
fn contents<T: Copy>(
    uninitialised: &[Uninitialised<T>],
    object: GlobalId,
    value: &mut impl FnMut(T) -> u128,
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
