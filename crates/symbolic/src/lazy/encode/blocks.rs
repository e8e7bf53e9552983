//! Whole blocks of memory: copying, filling, checking ranges.
//!
//! The length may be a term; then every byte is moved under the condition that it is still within.
//!
//! A copy gives its target what it found in the round in which it ran. Every walk fills the thread's own objects anew
//! (`memory.rs`), when the source may hold something else, or be gone: what was moved from objects of others is kept
//! from one round to the next, like the value of a load.

use super::address::Candidate;
use super::memory::{Cell, joined};
use super::walk::Walk;
use selvedge_formula::{Term, Terms};
use selvedge_program::{Operand, Property};
use std::collections::BTreeMap;

/// Blocks of unknown length are followed this far.
const LONGEST_UNKNOWN: u32 = 256;

/// How many bytes to go through, and when each of them is meant.
enum Length {
    Known(u32),
    Unknown(Term),
}

/// The cells with which a block may begin, altogether and by length.
struct Block {
    starts: Vec<Candidate>,
    by_length: Vec<(u32, Vec<Candidate>)>,
    write: bool,
}

/// The cells that a copy has moved, by offset within the block.
pub(super) type Moved = BTreeMap<u32, Cell>;

impl Walk<'_, '_> {
    fn length(&mut self, len: Operand) -> Length {
        let len = self.value(len);
        match self.terms.as_constant(len) {
            Some(len) => Length::Known(u32::try_from(len).unwrap_or(u32::MAX)),
            None => {
                let limit = self.terms.constant(self.terms.bits(len), u128::from(LONGEST_UNKNOWN));
                let fits = self.terms.ule(len, limit);
                let longer = self.terms.not(fits);
                self.obstacle_if(longer, "a block of memory of unknown, great length");
                Length::Unknown(len)
            }
        }
    }

    /// A block that is accessed as a whole.
    fn block(&mut self, addr: Operand, length: &Length, write: bool) -> Block {
        match length {
            Length::Known(bytes) => {
                let starts = self.checked_candidates(addr, *bytes, write);
                Block { by_length: vec![(*bytes, starts.clone())], starts, write }
            }
            Length::Unknown(len) => {
                let len = *len;
                let mut by_length = Vec::new();
                let outer = (self.here.active, self.here.guard);
                let mut behind = outer;
                // Each length has its own candidates; what is checked is checked for the length that it has.
                for bytes in 1..=LONGEST_UNKNOWN {
                    let this = self.terms.constant(self.terms.bits(len), u128::from(bytes));
                    let is_it = self.terms.eq(len, this);
                    if is_it == Terms::FALSE {
                        continue;
                    }
                    let inner = (self.terms.and(outer.0, is_it), self.terms.and(outer.1, is_it));
                    (self.here.active, self.here.guard) = inner;
                    let mut starts = self.checked_candidates(addr, bytes, write);
                    starts.iter_mut().for_each(|start| start.when = self.terms.and(start.when, is_it));
                    by_length.push((bytes, starts));
                    if (self.here.active, self.here.guard) != inner {
                        // For this length, not all runs get any further.
                        behind.0 = self.terms.ite(is_it, self.here.active, behind.0);
                        behind.1 = self.terms.ite(is_it, self.here.guard, behind.1);
                    }
                }
                (self.here.active, self.here.guard) = behind;
                let starts = by_length.iter().flat_map(|(_, starts)| starts.clone()).collect();
                Block { starts: join(self.terms, starts), by_length, write }
            }
        }
    }

    /// These accesses are about to be made; all that is wrong with any of them has been checked.
    fn blocks_are_accessed(&mut self, blocks: &[&Block]) {
        for block in blocks {
            for (bytes, starts) in &block.by_length {
                self.is_about_to(starts, *bytes, block.write, Terms::TRUE);
            }
        }
    }

    /// The most bytes that there are behind any of these.
    fn most_room(&self, candidates: &[Candidate]) -> u32 {
        let room = |candidate: &Candidate| {
            self.bounded().objects[candidate.object].size.saturating_sub(u64::from(candidate.at))
        };
        let most = candidates.iter().map(room).max().unwrap_or(0);
        u32::try_from(most).unwrap_or(u32::MAX)
    }

    /// Each byte offset within the block, and how many bytes may be moved at once. No candidate has room for more than
    /// `room` bytes, however long the block is meant to be.
    fn pieces(&mut self, length: &Length, room: u32) -> Vec<(u32, u32)> {
        match length {
            Length::Known(len) => {
                let len = (*len).min(room);
                let mut pieces = Vec::new();
                let mut at = 0;
                while at < len {
                    let bytes =
                        [8, 4, 2, 1].into_iter().find(|bytes| at % bytes == 0 && *bytes <= len - at).unwrap_or(1);
                    pieces.push((at, bytes));
                    at += bytes;
                }
                pieces
            }
            Length::Unknown(_) => {
                let mut bytes: Vec<u32> = (0..LONGEST_UNKNOWN.min(room)).collect();
                bytes.retain(|at| self.is_within(length, *at) != Terms::FALSE);
                bytes.into_iter().map(|at| (at, 1)).collect()
            }
        }
    }

    /// Does the block reach as far as this byte?
    fn is_within(&mut self, length: &Length, at: u32) -> Term {
        match length {
            Length::Known(len) => self.terms.bool(at < *len),
            Length::Unknown(len) => {
                let at = self.terms.constant(self.terms.bits(*len), u128::from(at));
                self.terms.ult(at, *len)
            }
        }
    }

    pub(super) fn copy(&mut self, dst: Operand, src: Operand, len: Operand, may_overlap: bool) {
        let length = self.length(len);
        if matches!(length, Length::Known(0)) {
            return;
        }
        let (from, to) = (self.block(src, &length, false), self.block(dst, &length, true));
        self.blocks_are_accessed(&[&from, &to]);
        let (from, to) = (from.starts, to.starts);
        if !may_overlap {
            self.check_overlap(&from, &to, &length);
        }
        // Everything is read before anything is written.
        let mut moved = Moved::new();
        let room = self.most_room(&from).min(self.most_room(&to));
        for (at, bytes) in self.pieces(&length, room) {
            for (at, bytes) in self.matching(&from, at, bytes) {
                if let Some(cell) = self.gathered(&from, at, bytes) {
                    moved.insert(at, cell);
                }
            }
        }
        let is_own = |candidate: &Candidate| self.memory.is_own(candidate.object);
        if to.iter().any(is_own) && (from.is_empty() || !from.iter().all(is_own)) {
            moved = self.keep_moved(moved);
        }
        for (at, cell) in moved {
            let within = self.is_within(&length, at + cell.bytes - 1);
            for Candidate { object, at: start, when } in &to {
                // The object may be shorter than the longest block.
                if u64::from(start + at + cell.bytes) > self.bounded().objects[*object].size {
                    continue;
                }
                let when = self.terms.and(*when, within);
                self.write(*object, start + at, cell, when);
            }
        }
    }

    /// Keeps what a copy found for later rounds, if it ran in this one, and what it found before otherwise. A source
    /// that is gone by now gives nothing any more.
    fn keep_moved(&mut self, now: Moved) -> Moved {
        let (id, active, is_probe) = (self.here.id(), self.here.active, self.is_probe());
        let Some(history) = &mut self.kept else { return now };
        let before = history.moved.remove(&id).unwrap_or_default();
        let mut all = Moved::new();
        for (at, cell) in &now {
            let there = (*at..*at + cell.bytes).all(|byte| byte_of(&before, byte).is_some());
            // In rounds before the first in which it may run, any value will do.
            let otherwise = if there { joined_from(self.terms, &before, *at, cell.bytes) } else { cell.value };
            let value = self.terms.ite(active, cell.value, otherwise);
            all.insert(*at, Cell { value, ..*cell });
        }
        for (start, cell) in &before {
            for byte in (*start..*start + cell.bytes).filter(|byte| byte_of(&now, *byte).is_none()) {
                all.insert(byte, Cell { bytes: 1, value: joined_from(self.terms, &before, byte, 1) });
            }
        }
        history.moved.insert(id, if is_probe { before } else { all.clone() });
        all
    }

    /// Smaller pieces where the cells of a source are smaller.
    fn matching(&self, from: &[Candidate], at: u32, bytes: u32) -> Vec<(u32, u32)> {
        let mut width = bytes;
        while width > 1 {
            let whole =
                |candidate: &Candidate| self.memory.is_uniform(candidate.object, candidate.at + at, bytes, width);
            if from.iter().all(whole) {
                break;
            }
            width /= 2;
        }
        (at..at + bytes).step_by(width as usize).map(|at| (at, width)).collect()
    }

    /// The bytes to be copied.
    fn gathered(&mut self, from: &[Candidate], at: u32, bytes: u32) -> Option<Cell> {
        let mut all: Option<Cell> = None;
        for Candidate { object, at: start, when } in from {
            if u64::from(start + at + bytes) > self.bounded().objects[*object].size {
                continue;
            }
            let cell = self.visible(*object, start + at, bytes);
            all = Some(match all {
                None => cell,
                Some(other) => Cell { bytes, value: self.terms.ite(*when, cell.value, other.value) },
            });
        }
        all
    }

    fn check_overlap(&mut self, from: &[Candidate], to: &[Candidate], length: &Length) {
        if !self.facts.properties.contains(Property::Memory) {
            return;
        }
        let mut overlap = Terms::FALSE;
        for source in from {
            for target in to.iter().filter(|target| target.object == source.object && target.at != source.at) {
                let reaches = self.is_within(length, source.at.abs_diff(target.at));
                let both = self.terms.and(source.when, target.when);
                let both = self.terms.and(both, reaches);
                overlap = self.terms.or(overlap, both);
            }
        }
        if overlap != Terms::FALSE {
            self.check(Property::Memory, "copies between overlapping blocks with memcpy", overlap);
        }
    }

    pub(super) fn fill(&mut self, dst: Operand, byte: Operand, len: Operand) {
        let byte = self.value(byte);
        let length = self.length(len);
        if matches!(length, Length::Known(0)) {
            return;
        }
        let byte = self.terms.extract(byte, 0, 8);
        let to = self.block(dst, &length, true);
        self.blocks_are_accessed(&[&to]);
        let to = to.starts;
        let room = self.most_room(&to);
        for (at, bytes) in self.pieces(&length, room) {
            let within = self.is_within(&length, at);
            let mut value = byte;
            for _ in 1..bytes {
                value = self.terms.concat(value, byte);
            }
            for Candidate { object, at: start, when } in &to {
                if u64::from(start + at + bytes) > self.bounded().objects[*object].size {
                    continue;
                }
                let when = self.terms.and(*when, within);
                self.write(*object, start + at, Cell { bytes, value }, when);
            }
        }
    }

    pub(super) fn check_range(&mut self, addr: Operand, len: Operand, write: bool) {
        let length = self.length(len);
        if !matches!(length, Length::Known(0)) {
            let block = self.block(addr, &length, write);
            self.blocks_are_accessed(&[&block]);
        }
    }
}

/// The cell that has this byte of the block.
fn byte_of(moved: &Moved, byte: u32) -> Option<(u32, Cell)> {
    let (start, cell) = moved.range(..=byte).next_back()?;
    (byte < start + cell.bytes).then_some((*start, *cell))
}

/// Bytes of the block that are all there.
fn joined_from(terms: &mut Terms, moved: &Moved, at: u32, bytes: u32) -> Term {
    joined(terms, at, bytes, |terms, byte| match byte_of(moved, byte) {
        Some((start, cell)) => terms.extract(cell.value, 8 * (byte - start), 8),
        None => terms.constant(8, 0),
    })
}

/// Joins candidates that differ only in their conditions.
fn join(terms: &mut Terms, mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.sort_by_key(|candidate| (candidate.object, candidate.at));
    let mut joined: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        match joined.last_mut() {
            Some(last) if last.object == candidate.object && last.at == candidate.at => {
                last.when = terms.or(last.when, candidate.when);
            }
            _ => joined.push(candidate),
        }
    }
    joined
}
