//! Loads: from an address to the value that a step gives.
//!
//! 1. *Address.* The cells that it may mean, each under a condition; anything else is checked (`address.rs`).
//! 2. *Visible store.* What the load sees in each of them: [`Walk::visible`].
//! 3. *Forwarding.* What follows from the fact that the load runs need not be left to the solver (`forwarding.rs`).
//! 4. *Choice.* The cell that the address means is the one that counts.
//! 5. *Round.* A thread is walked through in every round, and a load gives what it found in the one in which it ran
//!    ([`Walk::keep`]). Objects that no other thread touches look the same in all of them.
//! 6. *Range.* It keeps the bits that its range leaves open (`ranges.rs`).
//!
//! Bytes that were never written hold their initial value; if there is none, a variable
//! (`memory.rs`).

use super::address::Candidate;
use super::blocks::Moved;
use super::forwarding::At;
use super::memory::Cell;
use super::ranges::{bits_in, widened};
use super::walk::{Mode, StepId, Walk};
use hashbrown::HashMap;
use selvedge_analyze::Range;
use selvedge_formula::{Term, Terms};
use selvedge_program::{GlobalId, Op, Operand, Purpose, Reg};

/// The values that a step gives, in the order of the operation's definitions.
pub(super) enum Results {
    None,
    /// They do not depend on the round in which it runs.
    Always(Vec<Term>),
    /// They are as they are in this round.
    NowOnly(Vec<Term>),
}

impl Results {
    pub fn one(value: Term) -> Results {
        Results::Always(vec![value])
    }
}

/// A value from memory, and whether all of that is the thread's own.
pub(super) struct Loaded {
    pub value: Term,
    own: bool,
}

impl Loaded {
    /// The results of a step that computes these values from what it found.
    pub fn gives(&self, values: Vec<Term>) -> Results {
        if self.own { Results::Always(values) } else { Results::NowOnly(values) }
    }
}

/// Facts about steps that are kept from one round to the next.
#[derive(Default)]
pub(super) struct Kept {
    /// The values that a step gave in the round in which it ran.
    results: HashMap<StepId, Vec<Term>>,
    /// The cells that a copy moved, in the round in which it ran.
    pub moved: HashMap<StepId, Moved>,
    /// When a step has ended its thread silently.
    pub failed: HashMap<StepId, Term>,
}

impl Walk<'_, '_> {
    /// A value of so many bits, from memory.
    pub(super) fn load(&mut self, addr: Operand, bits: u32) -> Loaded {
        let bytes = bits.div_ceil(8);
        let mut value = None;
        let mut own = true;
        for Candidate { object, at, when } in self.candidates(addr, bytes, false) {
            own &= self.memory.is_own(object);
            let seen = self.visible(object, at, bytes).value;
            let found = self.forwarded(object, seen);
            value = Some(match value {
                None => found,
                Some(other) => self.terms.ite(when, found, other),
            });
        }
        let value = value.unwrap_or_else(|| self.terms.constant(8 * bytes, 0));
        Loaded { value: self.terms.extract(value, 0, bits), own }
    }

    /// The store to these bytes that a load sees, as a choice among all that there have been.
    ///
    /// Under sequential consistency a load sees the last store before it. Turns are encoded in the order in which a
    /// schedule runs them, so that is the cell as it is now, `ite(store n, value n, ite(store n - 1, …))`. Under a
    /// memory model in which stores arrive later than they are made, the thread's own stores that have not arrived lie
    /// over that (`store_buffer.rs`). [`Walk::write_cell`] is where a store arrives.
    pub(super) fn visible(&mut self, object: GlobalId, at: u32, bytes: u32) -> Cell {
        let cell = self.memory.cell(self.terms, object, at, bytes);
        self.over_memory(object, at, cell)
    }

    fn forwarded(&mut self, object: GlobalId, value: Term) -> Term {
        match (&mut self.mode, self.here.span) {
            (Mode::Round(forwarding), Some(span)) if !self.memory.is_own(object) => {
                let at = At { active: self.here.active, thread: self.here.thread, span };
                forwarding.forwarded(self.terms, at, value)
            }
            _ => value,
        }
    }

    /// The values of a step that is not executed in this turn and does nothing but find them: there is no need to look.
    pub(super) fn kept_only(&mut self, op: &Op, defs: &[Reg]) -> Option<Vec<Term>> {
        if self.here.active != Terms::FALSE {
            return None;
        }
        let addresses = finds_only(op)?;
        let mut touches_own = false;
        for address in addresses {
            touches_own |= self.targets(address).iter().any(|(object, _)| self.memory.is_own(*object));
        }
        if touches_own {
            return None;
        }
        let before = self.kept.as_ref().and_then(|kept| kept.results.get(&self.here.id()));
        Some(before.cloned().unwrap_or_else(|| defs.iter().map(|reg| self.zero(*reg)).collect()))
    }

    /// Keeps what a step found for later rounds, if it ran in this one, and what it found before otherwise. `range`: of
    /// the first of them.
    pub(super) fn keep(&mut self, values: Vec<Term>, range: Option<Range>) -> Vec<Term> {
        let (id, is_probe) = (self.here.id(), self.is_probe());
        let Some(history) = &mut self.kept else { return values };
        let before = history.results.get(&id);
        let active = self.here.active;
        let mut kept = Vec::with_capacity(values.len());
        for (index, value) in values.into_iter().enumerate() {
            let bits = self.terms.bits(value);
            // In rounds before the first in which it may run, any value will do.
            let otherwise = before.map_or(value, |before| before[index]);
            kept.push(match range.filter(|range| index == 0 && range.width() == bits) {
                None => self.terms.ite(active, value, otherwise),
                Some(range) => {
                    let low = bits_in(self.terms, value, range).zip(bits_in(self.terms, otherwise, range));
                    let low = low.map(|(value, otherwise)| self.terms.ite(active, value, otherwise));
                    widened(self.terms, low, range)
                }
            });
        }
        if !is_probe {
            history.results.insert(id, kept.clone());
        }
        kept
    }
}

/// If the operation gives nothing but what it finds in memory or of other threads, and changes nothing else: the
/// addresses through which it may touch what is the thread's own.
fn finds_only(op: &Op) -> Option<Vec<Operand>> {
    let Op::Intrinsic { which, args, .. } = op else {
        let addresses: Vec<Operand> = op.memory().map(|access| access.addr).collect();
        return (!addresses.is_empty()).then_some(addresses);
    };
    match which.purpose() {
        Purpose::Frees => Some(vec![args[0]]),
        Purpose::AsksThread | Purpose::AsksObject | Purpose::ChecksAccess => Some(Vec::new()),
        Purpose::Spawns
        | Purpose::Counts
        | Purpose::FindsCopy
        | Purpose::Exits
        | Purpose::Jumps
        | Purpose::Marks
        | Purpose::Requires
        | Purpose::Allocates => None,
    }
}
