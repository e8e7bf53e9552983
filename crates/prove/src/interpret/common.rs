//! Facts about shared variables that hold for every thread, while there are other threads: always, and whenever a
//! control variable has a certain value. "When the lock is free, the sum is 1000" is such a statement, and says all
//! that a thread needs to know when it takes the lock.
//!
//! These are the invariants of locks of thread-modular analyses (Miné, LMCS 2012; Schwarz and others, SAS 2021), but a
//! lock is one control variable of many: what holds where a thread has not been created, or has ended, is said in the
//! same way. Nothing is said of the time before the first creation, when main sets up what locks protect without taking
//! them.

use super::affine::{Contradiction, Slot};
use super::state::State;
use super::value::Value;
use crate::system::{Edge, Instances, Place, System, TemplateId};
use cranelift_entity::EntityRef;
use selvedge_formula::{Node, Term, Terms};

/// Changes of a fact before it is widened, and after which thresholds are no longer used: so many, and more for each
/// variable, for a fact is about all of them, and a change of one is none of another's.
const DELAY: u32 = 6;
const MOST_WITH_THRESHOLDS: (u32, u32) = (60, 20);

#[derive(Clone)]
struct Fact {
    state: State,
    changes: u32,
}

#[derive(Clone)]
pub struct Common {
    widths: Vec<u32>,
    /// A shared variable has a value. The first fact is about all states, the next ones about those in which one of
    /// these holds.
    conditions: Vec<(Slot, u128)>,
    /// None: there is no such state.
    facts: Vec<Option<Fact>>,
    /// For each template but main's, a variable that is 1 once a thread of it has been created. None: there may always
    /// be other threads.
    created: Option<Vec<Slot>>,
    /// Grows with each change.
    pub version: usize,
}

impl Common {
    pub fn new(system: &System, conditions: Vec<(Slot, u128)>) -> Common {
        let facts = vec![None; conditions.len() + 1];
        let widths = system.shared.values().map(|variable| variable.bits).collect();
        let others = system.templates.keys().filter(|id| *id != system.main);
        let created = others.map(|id| is_created(system, id)).collect();
        Common { widths, conditions, facts, created, version: 0 }
    }

    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// The condition of a fact; none for the first.
    pub fn condition(&self, fact: usize) -> Option<(Slot, u128)> {
        fact.checked_sub(1).map(|index| self.conditions[index])
    }

    /// There are, or have been, other threads than main.
    pub fn has_others(&self, state: &State) -> bool {
        let is_one = |slot: &Slot| state.value(*slot).single() == Some(1);
        self.created.as_ref().is_none_or(|created| created.iter().any(is_one))
    }

    pub fn may_have_others(&self, state: &State) -> bool {
        self.created.as_ref().is_none_or(|created| created.iter().any(|slot| state.value(*slot).contains(1)))
    }

    /// Adds to a state all facts whose conditions hold in it, but those that were `applied` before. Returns whether
    /// there were any.
    pub fn apply(&self, state: &mut State, applied: &mut Vec<bool>) -> Result<bool, Contradiction> {
        applied.resize(self.facts.len(), false);
        if !self.has_others(state) {
            return Ok(false);
        }
        let mut news = false;
        for (index, applied) in applied.iter_mut().enumerate() {
            let holds = |(slot, value): (Slot, u128)| state.value(slot).single() == Some(value);
            if !*applied && self.condition(index).is_none_or(holds) {
                let fact = self.facts[index].as_ref().ok_or(Contradiction)?;
                state.add(&fact.state, &|slot| slot)?;
                *applied = true;
                news = true;
            }
        }
        Ok(news)
    }

    /// The part of a thread's state that is about shared variables, where the condition of a fact holds.
    pub fn part(&self, fact: usize, state: &State) -> Option<State> {
        let shared = self.widths.len();
        let mut part = state.renamed(&|slot| ((slot as usize) < shared).then_some(slot), self.widths.iter().copied());
        if let Some((slot, value)) = self.condition(fact) {
            part.restrict(slot, &Value::exactly(part.bits(slot), value)).ok()?;
        }
        part.normalise().ok()?;
        Some(part)
    }

    /// A state in which the condition of a fact holds.
    pub fn arrive(&mut self, fact: usize, state: State, thresholds: &[i128]) {
        let most = MOST_WITH_THRESHOLDS.0 + MOST_WITH_THRESHOLDS.1 * self.widths.len() as u32;
        match &mut self.facts[fact] {
            None => {
                self.facts[fact] = Some(Fact { state, changes: 0 });
                self.version += 1;
            }
            Some(known) if state.is_within(&known.state) => {}
            Some(known) => {
                known.changes += 1;
                known.state = if known.changes <= DELAY {
                    known.state.join(&state)
                } else if known.changes <= most {
                    known.state.widen(&state, thresholds)
                } else {
                    known.state.widen(&state, &[])
                };
                self.version += 1;
            }
        }
    }

    /// Does a fact say more about a variable than what always holds?
    pub fn says_more(&self, fact: usize, slot: Slot) -> bool {
        match (&self.facts[fact], &self.facts[0]) {
            (Some(fact), Some(always)) => fact.state.says_more(&always.state, slot),
            (Some(_), None) => true,
            (None, _) => false,
        }
    }

    /// As a statement about the shared variables.
    pub fn says(&self, terms: &mut Terms, of: &[Term]) -> Vec<Term> {
        let alone: Vec<Term> = self.created.iter().flatten().map(|slot| of[*slot as usize]).collect();
        let alone = match &self.created {
            None => Terms::FALSE,
            Some(_) => {
                let any = terms.or_all(alone);
                terms.not(any)
            }
        };
        let mut all = Vec::new();
        for index in 0..self.facts.len() {
            let said = match &self.facts[index] {
                Some(fact) => fact.state.says(terms, of),
                None => Terms::FALSE,
            };
            let condition = match self.condition(index) {
                None => Terms::TRUE,
                Some((slot, value)) => {
                    let value = terms.constant(self.widths[slot as usize], value);
                    terms.eq(of[slot as usize], value)
                }
            };
            let said = terms.implies(condition, said);
            all.push(terms.or(alone, said));
        }
        all
    }

    /// For people.
    pub fn describe(&self, names: &[String]) -> Vec<String> {
        let described = |(index, fact): (usize, &Option<Fact>)| {
            let fact = fact.as_ref()?.state.describe(names);
            Some(match self.condition(index) {
                None => format!("always: {fact}"),
                Some((slot, value)) => format!("if {} = {value}: {fact}", names[slot as usize]),
            })
        };
        self.facts.iter().enumerate().filter_map(described).collect()
    }
}

/// A variable that every creation of such a thread sets, that is 0 in the beginning and never set to anything but 1.
fn is_created(system: &System, id: TemplateId) -> Option<Slot> {
    let edges = || system.templates.values().flat_map(|template| &template.edges);
    let creates = |edge: &&Edge| edge.spawns.iter().any(|spawn| spawn.template == id);
    let candidates = system.shared.iter().filter(|(_, variable)| variable.bits == 1);
    let mut fitting = candidates.filter(|(shared, variable)| {
        let update = |edge: &Edge| edge.updates.iter().find(|(place, _)| *place == Place::Shared(*shared)).map(|u| u.1);
        let starts_at_zero = {
            let terms = &system.terms;
            let mut waiting = vec![system.initial];
            let mut found = false;
            while let Some(term) = waiting.pop() {
                match terms.node(term) {
                    Node::And(a, b) => waiting.extend([a, b]),
                    Node::Not(a) => found |= a == variable.copies[0],
                    Node::Eq(a, b) => {
                        let zero = |t: Term| terms.as_constant(t) == Some(0);
                        found |= a == variable.copies[0] && zero(b) || b == variable.copies[0] && zero(a);
                    }
                    _ => {}
                }
            }
            found
        };
        starts_at_zero
            && edges().filter(creates).all(|edge| update(edge) == Some(Terms::TRUE))
            && edges().all(|edge| update(edge).is_none_or(|new| new == Terms::TRUE || new == variable.copies[0]))
            && edges().any(|edge| creates(&edge))
    });
    fitting.next().map(|(shared, _)| shared.index() as Slot)
}

/// Whether two threads of these templates can be there at once.
pub fn can_meet(system: &System, one: TemplateId, other: TemplateId) -> bool {
    one != other || system.templates[one].instances == Instances::Many
}
