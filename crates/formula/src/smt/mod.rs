//! SMT-LIB 2 (Barrett, Fontaine, Tinelli, "The SMT-LIB Standard", version 2.6): the language that solvers
//! share.
//!
//! ```text
//! Terms ──bitvectors.rs, integers.rs──▶ Writer ──text──▶ Pipe ──▶ z3, cvc5, …
//!   ▲                                                     │
//!   └──── Process ◀── answer, core, values ◀── Sexp ◀─────┘
//! ```
//!
//! There are no arrays: the encoding turns memory into `ite`s before it comes here, and every solver for
//! bit-vectors has the logic without arrays.

mod bitvectors;
pub mod horn;
mod integers;
mod known;
mod model;
mod pipe;
mod process;
mod sexp;
mod writer;

pub use known::{Dialect, KNOWN};
pub use process::Process;
pub use writer::Naming;

use crate::solver::Theory;
use crate::terms::{Node, Term, Terms};
use writer::Writer;

/// A complete script that asks whether the assertions can hold together.
pub fn script(terms: &Terms, theory: Theory, assertions: &[Term]) -> String {
    let mut text = format!("(set-logic {})\n", logic(terms, theory, assertions));
    for t in terms.cone(assertions.iter().copied()) {
        if let Some(name) = terms.name(t) {
            let printable: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            text += &format!("; {} is {printable}\n", writer::name(terms, t));
        }
    }
    let mut writer = Writer::new(theory, Naming::Functions);
    for &t in assertions {
        writer.assert(terms, t, &mut text);
    }
    text + "(check-sat)\n(exit)\n"
}

/// The smallest logic that contains all assertions.
fn logic(terms: &Terms, theory: Theory, assertions: &[Term]) -> &'static str {
    let is_constant = |t| terms.as_constant(t).is_some();
    let is_linear = |t| match terms.node(t) {
        Node::Mul(a, b) => is_constant(a) || is_constant(b),
        Node::Udiv(_, b) | Node::Urem(_, b) | Node::Sdiv(_, b) | Node::Srem(_, b) => is_constant(b),
        _ => true,
    };
    match theory {
        Theory::BitVectors => "QF_BV",
        Theory::Integers if terms.cone(assertions.iter().copied()).into_iter().all(is_linear) => "QF_LIA",
        Theory::Integers => "QF_NIA",
    }
}
