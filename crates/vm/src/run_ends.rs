//! The ends of runs in which none of the checked properties is violated, and how far they get.

use crate::code::Ins;
use crate::oracle::{Ended, Oracle};
use crate::{Code, Machine};
use selvedge_program::coverage::UncheckedEnd;
use selvedge_program::reach::{Reach, RunsEnded};
use selvedge_program::{Loc, Property, coverage};
use std::collections::BTreeSet;

/// The kinds of ends seen so far.
#[derive(Clone, Default, Debug)]
pub struct Ends {
    /// Places at which an unchecked misuse ended a run.
    unchecked: BTreeSet<(Loc, Property)>,
    /// Whether some run ended normally: by the end of the process, or of all threads.
    pub normally: bool,
    ended: RunsEnded,
    /// A bit for each instruction: whether control came there from elsewhere, by a call, a return or a jump.
    reached: Vec<u64>,
    /// Threads besides main: the most in one run.
    threads: u32,
}

impl Ends {
    pub(crate) fn of(code: &Code<'_>) -> Ends {
        Ends { reached: vec![0; code.ins.len().div_ceil(64)], ..Ends::default() }
    }

    /// Notes that control goes to `pc` from elsewhere.
    #[inline]
    pub(crate) fn note_reached(&mut self, pc: u32) {
        self.reached[pc as usize / 64] |= 1 << (pc % 64);
    }

    pub(crate) fn note_threads(&mut self, besides_main: usize) {
        self.threads = self.threads.max(besides_main as u32);
    }

    pub fn note_unchecked(&mut self, misuse: Property, at: Loc) {
        self.ended.by_misuse += u64::from(misuse != Property::Abort);
        // Columns are not shown, so places are distinguished by line only.
        self.unchecked.insert((Loc { column: 0, ..at }, misuse));
    }

    pub fn note_assumption(&mut self) {
        self.ended.by_assumption += 1;
    }

    pub fn join(&mut self, other: &Ends) {
        self.unchecked.extend(&other.unchecked);
        self.normally |= other.normally;
        self.ended.add(other.ended);
        self.threads = self.threads.max(other.threads);
        self.reached.resize(self.reached.len().max(other.reached.len()), 0);
        self.reached.iter_mut().zip(&other.reached).for_each(|(all, some)| *all |= some);
    }

    /// The ends with source positions as text. `is_exact`: every run was looked at.
    pub fn describe(&self, code: &Code<'_>, is_exact: bool) -> (coverage::Ends, Reach) {
        let source = &code.program.source;
        let end = |(at, misuse): &(Loc, Property)| UncheckedEnd { misuse: *misuse, at: source.describe(*at) };
        let unchecked = self.unchecked.iter().map(end).collect();
        (coverage::Ends { unchecked, normally: self.normally, possible: Vec::new() }, self.reach(code, is_exact))
    }

    fn reach(&self, code: &Code<'_>, is_exact: bool) -> Reach {
        let mut reach = Reach { is_exact, threads: Some(self.threads), ended: self.ended, ..Reach::default() };
        let is_reached = |pc: usize| self.reached[pc / 64] >> (pc % 64) & 1 == 1;
        for start in (0..code.ins.len().min(64 * self.reached.len())).filter(|pc| is_reached(*pc)) {
            let function = code.from[start].function;
            if start as u32 == code.function(function).entry {
                reach.functions.insert(function);
            }
            // Code behind a call counts when the call returns.
            let length = code.ins[start..].iter().position(goes_elsewhere).map_or(0, |length| length + 1);
            let places = (start..start + length).map(|pc| code.loc(pc as u32)).filter(|loc| loc.is_known());
            reach.lines.extend(places.map(|loc| (loc.file, loc.line)));
        }
        reach
    }
}

fn goes_elsewhere(ins: &Ins) -> bool {
    matches!(
        ins,
        Ins::Call { .. }
            | Ins::CallIndirect { .. }
            | Ins::Return { .. }
            | Ins::Jump { .. }
            | Ins::Branch { .. }
            | Ins::Switch { .. }
            | Ins::Unreachable
    )
}

impl<O: Oracle> Machine<'_, O> {
    /// Notes how a step ended.
    pub fn note_end(&mut self, ended: Ended) {
        let normally = match ended {
            Ended::Exited => true,
            Ended::Finished => self.state.threads.iter().all(|thread| thread.is_finished()),
            Ended::Paused => false,
        };
        self.ends.normally |= normally;
        self.ends.ended.normally += u64::from(normally);
    }
}
