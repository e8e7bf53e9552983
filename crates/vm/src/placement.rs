//! The addresses of objects in a replay, if the schedule determines them.
//!
//! The machine numbers objects by thread, in the order of free numbers. A formula numbers them in its own way, and a
//! program may observe the numbers: it can compare addresses, hash them, or be given one as an input. All allocators
//! are equally valid, so a schedule may assign a window to each new object, and its run then agrees with the formula.

use crate::layout::{Layout, Slot};
use crate::memory;
use crate::state::State;
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// By thread and index.
    windows: BTreeMap<(usize, usize), u64>,
    objects: BTreeMap<u64, (usize, usize)>,
    /// The next window for objects that the schedule does not mention, after all windows that it does.
    next: u64,
}

impl Placement {
    pub fn new(next: u64) -> Placement {
        Placement { windows: BTreeMap::new(), objects: BTreeMap::new(), next }
    }

    fn place(&mut self, thread: usize, index: usize, window: Option<u64>) {
        let window = window.unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        });
        if let Some(before) = self.windows.insert((thread, index), window) {
            self.objects.remove(&before);
        }
        self.objects.insert(window, (thread, index));
    }
}

impl State {
    /// Places a new object where the schedule says.
    pub fn place(&mut self, thread: usize, index: usize, window: Option<u64>) {
        if let Some(placement) = &mut self.placement {
            placement.place(thread, index, window);
        }
    }

    /// Fills a new object; all other bytes are zero.
    pub fn fill(&mut self, thread: usize, index: usize, contents: &[(u32, Vec<u8>)]) {
        let Some(object) = self.threads[thread].object(index) else { return };
        for (from, bytes) in contents {
            for (at, byte) in (*from..object.size).zip(bytes) {
                memory::write(
                    &mut self.threads[thread].data,
                    object.at as usize * 8 + at as usize,
                    1,
                    u64::from(*byte),
                );
            }
        }
    }

    /// The address of a thread's object.
    pub fn address(&self, layout: &Layout, thread: usize, index: usize) -> u64 {
        let placed = self.placement.as_ref().and_then(|placement| placement.windows.get(&(thread, index)));
        placed.map_or_else(|| layout.dynamic(thread, index), |window| layout.pointers.start(*window))
    }

    /// The owner of the window that a pointer points into. `None` if there is none.
    #[inline]
    pub fn slot(&self, layout: &Layout, pointer: u64) -> Option<Slot> {
        let slot = layout.slot(pointer);
        match (&self.placement, slot) {
            (None, slot) | (Some(_), slot @ Slot::Static(_)) => Some(slot),
            (Some(placement), Slot::Dynamic { .. }) => {
                let (thread, index) = *placement.objects.get(&layout.pointers.window(pointer))?;
                Some(Slot::Dynamic { thread, index })
            }
        }
    }

    /// A pointer, advanced by some bytes.
    #[inline]
    pub fn moved(&self, layout: &Layout, base: u64, by: i128) -> u64 {
        layout.pointers.moved(base, by, |from, to| self.is_one_object(layout, from, to))
    }

    #[cold]
    fn is_one_object(&self, layout: &Layout, from: u64, to: u64) -> bool {
        let first = |window: u64| match self.slot(layout, layout.pointers.start(window)) {
            Some(Slot::Dynamic { thread, index }) => self.first_of(thread, index).map(|first| (thread, first)),
            Some(Slot::Static(_)) | None => None,
        };
        layout.is_one_global(from, to) || first(from).is_some_and(|object| first(to) == Some(object))
    }
}
