//! A weak topological order of a function's blocks (Bourdoncle, 1993).
//!
//! Blocks are put in a line, and some of them are heads of *components*, which nest and are
//! contiguous in the line. Every edge that does not go forward goes to the head of a component that
//! its source is in. So a component is what anybody would call a loop, and irreducible graphs (a `goto`
//! into the middle of a loop) have them too.

use selvedge_program::{BlockId, EntityRef, Function, SecondaryMap};

/// The blocks that can be reached, in order.
pub struct Order {
    position: SecondaryMap<BlockId, u32>,
    line: Vec<BlockId>,
    chains: SecondaryMap<BlockId, Vec<BlockId>>,
}

impl Order {
    pub fn new(function: &Function) -> Order {
        let count = function.blocks.len();
        let successors: Vec<Vec<usize>> = function
            .blocks
            .values()
            .map(|block| block.term.successors().into_iter().map(EntityRef::index).filter(|s| *s < count).collect())
            .collect();
        let mut builder =
            Builder { successors, level: vec![0; count], line: Vec::new(), chains: vec![Vec::new(); count] };
        if count > 0 {
            builder.arrange(&[0], 0, &[]);
        }
        let mut order = Order { position: SecondaryMap::new(), line: Vec::new(), chains: SecondaryMap::new() };
        for (position, block) in builder.line.iter().enumerate() {
            let id = BlockId::new(*block);
            order.position[id] = position as u32;
            order.line.push(id);
            order.chains[id] = builder.chains[*block].iter().map(|head| BlockId::new(*head)).collect();
        }
        order
    }

    /// The blocks that can be reached from the first, in order.
    pub fn line(&self) -> &[BlockId] {
        &self.line
    }

    /// The position of a block in the order.
    pub fn position(&self, block: BlockId) -> u32 {
        self.position[block]
    }

    /// The heads of the components that a block is in, the outermost first. A head is in its own.
    pub fn chain(&self, block: BlockId) -> &[BlockId] {
        &self.chains[block]
    }

    pub fn is_head(&self, block: BlockId) -> bool {
        self.chains[block].last() == Some(&block)
    }

    /// Is the block in the component of this head, which is the `level`th of its chain?
    pub fn is_inside(&self, block: BlockId, head: BlockId, level: usize) -> bool {
        self.chains[block].get(level) == Some(&head)
    }
}

struct Builder {
    successors: Vec<Vec<usize>>,
    /// Blocks of the graph that is being arranged have its number here; heads drop out.
    level: Vec<usize>,
    line: Vec<usize>,
    chains: Vec<Vec<usize>>,
}

impl Builder {
    /// Arranges what can be reached from `roots` within the blocks of `level`: strongly connected parts in
    /// topological order, each with its head first and then the rest arranged in the same way.
    fn arrange(&mut self, roots: &[usize], level: usize, chain: &[usize]) {
        let parts = self.parts(roots, level);
        for part in parts.into_iter().rev() {
            let head = part[0];
            let loops = part.len() > 1 || self.successors[head].contains(&head);
            self.chains[head] = chain.to_vec();
            if loops {
                self.chains[head].push(head);
            }
            self.line.push(head);
            if part.len() > 1 {
                let inner: Vec<usize> = self.chains[head].clone();
                for block in &part[1..] {
                    self.level[*block] = level + 1;
                }
                self.level[head] = usize::MAX;
                let next = self.successors[head].clone();
                self.arrange(&next, level + 1, &inner);
            } else {
                self.level[head] = usize::MAX;
            }
        }
    }

    /// Tarjan's algorithm, without recursion: strongly connected parts in reverse topological order,
    /// each beginning with the block that was reached first.
    fn parts(&self, roots: &[usize], level: usize) -> Vec<Vec<usize>> {
        let count = self.successors.len();
        let (mut number, mut low) = (vec![0u32; count], vec![0u32; count]);
        let mut on_stack = vec![false; count];
        let (mut stack, mut parts, mut next) = (Vec::new(), Vec::new(), 0);
        for root in roots {
            if number[*root] != 0 || self.level[*root] != level {
                continue;
            }
            let mut path = vec![(*root, 0)];
            while let Some((block, edge)) = path.last_mut() {
                let block = *block;
                if *edge == 0 {
                    next += 1;
                    number[block] = next;
                    low[block] = next;
                    stack.push(block);
                    on_stack[block] = true;
                }
                if let Some(target) = self.successors[block].get(*edge).copied() {
                    *edge += 1;
                    if self.level[target] != level {
                        continue;
                    }
                    if number[target] == 0 {
                        path.push((target, 0));
                    } else if on_stack[target] {
                        low[block] = low[block].min(number[target]);
                    }
                    continue;
                }
                path.pop();
                if let Some((parent, _)) = path.last() {
                    low[*parent] = low[*parent].min(low[block]);
                }
                if low[block] == number[block] {
                    let from = stack.iter().rposition(|b| *b == block).unwrap_or(0);
                    let part = stack.split_off(from);
                    part.iter().for_each(|b| on_stack[*b] = false);
                    parts.push(part);
                }
            }
        }
        parts
    }
}
