//! The observers of a program, evaluated during a search.

use crate::choices::Choices;
use crate::observe::Writes;
use crate::setup::PARTS;
use crate::state::Thread;
use crate::{Code, Ended, Machine, ObserverCache, Sharing, State, Stopped};
use selvedge_program::{Observers, Reason, SourceMap, Violation};

/// The answers of observers about a state.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The propositions that hold. `None`: those from before; nobody looks into an atomic section.
    pub letter: Option<u64>,
    /// Under an abstraction: what tells states apart.
    pub key: Option<Vec<u64>>,
}

/// All observers with their caches, which stay valid when a search begins anew.
pub struct Watch {
    invariants: Vec<ObserverCache>,
    abstraction: Option<ObserverCache>,
    /// Each with its bit in a letter.
    propositions: Vec<(u64, ObserverCache)>,
    key: Vec<u64>,
}

type Looking<'c> = Machine<'c, Choices>;

impl Watch {
    /// `None` if there are no observers.
    pub fn new(observers: &Observers) -> Option<Watch> {
        let looks = |observer| ObserverCache::new(observer, Writes::Never);
        (!observers.is_empty()).then(|| Watch {
            invariants: observers.invariants.iter().map(looks).collect(),
            abstraction: observers
                .abstraction
                .as_ref()
                .map(|observer| ObserverCache::new(observer, Writes::ToVariables)),
            propositions: observers.proposition_bits().map(|(bit, observer)| (bit, looks(observer))).collect(),
            key: Vec::new(),
        })
    }

    /// An invariant that does not hold in the machine's state, to which `thread` led. Invariants are not checked
    /// inside of atomic sections.
    pub fn broken(&mut self, machine: &mut Looking<'_>, thread: usize) -> Result<Option<Violation>, Reason> {
        if machine.state.inside_atomic().is_some() {
            return Ok(None);
        }
        for invariant in &mut self.invariants {
            if invariant.ask(machine)?.value == 0 {
                return Ok(Some(Violation::of_invariant(invariant.name(), SourceMap::NOWHERE, thread)));
            }
        }
        Ok(None)
    }

    /// Asks propositions and the abstraction about the machine's state.
    pub fn look(&mut self, machine: &mut Looking<'_>) -> Result<Seen, Reason> {
        let is_visible = machine.state.inside_atomic().is_none();
        let letter = if is_visible { Some(self.letter(machine)?) } else { None };
        Ok(Seen { letter, key: self.key(machine)?.map(<[u64]>::to_vec) })
    }

    /// Which propositions hold, as bits; `end` is not among them.
    pub fn letter(&mut self, machine: &mut Looking<'_>) -> Result<u64, Reason> {
        let mut letter = 0;
        for (bit, proposition) in &mut self.propositions {
            letter |= if proposition.ask(machine)?.value == 0 { 0 } else { *bit };
        }
        Ok(letter)
    }

    /// The part of the machine's state that is told apart under the abstraction: where the threads are, and what it
    /// wrote. `None`: everything is.
    pub fn key(&mut self, machine: &mut Looking<'_>) -> Result<Option<&[u64]>, Reason> {
        let Some(abstraction) = &mut self.abstraction else { return Ok(None) };
        self.key.clear();
        let written = abstraction.ask(machine)?.written.as_slice();
        self.key.push(written.len() as u64);
        self.key.extend(written);
        control(&machine.state, &mut self.key);
        // Open inputs are not in memory yet.
        machine.state.late_inputs.encode(&mut self.key);
        Ok(Some(&self.key))
    }
}

/// The positions of all threads in all their active functions.
fn control(state: &State, words: &mut Vec<u64>) {
    for thread in &state.threads {
        words.extend(thread.stack.first());
        words.extend(thread.locks());
        if !thread.is_finished() {
            frames(thread, words);
        }
    }
}

fn frames(thread: &Thread, words: &mut Vec<u64>) {
    let (mut here, mut base) = (u64::from(thread.pc()), thread.base());
    for _ in 0..thread.depth() {
        words.push(here);
        let caller = thread.stack[base];
        (here, base) = (caller & u64::from(u32::MAX), (caller >> 32) as usize);
    }
}

/// Checks that the initial function does not block, and ends.
pub fn check_init(code: &Code<'_>) -> Result<(), Reason> {
    let Some(name) = &code.program.observers.init else { return Ok(()) };
    let wrong = |does: String| Err(Reason::Observer { name: name.clone(), does });
    let mut machine = Machine::new(code, Sharing::everything(), Choices::default(), u64::MAX);
    for _ in 0..PARTS {
        let result = machine.step(0);
        let at = code.program.source.describe(machine.stopped_at);
        match result {
            Ok(Ended::Paused) if machine.state.inside_atomic().is_some() => {}
            Err(Stopped::Blocked) => return wrong(format!("it blocks, at {at}")),
            // Anything else that goes wrong is for the search to find.
            _ => return Ok(()),
        }
    }
    wrong("it does not come to an end".to_string())
}
