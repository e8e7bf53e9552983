//! Counter abstraction: how many threads stand where, up to "any number".
//!
//! German and Sistla: Reasoning about systems with many processes, JACM 1992; Pnueli, Xu, Zuck: Liveness with (0, 1,
//! ∞)-counter abstraction, CAV 2002. Threads of one template that stand at the same location with the same locals are
//! alike, so that a state is the values of the shared variables and a count for each kind of thread. Counts are exact
//! up to a limit, and from there on "any number": then there are finitely many states, if variables take finitely many
//! values, however many threads there are.
//!
//! *Only the largest states are kept.* No edge tests that threads are absent, so a state with more threads can do what
//! one with fewer can, and more. A state whose counts are all covered by another one's needs no look (Karp and Miller
//! 1969).
//!
//! The states that were found are turned into an invariant: for each place the values that were met there, for each
//! pair of places those that were met at the same time. That forgets what three threads have to do with each other, and
//! so is a guess, which the checker judges.
//!
//! It is for programs with few values; inputs are tried one by one, and a thread's number must not matter to it.

mod evaluate;
mod statements;

use crate::invariant::{At, Invariant};
use crate::system::{Instances, LocationKind, System};
use evaluate::{Behaviour, Effect, Kind, KindId};
use hashbrown::HashMap;
use selvedge_engine::Control;
use std::rc::Rc;

/// The most states that are kept, and the most that are made.
const KEPT: usize = 4_000;
const MADE: usize = 400_000;
/// The exact counts, in the order in which they are tried.
const EXACT: [u32; 2] = [1, 2];

/// Threads of one kind in a state. Larger ones cover smaller ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Count {
    Exactly(u32),
    AnyNumber,
}

/// The shared variables' values, by number, and the kinds of threads that there are, in order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    shared: u32,
    threads: Vec<(KindId, Count)>,
}

impl State {
    fn count(&self, kind: KindId) -> Count {
        let found = self.threads.binary_search_by_key(&kind, |(kind, _)| *kind);
        found.map_or(Count::Exactly(0), |index| self.threads[index].1)
    }

    fn set(&mut self, kind: KindId, count: Count) {
        match (self.threads.binary_search_by_key(&kind, |(kind, _)| *kind), count) {
            (Ok(index), Count::Exactly(0)) => drop(self.threads.remove(index)),
            (Err(_), Count::Exactly(0)) => {}
            (Ok(index), count) => self.threads[index].1 = count,
            (Err(index), count) => self.threads.insert(index, (kind, count)),
        }
    }

    fn covers(&self, other: &State) -> bool {
        self.shared == other.shared && other.threads.iter().all(|(kind, count)| self.count(*kind) >= *count)
    }
}

/// An invariant that may prove the system. None if it does not, or counting is not for it.
pub fn count(system: &mut System, control: &Control) -> Option<Invariant> {
    let mut behaviour = Behaviour::new(system)?;
    for exact in EXACT {
        match Search::new(system, &mut behaviour, exact).run(control) {
            Searched::Closed(states) => return Some(statements::invariant(system, &behaviour, &states)),
            Searched::Error => {}
            Searched::GaveUp => return None,
        }
    }
    None
}

enum Searched {
    /// All states that there are, or larger ones.
    Closed(Vec<State>),
    Error,
    GaveUp,
}

struct Search<'a> {
    system: &'a System,
    behaviour: &'a mut Behaviour,
    exact: u32,
    /// By shared values. Those that are covered by others are taken out.
    kept: HashMap<u32, Vec<State>>,
    waiting: Vec<State>,
    made: usize,
}

impl<'a> Search<'a> {
    fn new(system: &'a System, behaviour: &'a mut Behaviour, exact: u32) -> Search<'a> {
        Search { system, behaviour, exact, kept: HashMap::new(), waiting: Vec::new(), made: 0 }
    }

    fn run(mut self, control: &Control) -> Searched {
        let Some(first) = self.behaviour.beginnings(self.system, control) else { return Searched::GaveUp };
        for (shared, kind) in first {
            self.add(State { shared, threads: vec![(kind, Count::Exactly(1))] });
        }
        while let Some(state) = self.waiting.pop() {
            if !self.is_kept(&state) {
                continue;
            }
            if control.is_over() || self.made > MADE || self.kept.values().map(Vec::len).sum::<usize>() > KEPT {
                return Searched::GaveUp;
            }
            for (kind, _) in state.threads.clone() {
                let Some(effects) = self.behaviour.effects(self.system, state.shared, kind) else {
                    return Searched::GaveUp;
                };
                if self.follow(&state, kind, &effects) {
                    return Searched::Error;
                }
            }
        }
        let mut states: Vec<State> = self.kept.into_values().flatten().collect();
        states.sort_unstable_by(|a, b| (a.shared, &a.threads).cmp(&(b.shared, &b.threads)));
        Searched::Closed(states)
    }

    /// Adds what a thread of this kind may make of the state. Whether that is an error.
    fn follow(&mut self, state: &State, kind: KindId, effects: &Rc<Vec<Effect>>) -> bool {
        for effect in effects.iter() {
            let mut after = state.clone();
            after.shared = effect.shared;
            if let Count::Exactly(threads) = after.count(kind) {
                after.set(kind, Count::Exactly(threads - 1));
            }
            let place = self.behaviour.kind(effect.becomes).at;
            match self.system.templates[place.0].locations[place.1].kind {
                LocationKind::Error { .. } => return true,
                // No thread takes another step.
                LocationKind::ProcessEnded | LocationKind::Unchecked { .. } => continue,
                LocationKind::Ended => {}
                LocationKind::Running => self.one_more(&mut after, effect.becomes),
            }
            effect.creates.iter().for_each(|new| self.one_more(&mut after, *new));
            self.add(after);
        }
        false
    }

    fn one_more(&self, state: &mut State, kind: KindId) {
        let once = self.system.templates[self.behaviour.kind(kind).at.0].instances == Instances::Once;
        let count = match state.count(kind) {
            Count::Exactly(threads) if threads < self.exact => Count::Exactly(threads + 1),
            Count::Exactly(threads) if once => Count::Exactly(threads.max(1)),
            Count::Exactly(_) | Count::AnyNumber => Count::AnyNumber,
        };
        state.set(kind, count);
    }

    fn add(&mut self, state: State) {
        self.made += 1;
        let same_values = self.kept.entry(state.shared).or_default();
        if !same_values.iter().any(|kept| kept.covers(&state)) {
            same_values.retain(|kept| !state.covers(kept));
            same_values.push(state.clone());
            self.waiting.push(state);
        }
    }

    fn is_kept(&self, state: &State) -> bool {
        self.kept.get(&state.shared).is_some_and(|kept| kept.contains(state))
    }
}

/// The position of threads of a kind.
fn place(kind: &Kind) -> At {
    kind.at
}
