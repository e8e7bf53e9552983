//! All that a thread can do in a state.

use crate::buffer::{self, Header, Phase};
use crate::session::Trouble;
use selvedge_program::Violation;
use selvedge_vm::choices::Choices;
use selvedge_vm::watch::Watch;
use selvedge_vm::{Ended, Machine, State, ways as machine};
use std::rc::Rc;

pub struct Way {
    /// What it takes of what is open.
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

/// Of one thread, in one state. None: it is blocked, or is not there.
pub type Ways = Rc<Vec<Way>>;

pub struct Runner<'c> {
    pub machine: Machine<'c, Choices>,
    pub watch: Option<Watch>,
    /// Are ends told apart? Only propositions can.
    pub keeps_ends: bool,
}

impl Runner<'_> {
    /// Runs `thread` from a state in every way.
    pub fn run(&mut self, from: &State, before: Header, thread: usize) -> Result<Vec<Way>, Trouble> {
        let mut ways = Vec::new();
        let mut all = machine::Ways::new(thread, &mut self.machine);
        while all.is_left(&mut self.machine) {
            self.machine.state.clone_from(from);
            match all.run(&mut self.machine) {
                machine::Way::Nowhere => {}
                machine::Way::Learnt => return Err(Trouble::Learnt),
                machine::Way::Violation(violation) => {
                    ways.push(Way { choices: self.machine.oracle.path(), to: Err(*violation) });
                }
                machine::Way::To(ended) => {
                    let to = self.arrive(before, thread, ended)?;
                    ways.push(Way { choices: self.machine.oracle.path(), to });
                }
            }
        }
        if all.awaits().is_some() {
            return Ok(Vec::new());
        }
        for way in all.blocked() {
            self.machine.state.clone_from(from);
            way.enter(&mut self.machine.state);
            self.machine.oracle.reset();
            let to = Ok(self.arrival(before.phase, before.letter)?);
            ways.push(Way { choices: way.choices, to });
        }
        if ways.is_empty() {
            // Not blocked, and yet it cannot go on: SPIN must not take that for a deadlock.
            let to = Arrival { phase: Phase::Pruned, letter: 0, flat: Vec::new(), key: Vec::new(), threads: 0 };
            ways.push(Way { choices: Vec::new(), to: Ok(to) });
        }
        Ok(ways)
    }

    /// The machine is in a state that a step of `thread` led to.
    fn arrive(&mut self, before: Header, thread: usize, ended: Ended) -> Result<Result<Arrival, Violation>, Trouble> {
        if let Some(violation) = self.broken(thread)? {
            return Ok(Err(violation));
        }
        // Nobody looks into an atomic section.
        let (phase, letter) = match self.machine.state.inside_atomic() {
            Some(_) => (before.phase, before.letter),
            None => (Phase::Running, self.letter()?),
        };
        let over = ended == Ended::Exited || self.machine.state.alive() == 0;
        Ok(Ok(self.arrival(if over { Phase::Over } else { phase }, letter)?))
    }

    fn arrival(&mut self, phase: Phase, letter: u64) -> Result<Arrival, Trouble> {
        let key = match &mut self.watch {
            Some(watch) => watch.key(&mut self.machine)?.map(<[u64]>::to_vec).unwrap_or_default(),
            None => Vec::new(),
        };
        self.stop_if_grown()?;
        let threads = self.machine.state.threads.len();
        let told_apart = phase.goes_on() || self.keeps_ends;
        let flat = if told_apart { buffer::flattened(&self.machine.state) } else { Vec::new() };
        Ok(Arrival { phase, letter, flat, key: if told_apart { key } else { Vec::new() }, threads })
    }

    pub fn broken(&mut self, thread: usize) -> Result<Option<Violation>, Trouble> {
        let Some(watch) = &mut self.watch else { return Ok(None) };
        let broken = watch.broken(&mut self.machine, thread)?;
        self.stop_if_grown()?;
        Ok(broken)
    }

    pub fn letter(&mut self) -> Result<u64, Trouble> {
        let Some(watch) = &mut self.watch else { return Ok(0) };
        let letter = watch.letter(&mut self.machine)?;
        self.stop_if_grown()?;
        Ok(letter)
    }

    /// The first state, as it stands in the machine.
    pub fn first(&mut self) -> Result<Arrival, Trouble> {
        let letter = self.letter()?;
        let has_init = self.machine.code.program.observers.init.is_some();
        self.arrival(if has_init { Phase::Beginning } else { Phase::Running }, letter)
    }

    pub fn stop_if_grown(&self) -> Result<(), Trouble> {
        if self.machine.sharing.grew { Err(Trouble::Learnt) } else { Ok(()) }
    }
}
