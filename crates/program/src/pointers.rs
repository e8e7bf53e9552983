//! Addresses: how (object, offset) is written in the bits of a pointer.
//!
//! The address space is cut into windows of equal size. A small object has a window to itself, a large one several in
//! a row, and begins an eighth of a window behind their start; so a pointer may leave its object in both directions,
//! and come back, before it leaves the window. As plain bits it survives casts, unions and byte-wise copies, and
//! integer arithmetic means what it says.
//!
//! *Pointer arithmetic never leaves a window.* What would do so becomes a pointer into the last window, which no object
//! ever has ([`Pointers::moved`]): it can be compared and printed, but whoever accesses memory through it is out of
//! bounds, however far away the object is that the sum would have hit. Only between the last window and the first,
//! that of null, it may go to and fro: `NULL - 8 + 8` is null.

use crate::DataModel;

/// The layout of pointers: the number of a window and a place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointers {
    pub bits: u32,
    pub offset_bits: u32,
}

impl Pointers {
    pub const NULL: u64 = 0;

    pub fn new(model: DataModel) -> Pointers {
        match model {
            DataModel::Lp64 => Pointers { bits: 64, offset_bits: 36 },
            DataModel::Ilp32 => Pointers { bits: 32, offset_bits: 16 },
        }
    }

    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// The bits that are the place in a window.
    fn places(self) -> u64 {
        (1 << self.offset_bits) - 1
    }

    pub fn number_bits(self) -> u32 {
        self.bits - self.offset_bits
    }

    /// Bytes in front of an object in its window.
    #[inline]
    pub fn margin(self) -> u64 {
        1 << (self.offset_bits - 3)
    }

    /// The last window, where nothing ever is.
    pub fn nowhere(self) -> u64 {
        self.mask() >> self.offset_bits
    }

    /// How many windows an object takes. There is at least a byte behind it.
    pub fn windows(self, size: u64) -> u64 {
        ((size + self.margin()) >> self.offset_bits) + 1
    }

    /// The address of the object that begins in this window.
    #[inline]
    pub fn start(self, window: u64) -> u64 {
        window << self.offset_bits | self.margin()
    }

    #[inline]
    pub fn window(self, pointer: u64) -> u64 {
        (pointer & self.mask()) >> self.offset_bits
    }

    /// The offset in an object that begins in the pointer's window.
    #[inline]
    pub fn offset(self, pointer: u64) -> i64 {
        (pointer & self.places()) as i64 - self.margin() as i64
    }

    /// A pointer so many bytes further on. `is_one_object`: do two different windows belong to the same object?
    #[inline]
    pub fn moved(self, base: u64, by: i128, is_one_object: impl FnOnce(u64, u64) -> bool) -> u64 {
        let window = self.window(base);
        let place = i128::from(base & self.places()) + by;
        // By how many windows it is too far.
        let rest = place >> self.offset_bits;
        if rest == 0 {
            return window << self.offset_bits | place as u64;
        }
        let exact = i128::from(window) + rest;
        let to = match u64::try_from(exact) {
            Ok(to) if to < self.nowhere() && is_one_object(window, to) => to,
            _ if window == self.nowhere() && rest == 1 => 0,
            _ => self.nowhere(),
        };
        to << self.offset_bits | place as u64 & self.places()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_stays_in_its_window_or_leads_nowhere() {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            let pointers = Pointers::new(model);
            let moved = |base, by| pointers.moved(base, by, |_, _| false);
            let start = pointers.start(5);
            let window = 1i128 << pointers.offset_bits;
            assert_eq!(moved(moved(start, -1), 1), start);
            assert_eq!(pointers.offset(moved(start, -1)), -1);
            for far in [window, -window, 2 * window, 1 << pointers.bits, -(1 << pointers.bits)] {
                let lost = moved(start, far);
                assert_eq!(pointers.window(lost), pointers.nowhere());
                // Null's window is empty, too.
                assert!([0, pointers.nowhere()].contains(&pointers.window(moved(lost, -far))));
            }
            assert_eq!(moved(Pointers::NULL, -8), (-8i64) as u64 & pointers.mask());
            assert_eq!(moved(moved(Pointers::NULL, -8), 8), Pointers::NULL);
            // A large object has several windows.
            assert_eq!(pointers.moved(start, window, |from, to| (from, to) == (5, 6)), start + window as u64);
        }
    }

    #[test]
    fn objects_have_room_behind_them() {
        let pointers = Pointers::new(DataModel::Ilp32);
        assert_eq!(pointers.windows(0), 1);
        assert_eq!(pointers.windows((1 << 16) - (1 << 13) - 1), 1);
        assert_eq!(pointers.windows((1 << 16) - (1 << 13)), 2);
    }
}
