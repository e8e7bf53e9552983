//! Data races: two threads that stand before accesses that race ([`selvedge_program::races`], where it is argued that
//! such states are all that has to be looked for).
//!
//! As for deadlocks, each thread stands before one of its points, and is probed there on its own (`probe.rs`): from the
//! point to the first step that others can notice, of which the accesses are kept. If that is a section, they are those
//! of the whole section; they count even if it turns out that it waits.
//!
//! Accesses that are no points are left out: nobody can be about to make a conflicting one at the same time, for the
//! two are ordered by creation and join, or under a common lock ([`selvedge_analyze::Interference`]).

use super::Encoder;
use super::address::Candidate;
use super::probe::Probe;
use super::record::{Check, Event, EventKind};
use super::steps::counts;
use super::walk::{Mode, Walk};
use selvedge_analyze::points::Inside;
use selvedge_bound::{ObjectKind, StepOp};
use selvedge_formula::{Term, Terms};
use selvedge_program::{Accesses, DataAccess, GlobalId, Intrinsic, Loc, Origin, Property};
use std::collections::BTreeMap;

/// Accesses that a thread is about to make, joined if they are alike, each with its condition.
#[derive(Default)]
pub(super) struct Next {
    accesses: BTreeMap<Place, (Term, Loc)>,
    /// Steps on the way to them.
    steps: Vec<Event>,
}

/// Some bytes, and how they are accessed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    object: GlobalId,
    at: u32,
    bytes: u32,
    writes: bool,
    atomic: bool,
}

impl Place {
    fn races_with(&self, other: &Place) -> bool {
        let access = |place: &Place| DataAccess { writes: place.writes, atomic: place.atomic };
        let meets = self.at < other.at.saturating_add(other.bytes) && other.at < self.at.saturating_add(self.bytes);
        self.object == other.object && meets && access(self).races_with(access(other))
    }
}

impl Encoder<'_> {
    /// Adds a check: two threads are about to race where they stand now. `probe`: completes the probe of a thread.
    pub(super) fn races(&mut self, mut probe: impl FnMut(&mut Self, usize, Probe) -> Probe) {
        if !self.facts.properties.contains(Property::Race) {
            return;
        }
        let running = self.terms.not(self.process.exited);
        let mut threads: Vec<(usize, Next, Vec<Event>)> = Vec::new();
        for number in 0..self.process.threads.len() {
            let created = self.process.threads[number].created;
            if created == Terms::FALSE {
                continue;
            }
            let probe = probe(self, number, Probe::for_races());
            let exists = self.terms.and(created, running);
            for mut doubt in probe.doubts {
                doubt.when = self.terms.and(doubt.when, exists);
                self.record.doubts.push(doubt);
            }
            let mut next = probe.next.unwrap_or_default();
            for (when, _) in next.accesses.values_mut() {
                *when = self.terms.and(*when, exists);
            }
            threads.push((number, next, probe.made));
        }
        for (index, (first, next, made)) in threads.iter().enumerate() {
            for (second, other, also_made) in &threads[index + 1..] {
                let Some((condition, loc)) = self.race_between(next, other) else { continue };
                let text = "two threads race".to_string();
                let check = Check { condition, reached: Terms::TRUE, property: Property::Race, text, loc };
                let kind = self.record.check(check);
                let on_the_way = next.steps.iter().chain(made).chain(&other.steps).chain(also_made);
                for event in on_the_way {
                    let when = self.terms.and(condition, event.when);
                    self.record.events.push(Event { when, ..*event });
                }
                let both = [*first, *second].map(|thread| Event { thread, when: condition, kind });
                self.record.events.extend(both);
            }
        }
        self.record.settle(Terms::TRUE);
    }

    /// When two threads are about to race, and where the second is then, as far as one place can be named.
    fn race_between(&mut self, one: &Next, other: &Next) -> Option<(Term, Loc)> {
        let (mut condition, mut at) = (Terms::FALSE, None);
        for (place, (when, _)) in &one.accesses {
            let from = Place { at: 0, bytes: 0, writes: false, atomic: false, ..*place };
            let same_object = other.accesses.range(from..).take_while(|(theirs, _)| theirs.object == place.object);
            for (_, (also, loc)) in same_object.filter(|(theirs, _)| place.races_with(theirs)) {
                let both = self.terms.and(*when, *also);
                if both != Terms::FALSE {
                    condition = self.terms.or(condition, both);
                    at.get_or_insert(*loc);
                }
            }
        }
        at.map(|loc| (condition, loc))
    }
}

impl Walk<'_, '_> {
    /// The running step accesses these, if it is executed and `only_if` holds.
    pub(super) fn is_about_to(&mut self, candidates: &[Candidate], bytes: u32, writes: bool, only_if: Term) {
        if !self.looks_for_races() || self.here.active == Terms::FALSE {
            return;
        }
        let step = &self.bounded().threads[self.here.thread].blocks[self.here.block].steps[self.here.step];
        let accesses = match &step.op {
            StepOp::Plain(op) => op.data_access(),
            StepOp::Create { .. } | StepOp::End { .. } | StepOp::Spawn { .. } | StepOp::Finish { .. } => Accesses::None,
        };
        let is_counted = match self.here.inside {
            Inside::Nothing => self.facts.interference.visible(self.here.thread, self.here.block, self.here.step),
            Inside::Section => true,
            Inside::HiddenSection => false,
        };
        if accesses == Accesses::None || !is_counted {
            return;
        }
        let atomic = accesses == Accesses::Atomic || self.here.inside != Inside::Nothing;
        for Candidate { object, at, when } in candidates {
            if !self.may_race_in(*object) {
                continue;
            }
            let when = self.terms.and(*when, self.here.active);
            let when = self.terms.and(when, only_if);
            let place = Place { object: *object, at: *at, bytes, writes, atomic };
            let Mode::Probe(Probe { next: Some(next), .. }) = &mut self.mode else { return };
            let known = next.accesses.entry(place).or_insert((Terms::FALSE, self.here.origin.user));
            known.0 = self.terms.or(known.0, when);
        }
    }

    /// The whole object is about to be freed.
    pub(super) fn is_about_to_free(&mut self, object: GlobalId, when: Term) {
        let whole = u32::try_from(self.bounded().objects[object].size).unwrap_or(u32::MAX).max(1);
        self.is_about_to(&[Candidate { object, at: 0, when }], whole, true, Terms::TRUE);
    }

    fn looks_for_races(&self) -> bool {
        matches!(&self.mode, Mode::Probe(Probe { next: Some(_), .. }))
    }

    /// Not what models keep for themselves, and not what the user does not want to hear of.
    fn may_race_in(&self, object: GlobalId) -> bool {
        let program = self.bounded().program;
        let variable = match self.bounded().objects[object].kind {
            ObjectKind::Global => Some(object),
            ObjectKind::ThreadLocal { of, .. } => Some(of),
            ObjectKind::Stack | ObjectKind::Heap => None,
        };
        let variable = variable.map(|variable| &program.globals[variable]);
        variable.is_none_or(|variable| variable.origin == Origin::User)
            && !program.ignores_race(None, variable.map(|variable| variable.name.as_str()), self.here.origin.user)
    }

    /// A probe for races goes no further than the first step that others can notice.
    pub(super) fn stop_behind_first_access(&mut self, op: &StepOp) {
        if !self.looks_for_races() || self.here.active == Terms::FALSE {
            return;
        }
        let (thread, block, step) = (self.here.thread, self.here.block, self.here.step);
        let ends_section =
            self.here.inside == Inside::Section && self.points.inside(block, step + 1) != Inside::Section;
        let visible = self.facts.interference.visible(thread, block, step);
        let is_noticed = self.here.inside == Inside::Nothing && visible;
        if is_noticed || ends_section {
            self.here.active = Terms::FALSE;
            return;
        }
        let begins_section = self.points.is_outermost(block, step) && op.is(Intrinsic::AtomicBegin);
        let is_step = match self.here.inside {
            Inside::Nothing => counts(op),
            Inside::HiddenSection => begins_section,
            Inside::Section => false,
        };
        if is_step {
            let event = Event { thread, when: self.here.active, kind: EventKind::Step };
            let Mode::Probe(Probe { next: Some(next), .. }) = &mut self.mode else { return };
            next.steps.push(event);
        }
    }
}
