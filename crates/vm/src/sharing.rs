//! Which accesses other threads can see, learnt while running.
//!
//! A step needs a context switch before it only if it conflicts with something that another thread
//! does: same place, at least one write. We begin with the optimistic assumption that nothing does,
//! and record for every place who touches it while two or more threads are alive. The first access
//! that breaks the assumption makes the place shared for good and sets [`Sharing::grew`]; the search
//! then begins anew, with more switch points.
//!
//! Why this is sound. Suppose that a search ends without growth, and that in some full interleaving two threads
//! conflict on a place taken for private. Take the first such conflict. All steps before
//! it that the search merged into their predecessors are free of conflicts, so they commute with all
//! other threads' steps, and the search contains a run that executes the same steps in another
//! order, up to and including both conflicting accesses; there it would have noticed. Hence there is
//! no such conflict, all merged steps commute, and the search covers every interleaving.
//!
//! Accesses while a single thread is alive are ordered by creation and join: they never count.
//!
//! Globals are followed byte by byte. Objects are followed by the place in the source that allocates
//! them and by offset, and "the owner" is the thread that allocated.

const UNTOUCHED: u8 = 0;
/// Read by several threads, written by none.
const READ_BY_SEVERAL: u8 = 1;
/// From here on: 2 + 2t = read by thread t alone, 3 + 2t = written, and maybe read, by t alone.
const FIRST_OWNED: u8 = 2;
const SHARED: u8 = 255;

/// Offsets of an object beyond this are taken together.
const OFFSETS: usize = 1024;

/// Who else an access concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toucher {
    /// Of a global: thread number.
    Thread(u8),
    /// Of an object: the thread that allocated it, or another.
    Owner,
    Other,
}

#[derive(Clone, Debug, Default)]
pub struct Sharing {
    globals: Vec<u8>,
    /// By site.
    objects: Vec<Vec<u8>>,
    /// Creating threads: their numbers depend on the order.
    creation: u8,
    /// Threads ending, where somebody asks without waiting.
    ending: u8,
    /// Did a place become shared since this was last cleared?
    pub grew: bool,
    /// Take every step for visible: no reduction at all.
    pub everything: bool,
}

impl Sharing {
    pub fn new(global_bytes: usize) -> Sharing {
        Sharing { globals: vec![UNTOUCHED; global_bytes], ..Sharing::default() }
    }

    /// Without any reduction, for comparison and for replay.
    pub fn everything() -> Sharing {
        Sharing { everything: true, ..Sharing::default() }
    }

    /// What was learnt, ready for a new search.
    pub fn settled(self) -> Sharing {
        Sharing { grew: false, ..self }
    }

    /// Thread `t` touches globals: can another thread tell?
    #[inline]
    pub fn global(&mut self, at: usize, bytes: usize, thread: usize, write: bool) -> bool {
        if self.everything {
            return true;
        }
        let mut visible = false;
        for code in &mut self.globals[at..at + bytes] {
            let now = touch_by_thread(*code, thread, write);
            if now != *code {
                self.grew |= now == SHARED;
                *code = now;
            }
            visible |= now == SHARED;
        }
        visible
    }

    /// A thread touches an object allocated at `site`: can another thread tell?
    #[inline]
    pub fn object(&mut self, site: u32, offset: usize, bytes: usize, owner: bool, write: bool) -> bool {
        if self.everything {
            return true;
        }
        let site = site as usize;
        if self.objects.len() <= site {
            self.objects.resize(site + 1, Vec::new());
        }
        let codes = &mut self.objects[site];
        let from = offset.min(OFFSETS);
        let to = (offset + bytes).clamp(from + 1, OFFSETS + 1);
        if codes.len() < to {
            codes.resize(to, UNTOUCHED);
        }
        let mut visible = false;
        for code in &mut codes[from..to] {
            let now = touch_by_owner(*code, owner, write);
            if now != *code {
                self.grew |= now == SHARED;
                *code = now;
            }
            visible |= now == SHARED;
        }
        visible
    }

    /// A thread is created by `thread`.
    pub fn create(&mut self, thread: usize) -> bool {
        let now = touch_by_thread(self.creation, thread, true);
        self.grew |= now == SHARED && self.creation != SHARED;
        self.creation = now;
        self.everything || now == SHARED
    }

    /// `thread` ends (a write), or asks whether another has (a read).
    pub fn end(&mut self, asks: bool) -> bool {
        let now = touch_by_owner(self.ending, !asks, !asks);
        self.grew |= now == SHARED && self.ending != SHARED;
        self.ending = now;
        self.everything || now == SHARED
    }

    /// How many bytes of globals, and how many sites, are shared.
    pub fn shared_places(&self) -> (usize, usize) {
        let globals = self.globals.iter().filter(|c| **c == SHARED).count();
        let sites = self.objects.iter().filter(|codes| codes.contains(&SHARED)).count();
        (globals, sites)
    }
}

#[inline]
fn touch_by_thread(code: u8, thread: usize, write: bool) -> u8 {
    let reads = FIRST_OWNED + 2 * thread as u8;
    let writes = reads + 1;
    if code == SHARED || code == writes {
        return code;
    }
    match (code, write) {
        (UNTOUCHED, false) => reads,
        (UNTOUCHED, true) => writes,
        (READ_BY_SEVERAL, false) => code,
        (code, _) if code == reads => {
            if write {
                writes
            } else {
                reads
            }
        }
        // Another thread's: two readers are fine.
        (code, false) if code >= FIRST_OWNED && code % 2 == 0 => READ_BY_SEVERAL,
        _ => SHARED,
    }
}

const OWNER_READS: u8 = 2;
const OWNER_WRITES: u8 = 3;

#[inline]
fn touch_by_owner(code: u8, owner: bool, write: bool) -> u8 {
    match (code, owner, write) {
        (SHARED, ..) => SHARED,
        (UNTOUCHED | OWNER_READS, true, false) => OWNER_READS,
        (UNTOUCHED | OWNER_READS, true, true) => OWNER_WRITES,
        (OWNER_WRITES, true, _) => OWNER_WRITES,
        (READ_BY_SEVERAL, _, false) => READ_BY_SEVERAL,
        (UNTOUCHED | OWNER_READS, false, false) => READ_BY_SEVERAL,
        _ => SHARED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_readers_do_not_conflict_but_a_writer_does() {
        let mut sharing = Sharing::new(8);
        assert!(!sharing.global(0, 4, 1, false));
        assert!(!sharing.global(0, 4, 2, false));
        assert!(!sharing.grew);
        assert!(sharing.global(2, 2, 1, true));
        assert!(sharing.grew);
        assert!(!sharing.global(0, 2, 2, false), "other bytes stay private");
    }

    #[test]
    fn a_thread_keeps_its_own() {
        let mut sharing = Sharing::new(8);
        for write in [false, true, false, true] {
            assert!(!sharing.global(0, 8, 3, write));
        }
        assert!(sharing.global(7, 1, 0, false));
    }

    #[test]
    fn an_object_is_private_to_its_owner() {
        let mut sharing = Sharing::new(0);
        assert!(!sharing.object(5, 0, 8, true, true));
        assert!(!sharing.object(5, 8, 8, false, false));
        assert!(!sharing.object(5, 8, 8, true, false));
        assert!(sharing.object(5, 4, 4, false, false));
        assert!(!sharing.object(6, 4, 4, true, true), "another site");
    }
}
