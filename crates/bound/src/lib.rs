//! From a program and bounds to a *bounded program*: no loops, no calls, a fixed set of threads.
//!
//! Lazy-CSeq (Inverso et al., CAV 2014) begins here: inline every call, unwind every loop, give every
//! created thread its own copy of the code. What is left only moves forward, so every instruction
//! runs at most once, and all that can run is written down.
//!
//! | module | what it does |
//! |---|---|
//! | [`bounded`], `effects` | the type; what its steps read, write and reach |
//! | [`order`] | a weak topological order: which blocks form loops, nested how |
//! | [`unroll`] | the whole of it: limits, rounds, threads |
//! | `expand` | one activation: loops are unwound, guided by constants |
//! | `thread_jumps` | a branch that is decided on one way to it is left out on that way |
//! | `trip_count` | iterations that constants count |
//! | `calls`, `operations`, `thread_locals` | what an activation does |
//! | `env`, `memory` | what is constant on a path: in registers, in the thread's own objects |
//! | `whole_program` | constants of the whole program, and whom pointers to functions may mean |
//! | `transfer`, `value`, `written` | its view of a function, of a register, of a global |
//! | `shape` | what is looked up in a function before it is unrolled |
//! | `proved` | checks that constants prove |
//! | `fold` | operations on constants |
//! | `body` | the thread that is being written |
//! | `trim` | removes registers that are never read |
//! | [`text`] | the text form (`--emit bounded`), printed and read |
//! | [`mod@verify`] | the rules of bounded programs, checked |

mod body;
pub mod bounded;
mod calls;
mod effects;
mod env;
mod expand;
mod fold;
mod memory;
mod operations;
pub mod order;
mod proved;
mod shape;
mod trip_count;

pub mod text;
mod thread_jumps;
mod thread_locals;
mod transfer;
mod trim;
pub mod unroll;
mod value;
pub mod verify;
mod whole_program;
mod written;

pub use bounded::{
    Block, BlockId, Bounded, Cut, CutKind, Object, ObjectKind, Origin, Step, StepOp, Terminator, Thread,
};
pub use shape::loop_lines;
pub use unroll::{Limits, Refusal, bound, bound_unless};
pub use verify::verify;
