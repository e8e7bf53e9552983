//! What processor and system are told about memory, so that it need not be waited for. Hints change nothing that a
//! program could see.

use std::mem::MaybeUninit;

/// This will be looked at soon.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn prefetch<T>(soon: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: all that it asks for is SSE, which every x86-64 has.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(soon).cast()) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub fn prefetch<T>(_soon: &T) {}

/// So many new ones, in large pages if there is a use for them: where accesses are all over the place, finding a page
/// takes as long as the access.
pub fn spread<T>(size: usize, new: impl Fn() -> T) -> Box<[T]> {
    let mut all = Vec::with_capacity(size);
    ask_for_large_pages(all.spare_capacity_mut());
    all.extend((0..size).map(|_| new()));
    all.into_boxed_slice()
}

const LARGE: usize = 2 << 20;

#[cfg(target_os = "linux")]
fn ask_for_large_pages<T>(memory: &mut [MaybeUninit<T>]) {
    use rustix::mm::{Advice, madvise};
    let bytes = size_of_val(memory);
    let start: *mut u8 = memory.as_mut_ptr().cast();
    let skipped = start.align_offset(LARGE);
    if bytes < 2 * LARGE || skipped > bytes {
        return;
    }
    let whole = (bytes - skipped) / LARGE * LARGE;
    // SAFETY: the pages are ours alone, and keep what is in them. If the system has none to give, nothing is lost.
    let _ = unsafe { madvise(start.add(skipped).cast(), whole, Advice::LinuxHugepage) };
}

#[cfg(not(target_os = "linux"))]
fn ask_for_large_pages<T>(_memory: &mut [MaybeUninit<T>]) {}
