//! Probes: does a thread wait where it stands, and for whom? Or what would it access next (`races.rs`)?
//!
//! Its next steps are encoded on a copy of the memory, and then forgotten. A thread waits if it cannot complete its
//! next section. It may fail rather than wait; that violation belongs to the next round.
//!
//! Whether it waits may depend on what uninitialised objects hold. Those that it makes on its way to the section hold
//! it for good: a run in which it waits for ever tells of them. Those that the section itself makes hold something else
//! whenever it is tried again, as if they were inputs.

use super::Encoder;
use super::memory::Uninitialised;
use super::races::Next;
use super::record::{Event, EventKind, Obstacle};
use super::walk::{Here, Mode, Walk};
use selvedge_analyze::points::Inside;
use selvedge_formula::{Term, Terms};
use selvedge_program::{GlobalId, Operand, Property};

/// If this holds, a thread waits for the one with this number.
#[derive(Clone, Copy)]
pub struct WaitsFor {
    pub when: Term,
    pub whom: Term,
}

/// A section says whom it waits for, before it is known whether it waits.
pub(super) struct Announced {
    section: Option<usize>,
    waits_for: WaitsFor,
}

/// A value that a section is given anew whenever it is tried.
#[derive(Clone, Copy)]
enum Given {
    Input(Term),
    /// The contents of an object of its own.
    Object(GlobalId),
}

/// The result of probing a thread.
pub(super) struct Probe {
    /// It cannot complete its next section.
    pub waits: Term,
    /// There is no telling whether it can, nor whom it waits for.
    pub unknown: Term,
    /// The threads that it waits for.
    pub waits_for: Vec<WaitsFor>,
    /// Obstacles because of which it cannot be told whether it waits.
    pub doubts: Vec<Obstacle>,
    /// The objects that the thread makes before its next section.
    pub made: Vec<Event>,
    /// By section.
    given: Vec<(Option<usize>, Given)>,
    /// The first access; only where races are asked about.
    pub next: Option<Next>,
}

impl Default for Probe {
    /// It does not wait.
    fn default() -> Probe {
        let (waits_for, doubts, made, given) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Probe { waits: Terms::FALSE, unknown: Terms::FALSE, waits_for, doubts, made, given, next: None }
    }
}

impl Probe {
    pub fn for_races() -> Probe {
        Probe { next: Some(Next::default()), ..Probe::default() }
    }

    /// If this holds, it cannot be told whether the thread waits, and for whom.
    pub fn doubt(&mut self, terms: &mut Terms, doubt: Obstacle) {
        self.unknown = terms.or(self.unknown, doubt.when);
        self.doubts.push(doubt);
    }

    /// A section was given an input. If it waits, it can be tried again, and be given another one.
    pub fn input(&mut self, section: Option<usize>, input: Term) {
        self.given.push((section, Given::Input(input)));
    }

    /// An object begins to exist in a section, or before it.
    fn make(&mut self, section: Option<usize>, inside: Inside, made: Event, object: GlobalId) {
        match inside {
            Inside::Nothing => self.made.push(made),
            Inside::Section | Inside::HiddenSection => self.given.push((section, Given::Object(object))),
        }
    }

    /// A section waits if this holds, unless that depends on what it was given.
    fn wait(
        &mut self,
        terms: &mut Terms,
        uninitialised: &[Uninitialised],
        section: Option<usize>,
        blocked: Term,
    ) -> Result<(), Unclear> {
        let is_here = |other: Option<usize>| section.is_none() || other.is_none() || other == section;
        let held = |object: GlobalId| uninitialised.iter().filter(move |bytes| bytes.object == object);
        let given = self.given.iter().filter(|(at, _)| is_here(*at)).flat_map(|(_, given)| match *given {
            Given::Input(input) => vec![input],
            Given::Object(object) => held(object).map(|bytes| bytes.value).collect(),
        });
        let given: Vec<Term> = given.collect();
        let depends = blocked != Terms::FALSE
            && !given.is_empty()
            && terms.cone([blocked]).iter().any(|part| given.contains(part));
        if depends {
            return Err(Unclear);
        }
        self.waits = terms.or(self.waits, blocked);
        Ok(())
    }
}

/// A section waits for what depends on an input of its own.
struct Unclear;

impl Encoder<'_> {
    /// Probes a thread by a walk, of which only the result is kept.
    pub(super) fn probe(
        &mut self,
        thread: usize,
        mut probe: Probe,
        walk_along: impl FnOnce(&mut Walk<'_, '_>),
    ) -> Probe {
        let objects = self.memory.objects();
        self.buffers.drain(&mut self.terms, &mut self.memory, thread);
        walk_along(&mut self.walk(thread, Mode::Probe(&mut probe)));
        self.memory.set_objects(&objects);
        probe
    }
}

impl Walk<'_, '_> {
    /// An object begins to exist, in its window of the address space.
    pub(super) fn make(&mut self, object: GlobalId) {
        let kind = EventKind::Create { object, window: self.memory.pointers.number(object) };
        let Here { thread, inside, section, active: when, .. } = self.here;
        match &mut self.mode {
            Mode::Probe(probe) if when != Terms::FALSE => {
                probe.make(section, inside, Event { thread, when, kind }, object);
            }
            Mode::Probe(_) | Mode::Round(_) | Mode::Segment(..) => self.happens(kind),
        }
    }

    /// A section says whom it waits for, if it has to wait next.
    pub(super) fn announce(&mut self, whom: Operand) {
        let is_nested = self.points.is_nested(self.here.block, self.here.step);
        let matters = !is_nested && (self.is_probe() || self.here.inside != Inside::Section);
        if matters && self.here.active != Terms::FALSE && self.facts.properties.contains(Property::Deadlock) {
            let waits_for = WaitsFor { when: self.here.active, whom: self.value(whom) };
            self.announced.push(Announced { section: self.here.section, waits_for });
        }
    }

    /// Blocking undoes a section, which is to say that the thread waits in front of it.
    pub(super) fn block_until(&mut self, condition: Term) {
        let not = self.terms.not(condition);
        let blocked = self.terms.and(self.here.active, not);
        let waits_for = self.announced_if(blocked);
        if let Mode::Probe(probe) = &mut self.mode {
            if let Err(Unclear) = probe.wait(self.terms, self.memory.uninitialised(), self.here.section, blocked) {
                let what = "a section that waits for what depends on an input of its own".to_string();
                probe.doubts.push(Obstacle { when: blocked, what, loc: self.here.origin.user });
            }
            probe.waits_for.extend(waits_for);
            self.here.active = self.terms.and(self.here.active, condition);
            return;
        }
        if self.here.inside == Inside::Section {
            self.require(condition);
            return;
        }
        // No other thread can change what it waits for.
        self.take_back_section(blocked);
        let life = &mut self.process.threads[self.here.thread];
        life.stuck = self.terms.or(life.stuck, blocked);
        life.stuck_for.extend(waits_for);
        self.stop_unless(condition);
    }

    /// A section waits if this holds: then for whom. What was announced on the way here has been used.
    fn announced_if(&mut self, blocked: Term) -> Vec<WaitsFor> {
        let mut all = Vec::new();
        let goes_on = self.terms.not(self.here.active);
        for mut announced in std::mem::take(&mut self.announced) {
            let WaitsFor { when, whom } = announced.waits_for;
            if announced.section == self.here.section {
                let waits = self.terms.and(when, blocked);
                if waits != Terms::FALSE {
                    all.push(WaitsFor { when: waits, whom });
                }
                announced.waits_for.when = self.terms.and(when, goes_on);
            }
            if announced.waits_for.when != Terms::FALSE {
                self.announced.push(announced);
            }
        }
        all
    }
}
