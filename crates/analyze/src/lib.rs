//! What can be proved about a bounded program without running it.
//!
//! Any engine may use these facts, none may need them.
//!
//! | module | what it proves |
//! |---|---|
//! | [`places`], [`points_to`] | where in memory a value may point |
//! | [`possible`], [`values`] | which integers a value may be, and which steps can run |
//! | [`order`] | which threads may be alive when a step runs |
//! | [`accesses`] | which bytes a step may read or write |
//! | `locks` | which locks a thread surely holds |
//! | [`interference`] | which steps other threads can see |
//! | [`range`], [`intervals`] | what steps may compute and store in so many rounds |
//! | [`points`] | where threads may be interrupted, and in which order they take turns |
//! | [`liveness`], `graph`, `unassigned` | registers that a block needs; the shape of a thread; registers that are read before they are written |
//!
//! ```text
//! let facts = Facts::new(&bounded, properties);
//! if facts.interference.visible(thread, block, step) { … }
//! ```

pub mod accesses;
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
pub use facts::Facts;
pub use interference::{Interference, Reductions, StepRef, Touched};
pub use intervals::Intervals;
pub use places::{Offset, Place, Targets};
pub use points::{Inside, Points};
pub use points_to::PointsTo;
pub use possible::Possible;
pub use range::{Bits, Range};
pub use values::Values;
