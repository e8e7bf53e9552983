//! A cursor's binary tree: for every position the number of the node that is there.
//!
//! Positions are numbered as in a binary heap: 1 is the root, 2i and 2i + 1 are below i. The leaves are the last
//! half, filled up to a power of two by leaves that are always [`FILLER`].

/// The node here is unknown.
pub const INVALID: u32 = u32::MAX;
const FILLER: u32 = 0;

pub struct Heap {
    nodes: Vec<u32>,
    leaves: usize,
}

impl Heap {
    pub fn new(leaves: usize) -> Heap {
        let width = leaves.next_power_of_two();
        let mut nodes = vec![INVALID; 2 * width];
        nodes[width + leaves..].fill(FILLER);
        Heap { nodes, leaves }
    }

    /// Changes the number of leaves: new ones are unknown, and so is what is above a leaf that came or went.
    pub fn resize(&mut self, leaves: usize) {
        if leaves.next_power_of_two() != self.width() {
            let old = std::mem::replace(self, Heap::new(leaves));
            (0..leaves.min(old.leaves)).for_each(|leaf| self.set(leaf, old.leaf(leaf)));
            return;
        }
        (leaves..self.leaves).for_each(|leaf| self.set(leaf, FILLER));
        (self.leaves..leaves).for_each(|leaf| self.set(leaf, INVALID));
        self.leaves = leaves;
    }

    fn width(&self) -> usize {
        self.nodes.len() / 2
    }

    #[inline]
    pub fn leaf(&self, leaf: usize) -> u32 {
        self.nodes[self.width() + leaf]
    }

    /// Another leaf, maybe unknown; so is what is above it.
    #[inline]
    pub fn set(&mut self, leaf: usize, number: u32) {
        let at = self.width() + leaf;
        self.nodes[at] = number;
        self.forget_above(at);
    }

    /// Above what is unknown, all is.
    #[inline]
    fn forget_above(&mut self, mut at: usize) {
        while at > 1 && self.nodes[at / 2] != INVALID {
            at /= 2;
            self.nodes[at] = INVALID;
        }
    }

    /// Positions below which all leaves are: at most so many, and at least 4, with as little above them as possible.
    #[inline]
    pub fn crown(&self, most: usize) -> std::ops::Range<usize> {
        let width = self.width();
        if self.leaves <= most { width..width + self.leaves } else { 4..8 }
    }

    /// The number of what is at a position, from known leaves. `node`: the number of a pair.
    #[inline]
    pub fn fold(&mut self, at: usize, node: &mut impl FnMut(u32, u32) -> u32) -> u32 {
        if self.nodes[at] == INVALID { self.fold_below(at, node) } else { self.nodes[at] }
    }

    fn fold_below(&mut self, at: usize, node: &mut impl FnMut(u32, u32) -> u32) -> u32 {
        let (left, right) = (self.fold(2 * at, node), self.fold(2 * at + 1, node));
        self.nodes[at] = node(left, right);
        self.nodes[at]
    }

    /// Makes this the number at a position; what is above it is unknown then. `pair`: a number's pair; `change`: told
    /// of every leaf that is another.
    #[inline]
    pub fn unfold(
        &mut self,
        at: usize,
        number: u32,
        pair: &impl Fn(u32) -> (u32, u32),
        change: &mut impl FnMut(usize, u32),
    ) {
        if self.nodes[at] != number {
            self.forget_above(at);
            self.unfold_below(at, number, pair, change);
        }
    }

    fn unfold_below(
        &mut self,
        at: usize,
        number: u32,
        pair: &impl Fn(u32) -> (u32, u32),
        change: &mut impl FnMut(usize, u32),
    ) {
        self.nodes[at] = number;
        let width = self.width();
        if at >= width {
            change(at - width, number);
            return;
        }
        let (left, right) = pair(number);
        for (below, number) in [(2 * at, left), (2 * at + 1, right)] {
            if self.nodes[below] != number {
                self.unfold_below(below, number, pair, change);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Pairs, numbered; and how often a number was asked for.
    #[derive(Default)]
    struct Pairs(HashMap<(u32, u32), u32>, usize);

    impl Pairs {
        fn root(&mut self, heap: &mut Heap) -> u32 {
            heap.fold(1, &mut |left, right| {
                self.1 += 1;
                let next = 1000 + self.0.len() as u32;
                *self.0.entry((left, right)).or_insert(next)
            })
        }
    }

    #[test]
    fn a_tree_that_was_resized_is_as_a_new_one() {
        let mut random = fastrand::Rng::with_seed(3);
        let (mut pairs, mut heap, mut leaves) = (Pairs::default(), Heap::new(3), vec![1, 1, 1]);
        (0..3).for_each(|leaf| heap.set(leaf, 1));
        for _ in 0..2000 {
            let count = (leaves.len() + random.usize(..3)).saturating_sub(1).clamp(1, 40);
            heap.resize(count);
            leaves.resize(count, INVALID);
            for (leaf, number) in leaves.iter_mut().enumerate() {
                assert_eq!(heap.leaf(leaf), *number);
                if *number == INVALID || random.u32(..10) == 0 {
                    *number = random.u32(1..4);
                    heap.set(leaf, *number);
                }
            }
            let mut new = Heap::new(count);
            leaves.iter().enumerate().for_each(|(leaf, number)| new.set(leaf, *number));
            assert_eq!(pairs.root(&mut heap), pairs.root(&mut new));
        }
    }

    #[test]
    fn what_is_above_an_unfolded_leaf_is_unknown() {
        // Leaves by themselves, then pairs of them, as the roots of states have them for few threads and for many.
        let (mut pairs, mut heap) = (Pairs::default(), Heap::new(8));
        (0..8).for_each(|leaf| heap.set(leaf, 1));
        let before = pairs.root(&mut heap);
        heap.resize(7);
        heap.unfold(heap.crown(7).start, 2, &|_| unreachable!("a leaf"), &mut |leaf, _| assert_eq!(leaf, 0));
        heap.resize(8);
        heap.set(7, 1);
        let after = pairs.root(&mut heap);
        assert_ne!(before, after);
        let mut new = Heap::new(8);
        (0..8).for_each(|leaf| new.set(leaf, if leaf == 0 { 2 } else { 1 }));
        assert_eq!(after, pairs.root(&mut new));
    }

    #[test]
    fn one_leaf_more_costs_what_is_above_it() {
        let (mut pairs, mut heap) = (Pairs::default(), Heap::new(100));
        (0..100).for_each(|leaf| heap.set(leaf, 1));
        pairs.root(&mut heap);
        pairs.1 = 0;
        heap.resize(101);
        heap.set(100, 1);
        pairs.root(&mut heap);
        assert_eq!(pairs.1, 7);
    }
}
