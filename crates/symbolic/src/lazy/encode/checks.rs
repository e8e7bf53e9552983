//! What may go wrong, what a run may not do, and what is left out.
//!
//! A check is a condition under which the program is wrong at this place. Where a property is not checked,
//! the run ends there silently. What the formula does not follow is an obstacle.

use super::{Encoder, Inside, Mode, Record, What};
use selvedge_bound::{Block, StepOp};
use selvedge_formula::{Term, Terms};
use selvedge_program::{Loc, Op, Property};

/// Something that may be wrong.
#[derive(Clone, Debug)]
pub struct Check {
    pub condition: Term,
    /// Does a run get here at all?
    pub reached: Term,
    pub property: Property,
    pub text: String,
    pub loc: Loc,
}

/// Something that the formula leaves out.
#[derive(Clone, Debug)]
pub struct Obstacle {
    pub when: Term,
    pub what: String,
    pub loc: Loc,
}

impl Encoder<'_> {
    /// The program is wrong if this holds here; where that is not checked, the run ends silently.
    pub(super) fn check(&mut self, property: Property, text: &str, wrong: Term) {
        if !self.properties.contains(property) {
            let fine = self.terms.not(wrong);
            self.assume(fine);
            return;
        }
        self.check_that(property, text, wrong);
    }

    /// The same of something that changes with memory: what counts is how it is when the step is executed.
    pub(super) fn check_now(&mut self, property: Property, text: &str, wrong: Term) {
        if !self.properties.contains(property) {
            let fine = self.when_executed(wrong);
            self.assume(fine);
            return;
        }
        self.check_that(property, text, wrong);
    }

    /// That it does not fail in this turn, and did not in an earlier one.
    pub(super) fn when_executed(&mut self, wrong: Term) -> Term {
        let fails = self.terms.and(self.here.active, wrong);
        let key = (self.here.thread, self.here.block, self.here.step as u32);
        let before = self.failed.get(&key).copied().unwrap_or(Terms::FALSE);
        let fails = self.terms.or(before, fails);
        if self.mode == Mode::Run {
            self.failed.insert(key, fails);
        }
        self.terms.not(fails)
    }

    pub(super) fn check_that(&mut self, property: Property, text: &str, wrong: Term) {
        if self.mode == Mode::Probe {
            let fine = self.terms.not(wrong);
            self.here.active = self.terms.and(self.here.active, fine);
            return;
        }
        // What is wrong without a condition was decided by the branch that led here.
        let reached = if wrong == Terms::TRUE { self.here.decided } else { self.here.active };
        let condition = self.terms.and(self.here.active, wrong);
        if condition == Terms::FALSE {
            self.settle(reached);
            return;
        }
        let check = Check { condition, reached, property, text: text.to_string(), loc: self.here.origin.user };
        self.checks.push(check);
        self.violated = self.terms.or(self.violated, condition);
        self.log.push(Record { thread: self.here.thread, when: condition, what: What::Check(self.checks.len() - 1) });
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
        if self.mode == Mode::Probe {
            let not = self.terms.not(condition);
            self.here.active = self.terms.and(self.here.active, not);
            self.doubt(when, what);
            return;
        }
        let fine = self.terms.not(self.violated);
        let when = self.terms.and(when, fine);
        self.obstacles.push(Obstacle { when, what: what.to_string(), loc: self.here.origin.user });
    }

    /// The step is only taken if the condition holds: the thread waits in front of its segment. Behind a
    /// violation, which shares its segment with what follows, that is no longer asked.
    pub(super) fn require(&mut self, condition: Term) {
        let not_taken = self.terms.not(self.here.active);
        let excused = self.terms.or(not_taken, self.violated);
        let holds = self.terms.or(excused, condition);
        if holds != Terms::TRUE {
            self.constraints.push(holds);
        }
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
        if self.mode == Mode::Probe {
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
                self.log[index].when = self.terms.and(self.log[index].when, not);
                let since = self.log[index + 1..].iter();
                let created = since.filter_map(|record| match record.what {
                    What::Spawn { thread } => Some(thread),
                    What::Step | What::Input { .. } | What::Create { .. } | What::Check(_) => None,
                });
                for thread in created.collect::<Vec<_>>() {
                    self.threads[thread].created = self.terms.and(self.threads[thread].created, not);
                }
            }
            None => self.obstacle_if(when, "a section that is begun in several places and cannot be completed"),
        }
    }

    /// Something was checked, and was found to be fine at once, by whoever gets here.
    pub(super) fn settle(&mut self, reached: Term) {
        if self.mode == Mode::Run && reached != Terms::FALSE && self.settled.last() != Some(&reached) {
            self.settled.push(reached);
        }
    }

    /// Something was checked in the block that we are in, and constants prove that it is fine.
    pub(super) fn settle_proved(&mut self, block: &Block) {
        if block.proved.overlap(self.properties) {
            self.settle(self.here.active);
        }
    }

    /// No run gets to the block: what it would have reported was checked where that was decided.
    pub(super) fn settle_checks(&mut self, block: &Block, decided: &[Term]) {
        let is_check = |op: &StepOp| match op {
            StepOp::Plain(Op::Violation { property, .. }) => self.properties.contains(*property),
            _ => false,
        };
        if block.steps.iter().any(|step| is_check(&step.op)) {
            decided.iter().for_each(|decided| self.settle(*decided));
        }
    }

    /// The thread goes no further, because of something that the formula does not follow. Others do: see
    /// [`selvedge_bound::bounded`].
    pub(super) fn end_unsupported(&mut self, what: &str) {
        if self.mode == Mode::Probe || self.here.inside != Inside::Nothing {
            self.obstacle(what);
            return;
        }
        let fine = self.terms.not(self.violated);
        let when = self.terms.and(self.here.active, fine);
        if when != Terms::FALSE {
            self.doubts.push(Obstacle { when, what: what.to_string(), loc: self.here.origin.user });
        }
        self.stop_unless(Terms::FALSE);
    }

    /// A bound ends the run here. If it does so inside a section, nobody else may see what the section has done
    /// so far: such runs are left out like those that meet an obstacle. In others the thread stays before the section.
    pub(super) fn cut(&mut self) {
        let block = &self.bounded.threads[self.here.thread].blocks[self.here.block];
        let inside = self.threads[self.here.thread].points.inside(self.here.block, block.steps.len());
        if inside == Inside::Nothing {
            self.cuts.push(self.here.active);
        } else {
            let fine = self.terms.not(self.violated);
            let when = self.terms.and(self.here.active, fine);
            self.section_cuts.push(when);
        }
    }
}
