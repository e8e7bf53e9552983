//! How runs end in which nothing is wrong that was asked about.

use crate::Machine;
use crate::oracle::{Ended, Oracle};
use selvedge_program::coverage::UncheckedEnd;
use selvedge_program::{Loc, Property, SourceMap, coverage};
use std::collections::BTreeSet;

/// What was seen of it.
#[derive(Clone, Default, Debug)]
pub struct Ends {
    /// Places at which a misuse ended a run that was not checked for.
    unchecked: BTreeSet<(Loc, Property)>,
    /// Some run came to its end: that of the process, or of all threads.
    pub normally: bool,
}

impl Ends {
    pub fn note_unchecked(&mut self, misuse: Property, at: Loc) {
        // Columns are not shown.
        self.unchecked.insert((Loc { column: 0, ..at }, misuse));
    }

    pub fn join(&mut self, other: &Ends) {
        self.unchecked.extend(&other.unchecked);
        self.normally |= other.normally;
    }

    /// For people.
    pub fn describe(&self, source: &SourceMap) -> coverage::Ends {
        let end = |(at, misuse): &(Loc, Property)| UncheckedEnd { misuse: *misuse, at: source.describe(*at) };
        coverage::Ends { unchecked: self.unchecked.iter().map(end).collect(), normally: self.normally }
    }
}

impl<O: Oracle> Machine<'_, O> {
    /// A step has ended so.
    pub fn note_end(&mut self, ended: Ended) {
        self.ends.normally |= match ended {
            Ended::Exited => true,
            Ended::Finished => self.state.threads.iter().all(|thread| thread.is_finished()),
            Ended::Paused => false,
        };
    }
}
