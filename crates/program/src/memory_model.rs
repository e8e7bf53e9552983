//! Memory models: when a store reaches memory, and what makes it do so.
//!
//! Under sequential consistency a store is in memory as soon as it is made. Under TSO (Owens, Sarkar, Sewell: A better
//! x86 memory model, TPHOLs 2009) every thread has a *store buffer*, a queue whose stores reach memory later, one after
//! another; under PSO (The SPARC Architecture Manual, version 8) there is a queue for each location. Loads are never
//! delayed. A load finds each byte in the newest store to it in the thread's own buffer, else in memory.
//!
//! | action | TSO | PSO |
//! |---|---|---|
//! | plain, volatile, relaxed store; block of memory copied or set | into the queue | into the queue of its location |
//! | release store, also `__sync_lock_release` and `atomic_flag_clear` of that order | the same | arrives after every earlier store of the thread |
//! | seq_cst store | into the queue, then drain | likewise |
//! | load of any order | own buffer first, byte by byte | the same |
//! | read-modify-write, compare-exchange (failed, too), of any order | drain, then act, in one step | the same |
//! | fence seq_cst | drain | drain |
//! | fence release, acq_rel | nothing | stores before it arrive before stores after it |
//! | fence acquire, compiler barrier, yield | nothing | nothing |
//! | atomic section: every operation of locks, condition variables, semaphores, barriers, once, join | drain at its beginning; nothing inside is buffered | the same |
//! | create, end of a thread, exit, waiting | drain | drain |
//!
//! *Drain* empties the thread's buffer. It never blocks: a buffer can always be emptied, and doing so is part of the
//! step.
//!
//! - A store is checked when it is made. Stores to an object that ends before they arrive are dropped.
//! - A *location* of PSO is whatever overlaps: two stores that share a byte keep their order.
//! - In `W1; W release; W2` the last store may overtake both: a release store orders what comes before it, nothing
//!   else.
//! - Threads wait for ever only if no store that is still buffered could help them.
//! - Observers look at memory, not into buffers.
//!
//! A store that nobody else can see before the thread drains need not be buffered: the models then coincide with
//! sequential consistency. Engines use what they know of sharing to find such stores.

use crate::ir::{Access, Intrinsic, MemoryOrder, Op};

named! {
    /// Each allows whatever those before it allow.
    #[derive(Default)]
    pub enum MemoryModel {
        /// Sequential consistency.
        #[default]
        Sc = "sc",
        /// Total store order: x86.
        Tso = "tso",
        /// Partial store order: SPARC.
        Pso = "pso",
    }
}

/// The way of a store to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoreRule {
    /// It is made in memory.
    Direct,
    /// It waits in the thread's buffer. `release`: every earlier store of the thread arrives before it, also those to
    /// other locations.
    Buffered { release: bool },
    /// It enters the buffer, which is then drained: with all stores before it, it is made in memory.
    Draining,
}

/// The queues in which the stores of a thread wait. The stores of one queue arrive in their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Queues {
    None,
    One,
    /// Stores to different places may overtake one another.
    PerPlace,
}

/// The effect of an operation on the buffer of its thread, apart from the stores that it makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferEffect {
    None,
    /// Stores before it arrive before stores after it.
    Separate,
    /// The buffer is empty before the operation acts.
    Drain,
}

impl MemoryModel {
    pub fn queues(self) -> Queues {
        match self {
            MemoryModel::Sc => Queues::None,
            MemoryModel::Tso => Queues::One,
            MemoryModel::Pso => Queues::PerPlace,
        }
    }

    /// Can a store reach memory later than it is made?
    pub fn has_buffers(self) -> bool {
        self.queues() != Queues::None
    }

    /// Must the earlier of two buffered stores of a thread arrive first? `overlap`: they share a byte; `separated`: a
    /// [separating](BufferEffect::Separate) operation stands between them; `release`: the later one is a release store.
    pub fn keeps_order(self, overlap: bool, separated: bool, release: bool) -> bool {
        match self.queues() {
            Queues::None | Queues::One => true,
            Queues::PerPlace => overlap || separated || release,
        }
    }

    /// The way of a store outside of atomic sections.
    pub fn store(self, access: Access) -> StoreRule {
        match self {
            MemoryModel::Sc => StoreRule::Direct,
            MemoryModel::Tso | MemoryModel::Pso => match access {
                Access::Plain | Access::Volatile => StoreRule::Buffered { release: false },
                Access::Atomic(MemoryOrder::Relaxed | MemoryOrder::Acquire) => StoreRule::Buffered { release: false },
                Access::Atomic(MemoryOrder::Release | MemoryOrder::AcqRel) => StoreRule::Buffered { release: true },
                Access::Atomic(MemoryOrder::SeqCst) => StoreRule::Draining,
            },
        }
    }

    fn fence(self, order: MemoryOrder) -> BufferEffect {
        match (self, order) {
            (MemoryModel::Sc, _) => BufferEffect::None,
            (MemoryModel::Tso | MemoryModel::Pso, MemoryOrder::SeqCst) => BufferEffect::Drain,
            (MemoryModel::Pso, MemoryOrder::Release | MemoryOrder::AcqRel) => BufferEffect::Separate,
            (MemoryModel::Pso, MemoryOrder::Relaxed | MemoryOrder::Acquire) | (MemoryModel::Tso, _) => {
                BufferEffect::None
            }
        }
    }

    /// The effect of an operation on the buffer of its thread before it acts.
    pub fn effect(self, op: &Op) -> BufferEffect {
        if !self.has_buffers() {
            return BufferEffect::None;
        }
        match op {
            Op::Rmw { .. } | Op::CmpXchg { .. } => BufferEffect::Drain,
            Op::Fence { order } => self.fence(*order),
            Op::Intrinsic { which, .. } if which.drains() => BufferEffect::Drain,
            Op::Compute(_)
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Alloca { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::Call { .. }
            | Op::Nondet { .. }
            | Op::Intrinsic { .. }
            | Op::Violation { .. }
            | Op::Unsupported { .. } => BufferEffect::None,
        }
    }
}

impl Intrinsic {
    /// Does it empty the store buffer of its thread first, under models that have one?
    pub fn drains(self) -> bool {
        match self {
            Intrinsic::Spawn
            | Intrinsic::Finished
            | Intrinsic::PollFinished
            | Intrinsic::Created
            | Intrinsic::ThreadExit
            | Intrinsic::ProcessExit
            | Intrinsic::AtomicBegin
            | Intrinsic::AtomicEnd
            | Intrinsic::BlockUntil
            | Intrinsic::SetJmp
            | Intrinsic::LongJmp => true,
            Intrinsic::SelfId
            | Intrinsic::Owner
            | Intrinsic::Threads
            | Intrinsic::TlsOf
            | Intrinsic::Yield
            | Intrinsic::Assume
            | Intrinsic::Alloc
            | Intrinsic::Free
            | Intrinsic::ObjectSize
            | Intrinsic::ObjectOffset
            | Intrinsic::CheckRead
            | Intrinsic::CheckWrite
            | Intrinsic::Acquired
            | Intrinsic::Released
            | Intrinsic::WaitsFor => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_of_stores_and_fences() {
        use MemoryOrder::{AcqRel, Acquire, Relaxed, Release, SeqCst};
        let release = StoreRule::Buffered { release: true };
        for model in [MemoryModel::Tso, MemoryModel::Pso] {
            assert_eq!(model.store(Access::Atomic(Release)), release);
            assert_eq!(model.store(Access::Atomic(SeqCst)), StoreRule::Draining);
            assert_eq!(model.effect(&Op::Fence { order: SeqCst }), BufferEffect::Drain);
            assert_eq!(model.effect(&Op::Fence { order: Acquire }), BufferEffect::None);
        }
        for order in [Release, AcqRel] {
            assert_eq!(MemoryModel::Tso.effect(&Op::Fence { order }), BufferEffect::None);
            assert_eq!(MemoryModel::Pso.effect(&Op::Fence { order }), BufferEffect::Separate);
        }
        for order in [Relaxed, Acquire, Release, AcqRel, SeqCst] {
            assert_eq!(MemoryModel::Sc.store(Access::Atomic(order)), StoreRule::Direct);
            assert_eq!(MemoryModel::Sc.effect(&Op::Fence { order }), BufferEffect::None);
        }
    }

    #[test]
    fn pso_keeps_order_only_where_something_asks_for_it() {
        assert!(MemoryModel::Tso.keeps_order(false, false, false));
        assert!(!MemoryModel::Pso.keeps_order(false, false, false));
        for (overlap, separated, release) in [(true, false, false), (false, true, false), (false, false, true)] {
            assert!(MemoryModel::Pso.keeps_order(overlap, separated, release));
        }
    }
}
