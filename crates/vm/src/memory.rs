//! Loads, stores and allocation, with all their checks.
//!
//! Everything here works on a [`State`] and knows nothing of threads' code. A failed check is a
//! [`Fault`], which the machine turns into a violation of the memory property.

mod bulk;

use crate::layout::{Layout, Slot, Static};
use crate::state::{Kind, Object, State};
use selvedge_program::{FuncId, GlobalId};

/// The place of an access, after all checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
pub enum Spot {
    Constant { at: usize },
    Variable { at: usize },
    /// `at` is the first byte in that thread's data.
    Object { thread: usize, index: usize, offset: usize, at: usize, site: u32, uninitialised: bool },
}

impl Spot {
    /// The first byte of an object.
    pub(crate) fn of_object(thread: usize, index: usize, object: Object) -> Spot {
        let Object { at, site, uninitialised, .. } = object;
        Spot::Object { thread, index, offset: 0, at: at as usize * 8, site, uninitialised }
    }

    /// The place some bytes further on.
    pub fn advanced(self, by: usize) -> Spot {
        match self {
            Spot::Constant { at } => Spot::Constant { at: at + by },
            Spot::Variable { at } => Spot::Variable { at: at + by },
            Spot::Object { thread, index, offset, at, site, uninitialised } => {
                Spot::Object { thread, index, offset: offset + by, at: at + by, site, uninitialised }
            }
        }
    }
}

/// Why a pointer cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
pub enum Fault {
    Null,
    /// No object has ever been there.
    Wild,
    Function,
    Freed,
    /// The function whose variable it was has returned.
    Gone,
    /// The thread whose copy of a thread-local it was has ended.
    GoneWithThread,
    OutOfBounds { offset: u64, size: u64 },
    Constant,
    NotHeap,
    NotStart { offset: u64 },
    DoubleFree,
}

impl Fault {
    /// A clause that describes the fault: "reads 4 bytes through a null pointer".
    pub fn describe(self, doing: &str) -> String {
        match self {
            Fault::Null => format!("{doing} through a null pointer"),
            Fault::Wild => format!("{doing} through a pointer to nothing"),
            Fault::Function => format!("{doing} in a function's code"),
            Fault::Freed => format!("{doing} in memory that was freed"),
            Fault::Gone => format!("{doing} in a variable of a function that has returned"),
            Fault::GoneWithThread => format!("{doing} in a variable of a thread that has ended"),
            Fault::OutOfBounds { offset, size } if (offset as i64) < 0 => {
                format!("{doing} before the start of an object of {size} bytes")
            }
            Fault::OutOfBounds { offset, size } => {
                format!("{doing} at offset {offset} of an object of {size} bytes")
            }
            Fault::Constant => format!("{doing} in a constant"),
            Fault::NotHeap => "frees memory that is not from the heap".to_string(),
            Fault::NotStart { offset } if (offset as i64) < 0 => "frees a pointer in front of an object".to_string(),
            Fault::NotStart { offset } => format!("frees a pointer {offset} bytes into an object"),
            Fault::DoubleFree => "frees memory that was freed before".to_string(),
        }
    }
}

/// The object that a pointer points into, before bounds are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Function(FuncId),
    Global { id: GlobalId, size: u64, constant: bool, at: usize },
    Object { thread: usize, index: usize, object: Object },
}

/// The object a pointer names, and the offset in it: one in front of it is a huge number.
#[inline]
pub fn target(state: &State, layout: &Layout, pointer: u64) -> Result<(Target, u64), Fault> {
    let offset = layout.pointers.offset(pointer) as u64;
    match state.slot(layout, pointer).ok_or(Fault::Wild)? {
        Slot::Static(slot) => match layout.statics.get(slot) {
            None => Err(Fault::Wild),
            Some(Static::Null) => Err(Fault::Null),
            Some(Static::Func(id)) => Ok((Target::Function(*id), offset)),
            Some(Static::Constant { global, at, size, base }) => Ok((
                Target::Global { id: *global, size: u64::from(*size), constant: true, at: *at as usize },
                offset.wrapping_add(u64::from(*base)),
            )),
            Some(Static::Variable { global, at, size, base }) => Ok((
                Target::Global { id: *global, size: u64::from(*size), constant: false, at: *at as usize },
                offset.wrapping_add(u64::from(*base)),
            )),
        },
        Slot::Dynamic { thread, index } => {
            let first = state.first_of(thread, index).ok_or(Fault::Wild)?;
            let offset = offset.wrapping_add(((index - first) as u64) << layout.pointers.offset_bits);
            let object = state.threads[thread].object(first).ok_or(Fault::Wild)?;
            Ok((Target::Object { thread, index: first, object }, offset))
        }
    }
}

/// Checks an access of `bytes` bytes.
#[inline]
pub fn locate(state: &State, layout: &Layout, pointer: u64, bytes: u64, write: bool) -> Result<Spot, Fault> {
    match target(state, layout, pointer)? {
        (Target::Function(_), _) => Err(Fault::Function),
        (Target::Global { size, constant, at, .. }, offset) => {
            within(offset, bytes, size)?;
            match (constant, write) {
                (true, true) => Err(Fault::Constant),
                (true, false) => Ok(Spot::Constant { at: at + offset as usize }),
                (false, _) => Ok(Spot::Variable { at: at + offset as usize }),
            }
        }
        (Target::Object { thread, index, object }, offset) => {
            match object.kind {
                Kind::DeadHeap => return Err(Fault::Freed),
                Kind::DeadStack if index < layout.thread_locals.len() => return Err(Fault::GoneWithThread),
                Kind::DeadStack => return Err(Fault::Gone),
                _ => {}
            }
            within(offset, bytes, u64::from(object.size))?;
            let offset = offset as usize;
            let at = object.at as usize * 8 + offset;
            let uninitialised = object.uninitialised;
            Ok(Spot::Object { thread, index, offset, at, site: object.site, uninitialised })
        }
    }
}

#[inline]
fn within(offset: u64, bytes: u64, size: u64) -> Result<(), Fault> {
    let fits = offset.checked_add(bytes).is_some_and(|end| end <= size);
    if fits { Ok(()) } else { Err(Fault::OutOfBounds { offset, size }) }
}

/// Reads up to 8 bytes.
#[inline]
pub fn read(words: &[u64], at: usize, bytes: usize) -> u64 {
    let (word, shift) = (at / 8, at % 8 * 8);
    let mut value = words[word] >> shift;
    if shift + bytes * 8 > 64 {
        value |= words[word + 1] << (64 - shift);
    }
    value & low_bytes(bytes)
}

/// Writes up to 8 bytes.
#[inline]
pub fn write(words: &mut [u64], at: usize, bytes: usize, value: u64) {
    let (word, shift) = (at / 8, at % 8 * 8);
    let mask = low_bytes(bytes);
    let value = value & mask;
    words[word] = words[word] & !(mask << shift) | value << shift;
    if shift + bytes * 8 > 64 {
        let back = 64 - shift;
        words[word + 1] = words[word + 1] & !(mask >> back) | value >> back;
    }
}

#[inline]
fn low_bytes(bytes: usize) -> u64 {
    if bytes >= 8 { u64::MAX } else { (1 << (bytes * 8)) - 1 }
}

/// Whether some or all of the bytes are initialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initialised {
    Fully,
    Partly,
    Not,
}

impl State {
    /// The first number of the object that this number belongs to.
    #[inline]
    pub(crate) fn first_of(&self, thread: usize, index: usize) -> Option<usize> {
        let object = self.threads.get(thread)?.object(index)?;
        match object.kind {
            Kind::Continuation => index.checked_sub(object.size as usize),
            Kind::Unused => None,
            _ => Some(index),
        }
    }

    /// Reads up to 8 bytes at a checked place.
    #[inline]
    pub fn read(&self, layout: &Layout, spot: Spot, bytes: usize) -> u64 {
        match spot {
            Spot::Variable { at } => read(&self.globals, at, bytes),
            Spot::Object { thread, at, .. } => read(&self.threads[thread].data, at, bytes),
            Spot::Constant { at } => {
                let mut word = [0; 8];
                word[..bytes].copy_from_slice(&layout.constants[at..at + bytes]);
                u64::from_le_bytes(word)
            }
        }
    }

    /// Writes up to 8 bytes at a checked place, and marks them initialised.
    #[inline]
    pub fn write(&mut self, spot: Spot, bytes: usize, value: u64) {
        match spot {
            Spot::Variable { at } => self.globals.write(at, bytes, value),
            Spot::Object { thread, at, index, offset, uninitialised, .. } => {
                write(&mut self.threads[thread].data, at, bytes, value);
                if uninitialised {
                    self.mark_initialised(thread, index, offset, bytes);
                }
            }
            Spot::Constant { .. } => unreachable!("writes to constants are faults"),
        }
    }

    fn bitmap(&self, thread: usize, index: usize) -> Option<(usize, Object)> {
        let object = self.threads[thread].object(index)?;
        object.uninitialised.then(|| (object.at as usize + object.byte_words(), object))
    }

    /// Removes words from a thread's data and moves the following ones up.
    fn close_gap(&mut self, thread: usize, at: usize, words: usize) {
        let thread = &mut self.threads[thread];
        thread.data.drain(at..at + words);
        for index in 0..thread.object_count() {
            if let Some(mut object) = thread.object(index)
                && object.is_live()
                && object.at as usize > at
            {
                object.at -= words as u32;
                thread.set_object(index, object);
            }
        }
    }

    /// Creates an object with the lowest free number. `None` if the address space is full.
    pub fn allocate(&mut self, layout: &Layout, thread: usize, object: Object) -> Option<usize> {
        let slots = usize::try_from(layout.pointers.windows(u64::from(object.size))).ok()?;
        let first = layout.thread_locals.len();
        let this = &mut self.threads[thread];
        let count = this.object_count();
        let is_unused = |index: usize| this.object(index).is_none_or(|o| o.kind == Kind::Unused);
        let index = (first..=count).find(|&from| (from..from + slots).all(is_unused))?;
        if (index + slots) as u64 > layout.slots.count(thread) {
            return None;
        }
        let needed = 2 * (index + slots);
        if this.objects.len() < needed {
            this.objects.resize(needed, 0);
        }
        let end = this.data.len();
        let behind: Vec<(usize, Object)> = (index + slots..this.object_count())
            .filter_map(|later| this.object(later).filter(|o| o.is_live()).map(|object| (later, object)))
            .collect();
        // Buffered stores stand behind all objects.
        let at = behind.first().map_or_else(|| this.objects_end(), |(_, object)| object.at as usize);
        let object = Object { at: at as u32, ..object };
        this.set_object(index, object);
        for part in 1..slots {
            this.set_object(index + part, Object { kind: Kind::Continuation, size: part as u32, ..Object::UNUSED });
        }
        this.data.resize(end + object.byte_words(), 0);
        if object.uninitialised {
            for word in 0..object.bitmap_words() {
                let left = object.size as usize - word * 64;
                this.data.push(if left >= 64 { u64::MAX } else { (1 << left) - 1 });
            }
        }
        // Bytes are kept in the order of numbers, not of creation, so that equal objects give equal states.
        let words = object.words();
        this.data[at..].rotate_right(words);
        for (later, object) in behind {
            this.set_object(later, Object { at: object.at + words as u32, ..object });
        }
        Some(index)
    }

    /// Ends an object's life. Its number stays taken while pointers name it.
    pub fn kill(&mut self, thread: usize, index: usize) {
        let Some(object) = self.threads[thread].object(index) else { return };
        let (at, words) = (object.at as usize, object.words());
        let kind = if object.kind == Kind::Heap { Kind::DeadHeap } else { Kind::DeadStack };
        self.threads[thread].set_object(index, Object { kind, size: object.size, site: object.site, ..Object::UNUSED });
        if words > 0 {
            self.close_gap(thread, at, words);
        }
    }

    /// Checks the argument of `free`.
    pub fn freeable(&self, layout: &Layout, pointer: u64) -> Result<(usize, usize, Object), Fault> {
        match target(self, layout, pointer)? {
            (Target::Object { thread, index, object }, offset) => match (object.kind, offset) {
                (Kind::DeadHeap, _) => Err(Fault::DoubleFree),
                (Kind::Heap, 0) => Ok((thread, index, object)),
                (Kind::Heap, offset) => Err(Fault::NotStart { offset }),
                _ => Err(Fault::NotHeap),
            },
            _ => Err(Fault::NotHeap),
        }
    }

    /// Releases the numbers of dead objects without pointers to them, so that a program that allocates and frees for
    /// ever has finitely many states. Returns whether this depended on other threads than `own`, beyond whether they
    /// point to any of its objects.
    pub fn collect(&mut self, layout: &Layout, own: usize) -> bool {
        let dead_of_own = self.threads[own].has_dead_objects();
        let dead_of_others = self.threads.iter().enumerate().any(|(t, thread)| t != own && thread.has_dead_objects());
        if !dead_of_own && !dead_of_others {
            return false;
        }
        let mut named = Vec::new();
        let mut others_name_own = false;
        let is_dead = |object: Object| object.is_dead() || object.kind == Kind::Continuation;
        let of_threads =
            self.threads.iter().enumerate().flat_map(|(t, thread)| [(t, &*thread.stack), (t, &*thread.data)]);
        for (by, words) in of_threads.map(|(by, words)| (by, words.as_slice())).chain([(own, &*self.globals)]) {
            layout.slots.for_each_pointer(words, |pointer| {
                let Some(Slot::Dynamic { thread: owner, index }) = self.slot(layout, pointer) else { return };
                others_name_own |= owner == own && by != own;
                if self.threads.get(owner).and_then(|t| t.object(index)).is_some_and(is_dead) {
                    named.push((owner, index));
                }
            });
        }
        let first = layout.thread_locals.len();
        for (number, thread) in self.threads.iter_mut().enumerate() {
            for index in first..thread.object_count() {
                let Some(object) = thread.object(index) else { continue };
                let slots = layout.pointers.windows(u64::from(object.size)) as usize;
                let parts = index..index + slots;
                if object.is_dead() && !parts.clone().any(|part| named.contains(&(number, part))) {
                    parts.for_each(|part| thread.set_object(part, Object::UNUSED));
                }
            }
            while thread.object_count() > first
                && thread.object(thread.object_count() - 1).is_some_and(|o| o.kind == Kind::Unused)
            {
                let end = thread.objects.len() - 2;
                thread.objects.truncate(end);
            }
        }
        dead_of_others || others_name_own
    }

    /// Live heap objects that cannot be reached from globals, stacks of unfinished threads, or
    /// thread-locals of unfinished threads.
    pub fn lost_objects(&self, layout: &Layout) -> Vec<(usize, Object)> {
        let mut reached: Vec<(usize, usize)> = Vec::new();
        let mut pending: Vec<u64> = Vec::new();
        let words =
            |buffer: &[u64], pending: &mut Vec<u64>| layout.slots.for_each_pointer(buffer, |word| pending.push(word));
        words(&self.globals, &mut pending);
        for thread in self.threads.iter().filter(|t| !t.stack.is_empty() && !t.is_finished()) {
            words(&thread.stack, &mut pending);
            for object in (0..thread.object_count()).filter_map(|i| thread.object(i)) {
                if matches!(object.kind, Kind::ThreadLocal | Kind::Stack) {
                    words(&thread.data[object.at as usize..][..object.byte_words()], &mut pending);
                }
            }
        }
        while let Some(pointer) = pending.pop() {
            if let Ok((Target::Object { thread, index, object }, _)) = target(self, layout, pointer)
                && object.is_live()
                && !reached.contains(&(thread, index))
            {
                reached.push((thread, index));
                words(&self.threads[thread].data[object.at as usize..][..object.byte_words()], &mut pending);
            }
        }
        let mut lost = Vec::new();
        for (number, thread) in self.threads.iter().enumerate() {
            for index in 0..thread.object_count() {
                match thread.object(index) {
                    Some(o) if o.kind == Kind::Heap && !reached.contains(&(number, index)) => lost.push((number, o)),
                    _ => {}
                }
            }
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Thread;

    /// Intermediate allocations leave no trace.
    #[test]
    fn bytes_are_in_the_order_of_numbers() {
        let program = selvedge_program::text::parse("program lp64 entry @main\nfn @main() {\nentry:\n  return\n}\n");
        let layout = Layout::new(&program.expect("a program")).expect("a layout");
        let object = |size: u32, uninitialised| Object { kind: Kind::Heap, size, uninitialised, ..Object::UNUSED };
        let with = |sizes: &[(u32, bool)]| {
            let mut state = State { threads: vec![Thread::default()], ..State::default() };
            for (number, (size, uninitialised)) in sizes.iter().enumerate() {
                assert_eq!(state.allocate(&layout, 0, object(*size, *uninitialised)), Some(number));
            }
            state
        };
        let mut changed = with(&[(8, false), (4, true), (0, false), (24, false)]);
        changed.threads[0].data[3] = 7;
        let mut plain = with(&[(8, false), (70, true), (0, false), (24, false)]);
        // The last object's first word, after objects of one and nine words and a bitmap of two.
        plain.threads[0].data[12] = 7;
        changed.kill(0, 1);
        changed.collect(&layout, 0);
        assert_eq!(changed.allocate(&layout, 0, object(70, true)), Some(1));
        assert_eq!(changed, plain);
        assert_eq!(plain.threads[0].object(3).map(|o| o.at), Some(12));
    }

    /// Byte by byte in several orders. With time linear in the whole object for each byte, this would not end.
    #[test]
    fn a_large_object_is_filled_in_time_in_proportion_to_its_size() {
        let program = selvedge_program::text::parse("program lp64 entry @main\nfn @main() {\nentry:\n  return\n}\n");
        let layout = Layout::new(&program.expect("a program")).expect("a layout");
        const SIZE: usize = 16 << 20;
        const HALF: usize = SIZE / 2;
        let up: fn(usize) -> usize = |byte| byte;
        let down: fn(usize) -> usize = |byte| SIZE - 1 - byte;
        let halves: fn(usize) -> usize = |byte| if byte < HALF { byte + HALF } else { byte - HALF };
        for order in [up, down, halves] {
            let mut state = State { threads: vec![Thread::default()], ..State::default() };
            let object = Object { kind: Kind::Heap, size: SIZE as u32, uninitialised: true, ..Object::UNUSED };
            let index = state.allocate(&layout, 0, object).expect("room");
            for byte in 0..SIZE {
                assert_ne!(state.initialised(0, index, order(byte), 1), Initialised::Fully);
                state.mark_initialised(0, index, order(byte), 1);
            }
            assert_eq!(state.threads[0].object(index).map(|object| object.uninitialised), Some(false));
            assert_eq!(state.threads[0].data.len(), SIZE / 8);
        }
    }

    #[test]
    fn bytes_across_words() {
        let mut words = [0u64; 2];
        write(&mut words, 6, 4, 0xaabb_ccdd);
        assert_eq!(read(&words, 6, 4), 0xaabb_ccdd);
        assert_eq!(read(&words, 7, 1), 0xcc);
        assert_eq!(words[1], 0xaabb);
        write(&mut words, 0, 8, u64::MAX);
        assert_eq!(read(&words, 6, 4), 0xaabb_ffff);
    }
}
