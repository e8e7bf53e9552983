//! The control flow of a thread: all its steps numbered, and the dominators of its blocks.
//!
//! Jumps only go forward, so a step can only run before steps with larger numbers, and one pass
//! in the order of the code finds the dominators (Cooper, Harvey and Kennedy, 2001).

use selvedge_bound::Thread;
use selvedge_program::EntityRef;

/// A step's number in its thread, in the order of the code. Terminators count too.
pub type Position = u32;

pub(crate) struct Graph {
    /// For each block the position of its first step. There is one more at the end.
    starts: Vec<Position>,
    /// For each block its immediate dominator; the first block and unreachable ones have themselves.
    dominators: Vec<u32>,
    depths: Vec<u32>,
    /// For each block its number in a preorder walk over the dominator tree, and the size of its subtree.
    entered: Vec<u32>,
    sizes: Vec<u32>,
}

impl Graph {
    pub fn new(thread: &Thread) -> Graph {
        let mut starts = vec![0];
        for block in thread.blocks.values() {
            let start = starts.last().copied().unwrap_or(0);
            starts.push(start + block.steps.len() as u32 + 1);
        }
        let count = thread.blocks.len();
        let mut graph = Graph {
            starts,
            dominators: (0..count as u32).collect(),
            depths: vec![u32::MAX; count],
            entered: vec![0; count],
            sizes: vec![1; count],
        };
        if count > 0 {
            graph.depths[0] = 0;
        }
        for (id, block) in &thread.blocks {
            if graph.depths[id.index()] == u32::MAX {
                continue;
            }
            for to in block.term.successors() {
                let to = to.index();
                let dominator = if graph.depths[to] == u32::MAX {
                    id.index() as u32
                } else {
                    graph.common(graph.dominators[to], id.index() as u32)
                };
                graph.dominators[to] = dominator;
                graph.depths[to] = graph.depths[dominator as usize] + 1;
            }
        }
        graph.number_tree();
        graph
    }

    fn number_tree(&mut self) {
        let count = self.dominators.len();
        for block in (1..count).rev() {
            if self.depths[block] != u32::MAX {
                self.sizes[self.dominators[block] as usize] += self.sizes[block];
            }
        }
        // The number of the next child of each block. A dominator comes before the blocks that it dominates.
        let mut next = vec![1; count];
        for block in 1..count {
            if self.depths[block] != u32::MAX {
                let dominator = self.dominators[block] as usize;
                self.entered[block] = next[dominator];
                next[dominator] += self.sizes[block];
                next[block] = self.entered[block] + 1;
            }
        }
    }

    /// The nearest common dominator.
    fn common(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            let (depth_a, depth_b) = (self.depths[a as usize], self.depths[b as usize]);
            if depth_a >= depth_b {
                a = self.dominators[a as usize];
            }
            if depth_b >= depth_a {
                b = self.dominators[b as usize];
            }
        }
        a
    }

    /// Whether `a` is on every path to `b`, which must be reachable.
    pub fn dominates(&self, a: usize, b: usize) -> bool {
        let (first, other) = (self.entered[a], self.entered[b]);
        self.depths[a] != u32::MAX && first <= other && other < first + self.sizes[a]
    }

    /// The position of a step; one past the last is the terminator.
    pub fn position(&self, block: usize, step: usize) -> Position {
        self.starts[block] + step as u32
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.starts.last().map_or(0, |end| *end as usize)
    }

    /// The block and step of a position.
    pub fn place(&self, position: Position) -> (usize, usize) {
        let block = self.starts.partition_point(|start| *start <= position) - 1;
        (block, (position - self.starts[block]) as usize)
    }
}
