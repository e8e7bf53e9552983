//! Ways of CaDiCaL to go about a search, for portfolios: solvers of one formula that differ, as in ManySAT (Hamadi, Jabbour,
//! Sais 2009). What one of them is unlucky with, another may find at once.
//!
//! CaDiCaL takes turns between two modes (Biere, Fleury, "Chasing target phases", POS 2020): *focused*, with many
//! restarts, which is good at showing that there is no model; and *stable*, which restarts rarely and returns to the
//! largest assignment that had no conflict, which is good at finding one.

use cadical_sys::CaDiCal;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Temperament {
    /// Both modes by turns.
    #[default]
    Alternating,
    /// Only the stable mode.
    Steady,
}

impl Temperament {
    /// Of the solver with this number in a portfolio: the first is as if it were alone.
    pub fn of_number(number: usize) -> Temperament {
        match number % 2 {
            0 => Temperament::Alternating,
            _ => Temperament::Steady,
        }
    }

    /// Only before the first variable.
    pub(crate) fn give(self, solver: &mut CaDiCal) {
        match self {
            Temperament::Alternating => {}
            Temperament::Steady => {
                solver.set("stabilizeonly", 1);
            }
        }
    }
}
