//! Deadlocks: threads that wait for ever, as [`selvedge_vm::deadlock`] defines them.
//!
//! Each thread stands before one of its points, and is probed there on its own (`probe.rs`).
//! Where it cannot be told whether it waits, and all others wait, there is a doubt: no deadlock, and no reason to say
//! there is none.
//!
//! The largest set in which everyone waits for another or for one that has ended is found by taking away those
//! that do not, as often as there are threads. Where nobody ever says whom he waits for, that is nothing at all.

use super::Encoder;
use super::probe::{Probe, WaitsFor};
use super::record::{Check, Event, Obstacle};
use selvedge_formula::{Term, Terms};
use selvedge_program::Property;

/// A thread that was probed.
struct Still {
    number: usize,
    waits: Term,
    /// It cannot be told whether it waits.
    doubtful: Term,
    /// Nor for whom.
    unknown: Term,
    /// By thread: whom it waits for, if it does.
    needs: Vec<Term>,
    /// The objects that it makes on its way there.
    made: Vec<Event>,
}

impl Encoder<'_> {
    /// Adds a check: somebody waits for ever where threads stand now. `probe`: does a thread wait for its next section?
    pub(super) fn deadlock(&mut self, mut probe: impl FnMut(&mut Self, usize, Probe) -> Probe) {
        if !self.facts.properties.contains(Property::Deadlock) {
            return;
        }
        let running = self.terms.not(self.process.exited);
        // As long as something waits in a store buffer, something can happen.
        let empty = self.buffers.all_empty(&mut self.terms);
        let at_rest = self.terms.and(running, empty);
        let (mut nobody_can, mut nobody_may) = (at_rest, at_rest);
        let (mut threads, mut doubts) = (Vec::new(), Vec::new());
        for number in 0..self.process.threads.len() {
            let created = self.process.threads[number].created;
            if created == Terms::FALSE {
                continue;
            }
            let probe = probe(self, number, Probe::default());
            let waits = self.terms.or(probe.waits, self.process.threads[number].stuck);
            let waits = self.terms.and(waits, created);
            let not_created = self.terms.not(created);
            let no_business = self.terms.or(not_created, self.process.threads[number].finished);
            let still = self.terms.or(waits, no_business);
            nobody_can = self.terms.and(nobody_can, still);
            let doubtful = self.terms.or_all(probe.doubts.iter().map(|doubt| doubt.when).collect::<Vec<_>>());
            let may_be_still = self.terms.or(still, doubtful);
            nobody_may = self.terms.and(nobody_may, may_be_still);
            doubts.extend(probe.doubts);
            let needs = self.needs(number, probe.waits_for);
            threads.push(Still { number, waits, doubtful, unknown: probe.unknown, needs, made: probe.made });
        }
        let doomed = self.doomed(&threads, |_, thread| thread.waits, |_| Terms::FALSE, nobody_can);
        let doomed: Vec<Term> = doomed.into_iter().map(|doomed| self.terms.and(doomed, running)).collect();
        self.keep_doubts(doubts, &threads, nobody_may);
        let condition = self.terms.or_all(doomed.clone());
        if condition == Terms::FALSE {
            self.record.settle(Terms::TRUE);
            return;
        }
        let program = self.facts.bounded.program;
        let (loc, text) = (program.functions[program.entry].loc, "threads wait for ever".to_string());
        let kind =
            self.record.check(Check { condition, reached: Terms::TRUE, property: Property::Deadlock, text, loc });
        for (thread, when) in threads.iter().zip(&doomed) {
            for made in &thread.made {
                let when = self.terms.and(*when, made.when);
                self.record.events.push(Event { when, ..*made });
            }
        }
        let doomed = threads.iter().zip(doomed).filter(|(_, when)| *when != Terms::FALSE);
        self.record.events.extend(doomed.map(|(thread, when)| Event { thread: thread.number, when, kind }));
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
        let finished: Vec<Term> = threads.iter().map(|thread| self.process.threads[thread.number].finished).collect();
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
        let running = self.terms.not(self.process.exited);
        let matters = self.terms.and(running, somebody_may);
        for mut doubt in doubts {
            doubt.when = self.terms.and(doubt.when, matters);
            self.record.doubts.push(doubt);
        }
    }

    /// By thread: whom the thread waits for, now or for good.
    fn needs(&mut self, number: usize, waits_for: Vec<WaitsFor>) -> Vec<Term> {
        let mut needs = vec![Terms::FALSE; self.process.threads.len()];
        for WaitsFor { when, whom } in waits_for.iter().chain(&self.process.threads[number].stuck_for) {
            let bits = self.terms.bits(*whom);
            for (other, needed) in needs.iter_mut().enumerate() {
                let this = self.terms.constant(bits, other as u128);
                let is_this = self.terms.eq(*whom, this);
                let now = self.terms.and(*when, is_this);
                *needed = self.terms.or(*needed, now);
            }
        }
        needs
    }
}
