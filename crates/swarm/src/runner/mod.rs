//! Who checks instances.
//!
//! An instance is a tiling and the name of one of its selections; what comes of it depends on nothing else.
//! So it can be checked here, by another engine, or elsewhere.

pub mod explicit;
pub mod lazy;
pub mod outside;

use crate::divide::Name;
use crate::tiling::{Tile, Tiling};
use selvedge_engine::Control;
pub use selvedge_engine::instances::Checked;
use selvedge_program::{Coverage, Reason, Scope};
use selvedge_symbolic::lazy::instances::Allowed;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// What a runner is given.
pub struct Instance<'a> {
    pub tiling: &'a Tiling,
    pub name: &'a Name,
    /// Its tiles, by thread.
    pub tiles: &'a [Vec<Tile>],
    /// The same by point.
    pub allowed: Allowed,
}

/// Checks one instance after the other.
pub trait Runner {
    /// Looks for a violation until the deadline. An error ends the whole swarm.
    fn run(&mut self, instance: &Instance<'_>, deadline: Option<Instant>) -> Result<Checked, Reason>;

    /// When no instance has a violation: what else limits the verdict ("unwind 2 cut"), or why there is none.
    /// It may take until this deadline, or until the flag is set, whatever the swarm's own limits.
    fn limits(&mut self, stop: &Arc<AtomicBool>, deadline: Option<Instant>) -> Result<Coverage, Reason>;

    /// In the thread that calls it: not if another process does the work.
    fn computes_here(&self) -> bool {
        true
    }

    /// Variables and clauses of its formula, if it has one.
    fn size(&self) -> (u64, u64) {
        (0, 0)
    }
}

/// Makes runners, one for each worker, in whose thread it stays.
pub trait Backend: Sync {
    fn name(&self) -> &'static str;

    /// All that its runners look for.
    fn scope(&self) -> Scope;

    /// Workers are numbered from 0.
    fn hire(&self, worker: usize, control: &Control, work: &mut dyn FnMut(&mut dyn Runner)) -> Result<(), Reason>;
}
