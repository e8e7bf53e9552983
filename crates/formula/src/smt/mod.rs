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
            text += &format!("; {} is {}\n", writer::name(terms, t), printable(name));
        }
    }
    let mut writer = Writer::new(theory, Naming::Functions);
    for &t in assertions {
        writer.assert(terms, t, &mut text);
    }
    text + "(check-sat)\n(exit)\n"
}

/// A script that asks about each Boolean by itself whether it can hold. A comment stands before each question.
pub fn questions<'a>(terms: &Terms, all: impl IntoIterator<Item = (&'a str, Term)> + Clone) -> String {
    let mut text = "(set-logic QF_BV)\n".to_string();
    for t in terms.cone(all.clone().into_iter().map(|(_, t)| t)) {
        if let Some(name) = terms.name(t) {
            text += &format!("; {} is {}\n", writer::name(terms, t), printable(name));
        }
    }
    let mut writer = Writer::new(Theory::BitVectors, Naming::Functions);
    for (comment, t) in all {
        let asked = writer.define(terms, t, &mut text);
        text += &format!("; {}\n(push 1)\n(assert {asked})\n(check-sat)\n(pop 1)\n", printable(comment));
    }
    text + "(exit)\n"
}

fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
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
