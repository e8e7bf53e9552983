//! Places of threads that have ended are used again, when there are no more.
//!
//! A thread is known by its number, and the bits of a pointer have room for [`MAX_THREADS`] of them. A program that
//! creates and joins threads for ever has few at a time. So a new thread that finds all numbers taken gets that of a
//! thread which has ended, was joined, and has left nothing behind: no object of its own that is still there, and no
//! pointer to one.
//!
//! Two threads with one number are never there at once, but what threads share is learnt by number
//! ([`crate::sharing`]). Suppose that the old one and the new one touch the same place, and nothing orders them. Then
//! there is a run in which the new one is created before the old one is joined. There it has another number, or none is
//! left, which is an obstacle to every proof: the conflict is noticed, or nothing is said.
//!
//! The name of a joined thread may be used again, says POSIX. That a program uses the old name is not noticed then.

use crate::layout::{MAX_THREADS, Slot};
use crate::machine::Machine;
use crate::oracle::Oracle;

impl<O: Oracle> Machine<'_, O> {
    /// The number of the next thread; `None` if there is none.
    pub(crate) fn next_place(&self) -> Option<usize> {
        let threads = self.state.threads.len();
        if threads < MAX_THREADS { Some(threads) } else { self.free_place() }
    }

    fn free_place(&self) -> Option<usize> {
        if self.is_weak || self.symmetric || !self.state.late_inputs.is_empty() {
            return None;
        }
        let layout = &self.code.layout;
        let of_threads = self.state.threads.iter().enumerate();
        let of_threads = of_threads.flat_map(|(by, thread)| [(by, thread.stack.as_slice()), (by, &thread.data)]);
        let mut named = 0u128;
        for (by, words) in of_threads.chain([(self.thread, self.stack.as_slice()), (self.thread, &self.state.globals)])
        {
            layout.slots.for_each_pointer(words, |pointer| match self.state.slot(layout, pointer) {
                Some(Slot::Dynamic { thread, .. }) if thread != by && thread < MAX_THREADS => named |= 1 << thread,
                Some(Slot::Dynamic { .. } | Slot::Static(_)) | None => {}
            });
        }
        let own_objects = layout.thread_locals.len();
        // The running thread's stack is in the machine.
        (1..MAX_THREADS).filter(|place| *place != self.thread).find(|place| {
            let thread = &self.state.threads[*place];
            thread.is_finished()
                && thread.is_joined()
                && thread.object_count() == own_objects
                && named >> place & 1 == 0
        })
    }
}
