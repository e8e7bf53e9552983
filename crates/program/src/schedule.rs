//! A run in a few bytes: which thread runs for how many steps, and what the inputs were.
//!
//! A *step* is an operation for which [`crate::Op::is_step`] holds, a return from a function that
//! has stack objects (it ends them), and the return of a thread's start function. An atomic section is one
//! step, whatever it does. A slice `(t, n)` lets thread t
//! execute n of them and then everything up to, not including, its next one. The last slice runs on until
//! the violation shows. Inputs are the values of `Nondet` operations and of reads of uninitialised
//! memory, each with the thread that asks, in the order in which that thread meets them.
//!
//! Uninitialised memory is an input where it is first read or copied. A schedule may instead say what each new object
//! holds, and where it lies: *objects*, with the thread that makes them, in the order in which it does (a thread's
//! thread-locals come first). Then nothing uninitialised is left to ask for, so that the two cannot get out of step.
//! They stand in a third part: `0@` is an object of thread 0 that holds zeros, `0@134=8.ff01` one in window 134 of the
//! address space ([`crate::pointers`]) that holds ff 01 from byte 8 on.
//!
//! Under a memory model with store buffers, stores wait there until the thread drains its buffer. One that reaches
//! memory earlier is a slice of its own: `1^5` is the store that thread 1 made in its fifth step.
//!
//! A run without end has a cycle behind a bar: `v2;0*12|1*5,0*3;`.
//!
//! The text form is short enough to paste: `v2;0*12,1*5,0*3;0:7,1:0`.

use crate::{Property, Violation};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    pub thread: u32,
    pub action: Action,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// The thread takes so many steps.
    Steps(u64),
    /// The store that the thread made in its step of this number, counted from 1, reaches memory, and so do before it
    /// those that cannot come later ([`crate::memory_model`]).
    Flush(u64),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input {
    pub thread: u32,
    pub value: u128,
}

/// An object that a thread makes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NewObject {
    pub thread: u32,
    /// Its window of the address space; the machine decides if nobody else does.
    pub window: Option<u64>,
    /// Bytes that are not zero, by offset.
    pub contents: Vec<(u32, Vec<u8>)>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schedule {
    pub slices: Vec<Slice>,
    pub inputs: Vec<Input>,
    /// The contents of new objects. `None`: uninitialised bytes are among the inputs.
    pub objects: Option<Vec<NewObject>>,
    /// In a run without end: the slices from this one on repeat for ever. None are left: the run ends there, because
    /// the process does or nobody can go on.
    pub cycle: Option<usize>,
}

impl Schedule {
    /// Appends steps of `thread`, to the last slice where it is the same thread.
    pub fn push(&mut self, thread: u32, steps: u64) {
        let cycle_begins = self.cycle == Some(self.slices.len());
        match self.slices.last_mut() {
            Some(Slice { thread: last, action: Action::Steps(taken) }) if *last == thread && !cycle_begins => {
                *taken += steps;
            }
            _ => self.slices.push(Slice { thread, action: Action::Steps(steps) }),
        }
    }

    /// Appends that the store which the thread made in its step of this number reaches memory.
    pub fn push_flush(&mut self, thread: u32, step: u64) {
        self.slices.push(Slice { thread, action: Action::Flush(step) });
    }

    /// This run, with objects where the machine puts them. It need not be possible: the program may look at addresses.
    pub fn without_addresses(&self) -> Schedule {
        let mut schedule = self.clone();
        if let Some(objects) = &mut schedule.objects {
            objects.iter_mut().for_each(|object| object.window = None);
            let holds = |object: &NewObject| !object.contents.is_empty();
            objects.truncate(objects.iter().rposition(holds).map_or(0, |last| last + 1));
        }
        schedule
    }

    /// Shorter schedules that probably are the same run, the shortest first: most programs look neither at addresses
    /// nor at uninitialised memory.
    pub fn shorter(&self) -> Vec<Schedule> {
        let Some(objects) = &self.objects else { return Vec::new() };
        let is_empty = objects.iter().all(|object| object.contents.is_empty());
        let plain = is_empty.then(|| Schedule { objects: None, ..self.clone() });
        plain.into_iter().chain([self.without_addresses()]).collect()
    }

    /// Slices that are appended from now on repeat for ever.
    pub fn begin_cycle(&mut self) {
        self.cycle = Some(self.slices.len());
    }

    /// How often the running thread changes on the way to a violation. Somebody who waits for ever, and is only named
    /// at the end of a deadlock, does not run.
    pub fn switches(&self, violation: &Violation) -> usize {
        let only_names = |last: &Slice| violation.property == Property::Deadlock && last.action == Action::Steps(0);
        let named = usize::from(self.slices.last().is_some_and(only_names));
        let runs = self.slices[..self.slices.len() - named].iter();
        let threads: Vec<u32> =
            runs.filter(|slice| matches!(slice.action, Action::Steps(_))).map(|slice| slice.thread).collect();
        threads.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }

    /// How often a new round begins. It does where a thread runs that comes before the last; main begins, and is last
    /// in every round.
    pub fn rounds(&self) -> usize {
        let place = |thread: u32| thread.checked_sub(1).unwrap_or(u32::MAX);
        self.slices.windows(2).filter(|pair| place(pair[1].thread) < place(pair[0].thread)).count()
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |slices: &[Slice]| slices.iter().map(Slice::to_string).collect::<Vec<_>>().join(",");
        let slices = match self.cycle.and_then(|cycle| self.slices.split_at_checked(cycle)) {
            Some((prefix, cycle)) => format!("{}|{}", text(prefix), text(cycle)),
            None => text(&self.slices),
        };
        let inputs: Vec<String> = self.inputs.iter().map(|i| format!("{}:{}", i.thread, i.value)).collect();
        write!(f, "v2;{slices};{}", inputs.join(","))?;
        match &self.objects {
            None => Ok(()),
            Some(objects) => {
                let objects: Vec<String> = objects.iter().map(NewObject::to_string).collect();
                write!(f, ";{}", objects.join(","))
            }
        }
    }
}

impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.action {
            Action::Steps(steps) => write!(f, "{}*{steps}", self.thread),
            Action::Flush(step) => write!(f, "{}^{step}", self.thread),
        }
    }
}

impl Slice {
    fn parse(text: &str) -> Option<Slice> {
        let (thread, action) = match text.split_once('^') {
            Some((thread, step)) => (thread, Action::Flush(step.parse().ok().filter(|step| *step > 0)?)),
            None => {
                let (thread, steps) = text.split_once('*')?;
                (thread, Action::Steps(steps.parse().ok()?))
            }
        };
        Some(Slice { thread: thread_number(thread)?, action })
    }
}

impl fmt::Display for NewObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@", self.thread)?;
        if let Some(window) = self.window {
            write!(f, "{window}")?;
        }
        for (at, bytes) in &self.contents {
            write!(f, "={at}.")?;
            bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        }
        Ok(())
    }
}

impl NewObject {
    fn parse(text: &str) -> Option<NewObject> {
        let (thread, rest) = text.split_once('@')?;
        let mut parts = rest.split('=');
        let window = match parts.next()? {
            "" => None,
            window => Some(window.parse().ok()?),
        };
        let contents = parts.map(|part| {
            let (at, bytes) = part.split_once('.')?;
            let byte = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
            let bytes = bytes.as_bytes().chunks(2).map(byte).collect::<Option<Vec<u8>>>()?;
            Some((at.parse().ok()?, bytes))
        });
        Some(NewObject { thread: thread_number(thread)?, window, contents: contents.collect::<Option<_>>()? })
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
        let (Some(slices), Some(inputs), objects, None) = (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(ScheduleError("it needs two or three parts after `v2`, each behind a `;`".into()));
        };
        let (prefix, cycle) = slices.split_once('|').map_or((slices, None), |(prefix, cycle)| (prefix, Some(cycle)));
        let begin = cycle.map(|_| items(prefix).count());
        let slices = items(prefix)
            .chain(items(cycle.unwrap_or_default()))
            .map(|item| {
                let expected = || ScheduleError(format!("`{item}` is neither `thread*steps` nor `thread^step`"));
                Slice::parse(item).ok_or_else(expected)
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
        let object = |item: &str| {
            NewObject::parse(item).ok_or_else(|| ScheduleError(format!("`{item}` is not `thread@window=offset.bytes`")))
        };
        let objects = objects.map(|objects| items(objects).map(object).collect::<Result<_, _>>()).transpose()?;
        Ok(Schedule { slices, inputs, objects, cycle: begin })
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
    fn flushes_read_back_and_are_no_switches() {
        let mut schedule = Schedule::default();
        schedule.push(0, 3);
        schedule.push(1, 1);
        schedule.push_flush(0, 3);
        schedule.push(1, 2);
        assert_eq!(schedule.to_string(), "v2;0*3,1*1,0^3,1*2;");
        assert_eq!("v2;0*3,1*1,0^3,1*2;".parse(), Ok(schedule.clone()));
        let violation =
            Violation { property: Property::Assertion, text: String::new(), loc: crate::SourceMap::NOWHERE, thread: 1 };
        assert_eq!(schedule.switches(&violation), 1);
    }

    #[test]
    fn objects_read_back() {
        let text = "v2;0*3;0:7;0@,1@134=0.ff=8.0102,0@=4.00";
        let schedule: Schedule = text.parse().expect("a schedule");
        assert_eq!(schedule.to_string(), text);
        assert_eq!(schedule.without_addresses().to_string(), "v2;0*3;0:7;0@,1@=0.ff=8.0102,0@=4.00");
        let nothing: Schedule = "v2;0*3;;0@7,1@8".parse().expect("a schedule");
        assert_eq!(nothing.without_addresses().to_string(), "v2;0*3;;");
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
        for text in [
            "",
            "v1;;",
            "v2;0*1",
            "v2;0x1;",
            "v2;0^0;",
            "v2;0^;",
            "v2;0*1;a",
            "v2;0*1;7",
            "v2;-1*1;",
            "v2;0*1|0*1|0*1;",
            "v2;0*1;;;",
            "v2;0*1;;a@",
            "v2;0*1;;0@1=2",
            "v2;0*1;;0@1=2.xy",
        ] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
    }
}
