//! Deadlocks: threads that wait for ever, as [`selvedge_vm::deadlock`] defines them.
//!
//! At the end of a round every thread stands before one of its points. Each is asked, on its own and on
//! a copy of the memory, whether the section there can be completed; what it would do is then forgotten.
//! Where that cannot be told, and all others wait, there is a doubt: no deadlock, and no reason to say there is none.
//!
//! The largest set in which everyone waits for another or for one that has ended is found by taking away those
//! that do not, as often as there are threads. Where nobody ever says whom he waits for, that is nothing at all.

use super::memory::Objects;
use super::{Check, Encoder, Inside, Mode, Obstacle, Record, What};
use selvedge_formula::{Term, Terms};
use selvedge_program::{Operand, Property};

/// If the first holds, the thread waits for the one with this number.
pub(super) type Needs = (Term, Term);

/// The same before it is known whether the section waits.
pub(super) struct Said {
    section: Option<usize>,
    when: Term,
    whom: Term,
}

/// A thread at the end of a round.
struct Still {
    number: usize,
    waits: Term,
    /// It cannot be told whether it waits.
    doubtful: Term,
    /// Nor for whom.
    unknown: Term,
    /// By thread: whom it waits for, if it does.
    needs: Vec<Term>,
}

impl Encoder<'_> {
    /// Adds a check: after this round somebody waits for ever.
    pub fn deadlock(&mut self) {
        self.deadlock_if(Encoder::waits);
    }

    /// The same, if somebody else tells whether a thread waits for its next section.
    pub(super) fn deadlock_if(&mut self, mut waits: impl FnMut(&mut Self, usize) -> Term) {
        if !self.properties.contains(Property::Deadlock) {
            return;
        }
        let running = self.terms.not(self.exited);
        let (mut nobody_can, mut nobody_may) = (running, running);
        let (mut threads, mut doubts) = (Vec::new(), Vec::new());
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
            let needs = self.needs(number);
            let unknown = std::mem::replace(&mut self.unknown_wait, Terms::FALSE);
            threads.push(Still { number, waits, doubtful, unknown, needs });
        }
        let doomed = self.doomed(&threads, |_, thread| thread.waits, |_| Terms::FALSE, nobody_can);
        let doomed: Vec<Term> = doomed.into_iter().map(|doomed| self.terms.and(doomed, running)).collect();
        self.keep_doubts(doubts, &threads, nobody_may);
        let condition = self.terms.or_all(doomed.clone());
        if condition == Terms::FALSE {
            self.settle(Terms::TRUE);
            return;
        }
        let loc = self.bounded.program.functions[self.bounded.program.entry].loc;
        let text = "threads wait for ever".to_string();
        self.checks.push(Check { condition, reached: Terms::TRUE, property: Property::Deadlock, text, loc });
        for (thread, when) in threads.iter().zip(doomed).filter(|(_, when)| *when != Terms::FALSE) {
            self.log.push(Record { thread: thread.number, when, what: What::Check(self.checks.len() - 1) });
        }
    }

    /// Which of them wait for ever, if this is when they wait, and in vain in any case; `all_wait`: nobody can go on.
    fn doomed(
        &mut self,
        threads: &[Still],
        waits: impl Fn(&mut Self, &Still) -> Term,
        in_any_case: impl Fn(&Still) -> Term,
        all_wait: Term,
    ) -> Vec<Term> {
        let mut doomed: Vec<Term> = threads.iter().map(|thread| waits(self, thread)).collect();
        let finished: Vec<Term> = threads.iter().map(|thread| self.threads[thread.number].finished).collect();
        for _ in threads {
            let mut fewer = Vec::with_capacity(doomed.len());
            for (thread, now) in threads.iter().zip(&doomed) {
                if *now == Terms::FALSE {
                    fewer.push(Terms::FALSE);
                    continue;
                }
                let mut helpless = self.terms.or(all_wait, in_any_case(thread));
                for ((other, over), waits_too) in threads.iter().zip(&finished).zip(&doomed) {
                    let never = self.terms.or(*over, *waits_too);
                    let in_vain = self.terms.and(thread.needs[other.number], never);
                    helpless = self.terms.or(helpless, in_vain);
                }
                fewer.push(self.terms.and(*now, helpless));
            }
            if fewer == doomed {
                break;
            }
            doomed = fewer;
        }
        doomed
    }

    /// A doubt matters where somebody waits for ever if it is one.
    fn keep_doubts(&mut self, doubts: Vec<Obstacle>, threads: &[Still], nobody_may: Term) {
        if doubts.is_empty() {
            return;
        }
        let may_wait = |this: &mut Self, thread: &Still| this.terms.or(thread.waits, thread.doubtful);
        let may_be_doomed = self.doomed(threads, may_wait, |thread| thread.unknown, nobody_may);
        let somebody_may = self.terms.or_all(may_be_doomed);
        let running = self.terms.not(self.exited);
        let matters = self.terms.and(running, somebody_may);
        for mut doubt in doubts {
            doubt.when = self.terms.and(doubt.when, matters);
            self.doubts.push(doubt);
        }
    }

    /// By thread: whom the thread that was asked last waits for.
    fn needs(&mut self, number: usize) -> Vec<Term> {
        let mut needs = vec![Terms::FALSE; self.threads.len()];
        let stuck_for = self.threads[number].stuck_for.clone();
        for (when, whom) in std::mem::take(&mut self.waits_for).into_iter().chain(stuck_for) {
            let bits = self.terms.bits(whom);
            for (other, needed) in needs.iter_mut().enumerate() {
                let this = self.terms.constant(bits, other as u128);
                let is_this = self.terms.eq(whom, this);
                let now = self.terms.and(when, is_this);
                *needed = self.terms.or(*needed, now);
            }
        }
        needs
    }

    /// A section says whom it waits for, if it has to wait next.
    pub(super) fn say_for_whom(&mut self, whom: Operand) {
        let is_nested = self.threads[self.here.thread].points.is_nested(self.here.block, self.here.step);
        let matters = !is_nested && (self.mode == Mode::Probe || self.here.inside != Inside::Section);
        if matters && self.here.active != Terms::FALSE && self.properties.contains(Property::Deadlock) {
            let (section, when, whom) = (self.here.section, self.here.active, self.value(whom));
            self.said.push(Said { section, when, whom });
        }
    }

    /// A section waits if this holds: then for whom. What was said on the way here has been used.
    pub(super) fn needs_if(&mut self, blocked: Term) -> Vec<Needs> {
        let mut needs = Vec::new();
        let goes_on = self.terms.not(self.here.active);
        for mut said in std::mem::take(&mut self.said) {
            if said.section == self.here.section {
                let when = self.terms.and(said.when, blocked);
                if when != Terms::FALSE {
                    needs.push((when, said.whom));
                }
                said.when = self.terms.and(said.when, goes_on);
            }
            if said.when != Terms::FALSE {
                self.said.push(said);
            }
        }
        needs
    }

    /// A section that asks for an input can be tried again, and be given one that lets the thread go on; so
    /// that it waits must not depend on what it was given.
    pub(super) fn wait_in_probe(&mut self, blocked: Term) {
        let section = self.here.section;
        let is_here = |other: Option<usize>| section.is_none() || other.is_none() || other == section;
        let asked: Vec<Term> = self.asked.iter().filter(|(at, _)| is_here(*at)).map(|(_, input)| *input).collect();
        let depends = blocked != Terms::FALSE
            && !asked.is_empty()
            && self.terms.cone([blocked]).iter().any(|part| asked.contains(part));
        if depends {
            let what = "a section that waits for what depends on an input of its own".to_string();
            self.probe_doubts.push(Obstacle { when: blocked, what, loc: self.here.origin.user });
        } else {
            self.waiting = self.terms.or(self.waiting, blocked);
        }
    }

    /// If this holds, it cannot be told whether the thread waits, and for whom.
    pub(super) fn doubt(&mut self, when: Term, what: &str) {
        if when != Terms::FALSE {
            self.unknown_wait = self.terms.or(self.unknown_wait, when);
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
        self.end_probe(&memory)
    }

    pub(super) fn begin_probe(&mut self) {
        self.mode = Mode::Probe;
        self.waiting = Terms::FALSE;
        self.unknown_wait = Terms::FALSE;
        self.waits_for.clear();
        self.said.clear();
        self.asked.clear();
    }

    /// Forgets what it did; whether the thread waits.
    pub(super) fn end_probe(&mut self, memory: &Objects) -> Term {
        self.mode = Mode::Run;
        self.said.clear();
        self.memory.set_objects(memory);
        self.waiting
    }
}
