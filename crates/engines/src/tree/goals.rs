//! What is asked about paths: is something wrong, and how much does it say if nothing is?

use super::explore::Node;
use crate::counterexample::retell;
use crate::lazy::encode::Garbage;
use selvedge_formula::{Term, Terms};
use selvedge_program::{Loc, Schedule, Violation};

/// Conditions on runs.
#[derive(Default)]
pub struct Goals {
    /// Something is wrong.
    pub wrong: Vec<Term>,
    /// A bound ends the run.
    pub cut: Vec<Term>,
    /// The run goes where we do not follow: what, and where.
    pub left_out: Vec<(Term, String, Loc)>,
    /// Something is checked.
    pub reached: Vec<Term>,
}

impl Goals {
    /// Of the nodes that were not asked about before.
    pub fn add(&mut self, terms: &mut Terms, path: &[Node]) {
        for (runs, event) in path.iter().filter(|node| !node.asked).flat_map(Node::events) {
            // Behind what the formula does not follow, nothing that it says counts.
            let obstacles = event.obstacles.iter().map(|obstacle| obstacle.when);
            let beyond = terms.or_all(obstacles.chain(event.section_cuts.iter().copied()));
            let followed = terms.not(beyond);
            let followed = terms.and(runs, followed);
            self.wrong.extend(event.checks.iter().map(|check| terms.and(followed, check.condition)));
            let mut both = |condition: Term| terms.and(runs, condition);
            self.reached.extend(event.checks.iter().map(|check| both(check.reached)));
            self.cut.extend(event.cuts.iter().chain(&event.section_cuts).map(|cut| both(*cut)));
            for beyond in event.obstacles.iter().chain(&event.doubts) {
                self.left_out.push((both(beyond.when), beyond.what.clone(), beyond.loc));
            }
            self.reached.extend(event.settled.iter().map(|reached| both(*reached)));
        }
    }
}

/// What is known when nothing was found.
#[derive(Clone, Default, Debug)]
pub struct Known {
    /// A bound ended some run.
    pub cut: bool,
    /// Some run goes where we do not follow.
    pub left_out: Option<(String, Loc)>,
    /// Some run reaches something that is checked.
    pub checked: bool,
}

/// The run along the path that a model describes.
pub fn run_along(path: &[Node], value: impl FnMut(Term) -> u128) -> Option<(Schedule, Violation)> {
    let events = path.iter().flat_map(Node::events).map(|(_, event)| event);
    let records = events.flat_map(|event| event.log.iter().map(|record| (record, event.checks.as_slice())));
    retell(records, garbage_along(path), value)
}

/// All that a run along the path is told by.
pub fn terms_of(path: &[Node]) -> Vec<Term> {
    let records = path.iter().flat_map(Node::events).flat_map(|(_, event)| &event.log);
    let garbage = garbage_along(path).iter().map(|garbage| garbage.value);
    records.flat_map(|record| [Some(record.when), record.input()]).flatten().chain(garbage).collect()
}

/// Who came last has seen all of it.
fn garbage_along(path: &[Node]) -> &[Garbage] {
    let last = path.iter().flat_map(Node::events).map(|(_, event)| event).last();
    last.map_or(&[], |event| event.garbage.as_slice())
}
