//! The accesses that other threads can see, learnt while running.
//!
//! A step needs a context switch before it only if it conflicts with a step of another thread: same place, at least
//! one write. We begin with the optimistic assumption that there are no conflicts, and record for every place the
//! threads that touch it. The first access that breaks the assumption makes the place shared for good and sets
//! [`Sharing::grew`]; the search then begins anew, with more switch points.
//!
//! Soundness: suppose that a search ends without growth, and that in some full interleaving two threads
//! conflict on a place considered private. Take the first such conflict. All steps before
//! it that the search merged into their predecessors are free of conflicts, so they commute with all
//! other threads' steps, and the search contains a run that executes the same steps in another
//! order, up to and including both conflicting accesses; there it would have noticed. Hence there is
//! no such conflict, all merged steps commute, and the search covers every interleaving.
//!
//! Accesses before a second thread is created, or when all other threads have ended and each was waited for, are
//! ordered by creation and join: they never count. (The mere end of a thread orders nothing.)
//!
//! Two accesses under a common lock cannot meet either: no other thread gets to the place between
//! the lock and the unlock, so such an access commutes with everything that others do in the meantime (Lipton, CACM
//! 1975). Each place therefore also has the set of locks that all its accesses held (Savage et al., Eraser,
//! 1997), and is visible only once that set is empty. The models declare the locks that a thread holds;
//! should two threads ever hold the same one, it is no lock, and the search begins anew without it.
//!
//! Places that observers read (`observe.rs`) are watched: every write to them is visible, also while
//! there is no other thread.
//!
//! Globals are tracked byte by byte. Objects are tracked by the place in the source that allocates
//! them and by offset; their "owner" is the thread that allocated them.

mod codes;
mod locks;
mod text;

use crate::memory::Spot;
use codes::{joined, touch_by_owner, touch_by_thread};
use std::collections::BTreeSet;
use std::ops::Range;

const UNTOUCHED: u8 = 0;
/// Read by several threads, written by none.
const READ_BY_SEVERAL: u8 = 1;
/// The first of the codes 2 + 2t (read by thread t alone) and 3 + 2t (written, and maybe read, by t alone).
const FIRST_OWNED: u8 = 2;
/// Touched by several threads, with writes, but always under a common lock.
const PROTECTED: u8 = 254;
const SHARED: u8 = 255;

/// Offsets of an object beyond this are not distinguished.
const OFFSETS: usize = 1024;

/// After this many restarts because of one variable, all of it counts as shared: it is probably
/// an array whose elements turn up one by one.
const MAX_RESTARTS: u8 = 2;

/// An index into [`Sharing::sets`].
type SetId = u16;
const NO_LOCK: SetId = 0;
const ONLY_ATOMIC: SetId = 1;
/// The sets with fixed numbers: no lock, and the atomic section.
const FIRST_SETS: [LockSet; 2] = [[0; 3], [0, 0, ATOMIC]];

/// The lock that a thread holds inside an atomic section.
pub const ATOMIC: u64 = 2;
/// The bit that marks a lock as held for reading, possibly by several threads.
pub const FOR_READING: u64 = 1;

/// At most three locks; leaving out any others does not affect soundness.
type LockSet = [u64; 3];

/// The locks of a running thread: those that protect its reads, and those that protect its writes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held {
    read: SetId,
    write: SetId,
}

/// The facts about one byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Byte {
    code: u8,
    locks: SetId,
}

#[derive(Clone, Debug, Default)]
pub struct Sharing {
    globals: Vec<Byte>,
    /// The start of each variable, in order, and the number of restarts because of it.
    variables: Vec<(usize, u8)>,
    /// For each site its bytes, and the number of restarts because of it.
    objects: Vec<(Vec<Byte>, u8)>,
    /// The places that became shared since `grew` was last cleared: bytes of the globals, or sites.
    grown: Vec<Result<usize, usize>>,
    /// The code of thread creation: thread numbers depend on its order.
    creation: u8,
    /// The code of threads ending, where another thread asks for it without waiting.
    ending: u8,
    sets: Vec<LockSet>,
    /// The bytes that observers read: of the globals (empty if there are none), and of objects by site and offset.
    watched: Vec<bool>,
    watched_objects: BTreeSet<(usize, usize)>,
    /// Note watched places even if everything is visible, because footprints are recorded.
    pub(crate) marks_watched: bool,
    /// Locks that two threads held at once.
    broken: Vec<u64>,
    /// Whether a place became shared since this was last cleared.
    pub grew: bool,
    /// For several searches that cannot exchange what they learn: each must rely on what was known before, so every new
    /// fact counts as growth, not only places that become shared.
    pub frozen: bool,
    /// Consider every step visible: no reduction at all.
    pub everything: bool,
    /// Twin threads can be told apart: see [`crate::symmetry`].
    pub exposed: bool,
}

impl Sharing {
    /// `variables` are the starts of the globals.
    pub fn new(global_bytes: usize, variables: impl IntoIterator<Item = usize>) -> Sharing {
        let mut variables: Vec<(usize, u8)> = variables.into_iter().map(|start| (start, 0)).collect();
        variables.sort_unstable();
        Sharing {
            globals: vec![Byte::default(); global_bytes],
            variables,
            sets: FIRST_SETS.to_vec(),
            ..Sharing::default()
        }
    }

    /// Without any reduction, for comparison and for replay.
    pub fn everything() -> Sharing {
        Sharing { everything: true, sets: FIRST_SETS.to_vec(), ..Sharing::default() }
    }

    /// The knowledge so far, ready for a search.
    pub fn settled(self) -> Sharing {
        Sharing { grew: false, grown: Vec::new(), ..self }
    }

    /// The knowledge of a search that ended because it grew, ready for the next search.
    pub fn widened(mut self) -> Sharing {
        for place in std::mem::take(&mut self.grown) {
            match place {
                Ok(byte) => self.widen_variable(byte),
                Err(site) => self.widen_site(site),
            }
        }
        self.settled()
    }

    fn widen_variable(&mut self, byte: usize) {
        let next = self.variables.partition_point(|(start, _)| *start <= byte);
        let end = self.variables.get(next).map_or(self.globals.len(), |(start, _)| *start);
        let Some((start, ended)) = next.checked_sub(1).and_then(|number| self.variables.get_mut(number)) else {
            return;
        };
        *ended = ended.saturating_add(1);
        if *ended >= MAX_RESTARTS {
            self.globals[*start..end].fill(Byte { code: SHARED, locks: NO_LOCK });
            let watched = self.watched.get_mut(*start..end).filter(|bytes| bytes.contains(&true));
            watched.into_iter().for_each(|bytes| bytes.fill(true));
        }
    }

    fn widen_site(&mut self, site: usize) {
        let (bytes, ended) = &mut self.objects[site];
        *ended = ended.saturating_add(1);
        if *ended >= MAX_RESTARTS {
            bytes.fill(Byte { code: SHARED, locks: NO_LOCK });
        }
    }

    /// Notes that threads considered twins can be told apart.
    pub fn expose(&mut self) {
        self.grew |= !self.exposed;
        self.exposed = true;
    }

    /// Whether a place is known to be touched by one thread only, or never written.
    pub fn is_quiet(&self, spot: Spot, bytes: usize) -> bool {
        let quiet = |known: Option<&[Byte]>| {
            known.is_some_and(|bytes| bytes.iter().all(|byte| byte.code != SHARED && byte.code != PROTECTED))
        };
        match spot {
            Spot::Constant { .. } => true,
            Spot::Variable { at } => quiet(self.globals.get(at..at + bytes)),
            Spot::Object { site, offset, .. } => {
                quiet(self.objects.get(site as usize).and_then(|(known, _)| known.get(offset..offset + bytes)))
            }
        }
    }

    /// Whether several threads are known to touch some of these bytes, without a common lock.
    pub fn is_shared(&self, spot: Spot, bytes: usize) -> bool {
        let shared = |known: &[Byte]| known.iter().any(|byte| byte.code == SHARED);
        self.everything
            || match spot {
                Spot::Constant { .. } => false,
                Spot::Variable { at } => self.globals.get(at..at + bytes).is_some_and(shared),
                Spot::Object { site, offset, .. } => self.objects.get(site as usize).is_some_and(|(known, _)| {
                    let Range { start, end } = clipped(offset, bytes);
                    known.get(start.min(known.len())..end.min(known.len())).is_some_and(shared)
                }),
            }
    }

    /// Adds the knowledge of `other`, which began with the same knowledge.
    pub fn join(&mut self, other: &Sharing) {
        if other.exposed {
            self.expose();
        }
        self.watched.resize(self.watched.len().max(other.watched.len()), false);
        self.watched.iter_mut().zip(&other.watched).for_each(|(own, its)| *own |= its);
        self.watched_objects.extend(&other.watched_objects);
        if self.everything {
            return;
        }
        other.broken.iter().for_each(|lock| self.break_lock(*lock));
        for (at, byte) in other.globals.iter().enumerate() {
            let after = self.joined(self.globals[at], *byte, other);
            if after.code == SHARED && self.globals[at].code != SHARED {
                self.grew = true;
                self.grown.push(Ok(at));
            }
            self.globals[at] = after;
        }
        if self.objects.len() < other.objects.len() {
            self.objects.resize(other.objects.len(), Default::default());
        }
        for (site, (bytes, _)) in other.objects.iter().enumerate() {
            let filler = if self.objects[site].1 >= MAX_RESTARTS { SHARED } else { UNTOUCHED };
            let length = self.objects[site].0.len().max(bytes.len());
            self.objects[site].0.resize(length, Byte { code: filler, locks: NO_LOCK });
            let mut grew = false;
            for (at, byte) in bytes.iter().enumerate() {
                let before = self.objects[site].0[at];
                let after = self.joined(before, *byte, other);
                grew |= after.code == SHARED && before.code != SHARED;
                self.objects[site].0[at] = after;
            }
            if grew {
                self.grew = true;
                self.grown.push(Err(site));
            }
        }
        for (own, its) in [(&mut self.creation, other.creation), (&mut self.ending, other.ending)] {
            let now = joined(*own, its);
            self.grew |= now == SHARED && *own != SHARED;
            *own = now;
        }
    }

    fn joined(&mut self, own: Byte, its: Byte, other: &Sharing) -> Byte {
        if its.code == UNTOUCHED || own.code == SHARED {
            return own;
        }
        let locks = self.set(other.sets[usize::from(its.locks)]);
        if own.code == UNTOUCHED {
            return Byte { code: its.code, locks };
        }
        let locks = self.common(own.locks, locks);
        // A place that several threads touch stays protected as long as there is a common lock.
        let code = if own.code == PROTECTED || its.code == PROTECTED { SHARED } else { joined(own.code, its.code) };
        let code = if code == SHARED && its.code != SHARED && locks != NO_LOCK { PROTECTED } else { code };
        Byte { code, locks }
    }

    /// Notes that an observer reads this place: writes to it are visible from now on.
    pub fn watch(&mut self, spot: Spot, bytes: usize) {
        if self.everything {
            self.mark_watched(spot, bytes);
            return;
        }
        let shared = Byte { code: SHARED, locks: NO_LOCK };
        match spot {
            Spot::Constant { .. } => {}
            Spot::Variable { at } => {
                self.watched.resize(self.globals.len(), false);
                if !self.watched[at..at + bytes].iter().all(|watched| *watched) {
                    self.watched[at..at + bytes].fill(true);
                    self.globals[at..at + bytes].fill(shared);
                    self.grew = true;
                    self.grown.push(Ok(at));
                }
            }
            Spot::Object { site, offset, .. } => {
                let site = site as usize;
                let range = self.offsets(site, offset, bytes);
                let before = self.watched_objects.len();
                self.watched_objects.extend(range.clone().map(|byte| (site, byte)));
                if self.watched_objects.len() > before {
                    self.objects[site].0[range].fill(shared);
                    self.grew = true;
                    self.grown.push(Err(site));
                }
            }
        }
    }

    /// Takes these bytes for shared, whoever touches them.
    pub(crate) fn share(&mut self, spot: Spot, bytes: usize) {
        let shared = Byte { code: SHARED, locks: NO_LOCK };
        match spot {
            _ if self.everything => {}
            Spot::Constant { .. } => {}
            Spot::Variable { at } => {
                self.globals[at..at + bytes].fill(shared);
                self.grew = true;
                self.grown.push(Ok(at));
            }
            Spot::Object { site, offset, .. } => {
                let range = self.offsets(site as usize, offset, bytes);
                self.objects[site as usize].0[range].fill(shared);
                self.grew = true;
                self.grown.push(Err(site as usize));
            }
        }
    }

    /// Marks bytes as watched where everything is visible, so that nothing else has to be known about them.
    fn mark_watched(&mut self, spot: Spot, bytes: usize) {
        match spot {
            Spot::Variable { at } if self.marks_watched => {
                self.watched.resize(self.watched.len().max(at + bytes), false);
                self.grew |= self.watched[at..at + bytes].contains(&false);
                self.watched[at..at + bytes].fill(true);
            }
            Spot::Object { site, offset, .. } if self.marks_watched => {
                let before = self.watched_objects.len();
                self.watched_objects.extend(clipped(offset, bytes).map(|byte| (site as usize, byte)));
                self.grew |= self.watched_objects.len() > before;
            }
            _ => {}
        }
    }

    /// Whether an observer reads any object from this site.
    pub fn is_site_watched(&self, site: u32) -> bool {
        let site = site as usize;
        self.watched_objects.range((site, 0)..(site + 1, 0)).next().is_some()
    }

    /// Whether an observer reads any of these bytes.
    pub fn is_watched(&self, spot: Spot, bytes: usize) -> bool {
        match spot {
            Spot::Constant { .. } => false,
            Spot::Variable { at } => {
                let known = self.watched.len();
                self.watched[at.min(known)..(at + bytes).min(known)].contains(&true)
            }
            Spot::Object { site, offset, .. } => {
                let from = (site as usize, offset.min(OFFSETS));
                let to = (site as usize, (offset + bytes).min(OFFSETS + 1));
                self.watched_objects.range(from..to.max(from)).next().is_some()
            }
        }
    }

    /// Notes that a thread touches globals. Returns whether another thread can tell.
    #[inline]
    pub fn global(&mut self, at: usize, bytes: usize, thread: usize, write: bool, held: Held) -> bool {
        if self.everything {
            return true;
        }
        let mut visible = false;
        let mut grew = false;
        for byte in at..at + bytes {
            let before = self.globals[byte];
            if before.code == SHARED {
                visible = true;
                continue;
            }
            let after = self.touched(before, held, write, |code| touch_by_thread(code, thread, write));
            self.globals[byte] = after;
            grew |= after.code == SHARED || self.frozen && after != before;
        }
        if grew {
            self.grew = true;
            self.grown.push(Ok(at));
        }
        visible | grew
    }

    /// Notes that a thread touches an object allocated at `site`. Returns whether another thread can tell.
    #[inline]
    pub fn object(&mut self, site: u32, offset: usize, bytes: usize, owner: bool, write: bool, held: Held) -> bool {
        if self.everything {
            return true;
        }
        let site = site as usize;
        let mut visible = false;
        let mut grew = false;
        for byte in self.offsets(site, offset, bytes) {
            let before = self.objects[site].0[byte];
            if before.code == SHARED {
                visible = true;
                continue;
            }
            let after = self.touched(before, held, write, |code| touch_by_owner(code, owner, write));
            self.objects[site].0[byte] = after;
            grew |= after.code == SHARED || self.frozen && after != before;
        }
        if grew {
            self.grew = true;
            self.grown.push(Err(site));
        }
        visible | grew
    }

    /// The bytes of a site that an access touches; they are created if necessary.
    #[inline]
    fn offsets(&mut self, site: usize, offset: usize, bytes: usize) -> Range<usize> {
        let Range { start: from, end: to } = clipped(offset, bytes);
        if self.objects.len() <= site {
            self.objects.resize(site + 1, Default::default());
        }
        if self.objects[site].0.len() < to {
            // A site that is shared as a whole stays so when it turns out to be longer.
            let filler = if self.objects[site].1 >= MAX_RESTARTS { SHARED } else { UNTOUCHED };
            self.objects[site].0.resize(to, Byte { code: filler, locks: NO_LOCK });
        }
        from..to
    }

    #[inline]
    fn touched(&mut self, before: Byte, held: Held, write: bool, touch: impl Fn(u8) -> u8) -> Byte {
        let held = if write { held.write } else { held.read };
        let locks = if before.code == UNTOUCHED { held } else { self.common(before.locks, held) };
        let code = if before.code == PROTECTED { SHARED } else { touch(before.code) };
        let code = if code == SHARED && locks != NO_LOCK { PROTECTED } else { code };
        Byte { code, locks }
    }

    /// Notes that `thread` creates a thread. Returns whether another thread can tell.
    pub fn create(&mut self, thread: usize) -> bool {
        let now = touch_by_thread(self.creation, thread, true);
        self.grew |= (now == SHARED || self.frozen) && self.creation != now;
        self.creation = now;
        self.everything || now == SHARED
    }

    /// Notes that a thread ends (a write), or asks whether another one has (a read). Returns whether others can tell.
    pub fn end(&mut self, asks: bool) -> bool {
        let now = touch_by_owner(self.ending, !asks, !asks);
        self.grew |= (now == SHARED || self.frozen) && self.ending != now;
        self.ending = now;
        self.everything || now == SHARED
    }
}

/// The bytes of an object that are distinguished.
#[inline]
fn clipped(offset: usize, bytes: usize) -> Range<usize> {
    let from = offset.min(OFFSETS);
    from..(offset + bytes).clamp(from + 1, OFFSETS + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Held = Held { read: NO_LOCK, write: NO_LOCK };

    #[test]
    fn two_readers_do_not_conflict_but_a_writer_does() {
        let mut sharing = Sharing::new(8, [0]);
        assert!(!sharing.global(0, 4, 1, false, NONE));
        assert!(!sharing.global(0, 4, 2, false, NONE));
        assert!(!sharing.grew);
        assert!(sharing.global(2, 2, 1, true, NONE));
        assert!(sharing.grew);
        assert!(!sharing.global(0, 2, 2, false, NONE), "other bytes stay private");
    }

    #[test]
    fn a_thread_keeps_its_own() {
        let mut sharing = Sharing::new(8, [0]);
        for write in [false, true, false, true] {
            assert!(!sharing.global(0, 8, 3, write, NONE));
        }
        assert!(sharing.global(7, 1, 0, false, NONE));
    }

    #[test]
    fn an_object_is_private_to_its_owner() {
        let mut sharing = Sharing::new(0, []);
        assert!(!sharing.object(5, 0, 8, true, true, NONE));
        assert!(!sharing.object(5, 8, 8, false, false, NONE));
        assert!(!sharing.object(5, 8, 8, true, false, NONE));
        assert!(sharing.object(5, 4, 4, false, false, NONE));
        assert!(!sharing.object(6, 4, 4, true, true, NONE), "another site");
    }

    #[test]
    fn a_common_lock_protects_until_somebody_goes_without() {
        let mut sharing = Sharing::new(4, [0]);
        let both = sharing.held(&[16, 32], false);
        let one = sharing.held(&[32, 0], false);
        assert!(!sharing.global(0, 4, 1, true, both));
        assert!(!sharing.global(0, 4, 2, true, one));
        assert!(!sharing.global(0, 4, 1, false, one));
        assert!(!sharing.grew);
        let other = sharing.held(&[16, 0], false);
        assert!(sharing.global(0, 4, 2, false, other));
        assert!(sharing.grew);
    }

    #[test]
    fn a_lock_held_for_reading_does_not_protect_writes() {
        let mut sharing = Sharing::new(4, [0]);
        let reader = sharing.held(&[16 | FOR_READING, 0], false);
        let writer = sharing.held(&[16, 0], false);
        assert!(!sharing.global(0, 4, 1, true, writer));
        assert!(!sharing.global(0, 4, 2, false, reader));
        assert!(!sharing.global(0, 4, 3, false, reader));
        assert!(sharing.global(0, 4, 2, true, reader));
    }
}
