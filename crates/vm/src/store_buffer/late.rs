//! The running thread and its store buffer: stores that arrive late, loads that look there first, draining.
//!
//! A store is buffered if another thread can see its place ([`crate::sharing`]), or if it overlaps one that is
//! buffered. All others are made in memory at once: nobody else looks there before the thread drains its buffer. For
//! places of its own that is so for good, and what a lock protects is looked at by others only after the lock was given
//! back, which drains. So programs whose threads share only what locks protect have no buffers at all, and the same
//! states as under sequential consistency.
//!
//! Making a buffered store is invisible: nobody can tell, until it arrives, when it was made, so it commutes with all
//! that others do. There are two exceptions. A store into an object is checked when it is made, and another thread may
//! end the object, so that it needs a turn; and so does a store into a full buffer, because older ones arrive with it.
//! In any case a transition ends before the next visible step: the store may arrive there.
//!
//! A load that finds its bytes in the buffer is as visible as any other. Done earlier it would miss what others write
//! after the buffered store has arrived.

use super::noticed_places::NoticedPlaces;
use super::{BufferedStore, HAS_STORES, Place};
use crate::layout::words;
use crate::machine::Machine;
use crate::memory::Spot;
use crate::oracle::{Note, Oracle, Stopped};
use selvedge_program::memory_model::StoreRule;
use selvedge_program::{Access, BufferEffect, Op, Property};

/// The number of buffered stores after which a step ends: a loop of stores must not fill memory.
const MOST_STORES: usize = 16;

/// The way of a store to memory.
pub(crate) enum StoreWay {
    /// It must wait for its turn.
    Wait,
    Direct,
    Late,
}

/// A change of the running thread's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferEvent {
    /// A store was made in the step of this number, counted from 1 in the last call of [`Machine::step`].
    Made { step: u64 },
    /// The store of this number left the buffer of a thread, with a drain or with its object.
    Left { thread: usize, number: usize },
    /// The store of this number left to make room for one that is made in this step.
    MadeRoom { number: usize, step: u64 },
}

impl<O: Oracle> Machine<'_, O> {
    /// Decides about a store to a place of which others can tell or not, and lets it have its turn.
    pub(crate) fn begin_store(&mut self, spot: Spot, bytes: usize, visible: bool) -> Result<StoreWay, Stopped> {
        let visible = visible || self.follows_waiting(spot, bytes);
        let direct = !self.is_weak || self.atomic > 0 || !self.drains_visibly() && (self.alone || !visible);
        let rule = if direct { StoreRule::Direct } else { self.store_rule() };
        match rule {
            StoreRule::Buffered { .. } if self.waits(spot, bytes, visible) || self.overlaps_own(spot, bytes) => {
                self.begin_late_store(spot, false)
            }
            StoreRule::Draining if self.drains_visibly() => {
                if !self.may_go(true) {
                    return Ok(StoreWay::Wait);
                }
                self.drain()?;
                self.count_step();
                Ok(StoreWay::Direct)
            }
            StoreRule::Direct | StoreRule::Buffered { .. } | StoreRule::Draining => {
                if !self.may_go(visible) {
                    return Ok(StoreWay::Wait);
                }
                self.count_step();
                Ok(StoreWay::Direct)
            }
        }
    }

    /// Where flushes are steps of their own: does a store to bytes that no other thread touches share some with a store
    /// that waits? Only before that one arrives would it have to wait as well, and steps must not depend on when stores
    /// arrive. So these bytes are taken for shared, and stores to them wait in any case.
    fn follows_waiting(&mut self, spot: Spot, bytes: usize) -> bool {
        let follows = self.flushes_apart && self.overlaps_own(spot, bytes);
        if follows {
            self.sharing.share(spot, bytes);
        }
        follows
    }

    /// Does a store wait in the buffer that others can tell of or not?
    fn waits(&self, spot: Spot, bytes: usize, visible: bool) -> bool {
        let is_noticed = |places: &NoticedPlaces| Place::of(spot).is_some_and(|place| places.has(place, bytes));
        visible && !self.alone && self.noticed_places.as_deref().is_none_or(is_noticed)
    }

    /// As above, for a block that is copied. Others can notice its source, or its target.
    pub(crate) fn begin_copy(
        &mut self,
        target: Spot,
        bytes: usize,
        reads: bool,
        writes: bool,
    ) -> Result<StoreWay, Stopped> {
        let writes = writes || self.follows_waiting(target, bytes);
        let is_late = self.waits(target, bytes, writes) || self.overlaps_own(target, bytes);
        if self.is_weak && self.atomic == 0 && is_late {
            return self.begin_late_store(target, reads);
        }
        if !self.may_go(reads || writes) {
            return Ok(StoreWay::Wait);
        }
        self.count_step();
        Ok(StoreWay::Direct)
    }

    /// `is_turn`: it takes a turn for another reason.
    fn begin_late_store(&mut self, spot: Spot, is_turn: bool) -> Result<StoreWay, Stopped> {
        let is_full = self.state.threads[self.thread].stores().len() >= self.store_buffer;
        let many = self.buffer_events.len() >= MOST_STORES;
        let is_bounded = self.flushes_apart && self.store_buffer < usize::MAX;
        if self.flushes_apart {
            self.recorder.write_later();
        }
        if is_bounded {
            self.touch_buffer();
        }
        let is_object = matches!(spot, Spot::Object { .. });
        // Nobody can tell when it is made, but another thread may be about to access the same bytes.
        let may_race = self.properties().contains(Property::Race);
        let takes_turn = self.sharing.everything || is_turn || is_full || is_bounded || many || is_object || may_race;
        if !self.may_go(takes_turn) {
            return Ok(StoreWay::Wait);
        }
        self.is_loud = true;
        // It may arrive before the thread's next visible step.
        self.allowance = false;
        self.count_step();
        if is_full && self.flushes_apart {
            self.buffer_was_full = true;
            return self.wait_for_flushes().map(|()| StoreWay::Wait);
        }
        while self.state.threads[self.thread].stores().len() >= self.store_buffer {
            let step = self.steps;
            self.arrive(self.thread, 0)?;
            self.buffer_events.push(BufferEvent::MadeRoom { number: 0, step });
            self.buffer_was_full = true;
        }
        Ok(StoreWay::Late)
    }

    fn store_rule(&self) -> StoreRule {
        let access = match self.code.op(self.pc) {
            Some(Op::Store { access, .. }) => *access,
            _ => Access::Plain,
        };
        self.code.program.memory_model.store(access)
    }

    /// Appends a store of up to 16 bytes.
    pub(crate) fn append_value(&mut self, spot: Spot, bytes: usize, value: u128) {
        let value = if bytes < 16 { value & ((1 << (8 * bytes)) - 1) } else { value };
        let words = [value as u64, (value >> 64) as u64];
        self.append(spot, bytes, words.into_iter().take(bytes.div_ceil(8)));
        if O::WATCHES {
            self.note(Note::Buffered { spot, bytes: bytes as u64, value });
        }
    }

    /// Appends a store of a block.
    pub(crate) fn append_bytes(&mut self, spot: Spot, bytes: &[u8]) {
        self.append(spot, bytes.len(), words(bytes).into_iter());
        if O::WATCHES {
            let value = bytes.first().copied().map_or(0, u128::from);
            self.note(Note::Buffered { spot, bytes: bytes.len() as u64, value });
        }
    }

    /// Copies a block into the buffer.
    pub(crate) fn move_late(&mut self, source: Spot, target: Spot, bytes: usize) -> Result<(), Stopped> {
        let block = self.read_block(source, bytes)?;
        self.append_bytes(target, &block);
        Ok(())
    }

    /// Copies a block of which some bytes are in the buffer to a place where none are.
    pub(crate) fn move_through(&mut self, source: Spot, target: Spot, bytes: usize) -> Result<(), Stopped> {
        let block = self.read_block(source, bytes)?;
        let target = self.refreshed(target);
        if !self.state.late_inputs.is_empty() {
            self.overwrite_symbols(target, bytes)?;
        }
        for (at, byte) in block.iter().enumerate() {
            let spot = self.refreshed(target.advanced(at));
            self.state.write(spot, 1, u64::from(*byte));
        }
        if O::WATCHES {
            let value = block.first().copied().map_or(0, u128::from);
            self.note(Note::Write { spot: target, bytes: bytes as u64, value });
        }
        Ok(())
    }

    fn read_block(&mut self, spot: Spot, bytes: usize) -> Result<Vec<u8>, Stopped> {
        let mut block = Vec::with_capacity(bytes);
        for at in (0..bytes).step_by(8) {
            let (piece, length) = (spot.advanced(at), (bytes - at).min(8));
            let word = match self.overlaps_own(piece, length) {
                true => self.read_through(piece, length)?,
                false => self.read_memory(piece, length)?,
            };
            block.extend(&word.to_le_bytes()[..length]);
            if O::WATCHES {
                self.note(Note::Read { spot: piece, bytes: length as u64, value: u128::from(word) });
            }
        }
        Ok(block)
    }

    /// Appends a store, whose bytes come as words.
    fn append(&mut self, spot: Spot, bytes: usize, words: impl Iterator<Item = u64>) {
        let release = matches!(self.store_rule(), StoreRule::Buffered { release: true });
        let Some(place) = Place::of(spot) else { return };
        self.state.threads[self.thread].append(place, bytes, release, words);
        self.has_stores = true;
        self.buffer_events.push(BufferEvent::Made { step: self.steps });
    }

    /// Does a store in the running thread's buffer touch these bytes?
    #[cold]
    fn finds_own(&self, spot: Spot, bytes: usize) -> bool {
        let stores = self.state.threads[self.thread].stores();
        Place::of(spot).is_some_and(|place| stores.iter().any(|store| store.overlaps(place, bytes)))
    }

    #[inline]
    pub(crate) fn overlaps_own(&self, spot: Spot, bytes: usize) -> bool {
        self.has_stores && self.finds_own(spot, bytes)
    }

    /// Reads at most 8 bytes, some of which are in the running thread's buffer: each from the newest store to it, else
    /// from memory, where it is initialised and gets a value before.
    #[cold]
    pub(crate) fn read_through(&mut self, spot: Spot, bytes: usize) -> Result<u64, Stopped> {
        let Some(place) = Place::of(spot) else { return Ok(0) };
        let thread = &self.state.threads[self.thread];
        let stores = thread.stores();
        let mut found: [Option<u8>; 8] = [None; 8];
        for store in stores.iter().filter(|store| !store.is_void) {
            let distance = place.behind(store.place).unwrap_or(i64::MAX / 2);
            for (number, byte) in found.iter_mut().enumerate().take(bytes) {
                let at = distance + number as i64;
                if (0..store.bytes as i64).contains(&at) {
                    *byte = Some(store.byte(thread, at as usize));
                }
            }
        }
        let mut value = 0;
        for (number, byte) in found.into_iter().enumerate().take(bytes) {
            let byte = match byte {
                Some(byte) => u64::from(byte),
                None => self.read_memory(spot.advanced(number), 1)?,
            };
            value |= byte << (8 * number);
        }
        Ok(value)
    }

    /// Reads at most 8 bytes from memory, as plain values.
    pub(crate) fn read_memory(&mut self, spot: Spot, bytes: usize) -> Result<u64, Stopped> {
        let spot = self.refreshed(spot);
        self.initialise(spot, bytes)?;
        let spot = self.refreshed(spot);
        if !self.state.late_inputs.is_empty() {
            self.symbols_in(spot, bytes, false)?;
        }
        Ok(self.state.read(&self.code.layout, spot, bytes))
    }

    /// All stores of the running thread arrive, in order, if there are any. It must have its turn.
    #[inline]
    pub(crate) fn drain(&mut self) -> Result<(), Stopped> {
        match (self.flushes_apart, self.has_stores) {
            (true, _) => self.wait_for_flushes(),
            (false, true) => self.drain_all(),
            (false, false) => Ok(()),
        }
    }

    /// Does a step that drains need its turn for that? Where flushes are steps of their own, that must not depend on
    /// them.
    #[inline]
    pub(crate) fn drains_visibly(&self) -> bool {
        self.has_stores || self.flushes_apart && !self.alone
    }

    /// The step waits until somebody has let all stores of the running thread arrive.
    #[cold]
    fn wait_for_flushes(&mut self) -> Result<(), Stopped> {
        self.touch_buffer();
        self.recorder.happens();
        if self.has_stores { Err(Stopped::Blocked) } else { Ok(()) }
    }

    #[cold]
    fn drain_all(&mut self) -> Result<(), Stopped> {
        self.is_loud = true;
        while !self.state.threads[self.thread].stores().is_empty() {
            self.arrive(self.thread, 0)?;
            self.buffer_events.push(BufferEvent::Left { thread: self.thread, number: 0 });
        }
        self.has_stores = false;
        Ok(())
    }

    /// A fence: what it does to the running thread's buffer; false if it must wait for its turn.
    pub(crate) fn fence(&mut self, op: &Op) -> Result<bool, Stopped> {
        if op.is_step() {
            let drains = self.code.program.memory_model.effect(op) == BufferEffect::Drain;
            let is_noticed = self.drains_visibly() && (drains || !self.flushes_apart);
            if !self.may_go(is_noticed || self.sharing.everything) {
                return Ok(false);
            }
            self.count_step();
        }
        match self.code.program.memory_model.effect(op) {
            BufferEffect::None => {}
            BufferEffect::Drain => self.drain()?,
            BufferEffect::Separate => self.state.threads[self.thread].separate(),
        }
        Ok(true)
    }

    /// A store of a thread reaches memory.
    pub(super) fn arrive(&mut self, thread: usize, number: usize) -> Result<(), Stopped> {
        let store: BufferedStore = self.state.threads[thread].stores()[number];
        let words = self.state.threads[thread].take(store);
        let Some(spot) = self.state.spot(store.place).filter(|_| !store.is_void) else { return Ok(()) };
        if let Spot::Object { thread, .. } = spot {
            self.looks_at |= 1 << thread;
        }
        self.touch(spot, store.bytes, true);
        self.recorder.happens();
        if !self.state.late_inputs.is_empty() {
            self.overwrite_symbols(spot, store.bytes)?;
        }
        for (piece, word) in words.iter().enumerate() {
            let spot = self.refreshed(spot.advanced(8 * piece));
            self.state.write(spot, (store.bytes - 8 * piece).min(8), *word);
        }
        if O::WATCHES {
            self.note(Note::Left { thread, number });
        }
        Ok(())
    }

    /// Before a step: which buffers are not empty? What it does depends on them.
    pub(crate) fn look_at_buffers(&mut self) {
        let of_others =
            self.state.storing().filter(|other| *other != self.thread).fold(0, |all, other| all | 1 << other);
        self.has_stores = self.stack.first().is_some_and(|status| status & HAS_STORES != 0);
        self.any_stores = self.has_stores || of_others != 0;
        self.looks_at |= of_others;
        self.recorder.is_needed = of_others != 0;
    }

    /// Drops all stores to an object that has ended.
    #[cold]
    pub(crate) fn drop_stores_to(&mut self, owner: usize, index: usize) {
        for thread in 0..self.state.threads.len() {
            let is_running = thread == self.thread;
            if !(is_running && self.has_stores || self.state.threads[thread].has_stores()) {
                continue;
            }
            if self.flushes_apart {
                self.state.void_stores(thread, owner, index);
                continue;
            }
            let (are_left, dropped) = self.state.drop_stores(thread, owner, index);
            if dropped.is_empty() {
                continue;
            }
            for number in dropped {
                self.buffer_events.push(BufferEvent::Left { thread, number });
                if O::WATCHES {
                    self.note(Note::Left { thread, number });
                }
            }
            if is_running {
                self.has_stores = are_left;
            } else {
                self.state.threads[thread].note_stores(are_left);
            }
        }
    }
}
