//! The iteration for large systems: no state is compared with any other thread's.
//!
//! A thread keeps to itself what it knows of shared variables that nobody else can write just now, because the others'
//! steps need a lock that it holds, or a thread that does not exist or has ended. What it knows of all others is in
//! common facts (`common`), to which every step contributes and which every step may use. So the work grows with the
//! number of steps, not with its square. (Protection-based reading and lock meet: Schwarz and others, SAS 2021. Who may
//! write when is not found by locksets, but by states that contradict each other.)

use super::Precision;
use super::affine::Linear;
use super::common::{Common, can_meet};
use super::fixpoint::{OfTemplate, first_states, thresholds};
use super::partition::{Class, Key, Variable, conditions, partition};
use super::state::State;
use super::transfer::step;
use super::value::Value;
use crate::invariant::At;
use crate::live::live_locals;
use crate::system::{LocationId, LocationKind, System, TemplateId};
use cranelift_entity::{EntityRef, PrimaryMap};
use hashbrown::HashMap;
use selvedge_engine::Control;
use std::collections::{BTreeMap, BTreeSet};

/// Changes of a state before it is widened: at the head of a loop, and elsewhere; and after which thresholds are no
/// longer used: so many, and more for each slot.
const DELAY: (u32, u32) = (3, 8);
const MOST_WITH_THRESHOLDS: (u32, usize) = (40, 4);

/// Steps after which it is seen what states may rely on.
const SETTLE: usize = 400;

#[derive(Clone)]
struct Entry {
    state: State,
    changes: u32,
}

/// A step that others may notice.
#[derive(Clone, PartialEq)]
struct Writer {
    /// The knowledge of its thread about shared control variables and truth values when it takes the step.
    knows: Vec<(u32, Known)>,
    /// What its thread knows of the new values.
    writes: Vec<(u32, Known)>,
}

impl Writer {
    /// The control variables that hold its thread's number, and what is added to it.
    fn owns(&self) -> impl Iterator<Item = (u32, u128)> {
        self.knows.iter().filter_map(|(slot, known)| Some((*slot, known.mine?)))
    }

    /// Either. Returns whether that is something new.
    fn join(&mut self, other: &Writer) -> bool {
        let mut news = false;
        self.knows.retain_mut(|(slot, known)| {
            let others = other.knows.iter().find(|(other, _)| other == slot);
            let joined = others.map_or(Value::any(known.value.bits()), |(_, others)| known.value.join(&others.value));
            news |= !joined.is_within(&known.value);
            known.value = joined;
            known.mine.is_some() || !known.value.is_any()
        });
        for ((_, known), (_, others)) in self.writes.iter_mut().zip(&other.writes) {
            let mine = known.mine.filter(|mine| others.mine == Some(*mine));
            news |= !others.value.is_within(&known.value) || mine != known.mine;
            *known = Known { value: known.value.join(&others.value), mine };
        }
        news
    }
}

/// The knowledge of a thread about a control variable.
#[derive(Clone, PartialEq)]
struct Known {
    value: Value,
    /// It is the thread's number, plus this.
    mine: Option<u128>,
}

pub struct Modular<'a> {
    system: &'a System,
    precision: Precision,
    templates: PrimaryMap<TemplateId, OfTemplate>,
    thresholds: Vec<i128>,
    /// For each location, which slots matter there.
    live: HashMap<At, Vec<bool>>,
    cases: BTreeMap<At, BTreeMap<Key, Entry>>,
    /// Control variables that are no longer kept apart at a location.
    dropped: BTreeMap<At, BTreeSet<usize>>,
    reached: BTreeSet<At>,
    waiting: BTreeSet<(At, Key)>,
    /// By whose step it is: a location, and a number among its template's edges.
    writers: BTreeMap<(At, usize), Vec<Writer>>,
    pub common: Common,
    changes: usize,
}

/// The successors of a state.
#[derive(Default)]
struct Steps {
    arrivals: Vec<(At, State)>,
    writers: Vec<((At, usize), Writer)>,
}

impl<'a> Modular<'a> {
    pub fn new(system: &'a System, precision: Precision) -> Modular<'a> {
        let templates = OfTemplate::all(system);
        let controls = templates.values().flat_map(|template| &template.controls);
        let shared: Vec<_> = system.shared.values().map(|variable| variable.copies[0]).collect();
        let conditions = conditions(system, controls, &shared);
        let live = live_slots(system, &templates);
        Modular {
            system,
            precision,
            thresholds: thresholds(system),
            live,
            cases: BTreeMap::new(),
            dropped: BTreeMap::new(),
            reached: BTreeSet::new(),
            waiting: BTreeSet::new(),
            writers: BTreeMap::new(),
            common: Common::new(system, conditions),
            changes: 0,
            templates,
        }
    }

    pub fn changes(&self) -> usize {
        self.changes
    }

    pub fn frames(&self) -> PrimaryMap<TemplateId, super::frame::Frame> {
        self.templates.values().map(|template| template.frame.clone()).collect()
    }

    /// The states of each location that is reached; none for ends and errors.
    pub fn found(&self) -> Vec<(At, Vec<State>)> {
        let states = |cases: &BTreeMap<Key, Entry>| cases.values().map(|entry| entry.state.clone()).collect();
        let running = self.cases.iter().filter(|(_, cases)| !cases.is_empty()).map(|(at, cases)| (*at, states(cases)));
        running.chain(self.reached.iter().map(|at| (*at, Vec::new()))).collect()
    }

    /// `None`: stopped.
    pub fn run(&mut self, control: &Control) -> Option<()> {
        for state in first_states(self.system, &self.templates, self.precision.splits) {
            self.contribute(&state);
            self.arrive((self.system.main, LocationId::new(0)), state);
        }
        loop {
            let before = (self.changes, self.common.version);
            let mut taken = 0;
            while let Some((at, key)) = self.waiting.pop_first() {
                self.within(control)?;
                // The sooner states rely on no more than they may, the fewer there are.
                taken += 1;
                if taken % SETTLE == 0 {
                    self.settle();
                }
                if let Some(entry) = self.cases.get(&at).and_then(|cases| cases.get(&key)) {
                    let state = entry.state.clone();
                    let steps = self.steps(at, &state);
                    self.take(steps);
                }
            }
            self.settle();
            if before == (self.changes, self.common.version) {
                break;
            }
            let all = self.cases.iter().flat_map(|(at, cases)| cases.keys().map(|key| (*at, key.clone())));
            self.waiting = all.collect();
        }
        for _ in 0..self.precision.narrowings {
            if !self.descend(control)? {
                break;
            }
        }
        Some(())
    }

    fn within(&self, control: &Control) -> Option<()> {
        (!control.is_over() && self.changes + self.common.version < self.precision.changes).then_some(())
    }

    fn take(&mut self, steps: Steps) {
        for (at, writer) in steps.writers {
            let known = self.writers.entry(at).or_default();
            match known.iter_mut().find(|known| known.owns().eq(writer.owns())) {
                Some(known) => {
                    if !known.join(&writer) {
                        continue;
                    }
                }
                None => known.push(writer),
            }
            self.changes += 1;
        }
        for (at, state) in steps.arrivals {
            self.arrive(at, state);
        }
    }

    fn goes_on(&self, at: At) -> bool {
        match self.system.templates[at.0].locations[at.1].kind {
            LocationKind::Running | LocationKind::Ended => true,
            LocationKind::ProcessEnded | LocationKind::Error { .. } | LocationKind::Unchecked { .. } => false,
        }
    }

    /// Where a thread's own steps lead, and the threads that it creates. Contributes to the common facts.
    fn steps(&mut self, at: At, state: &State) -> Steps {
        let mut all = Steps::default();
        for edge in 0..self.templates[at.0].blocks.len() {
            let (from, to, _) = self.templates[at.0].blocks[edge];
            if from != at.1 {
                continue;
            }
            let to = (at.0, to);
            let goes_on = self.goes_on(to);
            let taken = self.step(at, edge, state);
            let writes = self.templates[at.0].blocks[edge].2.writes.clone();
            let mut open: BTreeSet<usize> = BTreeSet::new();
            for stepped in taken {
                if goes_on && !writes.is_empty() {
                    all.writers.push(((at, edge), self.writer(at.0, &writes, &stepped.before, &stepped.after)));
                    self.contribute_always(&stepped.after);
                    for fact in 1..self.common.len() {
                        let Some((slot, value)) = self.common.condition(fact) else { continue };
                        if !stepped.after.value(slot).contains(value) {
                            continue;
                        }
                        let is_written = writes.contains(&(slot as usize));
                        // Common facts say nothing about the time before there were others.
                        let is_first = !self.common.has_others(&stepped.before);
                        if is_written || is_first || stepped.before.value(slot).single() == Some(value) {
                            self.contribute_to(fact, &stepped.after);
                        } else if writes.iter().any(|written| self.common.says_more(fact, *written as u32)) {
                            open.insert(fact);
                        }
                    }
                }
                let first = |id: TemplateId| (id, LocationId::new(0));
                all.arrivals.extend(stepped.created.into_iter().map(|(id, state)| (first(id), state)));
                all.arrivals.push((to, stepped.after));
            }
            // Where the thread does not know whether a condition holds, what it does is looked at again where it does.
            for fact in open {
                let Some((slot, value)) = self.common.condition(fact) else { continue };
                let mut given = state.clone();
                let value = Value::exactly(given.bits(slot), value);
                if given.restrict(slot, &value).is_ok() && given.normalise().is_ok() {
                    for stepped in self.step(at, edge, &given) {
                        self.contribute_to(fact, &stepped.after);
                    }
                }
            }
        }
        all
    }

    fn step(&self, at: At, edge: usize, state: &State) -> Vec<super::transfer::Stepped> {
        let template = &self.templates[at.0];
        let of = |id: TemplateId| self.templates[id].frame.clone();
        let block = &template.blocks[edge].2;
        step(&self.system.terms, block, &template.frame, &of, (state, Some(&self.common)), self.precision.splits)
    }

    fn contribute(&mut self, state: &State) {
        self.contribute_always(state);
        for fact in 1..self.common.len() {
            self.contribute_to(fact, state);
        }
    }

    fn contribute_always(&mut self, state: &State) {
        self.contribute_to(0, state);
    }

    fn contribute_to(&mut self, fact: usize, state: &State) {
        if self.common.may_have_others(state)
            && let Some(part) = self.common.part(fact, state)
        {
            self.common.arrive(fact, part, &self.thresholds);
        }
    }

    fn writer(&self, template: TemplateId, writes: &[usize], before: &State, after: &State) -> Writer {
        let controls = &self.templates[template].controls;
        let mut knows = Vec::new();
        for slot in 0..self.system.shared.len() as u32 {
            // Truth values also tell which threads there are.
            let is_of_interest = before.bits(slot) == 1 || controls.iter().any(|control| control.slot == slot);
            let known = self.known(template, before, slot);
            if is_of_interest && (known.mine.is_some() || !known.value.is_any()) {
                knows.push((slot, known));
            }
        }
        let writes = writes.iter().map(|slot| (*slot as u32, self.known(template, after, *slot as u32))).collect();
        Writer { knows, writes }
    }

    fn known(&self, template: TemplateId, state: &State, slot: u32) -> Known {
        let controls = &self.templates[template].controls;
        let owner = controls.iter().find(|control| control.slot == slot).and_then(|control| control.owner);
        let is_mine = |owner: &(u32, u128)| state.are_equal(&state.linear(slot), &own(state, slot, *owner));
        let mine = owner.filter(is_mine).map(|(_, offset)| offset);
        Known { value: state.value(slot).clone(), mine }
    }

    /// Forgets what a thread in this state cannot rely on, because others may change it.
    fn stabilise(&self, template: TemplateId, mut state: State) -> State {
        let shared = self.system.shared.len() as u32;
        let apart = self.words_of_others(template, &state);
        loop {
            let relied: Vec<u32> = (0..shared).filter(|slot| !state.is_free(*slot)).collect();
            let knows: HashMap<u32, Known> =
                relied.iter().map(|slot| (*slot, self.known(template, &state, *slot))).collect();
            let mut exposed: BTreeSet<u32> = BTreeSet::new();
            for (&(by, _), writers) in &self.writers {
                if !can_meet(self.system, template, by.0) {
                    continue;
                }
                for writer in writers {
                    let harms = |(slot, new): &(u32, Known)| {
                        !exposed.contains(slot)
                            && knows.contains_key(slot)
                            && (state.is_related(*slot) || !new.value.is_within(state.value(*slot)))
                    };
                    if writer.writes.iter().any(harms) && !excludes(&knows, writer) {
                        let harmed: Vec<u32> = writer.writes.iter().filter(|w| harms(w)).map(|w| w.0).collect();
                        exposed.extend(harmed);
                    }
                }
            }
            if exposed.is_empty() {
                break;
            }
            let kept = |slot: u32| (!exposed.contains(&slot)).then_some(slot);
            state = state.renamed(&kept, self.templates[template].frame.widths());
        }
        for (slot, owner) in apart {
            if state.is_free(slot) && self.stays_apart(template, &state, slot, owner) {
                // It was so before.
                let _ = state.assume_apart(slot, owner.0, owner.1);
            }
        }
        state
    }

    /// Words with thread numbers that do not hold this thread's.
    fn words_of_others(&self, template: TemplateId, state: &State) -> Vec<(u32, (u32, u128))> {
        let words = self.templates[template].controls.iter().filter_map(|control| Some((control.slot, control.owner?)));
        let shared = words.filter(|(slot, _)| (*slot as usize) < self.system.shared.len());
        shared.filter(|(slot, owner)| state.are_distinct(&state.linear(*slot), &own(state, *slot, *owner))).collect()
    }

    /// Nobody writes this thread's number into a word: others write their own, or something that is no thread's.
    fn stays_apart(&self, template: TemplateId, state: &State, slot: u32, owner: (u32, u128)) -> bool {
        let knows: HashMap<u32, Known> = (0..self.system.shared.len() as u32)
            .filter(|slot| !state.is_free(*slot))
            .map(|slot| (slot, self.known(template, state, slot)))
            .collect();
        let numbers = own(state, slot, owner).value(&state.values);
        let others = self.writers.iter().filter(|((by, _), _)| can_meet(self.system, template, by.0));
        let mut steps = others.flat_map(|(_, writers)| writers).filter(|writer| !excludes(&knows, writer));
        let keeps = |new: &Known| new.mine == Some(owner.1) || new.value.meet(&numbers).is_none();
        steps.all(|writer| writer.writes.iter().all(|(written, new)| *written != slot || keeps(new)))
    }

    fn parts(&mut self, at: At, state: State) -> Vec<(Key, State)> {
        let template = &self.templates[at.0];
        let dropped = self.dropped.get(&at);
        let is_kept = |position: usize| dropped.is_none_or(|dropped| !dropped.contains(&position));
        let known = |(position, control): (usize, &Variable)| is_kept(position) && !state.is_open(control.slot);
        let wanted: Vec<bool> = template.controls.iter().enumerate().map(known).collect();
        let (parts, given_up) =
            partition(state, &template.controls, &|position| wanted[position], self.precision.cases);
        given_up.into_iter().for_each(|control| self.drop_control(at, control));
        parts
    }

    /// The part of a state that is of interest at a location, and can be relied on.
    fn settled(&self, at: At, state: &State) -> Option<State> {
        let live = &self.live[&at];
        let kept = |slot: u32| live[slot as usize].then_some(slot);
        let mut state = state.renamed(&kept, self.templates[at.0].frame.widths());
        state.normalise().ok()?;
        Some(self.stabilise(at.0, state))
    }

    fn arrive(&mut self, at: At, state: State) {
        if self.system.templates[at.0].locations[at.1].kind != LocationKind::Running {
            if self.reached.insert(at) {
                self.changes += 1;
            }
            return;
        }
        let Some(state) = self.settled(at, &state) else { return };
        for (key, part) in self.parts(at, state) {
            self.arrive_part(at, key, part, 0);
        }
        self.merge_if_many(at);
    }

    fn arrive_part(&mut self, at: At, key: Key, part: State, changes: u32) {
        let is_head = self.templates[at.0].heads.contains(&at.1);
        let most = MOST_WITH_THRESHOLDS.0 + (MOST_WITH_THRESHOLDS.1 * part.values.len()) as u32;
        let cases = self.cases.entry(at).or_default();
        // Also a state of which less is kept apart may cover it.
        if cases.values().any(|entry| part.is_within(&entry.state)) {
            return;
        }
        match cases.get_mut(&key) {
            None => drop(cases.insert(key.clone(), Entry { state: part, changes })),
            Some(entry) => {
                entry.changes += 1;
                let delay = if is_head { DELAY.0 } else { DELAY.1 };
                entry.state = if entry.changes <= delay {
                    entry.state.join(&part)
                } else if entry.changes <= most {
                    entry.state.widen(&part, &self.thresholds)
                } else {
                    entry.state.widen(&part, &[])
                };
            }
        }
        self.changes += 1;
        self.waiting.insert((at, key));
    }

    /// If a location has too many states, stops to keep a control variable apart there: the one without which fewest
    /// are left, locks last.
    fn merge_if_many(&mut self, at: At) {
        while self.cases.get(&at).is_some_and(|cases| cases.len() > self.precision.cases) {
            let controls = &self.templates[at.0].controls;
            let cases = &self.cases[&at];
            let without = |key: &Key, position: usize| {
                let mut key = key.clone();
                key[position] = Class::Any;
                key
            };
            let left =
                |position: usize| cases.keys().map(|key| without(key, position)).collect::<BTreeSet<Key>>().len();
            let dropped = self.dropped.get(&at);
            let is_kept = |position: &usize| dropped.is_none_or(|dropped| !dropped.contains(position));
            let candidates = (0..controls.len()).filter(is_kept);
            let Some(drop) = candidates.min_by_key(|&position| (controls[position].owner.is_some(), left(position)))
            else {
                return;
            };
            self.drop_control(at, drop);
        }
    }

    /// No longer keeps a control variable apart at a location.
    fn drop_control(&mut self, at: At, control: usize) {
        self.dropped.entry(at).or_default().insert(control);
        let old = self.cases.remove(&at).unwrap_or_default();
        self.waiting.retain(|waiting| waiting.0 != at);
        let mut merged: BTreeMap<Key, Entry> = BTreeMap::new();
        for (mut key, entry) in old {
            key[control] = Class::Any;
            let entry = match merged.remove(&key) {
                None => entry,
                Some(other) => {
                    Entry { state: other.state.join(&entry.state), changes: other.changes.max(entry.changes) }
                }
            };
            merged.insert(key, entry);
        }
        self.changes += 1;
        self.waiting.extend(merged.keys().map(|key| (at, key.clone())));
        self.cases.insert(at, merged);
    }

    /// After joins, and with new steps of others, states may rely on less.
    fn settle(&mut self) {
        let locations: Vec<At> = self.cases.keys().copied().collect();
        for at in locations {
            let all = self.cases.get(&at).cloned().unwrap_or_default();
            for (key, entry) in all {
                let settled = self.settled(at, &entry.state);
                // Nothing had to be forgotten.
                if settled.as_ref().is_some_and(|settled| settled.is_within(&entry.state)) {
                    continue;
                }
                if let Some(cases) = self.cases.get_mut(&at) {
                    cases.remove(&key);
                }
                self.changes += 1;
                let Some(settled) = settled else { continue };
                for (key, part) in self.parts(at, settled) {
                    self.arrive_part(at, key, part, entry.changes);
                }
            }
        }
    }

    /// One round downwards, with the common facts as they are. Returns whether anything got smaller.
    fn descend(&mut self, control: &Control) -> Option<bool> {
        let common = self.common.clone();
        let mut arriving = Vec::new();
        let first = (self.system.main, LocationId::new(0));
        let beginning = first_states(self.system, &self.templates, self.precision.splits);
        arriving.extend(beginning.into_iter().map(|state| (first, state)));
        let old: Vec<(At, State)> = (self.cases.iter())
            .flat_map(|(at, cases)| cases.values().map(|entry| (*at, entry.state.clone())))
            .collect();
        for (at, state) in old {
            self.within(control)?;
            arriving.extend(self.steps(at, &state).arrivals);
        }
        self.common = common;
        let mut incoming: BTreeMap<At, State> = BTreeMap::new();
        let mut reached = BTreeSet::new();
        for (at, state) in arriving {
            if self.system.templates[at.0].locations[at.1].kind != LocationKind::Running {
                reached.insert(at);
            } else if let Some(state) = self.settled(at, &state) {
                let joined = incoming.remove(&at).map(|known| known.join(&state)).unwrap_or(state);
                incoming.insert(at, joined);
            }
        }
        let mut news = reached != self.reached;
        self.reached = reached;
        for (at, cases) in std::mem::take(&mut self.cases) {
            let arrived = incoming.get(&at);
            let mut left = BTreeMap::new();
            for (key, entry) in cases {
                let met = arrived.and_then(|arrived| entry.state.meet(arrived).ok());
                let Some(met) = met.and_then(|met| self.settled(at, &met)) else {
                    news = true;
                    continue;
                };
                news |= !entry.state.is_within(&met);
                left.insert(key, Entry { state: met, ..entry });
            }
            self.cases.insert(at, left);
        }
        Some(news)
    }
}

/// The thread's number, and what is added to it in a word.
fn own(state: &State, word: u32, (number, offset): (u32, u128)) -> Linear {
    state.linear(number).plus(1, &Linear::constant(state.bits(word), offset))
}

/// Can the step not be taken, as its thread would know something else?
fn excludes(knows: &HashMap<u32, Known>, writer: &Writer) -> bool {
    writer.knows.iter().any(|(slot, theirs)| {
        knows.get(slot).is_some_and(|mine| {
            mine.mine.is_some() && mine.mine == theirs.mine || mine.value.meet(&theirs.value).is_none()
        })
    })
}

/// The slots that are live at each location: shared variables, the number, and locals that are read.
fn live_slots(system: &System, templates: &PrimaryMap<TemplateId, OfTemplate>) -> HashMap<At, Vec<bool>> {
    let live = live_locals(system);
    let mut slots = HashMap::new();
    for (id, location) in system.places() {
        let frame = &templates[id].frame;
        let here = live.get(&(id, location));
        let number = frame.number_slot();
        let wide: Vec<u32> = frame.wide().map(|(_, slot)| slot).collect();
        let is_live = |(slot, term): (usize, &selvedge_formula::Term)| {
            slot < frame.shared.len()
                || slot as u32 == number
                || wide.contains(&(slot as u32))
                || here.is_some_and(|here| here.contains(term))
        };
        slots.insert((id, location), frame.terms.iter().enumerate().map(is_live).collect());
    }
    slots
}
