//! Deadlocks: some thread has not ended, and none can take a step.
//!
//! At the end of a round every thread stands before one of its points. Each is asked, on its own and on
//! a copy of the memory, whether the section there can be completed; what it would do is then forgotten.
//! Where that cannot be told, and all others wait, there is a doubt: no deadlock, and no reason to say there is none.

use super::{Check, Encoder, Mode, Obstacle, Record, What};
use selvedge_formula::{Term, Terms};
use selvedge_program::Property;

impl Encoder<'_> {
    /// Adds a check: after this round nobody can go on.
    pub fn deadlock(&mut self) {
        self.deadlock_if(Encoder::waits);
    }

    /// The same, if somebody else tells whether a thread waits for its next section.
    pub(super) fn deadlock_if(&mut self, mut waits: impl FnMut(&mut Self, usize) -> Term) {
        if !self.properties.contains(Property::Deadlock) {
            return;
        }
        let (mut nobody_can, mut somebody_waits) = (self.terms.not(self.exited), Terms::FALSE);
        let (mut nobody_may, mut doubts) = (nobody_can, Vec::new());
        for number in 0..self.threads.len() {
            let created = self.threads[number].created;
            if created == Terms::FALSE {
                continue;
            }
            let waits = waits(self, number);
            let waits = self.terms.or(waits, self.threads[number].stuck);
            let waits = self.terms.and(waits, created);
            let not_created = self.terms.not(created);
            let no_business = self.terms.or(not_created, self.threads[number].finished);
            let still = self.terms.or(waits, no_business);
            nobody_can = self.terms.and(nobody_can, still);
            let doubtful = self.terms.or_all(self.probe_doubts.iter().map(|doubt| doubt.when).collect::<Vec<_>>());
            let may_be_still = self.terms.or(still, doubtful);
            nobody_may = self.terms.and(nobody_may, may_be_still);
            doubts.append(&mut self.probe_doubts);
            somebody_waits = self.terms.or(somebody_waits, waits);
        }
        for mut doubt in doubts {
            doubt.when = self.terms.and(doubt.when, nobody_may);
            self.doubts.push(doubt);
        }
        let condition = self.terms.and(nobody_can, somebody_waits);
        if condition == Terms::FALSE {
            self.settle(Terms::TRUE);
            return;
        }
        let loc = self.bounded.program.functions[self.bounded.program.entry].loc;
        let text = "threads wait for ever".to_string();
        self.checks.push(Check { condition, reached: Terms::TRUE, property: Property::Deadlock, text, loc });
        self.log.push(Record { thread: 0, when: condition, what: What::Check(self.checks.len() - 1) });
    }

    /// A section that asks for an input can be tried again, and be given one that lets the thread go on; so
    /// that it waits must not depend on what it was given.
    pub(super) fn wait_in_probe(&mut self, blocked: Term) {
        let section = self.here.section;
        let is_here = |other: Option<usize>| section.is_none() || other.is_none() || other == section;
        let asked: Vec<Term> = self.asked.iter().filter(|(at, _)| is_here(*at)).map(|(_, input)| *input).collect();
        let depends = !asked.is_empty() && self.terms.cone([blocked]).iter().any(|part| asked.contains(part));
        if depends {
            self.doubt(blocked, "a section that waits for what depends on an input of its own");
        } else {
            self.waiting = self.terms.or(self.waiting, blocked);
        }
    }

    /// If this holds, it cannot be told whether the thread waits.
    pub(super) fn doubt(&mut self, when: Term, what: &str) {
        if when != Terms::FALSE {
            self.probe_doubts.push(Obstacle { when, what: what.to_string(), loc: self.here.origin.user });
        }
    }

    /// Is the thread's next section one that it cannot complete now?
    fn waits(&mut self, number: usize) -> Term {
        let memory = self.memory.objects();
        let done = self.threads[number].done.clone();
        self.ranges.iter_mut().for_each(|ranges| ranges.probe(number));
        self.begin_probe();
        self.walk(number, |this, point| {
            let not_yet = this.terms.not(done[point]);
            let before = point.checked_sub(1).map_or(Terms::TRUE, |before| done[before]);
            let stands_here = this.terms.and(before, not_yet);
            this.here.active = this.terms.and(this.here.guard, stands_here);
        });
        self.mode = Mode::Run;
        self.memory.set_objects(&memory);
        self.waiting
    }

    pub(super) fn begin_probe(&mut self) {
        self.mode = Mode::Probe;
        self.waiting = Terms::FALSE;
        self.asked.clear();
    }
}
