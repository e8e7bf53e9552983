//! The steps in which buffered stores were made. Schedules name stores by them, states do not have them: whoever
//! follows a run keeps them beside it.

use super::flush::Flush;
use super::late::BufferEvent;
use crate::machine::Machine;
use crate::oracle::Oracle;

/// For each thread the steps that it has taken, and those of its buffered stores, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct StepNumbers {
    threads: Vec<(u64, Vec<u64>)>,
}

/// A store that left a full buffer within a step that was taken: before which of its parts, and which store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forced {
    /// The steps of the transition that come before it.
    pub after: u64,
    /// The step in which the store was made.
    pub made: u64,
}

impl StepNumbers {
    fn of(&mut self, thread: usize) -> &mut (u64, Vec<u64>) {
        if self.threads.len() <= thread {
            self.threads.resize(thread + 1, (0, Vec::new()));
        }
        &mut self.threads[thread]
    }

    /// The machine has taken a step of `thread`, or flushed a store of it. Tells which stores had to make room.
    pub fn follow<O: Oracle>(&mut self, thread: usize, machine: &mut Machine<'_, O>) -> Vec<Forced> {
        let (before, _) = *self.of(thread);
        let mut forced = Vec::new();
        for event in std::mem::take(&mut machine.buffer_events) {
            match event {
                BufferEvent::Made { step } => self.of(thread).1.push(before + step),
                BufferEvent::Left { thread, number } => {
                    self.of(thread).1.remove(number);
                }
                BufferEvent::MadeRoom { number, step } => {
                    let made = self.of(thread).1.remove(number);
                    forced.push(Forced { after: step - 1, made });
                }
            }
        }
        self.of(thread).0 += machine.steps;
        forced
    }

    /// The step in which a store was made.
    pub fn step(&self, flush: Flush) -> Option<u64> {
        self.threads.get(flush.thread)?.1.get(flush.number).copied()
    }

    /// The store that a thread made in its step of this number, if it is still buffered.
    pub fn store(&self, thread: usize, step: u64) -> Option<Flush> {
        let number = self.threads.get(thread)?.1.iter().position(|made| *made == step)?;
        Some(Flush { thread, number })
    }

    /// The steps that a thread has taken.
    pub fn taken(&self, thread: usize) -> u64 {
        self.threads.get(thread).map_or(0, |(taken, _)| *taken)
    }
}
