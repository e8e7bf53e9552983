//! A check that is split into instances, each of which allows context switches at some places only: the terms that
//! every engine which checks instances shares.

use selvedge_program::{BlockId, Finding, FuncId, Schedule, Violation};

/// An operation of the program: function, block, index.
pub type Place = (FuncId, BlockId, u32);

/// The result of one instance.
#[derive(Clone, PartialEq, Debug)]
pub enum Checked {
    Violation(Schedule, Violation),
    Nothing,
    /// The instance's time ran out.
    TimedOut,
    /// An outside tool claims what our formula denies.
    Disagreement(Finding),
}
