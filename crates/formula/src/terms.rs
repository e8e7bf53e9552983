//! Hash-consed bit-vector terms.
//!
//! Equal terms are the same term (Ershov 1958; Goto 1974), so comparing two of them is comparing
//! two numbers, and a formula is a directed acyclic graph that is stored once. A term's children are
//! older than itself: walking the numbers upwards is walking from the leaves to the root, and no
//! walk needs recursion, however deep the term.
//!
//! A Boolean is a bit-vector of width 1. There are few kinds of nodes: whatever is expressed by
//! others at no cost in clauses is expressed by them (see [`Node`]).

use foldhash::fast::FixedState;
use hashbrown::{HashSet, HashTable};
use std::hash::BuildHasher;

/// A term, by its number in [`Terms`]. Children have smaller numbers than their parents.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term(pub(crate) u32);

impl Term {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The operation and operands of a term, after simplification.
///
/// There is no `Or` (it is `Not` of `And` of `Not`), no `Eq` of width 1 (it is `Not` of `Xor`), no
/// `Ule` or `Sle` (they are `Not` of the converse), no shift by a constant (it is `Concat` or an
/// extension of `Extract`), and none of the bit-counting operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Const {
        bits: u32,
        value: u128,
    },
    Var {
        bits: u32,
        index: u32,
    },
    Not(Term),
    And(Term, Term),
    Xor(Term, Term),
    Neg(Term),
    Add(Term, Term),
    Sub(Term, Term),
    Mul(Term, Term),
    Udiv(Term, Term),
    Sdiv(Term, Term),
    Urem(Term, Term),
    Srem(Term, Term),
    Shl(Term, Term),
    Lshr(Term, Term),
    Ashr(Term, Term),
    Eq(Term, Term),
    Ult(Term, Term),
    Slt(Term, Term),
    /// If the first (of width 1), the second, else the third.
    Ite(Term, Term, Term),
    ZeroExtend {
        of: Term,
        bits: u32,
    },
    SignExtend {
        of: Term,
        bits: u32,
    },
    Extract {
        of: Term,
        low: u32,
        bits: u32,
    },
    /// The high part, the low part.
    Concat(Term, Term),
}

impl Node {
    pub fn children(self) -> impl Iterator<Item = Term> {
        use Node::*;
        let children = match self {
            Const { .. } | Var { .. } => [None, None, None],
            Not(a) | Neg(a) => [Some(a), None, None],
            ZeroExtend { of, .. } | SignExtend { of, .. } | Extract { of, .. } => [Some(of), None, None],
            And(a, b) | Xor(a, b) | Add(a, b) | Sub(a, b) | Mul(a, b) => [Some(a), Some(b), None],
            Udiv(a, b) | Sdiv(a, b) | Urem(a, b) | Srem(a, b) => [Some(a), Some(b), None],
            Shl(a, b) | Lshr(a, b) | Ashr(a, b) | Concat(a, b) => [Some(a), Some(b), None],
            Eq(a, b) | Ult(a, b) | Slt(a, b) => [Some(a), Some(b), None],
            Ite(c, a, b) => [Some(c), Some(a), Some(b)],
        };
        children.into_iter().flatten()
    }
}

/// The largest value of 1 to 128 bits.
pub fn mask(bits: u32) -> u128 {
    u128::MAX >> (128 - bits)
}

/// A value of `bits` bits, read as two's complement.
pub fn signed(bits: u32, value: u128) -> i128 {
    (value << (128 - bits)).cast_signed() >> (128 - bits)
}

/// All terms of a formula.
pub struct Terms {
    nodes: Vec<Node>,
    widths: Vec<u8>,
    table: HashTable<Term>,
    hasher: FixedState,
    names: Vec<String>,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Terms {
    pub const FALSE: Term = Term(0);
    pub const TRUE: Term = Term(1);

    pub fn new() -> Terms {
        let mut terms = Terms {
            nodes: Vec::new(),
            widths: Vec::new(),
            table: HashTable::new(),
            hasher: FixedState::default(),
            names: Vec::new(),
        };
        terms.constant(1, 0);
        terms.constant(1, 1);
        terms
    }

    /// The number of terms.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Forgets all terms but the first `kept`. The others must not be used any more: their numbers are assigned again.
    pub fn truncate(&mut self, kept: usize) {
        assert!(kept > Terms::TRUE.index(), "constants stay");
        let forgotten = self.nodes.drain(kept.min(self.nodes.len())..);
        let variables = forgotten.filter(|node| matches!(node, Node::Var { .. })).count();
        self.names.truncate(self.names.len() - variables);
        self.widths.truncate(kept);
        self.table.retain(|t| t.index() < kept);
    }

    /// The value is taken modulo the width.
    pub fn constant(&mut self, bits: u32, value: u128) -> Term {
        assert!((1..=128).contains(&bits), "a width of {bits} bits");
        self.intern(bits, Node::Const { bits, value: value & mask(bits) })
    }

    pub fn bool(&mut self, value: bool) -> Term {
        if value { Terms::TRUE } else { Terms::FALSE }
    }

    /// A new variable, even if the name has been used before.
    pub fn variable(&mut self, bits: u32, name: impl Into<String>) -> Term {
        assert!((1..=128).contains(&bits), "a width of {bits} bits");
        let index = u32::try_from(self.names.len()).expect("fewer than 2^32 variables");
        self.names.push(name.into());
        self.intern(bits, Node::Var { bits, index })
    }

    /// The name that a variable was given.
    pub fn name(&self, variable: Term) -> Option<&str> {
        match self.node(variable) {
            Node::Var { index, .. } => Some(&self.names[index as usize]),
            _ => None,
        }
    }

    pub fn bits(&self, t: Term) -> u32 {
        u32::from(self.widths[t.index()])
    }

    pub fn node(&self, t: Term) -> Node {
        self.nodes[t.index()]
    }

    pub fn as_constant(&self, t: Term) -> Option<u128> {
        match self.node(t) {
            Node::Const { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The roots and all their subterms, children before parents.
    pub fn cone(&self, roots: impl IntoIterator<Item = Term>) -> Vec<Term> {
        let mut seen = HashSet::with_hasher(FixedState::default());
        self.cone_of_new(roots, |t| seen.insert(t))
    }

    /// Like [`Terms::cone`], but does not go below terms that are not `new`. `new` is asked again when a
    /// term is met again, and must then return false.
    pub(crate) fn cone_of_new(
        &self,
        roots: impl IntoIterator<Item = Term>,
        mut new: impl FnMut(Term) -> bool,
    ) -> Vec<Term> {
        let mut found = Vec::new();
        let mut waiting: Vec<Term> = roots.into_iter().collect();
        while let Some(t) = waiting.pop() {
            if new(t) {
                found.push(t);
                waiting.extend(self.node(t).children());
            }
        }
        found.sort_unstable();
        found
    }

    /// The term of a node to which no rule applies; a constant if all its children are.
    pub(crate) fn make(&mut self, bits: u32, node: Node) -> Term {
        if node.children().all(|child| self.as_constant(child).is_some()) {
            let value = self.apply(node, |child| self.as_constant(child).unwrap_or_default());
            return self.constant(bits, value);
        }
        self.intern(bits, node)
    }

    fn intern(&mut self, bits: u32, node: Node) -> Term {
        let hash = self.hasher.hash_one(node);
        let same = |t: &Term| self.nodes[t.index()] == node;
        if let Some(&known) = self.table.find(hash, same) {
            return known;
        }
        let term = Term(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        self.nodes.push(node);
        self.widths.push(bits as u8);
        self.table.insert_unique(hash, term, |t| self.hasher.hash_one(self.nodes[t.index()]));
        term
    }
}
