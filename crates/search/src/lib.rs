//! Explicit-state search over the virtual machine's states.
//!
//! | module | what it does |
//! |---|---|
//! | [`explicit`] | visits every reachable state, fewest preemptions first; the state store |
//! | [`ltl`] | looks for runs that break a formula of linear temporal logic |
//! | `superstep` | threads that run on while nobody else can tell, for both of them |
//! | [`telling`] | from the transitions of a run to its schedule |

pub mod explicit;
pub mod ltl;
mod superstep;
pub mod telling;
