//! Supersteps: a thread runs on as long as that does not matter to what the others do next.
//!
//! Zaks and Joshi, "Verifying Multi-threaded C Programs with SPIN" (SPIN 2008). From a state s each thread i has a
//! *superstep*, a sequence of its transitions that becomes one, such that
//!
//! 1. it has at least one transition, and at most so many,
//! 2. only its last transition conflicts with any transition in another thread's superstep from s,
//! 3. only its last transition writes to what observers read.
//!
//! **Why nothing is lost.** Take a run from s. Of all supersteps from s let thread i's be the first that is complete in
//! it. What the others have done by then are transitions of theirs that are not their last ones: they conflict with
//! nothing in i's superstep, so they can be moved behind it, and so on from there. Along the way observers say what
//! they say in s until i's last transition, and then what they say behind the superstep, because nothing else that
//! was done writes to what they read; so both runs satisfy the same formulas without X. What is moved is not moved for
//! ever, but for one case: a thread that stops for good inside of a superstep. Neither the others nor observers can tell
//! how far it got, and it could always have gone on (its next transition conflicts with nothing that happens),
//! so that the run is not a fair one, either. Because *every* thread has a superstep in every state, and a short one,
//! there is no ignoring problem, and cycles need no care.
//!
//! Rule 3 is about writes, not about changes: two writes that each change no proposition may do so together. What
//! observers read is learnt as what threads share is: a search that sees them read more begins anew. A data abstraction is
//! no observer in this sense: it is asked about the states that are stored, whichever those are. If it tells apart what
//! behaves differently, the run behind a superstep goes on from one state that looks the same as from the other.
//!
//! As in the paper, a transition that conflicts with the last one of another superstep ends its own (*post-stop*),
//! and one that conflicts with an earlier one is not taken at all (*pre-stop*). Where we differ:
//!
//! - All supersteps of a state are worked out together, so that nothing needs to be kept with the state.
//! - A transition is a visible step with the invisible ones behind it, or an atomic section, so its footprint is known
//!   only when it was run; a pre-stop takes it back.
//! - A thread that is blocked takes part with what it looked at: who unblocks it has to stop there.
//! - A new thread has no superstep yet: who creates one has to stop there, too.
//! - Where inputs are open, or were chosen, a superstep is a single transition; so it is inside of an atomic section that
//!   is too long for one, and such a part conflicts with everything.

use crate::explicit::store::{Cursor, MAX_LENGTH, Root, Store};
use selvedge_program::{Loc, Reason, SourceMap, Violation};
use selvedge_vm::choices::Choices;
use selvedge_vm::deadlock::{Threads, Waiting};
use selvedge_vm::footprint::{Access, conflict, creates, is_watched};
use selvedge_vm::watch::Watch;
use selvedge_vm::ways::{Way, Ways};
use selvedge_vm::{Ended, Ins, Machine};

/// What one thread does from a state.
pub(crate) struct Superstep {
    pub thread: usize,
    /// Where it may lead: in several places if there are choices.
    pub ends: Vec<Arrival>,
    /// Its first transition is wrong.
    pub wrong: Option<Wrong>,
    /// The footprints of its transitions, or of the attempt if it is blocked.
    table: Vec<Vec<Access>>,
    /// Can it not go on, whatever is chosen?
    pub blocked: bool,
    /// If so: for whom it waits, and where.
    pub waiting: Waiting,
    pub stopped_at: Loc,
}

pub(crate) struct Arrival {
    pub root: Root,
    pub ended: Ended,
    /// Of the first transition.
    pub choices: Vec<u32>,
    /// Transitions.
    pub length: usize,
    pub seen: Seen,
}

pub(crate) struct Wrong {
    pub choices: Vec<u32>,
    pub violation: Box<Violation>,
}

/// What observers say of a state.
#[derive(Default)]
pub(crate) struct Seen {
    pub broken: Option<Violation>,
    /// The propositions that hold. `None`: those from before; nobody looks into an atomic section.
    pub letter: Option<u64>,
    /// Under an abstraction: what tells states apart.
    pub key: Option<Vec<u64>>,
}

/// Why there is no answer.
pub(crate) enum Stop {
    /// Something turned out to be shared, or watched: begin anew.
    Shared,
    GaveUp(Reason),
}

impl Superstep {
    /// Of the first transition, in all its ways.
    pub fn first_footprint(&self) -> &[Access] {
        &self.table[0]
    }
}

/// How a transition goes with the supersteps of others.
#[derive(PartialEq, Eq)]
enum Conflict {
    Continue,
    PostStop,
    PreStop,
}

fn test(footprint: &[Access], thread: usize, all: &[Superstep]) -> Conflict {
    let mut result = Conflict::Continue;
    for other in all.iter().filter(|other| other.thread != thread) {
        let Some((last, earlier)) = other.table.split_last() else { continue };
        if earlier.iter().any(|accesses| conflict(footprint, accesses)) {
            return Conflict::PreStop;
        }
        if conflict(footprint, last) {
            result = Conflict::PostStop;
        }
    }
    result
}

/// Has a superstep to end with a transition that left this footprint?
fn must_stop_after(footprint: &[Access], all: &[Superstep], thread: usize) -> bool {
    creates(footprint) || is_watched(footprint) || test(footprint, thread, all) != Conflict::Continue
}

/// Those that wait.
pub(crate) fn waiting(all: &[Superstep]) -> Vec<Waiting> {
    all.iter().filter_map(|step| step.blocked.then_some(step.waiting)).collect()
}

/// Does the thread offer to give way?
pub(crate) fn yields(machine: &Machine<'_, Choices>, thread: usize) -> bool {
    yields_at(machine, machine.state.threads[thread].pc())
}

/// Does a thread that stands here?
#[inline]
pub(crate) fn yields_at(machine: &Machine<'_, Choices>, pc: u32) -> bool {
    matches!(machine.code.ins[pc as usize], Ins::Yield)
}

/// Runs threads from states, and keeps where they get. The machine must write down footprints.
pub(crate) struct Runner<'s, 'c> {
    pub machine: &'s mut Machine<'c, Choices>,
    pub store: &'s Store,
    pub cursor: &'s mut Cursor,
    pub watch: Option<&'s mut Watch>,
    pub transitions: &'s mut u64,
}

impl Runner<'_, '_> {
    /// The supersteps of all threads of a state that have not ended; who stopped inside an atomic section goes on alone,
    /// if it can.
    pub fn supersteps(&mut self, state: Root) -> Result<Vec<Superstep>, Stop> {
        self.load(state);
        let threads = &self.machine.state.threads;
        let alive: Vec<usize> = (0..threads.len()).filter(|t| !threads[*t].is_finished()).collect();
        let mut all = Vec::with_capacity(alive.len());
        let inside = self.machine.state.inside_atomic();
        if let Some(inside) = inside {
            all.push(self.first_transition(state, inside)?);
            if !all[0].blocked {
                return Ok(all);
            }
        }
        for thread in alive.into_iter().filter(|thread| inside != Some(*thread)) {
            all.push(self.first_transition(state, thread)?);
        }
        for at in 0..all.len() {
            self.extend(&mut all, at)?;
        }
        Ok(all)
    }

    /// Runs a thread's next transition, in all ways that its choices allow, or until one is wrong.
    pub fn first_transition(&mut self, state: Root, thread: usize) -> Result<Superstep, Stop> {
        let mut step = Superstep {
            thread,
            ends: Vec::new(),
            wrong: None,
            table: vec![Vec::new()],
            blocked: false,
            waiting: Waiting { thread, awaits: Threads::MAX },
            stopped_at: SourceMap::NOWHERE,
        };
        let mut ways = Ways::new(thread, self.machine);
        while ways.is_left(self.machine) {
            self.load(state);
            *self.transitions += 1;
            let way = ways.run(self.machine);
            step.table[0].extend_from_slice(self.machine.footprint());
            match way {
                Way::Nowhere => step.stopped_at = self.machine.stopped_at,
                Way::To(ended) => {
                    if self.machine.state.inside_atomic().is_some() {
                        // The rest of the section will touch more.
                        step.table[0].push(Access::EVERYTHING);
                    }
                    // Observers may choose, too.
                    let seen = self.look(thread)?;
                    let choices = self.machine.oracle.path();
                    step.ends.push(Arrival { root: self.keep(), ended, choices, length: 1, seen });
                }
                Way::Violation(violation) => {
                    step.wrong = Some(Wrong { choices: self.machine.oracle.path(), violation });
                    return Ok(step);
                }
                Way::Learnt => return Err(Stop::Shared),
            }
        }
        if let Some(awaits) = ways.awaits() {
            (step.blocked, step.waiting.awaits) = (true, awaits);
        }
        for way in ways.blocked() {
            self.machine.oracle.reset();
            self.load(state);
            way.enter(&mut self.machine.state);
            // Nothing has happened that invariants and propositions could have noticed.
            let seen = Seen { broken: None, letter: None, ..self.look(thread)? };
            let (root, choices) = (self.keep(), way.choices);
            step.ends.push(Arrival { root, ended: Ended::Paused, choices, length: 1, seen });
        }
        Ok(step)
    }

    /// Adds transitions to a superstep that has one.
    fn extend(&mut self, all: &mut [Superstep], at: usize) -> Result<(), Stop> {
        let thread = all[at].thread;
        let [Arrival { root, ended: Ended::Paused, choices, .. }] = all[at].ends.as_slice() else { return Ok(()) };
        if !choices.is_empty() || must_stop_after(&all[at].table[0], all, thread) {
            return Ok(());
        }
        let mut passed = vec![*root];
        self.load(*root);
        self.machine.oracle.reset();
        let mut end = Ended::Paused;
        while passed.len() < MAX_LENGTH && self.machine.state.late_inputs.is_empty() && !yields(self.machine, thread) {
            let result = self.machine.step(thread);
            *self.transitions += 1;
            if self.machine.sharing.grew {
                return Err(Stop::Shared);
            }
            // Whatever is not a plain step is left to the state before it: a part of an atomic section, inputs that
            // observers might ask about.
            let Ok(ended @ (Ended::Paused | Ended::Finished)) = result else { break };
            let footprint = self.machine.footprint();
            let is_left = test(footprint, thread, all) == Conflict::PreStop || self.machine.oracle.has_chosen();
            let is_inside = self.machine.state.inside_atomic().is_some();
            if is_left || is_inside || self.watch.is_some() && !self.machine.state.late_inputs.is_empty() {
                break;
            }
            let must_stop = must_stop_after(footprint, all, thread);
            all[at].table.push(footprint.to_vec());
            let root = self.keep();
            // Who waits in a loop would go round for ever.
            let is_round = passed.contains(&root);
            passed.push(root);
            end = ended;
            if must_stop || ended == Ended::Finished || is_round {
                break;
            }
        }
        if let [.., last] = passed[1..] {
            self.load(last);
            let seen = self.look(thread)?;
            all[at].ends = vec![Arrival { root: last, ended: end, choices: Vec::new(), length: passed.len(), seen }];
        }
        Ok(())
    }

    /// What observers say of the machine's state, to which `thread` led. The footprint of its step is lost.
    pub fn look(&mut self, thread: usize) -> Result<Seen, Stop> {
        let Some(watch) = self.watch.as_deref_mut() else { return Ok(Seen::default()) };
        let machine = &mut *self.machine;
        let mut seen = Seen { broken: watch.broken(machine, thread).map_err(Stop::GaveUp)?, ..Seen::default() };
        if machine.state.inside_atomic().is_none() {
            seen.letter = Some(watch.letter(machine).map_err(Stop::GaveUp)?);
        }
        seen.key = watch.key(machine).map_err(Stop::GaveUp)?.map(<[u64]>::to_vec);
        if machine.sharing.grew { Err(Stop::Shared) } else { Ok(seen) }
    }

    fn load(&mut self, root: Root) {
        self.store.unfold(self.cursor, root, &mut self.machine.state);
    }

    fn keep(&mut self) -> Root {
        self.store.fold(self.cursor, &mut self.machine.state)
    }
}
