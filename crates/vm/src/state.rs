//! Everything that changes while a program runs.
//!
//! A state is a handful of flat word buffers: one for the globals, three for each thread (stack,
//! object table, object bytes), and one for the inputs that are not chosen yet. Most steps change
//! one or two of them, so a search interns buffers and keeps a state as a short list of numbers.
//! [`State::flatten`] writes the whole as a single buffer, for engines that need one.
//!
//! Equal situations have equal buffers: registers that are dead, and numbers of objects that no
//! pointer names any more, are cleared at the end of every step.

mod buffers;
mod checkpoint;

pub use buffers::{Buffer, Globals};
pub use checkpoint::Checkpoint;

use crate::late_inputs::LateInputs;
use crate::placement::Placement;
use crate::symmetry::LASTING;

/// Words at the start of a stack, before the first frame.
pub const STACK_HEADER: usize = 4;
/// Words at the start of a frame, before its registers.
pub const FRAME_HEADER: usize = 1;

/// One thread.
///
/// `stack[0]` is the status. `stack[1]` is the pc, with the base of the top frame in the high half. A frame's word 0
/// holds these two for its caller. `stack[2..4]` are locks that it holds; further ones are not recorded.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Thread {
    pub stack: Buffer,
    /// Two words for each object; see [`Object`].
    pub objects: Buffer,
    /// The bytes of the objects, one after another, each beginning at a whole word.
    pub data: Buffer,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct State {
    pub globals: Globals,
    pub threads: Vec<Thread>,
    pub late_inputs: LateInputs,
    /// Used in replays only.
    pub placement: Option<Box<Placement>>,
}

// Written by hand, because the derived version allocates new buffers instead of reusing old ones.

impl Clone for Thread {
    fn clone(&self) -> Thread {
        Thread { stack: self.stack.clone(), objects: self.objects.clone(), data: self.data.clone() }
    }

    fn clone_from(&mut self, other: &Thread) {
        self.stack.clone_from(&other.stack);
        self.objects.clone_from(&other.objects);
        self.data.clone_from(&other.data);
    }
}

impl Clone for State {
    fn clone(&self) -> State {
        State {
            globals: self.globals.clone(),
            threads: self.threads.clone(),
            late_inputs: self.late_inputs.clone(),
            placement: self.placement.clone(),
        }
    }

    fn clone_from(&mut self, other: &State) {
        self.globals.clone_from(&other.globals);
        self.threads.clone_from(&other.threads);
        self.late_inputs.clone_from(&other.late_inputs);
        self.placement.clone_from(&other.placement);
    }
}

// More bits are in `symmetry.rs`.
const FINISHED: u64 = 1;
/// Another thread has seen that it is finished.
const JOINED: u64 = 2;
const ATOMIC_SHIFT: u32 = 8;
const DEPTH_SHIFT: u32 = 32;

impl Thread {
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.stack[0] & FINISHED != 0
    }

    /// Whether it has ended and another thread has waited for that. Then everything that it did happened before.
    #[inline]
    pub fn is_joined(&self) -> bool {
        self.stack[0] & JOINED != 0
    }

    /// Notes that another thread has seen its end.
    pub fn join(&mut self) {
        self.stack[0] |= JOINED;
    }

    /// The nesting of atomic sections. Between steps it is zero, unless a section is very long.
    #[inline]
    pub fn atomic_depth(&self) -> u64 {
        self.stack[0] >> ATOMIC_SHIFT & 0xffff
    }

    /// The number of frames on the stack.
    #[inline]
    pub fn depth(&self) -> u32 {
        (self.stack[0] >> DEPTH_SHIFT) as u32
    }

    #[inline]
    pub fn pc(&self) -> u32 {
        self.stack[1] as u32
    }

    #[inline]
    pub fn base(&self) -> usize {
        (self.stack[1] >> 32) as usize
    }

    /// The locks that it is known to hold; 0 is none.
    pub fn locks(&self) -> &[u64] {
        self.stack.get(2..STACK_HEADER).unwrap_or_default()
    }

    /// Removes all frames.
    pub fn finish(&mut self) {
        self.stack.truncate(STACK_HEADER);
        self.stack[0] = FINISHED | self.stack[0] & LASTING;
        self.stack[1..].fill(0);
    }

    pub fn status(atomic_depth: u64, depth: u32) -> u64 {
        atomic_depth << ATOMIC_SHIFT | u64::from(depth) << DEPTH_SHIFT
    }

    /// The status of a thread after a step, given its status `before`.
    #[inline]
    pub(crate) fn next_status(before: u64, atomic_depth: u64, depth: u32) -> u64 {
        Thread::status(atomic_depth, depth) | before & LASTING
    }

    #[inline]
    pub fn object_count(&self) -> usize {
        self.objects.len() / 2
    }

    /// Allocated heap objects.
    pub fn heap_objects(&self) -> impl Iterator<Item = Object> {
        (0..self.object_count()).filter_map(|index| self.object(index)).filter(|object| object.kind == Kind::Heap)
    }

    #[inline]
    pub fn object(&self, index: usize) -> Option<Object> {
        let words = self.objects.get(2 * index..2 * index + 2)?;
        Some(Object::decode(words[0], words[1]))
    }

    #[inline]
    pub fn has_dead_objects(&self) -> bool {
        self.objects
            .chunks_exact(2)
            .any(|words| (Kind::DeadHeap as u64..=Kind::DeadStack as u64).contains(&(words[1] & 7)))
    }

    pub fn set_object(&mut self, index: usize, object: Object) {
        let (a, b) = object.encode();
        self.objects[2 * index] = a;
        self.objects[2 * index + 1] = b;
    }
}

/// (pc, base) in one word.
pub fn pack(pc: u32, base: usize) -> u64 {
    u64::from(pc) | (base as u64) << 32
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The number is not in use.
    Unused,
    Heap,
    Stack,
    ThreadLocal,
    /// Freed, or gone with its function, but still named by some pointer.
    DeadHeap,
    DeadStack,
    /// A later slot of the large object that begins `size` slots before.
    Continuation,
}

/// An entry of a thread's object table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    pub kind: Kind,
    /// Its first word in the thread's data.
    pub at: u32,
    /// Its size in bytes.
    pub size: u32,
    /// The pc of the innermost instruction in user code that created it, or the number of a thread-local.
    /// 24 bits.
    pub site: u32,
    /// The frame that a stack object belongs to (20 bits), and its position among that frame's objects.
    pub depth: u32,
    pub sequence: u16,
    /// Whether bytes are uninitialised. Then a bitmap (one bit for each byte, 1 = uninitialised) follows the bytes.
    pub uninitialised: bool,
}

impl Object {
    pub const UNUSED: Object =
        Object { kind: Kind::Unused, at: 0, size: 0, site: 0, depth: 0, sequence: 0, uninitialised: false };

    fn encode(self) -> (u64, u64) {
        let flags = self.kind as u64 | u64::from(self.uninitialised) << 3;
        (
            u64::from(self.at) << 32 | u64::from(self.size),
            u64::from(self.site) << 40 | u64::from(self.depth) << 20 | u64::from(self.sequence) << 4 | flags,
        )
    }

    #[inline]
    fn decode(a: u64, b: u64) -> Object {
        const KINDS: [Kind; 8] = [
            Kind::Unused,
            Kind::Heap,
            Kind::Stack,
            Kind::ThreadLocal,
            Kind::DeadHeap,
            Kind::DeadStack,
            Kind::Continuation,
            Kind::Unused,
        ];
        Object {
            kind: KINDS[(b & 7) as usize],
            at: (a >> 32) as u32,
            size: a as u32,
            site: (b >> 40) as u32,
            depth: (b >> 20 & 0xf_ffff) as u32,
            sequence: (b >> 4) as u16,
            uninitialised: b & 8 != 0,
        }
    }

    pub fn is_live(self) -> bool {
        matches!(self.kind, Kind::Heap | Kind::Stack | Kind::ThreadLocal)
    }

    pub fn is_dead(self) -> bool {
        matches!(self.kind, Kind::DeadHeap | Kind::DeadStack)
    }

    pub fn byte_words(self) -> usize {
        (self.size as usize).div_ceil(8)
    }

    /// The words that it takes in the data, bitmap included.
    pub fn words(self) -> usize {
        if !self.is_live() {
            return 0;
        }
        self.byte_words() + if self.uninitialised { self.bitmap_words() } else { 0 }
    }

    pub fn bitmap_words(self) -> usize {
        (self.size as usize).div_ceil(64)
    }
}

impl State {
    /// The number of threads that have not ended.
    #[inline]
    pub fn alive(&self) -> usize {
        self.threads.iter().filter(|t| !t.is_finished()).count()
    }

    /// Its size in words.
    pub fn words(&self) -> usize {
        let thread = |t: &Thread| t.stack.len() + t.objects.len() + t.data.len();
        self.globals.len() + self.threads.iter().map(thread).sum::<usize>()
    }

    /// The thread that has to go on because it stopped inside an atomic section.
    #[inline]
    pub fn inside_atomic(&self) -> Option<usize> {
        self.threads.iter().position(|t| t.atomic_depth() != 0)
    }

    /// The whole state as one buffer: lengths first, then the parts in a fixed order.
    pub fn flatten(&self, buffer: &mut Vec<u64>) {
        buffer.clear();
        let mut late_inputs = Vec::new();
        self.late_inputs.encode(&mut late_inputs);
        buffer.push(self.threads.len() as u64);
        buffer.push(self.globals.len() as u64);
        buffer.push(late_inputs.len() as u64);
        for thread in &self.threads {
            buffer.extend([thread.stack.len() as u64, thread.objects.len() as u64, thread.data.len() as u64]);
        }
        buffer.extend(self.globals.iter());
        buffer.extend(&late_inputs);
        for thread in &self.threads {
            buffer.extend(thread.stack.iter());
            buffer.extend(thread.objects.iter());
            buffer.extend(thread.data.iter());
        }
    }

    /// The inverse of [`State::flatten`]; `None` if the buffer is not one of its results.
    pub fn unflatten(buffer: &[u64]) -> Option<State> {
        let mut rest = buffer;
        let mut take = |n: u64| -> Option<&[u64]> {
            let (part, tail) = rest.split_at_checked(usize::try_from(n).ok()?)?;
            rest = tail;
            Some(part)
        };
        let [threads, globals, late_inputs] = *take(3)? else { return None };
        let lengths = take(threads.checked_mul(3)?)?.to_vec();
        let globals = take(globals)?.to_vec().into();
        let late_inputs = LateInputs::decode(take(late_inputs)?)?;
        let mut state = State { globals, threads: Vec::new(), late_inputs, placement: None };
        for thread in lengths.chunks(3) {
            state.threads.push(Thread {
                stack: take(thread[0])?.to_vec().into(),
                objects: take(thread[1])?.to_vec().into(),
                data: take(thread[2])?.to_vec().into(),
            });
        }
        rest.is_empty().then_some(state)
    }
}
