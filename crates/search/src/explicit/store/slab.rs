//! Arrays of fixed length, for accesses that are all over the place: in large pages, if there is a use for them, for
//! else finding the page takes as long as the access; and on whole cache lines. Memory that is to be zero at first is
//! not touched before it is used, so that filling an array takes no time.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::{NonNull, slice_from_raw_parts_mut};
use std::sync::atomic::{AtomicU8, AtomicU64};

const LINE: usize = 64;
const LARGE: usize = 2 << 20;

/// # Safety
///
/// If all bytes are zero, that is a value of the type, and the default one.
pub unsafe trait Zero: Default {}

// SAFETY: so it is with numbers.
unsafe impl Zero for AtomicU8 {}
// SAFETY: as above.
unsafe impl Zero for AtomicU64 {}

pub struct Slab<T> {
    /// On a cache line.
    first: NonNull<T>,
    length: usize,
    memory: NonNull<u8>,
    layout: Layout,
}

// SAFETY: it owns what is in it, as a box does.
unsafe impl<T: Send> Send for Slab<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Slab<T> {}

impl<T> Slab<T> {
    /// `length` defaults.
    pub fn blank(length: usize) -> Slab<T>
    where
        T: Zero,
    {
        // SAFETY: they are there, says the trait, as soon as there is room for them.
        let mut slab = unsafe { Slab::room(length) };
        slab.length = length;
        slab
    }

    /// `length` new elements.
    pub fn filled(length: usize, new: impl Fn() -> T) -> Slab<T> {
        // SAFETY: what is not yet there does not count.
        let mut slab = unsafe { Slab::room(length) };
        while slab.length < length {
            // SAFETY: there is room for so many.
            unsafe { slab.first.add(slab.length).write(new()) };
            slab.length += 1;
        }
        slab
    }

    /// Room for so many, and nothing in it.
    ///
    /// # Safety
    ///
    /// Callers that change the length have made sure that so many are there.
    unsafe fn room(length: usize) -> Slab<T> {
        const { assert!(align_of::<T>() <= LINE) };
        let bytes = length.checked_mul(size_of::<T>()).and_then(|bytes| bytes.checked_add(LINE));
        let layout = bytes.and_then(|bytes| Layout::from_size_align(bytes, 16).ok());
        let layout = layout.expect("an array that fits into the address space");
        // SAFETY: there is at least a line. An alignment of no more than 16 lets the system give pages that it need not
        // clear.
        let memory = NonNull::new(unsafe { alloc_zeroed(layout) });
        let memory = memory.unwrap_or_else(|| handle_alloc_error(layout));
        ask_for_large_pages(memory, layout.size());
        // SAFETY: the line more is for this.
        let first = unsafe { memory.add(memory.align_offset(LINE)).cast() };
        Slab { first, length: 0, memory, layout }
    }
}

impl<T> Deref for Slab<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: so many are there, and ours.
        unsafe { NonNull::slice_from_raw_parts(self.first, self.length).as_ref() }
    }
}

impl<T> DerefMut for Slab<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { NonNull::slice_from_raw_parts(self.first, self.length).as_mut() }
    }
}

impl<T> Drop for Slab<T> {
    fn drop(&mut self) {
        // SAFETY: so many are there, and no reference to them is left.
        unsafe {
            slice_from_raw_parts_mut(self.first.as_ptr(), self.length).drop_in_place();
            dealloc(self.memory.as_ptr(), self.layout);
        }
    }
}

#[cfg(target_os = "linux")]
fn ask_for_large_pages(memory: NonNull<u8>, bytes: usize) {
    use rustix::mm::{Advice, madvise};
    let skipped = memory.align_offset(LARGE);
    if bytes < 2 * LARGE || skipped > bytes {
        return;
    }
    let whole = (bytes - skipped) / LARGE * LARGE;
    // SAFETY: the pages are ours alone, and keep what is in them. If the system has none to give, nothing is lost.
    let _ = unsafe { madvise(memory.as_ptr().add(skipped).cast(), whole, Advice::LinuxHugepage) };
}

#[cfg(not(target_os = "linux"))]
fn ask_for_large_pages(_memory: NonNull<u8>, _bytes: usize) {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::Ordering;

    #[test]
    fn what_is_blank_is_zero_and_on_lines() {
        for length in [0, 1, 1000, 3 << 20] {
            let slab: Slab<AtomicU64> = Slab::blank(length);
            assert_eq!((slab.len(), slab.as_ptr() as usize % LINE), (length, 0));
            assert!(slab.iter().all(|word| word.swap(7, Ordering::Relaxed) == 0));
            assert!(slab.iter().all(|word| word.load(Ordering::Relaxed) == 7));
        }
    }

    #[test]
    fn what_is_filled_is_dropped() {
        let one = Arc::new(());
        let slab = Slab::filled(100, || Arc::clone(&one));
        assert_eq!((slab.len(), Arc::strong_count(&one)), (100, 101));
        drop(slab);
        assert_eq!(Arc::strong_count(&one), 1);
    }
}
