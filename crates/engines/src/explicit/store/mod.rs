//! The states seen so far, exactly, in little memory, for several threads at once.
//!
//! A step changes one or two of the buffers that make up a state, so the buffers are interned, and a state is a
//! tree over their numbers, whose nodes are interned in turn: tree compression (Laarman, van de Pol, Weber,
//! SPIN 2011; a descendant of SPIN's collapse compression, Holzmann 1997). The tree is binary but for its root, which
//! has a branch for each of a few threads: most states differ in a combination of threads, and need no node but
//! this one. Two states are equal if and only if their roots are: nothing is approximated.
//!
//! Whoever searches has a [`Cursor`]: the numbers of everything that is in the state at hand. A state that
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
mod heap;
mod hints;
mod table;
mod visit;

use chunks::Chunks;
use foldhash::fast::FixedState;
use heap::{Heap, INVALID};
use hints::prefetch;
pub use hints::spread;
use selvedge_vm::State;
use selvedge_vm::dependence::{Mark, Roll};
use selvedge_vm::layout::Pointers;
use selvedge_vm::lazy::Lazy;
use selvedge_vm::state::Thread;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use table::Table;
pub use visit::{Found, MAX_LENGTH, MAX_LEVEL, Visit};

const HASHER: FixedState = FixedState::with_seed(0x5e1f);
/// Entries of a cursor's caches, as a power of two.
const CACHE: u32 = 12;

/// A state's number, in the order of discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

pub struct Store {
    leaves: Leaves,
    nodes: Nodes,
    states: States,
    /// Under an abstraction: which state a key stands for.
    keys: Mutex<HashMap<u32, StateId>>,
}

/// Lists of words, each stored once and numbered.
struct Leaves {
    table: Table,
    lists: Chunks<OnceLock<Box<[u64]>>>,
    count: AtomicU32,
    words: AtomicU64,
}

/// Pairs of numbers, each stored once and numbered.
struct Nodes {
    table: Table,
    pairs: Chunks<AtomicU64>,
    count: AtomicU32,
}

/// Roots of trees. What a search notes of a state is beside it, on the same cache line.
struct States {
    table: Table,
    records: Chunks<Record>,
    count: AtomicU32,
}

/// All but the threads ([`BASE`]), then the threads, or what is two levels below the top of the tree of the threads if there
/// are too many; then 0.
pub type Root = [u32; 8];
pub const BASE: usize = 0;
/// Threads that a root has room for: thread t is at t + 1.
pub const DIRECT: usize = 7;

#[derive(Default)]
#[repr(align(64))]
struct Record {
    /// The root, as pairs.
    root: [AtomicU64; 4],
    visit: Visit,
}

impl Record {
    #[inline]
    fn root(&self) -> Root {
        let mut root = Root::default();
        for (at, pair) in self.root.iter().enumerate() {
            (root[2 * at], root[2 * at + 1]) = parted(pair.load(Ordering::Relaxed));
        }
        root
    }
}

/// What a state at hand consists of, as numbers of the store.
pub struct Cursor {
    pointers: Pointers,
    /// The [`Roll`], and inputs that are still open.
    inputs: u32,
    has_inputs: bool,
    pieces: Heap,
    threads: Heap,
    parts: Vec<Parts>,
    /// Of all but the threads.
    base: u32,
    words: Vec<u64>,
    /// Found lately, by hash: what is here needs no lock.
    recent_leaves: Box<[(u64, u32)]>,
    recent_nodes: Box<[(u64, u32)]>,
}

/// The numbers of a thread's buffers, and of the pair of the last two; what others may know of it.
#[derive(Clone, Copy)]
struct Parts {
    stack: u32,
    objects: u32,
    data: u32,
    memory: u32,
    mark: Mark,
    is_marked: bool,
}

impl Parts {
    const UNKNOWN: Parts =
        Parts { stack: INVALID, objects: INVALID, data: INVALID, memory: INVALID, mark: Mark::NONE, is_marked: false };
}

impl Cursor {
    /// At no state yet.
    pub fn new(state: &State, pointers: Pointers) -> Cursor {
        Cursor {
            pointers,
            inputs: INVALID,
            has_inputs: false,
            pieces: Heap::new(state.globals.piece_count()),
            threads: Heap::new(0),
            parts: Vec::new(),
            base: INVALID,
            words: Vec::new(),
            recent_leaves: vec![(0, INVALID); 1 << CACHE].into_boxed_slice(),
            recent_nodes: vec![(u64::MAX, INVALID); 1 << CACHE].into_boxed_slice(),
        }
    }

    /// Forgets what `state` has of its own, not yet stored.
    fn forget_changes(&mut self, state: &State) {
        if state.globals.is_any_changed() {
            self.base = INVALID;
            for piece in (0..self.pieces.leaves()).filter(|piece| state.globals.is_changed(*piece)) {
                self.pieces.set(piece, INVALID);
            }
        }
        if self.has_inputs || !state.lazy.is_empty() {
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
    fn mark(&mut self, state: &State) {
        for (number, (thread, parts)) in state.threads.iter().zip(&mut self.parts).enumerate() {
            let is_changed = thread.stack.is_changed() || thread.objects.is_changed() || thread.data.is_changed();
            if is_changed || !parts.is_marked {
                parts.mark = Mark::new(number, thread, self.pointers);
                parts.is_marked = true;
            }
        }
    }

    /// Room for so many threads, of which nothing above their parts is known.
    fn seat(&mut self, threads: usize) {
        self.threads = Heap::new(threads);
        self.parts.resize(threads, Parts::UNKNOWN);
        self.inputs = INVALID;
        self.base = INVALID;
    }
}

#[inline]
fn slot(hash: u64) -> usize {
    (hash >> (64 - CACHE)) as usize
}

/// Of a root, for the table of states.
#[inline]
pub fn hash(root: &Root) -> u64 {
    let pair = |at: usize| both(root[2 * at], root[2 * at + 1]);
    let first = folded(pair(0) ^ 0x9e37_79b9_7f4a_7c15, pair(1) ^ 0xd1b5_4a32_d192_ed03);
    let second = folded(pair(2) ^ 0x8cb9_2ba7_2f3d_8dd7, pair(3) ^ 0xaaaf_0b1f_3a5c_7b31);
    folded(first ^ 0x2545_f491_4f6c_dd1d, second ^ 0xbf58_476d_1ce4_e5b9)
}

#[inline]
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[inline]
fn both(left: u32, right: u32) -> u64 {
    u64::from(left) | u64::from(right) << 32
}

#[inline]
fn parted(pair: u64) -> (u32, u32) {
    (pair as u32, (pair >> 32) as u32)
}

impl Leaves {
    fn new() -> Leaves {
        Leaves { table: Table::new(), lists: Chunks::new(), count: AtomicU32::new(0), words: AtomicU64::new(0) }
    }

    #[inline]
    fn get(&self, number: u32) -> &[u64] {
        self.lists.get(number).get().map_or(&[], |list| list)
    }

    #[inline]
    fn insert(&self, words: &[u64], recent: &mut [(u64, u32)]) -> u32 {
        let hash = HASHER.hash_one(words);
        let recent = &mut recent[slot(hash)];
        if recent.0 == hash && recent.1 != INVALID && self.get(recent.1) == words {
            return recent.1;
        }
        let is_it = |number: u32| self.get(number) == words;
        let (number, _) = self.table.find_or_insert(hash, is_it, || {
            let number = self.count.fetch_add(1, Ordering::Relaxed);
            self.words.fetch_add(words.len() as u64, Ordering::Relaxed);
            self.lists.get(number).get_or_init(|| words.into());
            number
        });
        *recent = (hash, number);
        number
    }

    fn bytes(&self) -> u64 {
        // An allocation has a header of its own.
        let lists = u64::from(self.count.load(Ordering::Relaxed)) * 16 + self.words.load(Ordering::Relaxed) * 8;
        self.table.bytes() + self.lists.bytes() + lists
    }
}

impl Nodes {
    fn new() -> Nodes {
        Nodes { table: Table::new(), pairs: Chunks::new(), count: AtomicU32::new(0) }
    }

    #[inline]
    fn get(&self, number: u32) -> (u32, u32) {
        parted(self.pairs.get(number).load(Ordering::Relaxed))
    }

    #[inline]
    fn insert(&self, left: u32, right: u32, recent: &mut [(u64, u32)]) -> u32 {
        let pair = both(left, right);
        let hash = HASHER.hash_one(pair);
        let recent = &mut recent[slot(hash)];
        if recent.0 == pair {
            return recent.1;
        }
        let is_it = |number: u32| self.pairs.get(number).load(Ordering::Relaxed) == pair;
        let (number, _) = self.table.find_or_insert(hash, is_it, || {
            let number = self.count.fetch_add(1, Ordering::Relaxed);
            self.pairs.get(number).store(pair, Ordering::Relaxed);
            number
        });
        *recent = (pair, number);
        number
    }

    fn bytes(&self) -> u64 {
        self.table.bytes() + self.pairs.bytes()
    }
}

impl States {
    /// Who sees the state sees how it was found.
    #[inline]
    fn insert(&self, root: Root, hash: u64, found: Found) -> (u32, bool) {
        let is_it = |number: u32| self.records.get(number).root() == root;
        self.table.find_or_insert(hash, is_it, || {
            let number = self.count.fetch_add(1, Ordering::Relaxed);
            let record = self.records.get(number);
            for (at, pair) in record.root.iter().enumerate() {
                pair.store(both(root[2 * at], root[2 * at + 1]), Ordering::Relaxed);
            }
            record.visit.note(found);
            number
        })
    }
}

impl Store {
    pub fn new() -> Store {
        let states = States { table: Table::new(), records: Chunks::new(), count: AtomicU32::new(0) };
        Store { leaves: Leaves::new(), nodes: Nodes::new(), states, keys: Mutex::default() }
    }

    #[inline]
    pub fn visit(&self, id: StateId) -> &Visit {
        &self.states.records.get(id.0).visit
    }

    pub fn len(&self) -> usize {
        self.states.count.load(Ordering::Relaxed) as usize
    }

    /// Are numbers of 32 bits about to run out?
    pub fn is_full(&self) -> bool {
        let counts = [&self.leaves.count, &self.nodes.count, &self.states.count];
        counts.iter().any(|count| count.load(Ordering::Relaxed) > u32::MAX - (1 << 24))
    }

    pub fn bytes(&self) -> u64 {
        self.leaves.bytes() + self.nodes.bytes() + self.states.table.bytes() + self.states.records.bytes()
    }

    /// The state's number, and whether it is new. The cursor must have been at all that is not changed in `state`.
    pub fn insert(&self, cursor: &mut Cursor, state: &mut State, found: Found) -> (StateId, bool) {
        let root = self.fold(cursor, state);
        self.insert_root(root, found)
    }

    /// The same of a state that this stands for, under an abstraction; then every state has one.
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
    pub fn insert_root(&self, root: Root, found: Found) -> (StateId, bool) {
        self.insert_hashed(root, hash(&root), found)
    }

    /// The same where the [hash] is known.
    #[inline]
    pub fn insert_hashed(&self, root: Root, hash: u64, found: Found) -> (StateId, bool) {
        let (number, new) = self.states.insert(root, hash, found);
        (StateId(number), new)
    }

    /// Somebody will look at this state soon.
    #[inline]
    pub fn expect(&self, id: StateId) {
        prefetch(self.states.records.get(id.0));
    }

    /// Somebody will look for a root with this [hash] soon.
    #[inline]
    pub fn expect_root(&self, hash: u64) {
        self.states.table.expect(hash);
    }

    /// The same, sooner: the root is likely to be that of a state which is known.
    #[inline]
    pub fn expect_state(&self, hash: u64) {
        if let Some(number) = self.states.table.guess(hash) {
            self.expect(StateId(number));
        }
    }

    #[inline]
    pub fn root(&self, id: StateId) -> Root {
        self.states.records.get(id.0).root()
    }

    /// What the threads of a state know of each other.
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
        cursor.has_inputs = !state.lazy.is_empty();
        cursor.words.clear();
        Roll::write(cursor.parts.iter().map(|parts| &parts.mark), &mut cursor.words);
        state.lazy.encode(&mut cursor.words);
        if cursor.inputs == INVALID || self.leaves.get(cursor.inputs) != cursor.words {
            cursor.inputs = self.leaves.insert(&cursor.words, &mut cursor.recent_leaves);
            cursor.base = INVALID;
        }
        if state.globals.is_any_changed() {
            for piece in (0..cursor.pieces.leaves()).filter(|piece| state.globals.is_changed(*piece)) {
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
                cursor.has_inputs = !state.lazy.is_empty();
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
            state.lazy.clear();
        } else {
            state.lazy = Lazy::decode(inputs).unwrap_or_default();
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
