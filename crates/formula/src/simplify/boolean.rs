//! `not`, `and`, `xor`, `ite`, on Booleans and bit by bit on vectors, and operations derived from them.

use crate::terms::{Node, Term, Terms, mask};

impl Terms {
    pub fn not(&mut self, a: Term) -> Term {
        match self.node(a) {
            Node::Not(a) => a,
            _ => self.make(self.bits(a), Node::Not(a)),
        }
    }

    pub fn or(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(a, b);
        self.not(neither)
    }

    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_b = self.not(b);
        let broken = self.and(a, not_b);
        self.not(broken)
    }

    /// The conjunction of Booleans; true if there are none.
    pub fn and_all(&mut self, all: impl IntoIterator<Item = Term>) -> Term {
        all.into_iter().fold(Terms::TRUE, |all, t| self.and(all, t))
    }

    /// The disjunction of Booleans; false if there are none.
    pub fn or_all(&mut self, all: impl IntoIterator<Item = Term>) -> Term {
        all.into_iter().fold(Terms::FALSE, |all, t| self.or(all, t))
    }

    pub fn and(&mut self, a: Term, b: Term) -> Term {
        let bits = self.width(a, b);
        let (a, b) = self.ordered(a, b);
        if a == b || self.is_ones(b) {
            return a;
        }
        if self.as_constant(b) == Some(0) || self.complementary(a, b) {
            return self.zero(bits);
        }
        if let Some(simpler) = self.and_constant(a, b) {
            return simpler;
        }
        if let Some(simpler) = self.and_into(a, b) {
            return simpler;
        }
        if let Some(simpler) = self.and_into(b, a) {
            return simpler;
        }
        self.make(bits, Node::And(a, b))
    }

    /// Rules on `a ∧ k`.
    fn and_constant(&mut self, a: Term, b: Term) -> Option<Term> {
        let bits = self.bits(a);
        let k = self.as_constant(b)?;
        if let Node::And(x, y) = self.node(a)
            && let Some(l) = self.as_constant(y)
        {
            let both = self.constant(bits, k & l);
            return Some(self.and(x, both));
        }
        if self.as_constant(a).is_none() && k & (k + 1) == 0 {
            let low = self.extract(a, 0, k.trailing_ones());
            return Some(self.zero_extend(low, bits));
        }
        match self.node(a) {
            Node::ZeroExtend { of, .. } => {
                let narrow = self.constant(self.bits(of), k);
                let narrow = self.and(of, narrow);
                Some(self.zero_extend(narrow, bits))
            }
            _ => self.over_constant_leaves(a, bits, |leaf| leaf & k),
        }
    }

    /// Rules on `a ∧ b` that look into `b`.
    fn and_into(&mut self, a: Term, b: Term) -> Option<Term> {
        match self.node(b) {
            // a ∧ (a ∧ y) = a ∧ y,  a ∧ (¬a ∧ y) = 0,  (¬x ∧ q) ∧ (x ∧ y) = 0
            Node::And(x, y) => {
                if a == x || a == y {
                    return Some(b);
                }
                let parts = match self.node(a) {
                    Node::And(p, q) => [a, p, q],
                    _ => [a; 3],
                };
                let clash = parts.iter().any(|&p| self.complementary(p, x) || self.complementary(p, y));
                clash.then(|| self.zero(self.bits(a)))
            }
            Node::Not(n) => match self.node(n) {
                // a ∧ ¬(a ∧ y) = a ∧ ¬y,  a ∧ ¬(¬a ∧ y) = a,  ¬(x ∧ ¬y) ∧ ¬(x ∧ y) = ¬x
                Node::And(x, y) => {
                    let other = match a {
                        _ if a == x => y,
                        _ if a == y => x,
                        _ if self.complementary(a, x) || self.complementary(a, y) => return Some(a),
                        _ => return self.resolve(a, x, y),
                    };
                    let other = self.not(other);
                    Some(self.and(a, other))
                }
                _ => self.and_choice(a, b),
            },
            _ => self.and_choice(a, b),
        }
    }

    /// `¬(p ∧ q) ∧ ¬(x ∧ y)` where one part is shared and the others are complements.
    fn resolve(&mut self, a: Term, x: Term, y: Term) -> Option<Term> {
        let Node::Not(n) = self.node(a) else { return None };
        let Node::And(p, q) = self.node(n) else { return None };
        let shared = match () {
            () if p == x && self.complementary(q, y) => p,
            () if p == y && self.complementary(q, x) => p,
            () if q == x && self.complementary(p, y) => q,
            () if q == y && self.complementary(p, x) => q,
            () => return None,
        };
        Some(self.not(shared))
    }

    /// `c ∧ ite(c, x, y) = c ∧ x` and the like.
    fn and_choice(&mut self, a: Term, b: Term) -> Option<Term> {
        if self.bits(a) != 1 {
            return None;
        }
        let simpler = match self.node(a) {
            Node::Not(c) => self.given(c, false, b),
            _ => self.given(a, true, b),
        };
        (simpler != b).then(|| self.and(a, simpler))
    }

    /// The term when the condition is known, looking one choice deep.
    fn given(&mut self, condition: Term, holds: bool, t: Term) -> Term {
        if t == condition {
            return self.bool(holds);
        }
        let (inner, negated) = match self.node(t) {
            Node::Not(n) => (n, true),
            _ => (t, false),
        };
        let chosen = match self.node(inner) {
            Node::Ite(c, a, b) if c == condition => {
                if holds {
                    a
                } else {
                    b
                }
            }
            _ if inner == condition => self.bool(holds),
            _ => return t,
        };
        if negated { self.not(chosen) } else { chosen }
    }

    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        let bits = self.width(a, b);
        let ((a, a_flipped), (b, b_flipped)) = (self.without_not(a), self.without_not(b));
        let (a, b) = self.ordered(a, b);
        let plain = match (self.node(a), self.node(b)) {
            _ if a == b => self.zero(bits),
            (_, Node::Const { value, .. }) => self.xor_constant(a, value),
            (Node::Xor(x, y), _) if x == b => y,
            (Node::Xor(x, y), _) if y == b => x,
            (_, Node::Xor(x, y)) if x == a => y,
            (_, Node::Xor(x, y)) if y == a => x,
            _ => self.make(bits, Node::Xor(a, b)),
        };
        if a_flipped ^ b_flipped { self.not(plain) } else { plain }
    }

    fn xor_constant(&mut self, a: Term, k: u128) -> Term {
        let bits = self.bits(a);
        let (x, k) = match self.node(a) {
            Node::Xor(x, y) => self.as_constant(y).map_or((a, k), |l| (x, k ^ l)),
            _ => (a, k),
        };
        if k == 0 {
            return x;
        }
        if k == mask(bits) {
            return self.not(x);
        }
        self.over_constant_leaves(x, bits, |leaf| leaf ^ k).unwrap_or_else(|| {
            let k = self.constant(bits, k);
            self.make(bits, Node::Xor(x, k))
        })
    }

    fn without_not(&self, t: Term) -> (Term, bool) {
        match self.node(t) {
            Node::Not(inner) => (inner, true),
            _ => (t, false),
        }
    }

    pub fn ite(&mut self, condition: Term, a: Term, b: Term) -> Term {
        assert_eq!(self.bits(condition), 1, "a condition is a Boolean");
        let bits = self.width(a, b);
        let (c, a, b) = match self.node(condition) {
            Node::Const { value, .. } => return if value == 1 { a } else { b },
            Node::Not(c) => (c, b, a),
            _ => (condition, a, b),
        };
        let (a, b) = (self.given(c, true, a), self.given(c, false, b));
        if a == b {
            return a;
        }
        if bits == 1 {
            if let Some(simpler) = self.ite_boolean(c, a, b) {
                return simpler;
            }
        } else if let Some(simpler) = self.ite_constants(c, a, b) {
            return simpler;
        }
        if let (Node::Not(a), Node::Not(b)) = (self.node(a), self.node(b)) {
            let chosen = self.ite(c, a, b);
            return self.not(chosen);
        }
        // Two choices with a common result are one: ite(c, a, ite(d, a, y)) = ite(c ∨ d, a, y).
        if let Node::Ite(d, x, y) = self.node(b) {
            if x == a {
                let either = self.or(c, d);
                return self.ite(either, a, y);
            }
            if y == a {
                let d = self.not(d);
                let either = self.or(c, d);
                return self.ite(either, a, x);
            }
        }
        if let Node::Ite(d, x, y) = self.node(a) {
            if y == b {
                let both = self.and(c, d);
                return self.ite(both, x, b);
            }
            if x == b {
                let d = self.not(d);
                let both = self.and(c, d);
                return self.ite(both, y, b);
            }
        }
        self.make(bits, Node::Ite(c, a, b))
    }

    /// A Boolean choice with a constant result, or with complementary ones.
    fn ite_boolean(&mut self, c: Term, a: Term, b: Term) -> Option<Term> {
        let not_c = self.not(c);
        Some(match (self.as_constant(a), self.as_constant(b)) {
            (Some(1), _) => self.or(c, b),
            (Some(_), _) => self.and(not_c, b),
            (_, Some(1)) => self.or(not_c, a),
            (_, Some(_)) => self.and(c, a),
            _ if self.complementary(a, b) => self.xor(not_c, a),
            _ => return None,
        })
    }

    /// A condition made a number.
    fn ite_constants(&mut self, c: Term, a: Term, b: Term) -> Option<Term> {
        let bits = self.bits(a);
        let not_c = self.not(c);
        match (self.as_constant(a)?, self.as_constant(b)?) {
            (1, 0) => Some(self.zero_extend(c, bits)),
            (0, 1) => Some(self.zero_extend(not_c, bits)),
            (all, 0) if all == mask(bits) => Some(self.sign_extend(c, bits)),
            (0, all) if all == mask(bits) => Some(self.sign_extend(not_c, bits)),
            _ => None,
        }
    }
}
