//! The iteration: steps and interference until nothing is new, widened; then a few rounds downwards.
//!
//! A thread's own steps go first, for as long as they find anything. Then every pair of a state and another thread's
//! step of which one is new is interpreted. Ascending, states that keep changing are widened, with the constants of the
//! program as thresholds. Descending, a state is met with what reaches it from the others: a consequence of an
//! inductive statement is inductive, whatever the domains do.

use super::Precision;
use super::block::Block;
use super::frame::Frame;
use super::partition::{Class, Key, Variable, partition, variables};
use super::state::State;
use super::transfer::{interfere, step};
use crate::invariant::At;
use crate::system::{Instances, LocationId, LocationKind, System, TemplateId};
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use hashbrown::{HashMap, HashSet};
use selvedge_engine::Control;
use selvedge_formula::{Node, signed};
use std::collections::{BTreeMap, BTreeSet};

/// Changes of a state before it is widened: at the head of a loop or by interference, and elsewhere.
const DELAY: (u32, u32) = (4, 24);
/// Changes after which thresholds are no longer used.
const MOST_WITH_THRESHOLDS: u32 = 80;

#[derive(Clone)]
struct Entry {
    state: State,
    changes: u32,
    /// Grows with each change of any state.
    version: usize,
}

#[derive(Clone, Default)]
struct Cases {
    states: BTreeMap<Key, Entry>,
    /// Control variables that are no longer kept apart here.
    dropped: BTreeSet<usize>,
}

/// A template, prepared to be interpreted.
pub struct OfTemplate {
    pub frame: Frame,
    pub blocks: Vec<(LocationId, LocationId, Block)>,
    pub controls: Vec<Variable>,
    pub heads: HashSet<LocationId>,
}

impl OfTemplate {
    pub fn all(system: &System) -> PrimaryMap<TemplateId, OfTemplate> {
        let prepared = system.templates.iter().map(|(id, template)| {
            let frame = Frame::new(system, id);
            let blocks =
                template.edges.iter().map(|edge| (edge.from, edge.to, Block::new(system, &frame, template, edge)));
            OfTemplate {
                blocks: blocks.collect(),
                controls: variables(system, id, &frame),
                heads: heads(system, id),
                frame,
            }
        });
        prepared.collect()
    }
}

/// Why a state reaches a location.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Step,
    Interference,
}

pub struct Fixpoint<'a> {
    system: &'a System,
    precision: Precision,
    templates: PrimaryMap<TemplateId, OfTemplate>,
    thresholds: Vec<i128>,
    cases: BTreeMap<At, Cases>,
    /// Locations without states of interest that are reached: ends and errors.
    reached: BTreeSet<At>,
    /// States whose own steps are to be taken.
    waiting: BTreeSet<(At, Key)>,
    changes: usize,
}

impl<'a> Fixpoint<'a> {
    pub fn new(system: &'a System, precision: Precision) -> Fixpoint<'a> {
        Fixpoint {
            system,
            precision,
            templates: OfTemplate::all(system),
            thresholds: thresholds(system),
            cases: BTreeMap::new(),
            reached: BTreeSet::new(),
            waiting: BTreeSet::new(),
            changes: 0,
        }
    }

    pub fn changes(&self) -> usize {
        self.changes
    }

    pub fn frame(&self, template: TemplateId) -> &Frame {
        &self.templates[template].frame
    }

    /// The states of each location that is reached; none for ends and errors.
    pub fn found(&self) -> Vec<(At, Vec<State>)> {
        let states = |cases: &Cases| cases.states.values().map(|entry| entry.state.clone()).collect();
        let running = self.cases.iter().filter(|(_, cases)| !cases.states.is_empty());
        let running = running.map(|(at, cases)| (*at, states(cases)));
        running.chain(self.reached.iter().map(|at| (*at, Vec::new()))).collect()
    }

    /// `None`: stopped.
    pub fn run(&mut self, control: &Control) -> Option<()> {
        for state in self.first_states() {
            self.arrive(self.first(self.system.main), state, By::Step);
        }
        let mut seen = 0;
        loop {
            while let Some((at, key)) = self.waiting.pop_first() {
                self.within(control)?;
                self.step_from(at, &key);
            }
            let since = seen;
            seen = self.changes;
            self.interferences(since, control)?;
            if self.waiting.is_empty() && self.changes == seen {
                break;
            }
        }
        for _ in 0..self.precision.narrowings {
            if !self.descend(control)? {
                break;
            }
        }
        Some(())
    }

    fn within(&self, control: &Control) -> Option<()> {
        (!control.is_over() && self.changes < self.precision.changes).then_some(())
    }

    fn first(&self, template: TemplateId) -> At {
        (template, LocationId::new(0))
    }

    fn first_states(&self) -> Vec<State> {
        first_states(self.system, &self.templates, self.precision.splits)
    }

    fn step_from(&mut self, at: At, key: &Key) {
        let Some(entry) = self.cases.get(&at).and_then(|cases| cases.states.get(key)) else {
            return;
        };
        for (to, state) in self.steps(at, &entry.state.clone()) {
            self.arrive(to, state, By::Step);
        }
    }

    /// Where a thread's own steps lead, and the threads that it creates.
    fn steps(&self, at: At, state: &State) -> Vec<(At, State)> {
        let template = &self.templates[at.0];
        let mut found = Vec::new();
        for (_, to, block) in template.blocks.iter().filter(|(from, ..)| *from == at.1) {
            let frame = |id: TemplateId| self.templates[id].frame.clone();
            let taken = step(&self.system.terms, block, &template.frame, &frame, (state, None), self.precision.splits);
            for stepped in taken {
                found.extend(stepped.created.into_iter().map(|(id, state)| (self.first(id), state)));
                found.push(((at.0, *to), stepped.after));
            }
        }
        found
    }

    /// The effect of other threads' steps on states that stand still, where one of the two changed after `since`.
    fn interferences(&mut self, since: usize, control: &Control) -> Option<()> {
        let locations: Vec<At> = self.cases.keys().copied().collect();
        for &by in &locations {
            for &at in &locations {
                if at.0 == by.0 && self.system.templates[at.0].instances == Instances::Once {
                    continue;
                }
                for state in self.interference(at, by, since, false) {
                    self.arrive(at, state, By::Interference);
                }
                self.within(control)?;
            }
        }
        Some(())
    }

    /// The effect of steps of a thread at `by` on the states at `at`, where one of the two changed after `since`. A
    /// step that changes only what nothing is known of leaves a state as it is: ascending, that is no news.
    fn interference(&self, at: At, by: At, since: usize, descending: bool) -> Vec<State> {
        let (mine, others) = (&self.cases[&at], &self.cases[&by]);
        let (template, others_template) = (&self.templates[at.0], &self.templates[by.0]);
        let mut found = Vec::new();
        for (_, to, block) in others_template.blocks.iter().filter(|(from, ..)| *from == by.1) {
            let goes_on = match self.system.templates[by.0].locations[*to].kind {
                LocationKind::Running | LocationKind::Ended => true,
                LocationKind::ProcessEnded | LocationKind::Error { .. } | LocationKind::Unchecked { .. } => false,
            };
            if block.writes.is_empty() || !goes_on {
                continue;
            }
            for (key, entry) in &mine.states {
                if !descending && block.writes.iter().all(|&slot| entry.state.is_free(slot as u32)) {
                    continue;
                }
                for (others_key, others_entry) in &others.states {
                    if entry.version <= since && others_entry.version <= since
                        || contradict(template, key, others_template, others_key)
                    {
                        continue;
                    }
                    let (state, others) =
                        ((&template.frame, &entry.state), (&others_template.frame, &others_entry.state));
                    found.extend(interfere(&self.system.terms, block, state, others, self.precision.splits));
                }
            }
        }
        found
    }

    fn parts(&self, at: At, state: State) -> Vec<(Key, State)> {
        let template = &self.templates[at.0];
        let dropped = self.cases.get(&at).map(|cases| &cases.dropped);
        let wanted = |position: usize| dropped.is_none_or(|dropped| !dropped.contains(&position));
        partition(state, &template.controls, &wanted, usize::MAX).0
    }

    fn arrive(&mut self, at: At, mut state: State, by: By) {
        if self.system.templates[at.0].locations[at.1].kind != LocationKind::Running {
            self.reached.insert(at);
            return;
        }
        if state.normalise().is_err() {
            return;
        }
        for (key, part) in self.parts(at, state) {
            self.arrive_part(at, key, part, by);
        }
        self.merge_if_many(at);
    }

    fn arrive_part(&mut self, at: At, key: Key, part: State, by: By) {
        let is_head = self.templates[at.0].heads.contains(&at.1);
        let cases = self.cases.entry(at).or_default();
        self.changes += 1;
        match cases.states.get_mut(&key) {
            None => {
                cases.states.insert(key.clone(), Entry { state: part, changes: 0, version: self.changes });
            }
            Some(entry) => {
                if part.is_within(&entry.state) {
                    self.changes -= 1;
                    return;
                }
                entry.changes += 1;
                let delay = if is_head || by == By::Interference { DELAY.0 } else { DELAY.1 };
                entry.state = if entry.changes <= delay {
                    entry.state.join(&part)
                } else if entry.changes <= MOST_WITH_THRESHOLDS {
                    entry.state.widen(&part, &self.thresholds)
                } else {
                    entry.state.widen(&part, &[])
                };
                entry.version = self.changes;
            }
        }
        self.waiting.insert((at, key));
    }

    /// If a location has too many states, stops to keep a control variable apart there: the one without which fewest
    /// are left, locks last.
    fn merge_if_many(&mut self, at: At) {
        while self.cases.get(&at).is_some_and(|cases| cases.states.len() > self.precision.cases) {
            let controls = &self.templates[at.0].controls;
            let cases = &self.cases[&at];
            let left = |position: usize| {
                let keys = cases.states.keys().map(|key| {
                    let mut key = key.clone();
                    key[position] = Class::Any;
                    key
                });
                keys.collect::<BTreeSet<Key>>().len()
            };
            let candidates = (0..controls.len()).filter(|position| !cases.dropped.contains(position));
            let Some(drop) = candidates.min_by_key(|&position| (controls[position].owner.is_some(), left(position)))
            else {
                return;
            };
            let Some(cases) = self.cases.get_mut(&at) else { return };
            cases.dropped.insert(drop);
            let old = std::mem::take(&mut cases.states);
            self.waiting.retain(|waiting| waiting.0 != at);
            for (mut key, entry) in old {
                key[drop] = Class::Any;
                self.arrive_part(at, key, entry.state, By::Step);
            }
        }
    }

    /// One round downwards. Returns whether anything got smaller.
    fn descend(&mut self, control: &Control) -> Option<bool> {
        let mut incoming: BTreeMap<At, BTreeMap<Key, State>> = BTreeMap::new();
        let mut reached = BTreeSet::new();
        let mut arriving: Vec<(At, State)> = Vec::new();
        arriving.extend(self.first_states().into_iter().map(|state| (self.first(self.system.main), state)));
        for (&at, cases) in &self.cases {
            self.within(control)?;
            for entry in cases.states.values() {
                arriving.extend(self.steps(at, &entry.state));
            }
        }
        for &by in self.cases.keys() {
            for &at in self.cases.keys() {
                self.within(control)?;
                if at.0 != by.0 || self.system.templates[at.0].instances == Instances::Many {
                    arriving.extend(self.interference(at, by, 0, true).into_iter().map(|state| (at, state)));
                }
            }
        }
        for (at, mut state) in arriving {
            if self.system.templates[at.0].locations[at.1].kind != LocationKind::Running {
                reached.insert(at);
            } else if state.normalise().is_ok() {
                for (key, part) in self.parts(at, state) {
                    let known = incoming.entry(at).or_default();
                    let joined = known.get(&key).map(|known| known.join(&part)).unwrap_or(part);
                    known.insert(key, joined);
                }
            }
        }
        let mut news = reached != self.reached;
        self.reached = reached;
        for (at, cases) in &mut self.cases {
            let Some(arrived) = incoming.get(at) else {
                news |= !cases.states.is_empty();
                cases.states.clear();
                continue;
            };
            cases.states.retain(|key, entry| {
                let met = arrived.get(key).and_then(|state| entry.state.meet(state).ok());
                news |= met.as_ref().is_none_or(|met| !entry.state.is_within(met));
                met.map(|met| entry.state = met).is_some()
            });
        }
        Some(news)
    }
}

/// Main in the beginning.
pub fn first_states(system: &System, templates: &PrimaryMap<TemplateId, OfTemplate>, splits: usize) -> Vec<State> {
    let template = &system.templates[system.main];
    let frame = &templates[system.main].frame;
    let block = Block::statement(system, frame, template, system.initial);
    let any = frame.any();
    let of = |id: TemplateId| templates[id].frame.clone();
    let stepped = step(&system.terms, &block, frame, &of, (&any, None), splits);
    stepped.into_iter().map(|stepped| stepped.after).collect()
}

/// Two threads cannot both own a lock, nor see different values of a shared variable.
fn contradict(one: &OfTemplate, key: &Key, other: &OfTemplate, others_key: &Key) -> bool {
    let shared = one.frame.shared.len();
    let same = |position: usize| {
        let slot = one.controls[position].slot;
        ((slot as usize) < shared).then(|| other.controls.iter().position(|control| control.slot == slot)).flatten()
    };
    (0..key.len()).any(|position| {
        same(position).is_some_and(|others| match (key[position], others_key[others]) {
            (Class::Any, _) | (_, Class::Any) | (Class::Rest, Class::Rest) => false,
            (Class::Mine, Class::Mine) => {
                let added = |variable: &Variable| variable.owner.map(|owner| owner.1);
                added(&one.controls[position]) == added(&other.controls[others])
            }
            (Class::Mine, Class::Rest) | (Class::Rest, Class::Mine) => false,
            (Class::Constant(a), Class::Constant(b)) => a != b,
            (Class::Constant(_), Class::Mine | Class::Rest) | (Class::Mine | Class::Rest, Class::Constant(_)) => {
                // Only where the classes of both are the same partition of the values.
                false
            }
        })
    })
}

/// Locations that some edge reaches from a location that it leads to: one on each cycle.
fn heads(system: &System, template: TemplateId) -> HashSet<LocationId> {
    #[derive(Clone, Copy, PartialEq, Default)]
    enum Seen {
        #[default]
        New,
        Open,
        Done,
    }
    let template = &system.templates[template];
    let mut seen: SecondaryMap<LocationId, Seen> = SecondaryMap::new();
    let mut heads = HashSet::new();
    let successors: HashMap<LocationId, Vec<LocationId>> =
        template.edges.iter().fold(HashMap::new(), |mut all, edge| {
            all.entry(edge.from).or_insert_with(Vec::new).push(edge.to);
            all
        });
    let none = Vec::new();
    let mut path = vec![(LocationId::new(0), 0)];
    seen[LocationId::new(0)] = Seen::Open;
    while let Some((location, next)) = path.last_mut() {
        let following = successors.get(location).unwrap_or(&none);
        let Some(&to) = following.get(*next) else {
            seen[*location] = Seen::Done;
            path.pop();
            continue;
        };
        *next += 1;
        match seen[to] {
            Seen::New => {
                seen[to] = Seen::Open;
                path.push((to, 0));
            }
            Seen::Open => drop(heads.insert(to)),
            Seen::Done => {}
        }
    }
    heads
}

/// Constants of the program, and their neighbours.
pub fn thresholds(system: &System) -> Vec<i128> {
    let terms = &system.terms;
    let mut all: BTreeSet<i128> = [-1, 0, 1].into();
    let edges = system.templates.values().flat_map(|template| &template.edges);
    let roots = edges.flat_map(|edge| [edge.guard].into_iter().chain(edge.updates.iter().map(|update| update.1)));
    for term in terms.cone(roots.chain([system.initial])) {
        if let Node::Const { bits, value } = terms.node(term)
            && bits > 1
            && bits <= 64
        {
            let value = signed(bits, value);
            all.extend([value - 1, value, value + 1, -value]);
        }
    }
    all.into_iter().collect()
}
