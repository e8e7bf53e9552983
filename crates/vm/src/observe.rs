//! Runs a function to its end in a state, without changing the state: for invariants, propositions, abstractions.
//!
//! The function runs as a thread of its own without interruption, and then everything is restored. Its reads are
//! recorded, so that a later call can tell whether the answer is still the same ([`crate::observer_cache`]),
//! and so that writes to these places become visible steps ([`crate::sharing`]).
//!
//! If the answer depends on an input that is still open, the oracle chooses a part of its values, as in any
//! other choice, and the state keeps that part.

use crate::describe;
use crate::heap_names::HeapNames;
use crate::machine::Machine;
use crate::memory::Spot;
use crate::oracle::{Ended, Oracle, Stopped};
use crate::sharing::Sharing;
use crate::state::{State, Thread};
use selvedge_program::{Intrinsic, Loc, Observer, Reason};

/// The number of backward jumps after which a function is considered endless.
const FUEL: u32 = 1 << 20;

/// Memory accesses, in order.
#[derive(Default)]
pub(crate) struct Log(Vec<Access>);

struct Access {
    spot: Spot,
    bytes: usize,
    write: bool,
    loc: Loc,
}

/// A read of at most 8 bytes, with their value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    pub spot: Spot,
    pub bytes: usize,
    pub value: u64,
}

/// The result of an observer in a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObserverAnswer {
    /// The returned value; 0 for a function without a result.
    pub value: u64,
    /// The bytes that it wrote to variables, in order, each with its place.
    pub written: Vec<u64>,
}

#[derive(Clone, Debug, Default)]
pub struct Observation {
    pub answer: ObserverAnswer,
    /// Everything that the answer depends on, in the order in which it was read.
    pub reads: Vec<Read>,
    /// Whether some of these bytes hold open inputs.
    pub is_open: bool,
}

/// Whether the function may write to variables, which are restored in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    Never,
    ToVariables,
}

impl<O: Oracle> Machine<'_, O> {
    pub fn observe(&mut self, observer: &Observer, writes: Writes) -> Result<Observation, Reason> {
        let before = self.state.clone();
        let (steps, narrowed) = (self.steps, std::mem::take(&mut self.narrowed));
        let sharing = std::mem::replace(&mut self.sharing, Sharing::everything());
        self.log = Some(Box::default());
        let result = self.run_observer(observer);
        let log = self.log.take().unwrap_or_default();
        self.sharing = sharing;
        let after = std::mem::replace(&mut self.state, before);
        let narrowed = std::mem::replace(&mut self.narrowed, narrowed);
        self.steps = steps;
        let observation = result
            .and_then(|value| self.conclude(value, &after, &log, writes))
            .map_err(|does| does.reason(&observer.name))?;
        if !narrowed.is_empty() {
            narrowed.into_iter().for_each(|narrowed| self.state.narrow(narrowed));
            self.state.tidy_symbols();
        }
        Ok(observation)
    }

    fn run_observer(&mut self, observer: &Observer) -> Result<u64, Wrong> {
        let number = self.state.threads.len();
        let symbols = self.state.late_inputs.symbol_count();
        let mut thread = self.new_thread(observer.function, &[]);
        // Nothing is interrupted inside an atomic section.
        thread.stack[0] = Thread::status(1, 1);
        self.state.threads.push(thread);
        self.enter(number);
        // Keep the fuel of the program's own step: its effort is asked for later.
        let fuel = std::mem::replace(&mut self.fuel, FUEL);
        self.returned = None;
        let result = self.run();
        self.fuel = fuel;
        let at = self.code.program.source.describe(self.user_loc());
        let made_input = self.state.late_inputs.symbol_count() > symbols;
        self.leave();
        match result {
            _ if made_input => does(format!("it uses an input or memory that was never written, at {at}")),
            Ok(Ended::Finished) => Ok(self.returned.unwrap_or(0)),
            Ok(Ended::Paused) => does(format!("it does not come to an end, at {at}")),
            Ok(Ended::Exited) => does("it ends the process".to_string()),
            Err(Stopped::Blocked) => does(format!("it blocks, at {at}")),
            Err(Stopped::Infeasible | Stopped::Unchecked { .. }) => does(format!("it cannot go on, at {at}")),
            Err(Stopped::Violation(violation)) => does(format!("it {}, at {at}", violation.text)),
            Err(Stopped::GaveUp(Reason::Observer { does, .. })) => Err(Wrong::Does(does)),
            Err(Stopped::GaveUp(reason)) => Err(Wrong::Limit(reason)),
        }
    }

    /// Evaluates the log. The machine is in its old state again; `after` is the state that the function left.
    fn conclude(&self, value: u64, after: &State, log: &Log, writes: Writes) -> Result<Observation, Wrong> {
        let number = self.state.threads.len();
        if after.threads.len() > number + 1 {
            return does("it creates a thread".to_string());
        }
        let mut written: Vec<(usize, usize)> = Vec::new();
        let mut reads = Vec::new();
        let mut open = false;
        for Access { spot, bytes, write, loc } in &log.0 {
            match (*spot, *write) {
                (Spot::Constant { .. }, _) => {}
                (Spot::Object { thread, .. }, _) if thread == number => {}
                (Spot::Variable { at }, true) if writes == Writes::ToVariables => written.push((at, *bytes)),
                (spot, true) => {
                    let (place, _) =
                        describe::place((self.code, &self.state, &HeapNames::default()), spot, *bytes as u64, None);
                    return does(format!("it writes to `{place}`, at {}", self.code.program.source.describe(*loc)));
                }
                (Spot::Variable { at }, false) if covered(&written, at, *bytes) => {}
                (spot, false) => {
                    open |= !self.state.late_inputs.is_empty() && self.has_symbol(spot, *bytes);
                    reads.extend(self.pieces(spot, *bytes));
                }
            }
        }
        let objects = |state: &State| state.threads.iter().take(number).map(|t| t.objects.clone()).collect::<Vec<_>>();
        if objects(after) != objects(&self.state) {
            return does("it frees memory of the program".to_string());
        }
        let answer = ObserverAnswer { value, written: bytes_of(after, written) };
        Ok(Observation { answer, reads, is_open: open })
    }

    fn pieces(&self, spot: Spot, bytes: usize) -> impl Iterator<Item = Read> {
        (0..bytes).step_by(8).map(move |from| {
            let (spot, bytes) = (spot.advanced(from), (bytes - from).min(8));
            Read { spot, bytes, value: self.state.read(&self.code.layout, spot, bytes) }
        })
    }

    /// The current value of these bytes, if they still exist and hold no symbol.
    pub(crate) fn peek(&self, read: &Read) -> Option<u64> {
        let spot = match read.spot {
            Spot::Object { thread, index, offset, .. } => {
                let object = self.state.threads.get(thread)?.object(index)?;
                let whole = object.is_live() && offset + read.bytes <= object.size as usize && !object.uninitialised;
                if !whole {
                    return None;
                }
                self.refreshed(read.spot)
            }
            spot => spot,
        };
        let is_open = !self.state.late_inputs.is_empty() && self.has_symbol(spot, read.bytes);
        (!is_open).then(|| self.state.read(&self.code.layout, spot, read.bytes))
    }

    /// Records an access while an observer runs.
    #[cold]
    pub(crate) fn log_access(&mut self, spot: Spot, bytes: usize, write: bool) {
        if self.log.is_some() {
            let loc = self.user_loc();
            self.log.iter_mut().for_each(|log| log.0.push(Access { spot, bytes, write, loc }));
        }
    }

    /// Rejects intrinsics that are not allowed in an observer.
    pub(crate) fn check_observer(&self, which: Intrinsic) -> Result<(), Stopped> {
        let looks = matches!(
            which,
            Intrinsic::Alloc | Intrinsic::Free | Intrinsic::ObjectOffset | Intrinsic::CheckRead | Intrinsic::CheckWrite
        );
        if self.log.is_none() || looks {
            return Ok(());
        }
        let at = self.code.program.source.describe(self.user_loc());
        let does = format!("it deals with threads, locks or other things than memory, at {at}");
        Err(Stopped::GaveUp(Reason::Observer { name: String::new(), does }))
    }
}

/// Why an observer has no answer.
enum Wrong {
    Does(String),
    Limit(Reason),
}

fn does<T>(what: String) -> Result<T, Wrong> {
    Err(Wrong::Does(what))
}

impl Wrong {
    fn reason(self, name: &str) -> Reason {
        match self {
            Wrong::Does(does) => Reason::Observer { name: name.to_string(), does },
            Wrong::Limit(reason) => reason,
        }
    }
}

fn covered(written: &[(usize, usize)], at: usize, bytes: usize) -> bool {
    (at..at + bytes).all(|byte| written.iter().any(|(from, len)| (*from..from + len).contains(&byte)))
}

fn bytes_of(state: &State, written: Vec<(usize, usize)>) -> Vec<u64> {
    let mut places: Vec<usize> = written.into_iter().flat_map(|(at, bytes)| at..at + bytes).collect();
    places.sort_unstable();
    places.dedup();
    places.into_iter().map(|at| (at as u64) << 8 | crate::memory::read(&state.globals, at, 1)).collect()
}
