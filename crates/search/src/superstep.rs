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
//! they say in s until i's last transition, and then what they say behind the superstep, because nothing else that was
//! done writes to what they read; so both runs satisfy the same formulas without X. What is moved is not moved for
//! ever, but for one case: a thread that stops for good inside of a superstep. Neither the others nor observers can
//! tell how far it got, and it could always have gone on (its next transition conflicts with nothing that happens), so
//! that the run is not a fair one, either. Because *every* thread has a superstep in every state, and a short one,
//! there is no ignoring problem, and cycles need no care.
//!
//! Rule 3 is about writes, not about changes: two writes that each change no proposition may do so together. What
//! observers read is learnt as what threads share is: a search that sees them read more begins anew. A data abstraction
//! is no observer in this sense: it is asked about the states that are stored, whichever those are. If it tells apart
//! what behaves differently, the run behind a superstep goes on from one state that looks the same as from the other.
//!
//! As in the paper, a transition that conflicts with the last one of another superstep ends its own (*post-stop*),
//! and one that conflicts with an earlier one is not taken at all (*pre-stop*). Where we differ:
//!
//! - All supersteps of a state are worked out together, so that nothing needs to be kept with the state.
//! - A transition is a visible step with the invisible ones behind it, or an atomic section, so its footprint is known
//!   only when it was run; a pre-stop takes it back.
//! - A thread that is blocked takes part with what it looked at: who unblocks it has to stop there.
//! - A store that has not arrived is part of the transition that notices it ([`selvedge_vm::store_buffer::flush`]),
//!   which is a choice; so others' stores end a superstep before they could be noticed. Making a store counts as
//!   touching its bytes.
//! - A new thread has no superstep yet: who creates one has to stop there, too.
//! - Where inputs are open, or were chosen, a superstep is a single transition; so it is inside of an atomic section
//!   that is too long for one, and such a part conflicts with everything.

use crate::explicit::store::{Cursor, MAX_LENGTH, Root, Store};
use selvedge_engine::counterexample::Leg;
use selvedge_program::Violation;
use selvedge_vm::Ended;
use selvedge_vm::deadlock::{Threads, Waiting};
use selvedge_vm::expand::{Expander, Expansion, Outcome, Stop, Successor, members};
use selvedge_vm::footprint::{Access, conflict, creates, is_watched};
use selvedge_vm::watch::Seen;

/// A thread's superstep from a state, or its single transition.
pub(crate) struct Superstep {
    pub thread: usize,
    /// Its possible results: several if there are choices.
    pub ends: Vec<Arrival>,
    /// It fails, or breaks an invariant.
    pub wrong: Option<(Leg, Box<Violation>)>,
    /// The footprint of its first transition, in all ways, or of the attempt if it waits.
    pub footprint: Vec<Access>,
    /// The footprints of further transitions.
    later_footprints: Vec<Vec<Access>>,
    /// It cannot go on, whatever is chosen.
    pub waiting: Option<Waiting>,
}

#[derive(Clone)]
pub(crate) struct Arrival {
    pub root: Root,
    pub ended: Ended,
    pub leg: Leg,
    /// Steps of a single transition, as a schedule counts them; `None` if only inputs were chosen.
    pub steps: Option<u64>,
    /// The thread whose oldest buffered store has arrived, if the buffer was not drained.
    pub arrived: Option<usize>,
    pub seen: Seen,
}

impl Superstep {
    /// The footprints of all transitions, the last one first.
    fn footprints(&self) -> impl Iterator<Item = &[Access]> {
        let later = self.later_footprints.iter().rev().map(Vec::as_slice);
        later.chain([self.footprint.as_slice()])
    }
}

/// The conflict of a transition with the supersteps of others.
#[derive(PartialEq, Eq)]
enum Conflict {
    Continue,
    PostStop,
    PreStop,
}

fn test(footprint: &[Access], thread: usize, all: &[Superstep]) -> Conflict {
    let mut result = Conflict::Continue;
    for other in all.iter().filter(|other| other.thread != thread) {
        let mut footprints = other.footprints();
        let ends_it = footprints.next().is_some_and(|last| conflict(footprint, last));
        if footprints.any(|earlier| conflict(footprint, earlier)) {
            return Conflict::PreStop;
        }
        if ends_it {
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
    all.iter().filter_map(|step| step.waiting).collect()
}

/// Runs threads from states of a store, and keeps where they get. Supersteps need a machine that writes down
/// footprints.
pub(crate) struct Runner<'s, 'c> {
    pub expander: &'s mut Expander<'c>,
    pub store: &'s Store,
    pub cursor: &'s mut Cursor,
    /// Are states kept in which the process has ended?
    pub keeps_exits: bool,
}

impl Runner<'_, '_> {
    /// The supersteps of all threads that may run from a state. Who goes on alone inside an atomic section stops after
    /// its first transition: it is not known yet what the others would do.
    pub fn supersteps(&mut self, state: Root) -> Result<Vec<Superstep>, Stop> {
        self.load(state);
        let is_inside = self.expander.machine.state.inside_atomic().is_some();
        let mut all = self.transitions(state)?;
        if is_inside && all.len() == 1 {
            return Ok(all);
        }
        for at in 0..all.len() {
            self.extend(&mut all, at)?;
        }
        Ok(all)
    }

    /// The next transitions of all threads that have not ended; who stopped inside an atomic section goes on alone, if
    /// it can.
    fn transitions(&mut self, state: Root) -> Result<Vec<Superstep>, Stop> {
        self.load(state);
        let (first, all) = (self.expander.machine.state.runnable(), self.expander.machine.state.unfinished());
        let run = |threads: Threads, runner: &mut Self| -> Result<Vec<Superstep>, Stop> {
            members(threads).map(|thread| runner.transition(state, thread)).collect()
        };
        let mut steps = run(first, self)?;
        if steps.iter().all(|step| step.waiting.is_some()) {
            steps.extend(run(all & !first, self)?);
        }
        Ok(steps)
    }

    /// Runs a thread's next transition, in all ways that its choices allow, or until one is wrong.
    pub fn transition(&mut self, state: Root, thread: usize) -> Result<Superstep, Stop> {
        let (ends, later_footprints) = (Vec::new(), Vec::new());
        let mut step = Superstep { thread, ends, wrong: None, footprint: Vec::new(), later_footprints, waiting: None };
        let mut expansion = Expansion::new(thread, self.expander);
        let Runner { expander, store, cursor, keeps_exits } = self;
        while let Some(outcome) = expansion.next(expander, |to| store.unfold(cursor, state, to))? {
            match outcome {
                Outcome::To(Successor { ended: Ended::Exited, .. }) if !*keeps_exits => {}
                Outcome::To(Successor { ended, choices, steps, arrived, seen }) => {
                    if expander.machine.state.inside_atomic().is_some() {
                        // The rest of the section will touch more.
                        expansion.footprint.push(Access::EVERYTHING);
                    }
                    let root = store.fold(cursor, &mut expander.machine.state);
                    step.ends.push(Arrival { root, ended, leg: Leg::new(thread, choices), steps, arrived, seen });
                }
                Outcome::Wrong(wrong) => {
                    step.wrong = Some((Leg::new(thread, wrong.choices), wrong.violation));
                    break;
                }
                Outcome::Waits(waiting) => step.waiting = Some(waiting),
                // Searches that take equal threads for one have no use for footprints.
                Outcome::WaitsIfNamed(_) => {}
            }
        }
        step.footprint = expansion.footprint;
        Ok(step)
    }

    /// Adds transitions to a superstep that has one.
    fn extend(&mut self, all: &mut [Superstep], at: usize) -> Result<(), Stop> {
        let Superstep { thread, ends, wrong, footprint, .. } = &all[at];
        let thread = *thread;
        let [Arrival { root, ended: Ended::Paused, leg, arrived, .. }] = ends.as_slice() else { return Ok(()) };
        if wrong.is_some() || !leg.choices.is_empty() || must_stop_after(footprint, all, thread) {
            return Ok(());
        }
        let (mut passed, mut arrived) = (vec![*root], *arrived);
        self.load(*root);
        self.expander.machine.oracle.reset();
        let mut end = Ended::Paused;
        while passed.len() < MAX_LENGTH
            && self.expander.machine.state.late_inputs.is_empty()
            && self.expander.machine.goes_on(thread)
            && !self.may_notice_stores(thread)
        {
            let Some(ended) = self.step_plainly(thread)? else { break };
            let footprint = self.expander.machine.footprint();
            if test(footprint, thread, all) == Conflict::PreStop {
                break;
            }
            let must_stop = must_stop_after(footprint, all, thread);
            arrived = arrived.or(self.expander.machine.made_room().then_some(thread));
            all[at].later_footprints.push(footprint.to_vec());
            let root = self.keep();
            // A thread that waits in a loop would go round for ever.
            let is_round = passed.contains(&root);
            passed.push(root);
            end = ended;
            if must_stop || ended == Ended::Finished || is_round {
                break;
            }
        }
        if let [.., last] = passed[1..] {
            self.conclude(&mut all[at], last, end, passed.len())?;
            all[at].ends.iter_mut().for_each(|end| end.arrived = arrived);
        }
        Ok(())
    }

    /// Could the thread's next transition, or observers, notice a store that has not arrived? Whether it should is a
    /// choice.
    fn may_notice_stores(&self, thread: usize) -> bool {
        let is_watched = self.expander.watch.is_some() || self.expander.machine.offers_all_flushes;
        self.expander.machine.state.storing().any(|owner| owner != thread || is_watched)
    }

    /// Takes a transition from the machine's state. Whatever is not a plain one is left to the state before it: a part
    /// of an atomic section, inputs that observers might ask about.
    fn step_plainly(&mut self, thread: usize) -> Result<Option<Ended>, Stop> {
        let Expander { machine, watch, transitions, .. } = &mut *self.expander;
        let result = machine.step(thread);
        *transitions += 1;
        if machine.sharing.grew {
            return Err(Stop::Shared);
        }
        let Ok(ended @ (Ended::Paused | Ended::Finished)) = result else { return Ok(None) };
        let is_open = watch.is_some() && !machine.state.late_inputs.is_empty();
        let is_plain = !machine.oracle.has_chosen() && machine.state.inside_atomic().is_none() && !is_open;
        Ok(is_plain.then_some(ended))
    }

    /// A superstep of so many transitions ends here.
    fn conclude(&mut self, step: &mut Superstep, root: Root, ended: Ended, length: usize) -> Result<(), Stop> {
        self.load(root);
        let leg = Leg { thread: step.thread, length, choices: Vec::new() };
        step.ends.clear();
        if let Some(violation) = self.expander.broken(step.thread)? {
            step.wrong = Some((leg, Box::new(violation)));
        } else {
            step.ends.push(Arrival { root, ended, leg, steps: None, arrived: None, seen: self.expander.look()? });
        }
        Ok(())
    }

    pub fn load(&mut self, root: Root) {
        self.store.unfold(self.cursor, root, &mut self.expander.machine.state);
    }

    fn keep(&mut self) -> Root {
        self.store.fold(self.cursor, &mut self.expander.machine.state)
    }
}
