//! `add`, `sub`, `mul`, division, shifts. Constants float outwards: `(x + k) + y` is `(x + y) + k`.

use crate::terms::{Node, Term, Terms, mask};

impl Terms {
    pub fn neg(&mut self, a: Term) -> Term {
        let bits = self.bits(a);
        match self.node(a) {
            _ if bits == 1 => a,
            Node::Neg(x) => x,
            Node::Sub(x, y) => self.sub(y, x),
            Node::Not(x) => {
                let one = self.constant(bits, 1);
                self.add(x, one)
            }
            _ => self.make(bits, Node::Neg(a)),
        }
    }

    /// `x + k` as `(x, k)`, with a `k` of zero if there is none.
    fn split_sum(&self, t: Term) -> (Term, u128) {
        match self.node(t) {
            Node::Add(x, y) => self.as_constant(y).map_or((t, 0), |k| (x, k)),
            _ => (t, 0),
        }
    }

    fn add_constant(&mut self, a: Term, k: u128) -> Term {
        let k = self.constant(self.bits(a), k);
        self.add(a, k)
    }

    pub fn add(&mut self, a: Term, b: Term) -> Term {
        let bits = self.width(a, b);
        if bits == 1 {
            return self.xor(a, b);
        }
        let (a, b) = self.ordered(a, b);
        let (x, k) = self.split_sum(a);
        if let Some(other) = self.as_constant(b) {
            let sum = k.wrapping_add(other) & mask(bits);
            if sum == 0 {
                return x;
            }
            if let Some(simpler) = self.over_constant_leaves(x, bits, |leaf| leaf.wrapping_add(sum)) {
                return simpler;
            }
            let sum = self.constant(bits, sum);
            return self.make(bits, Node::Add(x, sum));
        }
        let (y, l) = self.split_sum(b);
        if k != 0 || l != 0 {
            let sum = self.add(x, y);
            return self.add_constant(sum, k.wrapping_add(l));
        }
        match (self.node(a), self.node(b)) {
            _ if self.complementary(a, b) => self.ones(bits),
            (_, Node::Neg(y)) => self.sub(a, y),
            (Node::Neg(x), _) => self.sub(b, x),
            (Node::Sub(x, y), _) if y == b => x,
            (_, Node::Sub(x, y)) if y == a => x,
            _ => self.make(bits, Node::Add(a, b)),
        }
    }

    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let bits = self.width(a, b);
        if bits == 1 {
            return self.xor(a, b);
        }
        if a == b {
            return self.zero(bits);
        }
        if let Some(k) = self.as_constant(b) {
            return self.add_constant(a, k.wrapping_neg());
        }
        let ((x, k), (y, l)) = (self.split_sum(a), self.split_sum(b));
        if k != 0 || l != 0 {
            let difference = self.sub(x, y);
            return self.add_constant(difference, k.wrapping_sub(l));
        }
        match (self.node(a), self.node(b)) {
            (Node::Const { value: 0, .. }, _) => self.neg(b),
            (_, Node::Neg(y)) => self.add(a, y),
            (Node::Add(x, y), _) if x == b => y,
            (Node::Add(x, y), _) if y == b => x,
            _ => self.make(bits, Node::Sub(a, b)),
        }
    }

    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        let bits = self.width(a, b);
        if bits == 1 {
            return self.and(a, b);
        }
        let (a, b) = self.ordered(a, b);
        match (self.node(a), self.as_constant(b)) {
            (_, Some(0)) => b,
            (_, Some(1)) => a,
            (_, Some(k)) if k == mask(bits) => self.neg(a),
            (_, Some(k)) if k.is_power_of_two() => self.shl_constant(a, k.trailing_zeros()),
            (Node::Mul(x, y), Some(k)) if self.as_constant(y).is_some() => {
                let product = self.as_constant(y).unwrap_or_default().wrapping_mul(k);
                let product = self.constant(bits, product);
                self.mul(x, product)
            }
            (_, Some(k)) => self
                .over_constant_leaves(a, bits, |leaf| leaf.wrapping_mul(k))
                .unwrap_or_else(|| self.make(bits, Node::Mul(a, b))),
            _ => self.make(bits, Node::Mul(a, b)),
        }
    }

    pub fn udiv(&mut self, a: Term, b: Term) -> Term {
        let bits = self.width(a, b);
        match (self.node(a), self.as_constant(b)) {
            (_, Some(0)) => self.ones(bits),
            (_, Some(k)) if k.is_power_of_two() => self.lshr_constant(a, k.trailing_zeros()),
            (Node::ZeroExtend { of, .. }, Some(k)) if k > mask(self.bits(of)) => self.zero(bits),
            (Node::ZeroExtend { of, .. }, Some(k)) => {
                let k = self.constant(self.bits(of), k);
                let narrow = self.udiv(of, k);
                self.zero_extend(narrow, bits)
            }
            _ => self.make(bits, Node::Udiv(a, b)),
        }
    }

    pub fn urem(&mut self, a: Term, b: Term) -> Term {
        let bits = self.width(a, b);
        match (self.node(a), self.as_constant(b)) {
            _ if a == b => self.zero(bits),
            (_, Some(0)) => a,
            (_, Some(k)) if k.is_power_of_two() => {
                let low = self.constant(bits, k - 1);
                self.and(a, low)
            }
            (Node::ZeroExtend { of, .. }, Some(k)) if k > mask(self.bits(of)) => a,
            (Node::ZeroExtend { of, .. }, Some(k)) => {
                let k = self.constant(self.bits(of), k);
                let narrow = self.urem(of, k);
                self.zero_extend(narrow, bits)
            }
            _ => self.make(bits, Node::Urem(a, b)),
        }
    }

    pub fn sdiv(&mut self, a: Term, b: Term) -> Term {
        let bits = self.width(a, b);
        match self.as_constant(b) {
            Some(k) if k == mask(bits) => self.neg(a),
            Some(1) => a,
            _ => self.make(bits, Node::Sdiv(a, b)),
        }
    }

    pub fn srem(&mut self, a: Term, b: Term) -> Term {
        let bits = self.width(a, b);
        match self.as_constant(b) {
            _ if a == b => self.zero(bits),
            Some(0) => a,
            Some(k) if k == 1 || k == mask(bits) => self.zero(bits),
            _ => self.make(bits, Node::Srem(a, b)),
        }
    }

    /// The constant amount of a shift; the width stands for everything above it.
    fn amount(&self, by: Term) -> Option<u32> {
        let bits = self.bits(by);
        self.as_constant(by).map(|by| u32::try_from(by).map_or(bits, |by| by.min(bits)))
    }

    pub fn shl(&mut self, a: Term, by: Term) -> Term {
        let bits = self.width(a, by);
        match self.amount(by) {
            Some(by) => self.shl_constant(a, by),
            None if self.as_constant(a) == Some(0) => a,
            None => self.make(bits, Node::Shl(a, by)),
        }
    }

    pub fn lshr(&mut self, a: Term, by: Term) -> Term {
        let bits = self.width(a, by);
        match self.amount(by) {
            Some(by) => self.lshr_constant(a, by),
            None if self.as_constant(a) == Some(0) => a,
            None => self.make(bits, Node::Lshr(a, by)),
        }
    }

    pub fn ashr(&mut self, a: Term, by: Term) -> Term {
        let bits = self.width(a, by);
        match self.amount(by) {
            Some(by) => {
                let by = by.min(bits - 1);
                let kept = self.extract(a, by, bits - by);
                self.sign_extend(kept, bits)
            }
            None if self.as_constant(a) == Some(0) || self.is_ones(a) => a,
            None => self.make(bits, Node::Ashr(a, by)),
        }
    }

    fn shl_constant(&mut self, a: Term, by: u32) -> Term {
        let bits = self.bits(a);
        match by {
            0 => a,
            _ if by >= bits => self.zero(bits),
            _ => {
                let kept = self.extract(a, 0, bits - by);
                let filler = self.zero(by);
                self.concat(kept, filler)
            }
        }
    }

    fn lshr_constant(&mut self, a: Term, by: u32) -> Term {
        let bits = self.bits(a);
        if by >= bits {
            return self.zero(bits);
        }
        let kept = self.extract(a, by, bits - by);
        self.zero_extend(kept, bits)
    }
}
