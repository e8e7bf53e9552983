//! From a program and bounds to a *bounded program*: no loops, no calls, a fixed set of threads.
//!
//! Lazy-CSeq (Inverso et al., CAV 2014) begins here: inline every call, unwind every loop, give every
//! created thread its own copy of the code. What is left only moves forward, so every instruction
//! runs at most once, and all that can run is written down.
//!
//! | module | what it does |
//! |---|---|
//! | [`bounded`] | the type |
//! | [`order`] | a weak topological order: which blocks form loops, nested how |
//! | [`unroll`] | the whole of it: limits, rounds, threads |
//! | `expand` | one activation: loops are unwound, guided by constants |
//! | `calls`, `operations` | what an activation does |
//! | `env`, `memory`, `survey` | what is constant on a path: in registers, in the thread's own objects, in globals |
//! | `fold` | operations on constants |
//! | `body` | the thread that is being written |
//! | [`text`] | the text form (`--emit bounded`) |
//! | [`mod@verify`] | the invariants, checked |

mod body;
pub mod bounded;
mod calls;
mod env;
mod expand;
mod fold;
mod memory;
mod operations;
pub mod order;
mod survey;
pub mod text;
pub mod unroll;
pub mod verify;

pub use bounded::{
    Block, BlockId, Bounded, Cut, CutKind, Object, ObjectKind, Origin, Step, StepOp, Terminator, Thread,
};
pub use unroll::{Limits, Refusal, bound};
pub use verify::verify;
