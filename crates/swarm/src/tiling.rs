//! Tilings: how the points at which threads may be interrupted are cut into tiles.
//!
//! Points at which a thread can block are in no tile: they are always allowed. The text form has a line for
//! each thread, and one group of points for each of its tiles:
//!
//! ```text
//! # points are numbered as `selvedge swarm --show-tiling` shows them
//! thread 1: 1-12 13-24 25-40,44
//! thread 2: 1-20 21-39
//! ```

use selvedge_symbolic::lazy::instances::{Allowed, ThreadPoints};
use std::fmt::Write;

/// Points of one thread, in order.
pub type Tile = Vec<u32>;

/// For each thread the points that tiles consist of, and the number of all its points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Floor {
    pub threads: Vec<Vec<u32>>,
    counts: Vec<usize>,
}

impl Floor {
    pub fn new(threads: &[ThreadPoints]) -> Floor {
        let free = |thread: &ThreadPoints| {
            (1..thread.count() as u32).filter(|point| !thread.blocking[*point as usize]).collect()
        };
        Floor { threads: threads.iter().map(free).collect(), counts: threads.iter().map(ThreadPoints::count).collect() }
    }

    /// The number of points of the longest thread.
    pub fn longest(&self) -> usize {
        self.threads.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Allows interruptions in these tiles and wherever a thread can block.
    pub fn allowed(&self, tiles: &[Vec<Tile>]) -> Allowed {
        let of_thread = |((free, count), tiles): ((&Vec<u32>, &usize), &Vec<Tile>)| {
            let mut allowed = vec![true; *count];
            free.iter().for_each(|point| allowed[*point as usize] = false);
            tiles.iter().flatten().for_each(|point| allowed[*point as usize] = true);
            allowed
        };
        self.threads.iter().zip(&self.counts).zip(tiles).map(of_thread).collect()
    }
}

/// The tiles of every thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tiling {
    pub threads: Vec<Vec<Tile>>,
    /// A description that completes "2 of 5 tiles …".
    pub kind: String,
}

impl Tiling {
    /// Windows of equal size, except for a thread's first one, which ends after `shift` points, and its last.
    pub fn uniform(floor: &Floor, size: usize, shift: usize) -> Tiling {
        let (size, shift) = (size.max(1), shift % size.max(1));
        let windows = |points: &Vec<u32>| {
            let (first, rest) = points.split_at(shift.min(points.len()));
            let all = std::iter::once(first).chain(rest.chunks(size)).filter(|tile| !tile.is_empty());
            all.map(<[u32]>::to_vec).collect()
        };
        let shifted = if shift > 0 { format!(" shifted by {shift}") } else { String::new() };
        Tiling { threads: floor.threads.iter().map(windows).collect(), kind: format!("of size {size}{shifted}") }
    }

    /// Reads the text form. Threads that it does not mention have one tile.
    pub fn parse(text: &str, floor: &Floor) -> Result<Tiling, TilingError> {
        let mut threads: Vec<Option<Vec<Tile>>> = vec![None; floor.threads.len()];
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let (thread, tiles) = read_line(line, floor).map_err(|what| TilingError { line: number + 1, what })?;
            if threads[thread].replace(tiles).is_some() {
                return Err(TilingError { line: number + 1, what: format!("thread {thread} has a line already") });
            }
        }
        let whole = |points: &Vec<u32>| if points.is_empty() { Vec::new() } else { vec![points.clone()] };
        let threads = threads.into_iter().zip(&floor.threads).map(|(tiles, all)| tiles.unwrap_or_else(|| whole(all)));
        Ok(Tiling { threads: threads.collect(), kind: "given by hand".to_string() })
    }

    /// The text form.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (thread, tiles) in self.threads.iter().enumerate().filter(|(_, tiles)| !tiles.is_empty()) {
            let tiles: Vec<String> = tiles.iter().map(|tile| group(tile)).collect();
            writeln!(text, "thread {thread}: {}", tiles.join(" ")).expect("a string takes everything");
        }
        text
    }
}

/// Consecutive points as a range.
fn group(tile: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for point in tile {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *point => *last = *point,
            _ => ranges.push((*point, *point)),
        }
    }
    let text = |(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    ranges.iter().map(text).collect::<Vec<_>>().join(",")
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct TilingError {
    pub line: usize,
    what: String,
}

fn read_line(line: &str, floor: &Floor) -> Result<(usize, Vec<Tile>), String> {
    let expected = || format!("expected `thread N: 1-12 13-24`, not `{line}`");
    let (thread, tiles) = line.strip_prefix("thread").and_then(|rest| rest.split_once(':')).ok_or_else(expected)?;
    let thread: usize = thread.trim().parse().map_err(|_| expected())?;
    let Some(free) = floor.threads.get(thread) else {
        return Err(format!("there is no thread {thread}: the last one is {}", floor.threads.len().saturating_sub(1)));
    };
    let tiles: Vec<Tile> = tiles.split_whitespace().map(|tile| read_tile(tile, free)).collect::<Result<_, _>>()?;
    let mut points: Vec<u32> = tiles.iter().flatten().copied().collect();
    points.sort_unstable();
    if let Some(twice) = points.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("point {} is in two tiles", twice[0]));
    }
    if let Some(missing) = free.iter().find(|point| points.binary_search(point).is_err()) {
        return Err(format!("point {missing} is in no tile: runs that are interrupted there would be lost"));
    }
    Ok((thread, tiles))
}

/// A range selects the points within it, except those at which the thread can block.
fn read_tile(text: &str, free: &[u32]) -> Result<Tile, String> {
    let mut tile = Tile::new();
    for range in text.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) else {
            return Err(format!("`{range}` is neither a point nor a range of points like 1-12"));
        };
        let within: Vec<u32> = free.iter().copied().filter(|point| (first..=last).contains(point)).collect();
        if within.is_empty() {
            let end = free.last().map_or("it has none".to_string(), |last| format!("they end at {last}"));
            return Err(format!("`{range}` has none of the thread's points; {end}"));
        }
        tile.extend(within);
    }
    tile.sort_unstable();
    Ok(tile)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn floor() -> Floor {
        // Main has no point of its own, and the second thread can block at its third.
        Floor { threads: vec![vec![], (1..=10).collect(), vec![1, 2, 4, 5]], counts: vec![1, 11, 6] }
    }

    #[test]
    fn windows_are_uniform_but_for_the_ends() {
        let lengths = |size, shift| -> Vec<Vec<usize>> {
            let tiling = Tiling::uniform(&floor(), size, shift);
            tiling.threads.iter().map(|tiles| tiles.iter().map(Vec::len).collect()).collect()
        };
        assert_eq!(lengths(4, 0), [vec![], vec![4, 4, 2], vec![4]]);
        assert_eq!(lengths(4, 3), [vec![], vec![3, 4, 3], vec![3, 1]]);
        assert_eq!(lengths(4, 7), lengths(4, 3));
        assert_eq!(lengths(100, 0), [vec![], vec![10], vec![4]]);
    }

    #[test]
    fn by_hand() {
        let tiling = Tiling::parse("# mine\nthread 2: 4-5 1-3\n\n", &floor()).expect("a tiling");
        assert_eq!(tiling.threads, [vec![], vec![(1..=10).collect()], vec![vec![4, 5], vec![1, 2]]]);
        assert_eq!(tiling.text(), "thread 1: 1-10\nthread 2: 4-5 1-2\n");
    }

    #[test]
    fn what_is_wrong_is_said_by_line() {
        for (text, what) in [
            ("thread 1 1-10", "line 1: expected `thread N: 1-12 13-24`, not `thread 1 1-10`"),
            ("\nthread x: 1", "line 2: expected `thread N: 1-12 13-24`, not `thread x: 1`"),
            ("thread 3: 1", "line 1: there is no thread 3: the last one is 2"),
            ("thread 1: 1-9", "line 1: point 10 is in no tile: runs that are interrupted there would be lost"),
            ("thread 1: 1-6 6-10", "line 1: point 6 is in two tiles"),
            ("thread 1: 1-6 7-", "line 1: `7-` is neither a point nor a range of points like 1-12"),
            ("thread 1: 1-10 30", "line 1: `30` has none of the thread's points; they end at 10"),
            ("thread 0: 1", "line 1: `1` has none of the thread's points; it has none"),
            ("thread 2: 1-5\nthread 2: 1-5", "line 2: thread 2 has a line already"),
        ] {
            assert_eq!(Tiling::parse(text, &floor()).map_err(|error| error.to_string()), Err(what.to_string()));
        }
    }

    proptest! {
        #[test]
        fn text_reads_back(size in 1usize..12, shift in 0usize..12) {
            let tiling = Tiling::uniform(&floor(), size, shift);
            prop_assert_eq!(Tiling::parse(&tiling.text(), &floor()).expect("a tiling").threads, tiling.threads);
        }
    }
}
