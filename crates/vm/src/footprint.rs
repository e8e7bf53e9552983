//! Footprints: the memory that a step touched and other threads can see. Two steps of different threads whose
//! footprints do not conflict commute.
//!
//! Footprints are recorded on request ([`Machine::record`]). Accesses that no other thread can see are left out: they
//! commute with everything. This includes accesses protected by a lock, since taking the lock is the conflict; but not
//! accesses protected by atomic sections, which conflict by nothing but their accesses.

use crate::machine::Machine;
use crate::memory::Spot;
use crate::oracle::Oracle;
use crate::races::Pending;
use crate::state::{Kind, State};
use crate::store_buffer::{BufferedStore, Place};
use selvedge_program::{Accesses, Op, Property};
use std::ops::Range;

/// An access to a range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    space: Space,
    from: usize,
    to: usize,
    write: bool,
    /// Whether it changes bytes that observers read.
    watched: bool,
    /// An access that is not atomic; noted only where races are looked for.
    plain: bool,
}

/// The space that a range of bytes belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Space {
    Globals,
    Object {
        thread: usize,
        index: usize,
    },
    /// The set of threads: written by creating threads, read by asking for their numbers.
    Creation,
    /// Whether a thread has ended.
    End {
        thread: usize,
    },
    /// The objects of all threads from this number on, none of which had been created: who goes through all threads
    /// sees that these have nothing to tell yet.
    Later {
        thread: usize,
    },
    /// The store buffer of a thread: from bytes on, its queues by number.
    Buffer {
        thread: usize,
    },
    /// Conflicts with everything, such as the end of the process.
    Everything,
}

impl Access {
    /// An access that commutes with nothing.
    pub const EVERYTHING: Access =
        Access { space: Space::Everything, from: 0, to: usize::MAX, write: true, watched: false, plain: false };

    /// An access to some bytes.
    pub(crate) fn to_bytes(spot: Spot, bytes: usize, write: bool) -> Access {
        let (space, from) = match spot {
            // Nobody writes to constants.
            Spot::Constant { at } => (Space::Globals, at),
            Spot::Variable { at } => (Space::Globals, at),
            Spot::Object { thread, index, offset, .. } => (Space::Object { thread, index }, offset),
        };
        Access { space, from, to: from + bytes, write, watched: false, plain: false }
    }

    pub(crate) fn as_read(self) -> Access {
        Access { write: false, watched: false, ..self }
    }

    /// The object dies.
    pub(crate) fn to_object(spot: Spot) -> Access {
        Access { from: 0, to: usize::MAX, ..Access::to_bytes(spot, 0, true) }
    }

    /// A store leaves this queue of a thread's buffer; all of them, if none is named.
    pub fn leaves_buffer(thread: usize, queue: Option<usize>) -> Access {
        let (from, to) = queue.map_or((0, usize::MAX), |queue| (queue, queue + 1));
        Access { space: Space::Buffer { thread }, from, to, write: true, watched: false, plain: false }
    }

    /// Looks whether all stores have left a thread's buffer.
    pub fn awaits_buffer(thread: usize) -> Access {
        Access { write: false, ..Access::leaves_buffer(thread, None) }
    }

    /// Does it touch bytes of a store that has not reached memory?
    pub(crate) fn meets(&self, store: &BufferedStore) -> bool {
        self.conflicts(&Access::of(store))
    }

    /// Writes the bytes of a store that reaches memory. Observers may read them.
    pub(crate) fn of(store: &BufferedStore) -> Access {
        let (space, from) = match store.place {
            Place::Variable { at } => (Space::Globals, at),
            Place::Object { thread, index, offset } => (Space::Object { thread, index }, offset),
        };
        Access { space, from, to: from + store.bytes, write: true, watched: true, plain: false }
    }

    /// Does it write to an object of this thread?
    pub(crate) fn writes_to_object_of(&self, owner: usize) -> bool {
        self.write && matches!(self.space, Space::Object { thread, .. } if thread == owner)
    }

    /// Do they conflict, and are not both atomic?
    pub fn may_race(&self, other: &Access) -> bool {
        (self.plain || other.plain) && self.conflicts(other)
    }

    pub fn conflicts(&self, other: &Access) -> bool {
        if self.space == Space::Everything || other.space == Space::Everything {
            return true;
        }
        (self.write || other.write) && self.space.meets(other.space) && self.from < other.to && other.from < self.to
    }
}

impl Space {
    #[inline]
    fn meets(self, other: Space) -> bool {
        match (self, other) {
            (Space::Later { thread: first }, Space::Object { thread, .. })
            | (Space::Object { thread, .. }, Space::Later { thread: first }) => thread >= first,
            _ => self == other,
        }
    }
}

/// Whether two footprints conflict.
pub fn conflict(a: &[Access], b: &[Access]) -> bool {
    a.iter().any(|a| b.iter().any(|b| a.conflicts(b)))
}

/// Whether a footprint conflicts with every step, even one that touches nothing.
pub fn is_everything(footprint: &[Access]) -> bool {
    footprint.iter().any(|access| access.space == Space::Everything)
}

/// Whether a step of a thread touches nothing but its buffer and its own stack objects, which end, and conflicts with
/// others only because it ends the process.
pub fn only_ends(footprint: &[Access], thread: usize, from: &State) -> bool {
    let is_own_stack = |owner: usize, index: usize| {
        let object = from.threads.get(owner).and_then(|thread| thread.object(index));
        owner == thread && object.is_some_and(|object| object.kind == Kind::Stack)
    };
    footprint.iter().all(|access| match access.space {
        Space::Everything | Space::Buffer { .. } => true,
        Space::Object { thread, index } => access.write && access.to == usize::MAX && is_own_stack(thread, index),
        Space::Globals | Space::Creation | Space::End { .. } | Space::Later { .. } => false,
    })
}

/// Whether a footprint creates a thread.
pub fn creates(footprint: &[Access]) -> bool {
    footprint.iter().any(|access| access.space == Space::Creation && access.write)
}

/// Whether a footprint may change the values of observers.
pub fn is_watched(footprint: &[Access]) -> bool {
    footprint.iter().any(|access| access.watched)
}

/// The footprint of the last step, if it is recorded.
#[derive(Debug, Default)]
pub(crate) struct FootprintRecorder {
    wanted: bool,
    /// Can the step notice stores that have not reached memory?
    pub(crate) is_needed: bool,
    touched: Vec<Access>,
    /// All data that the step accesses, where races are looked for ([`crate::races`]).
    pub(crate) pending: Option<Vec<Pending>>,
    /// The number of accesses that happened. An access before which the step pauses belongs to the next step.
    happened: usize,
    /// Has the user's own code touched memory in this step, visible or not?
    pub(crate) in_user_code: bool,
    /// Has the thread offered to give way in this step?
    pub(crate) yielded: bool,
    /// Has it written to what is not on its stack, and nobody else can see?
    pub(crate) worked: bool,
}

impl FootprintRecorder {
    pub(crate) fn begin(&mut self) {
        self.touched.clear();
        self.happened = 0;
        (self.in_user_code, self.yielded, self.worked) = (false, false, false);
    }

    #[inline]
    pub(crate) fn is_wanted(&self) -> bool {
        self.wanted
    }

    #[inline]
    fn is_on(&self) -> bool {
        self.wanted || self.is_needed
    }

    /// All accesses so far belong to this step.
    #[inline]
    pub(crate) fn happens(&mut self) {
        self.happened = self.touched.len();
    }

    /// The accesses that have not happened only look at their places: what they write waits in a buffer. Objects must
    /// be there.
    pub(crate) fn write_later(&mut self) {
        let mut made = self.touched.split_off(self.happened);
        made.retain(|access| !access.write || matches!(access.space, Space::Object { .. }));
        made.iter_mut().for_each(|access| (access.write, access.watched) = (false, false));
        self.touched.append(&mut made);
    }

    /// The step ended before the accesses that have not happened.
    pub(crate) fn pause(&mut self) {
        self.touched.truncate(self.happened);
    }
}

impl<O: Oracle> Machine<'_, O> {
    /// Turns the recording of footprints on or off.
    pub fn record(&mut self, wanted: bool) {
        self.recorder.wanted = wanted;
        self.sharing.marks_watched = wanted;
    }

    /// Switches recording on or off for a moment, whatever is watched. Returns whether it was on.
    pub(crate) fn record_footprints(&mut self, wanted: bool) -> bool {
        std::mem::replace(&mut self.recorder.wanted, wanted)
    }

    /// The footprint of the last call of [`Machine::step`], whether it completed or stopped on the way.
    pub fn footprint(&self) -> &[Access] {
        &self.recorder.touched
    }

    #[inline]
    pub(crate) fn touch(&mut self, spot: Spot, bytes: usize, write: bool) {
        if self.recorder.pending.is_some() {
            self.note_pending(spot, bytes, write, false);
        }
        if self.recorder.is_on() {
            let (space, from) = match spot {
                Spot::Constant { .. } => return,
                Spot::Variable { at } => (Space::Globals, at),
                Spot::Object { thread, index, offset, .. } => (Space::Object { thread, index }, offset),
            };
            let watched = write && self.sharing.is_watched(spot, bytes);
            let plain = self.is_plain();
            self.recorder.touched.push(Access { space, from, to: from + bytes, write, watched, plain });
        }
    }

    /// The number of accesses so far.
    pub(crate) fn touches(&self) -> usize {
        self.recorder.touched.len()
    }

    /// These accesses have only read: a compare-exchange that fails.
    pub(crate) fn only_read(&mut self, touches: Range<usize>) {
        for access in &mut self.recorder.touched[touches] {
            (access.write, access.watched) = (false, false);
        }
    }

    /// Touches the whole object, even if it is empty, because it dies.
    pub(crate) fn touch_object(&mut self, thread: usize, index: usize, site: u32) {
        let watched = self.recorder.is_on() && self.sharing.is_site_watched(site);
        self.touch_whole(Space::Object { thread, index }, true, watched);
    }

    pub(crate) fn touch_creation(&mut self, write: bool) {
        self.touch_whole(Space::Creation, write, false);
    }

    /// Reads what threads that have not been created yet will have of their own.
    pub(crate) fn touch_later_threads(&mut self) {
        self.touch_whole(Space::Later { thread: self.state.threads.len() }, false, false);
    }

    /// Reads whether the running thread's buffer is empty.
    pub(crate) fn touch_buffer(&mut self) {
        if self.recorder.is_on() {
            self.recorder.touched.push(Access::awaits_buffer(self.thread));
        }
    }

    pub(crate) fn touch_end(&mut self, thread: usize, write: bool) {
        self.touch_whole(Space::End { thread }, write, false);
    }

    pub(crate) fn touch_everything(&mut self) {
        self.touch_whole(Space::Everything, true, false);
    }

    fn touch_whole(&mut self, space: Space, write: bool, watched: bool) {
        if self.recorder.is_on() {
            let plain = self.is_plain();
            self.recorder.touched.push(Access { space, from: 0, to: usize::MAX, write, watched, plain });
        }
    }

    /// Is the access of the running instruction one that may race with atomic ones?
    fn is_plain(&self) -> bool {
        let is_plain = |op: &Op| op.data_access() == Accesses::Plain;
        self.properties().contains(Property::Race) && self.atomic == 0 && self.code.op(self.pc).is_some_and(is_plain)
    }
}
