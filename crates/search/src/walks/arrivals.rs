//! The arrival of buffered stores in random runs: between any two steps one of those that can arrive does, with a
//! chance that is drawn for the run. In some runs nothing arrives before it must, which is when nobody can go on or its
//! thread drains.

use selvedge_vm::choices::Choices;
use selvedge_vm::store_buffer::flush::Flush;
use selvedge_vm::{Machine, State};

pub struct Arrivals {
    dice: fastrand::Rng,
    /// The chance is one in so many, if there is any.
    one_in: Option<u32>,
}

impl Arrivals {
    /// For a run.
    pub fn drawn(mut dice: fastrand::Rng) -> Arrivals {
        let chances = [Some(2), Some(8), Some(32), Some(128), None];
        let one_in = chances[dice.usize(..chances.len())];
        Arrivals { dice, one_in }
    }

    /// The store that arrives now, if one does. `must`: one of them has to, if there are any.
    pub fn next(&mut self, machine: &Machine<'_, Choices>, must: bool) -> Option<Flush> {
        if !is_any_waiting(&machine.state) {
            return None;
        }
        let may = || machine.state.inside_atomic().is_none();
        let arrives = must || self.one_in.is_some_and(|all| self.dice.u32(..all) == 0) && may();
        if arrives { self.dice.choice(machine.flushes()) } else { None }
    }
}

fn is_any_waiting(state: &State) -> bool {
    state.storing().next().is_some()
}
