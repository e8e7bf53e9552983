//! What a step touched that other threads can see: two steps of different threads whose footprints do not
//! conflict can be exchanged.
//!
//! Only written down if somebody asks ([`Machine::record`]). Accesses that nobody else can see are left out: they
//! commute with everything anyway. That includes what a lock protects, for taking the lock is what conflicts; but not
//! what atomic sections protect, for those have nothing but their accesses to conflict by.

use crate::machine::Machine;
use crate::memory::Spot;
use crate::oracle::Oracle;

/// Bytes that were touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    space: Space,
    from: usize,
    to: usize,
    write: bool,
    /// It changes something that observers read.
    watched: bool,
}

/// Where bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    Globals,
    Object {
        thread: usize,
        index: usize,
    },
    /// Who exists: creating threads, and asking for their numbers.
    Creation,
    /// Whether a thread has ended.
    End {
        thread: usize,
    },
    /// The process ends, for instance: nothing commutes with that.
    Everything,
}

impl Access {
    /// Nothing commutes with this.
    pub const EVERYTHING: Access =
        Access { space: Space::Everything, from: 0, to: usize::MAX, write: true, watched: false };

    pub fn conflicts(&self, other: &Access) -> bool {
        if self.space == Space::Everything || other.space == Space::Everything {
            return true;
        }
        (self.write || other.write) && self.space == other.space && self.from < other.to && other.from < self.to
    }
}

/// Do any two conflict?
pub fn conflict(a: &[Access], b: &[Access]) -> bool {
    a.iter().any(|a| b.iter().any(|b| a.conflicts(b)))
}

/// Does it create a thread?
pub fn creates(footprint: &[Access]) -> bool {
    footprint.iter().any(|access| access.space == Space::Creation && access.write)
}

/// May it change what observers say?
pub fn is_watched(footprint: &[Access]) -> bool {
    footprint.iter().any(|access| access.watched)
}

/// The footprint of the last step, if it is wanted.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    wanted: bool,
    touched: Vec<Access>,
    /// How many of them happened. What is looked at before a pause belongs to the next step.
    happened: usize,
}

impl Recorder {
    pub(crate) fn begin(&mut self) {
        self.touched.clear();
        self.happened = 0;
    }

    /// All that was looked at so far belongs to this step.
    #[inline]
    pub(crate) fn happens(&mut self) {
        self.happened = self.touched.len();
    }

    /// The step ends before what was looked at last.
    pub(crate) fn pause(&mut self) {
        self.touched.truncate(self.happened);
    }
}

impl<O: Oracle> Machine<'_, O> {
    /// Shall footprints be written down?
    pub fn record(&mut self, wanted: bool) {
        self.recorder.wanted = wanted;
        self.sharing.marks_watched = wanted;
    }

    /// What the last call of [`Machine::step`] touched, whether it came to its end or stopped on the way.
    pub fn footprint(&self) -> &[Access] {
        &self.recorder.touched
    }

    #[inline]
    pub(crate) fn touch(&mut self, spot: Spot, bytes: usize, write: bool) {
        if self.recorder.wanted {
            let (space, from) = match spot {
                Spot::Constant { .. } => return,
                Spot::Variable { at } => (Space::Globals, at),
                Spot::Object { thread, index, offset, .. } => (Space::Object { thread, index }, offset),
            };
            let watched = write && self.sharing.is_watched(spot, bytes);
            self.recorder.touched.push(Access { space, from, to: from + bytes, write, watched });
        }
    }

    /// The whole of an object, even if it is empty: it ends.
    pub(crate) fn touch_object(&mut self, thread: usize, index: usize, site: u32) {
        let watched = self.recorder.wanted && self.sharing.is_site_watched(site);
        self.touch_whole(Space::Object { thread, index }, true, watched);
    }

    pub(crate) fn touch_creation(&mut self, write: bool) {
        self.touch_whole(Space::Creation, write, false);
    }

    pub(crate) fn touch_end(&mut self, thread: usize, write: bool) {
        self.touch_whole(Space::End { thread }, write, false);
    }

    pub(crate) fn touch_everything(&mut self) {
        self.touch_whole(Space::Everything, true, false);
    }

    fn touch_whole(&mut self, space: Space, write: bool, watched: bool) {
        if self.recorder.wanted {
            self.recorder.touched.push(Access { space, from: 0, to: usize::MAX, write, watched });
        }
    }
}
