//! The virtual machine: runs a [`Program`](selvedge_program::Program) one visible step at a time.
//!
//! | module | what it does |
//! |---|---|
//! | `layout`, `placement` | where globals and objects of threads live; where a schedule puts them |
//! | `code`, `slots` | programs compiled to flat instructions; registers packed into few slots |
//! | `state` | everything that changes: globals, stacks, objects, inputs not yet chosen |
//! | `memory` | loads, stores and allocation, with all their checks |
//! | `machine` | the interpreter: from one visible step of a thread to just before its next |
//! | `rare_operations`, `intrinsics` | operations without an instruction of their own; the models' primitives |
//! | `frames`, `locks`, `faults` | calls, stack objects, threads; the locks that a thread holds; violations of a step |
//! | `oracle` | decides everything that a program leaves open; how a step ends |
//! | `run_ends` | how runs without a violation end |
//! | [`choices`] | all alternatives of one step, one after another |
//! | [`expand`] | the transitions of a thread from a state, for every search |
//! | `late_inputs` | inputs whose value is chosen as late as possible |
//! | [`store_buffer`] | stores that have not reached memory, under weak memory models |
//! | [`sharing`] | the accesses that other threads can see |
//! | [`footprint`] | the memory that a step touched, for reductions that reorder steps |
//! | [`dependence`] | the parts of a state that a step depends on, for caching steps |
//! | `places` | numbers of threads that have ended, for new ones |
//! | `setup` | functions that run, and threads that start, before the first step |
//! | `observe`, `observer_cache`, [`watch`] | evaluating functions in a state; their earlier results; all observers |
//! | [`races`] | two threads that are both about to make racing accesses |
//! | [`symmetry`] | threads that cannot be told apart |
//! | [`deadlock`], [`spin`] | the threads that wait for ever; those that go round and change nothing |
//! | [`replay`], `recorder`, `lasso` | runs a schedule; records its events; checks an infinite one against a formula |
//! | `describe` | names for places and values, for people |

pub mod choices;
mod code;
pub mod deadlock;
pub mod dependence;
mod describe;
pub mod expand;
mod faults;
pub mod footprint;
mod frames;
mod heap_names;
mod intrinsics;
mod lasso;
mod late_inputs;
mod layout;
mod locks;
mod machine;
mod memory;
mod observe;
mod observer_cache;
mod oracle;
mod placement;
mod places;
pub mod races;
mod rare_operations;
mod recorder;
pub mod replay;
mod run_ends;
mod setup;
pub mod sharing;
mod slots;
pub mod spin;
mod state;
pub mod store_buffer;
pub mod symmetry;
mod unwritten;
pub mod watch;

pub use code::{Code, Ins};
pub use late_inputs::LateInputs;
pub use layout::{Layout, Slots};
pub use machine::Machine;
pub use observe::Writes;
pub use observer_cache::ObserverCache;
pub use oracle::{Ended, MachineView, Note, Oracle, Stopped};
pub use run_ends::Ends;
pub use sharing::Sharing;
pub use state::{Checkpoint, State, Thread};
