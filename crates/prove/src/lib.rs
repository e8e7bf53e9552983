//! Proofs for programs without bounds.
//!
//! ```text
//! Program ──extract──▶ System ─┬▶ interpret   abstract interpretation  ┐
//!                              ├▶ counter     counter abstraction      ├▶ Invariant ──check──▶ safe
//!                              └▶ horn        Horn clauses, by Spacer  ┘
//! ```
//!
//! No technique is believed: whatever it finds comes back as data, and `check` shows with our own bit-blaster that it is inductive
//! and excludes every error, on the edges of the system as they were extracted.

pub mod candidates;
pub mod check;
pub mod interpret;
pub mod ghosts;
pub mod horn;
pub mod houdini;
pub mod invariant;
pub mod live;
pub mod obligations;
pub mod owners;
pub mod rules;
pub mod search;
pub mod system;
pub mod well_formed;
