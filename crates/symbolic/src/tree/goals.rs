//! The questions about paths: is something wrong, and how much does it say if nothing is?

use super::explore::Node;
use selvedge_formula::{Term, Terms};
use selvedge_program::Loc;

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
    /// Adds those of the nodes that were not asked about before.
    pub fn add(&mut self, terms: &mut Terms, path: &[Node]) {
        for (runs, record) in path.iter().filter(|node| !node.asked).flat_map(Node::records) {
            // Behind what the formula does not follow, nothing that it says counts.
            let obstacles = record.obstacles.iter().map(|obstacle| obstacle.when);
            let beyond = terms.or_all(obstacles.chain(record.section_cuts.iter().copied()));
            let followed = terms.not(beyond);
            let followed = terms.and(runs, followed);
            self.wrong.extend(record.checks.iter().map(|check| terms.and(followed, check.condition)));
            let mut both = |condition: Term| terms.and(runs, condition);
            self.reached.extend(record.checks.iter().map(|check| both(check.reached)));
            self.cut.extend(record.cuts.iter().chain(&record.section_cuts).map(|cut| both(*cut)));
            for beyond in record.obstacles.iter().chain(&record.doubts) {
                self.left_out.push((both(beyond.when), beyond.what.clone(), beyond.loc));
            }
            self.reached.extend(record.settled.iter().map(|reached| both(*reached)));
        }
    }
}

/// Limits to the meaning of "nothing found".
#[derive(Clone, Default, Debug)]
pub struct Reservations {
    /// A bound ended some run.
    pub cut: bool,
    /// Some run goes where we do not follow.
    pub left_out: Option<(String, Loc)>,
    /// Some run reaches something that is checked.
    pub checked: bool,
}
