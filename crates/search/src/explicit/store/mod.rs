//! The states seen so far, exactly, in little memory, for several threads at once.
//!
//! A step changes one or two of the buffers that make up a state, so the buffers are interned, and a state is a
//! tree over their numbers, whose nodes are interned in turn: tree compression (Laarman, van de Pol, Weber,
//! SPIN 2011; a descendant of SPIN's collapse compression, Holzmann 1997). The tree is binary but for its root, which
//! has a branch for each of a few threads: most states differ in a combination of threads, and need no node but
//! this one. Two states are equal if and only if their roots are: nothing is approximated.
//!
//! A worker has a [`Cursor`]: the numbers of everything that is in the state at hand. A state that
//! was reached costs the buffers that the step wrote and the nodes above them; going to another costs
//! what is different there.
//!
//! ```text
//!                     state
//!         /          |         |       \
//!      node       thread 0  thread 1   …
//!     /    \        /  \
//! roll,  pieces   stack node
//! inputs of            /    \
//!        globals   objects  data
//! ```

mod chunks;
mod cursor;
mod heap;
mod hints;
mod interned;
mod numbers;
#[cfg(test)]
mod one_thread;
mod platform;
mod slab;
mod states;
mod table;
mod visit;

pub use cursor::Cursor;
use cursor::Parts;
use heap::INVALID;
use interned::{Leaves, Nodes};
use selvedge_vm::LateInputs;
use selvedge_vm::State;
use selvedge_vm::Thread;
use selvedge_vm::dependence::Roll;
pub use slab::Slab;
use states::States;
pub use states::{BASE, DIRECT, Root, StateId, hash};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
pub use visit::{Found, MAX_LENGTH, MAX_LEVEL, Visit};

pub struct Store {
    leaves: Leaves,
    nodes: Nodes,
    states: States,
    /// Under an abstraction: which state a key stands for.
    keys: Mutex<HashMap<u32, StateId>>,
}

impl Store {
    pub fn new() -> Store {
        Store { leaves: Leaves::new(), nodes: Nodes::new(), states: States::new(), keys: Mutex::default() }
    }

    #[inline]
    pub fn visit(&self, id: StateId) -> &Visit {
        self.states.visit(id)
    }

    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Are numbers of 32 bits about to run out?
    pub fn is_full(&self) -> bool {
        self.leaves.is_full() || self.nodes.is_full() || self.states.is_full()
    }

    pub fn bytes(&self) -> u64 {
        self.leaves.bytes() + self.nodes.bytes() + self.states.bytes()
    }

    /// The state's number, and whether it is new. The cursor must have been at all that is not changed in `state`.
    pub fn insert(&self, cursor: &mut Cursor, state: &mut State, found: Found) -> (StateId, bool) {
        let root = self.fold(cursor, state);
        self.insert_root(cursor, root, found)
    }

    /// As above, for a state with this key under an abstraction; then every state has one.
    pub fn insert_as(&self, key: &[u64], cursor: &mut Cursor, state: &mut State, found: Found) -> (StateId, bool) {
        let key = self.leaves.insert(key, &mut cursor.recent_leaves);
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = keys.get(&key) {
            return (*known, false);
        }
        let (number, _) = self.insert(cursor, state, found);
        keys.insert(key, number);
        (number, true)
    }

    #[inline]
    pub fn insert_root(&self, cursor: &mut Cursor, root: Root, found: Found) -> (StateId, bool) {
        self.insert_hashed(cursor, root, hash(&root), found)
    }

    /// As above, where the [hash] is known.
    #[inline]
    pub fn insert_hashed(&self, cursor: &mut Cursor, root: Root, hash: u64, found: Found) -> (StateId, bool) {
        self.states.insert(&mut cursor.batch, root, hash, found)
    }

    /// Prefetches a state that will be looked at soon.
    #[inline]
    pub fn expect(&self, id: StateId) {
        self.states.expect(id);
    }

    /// Prefetches for a root with this [hash], which will be looked for soon.
    #[inline]
    pub fn expect_root(&self, hash: u64) {
        self.states.expect_root(hash);
    }

    /// As above, sooner: the root is likely to be that of a state which is known.
    #[inline]
    pub fn expect_state(&self, hash: u64) {
        self.states.expect_state(hash);
    }

    #[inline]
    pub fn root(&self, id: StateId) -> Root {
        self.states.root(id)
    }

    /// The facts about its threads that a state keeps together.
    #[inline]
    pub fn roll(&self, root: &Root) -> Roll {
        let (inputs, _) = self.nodes.get(root[0]);
        Roll::read(self.leaves.get(inputs)).0
    }

    /// Keeps all of `state`, but does not count it as seen. The cursor must have been at all that is not changed.
    pub fn fold(&self, cursor: &mut Cursor, state: &mut State) -> Root {
        if state.threads.len() != cursor.parts.len() {
            cursor.seat(state.threads.len());
        }
        cursor.mark(state);
        let mut root = Root::default();
        root[BASE] = self.fold_base(cursor, state);
        self.fold_threads(cursor, state, &mut root);
        root
    }

    fn fold_base(&self, cursor: &mut Cursor, state: &mut State) -> u32 {
        cursor.has_inputs = !state.late_inputs.is_empty();
        cursor.words.clear();
        Roll::write(cursor.parts.iter().map(|parts| &parts.mark), &mut cursor.words);
        state.late_inputs.encode(&mut cursor.words);
        if cursor.inputs == INVALID || self.leaves.get(cursor.inputs) != cursor.words {
            cursor.inputs = self.leaves.insert(&cursor.words, &mut cursor.recent_leaves);
            cursor.base = INVALID;
        }
        if state.globals.is_any_changed() {
            for piece in state.globals.changed_pieces() {
                let number = self.leaves.insert(state.globals.piece(piece), &mut cursor.recent_leaves);
                if number != cursor.pieces.leaf(piece) {
                    cursor.pieces.set(piece, number);
                    cursor.base = INVALID;
                }
            }
            state.globals.settle();
        }
        if cursor.base == INVALID {
            let recent = &mut cursor.recent_nodes;
            let pieces = cursor.pieces.fold(1, &mut |left, right| self.nodes.insert(left, right, recent));
            cursor.base = self.nodes.insert(cursor.inputs, pieces, recent);
        }
        cursor.base
    }

    fn fold_threads(&self, cursor: &mut Cursor, state: &mut State, root: &mut Root) {
        let Cursor { threads, parts, recent_leaves, recent_nodes, .. } = cursor;
        for (number, (thread, parts)) in state.threads.iter_mut().zip(parts).enumerate() {
            let before = (parts.stack, parts.memory);
            if thread.stack.is_changed() {
                parts.stack = self.leaves.insert(&thread.stack, recent_leaves);
                thread.stack.settle();
            }
            if thread.objects.is_changed() {
                parts.objects = self.leaves.insert(&thread.objects, recent_leaves);
                parts.memory = INVALID;
                thread.objects.settle();
            }
            if thread.data.is_changed() {
                parts.data = self.leaves.insert(&thread.data, recent_leaves);
                parts.memory = INVALID;
                thread.data.settle();
            }
            if parts.memory == INVALID {
                parts.memory = self.nodes.insert(parts.objects, parts.data, recent_nodes);
            }
            if before != (parts.stack, parts.memory) || threads.leaf(number) == INVALID {
                threads.set(number, self.nodes.insert(parts.stack, parts.memory, recent_nodes));
            }
        }
        for (branch, at) in root[1..].iter_mut().zip(threads.crown(DIRECT)) {
            *branch = threads.fold(at, &mut |left, right| self.nodes.insert(left, right, recent_nodes));
        }
    }

    /// Makes `state`, where the cursor is but for changes, the state with this root.
    pub fn unfold(&self, cursor: &mut Cursor, root: Root, state: &mut State) {
        cursor.forget_changes(state);
        let pair = |number: u32| self.nodes.get(number);
        if root[0] != cursor.base {
            let (inputs, pieces) = pair(root[0]);
            if inputs != cursor.inputs {
                let words = self.leaves.get(inputs);
                self.load_inputs(words, state);
                if state.threads.len() != cursor.parts.len() {
                    cursor.seat(state.threads.len());
                }
                cursor.inputs = inputs;
                cursor.has_inputs = !state.late_inputs.is_empty();
            }
            let globals = &mut state.globals;
            let mut refill = |piece, number| globals.refill(piece, self.leaves.get(number));
            cursor.pieces.unfold(1, pieces, &pair, &mut refill);
            globals.settle();
            cursor.base = root[0];
        }
        let Cursor { threads, parts, .. } = &mut *cursor;
        for (branch, at) in root[1..].iter().zip(threads.crown(DIRECT)) {
            threads.unfold(at, *branch, &pair, &mut |number, whole| {
                self.load_thread(whole, &mut parts[number], &mut state.threads[number]);
            });
        }
    }

    /// How many threads there are, and open inputs.
    fn load_inputs(&self, words: &[u64], state: &mut State) {
        let (roll, inputs) = Roll::read(words);
        state.threads.resize_with(roll.threads, Thread::default);
        if inputs.is_empty() {
            state.late_inputs.clear();
        } else {
            state.late_inputs = LateInputs::decode(inputs).unwrap_or_default();
        }
    }

    fn load_thread(&self, whole: u32, parts: &mut Parts, thread: &mut Thread) {
        let (stack, memory) = self.nodes.get(whole);
        parts.is_marked = false;
        if stack != parts.stack {
            thread.stack.refill(self.leaves.get(stack));
            parts.stack = stack;
        }
        if memory != parts.memory {
            let (objects, data) = self.nodes.get(memory);
            if objects != parts.objects {
                thread.objects.refill(self.leaves.get(objects));
                parts.objects = objects;
            }
            if data != parts.data {
                thread.data.refill(self.leaves.get(data));
                parts.data = data;
            }
            parts.memory = memory;
        }
    }
}
