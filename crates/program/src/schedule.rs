//! A run in a few bytes: which thread runs for how many steps, and what the inputs were.
//!
//! A *step* is an operation for which [`crate::Op::is_step`] holds, a return from a function that
//! has stack objects (it ends them), and the return of a thread's start function. An atomic section is one
//! step, whatever it does. A slice `(t, n)` lets thread t
//! execute n of them and then everything up to, not including, its next one. The last slice runs on until
//! the violation shows. Inputs are the values of `Nondet` operations and of reads of uninitialised
//! memory, each with the thread that asks, in the order in which that thread meets them.
//!
//! A run without end has a cycle behind a bar: `v2;0*12|1*5,0*3;`.
//!
//! The text form is short enough to paste: `v2;0*12,1*5,0*3;0:7,1:0`.

use crate::{Property, Violation};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Slice {
    pub thread: u32,
    pub steps: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input {
    pub thread: u32,
    pub value: u128,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schedule {
    pub slices: Vec<Slice>,
    pub inputs: Vec<Input>,
    /// Of a run without end: the slices from this one on repeat for ever. None are left: the run ends there, because
    /// the process does or nobody can go on.
    pub cycle: Option<usize>,
}

impl Schedule {
    /// Appends steps of `thread`, to the last slice where it is the same thread.
    pub fn push(&mut self, thread: u32, steps: u64) {
        let cycle_begins = self.cycle == Some(self.slices.len());
        match self.slices.last_mut() {
            Some(last) if last.thread == thread && !cycle_begins => last.steps += steps,
            _ => self.slices.push(Slice { thread, steps }),
        }
    }

    /// What is appended from now on repeats for ever.
    pub fn begin_cycle(&mut self) {
        self.cycle = Some(self.slices.len());
    }

    /// How often the running thread changes on the way to a violation. Somebody who waits for ever, and is only named at
    /// the end of a deadlock, does not run.
    pub fn switches(&self, violation: &Violation) -> usize {
        let only_names = |last: &Slice| violation.property == Property::Deadlock && last.steps == 0;
        let named = usize::from(self.slices.last().is_some_and(only_names));
        (self.slices.len() - named).saturating_sub(1)
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |slices: &[Slice]| -> String {
            slices.iter().map(|s| format!("{}*{}", s.thread, s.steps)).collect::<Vec<_>>().join(",")
        };
        let slices = match self.cycle.and_then(|cycle| self.slices.split_at_checked(cycle)) {
            Some((prefix, cycle)) => format!("{}|{}", text(prefix), text(cycle)),
            None => text(&self.slices),
        };
        let inputs: Vec<String> = self.inputs.iter().map(|i| format!("{}:{}", i.thread, i.value)).collect();
        write!(f, "v2;{slices};{}", inputs.join(","))
    }
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a schedule: {0}")]
pub struct ScheduleError(String);

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Schedule, ScheduleError> {
        let text = text.trim();
        let mut parts = text.split(';');
        if parts.next() != Some("v2") {
            return Err(ScheduleError("it does not begin with `v2;`".into()));
        }
        let (Some(slices), Some(inputs), None) = (parts.next(), parts.next(), parts.next()) else {
            return Err(ScheduleError("it needs two parts after `v2`, each behind a `;`".into()));
        };
        let (prefix, cycle) = slices.split_once('|').map_or((slices, None), |(prefix, cycle)| (prefix, Some(cycle)));
        let begin = cycle.map(|_| items(prefix).count());
        let slices = items(prefix)
            .chain(items(cycle.unwrap_or_default()))
            .map(|item| {
                let slice = item.split_once('*').and_then(|(thread, steps)| {
                    Some(Slice { thread: thread_number(thread)?, steps: steps.parse().ok()? })
                });
                slice.ok_or_else(|| ScheduleError(format!("`{item}` is not `thread*steps`")))
            })
            .collect::<Result<_, _>>()?;
        let inputs = items(inputs)
            .map(|item| {
                let input = item.split_once(':').and_then(|(thread, value)| {
                    Some(Input { thread: thread_number(thread)?, value: value.parse().ok()? })
                });
                input.ok_or_else(|| ScheduleError(format!("`{item}` is not `thread:input`")))
            })
            .collect::<Result<_, _>>()?;
        Ok(Schedule { slices, inputs, cycle: begin })
    }
}

fn thread_number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number| *number < u32::from(u16::MAX))
}

fn items(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').filter(|item| !item.is_empty())
}

impl Serialize for Schedule {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Schedule, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_reads_back() {
        let inputs = vec![Input { thread: 0, value: 7 }, Input { thread: 1, value: 0 }];
        let mut schedule = Schedule { inputs, ..Schedule::default() };
        schedule.push(0, 10);
        schedule.push(0, 2);
        schedule.push(1, 5);
        assert_eq!(schedule.to_string(), "v2;0*12,1*5;0:7,1:0");
        assert_eq!("v2;0*12,1*5;0:7,1:0".parse(), Ok(schedule));
    }

    #[test]
    fn cycles_read_back() {
        let mut schedule = Schedule::default();
        schedule.push(0, 3);
        schedule.begin_cycle();
        assert_eq!(schedule.to_string(), "v2;0*3|;");
        assert_eq!("v2;0*3|;".parse(), Ok(schedule.clone()));
        schedule.push(0, 2);
        schedule.push(0, 1);
        assert_eq!(schedule.to_string(), "v2;0*3|0*3;");
        assert_eq!("v2;0*3|0*3;".parse(), Ok(schedule));
    }

    #[test]
    fn corrupt_ones_are_refused() {
        for text in ["", "v1;;", "v2;0*1", "v2;0x1;", "v2;0*1;a", "v2;0*1;7", "v2;-1*1;", "v2;0*1|0*1|0*1;", "v2;0*1;;"]
        {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
    }
}
