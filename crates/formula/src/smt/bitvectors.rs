//! Terms in the logic QF_BV, operation by operation and exactly.
//!
//! Terms of width 1 become Booleans: that is what most of them are used for, and solvers reason better about
//! `and` than about `bvand`. Where one is an operand of an operation on bits, it is turned back into a bit.

use super::writer::{Meaning, name};
use crate::terms::{Node, Term, Terms};

pub(super) fn meaning(terms: &Terms, t: Term) -> Meaning {
    let bits = terms.bits(t);
    let sort = if bits == 1 { "Bool".to_owned() } else { format!("(_ BitVec {bits})") };
    let body = match terms.node(t) {
        Node::Var { .. } => None,
        node => Some(body(terms, node, bits)),
    };
    Meaning { sort, body, facts: Vec::new() }
}

fn body(terms: &Terms, node: Node, bits: u32) -> String {
    let of = |t| atom(terms, t);
    match node {
        Node::Eq(a, b) => format!("(= {} {})", of(a), of(b)),
        Node::Ult(a, b) => format!("(bvult {} {})", as_bits(terms, a), as_bits(terms, b)),
        Node::Slt(a, b) => format!("(bvslt {} {})", as_bits(terms, a), as_bits(terms, b)),
        Node::Ite(c, a, b) => format!("(ite {} {} {})", of(c), of(a), of(b)),
        Node::Not(a) if bits == 1 => format!("(not {})", of(a)),
        Node::And(a, b) if bits == 1 => format!("(and {} {})", of(a), of(b)),
        Node::Xor(a, b) if bits == 1 => format!("(xor {} {})", of(a), of(b)),
        _ if bits == 1 => format!("(= {} #b1)", on_bits(terms, node)),
        _ => on_bits(terms, node),
    }
}

fn on_bits(terms: &Terms, node: Node) -> String {
    let unary = |op: &str, a| format!("({op} {})", as_bits(terms, a));
    let binary = |op: &str, a, b| format!("({op} {} {})", as_bits(terms, a), as_bits(terms, b));
    match node {
        Node::Not(a) => unary("bvnot", a),
        Node::And(a, b) => binary("bvand", a, b),
        Node::Xor(a, b) => binary("bvxor", a, b),
        Node::Neg(a) => unary("bvneg", a),
        Node::Add(a, b) => binary("bvadd", a, b),
        Node::Sub(a, b) => binary("bvsub", a, b),
        Node::Mul(a, b) => binary("bvmul", a, b),
        Node::Udiv(a, b) => binary("bvudiv", a, b),
        Node::Sdiv(a, b) => binary("bvsdiv", a, b),
        Node::Urem(a, b) => binary("bvurem", a, b),
        Node::Srem(a, b) => binary("bvsrem", a, b),
        Node::Shl(a, by) => binary("bvshl", a, by),
        Node::Lshr(a, by) => binary("bvlshr", a, by),
        Node::Ashr(a, by) => binary("bvashr", a, by),
        Node::Concat(high, low) => binary("concat", high, low),
        Node::ZeroExtend { of, bits } => unary(&format!("(_ zero_extend {})", bits - terms.bits(of)), of),
        Node::SignExtend { of, bits } => unary(&format!("(_ sign_extend {})", bits - terms.bits(of)), of),
        Node::Extract { of, low, bits } => unary(&format!("(_ extract {} {low})", low + bits - 1), of),
        Node::Const { .. } | Node::Var { .. } | Node::Eq(..) | Node::Ult(..) | Node::Slt(..) | Node::Ite(..) => {
            unreachable!("no operation on bits")
        }
    }
}

/// A Boolean if the width is 1, else bits.
pub(super) fn atom(terms: &Terms, t: Term) -> String {
    match terms.as_constant(t) {
        Some(value) if terms.bits(t) == 1 => (value == 1).to_string(),
        Some(value) => literal(terms.bits(t), value),
        None => name(terms, t),
    }
}

fn as_bits(terms: &Terms, t: Term) -> String {
    match terms.as_constant(t) {
        Some(value) => literal(terms.bits(t), value),
        None if terms.bits(t) == 1 => format!("(ite {} #b1 #b0)", name(terms, t)),
        None => name(terms, t),
    }
}

fn literal(bits: u32, value: u128) -> String {
    let (binary, hexadecimal) = (bits as usize, bits as usize / 4);
    if bits.is_multiple_of(4) { format!("#x{value:0hexadecimal$x}") } else { format!("#b{value:0binary$b}") }
}
