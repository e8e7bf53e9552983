//! Checks, assumptions and obstacles: what may go wrong, what a run may not do, and what is left out.
//!
//! A check is a condition under which the program is wrong at this place. Where a property is not checked,
//! the run ends there silently. Where the formula does not follow a run, there is an obstacle.

use super::record::{Check, Event, EventKind, Obstacle};
use super::walk::{Mode, Walk};
use selvedge_analyze::points::Inside;
use selvedge_bound::{Block, StepOp};
use selvedge_formula::{Term, Terms};
use selvedge_program::{Op, Property};

impl Walk<'_, '_> {
    /// The program is wrong if this holds here; where that is not checked, the run ends silently.
    pub(super) fn check(&mut self, property: Property, text: &str, wrong: Term) {
        if !self.facts.properties.contains(property) {
            let fine = self.terms.not(wrong);
            self.assume(fine);
            return;
        }
        self.check_that(property, text, wrong);
    }

    /// A check of something that changes with memory: what counts is how it is when the step is executed.
    pub(super) fn check_now(&mut self, property: Property, text: &str, wrong: Term) {
        if !self.facts.properties.contains(property) {
            let fine = self.when_executed(wrong);
            self.assume(fine);
            return;
        }
        self.check_that(property, text, wrong);
    }

    /// The step does not fail in this turn, and did not in an earlier one.
    fn when_executed(&mut self, wrong: Term) -> Term {
        let fails = self.terms.and(self.here.active, wrong);
        let (id, is_probe) = (self.here.id(), self.is_probe());
        let Some(kept) = &mut self.kept else { return self.terms.not(fails) };
        let before = kept.failed.get(&id).copied().unwrap_or(Terms::FALSE);
        let fails = self.terms.or(before, fails);
        if !is_probe {
            kept.failed.insert(id, fails);
        }
        self.terms.not(fails)
    }

    fn check_that(&mut self, property: Property, text: &str, wrong: Term) {
        if self.is_probe() {
            let fine = self.terms.not(wrong);
            self.here.active = self.terms.and(self.here.active, fine);
            return;
        }
        // If it is wrong without a condition, that was decided by the branch that led here.
        let reached = if wrong == Terms::TRUE { self.here.decided } else { self.here.active };
        let condition = self.terms.and(self.here.active, wrong);
        if condition == Terms::FALSE {
            self.record.settle(reached);
            return;
        }
        let (text, loc) = (text.to_string(), self.here.origin.user);
        let kind = self.record.check(Check { condition, reached, property, text, loc });
        self.violated = self.terms.or(self.violated, condition);
        self.record.events.push(Event { thread: self.here.thread, when: condition, kind });
    }

    pub(super) fn obstacle(&mut self, what: &str) {
        self.obstacle_if(Terms::TRUE, what);
    }

    /// If this holds, the run goes where we do not follow.
    pub(super) fn obstacle_if(&mut self, condition: Term, what: &str) {
        let when = self.terms.and(self.here.active, condition);
        if when == Terms::FALSE {
            return;
        }
        let (what, loc) = (what.to_string(), self.here.origin.user);
        if let Mode::Probe(probe) = &mut self.mode {
            let not = self.terms.not(condition);
            self.here.active = self.terms.and(self.here.active, not);
            probe.doubt(self.terms, Obstacle { when, what, loc });
            return;
        }
        let fine = self.terms.not(self.violated);
        let when = self.terms.and(when, fine);
        self.record.obstacles.push(Obstacle { when, what, loc });
    }

    /// The step is only taken if the condition holds: the thread waits in front of its segment. Behind a
    /// violation, which shares its segment with what follows, that is no longer asked.
    pub(super) fn require(&mut self, condition: Term) {
        let not_taken = self.terms.not(self.here.active);
        let excused = self.terms.or(not_taken, self.violated);
        self.record.constrain(self.terms.or(excused, condition));
    }

    /// The thread gets no further unless the condition holds; the others may go on.
    pub(super) fn stop_unless(&mut self, condition: Term) {
        self.here.guard = self.terms.and(self.here.guard, condition);
        self.here.active = self.terms.and(self.here.active, condition);
    }

    /// No run goes on unless the condition holds. A section is not begun then; elsewhere the thread just
    /// does not get further, which other threads must not notice.
    pub(super) fn assume(&mut self, condition: Term) {
        if condition == Terms::TRUE {
            return;
        }
        if self.is_probe() {
            self.here.active = self.terms.and(self.here.active, condition);
            return;
        }
        if self.here.inside == Inside::Section {
            self.require(condition);
            return;
        }
        if self.chooses_inputs(condition) {
            return;
        }
        let fails = self.terms.not(condition);
        let fails = self.terms.and(self.here.active, fails);
        self.take_back_section(fails);
        self.stop_unless(condition);
    }

    /// A hidden section that cannot be completed has not happened, and the threads that it created are not there.
    pub(super) fn take_back_section(&mut self, when: Term) {
        if self.here.inside != Inside::HiddenSection || when == Terms::FALSE {
            return;
        }
        let not = self.terms.not(when);
        match self.here.section {
            Some(index) => {
                let (begin, since) = self.record.events[index..].split_first_mut().expect("a section has an event");
                begin.when = self.terms.and(begin.when, not);
                for event in since {
                    if let EventKind::Spawn { thread } = event.kind {
                        let life = &mut self.process.threads[thread];
                        life.created = self.terms.and(life.created, not);
                    }
                }
            }
            None => self.obstacle_if(when, "a section that is begun in several places and cannot be completed"),
        }
    }

    /// Something was checked in the block that we are in, and constants prove that it is fine.
    pub(super) fn settle_proved(&mut self, block: &Block) {
        if block.proved.overlap(self.facts.properties) && !self.is_probe() {
            self.record.settle(self.here.active);
        }
    }

    /// No run gets to the block: what it would have reported was checked where that was decided.
    pub(super) fn settle_checks(&mut self, block: &Block, decided: &[Term]) {
        let properties = self.facts.properties;
        let is_check =
            |op: &StepOp| matches!(op, StepOp::Plain(Op::Violation { property, .. }) if properties.contains(*property));
        if !self.is_probe() && block.steps.iter().any(|step| is_check(&step.op)) {
            decided.iter().for_each(|decided| self.record.settle(*decided));
        }
    }

    /// The thread goes no further, because of something that the formula does not follow. Others do: see
    /// [`selvedge_bound::bounded`].
    pub(super) fn end_unsupported(&mut self, what: &str) {
        if self.is_probe() || self.here.inside != Inside::Nothing {
            self.obstacle(what);
            return;
        }
        let fine = self.terms.not(self.violated);
        let when = self.terms.and(self.here.active, fine);
        if when != Terms::FALSE {
            self.record.doubts.push(Obstacle { when, what: what.to_string(), loc: self.here.origin.user });
        }
        self.stop_unless(Terms::FALSE);
    }

    /// A bound ends the run here. If it does so inside a section, nobody else may see what the section has done
    /// so far: such runs are left out like those that meet an obstacle. In others the thread stays before the section.
    pub(super) fn cut(&mut self) {
        let block = &self.bounded().threads[self.here.thread].blocks[self.here.block];
        let inside = self.points.inside(self.here.block, block.steps.len());
        if inside == Inside::Nothing {
            self.record.cuts.push(self.here.active);
        } else {
            let fine = self.terms.not(self.violated);
            let when = self.terms.and(self.here.active, fine);
            self.record.section_cuts.push(when);
        }
    }
}
