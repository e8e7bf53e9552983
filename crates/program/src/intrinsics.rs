//! The intrinsics by name, with their arity, and which of them are steps.

use crate::ir::Intrinsic;

/// A function of the models that only a pass calls: before a wait on a condition variable that the thread has come from
/// without doing anything.
pub const WAITS_AGAIN: &str = "__selvedge_waits_again";

impl Intrinsic {
    pub const ALL: [Intrinsic; 26] = [
        Intrinsic::Spawn,
        Intrinsic::SelfId,
        Intrinsic::Owner,
        Intrinsic::Threads,
        Intrinsic::Finished,
        Intrinsic::PollFinished,
        Intrinsic::Created,
        Intrinsic::ThreadExit,
        Intrinsic::ProcessExit,
        Intrinsic::TlsOf,
        Intrinsic::Yield,
        Intrinsic::AtomicBegin,
        Intrinsic::AtomicEnd,
        Intrinsic::BlockUntil,
        Intrinsic::Assume,
        Intrinsic::Alloc,
        Intrinsic::Free,
        Intrinsic::ObjectSize,
        Intrinsic::ObjectOffset,
        Intrinsic::CheckRead,
        Intrinsic::CheckWrite,
        Intrinsic::SetJmp,
        Intrinsic::LongJmp,
        Intrinsic::Acquired,
        Intrinsic::Released,
        Intrinsic::WaitsFor,
    ];

    /// As in `selvedge.h`, without the `__selvedge_` prefix; also its name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Intrinsic::Spawn => "spawn",
            Intrinsic::SelfId => "self",
            Intrinsic::Owner => "owner",
            Intrinsic::Threads => "threads",
            Intrinsic::Finished => "finished",
            Intrinsic::PollFinished => "poll_finished",
            Intrinsic::Created => "created",
            Intrinsic::ThreadExit => "thread_exit",
            Intrinsic::ProcessExit => "process_exit",
            Intrinsic::TlsOf => "tls_of",
            Intrinsic::Yield => "yield",
            Intrinsic::AtomicBegin => "atomic_begin",
            Intrinsic::AtomicEnd => "atomic_end",
            Intrinsic::BlockUntil => "block_until",
            Intrinsic::Assume => "assume",
            Intrinsic::Alloc => "alloc",
            Intrinsic::Free => "free",
            Intrinsic::ObjectSize => "object_size",
            Intrinsic::ObjectOffset => "object_offset",
            Intrinsic::CheckRead => "check_read",
            Intrinsic::CheckWrite => "check_write",
            Intrinsic::SetJmp => "setjmp",
            Intrinsic::LongJmp => "longjmp",
            Intrinsic::Acquired => "acquired",
            Intrinsic::Released => "released",
            Intrinsic::WaitsFor => "waits_for",
        }
    }

    pub fn from_name(name: &str) -> Option<Intrinsic> {
        Intrinsic::ALL.into_iter().find(|i| i.name() == name)
    }

    /// How many arguments it takes.
    pub fn arity(self) -> usize {
        match self {
            Intrinsic::Spawn => 3,
            Intrinsic::TlsOf
            | Intrinsic::Alloc
            | Intrinsic::CheckRead
            | Intrinsic::CheckWrite
            | Intrinsic::LongJmp
            | Intrinsic::Acquired
            | Intrinsic::WaitsFor => 2,
            Intrinsic::Finished
            | Intrinsic::PollFinished
            | Intrinsic::Created
            | Intrinsic::BlockUntil
            | Intrinsic::Assume
            | Intrinsic::Free
            | Intrinsic::ObjectSize
            | Intrinsic::ObjectOffset
            | Intrinsic::SetJmp
            | Intrinsic::Released => 1,
            Intrinsic::SelfId
            | Intrinsic::Owner
            | Intrinsic::Threads
            | Intrinsic::ThreadExit
            | Intrinsic::ProcessExit
            | Intrinsic::Yield
            | Intrinsic::AtomicBegin
            | Intrinsic::AtomicEnd => 0,
        }
    }

    /// See [`Op::is_step`].
    pub fn is_step(self) -> bool {
        matches!(
            self,
            Intrinsic::Spawn
                | Intrinsic::Finished
                | Intrinsic::PollFinished
                | Intrinsic::Created
                | Intrinsic::ThreadExit
                | Intrinsic::ProcessExit
                | Intrinsic::LongJmp
                | Intrinsic::Yield
                | Intrinsic::AtomicBegin
                | Intrinsic::BlockUntil
                | Intrinsic::Free
                | Intrinsic::CheckRead
                | Intrinsic::CheckWrite
        )
    }
}
