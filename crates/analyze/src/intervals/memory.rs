//! Loads and stores on cells: on a single one that is certain, or on one of several.

use super::Rounds;
use super::value::{Spot, Sum, Value};
use crate::points::Inside;
use crate::range::Range;
use selvedge_program::{Cast, GlobalId, Operand};
use std::rc::Rc;

/// Cells that an access may touch.
struct Touched {
    cells: Vec<usize>,
    /// Objects of which it may touch any bytes.
    anywhere: Vec<GlobalId>,
}

impl Touched {
    /// The single cell that it touches, if it touches any.
    fn only(&self) -> Option<usize> {
        match (&self.cells[..], self.anywhere.is_empty()) {
            ([cell], true) => Some(*cell),
            _ => None,
        }
    }
}

impl Rounds<'_> {
    /// The places that an operand may point to.
    pub(super) fn spots(&self, operand: Operand) -> Rc<[Spot]> {
        let known = self.value(operand).spots;
        known.unwrap_or_else(|| Spot::of(self.bounded, self.points_to.of(self.here.thread, operand)))
    }

    /// The cells of an access. An access outside of all of them is a violation, or not followed; either way it has no
    /// effect.
    fn touched(&mut self, addr: Operand, bytes: u32) -> Touched {
        let mut touched = Touched { cells: Vec::new(), anywhere: Vec::new() };
        for spot in self.spots(addr).iter() {
            match spot.offsets(self.bounded.objects[spot.object].size, bytes) {
                Some(offsets) => {
                    for at in offsets {
                        let cell = self.cells.at(spot.object, at, bytes);
                        touched.cells.extend(cell.filter(|cell| !touched.cells.contains(cell)));
                    }
                }
                None => touched.anywhere.push(spot.object),
            }
        }
        self.work += touched.cells.len() as u64;
        self.keep_up();
        touched
    }

    fn holds(&self, cell: usize) -> Option<Range> {
        let flow = &self.here.flow;
        let changes = if self.cells.all[cell].own { &flow.own } else { &flow.shared };
        let range = changes.get(&cell).copied().or_else(|| self.before(cell))?;
        self.cells.all[cell].limit.map_or(Some(range), |limit| range.meet(limit))
    }

    /// The loaded value; `None` if there is nothing to load from.
    pub(super) fn load(&mut self, addr: Operand, width: u32) -> Option<Value> {
        let bytes = width.div_ceil(8);
        let touched = self.touched(addr, bytes);
        let nowhere = touched.cells.is_empty() && touched.anywhere.is_empty();
        let mut all = (nowhere || !touched.anywhere.is_empty()).then(|| Range::any(8 * bytes));
        for cell in &touched.cells {
            if let Some(range) = self.holds(*cell) {
                self.note(*cell, range);
                all = Some(all.map_or(range, |all| all.join(range)));
            }
        }
        let sum = touched.only().filter(|_| width == 8 * bytes).map(|cell| Sum { cell, low: 0, high: 0 });
        Some(Value { range: Range::cast(Cast::Truncate, all?, width), spots: None, sum })
    }

    /// A store. With `surely` it happens if the place is valid. Returns false if there is no valid place.
    pub(super) fn store(&mut self, addr: Operand, bytes: u32, value: Value, surely: bool) -> bool {
        let touched = self.touched(addr, bytes);
        let range = Range::cast(Cast::ZeroExtend, value.range, 8 * bytes);
        for object in &touched.anywhere {
            self.havoc(*object);
        }
        match touched.only() {
            Some(cell) => {
                let step = self.code[self.here.thread].position(self.here.block, self.here.step);
                let sum = value.sum.filter(|sum| sum.cell == cell);
                let counted =
                    sum.and_then(|sum| self.counters[cell].add((self.here.thread, step), sum.low, sum.high, 8 * bytes));
                let counts = sum.is_some();
                let range = counted.and_then(|limit| range.meet(limit)).unwrap_or(range);
                if !counts {
                    self.counters[cell].fresh(range);
                }
                self.write(cell, range, surely);
            }
            None => {
                for cell in touched.cells {
                    self.counters[cell].fresh(range);
                    self.write(cell, range, false);
                }
            }
        }
        true
    }

    /// Writes a value to a cell, surely or possibly.
    fn write(&mut self, cell: usize, range: Range, surely: bool) {
        for other in self.cells.all[cell].overlapping.clone() {
            self.counters[other].give_up();
            self.put(other, Range::any(8 * self.cells.all[other].bytes));
        }
        let range = match self.holds(cell) {
            Some(before) if !surely => before.join(range),
            _ => range,
        };
        self.put(cell, range);
    }

    fn put(&mut self, cell: usize, range: Range) {
        self.note(cell, range);
        if self.cells.all[cell].own {
            Rc::make_mut(&mut self.here.flow.own).insert(cell, range);
            return;
        }
        Rc::make_mut(&mut self.here.flow.shared).insert(cell, range);
        // A section becomes visible when it has ended. Elsewhere the thread may end right here.
        if self.here.inside != Inside::Section {
            self.show_cell(cell, range);
        }
    }

    /// Refines the cell at an address.
    pub(super) fn narrow_cell(&mut self, addr: Operand, range: Range) {
        let touched = self.touched(addr, range.width().div_ceil(8));
        let Some(cell) = touched.only().filter(|cell| 8 * self.cells.all[*cell].bytes == range.width()) else { return };
        if let Some(left) = self.holds(cell).and_then(|before| before.meet(range)) {
            let own = self.cells.all[cell].own;
            let changes = if own { &mut self.here.flow.own } else { &mut self.here.flow.shared };
            Rc::make_mut(changes).insert(cell, left);
        }
    }

    /// Records a value of a cell, besides its initial one.
    fn note(&mut self, cell: usize, range: Range) {
        let place = &self.cells.all[cell];
        let on_record = &mut self.facts.cells;
        let known = on_record.entry((place.object, place.at as u64, place.bytes));
        let known = known.or_insert_with(|| self.cells.declared(cell).unwrap_or(range));
        *known = known.join(range);
    }

    pub(super) fn note_stored(&mut self, range: Range) {
        let at = self.code[self.here.thread].position(self.here.block, self.here.step) as usize;
        let known = &mut self.facts.stored[self.here.thread][at];
        *known = Some(known.map_or(range, |known| known.join(range)));
    }

    /// Makes the contents of an object unknown.
    fn havoc(&mut self, object: GlobalId) {
        self.cells.blur(object);
        for cell in self.cells.of(object) {
            self.counters[cell].give_up();
            self.put(cell, Range::any(8 * self.cells.all[cell].bytes));
        }
    }

    /// Creates an object with unknown contents.
    pub(super) fn create(&mut self, object: GlobalId) {
        for cell in self.cells.of(object) {
            let any = Range::any(8 * self.cells.all[cell].bytes);
            self.counters[cell].fresh(any);
            if self.cells.all[cell].own {
                Rc::make_mut(&mut self.here.flow.own).insert(cell, any);
            } else {
                Rc::make_mut(&mut self.here.flow.shared).insert(cell, any);
                self.here.flow.pending = true;
            }
        }
        // The object's address may arrive before what is written to it.
        if self.here.flow.pending && self.bounded.program.memory_model.has_buffers() {
            self.show();
        }
    }

    /// Each cell of the written block, with the distance of its first byte from the start of the block.
    fn block(&mut self, dst: Operand, len: Operand) -> Option<(Vec<(usize, i64)>, i64)> {
        let spots = self.spots(dst);
        let (Operand::Const { bits, .. }, [Spot { object, first, count: 1, .. }]) = (len, &spots[..]) else {
            spots.iter().for_each(|spot| self.havoc(spot.object));
            return None;
        };
        let len = i64::try_from(bits).ok().filter(|len| *len <= i64::MAX / 2)?;
        self.cells.blur(*object);
        let cells = self.cells.within(*object, *first, first.saturating_add(len));
        Some((cells.into_iter().map(|cell| (cell, self.cells.all[cell].at - first)).collect(), len))
    }

    /// Writes a block: `content` gives the value of the cell at a distance, with its number of bytes.
    fn write_block(&mut self, dst: Operand, len: Operand, content: impl Fn(&Self, i64, u32) -> Option<Range>) {
        let Some((cells, len)) = self.block(dst, len) else { return };
        self.work += cells.len() as u64;
        let new: Vec<(usize, Range)> = cells
            .into_iter()
            .map(|(cell, distance)| {
                let bytes = self.cells.all[cell].bytes;
                let whole = distance >= 0 && distance + i64::from(bytes) <= len;
                let range = content(self, distance, bytes).filter(|_| whole);
                (cell, range.unwrap_or(Range::any(8 * bytes)))
            })
            .collect();
        for (cell, range) in new {
            self.counters[cell].fresh(range);
            self.put(cell, range);
        }
    }

    pub(super) fn fill(&mut self, dst: Operand, byte: Operand, len: Operand) {
        let byte = Range::cast(Cast::Truncate, self.range(byte), 8).single();
        self.write_block(dst, len, |_, _, bytes| {
            let bits = (0..bytes.min(8)).fold(0, |bits, _| bits << 8 | byte.unwrap_or(0));
            byte.filter(|_| bytes <= 8).map(|_| Range::exactly(8 * bytes, bits))
        });
    }

    pub(super) fn copy(&mut self, dst: Operand, src: Operand, len: Operand) {
        let from = self.spots(src);
        self.write_block(dst, len, |this, distance, bytes| {
            let [Spot { object, first, count: 1, .. }] = from[..] else { return None };
            let cell = this.cells.find(object, first + distance, bytes)?;
            this.holds(cell)
        });
    }
}
