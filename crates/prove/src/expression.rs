//! Terms like expressions of C, for people. Nothing reads them again.

use selvedge_formula::{Node, Term, Terms, signed};

/// Longer and deeper expressions are cut off.
const LONGEST: usize = 400;
const DEEPEST: u32 = 60;

/// The parts of a conjunction.
pub fn parts(terms: &Terms, statement: Term) -> Vec<Term> {
    let mut parts = Vec::new();
    let mut waiting = vec![statement];
    while let Some(term) = waiting.pop() {
        match terms.node(term) {
            Node::And(a, b) if terms.bits(term) == 1 => waiting.extend([b, a]),
            _ => parts.push(term),
        }
    }
    parts
}

/// The parts of a conjunction, each as text.
pub fn conjuncts(terms: &Terms, statement: Term) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for text in parts(terms, statement).into_iter().map(|part| expression(terms, part)) {
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

pub fn expression(terms: &Terms, term: Term) -> String {
    let mut printer = Printer { terms, text: String::new(), depth: 0 };
    printer.print(term, 0);
    printer.text
}

struct Printer<'a> {
    terms: &'a Terms,
    text: String,
    depth: u32,
}

/// The precedence of operators, as in C.
const TERNARY: u32 = 1;
const OR: u32 = 2;
const AND: u32 = 3;
const BITS: u32 = 5;
const EQUAL: u32 = 6;
const LESS: u32 = 7;
const SHIFT: u32 = 8;
const SUM: u32 = 9;
const PRODUCT: u32 = 10;
const UNARY: u32 = 11;

impl Printer<'_> {
    /// `around`: how tightly what stands around binds.
    fn print(&mut self, term: Term, around: u32) {
        if self.text.len() > LONGEST || self.depth > DEEPEST {
            if !self.text.ends_with('…') {
                self.text.push('…');
            }
            return;
        }
        self.depth += 1;
        self.print_node(term, around);
        self.depth -= 1;
    }

    fn print_node(&mut self, term: Term, around: u32) {
        let bits = self.terms.bits(term);
        match self.terms.node(term) {
            Node::Const { bits: 1, value } => self.text.push_str(if value == 1 { "true" } else { "false" }),
            Node::Const { bits, value } => self.text.push_str(&signed(bits, value).to_string()),
            Node::Var { .. } => self.text.push_str(self.terms.name(term).unwrap_or("?")),
            Node::Not(inner) if bits == 1 => self.negated(inner, around),
            Node::Not(a) => self.unary("~", a),
            Node::Neg(a) => self.unary("-", a),
            Node::And(a, b) if bits == 1 => self.binary(a, " && ", b, AND, around),
            Node::Xor(a, b) if bits == 1 => self.binary(a, " != ", b, EQUAL, around),
            Node::And(a, b) => self.binary(a, " & ", b, BITS, around),
            Node::Xor(a, b) => self.binary(a, " ^ ", b, BITS, around),
            Node::Add(a, b) => self.binary(a, " + ", b, SUM, around),
            Node::Sub(a, b) => self.binary(a, " - ", b, SUM, around),
            Node::Mul(a, b) => self.binary(a, " * ", b, PRODUCT, around),
            Node::Udiv(a, b) => self.binary(a, " /u ", b, PRODUCT, around),
            Node::Sdiv(a, b) => self.binary(a, " / ", b, PRODUCT, around),
            Node::Urem(a, b) => self.binary(a, " %u ", b, PRODUCT, around),
            Node::Srem(a, b) => self.binary(a, " % ", b, PRODUCT, around),
            Node::Shl(a, b) => self.binary(a, " << ", b, SHIFT, around),
            Node::Lshr(a, b) => self.binary(a, " >>u ", b, SHIFT, around),
            Node::Ashr(a, b) => self.binary(a, " >> ", b, SHIFT, around),
            Node::Eq(a, b) => self.binary(a, " == ", b, EQUAL, around),
            Node::Ult(a, b) => self.binary(a, " <u ", b, LESS, around),
            Node::Slt(a, b) => self.binary(a, " < ", b, LESS, around),
            Node::Ite(c, a, b) => self.wrapped(TERNARY, around, |this| {
                this.print(c, OR);
                this.text.push_str(" ? ");
                this.print(a, OR);
                this.text.push_str(" : ");
                this.print(b, TERNARY);
            }),
            Node::ZeroExtend { of, .. } | Node::SignExtend { of, .. } => self.print(of, around),
            Node::Extract { of, low, bits } => {
                self.print(of, UNARY);
                self.text.push_str(&format!("[{}:{low}]", low + bits - 1));
            }
            Node::Concat(high, low) => self.call("bits", &[high, low]),
        }
    }

    fn negated(&mut self, inner: Term, around: u32) {
        match self.terms.node(inner) {
            // Not (not a and not b).
            Node::And(a, b) => {
                self.wrapped(OR, around, |this| {
                    this.print_negation(a, OR);
                    this.text.push_str(" || ");
                    this.print_negation(b, OR);
                });
            }
            Node::Eq(a, b) => self.binary(a, " != ", b, EQUAL, around),
            Node::Xor(a, b) => self.binary(a, " == ", b, EQUAL, around),
            Node::Ult(a, b) => self.binary(b, " <=u ", a, LESS, around),
            Node::Slt(a, b) => self.binary(b, " <= ", a, LESS, around),
            _ => self.unary("!", inner),
        }
    }

    fn print_negation(&mut self, term: Term, around: u32) {
        match self.terms.node(term) {
            Node::Not(inner) => self.print(inner, around),
            _ => self.negated(term, around),
        }
    }

    fn unary(&mut self, operator: &str, of: Term) {
        self.text.push_str(operator);
        self.print(of, UNARY);
    }

    fn binary(&mut self, a: Term, operator: &str, b: Term, binds: u32, around: u32) {
        self.wrapped(binds, around, |this| {
            this.print(a, binds);
            this.text.push_str(operator);
            this.print(b, binds + 1);
        });
    }

    fn call(&mut self, name: &str, arguments: &[Term]) {
        self.text.push_str(name);
        self.text.push('(');
        for (index, argument) in arguments.iter().enumerate() {
            self.text.push_str(if index == 0 { "" } else { ", " });
            self.print(*argument, 0);
        }
        self.text.push(')');
    }

    fn wrapped(&mut self, binds: u32, around: u32, inside: impl FnOnce(&mut Self)) {
        let needs = binds < around;
        self.text.push_str(if needs { "(" } else { "" });
        inside(self);
        self.text.push_str(if needs { ")" } else { "" });
    }
}
