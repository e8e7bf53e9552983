//! Which variables belong together: those that are compared with one another or copied, and the constants that each is
//! compared with or set to.

use crate::owners::values;
use hashbrown::{HashMap, HashSet};
use selvedge_formula::{Node, Term, Terms};

/// `variable` is set to or compared with `value`.
pub fn relate(
    terms: &Terms,
    known: &HashSet<Term>,
    classes: &mut Classes,
    constants: &mut Vec<(Term, u128)>,
    variable: Term,
    value: Term,
) {
    if !known.contains(&variable) {
        return;
    }
    constants.extend(values(terms, value).into_iter().map(|value| (variable, value)));
    match terms.node(value) {
        Node::Var { .. } if known.contains(&value) => classes.join(variable, value),
        Node::Add(a, b) | Node::Sub(a, b) => {
            for part in [a, b].into_iter().filter(|part| known.contains(part)) {
                classes.join(variable, part);
            }
        }
        _ => {}
    }
}

#[derive(Default)]
pub struct Classes {
    parent: HashMap<Term, Term>,
}

impl Classes {
    pub fn find(&self, mut term: Term) -> Term {
        while let Some(&parent) = self.parent.get(&term) {
            term = parent;
        }
        term
    }

    fn join(&mut self, one: Term, other: Term) {
        let (one, other) = (self.find(one), self.find(other));
        if one != other {
            self.parent.insert(one.max(other), one.min(other));
        }
    }
}
