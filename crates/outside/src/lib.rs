//! Other people's tools.
//!
//! | module | what it does |
//! |---|---|
//! | [`checker`] | CBMC, ESBMC, KLEE or any command as an engine, on sequential C |
//! | `frama_c`, [`intervals`] | intervals by another tool; the choice among sources of intervals |
//! | [`spin`] | SPIN's search over our virtual machine |
//! | `process`, `complaints` | runs a tool under our limits; whether it complained, so that its answer does not count |

pub mod checker;
mod complaints;
mod frama_c;
pub mod intervals;
mod process;
pub mod spin;

pub use checker::{Outside, Tool, instances};
pub use intervals::IntervalSource;
pub use selvedge_to_c::Style;
