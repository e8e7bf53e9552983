//! A short run in a product that is known to have an accepted one: the shortest way to the part with the cycle, then
//! always to the nearest mark that is missing, and back.

use super::emptiness::{Marks, Move, Pair, Product};
use super::graph::{Edge, Graph};
use std::collections::{HashMap, VecDeque};

/// A run without end.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub prefix: Vec<Edge>,
    pub cycle: Vec<Edge>,
}

/// The product's last part has all marks.
pub fn find(product: &Product<'_>, graph: &Graph<'_>, start: Pair) -> Run {
    let (prefix, first) = match product.is_in_last_part(start) {
        true => (Vec::new(), start),
        false => shortest(product, graph, start, |_| true, |next| product.is_in_last_part(next.to)),
    };
    let inside = |next: &Move| product.is_in_last_part(next.to);
    let mut cycle: Vec<Edge> = Vec::new();
    let (mut here, mut marks) = (first, Marks::NONE);
    while marks != product.all() {
        let gains = |next: &Move| marks.new_in(next.marks) != Marks::NONE;
        let (way, end) = shortest(product, graph, here, inside, gains);
        // Marks that lie on the way count, too.
        marks = marks.with(way.iter().fold(Marks::NONE, |all, next| all.with(next.marks)));
        cycle.extend(way.iter().map(|next| next.edge));
        here = end;
    }
    if here != first {
        let (way, _) = shortest(product, graph, here, inside, |next| next.to == first);
        cycle.extend(way.iter().map(|next| next.edge));
    }
    Run { prefix: prefix.iter().map(|next| next.edge).collect(), cycle }
}

/// The shortest way from a pair along moves that are `allowed` to one that is `wanted`, which exists.
fn shortest(
    product: &Product<'_>,
    graph: &Graph<'_>,
    from: Pair,
    allowed: impl Fn(&Move) -> bool,
    wanted: impl Fn(&Move) -> bool,
) -> (Vec<Move>, Pair) {
    let mut reached: HashMap<Pair, (Pair, Move)> = HashMap::new();
    let mut waiting = VecDeque::from([from]);
    while let Some(pair) = waiting.pop_front() {
        for next in product.moves(graph, pair).into_iter().filter(&allowed) {
            if wanted(&next) {
                let mut way = vec![next];
                let mut back = pair;
                while back != from {
                    let (before, by) = reached[&back];
                    way.push(by);
                    back = before;
                }
                way.reverse();
                return (way, next.to);
            }
            if next.to != from && !reached.contains_key(&next.to) {
                reached.insert(next.to, (pair, next));
                waiting.push_back(next.to);
            }
        }
    }
    (Vec::new(), from)
}
