//! Extensions, extraction, concatenation, and the operations on single bits that are made of them.

use crate::terms::{Node, Term, Terms, mask, signed};

type Operation = fn(&mut Terms, Term, Term) -> Term;

impl Terms {
    /// Extends to `bits`, which must not be fewer than the term has.
    pub fn zero_extend(&mut self, t: Term, bits: u32) -> Term {
        let narrow = self.bits(t);
        assert!((narrow..=128).contains(&bits), "extension from {narrow} to {bits} bits");
        if narrow == bits {
            return t;
        }
        match self.node(t) {
            Node::ZeroExtend { of, .. } => self.make(bits, Node::ZeroExtend { of, bits }),
            _ => match self.over_constant_leaves(t, bits, |leaf| leaf) {
                Some(simpler) => simpler,
                None => self.make(bits, Node::ZeroExtend { of: t, bits }),
            },
        }
    }

    /// Extends to `bits`, which must not be fewer than the term has.
    pub fn sign_extend(&mut self, t: Term, bits: u32) -> Term {
        let narrow = self.bits(t);
        assert!((narrow..=128).contains(&bits), "extension from {narrow} to {bits} bits");
        if narrow == bits {
            return t;
        }
        match self.node(t) {
            Node::ZeroExtend { of, .. } => self.make(bits, Node::ZeroExtend { of, bits }),
            Node::SignExtend { of, .. } => self.make(bits, Node::SignExtend { of, bits }),
            _ => match self.over_constant_leaves(t, bits, |leaf| signed(narrow, leaf).cast_unsigned()) {
                Some(simpler) => simpler,
                None => self.make(bits, Node::SignExtend { of: t, bits }),
            },
        }
    }

    /// The bits from `low` on.
    pub fn extract(&mut self, t: Term, low: u32, bits: u32) -> Term {
        let all = self.bits(t);
        assert!(bits >= 1 && low + bits <= all, "bits {low} to {} of {all}", low + bits);
        if bits == all {
            return t;
        }
        match self.node(t) {
            Node::Extract { of, low: below, .. } => self.extract(of, below + low, bits),
            Node::Not(x) => {
                let part = self.extract(x, low, bits);
                self.not(part)
            }
            Node::Concat(high, rest) => match self.bits(rest) {
                split if low >= split => self.extract(high, low - split, bits),
                split if low + bits <= split => self.extract(rest, low, bits),
                split => {
                    let high = self.extract(high, 0, low + bits - split);
                    let rest = self.extract(rest, low, split - low);
                    self.concat(high, rest)
                }
            },
            Node::ZeroExtend { of, .. } => match self.bits(of) {
                narrow if low >= narrow => self.zero(bits),
                narrow if low + bits <= narrow => self.extract(of, low, bits),
                narrow => {
                    let part = self.extract(of, low, narrow - low);
                    self.zero_extend(part, bits)
                }
            },
            Node::SignExtend { of, .. } => match self.bits(of) {
                narrow if low + bits <= narrow => self.extract(of, low, bits),
                narrow => {
                    let low = low.min(narrow - 1);
                    let part = self.extract(of, low, narrow - low);
                    self.sign_extend(part, bits)
                }
            },
            node => self
                .over_constant_leaves(t, bits, |leaf| leaf >> low)
                .or_else(|| self.extract_mask(node, low, bits))
                .or_else(|| self.extract_operation(node, low, bits))
                .unwrap_or_else(|| self.make(bits, Node::Extract { of: t, low, bits })),
        }
    }

    /// Extracts bits that a mask either keeps or clears.
    fn extract_mask(&mut self, node: Node, low: u32, bits: u32) -> Option<Term> {
        let Node::And(x, y) = node else { return None };
        match (self.as_constant(y)? >> low) & mask(bits) {
            0 => Some(self.zero(bits)),
            part if part == mask(bits) => Some(self.extract(x, low, bits)),
            _ => None,
        }
    }

    /// Extracts the low bits of an operation by operating on the low bits of its extended operands.
    fn extract_operation(&mut self, node: Node, low: u32, bits: u32) -> Option<Term> {
        let (a, b, operation): (_, _, Operation) = match node {
            Node::And(a, b) => (a, b, Terms::and),
            Node::Xor(a, b) => (a, b, Terms::xor),
            Node::Add(a, b) if low == 0 => (a, b, Terms::add),
            Node::Sub(a, b) if low == 0 => (a, b, Terms::sub),
            Node::Mul(a, b) if low == 0 => (a, b, Terms::mul),
            _ => return None,
        };
        let widened =
            |t| matches!(self.node(t), Node::ZeroExtend { .. } | Node::SignExtend { .. } | Node::Const { .. });
        if !(widened(a) && widened(b)) {
            return None;
        }
        let (a, b) = (self.extract(a, low, bits), self.extract(b, low, bits));
        Some(operation(self, a, b))
    }

    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        let bits = self.bits(high) + self.bits(low);
        assert!(bits <= 128, "a width of {bits} bits");
        match (self.node(high), self.node(low)) {
            (Node::Const { value: 0, .. }, _) => self.zero_extend(low, bits),
            (Node::Concat(x, y), _) => {
                let low = self.concat(y, low);
                self.concat(x, low)
            }
            (_, Node::Concat(x, y)) => match self.joined(high, x) {
                Some(joined) => self.concat(joined, y),
                None => self.make(bits, Node::Concat(high, low)),
            },
            _ => self.joined(high, low).unwrap_or_else(|| self.make(bits, Node::Concat(high, low))),
        }
    }

    /// Two constants, or two neighbouring parts of one term, as one.
    fn joined(&mut self, high: Term, low: Term) -> Option<Term> {
        let bits = self.bits(high) + self.bits(low);
        match (self.node(high), self.node(low)) {
            (Node::Const { value: h, .. }, Node::Const { value: l, .. }) => {
                Some(self.constant(bits, h << self.bits(low) | l))
            }
            (Node::Extract { of, low: from, .. }, Node::Extract { of: same, low: below, bits: kept })
                if of == same && from == below + kept =>
            {
                Some(self.extract(of, below, bits))
            }
            _ => None,
        }
    }

    /// The number of ones, in the width of the term: neighbouring sums are added, in fields that
    /// double in width (Warren, "Hacker's Delight", section 5-1).
    pub fn count_ones(&mut self, t: Term) -> Term {
        let bits = self.bits(t);
        let mut sums: Vec<Term> = (0..bits).map(|i| self.extract(t, i, 1)).collect();
        while sums.len() > 1 {
            let width = self.bits(sums[0]) + 1;
            let pairs: Vec<Term> = sums.chunks(2).map(|pair| self.sum(pair, width)).collect();
            sums = pairs;
        }
        let width = self.bits(sums[0]).min(bits);
        let sum = self.extract(sums[0], 0, width);
        self.zero_extend(sum, bits)
    }

    fn sum(&mut self, summands: &[Term], bits: u32) -> Term {
        let zero = self.zero(bits);
        summands.iter().fold(zero, |sum, &summand| {
            let summand = self.zero_extend(summand, bits);
            self.add(sum, summand)
        })
    }

    /// The number of zeros below the lowest one; the width if there is none. These zeros are the
    /// ones of `¬t ∧ (t − 1)`.
    pub fn trailing_zeros(&mut self, t: Term) -> Term {
        let one = self.constant(self.bits(t), 1);
        let less = self.sub(t, one);
        let not_t = self.not(t);
        let below = self.and(not_t, less);
        self.count_ones(below)
    }

    /// The number of zeros above the highest one; the width if there is none.
    pub fn leading_zeros(&mut self, t: Term) -> Term {
        let reversed = self.reverse_bits(t);
        self.trailing_zeros(reversed)
    }

    /// The bytes of a term in reverse order. Its width must be a multiple of 8.
    pub fn swap_bytes(&mut self, t: Term) -> Term {
        assert_eq!(self.bits(t) % 8, 0, "whole bytes");
        self.reverse_groups(t, 8)
    }

    pub fn reverse_bits(&mut self, t: Term) -> Term {
        self.reverse_groups(t, 1)
    }

    fn reverse_groups(&mut self, t: Term, group: u32) -> Term {
        let bits = self.bits(t);
        let last = self.extract(t, bits - group, group);
        (0..bits / group - 1).rev().fold(last, |low, i| {
            let high = self.extract(t, i * group, group);
            self.concat(high, low)
        })
    }
}
