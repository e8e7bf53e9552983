//! Store buffers, for memory models that have them ([`selvedge_program::memory_model`]).
//!
//! The stores that a thread has made and that have not reached memory stand behind the bytes of its objects, in the
//! order in which they were made: [`Thread::data`](crate::Thread) therefore has one more use, and everything that
//! treats threads as data (stores of states, comparisons, sorting twins, the search for pointers) needs to know nothing
//! of buffers. A bit of the status tells whether there are any. Equal buffers are equal words: no step numbers, and no
//! marks that have lost their meaning.
//!
//! A store takes two words and its bytes: how many they are, with its [order](BufferedStore); where they go; what they
//! are. A fence that separates stores is a mark on the store behind it, or an entry of its own as long as there is
//! none.
//!
//! - `late`: making stores, reading through the buffer, draining it.
//! - [`flush`]: stores that arrive between two steps, and which of them a step can notice.
//! - `noticed_places`: the places that several threads touch in a run that is replayed.
//! - [`numbers`]: the steps in which stores were made, which schedules name.

pub mod flush;
mod late;
pub(crate) mod noticed_places;
pub mod numbers;

pub use late::BufferEvent;
pub(crate) use late::StoreWay;

use crate::memory::Spot;
use crate::state::{State, Thread};
use selvedge_program::MemoryModel;
use std::borrow::Cow;

/// The bit of a thread's status that tells whether stores are buffered.
pub(crate) const HAS_STORES: u64 = 64;

/// Words in front of a store's bytes.
const HEADER: usize = 2;

const RELEASE: u64 = 1;
const SEPARATED: u64 = 2;
const OBJECT: u64 = 4;
/// No store, only the mark of a fence.
const FENCE: u64 = 8;
/// Its object has ended: it arrives nowhere. Only where flushes are steps of their own, which must not vanish.
const VOID: u64 = 16;
const BYTES_SHIFT: u32 = 8;

/// The target of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    Variable { at: usize },
    Object { thread: usize, index: usize, offset: usize },
}

const INDEX_SHIFT: u32 = 28;
const THREAD_SHIFT: u32 = 48;

impl Place {
    fn of(spot: Spot) -> Option<Place> {
        match spot {
            Spot::Constant { .. } => None,
            Spot::Variable { at } => Some(Place::Variable { at }),
            Spot::Object { thread, index, offset, .. } => Some(Place::Object { thread, index, offset }),
        }
    }

    fn word(self) -> u64 {
        match self {
            Place::Variable { at } => at as u64,
            Place::Object { thread, index, offset } => {
                offset as u64 | (index as u64) << INDEX_SHIFT | (thread as u64) << THREAD_SHIFT
            }
        }
    }

    fn from_word(word: u64, is_object: bool) -> Place {
        if !is_object {
            return Place::Variable { at: word as usize };
        }
        let part = |from: u32, to: u32| (word >> from & ((1 << (to - from)) - 1)) as usize;
        Place::Object {
            thread: part(THREAD_SHIFT, 63),
            index: part(INDEX_SHIFT, THREAD_SHIFT),
            offset: part(0, INDEX_SHIFT),
        }
    }

    fn advanced(self, by: usize) -> Place {
        match self {
            Place::Variable { at } => Place::Variable { at: at + by },
            Place::Object { thread, index, offset } => Place::Object { thread, index, offset: offset + by },
        }
    }

    /// How many bytes behind `other` it is, if both are in the same object.
    fn behind(self, other: Place) -> Option<i64> {
        match (self, other) {
            (Place::Variable { at }, Place::Variable { at: start }) => Some(at as i64 - start as i64),
            (Place::Object { thread, index, offset }, Place::Object { thread: t, index: i, offset: start })
                if (thread, index) == (t, i) =>
            {
                Some(offset as i64 - start as i64)
            }
            (Place::Variable { .. } | Place::Object { .. }, _) => None,
        }
    }

    fn overlaps(self, bytes: usize, other: Place, others: usize) -> bool {
        self.behind(other).is_some_and(|distance| distance < others as i64 && -distance < bytes as i64)
    }
}

/// A store that has not reached memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferedStore {
    pub place: Place,
    pub bytes: usize,
    release: bool,
    /// A fence separates it from those before.
    separated: bool,
    /// Its object has ended.
    pub is_void: bool,
    /// Its first word in the thread's data.
    word: usize,
}

impl BufferedStore {
    pub(crate) fn overlaps(&self, place: Place, bytes: usize) -> bool {
        !self.is_void && self.place.overlaps(self.bytes, place, bytes)
    }

    /// Does it go to this object?
    fn is_to(&self, owner: usize, index: usize) -> bool {
        matches!(self.place, Place::Object { thread, index: number, .. } if (thread, number) == (owner, index))
    }

    fn words(&self) -> usize {
        HEADER + self.bytes.div_ceil(8)
    }

    fn byte(&self, thread: &Thread, number: usize) -> u8 {
        (thread.data[self.word + HEADER + number / 8] >> (number % 8 * 8)) as u8
    }
}

impl Thread {
    /// Does it have stores that have not reached memory? Not for the thread that is running.
    #[inline]
    pub fn has_stores(&self) -> bool {
        self.stack.first().is_some_and(|status| status & HAS_STORES != 0)
    }

    /// Its stack, as it is when no stores are buffered.
    pub fn stack_without_stores(&self) -> Cow<'_, [u64]> {
        let mut stack = Cow::from(self.stack.as_slice());
        if self.has_stores() {
            stack.to_mut()[0] &= !HAS_STORES;
        }
        stack
    }

    /// Notes whether it has.
    fn note_stores(&mut self, are_there: bool) {
        self.stack[0] = self.stack[0] & !HAS_STORES | if are_there { HAS_STORES } else { 0 };
    }

    /// The first word behind the bytes of its objects.
    pub(crate) fn objects_end(&self) -> usize {
        let objects = (0..self.object_count()).filter_map(|index| self.object(index));
        objects.filter(|object| object.is_live()).map(|o| o.at as usize + o.words()).max().unwrap_or(0)
    }

    /// The stores that have not reached memory, the oldest first.
    pub fn stores(&self) -> Vec<BufferedStore> {
        let mut stores = Vec::new();
        let mut word = self.objects_end();
        while let Some([order, place]) = self.data.get(word..word + HEADER) {
            let store = BufferedStore {
                place: Place::from_word(*place, order & OBJECT != 0),
                bytes: (order >> BYTES_SHIFT) as usize,
                release: order & RELEASE != 0,
                separated: order & SEPARATED != 0,
                is_void: order & VOID != 0,
                word,
            };
            word += store.words();
            if order & FENCE == 0 {
                stores.push(store);
            }
        }
        stores
    }

    /// Is the last entry the mark of a fence? Then its first word.
    fn fence(&self) -> Option<usize> {
        let last = self.data.len().checked_sub(HEADER).filter(|last| *last >= self.objects_end())?;
        // A store's bytes could look like a fence.
        let is_store = self.stores().last().is_some_and(|store| store.word + store.words() == self.data.len());
        (!is_store && self.data[last] & FENCE != 0).then_some(last)
    }

    /// Appends a store with these bytes.
    fn append(&mut self, place: Place, bytes: usize, release: bool, value: impl Iterator<Item = u64>) {
        let is_first = self.stores().is_empty();
        let fence = self.fence();
        if let Some(fence) = fence {
            self.data.truncate(fence);
        }
        let is_object = matches!(place, Place::Object { .. });
        let mut order = (bytes as u64) << BYTES_SHIFT | if is_object { OBJECT } else { 0 };
        // Without a store before it there is nothing to be kept in order.
        if !is_first {
            order |= if release { RELEASE } else { 0 } | if fence.is_some() { SEPARATED } else { 0 };
        }
        self.data.extend([order, place.word()]);
        self.data.extend(value);
    }

    /// Stores before this arrive before stores behind it.
    fn separate(&mut self) {
        if self.fence().is_none() && !self.stores().is_empty() {
            self.data.extend([FENCE, 0]);
        }
    }

    /// Takes a store out of the buffer; gives its bytes, as words.
    fn take(&mut self, store: BufferedStore) -> Vec<u64> {
        let words: Vec<u64> = self.data.drain(store.word..store.word + store.words()).skip(HEADER).collect();
        match self.stores().first() {
            // The marks of the first store have lost their meaning.
            Some(first) => {
                let word = first.word;
                self.data[word] &= !(RELEASE | SEPARATED);
            }
            None => {
                let end = self.objects_end();
                self.data.truncate(end);
            }
        }
        words
    }
}

/// Must the store of number `first` arrive before that of number `second`, which is younger?
fn precedes(model: MemoryModel, stores: &[BufferedStore], first: usize, second: usize) -> bool {
    let (one, other) = (&stores[first], &stores[second]);
    let separated = stores[first + 1..=second].iter().any(|store| store.separated);
    model.keeps_order(one.overlaps(other.place, other.bytes), separated, other.release)
}

/// Can a store arrive next?
fn can_arrive(model: MemoryModel, stores: &[BufferedStore], number: usize) -> bool {
    (0..number).all(|earlier| !precedes(model, stores, earlier, number))
}

/// The store and all that must arrive before it, the oldest first.
fn with_predecessors(model: MemoryModel, stores: &[BufferedStore], number: usize) -> Vec<usize> {
    let mut needed = vec![number];
    for earlier in (0..number).rev() {
        if needed.iter().any(|later| precedes(model, stores, earlier, *later)) {
            needed.push(earlier);
        }
    }
    needed.reverse();
    needed
}

impl State {
    /// The target of a store, as long as its object lives.
    pub(crate) fn spot(&self, place: Place) -> Option<Spot> {
        match place {
            Place::Variable { at } => Some(Spot::Variable { at }),
            Place::Object { thread, index, offset } => {
                let object = self.threads.get(thread)?.object(index).filter(|object| object.is_live())?;
                let at = object.at as usize * 8 + offset;
                let (site, uninitialised) = (object.site, object.uninitialised);
                Some(Spot::Object { thread, index, offset, at, site, uninitialised })
            }
        }
    }

    /// The threads whose buffers are not empty, apart from the one that is running.
    pub fn storing(&self) -> impl Iterator<Item = usize> {
        self.threads.iter().enumerate().filter(|(_, thread)| thread.has_stores()).map(|(number, _)| number)
    }

    /// The stores of a thread to an object that has ended go nowhere.
    fn void_stores(&mut self, thread: usize, owner: usize, index: usize) {
        let thread = &mut self.threads[thread];
        for store in thread.stores().iter().filter(|store| store.is_to(owner, index)) {
            thread.data[store.word] |= VOID;
        }
    }

    /// Drops the stores of a thread to an object that has ended; whether some are left, and the numbers of those
    /// dropped, the youngest first.
    fn drop_stores(&mut self, thread: usize, owner: usize, index: usize) -> (bool, Vec<usize>) {
        let thread = &mut self.threads[thread];
        let mut dropped = Vec::new();
        while let Some(number) = thread.stores().iter().rposition(|store| store.is_to(owner, index)) {
            let store = thread.stores()[number];
            let next = thread.stores().get(number + 1).map(|next| next.word - store.words());
            let is_first = number == 0;
            thread.take(store);
            // The fence in front of it still stands between its neighbours.
            match next {
                Some(next) if store.separated && !is_first => thread.data[next] |= SEPARATED,
                None if store.separated => thread.separate(),
                Some(_) | None => {}
            }
            dropped.push(number);
        }
        (!thread.stores().is_empty(), dropped)
    }
}
