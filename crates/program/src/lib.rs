//! The program representation that every part of Selvedge shares.
//!
//! A [`Program`] is a multi-threaded C program as a small load/store machine: functions over
//! mutable, typed registers, with one memory of objects that pointers name as (object, offset).
//! It knows nothing of LLVM, of solvers or of search engines, and does no I/O.
//!
//! | module | what it holds |
//! |---|---|
//! | [`ir`], `computation`, `queries` | the representation itself; the operations that only compute; questions that it answers |
//! | [`effects`], [`faults`] | what operations read, write and reach; what can go wrong in them |
//! | `intrinsics` | the intrinsics by name, and what they are for |
//! | [`alike`] | functions that are copies of one another |
//! | [`semantics`] | what operations mean on concrete integers and floats |
//! | [`races`] | which accesses race, and what orders them |
//! | [`memory_model`] | when stores reach memory: sequential consistency, TSO, PSO |
//! | [`liveness`] | which registers may still be read |
//! | [`source`] | files, lines, and C's types as the debug information gives them |
//! | [`text`] | the text form (`--emit program`): printing and reading back |
//! | [`verify`] | the numbered rules of well-formedness |
//! | [`task`] | what is asked: properties and bounds |
//! | [`observers`] | functions that look at states: invariants, propositions, abstractions |
//! | [`schedule`] | a run in a few bytes: thread switches and inputs |
//! | [`trace`] | the same run, step by step, as a person reads it |
//! | [`coverage`], `assumption` | what limited a search; what it took for granted |
//! | [`reach`] | how far runs got: threads, functions, lines; verdicts that mean nothing |
//! | `proof` | why nothing can go wrong |
//! | [`verdict`] | what an engine says, and what the user is told |
//! | [`statistics`], [`instances`] | numbers about a search; the results of a swarm |
//! | [`internal_error`] | errors of our own |

#[macro_use]
mod named;

pub mod alike;
mod assumption;
mod computation;
pub mod coverage;
pub mod effects;
pub mod faults;
pub mod instances;
pub mod internal_error;
mod intrinsics;
pub mod ir;
pub mod liveness;
pub mod memory_model;
pub mod observers;
pub mod pointers;
mod proof;
mod queries;
pub mod races;
pub mod reach;
pub mod schedule;
pub mod semantics;
pub mod source;
pub mod statistics;
pub mod task;
pub mod text;
pub mod trace;
pub mod verdict;
pub mod verify;

pub use assumption::{Assumption, Fallible, FixedInput, Suppression};
pub use coverage::{Coverage, Covered, Cuts, Ends, Limit, Role, SpinLimit, UncheckedEnd};
pub use effects::{AccessSize, MemoryAccess};
pub use faults::Faults;
pub use internal_error::{Claim, InternalError};
pub use intrinsics::{
    CANCELLATION, INTERRUPTION, OWN_PREFIX, Purpose, WAITS_AGAIN, WEAK_EXCHANGE, address_models, handle_models,
    is_own_name,
};
pub use ir::*;
pub use memory_model::{BufferEffect, MemoryModel, StoreRule};
pub use observers::{Observer, Observers, Specification};
pub use pointers::Pointers;
pub use proof::{Ghost, GhostOf, InC, LineInvariant, Proof, Statement};
pub use races::{Accesses, DataAccess, IgnoredRace, Orders};
pub use reach::{Reach, Vacuity};
pub use schedule::{Action, Schedule, Slice};
pub use source::{DebugType, Field, FileId, Loc, SourceMap, TypeId};
pub use statistics::{Interleavings, Statistics, Walked};
pub use task::{Bounds, Properties, Property, Scope};
pub use trace::{Event, Trace, What};
pub use verdict::{Finding, Reason, Verdict, Violation};

/// Entity maps are re-exported so that every crate indexes programs in the same way.
pub use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap, entity_impl};
