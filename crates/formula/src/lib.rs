//! From bit-vector terms to satisfying assignments.
//!
//! ```text
//! Terms ──simplified as they are built──▶ Blaster ──clauses──▶ Sat (CaDiCaL)    ┐
//!   ▲                └───────────────────▶ smt::Process ──text──▶ z3, cvc5, …    ┴▶ Solver
//!   └──────── value of any term ◀── model, core ◀──────────────────────────────────┘
//! ```
//!
//! A [`Blaster`] gives access to literals and clauses; a [`Solver`] answers questions about terms and hides the
//! technique behind it.
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
//!
//! A solver is opened by name; `z3` or `cvc5` would work as well:
//!
//! ```
//! use selvedge_formula::{Answer, Limits, Terms, Theory, open};
//!
//! let mut terms = Terms::new();
//! let x = terms.variable(32, "x");
//! let ten = terms.constant(32, 10);
//! let (small, large) = (terms.ult(x, ten), terms.ult(ten, x));
//!
//! let mut solver = open("cadical", Theory::BitVectors, Limits::default())?;
//! solver.assert(&terms, small);
//! solver.push();
//! assert_eq!(solver.check(&terms, &[large])?, Answer::Unsat);
//! assert_eq!(solver.core()?, [large]);
//! solver.pop();
//! assert_eq!(solver.check(&terms, &[])?, Answer::Sat);
//! assert!(solver.value(&terms, x)? < 10);
//! # Ok::<(), selvedge_formula::SolverError>(())
//! ```

mod blast;
mod blasted;
mod cadical;
mod circuits;
mod evaluate;
mod exchange;
pub mod floats;
mod gates;
mod limits;
mod profile;
mod proof;
mod sat;
mod simplify;
pub mod smt;
mod solver;
mod terms;

pub use blast::{Blaster, Statistics};
pub use blasted::Blasted;
pub use cadical::Cadical;
pub use evaluate::Evaluator;
pub use exchange::Exchange;
pub use limits::Limits;
pub use profile::SolverProfile;
pub use proof::{Proof, ProofError};
pub use sat::{Lit, Sat, SatStatistics, Solved};
pub use solver::{
    Answer, Cores, Forget, Incremental, Solver, SolverError, Stack, Theory, Unknown, Work, check_name, open,
};
pub use terms::{Node, Term, Terms, mask, signed};
