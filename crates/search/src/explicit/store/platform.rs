//! The basis of `table.rs` and `numbers.rs`: the atomics and locks of the standard library, and sizes.
//!
//! `tests/store_under_loom.rs` compiles these two files once more, with loom's atomics and tiny sizes in the place of
//! this module, and runs them in every interleaving, under every order of memory accesses that is allowed.

pub use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
pub use std::sync::{Mutex, OnceLock, PoisonError};

/// Parts of a table, each with a lock of its own.
pub const PARTS: usize = 64;
/// Slots of a part at first, as a power of two.
pub const FIRST: u32 = 4;
/// Numbers that a worker takes at once.
pub const BATCH: u32 = 256;
