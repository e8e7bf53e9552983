//! The intrinsics by name, with their arity, what they are for, and which of them are steps.

use crate::ir::Intrinsic;

/// Names of our own in a program begin so: functions and variables of the models that no user calls.
pub const OWN_PREFIX: &str = "__selvedge_";

pub fn is_own_name(name: &str) -> bool {
    name.starts_with(OWN_PREFIX)
}

/// The input that decides whether a weak compare-exchange fails for no reason.
pub const WEAK_EXCHANGE: &str = "weak compare-exchange";

/// A function of the models that only a pass calls: before a wait on a condition variable that the thread has come from
/// without doing anything.
pub const WAITS_AGAIN: &str = "__selvedge_waits_again";

/// A function of the models that stands before every access that a signal's handler could notice: it decides whether
/// one comes.
pub const INTERRUPTION: &str = "__selvedge_interruption";

/// A function of the models that stands there, too: it decides whether the thread is cancelled, if it may be at any time.
pub const CANCELLATION: &str = "__selvedge_cancellation";

/// Functions of the models that only a pass calls, where a program looks at addresses.
pub mod address_models {
    /// (address) → where the block that it points into lies
    pub const PLACE: &str = "__selvedge_place";
    /// (address, address) → are these the same place? Within the section of a compare-exchange.
    pub const IS_AT: &str = "__selvedge_is_at";
    /// Allocation of a block that may lie where another one did.
    pub const ALLOC: &str = "__selvedge_alloc_somewhere";
    /// Freeing of a block whose place others may take.
    pub const FREE: &str = "__selvedge_free_noted";
    /// (block, old block) Realloc has moved a block; what it calls if nobody compares addresses.
    pub const MOVED: &str = "__selvedge_moved";
    /// In place of that: the block may have stayed where it was.
    pub const STAYS: &str = "__selvedge_stays";
    /// (address) → its position in an order of objects
    pub const POSITION: &str = "__selvedge_position";

    /// (address, alignment) → the number that a program finds when it takes it apart
    pub const NUMBER: &str = "__selvedge_number";

    pub const ALL: [&str; 7] = [PLACE, IS_AT, ALLOC, FREE, STAYS, POSITION, NUMBER];
}

/// Names of the models that only a pass uses, where a program compares handles of threads by `==`.
pub mod handle_models {
    /// (handle) → the number of the thread, which a later thread may share once it was joined
    pub const NUMBER: &str = "__selvedge_thread_number";
    /// A variable that is 1 if the program does so.
    pub const COMPARED: &str = "__selvedge_handles_compared";
}

/// The purpose of an intrinsic. Code that treats several of them alike asks for this.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Creates a thread.
    Spawns,
    /// Tells the number of this thread, or of all.
    Counts,
    /// Asks whether the thread with a given number exists, or has ended.
    AsksThread,
    /// Finds another thread's copy of a thread-local.
    FindsCopy,
    /// Ends the thread or the process.
    Exits,
    /// `setjmp` and `longjmp`.
    Jumps,
    /// Tells where sections, locks and switches are, and for whom a thread waits: no value, no change of memory.
    Marks,
    /// The run goes on only if the argument holds.
    Requires,
    Allocates,
    Frees,
    /// Asks how large the object is that the first argument points to, and where in it that is.
    AsksObject,
    /// Fails unless the bytes that the first argument points to may be accessed.
    ChecksAccess,
}

impl Intrinsic {
    /// The bytes of a jump buffer that are used.
    pub const JUMP_BUFFER: u128 = 8;

    /// See [`Op::is_step`](crate::Op::is_step).
    pub fn is_step(self) -> bool {
        match self {
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
            | Intrinsic::CheckWrite => true,
            Intrinsic::SelfId
            | Intrinsic::Owner
            | Intrinsic::Threads
            | Intrinsic::TlsOf
            | Intrinsic::AtomicEnd
            | Intrinsic::Assume
            | Intrinsic::Alloc
            | Intrinsic::ObjectSize
            | Intrinsic::ObjectOffset
            | Intrinsic::SetJmp
            | Intrinsic::Acquired
            | Intrinsic::Released
            | Intrinsic::WaitsFor => false,
        }
    }

    pub fn purpose(self) -> Purpose {
        match self {
            Intrinsic::Spawn => Purpose::Spawns,
            Intrinsic::SelfId | Intrinsic::Owner | Intrinsic::Threads => Purpose::Counts,
            Intrinsic::Finished | Intrinsic::PollFinished | Intrinsic::Created => Purpose::AsksThread,
            Intrinsic::TlsOf => Purpose::FindsCopy,
            Intrinsic::ThreadExit | Intrinsic::ProcessExit => Purpose::Exits,
            Intrinsic::SetJmp | Intrinsic::LongJmp => Purpose::Jumps,
            Intrinsic::Yield
            | Intrinsic::AtomicBegin
            | Intrinsic::AtomicEnd
            | Intrinsic::Acquired
            | Intrinsic::Released
            | Intrinsic::WaitsFor => Purpose::Marks,
            Intrinsic::BlockUntil | Intrinsic::Assume => Purpose::Requires,
            Intrinsic::Alloc => Purpose::Allocates,
            Intrinsic::Free => Purpose::Frees,
            Intrinsic::ObjectSize | Intrinsic::ObjectOffset => Purpose::AsksObject,
            Intrinsic::CheckRead | Intrinsic::CheckWrite => Purpose::ChecksAccess,
        }
    }
}
