//! Engines together.
//!
//! [`auto`] runs two engines side by side, [`states`] several searches over states, which take `turns`; [`ends`] finds
//! where a misuse that was not asked about ends runs, with the help of the engine that gave the verdict; [`fences`]
//! finds the fewest fences that make a program safe, with any engine; [`minimize`] makes a violation's schedule
//! shorter.

pub mod auto;
pub mod ends;
pub mod fences;
pub mod minimize;
pub mod states;
mod turns;
