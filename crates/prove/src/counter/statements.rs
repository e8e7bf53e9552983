//! From states with counts to statements about one and two threads: the values that were met.

use super::evaluate::{Behaviour, KindId};
use super::{Count, State, place};
use crate::invariant::{At, Invariant};
use crate::system::System;
use hashbrown::{HashMap, HashSet};
use selvedge_formula::{Term, Terms};

/// By pairs of places: what was met there, as shared state and kinds of both threads.
type Pairs = HashMap<(At, At), HashSet<(u32, KindId, KindId)>>;

pub(super) fn invariant(system: &mut System, behaviour: &Behaviour, states: &[State]) -> Invariant {
    let mut single: HashMap<At, HashSet<(u32, KindId)>> = HashMap::new();
    let mut pairs = Pairs::new();
    for state in states {
        for (index, &(kind, count)) in state.threads.iter().enumerate() {
            let at = place(behaviour.kind(kind));
            single.entry(at).or_default().insert((state.shared, kind));
            let others = state.threads[..index].iter().map(|(other, _)| *other);
            // One of these may stand beside another one of the same kind.
            let twin = (count > Count::Exactly(1)).then_some(kind);
            for other in others.chain(twin) {
                let (one, other) = if place(behaviour.kind(other)) <= at { (other, kind) } else { (kind, other) };
                let places = (place(behaviour.kind(one)), place(behaviour.kind(other)));
                let met = pairs.entry(places).or_default();
                met.insert((state.shared, one, other));
                if places.0 == places.1 {
                    met.insert((state.shared, other, one));
                }
            }
        }
    }
    let mut places: Vec<At> = single.keys().copied().collect();
    places.sort_unstable();
    let mut values = Values { system, behaviour };
    let mut found = Invariant::default();
    for (index, &at) in places.iter().enumerate() {
        let mut met: Vec<(u32, KindId)> = single[&at].iter().copied().collect();
        met.sort_unstable();
        let statements: Vec<Term> = met.iter().map(|(shared, kind)| values.with(*shared, &[(*kind, 0)])).collect();
        found.single.insert(at, values.system.terms.or_all(statements));
        for &other in &places[..=index] {
            let mut met: Vec<(u32, KindId, KindId)> = pairs.get(&(other, at)).into_iter().flatten().copied().collect();
            met.sort_unstable();
            let statements: Vec<Term> =
                met.iter().map(|(shared, one, two)| values.with(*shared, &[(*one, 0), (*two, 1)])).collect();
            found.pairs.insert((other, at), values.system.terms.or_all(statements));
        }
    }
    found
}

struct Values<'a> {
    system: &'a mut System,
    behaviour: &'a Behaviour,
}

impl Values<'_> {
    /// Shared variables have these values, and so do the locals of these threads that matter.
    fn with(&mut self, shared: u32, threads: &[(KindId, usize)]) -> Term {
        let variables = self.system.shared.iter().zip(self.behaviour.shared(shared).iter().copied());
        let mut values: Vec<(Term, u128)> = variables
            .filter(|((id, _), _)| !self.behaviour.ignores(*id))
            .map(|((_, variable), value)| (variable.copies[0], value))
            .collect();
        for (kind, copy) in threads {
            let kind = self.behaviour.kind(*kind);
            for ((id, local), value) in self.system.templates[kind.at.0].locals.iter().zip(&kind.locals) {
                if self.behaviour.is_live(kind.at, id) {
                    values.push((local.copies[*copy], *value));
                }
            }
        }
        let terms = &mut self.system.terms;
        values.into_iter().fold(Terms::TRUE, |all, (variable, value)| {
            let value = terms.constant(terms.bits(variable), value);
            let equal = terms.eq(variable, value);
            terms.and(all, equal)
        })
    }
}
