//! From a solver's model to a schedule: the run in steps of the VM, up to its first violation.

use crate::lazy::encode::{Check, Garbage, Record, What};
use selvedge_formula::Term;
use selvedge_program::schedule::{Input, NewObject};
use selvedge_program::{GlobalId, Schedule, Violation};
use std::collections::BTreeMap;

/// Records in the order of the run, each with the checks that it may name; what uninitialised bytes hold; values in the
/// model. `None`: nothing goes wrong.
pub fn retell<'a>(
    records: impl Iterator<Item = (&'a Record, &'a [Check])>,
    garbage: &[Garbage],
    mut value: impl FnMut(Term) -> u128,
) -> Option<(Schedule, Violation)> {
    let mut objects = Vec::new();
    let mut schedule = Schedule::default();
    // Threads are numbered by creation, which is not the order of the bounded program.
    let mut numbers = BTreeMap::from([(0, 0u32)]);
    for (record, checks) in records {
        if value(record.when) == 0 {
            continue;
        }
        let thread = numbers.get(&record.thread).copied().unwrap_or(record.thread as u32);
        match record.what {
            What::Step => schedule.push(thread, 1),
            What::Spawn { thread } => {
                let next = numbers.len() as u32;
                numbers.insert(thread, next);
            }
            What::Input { value: input } => schedule.inputs.push(Input { thread, value: value(input) }),
            What::Create { object, window } => {
                let contents = contents(garbage, object, &mut value);
                objects.push(NewObject { thread, window: Some(window), contents });
            }
            What::Check(number) => {
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

/// The bytes of an object that nobody wrote, unless they are zero.
fn contents(garbage: &[Garbage], object: GlobalId, value: &mut impl FnMut(Term) -> u128) -> Vec<(u32, Vec<u8>)> {
    let own = garbage.iter().filter(|garbage| garbage.object == object);
    let filled = own.map(|garbage| {
        let bytes = value(garbage.value).to_le_bytes();
        (garbage.at, bytes[..garbage.bytes as usize].to_vec())
    });
    let mut filled: Vec<(u32, Vec<u8>)> = filled.filter(|(_, bytes)| bytes.iter().any(|byte| *byte != 0)).collect();
    filled.sort();
    filled
}
