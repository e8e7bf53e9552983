//! Linear temporal logic: formulas, their meaning, and automata that accept the same runs.
//!
//! Knows nothing of programs: a run is a sequence of *letters*, and a letter says which propositions
//! hold, as bits.
//!
//! | module | what it holds |
//! |---|---|
//! | [`formula`] | formulas, built from few operators |
//! | [`parse`] | their text: `G (request -> F grant)` |
//! | [`lasso`] | ultimately periodic runs, and whether a formula holds on one |
//! | [`automaton`] | generalised Büchi automata |

pub mod automaton;
pub mod formula;
pub mod lasso;
pub mod parse;

pub use automaton::{Automaton, Transition};
pub use formula::{Atom, Formula};
pub use lasso::Lasso;
pub use parse::{SyntaxError, parse};
