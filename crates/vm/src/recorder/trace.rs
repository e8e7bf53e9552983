//! The record becomes a trace once the run has ended: only then is it known which places were shared, which
//! stores arrived late, and which calls did not return.

use super::{Recorder, position};
use crate::code::Code;
use crate::state::State;
use selvedge_program::{Event, Property, Schedule, Trace, Violation, What};

impl Recorder {
    pub(crate) fn into_trace(
        mut self,
        code: &Code<'_>,
        state: &State,
        mut violation: Violation,
        schedule: &Schedule,
    ) -> Trace {
        self.mark_shared();
        self.mark_buffered();
        self.close_calls();
        let waiting = self.waits(code, state);
        let events: Vec<Event> = self.events.into_iter().map(|(event, _)| event).collect();
        if waiting.iter().any(|wait| wait.missed_signal.is_some()) {
            violation.text.push_str(" (a lost wake-up)");
        }
        let used = self.used_too_late.as_ref();
        let frees = |event: &&Event| matches!(&event.what, What::Free { object } if Some(object) == used);
        let freed = events.iter().rev().find(frees).filter(|_| violation.property == Property::Memory);
        if let Some(Event { thread, at, what: What::Free { object }, .. }) = freed {
            violation.text.push_str(&format!(": {object}, which thread {thread} freed at {}:{}", at.file, at.line));
        }
        Trace {
            at: position(code.program, violation.loc),
            violation,
            schedule: schedule.clone(),
            cycle: self.cycle,
            threads: self.threads,
            locks: self.locks,
            waiting,
            race: self.race,
            assumed: code.program.results_assumed_in(&events),
            events,
        }
    }

    fn mark_shared(&mut self) {
        let touched: Vec<(u32, (usize, usize, usize, usize))> =
            self.events.iter().filter_map(|(event, touched)| touched.map(|t| (event.thread, t))).collect();
        let mut by_place = std::collections::HashMap::new();
        for (thread, (owner, object, at, bytes)) in &touched {
            for byte in *at..at + bytes {
                by_place
                    .entry((*owner, *object, byte))
                    .and_modify(|t| {
                        if *t != Some(*thread) {
                            *t = None
                        }
                    })
                    .or_insert(Some(*thread));
            }
        }
        for (event, touched) in &mut self.events {
            let Some((owner, object, at, bytes)) = touched else { continue };
            let is_shared = (*at..*at + *bytes).any(|byte| by_place.get(&(*owner, *object, byte)) == Some(&None));
            match &mut event.what {
                What::Read { shared, .. } | What::Write { shared, .. } | What::Arrive { shared, .. } => {
                    *shared = is_shared
                }
                _ => {}
            }
        }
    }
}
