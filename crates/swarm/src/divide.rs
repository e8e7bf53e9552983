//! Divide and conquer: an instance that takes too long is cut into smaller ones (the paper's outlook).
//!
//! An instance is a selection of tiles. To divide it, the tiles of the thread with most points left are
//! halved, and as many of the halves as it had tiles are selected, in all ways. A run that stops at z points of
//! that thread stops in z halves at most, so the parts cover the whole. With z tiles there are at most
//! (2z over z) parts: 6 for z = 2.

use crate::selection::{Space, binomial, combination};
use crate::tiling::{Tile, Tiling};
use selvedge_program::instances::Name;
use std::collections::BTreeMap;

/// The tiles of an instance, by thread. `None`: there is no such instance.
pub fn tiles(tiling: &Tiling, space: &Space, name: &Name) -> Option<Vec<Vec<Tile>>> {
    if name.selection >= space.total() {
        return None;
    }
    let selection = space.selection(name.selection);
    let selected =
        |(tiles, chosen): (&Vec<Tile>, &Vec<usize>)| chosen.iter().map(|tile| tiles[*tile].clone()).collect();
    let mut threads: Vec<Vec<Tile>> = tiling.threads.iter().zip(&selection).map(selected).collect();
    for part in &name.parts {
        let division = Division::of(&threads)?;
        if *part >= division.parts {
            return None;
        }
        division.take(&mut threads, *part);
    }
    Some(threads)
}

/// The parts of an instance with these tiles; empty if all its tiles are single points.
pub fn parts(threads: &[Vec<Tile>], name: &Name) -> Vec<Name> {
    let parts = Division::of(threads).map_or(0, |division| division.parts);
    (0..parts).map(|part| name.part(part)).collect()
}

struct Division {
    thread: usize,
    halves: Vec<Tile>,
    chosen: usize,
    parts: u32,
}

impl Division {
    fn of(threads: &[Vec<Tile>]) -> Option<Division> {
        let points = |thread: &usize| threads[*thread].iter().map(Vec::len).sum::<usize>();
        let divisible = (0..threads.len()).filter(|thread| threads[*thread].iter().any(|tile| tile.len() > 1));
        // `max_by_key` takes the last of equals: reversed, it takes the first.
        let thread = divisible.rev().max_by_key(points)?;
        let halves: Vec<Tile> = threads[thread].iter().flat_map(halves).collect();
        let chosen = threads[thread].len();
        let parts = binomial(halves.len(), chosen).and_then(|parts| u32::try_from(parts).ok())?;
        Some(Division { thread, halves, chosen, parts })
    }

    fn take(&self, threads: &mut [Vec<Tile>], part: u32) {
        let chosen = combination(self.halves.len(), self.chosen, u128::from(part));
        threads[self.thread] = chosen.into_iter().map(|half| self.halves[half].clone()).collect();
    }
}

fn halves(tile: &Tile) -> Vec<Tile> {
    let (first, second) = tile.split_at(tile.len().div_ceil(2));
    [first, second].into_iter().filter(|half| !half.is_empty()).map(<[u32]>::to_vec).collect()
}

/// The selections shown to be free of bugs. A divided one is shown when all its parts are.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// The number of selections shown as a whole.
    pub whole: u128,
    /// Instances of which not all parts have been shown yet.
    divided: BTreeMap<Name, Parts>,
}

#[derive(Clone, Copy, Debug)]
struct Parts {
    of: u32,
    shown: u32,
}

impl Ledger {
    pub fn divide(&mut self, name: &Name, parts: usize) {
        self.divided.insert(name.clone(), Parts { of: parts as u32, shown: 0 });
    }

    pub fn prove(&mut self, name: &Name) {
        let Some(parent) = name.parent() else {
            self.whole += 1;
            return;
        };
        let Some(parts) = self.divided.get_mut(&parent) else { return };
        parts.shown += 1;
        if parts.shown == parts.of {
            self.divided.remove(&parent);
            self.prove(&parent);
        }
    }

    /// The number of selections shown, including the fractions that parts of others add up to.
    pub fn selections(&self) -> f64 {
        let partial = |(name, parts): (&Name, &Parts)| self.share(name) * f64::from(parts.shown) / f64::from(parts.of);
        self.whole as f64 + self.divided.iter().map(partial).sum::<f64>()
    }

    /// The fraction of its selection that a part stands for.
    fn share(&self, name: &Name) -> f64 {
        let Some(parent) = name.parent() else { return 1.0 };
        let parts = self.divided.get(&parent).map_or(1, |parts| parts.of);
        self.share(&parent) / f64::from(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tiling(lengths: &[&[u32]]) -> Tiling {
        let thread = |lengths: &&[u32]| {
            let mut next = 1;
            let tile = |length: &u32| {
                let tile = (next..next + length).collect();
                next += length;
                tile
            };
            lengths.iter().map(tile).collect()
        };
        Tiling { threads: lengths.iter().map(thread).collect(), kind: String::new() }
    }

    fn space(tiling: &Tiling, selected: usize) -> Space {
        let tiles: Vec<usize> = tiling.threads.iter().map(Vec::len).collect();
        Space::new(&tiles, selected).expect("few")
    }

    #[test]
    fn names_read_back() {
        for text in ["0", "17.3.0", "340282366920938463463374607431768211455.1"] {
            assert_eq!(text.parse::<Name>().expect("a name").to_string(), text);
        }
        for text in ["", "x", "1.", "1.x", "-1"] {
            assert!(text.parse::<Name>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_longest_thread_is_halved() {
        let tiling = tiling(&[&[2, 2], &[4, 3], &[1]]);
        let space = space(&tiling, 2);
        let whole = tiles(&tiling, &space, &Name::whole(0)).expect("an instance");
        let parts = parts(&whole, &Name::whole(0));
        assert_eq!(parts.len(), 6);
        assert_eq!(parts[5].to_string(), "0.5");
        let last = tiles(&tiling, &space, &parts[5]).expect("a part");
        assert_eq!(last, [vec![vec![1, 2], vec![3, 4]], vec![vec![5, 6], vec![7]], vec![vec![1]]]);
        assert_eq!(tiles(&tiling, &space, &"0.6".parse().expect("a name")), None);
    }

    #[test]
    fn single_points_are_not_divided() {
        let tiling = tiling(&[&[1, 1], &[1]]);
        let whole = tiles(&tiling, &space(&tiling, 2), &Name::whole(0)).expect("an instance");
        assert!(parts(&whole, &Name::whole(0)).is_empty());
    }

    #[test]
    fn shares_add_up_exactly() {
        let name = |text: &str| text.parse::<Name>().expect("a name");
        let mut ledger = Ledger::default();
        ledger.prove(&name("4"));
        ledger.divide(&name("7"), 4);
        ledger.prove(&name("7.0"));
        ledger.prove(&name("7.2"));
        assert_eq!(ledger.selections(), 1.5);
        ledger.divide(&name("7.1"), 2);
        ledger.prove(&name("7.1.0"));
        assert_eq!(ledger.selections(), 1.625);
        ledger.prove(&name("7.1.1"));
        ledger.prove(&name("7.3"));
        assert_eq!((ledger.whole, ledger.selections()), (2, 2.0));
    }

    proptest! {
        /// Any stops in the tiles of an instance, at most as many as there are tiles, are in one of its parts.
        #[test]
        fn parts_cover_the_whole(lengths in prop::collection::vec(prop::collection::vec(1u32..7, 1..4), 1..4),
                                 stops in prop::collection::vec(any::<prop::sample::Index>(), 12)) {
            let lengths: Vec<&[u32]> = lengths.iter().map(Vec::as_slice).collect();
            let tiling = tiling(&lengths);
            let space = space(&tiling, 3);
            let name = Name::whole(0);
            let whole = tiles(&tiling, &space, &name).expect("an instance");
            let mut stops = stops.iter();
            let chosen: Vec<Vec<u32>> = whole.iter().map(|tiles| {
                let points: Vec<u32> = tiles.iter().flatten().copied().collect();
                tiles.iter().map(|_| *stops.next().expect("enough").get(&points)).collect()
            }).collect();
            let holds = |threads: &[Vec<Tile>]| chosen.iter().zip(threads)
                .all(|(stops, tiles)| stops.iter().all(|stop| tiles.iter().any(|tile| tile.contains(stop))));
            let parts = parts(&whole, &name);
            let mut covering = parts.iter().map(|part| tiles(&tiling, &space, part).expect("a part"));
            prop_assert!(parts.is_empty() || covering.any(|threads| holds(&threads)));
        }
    }
}
