//! Facts about a bounded program that can be proved without running it.
//!
//! Any engine may use these facts; none may depend on them.
//!
//! | module | what it proves |
//! |---|---|
//! | [`places`], [`points_to`] | the places in memory that a value may point to |
//! | [`possible`], [`values`] | the integers that a value may be, and the steps that can run |
//! | [`order`] | the threads that may be alive when a step runs |
//! | [`accesses`] | the bytes that a step may read or write |
//! | `locks` | the locks that a thread surely holds |
//! | [`buffers`] | the stores that may wait in store buffers, under memory models that have them |
//! | [`interference`] | the steps that other threads can see |
//! | [`range`], [`intervals`] | the values that steps may compute and store in a number of rounds |
//! | [`points`] | the points at which threads may be interrupted, and the order of their turns |
//! | [`liveness`], `graph`, `unassigned` | live registers; the control flow of a thread; registers that may be read before they are written |
//!
//! ```text
//! let facts = Facts::new(&bounded, properties);
//! if facts.interference.visible(thread, block, step) { … }
//! ```

pub mod accesses;
pub mod buffers;
mod facts;
mod graph;
pub mod interference;
pub mod intervals;
pub mod liveness;
mod locks;
pub mod order;
pub mod places;
pub mod points;
pub mod points_to;
pub mod possible;
pub mod range;
mod unassigned;
pub mod values;

pub use accesses::Access;
pub use buffers::Waiting;
pub use facts::Facts;
pub use interference::{Interference, Reductions, StepRef, Touched};
pub use intervals::Intervals;
pub use places::{Offset, Place, Targets};
pub use points::{Inside, Points};
pub use points_to::PointsTo;
pub use possible::Possible;
pub use range::{Bits, Range};
pub use values::Values;
