//! Hints to the processor about memory, so that it need not be waited for. They change nothing that a program could
//! see.

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
