//! States whose continuations have been searched: where a run comes to one again, they are not searched once more.
//!
//! (Yang, Chen, Gopalakrishnan and Kirby: Efficient Stateful Dynamic Partial Order Reduction, SPIN 2008; ours goes with
//! sleep sets and wake-up trees.) A search without states plans, while it makes what follows a state, for the nodes
//! before it: each race with a step on the way is reversed. If what follows is left out, this must be made up for. So
//! each searched state is kept with its *futures*: all accesses, by thread, of the steps and the failed attempts that
//! have followed it. Wherever the way to a known state has a step that conflicts with an access of another thread among
//! the futures, the node of that step is *widened*: everything that can go on from it is explored, and the failed
//! attempts of all others are reversed there.
//!
//! **This is sound.** The argument of the search ([`super`]) is an induction over nodes: take a run w from the node
//! that no branch begins, and a branch p for which the longest part of w is independent of p's first step. Then p, that
//! part, and the step (or attempt) e of w behind it have been looked at below p. There e was a step of the run, and the
//! race was reversed as ever; or it came behind a known state. It is the same step there, with the same footprint,
//! however the state was reached. So it is among the futures and conflicts with the first step of p. The node was
//! widened, and every w has a branch that begins it, or sleeps. A w without steps, only with an attempt at its end, is
//! what is reversed when a node is widened. An attempt is looked at where all who could go on sleep, too: the sequence
//! that would have led to it is not planned, and the step that disables it may be found in no other run. Futures of a
//! state come to those of the states before it, known ones included, so that the argument holds for ways through
//! several of them. As a widened node plans single steps, and no sequences, a sequence is covered by a sleeping step
//! only if it has that step itself ([`super::worker`]).
//!
//! What follows a state is the same whenever these are equal, which are the key: the state, and for each thread the
//! silent steps that it has taken last ([`super::spin`]), which decide where a round is closed. A state that was
//! searched while some steps slept has not been searched in their direction. It counts only where all of these sleep
//! again: other nodes explore them there.
//!
//! **Cycles.** A state that the run itself has been in is not searched again either. What follows it is being looked
//! at, behind the same steps before it. The futures are not all known yet, so the nodes from the one to the other are
//! widened whatever they are. And as long as the earlier state is not done, the futures of those between lack some of
//! its own, so these do not become known. In this way programs without end have an end here, if their states are
//! finitely many.
//!
//! Violations that a state or a step shows are found with states and steps, and so are the ends of runs. Data races
//! are looked for between two steps of one run, and do not go with known states.
//!
//! Widened nodes may begin runs that sleep. So the number of runs is no longer that of the equivalence classes: it may
//! be less by any factor, where many runs meet in few states, and a little more.

use super::attempt::Attempt;
use super::node::Node;
use super::step::{Reach, Step};
use super::worker::Worker;
use crate::explicit::end::End;
use selvedge_vm::State;
use selvedge_vm::deadlock::Threads;
use selvedge_vm::expand::members;
use selvedge_vm::footprint::Access;
use std::collections::HashMap;
use std::sync::Arc;

/// A set of accesses with the threads that make them, as bits by number.
#[derive(Clone, Debug, Default)]
pub struct Futures(Vec<Threads>);

const BITS: usize = Threads::BITS as usize;

impl Futures {
    fn insert(&mut self, number: usize) {
        let (word, bit) = (number / BITS, number % BITS);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << bit;
    }

    pub fn join(&mut self, other: &Futures) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(own, its)| *own |= its);
    }

    fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(word, bits)| members(*bits).map(move |bit| BITS * word + bit))
    }
}

/// A state that has been searched, except in the directions of these steps.
struct Searched {
    sleep: Vec<(usize, Arc<[u32]>)>,
    futures: Arc<Futures>,
}

/// All that is known.
#[derive(Default)]
pub struct Known {
    states: HashMap<Arc<[u64]>, Vec<Searched>>,
    numbers: HashMap<(usize, Access), usize>,
    accesses: Vec<(usize, Access)>,
    /// The positions of states of the current run.
    run: HashMap<Arc<[u64]>, usize>,
    words: usize,
}

impl Known {
    fn add(&mut self, futures: &mut Futures, thread: usize, footprint: &[Access]) {
        for access in footprint {
            let next = self.accesses.len();
            let number = *self.numbers.entry((thread, *access)).or_insert(next);
            if number == next {
                self.accesses.push((thread, *access));
            }
            futures.insert(number);
        }
    }

    /// The futures of a state, if it has been searched in all directions but those of sleeping steps.
    fn futures(&self, key: &[u64], sleep: &[Step]) -> Option<Arc<Futures>> {
        let sleeps = |(thread, choices): &(usize, Arc<[u32]>)| sleep.iter().any(|step| step.is_same(*thread, choices));
        let searched = self.states.get(key)?.iter().find(|searched| searched.sleep.iter().all(sleeps));
        searched.map(|searched| Arc::clone(&searched.futures))
    }

    /// Adds a state that has been searched, unless it has been before, in more directions.
    fn insert(&mut self, key: Arc<[u64]>, sleep: &[Step], futures: Futures) {
        if self.futures(&key, sleep).is_some() {
            return;
        }
        let sleep: Vec<_> = sleep.iter().map(|step| (step.thread, Arc::clone(&step.choices))).collect();
        self.words += key.len() + 2 * futures.0.len() + 4 * sleep.len() + 16;
        let searched = Searched { sleep, futures: Arc::new(futures) };
        self.states.entry(key).or_default().push(searched);
    }

    pub fn states(&self) -> u64 {
        self.states.len() as u64
    }

    pub fn bytes(&self) -> u64 {
        8 * self.words as u64
    }

    /// Does the step conflict with one of these accesses of another thread?
    fn conflicts(&self, step: &Step, futures: &Futures) -> bool {
        futures
            .numbers()
            .map(|number| self.accesses[number])
            .any(|(thread, access)| thread != step.thread && Reach::new(std::slice::from_ref(&access)).conflicts(step))
    }
}

impl Worker<'_> {
    /// The words that decide on what follows the last state of the first `count` steps.
    fn key(&self, count: usize, state: &State) -> Vec<u64> {
        let mut key = Vec::with_capacity(state.words() + 16);
        state.flatten(&mut key);
        let mut seen: Threads = 0;
        for event in self.events(count).rev().filter(|event| event.step.thread < state.threads.len()) {
            let thread = event.step.thread;
            if seen >> thread & 1 == 0 {
                seen |= 1 << thread;
                event.streak.write(thread, &mut key);
            }
            if seen.count_ones() as usize == state.threads.len() {
                break;
            }
        }
        key
    }

    /// Has the last state been searched, or is it being searched? Then makes up for what this would plan.
    pub(super) fn is_known(&mut self) -> Result<bool, End> {
        let at = self.nodes.len() - 1;
        let Some(known) = &self.known else { return Ok(false) };
        let key: Arc<[u64]> = self.key(at, &self.nodes[at].state).into();
        if let Some(futures) = known.futures(&key, &self.nodes[at].slept()) {
            self.nodes[at].futures.join(&futures);
            self.widen_all(0, |known, step| known.conflicts(step, &futures))?;
            return Ok(true);
        }
        match known.run.get(&key) {
            Some(&first) if self.nodes[first].slept().iter().all(|step| self.nodes[at].sleeps(step)) => {
                self.nodes[at].first_reached = first;
                self.widen_all(first, |_, _| true)?;
                return Ok(true);
            }
            Some(_) => return Ok(false),
            None => {}
        }
        self.nodes[at].key = Some(Arc::clone(&key));
        self.known.iter_mut().for_each(|known| _ = known.run.insert(Arc::clone(&key), at));
        Ok(false)
    }

    /// Widens the nodes of the run, from this one on, whose steps are meant.
    fn widen_all(&mut self, from: usize, is_meant: impl Fn(&Known, &Step) -> bool) -> Result<(), End> {
        for at in from..self.nodes.len() - 1 {
            let Some((known, event)) = self.known.as_ref().zip(self.event(at)) else { continue };
            if !self.nodes[at].is_widened && is_meant(known, &event.step) {
                self.widen(at)?;
            }
        }
        Ok(())
    }

    /// Notes what has followed a node: accesses of a thread.
    pub(super) fn note_future(&mut self, at: usize, thread: usize, footprint: &[Access]) {
        if let Some(known) = &mut self.known {
            known.add(&mut self.nodes[at].futures, thread, footprint);
        }
    }

    /// A node has been searched, which was the last of the run.
    pub(super) fn note_searched(&mut self, node: &mut Node) {
        if self.known.is_none() {
            return;
        }
        let at = self.nodes.len();
        let futures = std::mem::take(&mut node.futures);
        if let Some(before) = at.checked_sub(1) {
            let earlier = &mut self.nodes[before];
            earlier.futures.join(&futures);
            earlier.first_reached = earlier.first_reached.min(node.first_reached);
            if let Some(event) = self.event(before).cloned() {
                self.note_future(before, event.step.thread, &event.step.footprint);
            }
        }
        let own = node.key.take();
        let key = own.clone().unwrap_or_else(|| self.key(at, &node.state).into());
        let Some(known) = &mut self.known else { return };
        own.iter().for_each(|key| _ = known.run.remove(key));
        if !node.has_ended && node.first_reached >= at {
            known.insert(key, &node.slept(), futures);
        }
    }

    /// Plans everything that can go on from a node of the run.
    fn widen(&mut self, at: usize) -> Result<(), End> {
        self.nodes[at].is_widened = true;
        for group in self.groups(at, None) {
            let mut can_any = false;
            for thread in group {
                match self.attempt_at(at, thread)? {
                    Attempt::Disabled { footprint, .. } => {
                        self.note_future(at, thread, &footprint);
                        self.reverse_attempt_at(at, thread, &footprint)?;
                    }
                    Attempt::Ways(ways) => {
                        can_any = true;
                        for way in ways {
                            if !way.can_come_last {
                                self.nodes[at].branch_to(&way.step);
                            }
                            self.spare.give(way.to);
                        }
                    }
                }
            }
            if can_any {
                break;
            }
        }
        Ok(())
    }
}
