//! Errors of Selvedge itself, with the evidence that is needed to find them.

use crate::Schedule;
use serde::Serialize;

/// A bug in Selvedge, with what is needed to find it.
#[derive(Debug, Default, thiserror::Error)]
#[error("{what}")]
pub struct InternalError {
    pub what: String,
    /// The schedule that did not do what the engine said.
    pub schedule: Option<Box<Schedule>>,
    /// The statement of each engine, where engines contradict each other.
    pub claims: Vec<Claim>,
    /// Texts to look at, by name.
    pub evidence: Vec<(&'static str, String)>,
}

/// One side of a contradiction.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    pub engine: &'static str,
    pub says: String,
    /// The schedule of a violation that its replay confirmed.
    pub schedule: Option<Schedule>,
}
