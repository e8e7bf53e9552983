//! Flushes: stores that arrive between two steps, and which of them a step can notice.
//!
//! A buffered store may arrive at any time. As moves of their own, flushes would multiply the states; but a flush
//! matters only to those who look. In any run, move a flush behind the event after it as long as the two commute. It
//! ends up
//!
//! - in front of a step, of whatever thread, that touches its bytes in memory: reads them, writes them, or drains a
//!   buffer that has stores to them;
//! - or in front of another flush, which has to come later because the stores overlap, or are of one thread and in
//!   order; that one cannot be moved on either, for the same reasons;
//! - or at the end of the run, where nobody looks any more; or in front of the thread's own draining, which does the
//!   same.
//!
//! Hence all flushes of a run stand in chains in front of steps that notice them. Those in front of a step of thread u
//! are transitions of u: *u's choice is to go on, or to let a store arrive first that its step could notice*. They cost
//! nothing, since u runs next anyway. Every search has them without knowing of buffers.
//!
//! Which ones are offered ([`Machine::noticed`]): run the step without, and take what it touched. All stores that
//! overlap it can be noticed; so can those that come before them in their buffer, and those that overlap one of these,
//! and so on. The step behind the flushes may touch something else than without them. But then it has read something
//! else, and the first such read is of bytes that it touched without them, too: of the flushes of the chain, that one
//! and those it depends on are offered now, can be put first, and by induction the rest is offered behind them. The
//! thread's own stores are offered only because of others' that overlap them: its own step cannot tell its buffer from
//! memory otherwise.
//!
//! A blocked step touches what it looked at. If no store can be noticed, no flush could help: waiting is decided as
//! without buffers, and nobody can go on only if nobody could notice a store.
//!
//! Observers look at memory after every step, so stores to places that they read are always offered. Without reduction,
//! and where runs without end are asked about (in a fair one every store arrives), all stores are.
//!
//! Nothing arrives inside an atomic section, which may be longer than a transition. Whatever its later parts touch, a
//! flush stands in front of the whole section, where all stores are offered if it goes on behind the first part; none
//! is offered within, unless the section waits.
//!
//! The bound on buffers breaks the argument in one place: with fewer stores in it, a buffer is not full. A step that
//! makes room is taken to notice all stores of its thread.

use super::{BufferEvent, BufferedStore, can_arrive, with_predecessors};
use crate::footprint::Access;
use crate::machine::Machine;
use crate::oracle::{Oracle, Stopped};
use crate::state::State;

/// The store of this number of a thread arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flush {
    pub thread: usize,
    pub number: usize,
}

/// Marks a choice as a flush. Ordinary choices are small.
const FLUSH: u32 = 1 << 31;
const THREAD_SHIFT: u32 = 24;

impl Flush {
    /// As the first of a transition's choices.
    pub fn choice(self) -> u32 {
        FLUSH | (self.thread as u32) << THREAD_SHIFT | self.number as u32
    }

    /// Has the object that the store goes to ended?
    pub fn goes_nowhere(self, state: &State) -> bool {
        state.threads[self.thread].stores().get(self.number).is_some_and(|store| store.is_void)
    }

    /// With further choices.
    pub fn with(self, choices: Vec<u32>) -> Vec<u32> {
        std::iter::once(self.choice()).chain(choices).collect()
    }

    /// The flush that a transition with these choices is, and further choices.
    pub fn of(choices: &[u32]) -> Option<(Flush, &[u32])> {
        let (first, rest) = choices.split_first()?;
        let flush = Flush {
            thread: (first >> THREAD_SHIFT & 0x7f) as usize,
            number: (first & ((1 << THREAD_SHIFT) - 1)) as usize,
        };
        (first & FLUSH != 0).then_some((flush, rest))
    }
}

impl State {
    /// The bytes that a flush writes.
    pub fn access_of(&self, Flush { thread, number }: Flush) -> Option<Access> {
        let stores = self.threads.get(thread)?.stores();
        stores.get(number).map(Access::of)
    }
}

impl<O: Oracle> Machine<'_, O> {
    /// The number of stores that the last call of [`Machine::step`] left in its thread's buffer.
    #[inline]
    pub fn buffered(&self) -> usize {
        self.buffered
    }

    /// Did the last call of [`Machine::step`] make room in a full buffer?
    #[inline]
    pub fn made_room(&self) -> bool {
        self.buffer_events.iter().any(|event| matches!(event, BufferEvent::MadeRoom { .. }))
    }

    /// All stores that can arrive next in the machine's state.
    pub fn flushes(&self) -> Vec<Flush> {
        let model = self.code.program.memory_model;
        let mut flushes = Vec::new();
        for thread in self.state.storing() {
            let stores = self.state.threads[thread].stores();
            let ready = (0..stores.len()).filter(|number| can_arrive(model, &stores, *number));
            flushes.extend(ready.map(|number| Flush { thread, number }));
        }
        flushes
    }

    /// All stores that can arrive next in front of a step, unless flushes are steps of their own.
    pub fn offered(&self) -> Vec<Flush> {
        if self.flushes_apart { Vec::new() } else { self.flushes() }
    }

    /// Those of them that a step of `thread` could notice which touched this, or observers could.
    pub fn noticed(&self, thread: usize, touched: &[Access], made_room: bool) -> Vec<Flush> {
        let all = self.offered();
        if all.is_empty() || self.sharing.everything || self.offers_all_flushes {
            return all;
        }
        let buffers: Vec<(usize, Vec<BufferedStore>)> =
            self.state.storing().map(|owner| (owner, self.state.threads[owner].stores())).collect();
        let mut noticed: Vec<Vec<bool>> = buffers.iter().map(|(_, stores)| vec![false; stores.len()]).collect();
        let mut news = true;
        while news {
            news = false;
            for (at, (owner, stores)) in buffers.iter().enumerate() {
                for (number, store) in stores.iter().enumerate().filter(|(number, _)| !noticed[at][*number]) {
                    let by_step = if *owner == thread { made_room } else { touched.iter().any(|a| a.meets(store)) };
                    let is_watched =
                        || self.state.spot(store.place).is_some_and(|spot| self.sharing.is_watched(spot, store.bytes));
                    let by_other = || {
                        let others = buffers.iter().zip(&noticed).filter(|((other, _), _)| other != owner);
                        others
                            .flat_map(|((_, stores), noticed)| stores.iter().zip(noticed))
                            .any(|(other, noticed)| *noticed && other.overlaps(store.place, store.bytes))
                    };
                    if by_step || is_watched() || by_other() {
                        news = true;
                        let model = self.code.program.memory_model;
                        with_predecessors(model, stores, number).iter().for_each(|one| noticed[at][*one] = true);
                        break;
                    }
                }
            }
        }
        let is_noticed = |flush: &Flush| {
            let at = buffers.iter().position(|(owner, _)| *owner == flush.thread);
            at.is_some_and(|at| noticed[at][flush.number])
        };
        all.into_iter().filter(is_noticed).collect()
    }

    /// Lets a store arrive, and before it those that must come earlier. What a call of [`Machine::step`] leaves
    /// behind is there afterwards, too: choices, a footprint, events.
    pub fn flush(&mut self, flush: Flush) -> Result<(), Stopped> {
        let Flush { thread, number } = flush;
        self.enter(thread);
        let stores = self.state.threads[thread].stores();
        let mut result = Ok(());
        for (gone, one) in with_predecessors(self.code.program.memory_model, &stores, number).iter().enumerate() {
            result = result.and_then(|()| self.arrive(thread, one - gone));
            self.buffer_events.push(BufferEvent::Left { thread, number: one - gone });
        }
        self.has_stores = !self.state.threads[thread].stores().is_empty();
        self.leave();
        if result.is_ok() {
            self.tidy();
        }
        result
    }
}
