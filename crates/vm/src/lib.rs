//! The virtual machine: runs a [`Program`](selvedge_program::Program) one visible step at a time.
//!
//! | module | what it does |
//! |---|---|
//! | [`layout`] | where globals live, and how (object, offset) is written in the bits of a pointer |
//! | [`code`] | programs compiled to flat instructions, registers packed into few slots |
//! | [`state`] | everything that changes: globals, stacks, objects, inputs not yet chosen |
//! | [`memory`] | loads, stores, allocation, with all their checks |
//! | [`machine`] | the interpreter: from one visible step of a thread to just before its next |
//! | `frames` | calls, returns, stack objects, threads |
//! | `slow`, `intrinsics` | what is too rare to have an instruction of its own; the models' primitives |
//! | `arithmetic` | what operations on values mean |
//! | [`oracle`] | who decides what the program leaves open, and how a step ends |
//! | `ends` | how runs end in which nothing is wrong |
//! | [`choices`] | all ways through one step, one after the other |
//! | [`expand`] | the transitions of a thread from a state, for every search |
//! | [`lazy`] | inputs whose value is chosen as late as possible |
//! | [`sharing`] | which accesses other threads can see |
//! | [`footprint`] | what a step touched, for those who exchange steps |
//! | [`dependence`] | what of a state a step depends on, for those who need not run it again |
//! | [`embed`] | what may be done before the first step |
//! | [`observe`], [`memo`], [`watch`] | functions evaluated in a state; what they said before; all of a program's |
//! | [`deadlock`] | which threads wait for ever |
//! | [`replay`], `recorder` | runs a schedule; writes down what happens |
//! | `lasso` | runs a schedule without end, and says whether it breaks a formula |
//! | [`describe`] | names for places and values, for people |

mod arithmetic;
pub mod choices;
pub mod code;
pub mod deadlock;
pub mod dependence;
pub mod describe;
pub mod embed;
mod ends;
pub mod expand;
mod faults;
pub mod footprint;
mod frames;
mod intrinsics;
mod lasso;
pub mod layout;
pub mod lazy;
mod locks;
pub mod machine;
pub mod memo;
pub mod memory;
pub mod observe;
pub mod oracle;
pub mod placement;
mod recorder;
pub mod replay;
pub mod sharing;
pub mod slots;
mod slow;
pub mod state;
pub mod symmetry;
pub mod watch;

pub use code::Code;
pub use ends::Ends;
pub use machine::Machine;
pub use memo::Memo;
pub use oracle::{Ended, Oracle, Stopped};
pub use sharing::Sharing;
pub use state::State;
