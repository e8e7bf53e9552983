//! Data races: a state in which two threads are both about to make racing accesses ([`selvedge_vm::races`]). Every
//! state is looked at once, when it is found.

use super::path::Evidence;
use super::search::End;
use super::shared::Shared;
use super::store::StateId;
use super::worker::Worker;

impl Worker<'_> {
    /// Is the new state a race? The machine is in it afterwards, if races are asked about.
    pub(super) fn look_for_race(&mut self, shared: &Shared<'_>, state: StateId) -> Result<(), End> {
        let Worker { expander, cursor, .. } = self;
        if !expander.asks_for_races() {
            return Ok(());
        }
        let root = shared.store.root(state);
        let race = expander.race(|to| shared.store.unfold(cursor, root, to))?;
        let code = self.expander.machine.code;
        race.map_or(Ok(()), |race| Err(Evidence::in_state(state, race.violation(code))))
    }
}
