//! Generalised Büchi automata that accept exactly the runs of which a formula holds.
//!
//! After Couvreur (FM 1999). A state is a set of formulas that must hold from now on. Unfolding yields their
//! requirements for this moment and for the next: `a U b` is `b || a && X (a U b)`. A transition is
//! one way to satisfy them. Postponing `b` is a promise; there is one acceptance set for each such promise,
//! the transitions that do not make it, and a run is accepted if it passes through each set infinitely often.
//! Acceptance on transitions, with several sets, needs neither degeneralisation nor copies of states.
//!
//! States with equal outgoing transitions are merged, and states that no accepted run passes are removed.

use crate::formula::Formula;
use crate::lasso::{Lasso, Letter};
use std::collections::{BTreeSet, HashMap};

/// A transition to the next moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct Transition {
    /// Propositions that must hold at this moment, and those that must not.
    pub with: Letter,
    pub without: Letter,
    pub to: usize,
    /// The acceptance sets that it is in.
    pub sets: u64,
}

impl Transition {
    pub fn allows(&self, letter: Letter) -> bool {
        letter & self.with == self.with && letter & self.without == 0
    }
}

/// Runs begin in state 0. An automaton without states accepts nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Automaton {
    pub states: Vec<Vec<Transition>>,
    /// All acceptance sets.
    pub all_sets: u64,
}

/// The formula makes more promises than there are bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the formula has more than 64 subformulas of the form `a U b`")]
pub struct TooLarge;

impl Automaton {
    pub fn new(formula: &Formula) -> Result<Automaton, TooLarge> {
        let mut promises = Vec::new();
        collect_promises(formula, &mut promises);
        if promises.len() > 64 {
            return Err(TooLarge);
        }
        let all_sets = if promises.len() == 64 { u64::MAX } else { (1 << promises.len()) - 1 };
        let mut numbers: HashMap<BTreeSet<&Formula>, usize> = HashMap::new();
        let start = BTreeSet::from([formula]);
        let mut waiting = vec![start.clone()];
        numbers.insert(start, 0);
        let mut states = Vec::new();
        while let Some(state) = waiting.get(states.len()).cloned() {
            let mut ways = Vec::new();
            unfold(&mut state.iter().copied().collect(), Unfolding::default(), &mut ways);
            let mut transitions = Vec::new();
            for Unfolding { with, without, left, put_off, .. } in without_weaker(ways) {
                let to = *numbers.entry(left.clone()).or_insert_with(|| {
                    waiting.push(left);
                    waiting.len() - 1
                });
                let broken = promises.iter().enumerate().filter(|(_, p)| put_off.contains(*p));
                let sets = broken.fold(all_sets, |sets, (number, _)| sets & !(1 << number));
                transitions.push(Transition { with, without, to, sets });
            }
            states.push(transitions);
        }
        let mut automaton = Automaton { states, all_sets };
        automaton.simplify();
        Ok(automaton)
    }

    fn simplify(&mut self) {
        let alive = self.states_of_accepted_runs();
        for transitions in &mut self.states {
            transitions.retain(|t| alive[t.to]);
        }
        // The initial state stays; without transitions it accepts nothing.
        while self.merge_equal_states() {}
        self.drop_unreachable();
    }

    /// The states from which there is an accepted run: those that reach a strongly connected component with all sets.
    fn states_of_accepted_runs(&self) -> Vec<bool> {
        let reach = self.reachability();
        let good = |state: usize| {
            let inside = |other: usize| reach[state][other] && reach[other][state];
            let sets = self.states.iter().enumerate().filter(|(from, _)| inside(*from)).flat_map(|(_, ts)| ts);
            let sets = sets.filter(|t| inside(t.to)).map(|t| t.sets).reduce(|one, other| one | other);
            sets == Some(self.all_sets)
        };
        let good: Vec<bool> = (0..self.states.len()).map(good).collect();
        (0..self.states.len()).map(|from| good[from] || (0..good.len()).any(|to| reach[from][to] && good[to])).collect()
    }

    /// For each state the states that are reachable from it by at least one transition.
    fn reachability(&self) -> Vec<Vec<bool>> {
        let reached_from = |start: usize| {
            let mut reached = vec![false; self.states.len()];
            let mut waiting = vec![start];
            while let Some(state) = waiting.pop() {
                for transition in &self.states[state] {
                    if !std::mem::replace(&mut reached[transition.to], true) {
                        waiting.push(transition.to);
                    }
                }
            }
            reached
        };
        (0..self.states.len()).map(reached_from).collect()
    }

    fn merge_equal_states(&mut self) -> bool {
        for transitions in &mut self.states {
            transitions.sort_unstable();
            transitions.dedup();
        }
        let first_alike = |state: usize| self.states.iter().position(|other| *other == self.states[state]);
        let first: Vec<usize> = (0..self.states.len()).map(|state| first_alike(state).unwrap_or(state)).collect();
        let mut changed = false;
        for transition in self.states.iter_mut().flatten() {
            changed |= first[transition.to] != transition.to;
            transition.to = first[transition.to];
        }
        changed
    }

    fn drop_unreachable(&mut self) {
        let mut reached = self.reachability().swap_remove(0);
        reached[0] = true;
        let number = |state: usize| reached[..state].iter().filter(|reached| **reached).count();
        let numbers: Vec<usize> = (0..reached.len()).map(number).collect();
        let mut state = 0;
        self.states.retain(|_| {
            state += 1;
            reached[state - 1]
        });
        self.states.iter_mut().flatten().for_each(|t| t.to = numbers[t.to]);
    }

    /// Whether the run is accepted. For tests only: engines build the product with a program themselves.
    pub fn accepts(&self, run: &Lasso) -> bool {
        // The product, as an automaton in which every letter is allowed.
        let place = |state: usize, at: usize| state * run.len() + at;
        let mut product = vec![Vec::new(); self.states.len() * run.len()];
        for (state, transitions) in self.states.iter().enumerate() {
            for at in 0..run.len() {
                let allowed = transitions.iter().filter(|t| t.allows(run.letter(at)));
                let moved = allowed.map(|t| Transition { with: 0, without: 0, to: place(t.to, run.next(at)), ..*t });
                product[place(state, at)] = moved.collect();
            }
        }
        Automaton { states: product, all_sets: self.all_sets }.accepts_something()
    }

    /// Whether any run is accepted. Slow, for small automata.
    pub fn accepts_something(&self) -> bool {
        self.states_of_accepted_runs().first() == Some(&true)
    }
}

/// Collects the subformulas that can be postponed.
fn collect_promises<'f>(formula: &'f Formula, promises: &mut Vec<&'f Formula>) {
    match formula {
        Formula::Const(_) | Formula::Literal { .. } => {}
        Formula::Next(of) => collect_promises(of, promises),
        Formula::And(one, other)
        | Formula::Or(one, other)
        | Formula::Until(one, other)
        | Formula::Release(one, other) => {
            if matches!(formula, Formula::Until(..)) && !promises.contains(&formula) {
                promises.push(formula);
            }
            collect_promises(one, promises);
            collect_promises(other, promises);
        }
    }
}

/// One way to satisfy formulas: requirements for now and for the next moment.
#[derive(Clone, Default)]
struct Unfolding<'f> {
    with: Letter,
    without: Letter,
    left: BTreeSet<&'f Formula>,
    put_off: BTreeSet<&'f Formula>,
    /// The formulas that have been unfolded already.
    done: BTreeSet<&'f Formula>,
}

fn unfold<'f>(todo: &mut Vec<&'f Formula>, mut way: Unfolding<'f>, ways: &mut Vec<Unfolding<'f>>) {
    let Some(formula) = todo.pop() else {
        ways.push(way);
        return;
    };
    if !way.done.insert(formula) {
        return unfold(todo, way, ways);
    }
    // Each branch needs its own copy of the remaining formulas.
    let mut branch = |more: &[&'f Formula], way: Unfolding<'f>| {
        let mut todo = todo.clone();
        todo.extend(more);
        unfold(&mut todo, way, ways);
    };
    match formula {
        Formula::Const(true) => branch(&[], way),
        Formula::Const(false) => {}
        Formula::Literal { atom, holds } => {
            let bit = 1 << atom;
            if *holds {
                way.with |= bit;
            } else {
                way.without |= bit;
            }
            if way.with & way.without == 0 {
                branch(&[], way);
            }
        }
        Formula::And(one, other) => branch(&[one, other], way),
        Formula::Or(one, other) => {
            branch(&[one], way.clone());
            branch(&[other], way);
        }
        Formula::Next(of) => {
            way.left.insert(of);
            branch(&[], way);
        }
        Formula::Until(left, goal) => {
            branch(&[goal], way.clone());
            way.left.insert(formula);
            way.put_off.insert(formula);
            branch(&[left], way);
        }
        Formula::Release(left, kept) => {
            branch(&[left, kept], way.clone());
            way.left.insert(formula);
            branch(&[kept], way);
        }
    }
}

/// Removes alternatives that require more than another one.
fn without_weaker(ways: Vec<Unfolding<'_>>) -> Vec<Unfolding<'_>> {
    let asks_less = |one: &Unfolding<'_>, other: &Unfolding<'_>| {
        one.with & !other.with == 0
            && one.without & !other.without == 0
            && one.left.is_subset(&other.left)
            && one.put_off.is_subset(&other.put_off)
    };
    let mut kept: Vec<Unfolding<'_>> = Vec::new();
    for way in ways {
        if !kept.iter().any(|other| asks_less(other, &way)) {
            kept.retain(|other| !asks_less(&way, other));
            kept.push(way);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn size(text: &str) -> (usize, usize) {
        let formula = parse(text, &mut Vec::new()).expect("a formula");
        let automaton = Automaton::new(&formula).expect("a small one");
        (automaton.states.len(), automaton.states.iter().map(Vec::len).sum())
    }

    #[test]
    fn small_formulas_have_small_automata() {
        assert_eq!(size("G p"), (1, 1));
        assert_eq!(size("GF p"), (1, 2));
        assert_eq!(size("F (p && G !q)"), (2, 3));
        assert_eq!(size("false"), (1, 0));
        assert_eq!(size("G p && F !p"), (1, 0));
    }
}
