//! Steps that take long, and maybe for ever: others go first.
//!
//! The machine ends a step that goes round in loops nobody else can see ([`Machine::is_out_of_fuel`]), so a loop
//! without end has states. If these never repeat, a search that is depth first would follow them for good, and nobody
//! else would ever run: not on this level, where the thread goes on for free, nor, inside an atomic section, at all. So
//! a thread that runs out of fuel too often in a row is *put off*. It goes on beside the next level, or when nothing
//! else is left, each time for twice as long; so that a long step which does end is not put off for long.
//!
//! No run is lost, but a run behind such a step may be found on a later level than its own. Without a bound on levels
//! that changes nothing but the order of the search; with one the coverage names the step ([`Limit::LongStep`]).
//!
//! If the time is up, or the memory, when nothing but such steps is left, all else has been searched: that is coverage
//! within a limit, too, and no reason to give up.
//!
//! [`Machine::is_out_of_fuel`]: selvedge_vm::Machine::is_out_of_fuel

use super::pool::Item;
use super::search::{End, Order, Search};
use super::shared::Shared;
use super::worker::Worker;
use selvedge_program::{Coverage, Limit, Loc, Reason};

/// A thread that runs out of fuel so often in a row is put off for the first time.
pub(super) const FIRST_POSTPONEMENT: u32 = 32;

/// The long steps of a worker.
#[derive(Default)]
pub(super) struct LongSteps {
    put_off: Vec<Item>,
    /// The position of the last one that was put off.
    at: Option<Loc>,
    /// Did all of them go on because nothing else was left?
    only: bool,
}

impl Worker<'_> {
    /// `item` is to be run next, unless it has gone on for too long.
    #[inline]
    pub(super) fn run_next(&mut self, shared: &Shared<'_>, item: Item) {
        let is_long = self.expander.long_steps > shared.patience || self.has_long_buffer(shared);
        if !is_long || shared.order == Order::BreadthFirst {
            self.now.push(item, shared.order);
            return;
        }
        self.expander.long_steps = 0;
        self.long_steps.at = Some(self.expander.machine.stopped_at);
        self.long_steps.put_off.push(item);
    }
}

impl Worker<'_> {
    /// Has the last step left more stores in its thread's buffer than patience allows? A loop of stores never repeats a
    /// state, either, as long as they do not arrive.
    #[inline]
    fn has_long_buffer(&self, shared: &Shared<'_>) -> bool {
        self.expander.machine.buffered() > shared.patience as usize
    }
}

impl Search<'_> {
    /// All that was put off goes on. False: nothing was.
    pub(super) fn resume_long_steps(&mut self) -> bool {
        let order = self.shared.order;
        let only = self.workers.iter().all(|worker| worker.now.is_empty());
        let mut any = false;
        for worker in &mut self.workers {
            (worker.long_steps.only, worker.expander.has_other_steps) = (only, false);
            for item in std::mem::take(&mut worker.long_steps.put_off) {
                any = true;
                worker.now.push(item, order);
            }
        }
        if any {
            self.shared.patience = self.shared.patience.saturating_mul(2);
        }
        any
    }

    /// The limit that names such a step, if there was one.
    pub(super) fn long_step(&self) -> Option<Limit> {
        let at = self.workers.iter().find_map(|worker| worker.long_steps.at)?;
        Some(Limit::LongStep { at: self.workers[0].expander.machine.code.program.source.describe(at) })
    }

    /// The level was not searched to its end. Is nothing left but steps without end?
    pub(super) fn stopped_in_long_steps(&self, end: End) -> Result<Coverage, End> {
        let in_time = match &end {
            End::Stopped(reason) => matches!(reason, Reason::TimeLimit { .. } | Reason::MemoryLimit { .. }),
            End::Found(_) | End::Shared => false,
        };
        let only = self.workers.iter().all(|worker| worker.long_steps.only && !worker.expander.has_other_steps);
        match self.long_step().filter(|_| in_time && only) {
            Some(limit) => {
                let is_last = self.shared.level == self.max_level;
                Ok(Coverage::within(is_last.then(|| self.bound()).into_iter().chain([limit])))
            }
            None => Err(end),
        }
    }
}
