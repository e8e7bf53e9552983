//! Explicit-state search over the virtual machine's states.
//!
//! | module | what it does |
//! |---|---|
//! | [`explicit`] | visits every reachable state, fewest preemptions first; the state store |
//! | [`dpor`] | makes one run for each order of steps that conflict, without storing states |
//! | [`walks`] | makes random runs, one after another, and stores nothing |
//! | [`ltl`] | looks for runs that break a formula of linear temporal logic |
//! | `superstep` | threads that run on while no other can tell, for both of them |
//! | `pool` | work for several workers |

pub mod dpor;
pub mod explicit;
pub mod ltl;
mod pool;
mod superstep;
pub mod walks;
