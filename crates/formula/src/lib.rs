//! From bit-vector terms to satisfying assignments.
//!
//! ```text
//! Terms ──simplified as they are built──▶ Blaster ──clauses──▶ Sat (CaDiCaL)
//!   ▲                                        │
//!   └──────── value of any term ◀── model ───┘
//! ```
//!
//! Architecture invariant: this is the only crate that knows solvers, and it knows nothing of
//! programs, threads or schedules.
//!
//! ```
//! use selvedge_formula::{Blaster, Cadical, Solved, Terms};
//!
//! let mut terms = Terms::new();
//! let x = terms.variable(32, "x");
//! let square = terms.mul(x, x);
//! let wanted = terms.constant(32, 49);
//! let is_49 = terms.eq(square, wanted);
//! let ten = terms.constant(32, 10);
//! let small = terms.ult(x, ten);
//!
//! let mut blaster = Blaster::new(Cadical::new());
//! blaster.assert(&terms, is_49);
//! let small = blaster.literal(&terms, small);
//! assert_eq!(blaster.solve(&[small]), Solved::Sat);
//! assert_eq!(blaster.value(&terms, x), 7);
//! ```

mod blast;
mod blasted;
mod cadical;
mod circuits;
mod evaluate;
pub mod floats;
mod gates;
mod limits;
mod sat;
mod simplify;
mod solver;
mod terms;

pub use blast::{Blaster, Statistics};
pub use blasted::Blasted;
pub use cadical::Cadical;
pub use evaluate::Evaluator;
pub use limits::Limits;
pub use sat::{Lit, Sat, SatStatistics, Solved};
pub use solver::{Answer, Cores, Incremental, Solver, SolverError, Stack, Theory, Unknown, Work, open};
pub use terms::{Node, Term, Terms, mask, signed};
