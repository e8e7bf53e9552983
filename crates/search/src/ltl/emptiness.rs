//! Is there a run that the automaton accepts? Couvreur's algorithm (FM 1999).
//!
//! A depth-first search through the product finds its strongly connected parts while it goes (Tarjan, 1972), and keeps
//! for each the acceptance marks of the edges inside. As soon as a part has all marks there is a cycle through it that
//! is accepted. Any number of acceptance sets costs nothing, so weak fairness is just more of them: one for each
//! thread, of the edges on which it moves and of the states in which it cannot; and one for each store buffer, of the
//! edges on which its oldest store arrives and of the states in which it is empty, so that every store does.

use super::cycle;
use super::graph::{Edge, Graph, NodeId};
use crate::explicit::end::End;
use foldhash::fast::FixedState;
use selvedge_ltl::Automaton;
use std::collections::HashMap;

/// Acceptance: the automaton's sets, and the threads and store buffers that were treated fairly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    pub sets: u64,
    pub threads: u128,
    pub buffers: u128,
}

impl Marks {
    pub const NONE: Marks = Marks { sets: 0, threads: 0, buffers: 0 };

    #[must_use]
    pub fn with(self, other: Marks) -> Marks {
        Marks {
            sets: self.sets | other.sets,
            threads: self.threads | other.threads,
            buffers: self.buffers | other.buffers,
        }
    }

    /// Those that `self` does not have.
    #[must_use]
    pub fn new_in(self, other: Marks) -> Marks {
        Marks {
            sets: other.sets & !self.sets,
            threads: other.threads & !self.threads,
            buffers: other.buffers & !self.buffers,
        }
    }
}

/// A state of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pair {
    pub node: NodeId,
    pub state: u32,
}

/// An edge of the product.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    pub edge: Edge,
    pub to: Pair,
    pub marks: Marks,
}

pub struct Product<'a> {
    pub automaton: &'a Automaton,
    pub fair: bool,
    /// For every pair that was met: when, from 1; 0 when nothing accepted can be reached from it.
    order: HashMap<Pair, u32, FixedState>,
    /// Pairs of parts that are not finished, in that order.
    open: Vec<Pair>,
    parts: Vec<Part>,
}

/// A strongly connected part of what is open: from its first pair up to the next part's.
struct Part {
    first: u32,
    inside: Marks,
    /// The marks of the edge that leads into it.
    entered_by: Marks,
}

/// The way back from a pair that is being looked at.
struct Frame {
    pair: Pair,
    moves: std::vec::IntoIter<Move>,
}

impl<'a> Product<'a> {
    pub fn new(automaton: &'a Automaton, fair: bool) -> Product<'a> {
        Product {
            automaton,
            fair,
            order: HashMap::with_hasher(FixedState::with_seed(0)),
            open: Vec::new(),
            parts: Vec::new(),
        }
    }

    pub fn all(&self) -> Marks {
        Marks { sets: self.automaton.all_sets, threads: u128::MAX, buffers: u128::MAX }
    }

    /// A run that is accepted, as a path to a cycle and the cycle.
    pub fn find_accepted(&mut self, graph: &mut Graph<'_>) -> Result<Option<cycle::Run>, End> {
        let start = Pair { node: 0, state: 0 };
        let mut stack = vec![self.enter(graph, start, Marks::NONE)?];
        while let Some(frame) = stack.last_mut() {
            let Some(next) = frame.moves.next() else {
                let pair = frame.pair;
                self.leave(pair);
                stack.pop();
                continue;
            };
            match self.order.get(&next.to) {
                None => {
                    let frame = self.enter(graph, next.to, next.marks)?;
                    stack.push(frame);
                }
                Some(0) => {}
                Some(&met) => {
                    if self.close(met, next.marks) {
                        return Ok(Some(cycle::find(self, graph, start)));
                    }
                }
            }
        }
        Ok(None)
    }

    fn enter(&mut self, graph: &mut Graph<'_>, pair: Pair, entered_by: Marks) -> Result<Frame, End> {
        self.open.push(pair);
        let met = self.open.len() as u32;
        self.order.insert(pair, met);
        self.parts.push(Part { first: met, inside: Marks::NONE, entered_by });
        // A program state is only looked at if the automaton can go on from it.
        if self.ways(graph, pair).next().is_some() {
            graph.successors(pair.node)?;
        }
        Ok(Frame { pair, moves: self.moves(graph, pair).into_iter() })
    }

    /// The automaton's successors in a pair: a state, and the sets passed. Before the run has begun it waits.
    fn ways(&self, graph: &Graph<'_>, pair: Pair) -> impl Iterator<Item = (u32, u64)> {
        let node = &graph.nodes[pair.node as usize];
        let (letter, before) = (node.letter, node.before);
        let transitions = self.automaton.states[pair.state as usize].iter();
        let allowed = transitions.filter(move |t| !before && t.allows(letter)).map(|t| (t.to as u32, t.sets));
        allowed.chain(before.then_some((pair.state, 0)))
    }

    /// The successors of a pair, as far as the graph is known.
    pub fn moves(&self, graph: &Graph<'_>, pair: Pair) -> Vec<Move> {
        let node = &graph.nodes[pair.node as usize];
        let edges = graph.known(pair.node);
        let mut moves = Vec::new();
        for (state, sets) in self.ways(graph, pair) {
            for edge in edges {
                let bit = |thread: u8| 1u128 << thread;
                let moved = edge.by.filter(|_| !edge.is_flush).map_or(0, bit);
                let threads = if self.fair { moved | node.idle } else { u128::MAX };
                let buffers = if self.fair { edge.arrived.map_or(0, bit) | node.drained } else { u128::MAX };
                let to = Pair { node: edge.to, state };
                moves.push(Move { edge: *edge, to, marks: Marks { sets, threads, buffers } });
            }
        }
        moves
    }

    /// An edge leads back to the pair that was met then: everything since is one part. Does it have all marks?
    fn close(&mut self, met: u32, marks: Marks) -> bool {
        let mut gathered = marks;
        while let Some(part) = self.parts.pop() {
            gathered = gathered.with(part.inside);
            if part.first <= met {
                self.parts.push(Part { inside: gathered, ..part });
                return gathered == self.all();
            }
            gathered = gathered.with(part.entered_by);
        }
        false
    }

    /// All moves from `pair` were followed. If it is the first of its part, that is finished.
    fn leave(&mut self, pair: Pair) {
        let met = self.order.get(&pair).copied().unwrap_or(0);
        if self.parts.last().is_some_and(|part| part.first == met) {
            self.parts.pop();
            for pair in self.open.drain(met as usize - 1..) {
                self.order.insert(pair, 0);
            }
        }
    }

    /// Does the pair belong to the last part that was closed?
    pub fn is_in_last_part(&self, pair: Pair) -> bool {
        let first = self.parts.last().map_or(u32::MAX, |part| part.first);
        self.order.get(&pair).is_some_and(|met| *met >= first)
    }
}
