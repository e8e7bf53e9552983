//! Proofs for programs without bounds.
//!
//! ```text
//! Program ──extract──▶ System ─┬▶ interpret   abstract interpretation  ┐
//!                              ├▶ counter     counter abstraction      ├▶ Invariant ──check──▶ safe
//!                              └▶ horn        Horn clauses, by Spacer  ┘
//! ```
//!
//! No technique is believed: whatever it finds comes back as data, and `check` shows with our own bit-blaster that it
//! is inductive and excludes every error, on the edges of the system as they were extracted.

pub mod balances;
pub mod candidates;
pub mod check;
pub mod contents;
pub mod counter;
pub mod counters;
mod engine;
mod expression;
pub mod extract;
pub mod horn;
pub mod houdini;
mod in_c;
pub mod interpret;
pub mod invariant;
pub mod live;
pub mod lock_order;
pub mod outline;
pub mod owners;
pub mod print;
pub mod proof;
pub mod races;
pub mod rules;
pub mod search;
pub mod system;
pub mod well_formed;

pub use engine::{Prove, Proved, Unproved, attempt};
