//! How runs end in which none of the checked properties is violated.

use crate::Machine;
use crate::oracle::{Ended, Oracle};
use selvedge_program::coverage::UncheckedEnd;
use selvedge_program::{Loc, Property, SourceMap, coverage};
use std::collections::BTreeSet;

/// The kinds of ends seen so far.
#[derive(Clone, Default, Debug)]
pub struct Ends {
    /// Places at which an unchecked misuse ended a run.
    unchecked: BTreeSet<(Loc, Property)>,
    /// Whether some run ended normally: by the end of the process, or of all threads.
    pub normally: bool,
}

impl Ends {
    pub fn note_unchecked(&mut self, misuse: Property, at: Loc) {
        // Columns are not shown, so places are distinguished by line only.
        self.unchecked.insert((Loc { column: 0, ..at }, misuse));
    }

    pub fn join(&mut self, other: &Ends) {
        self.unchecked.extend(&other.unchecked);
        self.normally |= other.normally;
    }

    /// The ends with source positions as text.
    pub fn describe(&self, source: &SourceMap) -> coverage::Ends {
        let end = |(at, misuse): &(Loc, Property)| UncheckedEnd { misuse: *misuse, at: source.describe(*at) };
        coverage::Ends { unchecked: self.unchecked.iter().map(end).collect(), normally: self.normally }
    }
}

impl<O: Oracle> Machine<'_, O> {
    /// Notes how a step ended.
    pub fn note_end(&mut self, ended: Ended) {
        self.ends.normally |= match ended {
            Ended::Exited => true,
            Ended::Finished => self.state.threads.iter().all(|thread| thread.is_finished()),
            Ended::Paused => false,
        };
    }
}
