//! Reasons for a search over states to end before it is complete.

use selvedge_engine::counterexample::Counterexample;
use selvedge_program::Reason;
use selvedge_vm::expand::Stop;

pub enum End<Evidence = Box<Counterexample>> {
    /// A violation, as the search knows it.
    Found(Evidence),
    /// Something turned out to be shared, or watched: begin anew.
    Shared,
    Stopped(Reason),
}

impl<Evidence> From<Stop> for End<Evidence> {
    fn from(stop: Stop) -> End<Evidence> {
        match stop {
            Stop::Shared => End::Shared,
            Stop::GaveUp(reason) => End::Stopped(reason),
        }
    }
}
