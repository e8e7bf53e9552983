//! The states seen so far, exactly, in little memory.
//!
//! A step changes one or two of the buffers that make up a state, so the buffers are interned and a
//! state is the list of their numbers (SPIN calls this collapse compression; Holzmann, 1997). Two
//! states are equal if and only if their lists are: nothing is approximated.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use selvedge_vm::State;
use selvedge_vm::lazy::Lazy;
use selvedge_vm::state::Thread;
use std::hash::BuildHasher;

/// Globals are interned in pieces of so many words, lest one changed counter copy a large array.
const PIECE: usize = 32;

const HASHER: FixedState = FixedState::with_seed(0x5e1f);

/// Lists of `T`, each stored once and numbered.
struct Interner<T> {
    items: Vec<T>,
    /// Where each list ends; it begins where the one before ends.
    ends: Vec<u64>,
    table: HashTable<u32>,
}

impl<T: Copy + Eq + std::hash::Hash> Interner<T> {
    fn new() -> Interner<T> {
        Interner { items: Vec::new(), ends: Vec::new(), table: HashTable::new() }
    }

    fn get(&self, number: u32) -> &[T] {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.items[start as usize..self.ends[number] as usize]
    }

    /// The list's number, and whether it is new.
    fn insert(&mut self, list: &[T]) -> (u32, bool) {
        let hash = HASHER.hash_one(list);
        if let Some(number) = self.table.find(hash, |number| self.get(*number) == list) {
            return (*number, false);
        }
        let number = self.ends.len() as u32;
        self.items.extend_from_slice(list);
        self.ends.push(self.items.len() as u64);
        let (items, ends) = (&self.items, &self.ends);
        self.table.insert_unique(hash, number, |number| {
            let number = *number as usize;
            let start = if number == 0 { 0 } else { ends[number - 1] };
            HASHER.hash_one(&items[start as usize..ends[number] as usize])
        });
        (number, true)
    }

    fn bytes(&self) -> u64 {
        (self.items.capacity() * size_of::<T>() + self.ends.capacity() * 8 + self.table.allocation_size()) as u64
    }
}

/// A state's number, in the order of discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

pub struct Store {
    pieces: Interner<u64>,
    stacks: Interner<u64>,
    objects: Interner<u64>,
    data: Interner<u64>,
    symbols: Interner<u64>,
    /// Under an abstraction: for each state, what is told apart of it.
    keys: Interner<u64>,
    /// For each state: its symbols, then the pieces of its globals, then stack, objects and data of
    /// each thread.
    states: Interner<u32>,
    list: Vec<u32>,
    words: Vec<u64>,
}

impl Store {
    pub fn new() -> Store {
        Store {
            pieces: Interner::new(),
            stacks: Interner::new(),
            objects: Interner::new(),
            data: Interner::new(),
            symbols: Interner::new(),
            keys: Interner::new(),
            states: Interner::new(),
            list: Vec::new(),
            words: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.states.ends.len()
    }

    pub fn bytes(&self) -> u64 {
        let words = [&self.pieces, &self.stacks, &self.objects, &self.data, &self.symbols, &self.keys];
        self.states.bytes() + words.iter().map(|part| part.bytes()).sum::<u64>()
    }

    /// The state's number, and whether it is new. `parent`: a state that it differs from in few
    /// buffers, if there is one; equal ones need not be looked up. `key`: stands for the state, under an
    /// abstraction; then every state has one.
    pub fn insert(&mut self, state: &State, parent: Option<StateId>, key: Option<&[u64]>) -> (StateId, bool) {
        if let Some((number, false)) = key.map(|key| self.keys.insert(key)) {
            return (StateId(number), false);
        }
        let mut list = std::mem::take(&mut self.list);
        list.clear();
        let before: &[u32] = parent.map_or(&[], |parent| self.states.get(parent.0));
        let same = |part: &Interner<u64>, at: usize, words: &[u64]| {
            before.get(at).copied().filter(|number| (*number as usize) < part.ends.len() && part.get(*number) == words)
        };
        self.words.clear();
        state.lazy.encode(&mut self.words);
        list.push(match same(&self.symbols, 0, &self.words) {
            Some(number) => number,
            None => self.symbols.insert(&self.words).0,
        });
        for piece in state.globals.chunks(PIECE) {
            let number = match same(&self.pieces, list.len(), piece) {
                Some(number) => number,
                None => self.pieces.insert(piece).0,
            };
            list.push(number);
        }
        for thread in &state.threads {
            for (part, words) in [
                (&mut self.stacks, &thread.stack),
                (&mut self.objects, &thread.objects),
                (&mut self.data, &thread.data),
            ] {
                let number = match same(part, list.len(), words) {
                    Some(number) => number,
                    None => part.insert(words).0,
                };
                list.push(number);
            }
        }
        let (number, new) = self.states.insert(&list);
        self.list = list;
        (StateId(number), new)
    }

    /// Writes the state with this number into `state`, whose buffers are used again.
    pub fn load(&self, id: StateId, state: &mut State) {
        let list = self.states.get(id.0);
        let pieces = state.globals.len().div_ceil(PIECE);
        let threads = (list.len() - 1 - pieces) / 3;
        state.lazy.clear();
        let symbols = self.symbols.get(list[0]);
        if !symbols.is_empty() {
            state.lazy = Lazy::decode(symbols).unwrap_or_default();
        }
        for (piece, number) in state.globals.chunks_mut(PIECE).zip(&list[1..]) {
            piece.copy_from_slice(self.pieces.get(*number));
        }
        state.threads.resize_with(threads, Thread::default);
        for (thread, numbers) in state.threads.iter_mut().zip(list[1 + pieces..].chunks_exact(3)) {
            refill(&mut thread.stack, self.stacks.get(numbers[0]));
            refill(&mut thread.objects, self.objects.get(numbers[1]));
            refill(&mut thread.data, self.data.get(numbers[2]));
        }
    }
}

fn refill(buffer: &mut Vec<u64>, words: &[u64]) {
    buffer.clear();
    buffer.extend_from_slice(words);
}
