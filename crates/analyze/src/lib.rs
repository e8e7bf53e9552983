//! What can be proved about a bounded program without running it.
//!
//! Any engine may use these facts, none may need them.
//!
//! | module | what it proves |
//! |---|---|
//! | [`points_to`] | which objects a register, or an object's bytes, may point to |
//! | [`shared`] | which objects two threads may touch, one of them writing |

pub mod points_to;
pub mod shared;

pub use points_to::{PointsTo, Targets};
pub use shared::Shared;
