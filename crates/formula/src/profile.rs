//! Search profiles of CaDiCaL for portfolios of solvers that differ, as in ManySAT (Hamadi, Jabbour, Sais 2009): one
//! solver may quickly find what another takes long for.
//!
//! CaDiCaL alternates between two modes (Biere, Fleury, "Chasing target phases", POS 2020): *focused*, with many
//! restarts, which is good at showing that there is no model; and *stable*, which restarts rarely and returns to the
//! largest assignment that had no conflict, which is good at finding one.

use cadical_sys::CaDiCal;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SolverProfile {
    /// Both modes in alternation, CaDiCaL's default.
    #[default]
    Alternating,
    /// Only the stable mode.
    StableOnly,
}

impl SolverProfile {
    /// The profile of a portfolio's solver with this number. The first one has the default.
    pub fn of_number(number: usize) -> SolverProfile {
        match number % 2 {
            0 => SolverProfile::Alternating,
            _ => SolverProfile::StableOnly,
        }
    }

    /// To be called before the first variable.
    pub(crate) fn apply(self, solver: &mut CaDiCal) {
        match self {
            SolverProfile::Alternating => {}
            SolverProfile::StableOnly => {
                solver.set("stabilizeonly", 1);
            }
        }
    }
}
