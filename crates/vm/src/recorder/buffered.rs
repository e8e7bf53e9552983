//! Buffered stores on record. One is shown as such only if others act before it arrives.

use super::Recorder;
use selvedge_program::{Event, What};

impl Recorder {
    pub(super) fn buffer(&mut self, thread: usize) -> &mut Vec<Option<usize>> {
        if self.buffered.len() <= thread {
            self.buffered.resize(thread + 1, Vec::new());
        }
        &mut self.buffered[thread]
    }

    /// The store of event `index` reaches memory.
    pub(super) fn leaves(&mut self, index: usize) {
        if let Some(event) = self.buffered_event(index)
            && let What::Write { place, value, .. } = &event.what
        {
            let what = What::Arrive { place: place.clone(), value: value.clone(), shared: false };
            let event = Event { what, ..event.clone() };
            let touched = self.events[index].1;
            self.events.push((event, touched));
        }
    }

    /// Marks the write of event `index` as buffered, if somebody else has acted since; the event then.
    fn buffered_event(&mut self, index: usize) -> Option<&Event> {
        let (first, rest) = self.events.get_mut(index..)?.split_first_mut()?;
        let is_late = rest.iter().any(|(event, _)| event.thread != first.0.thread);
        match &mut first.0.what {
            What::Write { buffered, .. } if is_late => *buffered = true,
            _ => return None,
        }
        Some(&first.0)
    }

    /// Stores to private places need no mention that they are buffered.
    pub(super) fn mark_buffered(&mut self) {
        for index in std::mem::take(&mut self.buffered).into_iter().flatten().flatten() {
            self.buffered_event(index);
        }
        let is_dull = |event: &Event| matches!(event.what, What::Arrive { shared: false, .. });
        let dull = self.events.iter().enumerate().filter(|(_, (event, _))| is_dull(event));
        let dull: Vec<usize> = dull.map(|(index, _)| index).collect();
        let afters = self.locks.iter_mut().map(|change| &mut change.after);
        for index in self.cycle.iter_mut().chain(afters) {
            *index -= dull.partition_point(|removed| removed < index);
        }
        self.events.retain(|(event, _)| !is_dull(event));
        for (event, _) in &mut self.events {
            if let What::Write { shared: false, buffered, .. } = &mut event.what {
                *buffered = false;
            }
        }
    }
}
