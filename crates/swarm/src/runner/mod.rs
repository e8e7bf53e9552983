//! Runners check instances.
//!
//! An instance is a tiling and the name of one of its selections; its result depends on nothing else.
//! It can therefore be checked here, by another engine, or on another machine.

pub mod explicit;
pub mod lazy;
pub mod outside;

use crate::tiling::{Tile, Tiling};
use selvedge_engine::Control;
pub use selvedge_engine::instances::Checked;
use selvedge_program::instances::Name;
use selvedge_program::{Coverage, Reason, Scope};
use selvedge_symbolic::lazy::instances::Allowed;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// An instance, as a runner needs it.
pub struct Instance<'a> {
    pub tiling: &'a Tiling,
    pub name: &'a Name,
    /// Its tiles, by thread.
    pub tiles: &'a [Vec<Tile>],
    /// For each thread and point, whether the thread may be interrupted there.
    pub allowed: Allowed,
}

/// Checks one instance after the other.
pub trait Runner {
    /// Looks for a violation until the deadline. An error ends the whole swarm.
    fn run(&mut self, instance: &Instance<'_>, deadline: Option<Instant>) -> Result<Checked, Reason>;

    /// Determines what else limits the verdict when no instance has a violation ("unwind 2 cut"), or why there is none.
    /// It may run until this deadline, or until the flag is set, whatever the swarm's own limits.
    fn limits(&mut self, stop: &Arc<AtomicBool>, deadline: Option<Instant>) -> Result<Coverage, Reason>;

    /// Whether the work is done on the calling thread, rather than by another process.
    fn computes_here(&self) -> bool {
        true
    }

    /// Variables and clauses of its formula, if it has one.
    fn size(&self) -> (u64, u64) {
        (0, 0)
    }
}

/// Creates runners, one for each worker.
pub trait Backend: Sync {
    fn name(&self) -> &'static str;

    /// Everything that its runners look for.
    fn scope(&self) -> Scope;

    /// Creates the runner of a worker on the calling thread, where it stays, and passes it to `work`. Workers are
    /// numbered from 0.
    fn with_runner(
        &self,
        worker: usize,
        control: &Control,
        work: &mut dyn FnMut(&mut dyn Runner),
    ) -> Result<(), Reason>;
}
