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
//! | [`unroll`] | inlining and unwinding, guided by constants |
//! | [`text`] | the text form (`--emit bounded`) |

pub mod bounded;

pub use bounded::{
    Block, BlockId, Bounded, Cut, CutKind, Object, ObjectKind, Origin, Step, StepOp, Terminator, Thread,
};
