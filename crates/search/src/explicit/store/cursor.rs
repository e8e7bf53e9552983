//! A position in the store.

use super::heap::{Heap, INVALID};
use super::interned::Recent;
use super::numbers::Batch;
use selvedge_vm::Slots;
use selvedge_vm::State;
use selvedge_vm::dependence::Mark;

/// The parts of the state at hand, as numbers of the store.
pub struct Cursor {
    slots: Slots,
    /// The [`Roll`], and inputs that are still open.
    pub(super) inputs: u32,
    pub(super) has_inputs: bool,
    pub(super) pieces: Heap,
    pub(super) threads: Heap,
    pub(super) parts: Vec<Parts>,
    /// The part besides the threads.
    pub(super) base: u32,
    pub(super) words: Vec<u64>,
    pub(super) recent_leaves: Recent,
    pub(super) recent_nodes: Recent,
    /// Numbers for new states.
    pub(super) batch: Batch,
}

/// The numbers of a thread's buffers, and of the pair of the last two; what others may know of it.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    pub(super) stack: u32,
    pub(super) objects: u32,
    pub(super) data: u32,
    pub(super) memory: u32,
    pub(super) mark: Mark,
    pub(super) is_marked: bool,
}

impl Parts {
    const UNKNOWN: Parts =
        Parts { stack: INVALID, objects: INVALID, data: INVALID, memory: INVALID, mark: Mark::NONE, is_marked: false };
}

impl Cursor {
    /// At no state yet.
    pub fn new(state: &State, slots: Slots) -> Cursor {
        Cursor {
            slots,
            inputs: INVALID,
            has_inputs: false,
            pieces: Heap::new(state.globals.piece_count()),
            threads: Heap::new(0),
            parts: Vec::new(),
            base: INVALID,
            words: Vec::new(),
            recent_leaves: Recent::new(),
            recent_nodes: Recent::new(),
            batch: Batch::default(),
        }
    }

    /// Forgets what `state` has of its own, not yet stored.
    pub(super) fn forget_changes(&mut self, state: &State) {
        if state.globals.is_any_changed() {
            self.base = INVALID;
            for piece in state.globals.changed_pieces() {
                self.pieces.set(piece, INVALID);
            }
        }
        if self.has_inputs || !state.late_inputs.is_empty() {
            (self.inputs, self.base) = (INVALID, INVALID);
        }
        if state.threads.len() != self.parts.len() {
            self.seat(state.threads.len());
        }
        for (number, thread) in state.threads.iter().enumerate() {
            let memory = thread.objects.is_changed() || thread.data.is_changed();
            if thread.stack.is_changed() || memory {
                self.threads.set(number, INVALID);
                self.parts[number].is_marked = false;
                if thread.stack.is_changed() {
                    self.parts[number].stack = INVALID;
                }
                if memory {
                    let stack = self.parts[number].stack;
                    self.parts[number] = Parts { stack, ..Parts::UNKNOWN };
                }
            }
        }
    }

    /// Looks at what others may know of threads, where that may have changed.
    pub(super) fn mark(&mut self, state: &State) {
        for (number, (thread, parts)) in state.threads.iter().zip(&mut self.parts).enumerate() {
            let is_changed = thread.stack.is_changed() || thread.objects.is_changed() || thread.data.is_changed();
            if is_changed || !parts.is_marked {
                parts.mark = Mark::new(number, thread, self.slots);
                parts.is_marked = true;
            }
        }
    }

    /// Room for so many threads. Those that stay are where they were.
    pub(super) fn seat(&mut self, threads: usize) {
        self.threads.resize(threads);
        self.parts.resize(threads, Parts::UNKNOWN);
        self.inputs = INVALID;
        self.base = INVALID;
    }
}
