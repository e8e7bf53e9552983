//! Simplification while building.
//!
//! Every constructor looks at its arguments, and one level into them, before it makes a node. A rule
//! either returns something that exists, or makes fewer or narrower operations than were asked for;
//! so there is no separate rewriting phase, and building stays linear. Where one rule leads to
//! another, either the widths shrink or the number of steps is limited.
//!
//! The rules are those of Brummayer and Biere, "Local Two-Level And-Inverter Graph Minimization
//! without Blowup" (MEMICS 2006), for the Boolean part, and the usual ones of bit-vector solvers.

mod arithmetic;
mod boolean;
mod compare;
mod widths;

use crate::terms::{Node, Term, Terms, mask};

impl Terms {
    fn ones(&mut self, bits: u32) -> Term {
        self.constant(bits, u128::MAX)
    }

    fn zero(&mut self, bits: u32) -> Term {
        self.constant(bits, 0)
    }

    fn complementary(&self, a: Term, b: Term) -> bool {
        self.node(a) == Node::Not(b) || self.node(b) == Node::Not(a)
    }

    /// The arguments of a commutative operation: a constant last, otherwise the older one first.
    fn ordered(&self, a: Term, b: Term) -> (Term, Term) {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(_), None) => (b, a),
            (None, Some(_)) => (a, b),
            _ => (a.min(b), a.max(b)),
        }
    }

    /// The common width of two arguments.
    fn width(&self, a: Term, b: Term) -> u32 {
        assert_eq!(self.bits(a), self.bits(b), "operands of different widths");
        self.bits(a)
    }

    /// `ite(c, f(k1), f(k2))` if the term is `ite(c, k1, k2)`.
    fn over_constant_leaves(&mut self, t: Term, bits: u32, f: impl Fn(u128) -> u128) -> Option<Term> {
        let Node::Ite(c, a, b) = self.node(t) else { return None };
        let (a, b) = (self.as_constant(a)?, self.as_constant(b)?);
        let (a, b) = (self.constant(bits, f(a)), self.constant(bits, f(b)));
        Some(self.ite(c, a, b))
    }

    fn is_ones(&self, t: Term) -> bool {
        self.as_constant(t) == Some(mask(self.bits(t)))
    }
}
