//! `eq`, `ult`, `slt`, and comparisons derived from them.

use crate::terms::{Node, Term, Terms, mask, signed};

/// The number of operations or choices that an equation is pushed through, at most.
const DEPTH: u32 = 16;

impl Terms {
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    pub fn ule(&mut self, a: Term, b: Term) -> Term {
        let above = self.ult(b, a);
        self.not(above)
    }

    pub fn sle(&mut self, a: Term, b: Term) -> Term {
        let above = self.slt(b, a);
        self.not(above)
    }

    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        self.eq_within(DEPTH, a, b)
    }

    fn eq_within(&mut self, depth: u32, a: Term, b: Term) -> Term {
        let bits = self.width(a, b);
        let (a, b) = self.ordered(a, b);
        if a == b {
            return Terms::TRUE;
        }
        if bits == 1 {
            let different = self.xor(a, b);
            return self.not(different);
        }
        if self.complementary(a, b) {
            return Terms::FALSE;
        }
        if depth > 0 {
            let simpler = match self.as_constant(b) {
                Some(k) => self.eq_constant(depth - 1, a, k),
                None => self.eq_terms(depth - 1, a, b),
            };
            if let Some(simpler) = simpler {
                return simpler;
            }
        }
        self.make(1, Node::Eq(a, b))
    }

    /// Solves `a = k` for the operands of `a`.
    fn eq_constant(&mut self, depth: u32, a: Term, k: u128) -> Option<Term> {
        let bits = self.bits(a);
        let (x, k) = match self.node(a) {
            Node::Not(x) => (x, !k),
            Node::Neg(x) => (x, k.wrapping_neg()),
            Node::Add(x, y) => (x, k.wrapping_sub(self.as_constant(y)?)),
            Node::Sub(x, y) if k == 0 => return Some(self.eq_within(depth, x, y)),
            Node::Sub(x, y) => (y, self.as_constant(x)?.wrapping_sub(k)),
            Node::Xor(x, y) if k == 0 => return Some(self.eq_within(depth, x, y)),
            Node::Xor(x, y) => (x, k ^ self.as_constant(y)?),
            Node::And(x, y) => {
                let bit = self.as_constant(y)?;
                if k & !bit != 0 {
                    return Some(Terms::FALSE);
                }
                if !bit.is_power_of_two() {
                    return None;
                }
                (self.extract(x, bit.trailing_zeros(), 1), u128::from(k != 0))
            }
            Node::ZeroExtend { of, .. } if k > mask(self.bits(of)) => return Some(Terms::FALSE),
            Node::ZeroExtend { of, .. } => (of, k),
            Node::SignExtend { of, .. } => {
                let narrow = self.bits(of);
                if signed(narrow, k) != signed(bits, k) {
                    return Some(Terms::FALSE);
                }
                (of, k)
            }
            Node::Concat(high, low) => {
                let split = self.bits(low);
                let (k_high, k_low) = (self.constant(bits - split, k >> split), self.constant(split, k));
                let low = self.eq_within(depth, low, k_low);
                if low == Terms::FALSE {
                    return Some(low);
                }
                let high = self.eq_within(depth, high, k_high);
                return Some(self.and(high, low));
            }
            Node::Ite(c, x, y) => return self.eq_choice(depth, c, x, y, k),
            _ => return None,
        };
        let k = self.constant(self.bits(x), k);
        Some(self.eq_within(depth, x, k))
    }

    /// `ite(c, x, y) = k`, if that leaves one equation at most.
    fn eq_choice(&mut self, depth: u32, c: Term, x: Term, y: Term, k: u128) -> Option<Term> {
        let (condition, leaf, rest) = match (self.as_constant(x), self.as_constant(y)) {
            (Some(leaf), _) => (c, leaf, y),
            (_, Some(leaf)) => (self.not(c), leaf, x),
            _ => return None,
        };
        let wanted = self.constant(self.bits(x), k);
        let rest = self.eq_within(depth, rest, wanted);
        if leaf == k {
            return Some(self.or(condition, rest));
        }
        let other = self.not(condition);
        Some(self.and(other, rest))
    }

    fn eq_terms(&mut self, depth: u32, a: Term, b: Term) -> Option<Term> {
        match (self.node(a), self.node(b)) {
            (Node::Not(x), Node::Not(y)) | (Node::Neg(x), Node::Neg(y)) => Some(self.eq_within(depth, x, y)),
            (Node::ZeroExtend { of: x, .. }, Node::ZeroExtend { of: y, .. }) => {
                let bits = self.bits(x).max(self.bits(y));
                let (x, y) = (self.zero_extend(x, bits), self.zero_extend(y, bits));
                Some(self.eq_within(depth, x, y))
            }
            (Node::SignExtend { of: x, .. }, Node::SignExtend { of: y, .. }) => {
                let bits = self.bits(x).max(self.bits(y));
                let (x, y) = (self.sign_extend(x, bits), self.sign_extend(y, bits));
                Some(self.eq_within(depth, x, y))
            }
            (Node::Add(x, y), Node::Add(p, q)) => {
                let (y, q) = match () {
                    () if x == p => (y, q),
                    () if x == q => (y, p),
                    () if y == p => (x, q),
                    () if y == q => (x, p),
                    () => return None,
                };
                Some(self.eq_within(depth, y, q))
            }
            (Node::Ite(c, x, y), Node::Ite(d, p, q)) if c == d && x == p => {
                let rest = self.eq_within(depth, y, q);
                Some(self.or(c, rest))
            }
            (Node::Ite(c, x, y), Node::Ite(d, p, q)) if c == d && y == q => {
                let rest = self.eq_within(depth, x, p);
                Some(self.implies(c, rest))
            }
            _ => self.eq_part(depth, a, b).or_else(|| self.eq_part(depth, b, a)),
        }
    }

    /// An equation between a term and one of its subterms.
    fn eq_part(&mut self, depth: u32, a: Term, b: Term) -> Option<Term> {
        match self.node(a) {
            Node::Add(x, y) if x == b || y == b => {
                let zero = self.zero(self.bits(a));
                Some(self.eq_within(depth, if x == b { y } else { x }, zero))
            }
            Node::Ite(c, x, y) if x == b => {
                let rest = self.eq_within(depth, y, b);
                Some(self.or(c, rest))
            }
            Node::Ite(c, x, y) if y == b => {
                let rest = self.eq_within(depth, x, b);
                Some(self.implies(c, rest))
            }
            _ => None,
        }
    }

    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        let bits = self.width(a, b);
        if a == b {
            return Terms::FALSE;
        }
        if bits == 1 {
            let not_a = self.not(a);
            return self.and(not_a, b);
        }
        let top = mask(bits);
        let simpler = match (self.as_constant(a), self.as_constant(b)) {
            (Some(_), Some(_)) => None,
            (_, Some(0)) => Some(Terms::FALSE),
            (Some(k), _) if k == top => Some(Terms::FALSE),
            (_, Some(1)) => {
                let zero = self.zero(bits);
                Some(self.eq(a, zero))
            }
            (Some(k), _) if k == top - 1 => {
                let top = self.ones(bits);
                Some(self.eq(b, top))
            }
            (Some(0), _) | (_, Some(_)) if self.as_constant(a) == Some(0) || self.is_ones(b) => Some(self.ne(a, b)),
            (_, Some(k)) => self.ult_constant(a, k),
            (Some(k), _) => self.constant_ult(k, b),
            _ => None,
        };
        if let Some(simpler) = simpler {
            return simpler;
        }
        match (self.node(a), self.node(b)) {
            (Node::Not(x), Node::Not(y)) => self.ult(y, x),
            (Node::ZeroExtend { of: x, .. }, Node::ZeroExtend { of: y, .. }) => {
                let bits = self.bits(x).max(self.bits(y));
                let (x, y) = (self.zero_extend(x, bits), self.zero_extend(y, bits));
                self.ult(x, y)
            }
            _ => self.make(1, Node::Ult(a, b)),
        }
    }

    fn ult_constant(&mut self, a: Term, k: u128) -> Option<Term> {
        match self.node(a) {
            Node::ZeroExtend { of, .. } => Some(match mask(self.bits(of)) {
                top if k > top => Terms::TRUE,
                _ => {
                    let k = self.constant(self.bits(of), k);
                    self.ult(of, k)
                }
            }),
            _ => self.over_constant_leaves(a, 1, |leaf| u128::from(leaf < k)),
        }
    }

    fn constant_ult(&mut self, k: u128, b: Term) -> Option<Term> {
        match self.node(b) {
            Node::ZeroExtend { of, .. } => Some(match mask(self.bits(of)) {
                top if k >= top => Terms::FALSE,
                _ => {
                    let k = self.constant(self.bits(of), k);
                    self.ult(k, of)
                }
            }),
            _ => self.over_constant_leaves(b, 1, |leaf| u128::from(k < leaf)),
        }
    }

    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        let bits = self.width(a, b);
        if a == b {
            return Terms::FALSE;
        }
        if bits == 1 {
            let not_b = self.not(b);
            return self.and(a, not_b);
        }
        let (least, greatest) = (1 << (bits - 1), mask(bits - 1));
        let simpler = match (self.as_constant(a), self.as_constant(b)) {
            (Some(_), Some(_)) => None,
            (_, Some(k)) if k == least => Some(Terms::FALSE),
            (Some(k), _) if k == greatest => Some(Terms::FALSE),
            (Some(k), _) if k == least => Some(self.ne(a, b)),
            (_, Some(k)) if k == greatest => Some(self.ne(a, b)),
            (_, Some(0)) => Some(self.extract(a, bits - 1, 1)),
            (Some(k), _) if k == mask(bits) => {
                let negative = self.extract(b, bits - 1, 1);
                Some(self.not(negative))
            }
            (_, Some(k)) => self.slt_constant(a, k),
            (Some(k), _) => self.constant_slt(k, b),
            _ => None,
        };
        if let Some(simpler) = simpler {
            return simpler;
        }
        match (self.node(a), self.node(b)) {
            (Node::Not(x), Node::Not(y)) => self.slt(y, x),
            (Node::ZeroExtend { .. }, Node::ZeroExtend { .. }) => self.ult(a, b),
            (Node::SignExtend { of: x, .. }, Node::SignExtend { of: y, .. }) => {
                let bits = self.bits(x).max(self.bits(y));
                let (x, y) = (self.sign_extend(x, bits), self.sign_extend(y, bits));
                self.slt(x, y)
            }
            _ => self.make(1, Node::Slt(a, b)),
        }
    }

    fn slt_constant(&mut self, a: Term, k: u128) -> Option<Term> {
        let bits = self.bits(a);
        let limit = signed(bits, k);
        match self.node(a) {
            Node::ZeroExtend { .. } if limit < 0 => Some(Terms::FALSE),
            Node::ZeroExtend { .. } => {
                let k = self.constant(bits, k);
                Some(self.ult(a, k))
            }
            Node::SignExtend { of, .. } => Some(match self.bits(of) {
                narrow if signed(narrow, k) == limit => {
                    let k = self.constant(narrow, k);
                    self.slt(of, k)
                }
                _ => self.bool(limit > 0),
            }),
            _ => self.over_constant_leaves(a, 1, |leaf| u128::from(signed(bits, leaf) < limit)),
        }
    }

    fn constant_slt(&mut self, k: u128, b: Term) -> Option<Term> {
        let bits = self.bits(b);
        let limit = signed(bits, k);
        match self.node(b) {
            Node::ZeroExtend { .. } if limit < 0 => Some(Terms::TRUE),
            Node::ZeroExtend { .. } => {
                let k = self.constant(bits, k);
                Some(self.ult(k, b))
            }
            Node::SignExtend { of, .. } => Some(match self.bits(of) {
                narrow if signed(narrow, k) == limit => {
                    let k = self.constant(narrow, k);
                    self.slt(k, of)
                }
                _ => self.bool(limit < 0),
            }),
            _ => self.over_constant_leaves(b, 1, |leaf| u128::from(limit < signed(bits, leaf))),
        }
    }
}
