//! The arrival of stores as transitions: those that a thread's step could notice come behind its ways
//! ([`crate::store_buffer::flush`]).

use super::{Expander, Expansion, Outcome, Stage, Stop, Successor, Wrong};
use crate::choices::{Choices, OpenInput};
use crate::machine::Machine;
use crate::oracle::{Ended, Stopped};
use crate::state::State;
use crate::store_buffer::flush::Flush;

/// The stores that the thread's step could notice, which may arrive first ([`crate::store_buffer::flush`]).
#[derive(Default)]
pub(super) struct Flushes {
    /// Is any store buffered in the state?
    pub(super) are_possible: bool,
    /// Did a way make room in a full buffer?
    pub(super) made_room: bool,
    /// Did a way end inside an atomic section?
    pub(super) ended_inside: bool,
    /// The next one last.
    pub(super) left: Vec<Flush>,
    /// Is the next one tried, with other choices, again?
    pub(super) is_begun: bool,
}

impl Expansion {
    /// All ways were run: which stores could any of them have noticed? Letting one arrive is a choice, too.
    #[cold]
    pub(super) fn look_for_flushes(&mut self, machine: &mut Machine<'_, Choices>, load: &mut impl FnMut(&mut State)) {
        let at = machine.stopped_at;
        load(&mut machine.state);
        self.flushes.left = match machine.state.inside_atomic() {
            Some(_) if !self.all_block => Vec::new(),
            None if self.flushes.ended_inside => machine.offered(),
            Some(_) | None => machine.noticed(self.thread, &self.footprint, self.flushes.made_room),
        };
        for flush in &self.flushes.left {
            self.footprint.extend(machine.state.access_of(*flush));
        }
        self.chose |= !self.flushes.left.is_empty();
        machine.stopped_at = at;
    }

    /// The next store arrives.
    #[inline]
    pub(super) fn next_flush(
        &mut self,
        expander: &mut Expander<'_>,
        mut load: impl FnMut(&mut State),
    ) -> Result<Option<Outcome>, Stop> {
        self.stage = Stage::Flushes;
        loop {
            let Some(flush) = self.flushes.left.last().copied() else { return Ok(None) };
            let machine = &mut expander.machine;
            if !std::mem::replace(&mut self.flushes.is_begun, true) {
                machine.oracle.reset();
            } else if !machine.oracle.advance() {
                self.flushes.left.pop();
                self.flushes.is_begun = false;
                continue;
            }
            load(&mut machine.state);
            machine.oracle.rewind();
            let result = machine.flush(flush);
            expander.transitions += 1;
            expander.stop_if_shared()?;
            if result.is_err() {
                continue;
            }
            if let Some(violation) = expander.broken(self.thread)? {
                let choices = flush.with(expander.machine.oracle.path());
                return Ok(Some(Outcome::Wrong(Wrong { choices, violation: Box::new(violation) })));
            }
            let seen = expander.look()?;
            let choices = flush.with(expander.machine.oracle.path());
            let arrived = (flush.number == 0).then_some(flush.thread);
            return Ok(Some(Outcome::To(Successor { ended: Ended::Paused, choices, steps: Some(1), arrived, seen })));
        }
    }
}

impl Machine<'_, Choices> {
    /// Takes a transition with these choices again: a step of the thread, or a flush.
    pub fn retake(&mut self, thread: usize, choices: &[u32], events: Vec<OpenInput>) -> Result<Ended, Stopped> {
        match Flush::of(choices) {
            Some((flush, choices)) => {
                self.oracle = Choices::again(choices, events);
                self.flush(flush).map(|()| Ended::Paused)
            }
            None => {
                self.oracle = Choices::again(choices, events);
                self.step(thread)
            }
        }
    }
}
