//! All that a thread can do in a state.

use crate::buffer::{self, Header, Phase};
use crate::session::Trouble;
use selvedge_program::Violation;
use selvedge_vm::expand::{Expander, Expansion, Outcome, Stop, Successor};
use selvedge_vm::watch::Seen;
use selvedge_vm::{Ended, State};
use std::rc::Rc;

pub struct Way {
    /// The choices it makes.
    pub choices: Vec<u32>,
    pub to: Result<Arrival, Violation>,
}

/// A state, as it is written into the buffer.
pub struct Arrival {
    pub phase: Phase,
    pub letter: u64,
    pub flat: Vec<u64>,
    /// Under an abstraction, what is told apart.
    pub key: Vec<u64>,
    pub threads: usize,
}

/// The ways of one thread in one state. None: it is blocked, or is not there.
pub type Ways = Rc<Vec<Way>>;

pub struct Runner<'c> {
    pub expander: Expander<'c>,
    /// Are ends told apart? Only propositions can.
    pub keeps_ends: bool,
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Trouble {
        match stop {
            Stop::Shared => Trouble::Learnt,
            Stop::GaveUp(reason) => reason.into(),
        }
    }
}

impl Runner<'_> {
    /// Runs `thread` from a state in every way.
    pub fn run(&mut self, from: &State, before: Header, thread: usize) -> Result<Vec<Way>, Trouble> {
        let mut ways = Vec::new();
        let mut expansion = Expansion::new(thread, &mut self.expander);
        while let Some(outcome) = expansion.next(&mut self.expander, |to| to.clone_from(from))? {
            match outcome {
                Outcome::To(Successor { ended, choices, seen, .. }) => {
                    ways.push(Way { choices, to: Ok(self.arrive(before, ended, seen)) });
                }
                Outcome::Wrong(wrong) => ways.push(Way { choices: wrong.choices, to: Err(*wrong.violation) }),
                Outcome::Waits(waiting) if !waiting.for_store => return Ok(Vec::new()),
                // The stores that might help arrive next.
                Outcome::Waits(_) => {}
                // Here all threads are told apart.
                Outcome::WaitsIfNamed(_) => {}
            }
        }
        if ways.is_empty() {
            // Not blocked, and yet it cannot go on: SPIN must not take that for a deadlock.
            let to = Arrival { phase: Phase::Pruned, letter: 0, flat: Vec::new(), key: Vec::new(), threads: 0 };
            ways.push(Way { choices: Vec::new(), to: Ok(to) });
        }
        Ok(ways)
    }

    /// The machine is in a state that a step led to.
    fn arrive(&self, before: Header, ended: Ended, seen: Seen) -> Arrival {
        let over = ended == Ended::Exited || self.expander.machine.state.alive() == 0;
        let phase = match seen.letter {
            _ if over => Phase::Over,
            Some(_) => Phase::Running,
            None => before.phase,
        };
        self.arrival(phase, Seen { letter: seen.letter.or(Some(before.letter)), ..seen })
    }

    fn arrival(&self, phase: Phase, Seen { letter, key }: Seen) -> Arrival {
        let state = &self.expander.machine.state;
        let told_apart = phase.goes_on() || self.keeps_ends;
        let flat = if told_apart { buffer::flattened(state) } else { Vec::new() };
        let key = key.filter(|_| told_apart).unwrap_or_default();
        Arrival { phase, letter: letter.unwrap_or(0), flat, key, threads: state.threads.len() }
    }

    /// The first state, as it stands in the machine.
    pub fn first(&mut self) -> Result<Arrival, Trouble> {
        let seen = self.expander.look()?;
        let has_init = self.expander.machine.code.program.observers.init.is_some();
        Ok(self.arrival(if has_init { Phase::Beginning } else { Phase::Running }, seen))
    }
}
