//! Engines side by side, and questions that take several runs of an engine.
//!
//! [`auto`] runs engines side by side; [`states`] runs several searches over states, which take `turns`; [`ends`] finds
//! where an unchecked misuse ends runs, with the help of the engine that gave the verdict; [`fences`] finds the fewest
//! fences that make a program safe, with any engine.

pub mod auto;
pub mod ends;
pub mod fences;
pub mod states;
mod turns;
