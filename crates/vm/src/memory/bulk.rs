//! Many bytes at once, in time linear in their number; and which bytes of an object are initialised.

use super::{Initialised, Spot, read, write};
use crate::layout::Layout;
use crate::state::State;

impl State {
    /// Writes `len` bytes at a checked place, 8 at a time, and marks them initialised. `value`: of the bytes that begin
    /// there.
    pub fn write_all(&mut self, spot: Spot, len: usize, mut value: impl FnMut(usize) -> u64) {
        let parts = (0..len).step_by(8).map(|from| (from, (len - from).min(8)));
        match spot {
            Spot::Variable { at } => parts.for_each(|(from, bytes)| self.globals.write(at + from, bytes, value(from))),
            Spot::Object { thread, at, index, offset, uninitialised, .. } => {
                let data: &mut Vec<u64> = &mut self.threads[thread].data;
                parts.for_each(|(from, bytes)| write(data, at + from, bytes, value(from)));
                if uninitialised {
                    self.mark_initialised(thread, index, offset, len);
                }
            }
            Spot::Constant { .. } => unreachable!("writes to constants are faults"),
        }
    }

    /// Reads `len` bytes at a checked place, 8 in a word, if all of them are initialised.
    pub fn read_all(&self, layout: &Layout, spot: Spot, len: usize) -> Option<Vec<u64>> {
        let parts = (0..len).step_by(8).map(|from| (from, (len - from).min(8)));
        match spot {
            Spot::Variable { at } => Some(parts.map(|(from, bytes)| read(&self.globals, at + from, bytes)).collect()),
            Spot::Object { thread, index, offset, at, .. } => {
                let is_known = self.initialised(thread, index, offset, len) == Initialised::Fully;
                let data: &[u64] = &self.threads[thread].data;
                is_known.then(|| parts.map(|(from, bytes)| read(data, at + from, bytes)).collect())
            }
            Spot::Constant { .. } => {
                Some(parts.map(|(from, bytes)| self.read(layout, spot.advanced(from), bytes)).collect())
            }
        }
    }

    pub fn initialised(&self, thread: usize, index: usize, offset: usize, bytes: usize) -> Initialised {
        let Some((bitmap, _)) = self.bitmap(thread, index) else { return Initialised::Fully };
        let data = &self.threads[thread].data;
        let unset = bits(offset, bytes).map(|(word, mask)| (data[bitmap + word] & mask).count_ones() as usize);
        match unset.sum::<usize>() {
            0 => Initialised::Fully,
            n if n == bytes => Initialised::Not,
            _ => Initialised::Partly,
        }
    }

    pub fn mark_initialised(&mut self, thread: usize, index: usize, offset: usize, bytes: usize) {
        let Some((bitmap, mut object)) = self.bitmap(thread, index) else { return };
        let map_words = object.bitmap_words();
        let data: &mut Vec<u64> = &mut self.threads[thread].data;
        bits(offset, bytes).for_each(|(word, mask)| data[bitmap + word] &= !mask);
        if is_clear(&data[bitmap..bitmap + map_words], offset / 64, (offset + bytes.max(1) - 1) / 64) {
            object.uninitialised = false;
            self.threads[thread].set_object(index, object);
            self.close_gap(thread, bitmap, map_words);
        }
    }
}

/// The words of a bitmap that have bits for these bytes, and those bits.
fn bits(offset: usize, bytes: usize) -> impl Iterator<Item = (usize, u64)> {
    let end = offset + bytes;
    (offset / 64..end.div_ceil(64)).map(move |word| {
        let (from, to) = (offset.max(word * 64) % 64, end.min((word + 1) * 64) - word * 64);
        (word, u64::MAX >> (64 - to) & u64::MAX << from)
    })
}

/// Whether no bits are left, after words from `first` to `last` were changed. Objects are filled byte by byte, mostly
/// in order, so the neighbours and the ends are checked before the whole: filling then takes time linear in the size.
fn is_clear(bitmap: &[u64], first: usize, last: usize) -> bool {
    let near = [last.checked_add(1), first.checked_sub(1), Some(0), bitmap.len().checked_sub(1)];
    let is_open = |word: usize| bitmap.get(word).is_some_and(|bits| *bits != 0);
    if bitmap[first..=last].iter().any(|bits| *bits != 0) || near.into_iter().flatten().any(is_open) {
        return false;
    }
    // Usually the last bytes are the missing ones.
    bitmap.iter().rev().all(|bits| *bits == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Kind, Object, Thread};

    #[test]
    fn a_large_block_is_filled_and_read_word_by_word() {
        const SIZE: usize = 40_000_003;
        let program = selvedge_program::text::parse("program lp64 entry @main\nfn @main() {\nentry:\n  return\n}\n");
        let layout = Layout::new(&program.expect("a program")).expect("a layout");
        let mut state = State { threads: vec![Thread::default()], ..State::default() };
        let object = Object { kind: Kind::Heap, size: SIZE as u32, uninitialised: true, ..Object::UNUSED };
        let index = state.allocate(&layout, 0, object).expect("room");
        let spot = Spot::Object { thread: 0, index, offset: 0, at: 0, site: 0, uninitialised: true };
        let mut words = 0;
        state.write_all(spot, SIZE, |_| {
            words += 1;
            0x0303_0303_0303_0303
        });
        assert_eq!(words, SIZE.div_ceil(8));
        assert_eq!(state.initialised(0, index, 0, SIZE), Initialised::Fully);
        assert_eq!(state.threads[0].data.len(), words, "nothing is left of the bitmap");
        let read = state.read_all(&layout, spot, SIZE).expect("all is initialised");
        assert_eq!((read.len(), read.last().copied()), (words, Some(0x03_0303)));
    }

    #[test]
    fn bits_of_bytes() {
        assert_eq!(bits(0, 1).collect::<Vec<_>>(), [(0, 1)]);
        assert_eq!(bits(62, 4).collect::<Vec<_>>(), [(0, 3 << 62), (1, 3)]);
        assert_eq!(bits(64, 64).collect::<Vec<_>>(), [(1, u64::MAX)]);
        assert_eq!(bits(5, 0).collect::<Vec<_>>(), [(0, 0)]);
        assert!(bits(64, 0).next().is_none());
    }
}
