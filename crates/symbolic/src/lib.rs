//! Engines that make formulas of bounded programs.
//!
//! | module | what it does |
//! |---|---|
//! | [`bounding`] | how programs are bounded, by every engine that needs it |
//! | [`lazy`] | lazy sequentialization: all round-robin schedules as one formula |
//! | [`tree`] | the tree of interleavings, with a solver for what is symbolic in them |
//! | [`operations`] | what operations mean, as terms |

pub mod bounding;
pub mod lazy;
pub mod operations;
pub mod tree;
