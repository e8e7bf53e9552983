//! A replayed run, as a person reads it. Self-contained: needs no program to be shown.

use crate::races::DataAccess;
use crate::schedule::Schedule;
use crate::verdict::Violation;
use serde::Serialize;

/// A source position with its file's path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Default)]
pub struct Position {
    pub file: String,
    /// 0: unknown.
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Event {
    pub thread: u32,
    pub function: String,
    pub at: Position,
    /// Calls below the thread's start routine.
    pub depth: u32,
    #[serde(flatten)]
    pub what: What,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[rustfmt::skip]
pub enum What {
    /// `shared`: another thread touches the same place in this run.
    /// `uninitialised`: nobody has written there before, at least not all of it.
    Read { place: String, value: String, shared: bool, #[serde(skip_serializing_if = "is_false")] uninitialised: bool },
    /// `buffered`: others act before it reaches memory.
    Write { place: String, value: String, shared: bool, #[serde(skip_serializing_if = "is_false")] buffered: bool },
    /// A buffered write of the thread reaches memory.
    Arrive { place: String, value: String, shared: bool },
    /// A user's function is entered.
    Enter { function: String, arguments: Vec<String> },
    /// A user's function returns.
    Leave { value: Option<String> },
    /// A modelled function runs, from call to return: `pthread_mutex_lock(&m)`.
    Call { function: String, arguments: Vec<String>, result: Option<String> },
    /// A modelled function is called, and other threads run before it returns, or it does not return
    /// in this run. If it returns, that is a `Call` of its own.
    Begin { function: String, arguments: Vec<String> },
    Input { source: String, value: String },
    /// A wait decides whether it will end by itself, without a signal.
    Wakes { function: String, early: bool },
    Create { thread: u32, function: String },
    /// The thread ends.
    Exit,
    Allocate { object: String, bytes: u64 },
    Free { object: String },
    /// A line without memory accesses: a branch, local computation.
    Local,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    pub events: Vec<Event>,
    pub violation: Violation,
    /// The violation's position.
    pub at: Position,
    pub schedule: Schedule,
    /// In a run without end: the events from this one on repeat for ever.
    pub cycle: Option<usize>,
    /// The start routine of each thread, by number.
    pub threads: Vec<String>,
    /// Locks taken and given back, in their order.
    pub locks: Vec<LockChange>,
    /// In a deadlock: the threads that wait for ever.
    pub waiting: Vec<Wait>,
    /// The two accesses of a data race, both about to be made.
    pub race: Option<Box<Race>>,
    /// Functions without a body on whose assumed results the run rests.
    pub assumed: Vec<String>,
}

/// Two accesses that nothing orders.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Race {
    /// The bytes that both touch: "4 bytes of `counter`".
    pub place: String,
    pub accesses: [RacingAccess; 2],
}

/// An access that a thread is about to make.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RacingAccess {
    pub thread: u32,
    #[serde(flatten)]
    pub access: DataAccess,
    /// As C calls what it accesses, with its bytes: "writes `p->count` (4 bytes)".
    pub text: String,
    /// Where, and from where that was called, innermost first: function and position.
    pub stack: Vec<(String, Position)>,
    /// The locks that the thread holds, as far as they are known.
    pub locks: Vec<String>,
}

/// A thread takes a lock, or gives it back.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LockChange {
    pub thread: u32,
    pub lock: String,
    pub taken: bool,
    /// The number of events before it.
    pub after: usize,
}

/// A thread that waits for ever.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Wait {
    pub thread: u32,
    pub at: Position,
    /// The call that does not return: `pthread_mutex_lock(&b)`.
    #[serde(rename = "for")]
    pub call: String,
    /// As in "waits for …", if that is known: "mutex `b`".
    pub what: Option<String>,
    /// Those who would have to act.
    pub held_by: Vec<Holder>,
    /// For a condition variable: the last signal that found nobody waiting.
    pub missed_signal: Option<Position>,
}

/// A thread that could end a wait, and never will.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Holder {
    pub thread: u32,
    /// The position at which it took the object that is waited for, if it did.
    pub since: Option<Position>,
    /// It has ended.
    pub ended: bool,
}
