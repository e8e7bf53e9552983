//! Which variables matter where: live locals, and what guards depend on.
//!
//! A local is live at a location if a run from there reads it before it writes it, or an access that may race depends
//! on it. What is not live need not be spoken of. A variable is relevant if a guard reads it, or such an access, or a
//! value that is written to a relevant variable: others cannot keep any thread from anything. Ghosts are never
//! relevant.

use crate::invariant::At;
use crate::races::Access;
use crate::rules;
use crate::system::{Place, Role, System};
use hashbrown::{HashMap, HashSet};
use selvedge_formula::{Node, Term, Terms};

/// The variables in a term.
pub fn variables(terms: &Terms, roots: impl IntoIterator<Item = Term>) -> Vec<Term> {
    let cone = terms.cone(roots);
    cone.into_iter().filter(|&term| matches!(terms.node(term), Node::Var { .. })).collect()
}

/// The live locals of each place, as copy 0.
pub fn live_locals(system: &System) -> HashMap<At, HashSet<Term>> {
    let mut live: HashMap<At, HashSet<Term>> = HashMap::new();
    let mut changed = true;
    while changed {
        changed = false;
        for (id, template) in &system.templates {
            let locals: HashSet<Term> = template.locals.values().map(|local| local.copies[0]).collect();
            for edge in template.edges.iter().rev() {
                let behind = match rules::runs(system, (id, edge.to)) {
                    true => live.get(&(id, edge.to)).cloned().unwrap_or_default(),
                    false => HashSet::new(),
                };
                let written = |local: Term| edge.updates.iter().find(|(place, _)| is_local(system, id, *place, local));
                let mut read = vec![edge.guard];
                read.extend(edge.spawns.iter().flat_map(|spawn| spawn.arguments.iter().map(|(_, value)| *value)));
                read.extend(edge.updates.iter().filter_map(|(place, value)| match place {
                    Place::Shared(_) => Some(*value),
                    Place::Local(local) => behind.contains(&template.locals[*local].copies[0]).then_some(*value),
                }));
                read.extend(behind.iter().filter(|&&local| written(local).is_none()));
                let here = live.entry((id, edge.from)).or_default();
                for variable in variables(&system.terms, read) {
                    changed |= locals.contains(&variable) && here.insert(variable);
                }
            }
            for access in system.accesses.iter().filter(|access| access.at.0 == id) {
                let here = live.entry(access.at).or_default();
                for variable in variables(&system.terms, access.terms()) {
                    changed |= locals.contains(&variable) && here.insert(variable);
                }
            }
        }
    }
    live
}

fn is_local(system: &System, template: crate::system::TemplateId, place: Place, local: Term) -> bool {
    matches!(place, Place::Local(id) if system.templates[template].locals[id].copies[0] == local)
}

/// The variables on which guards depend, as copy 0.
pub fn relevant(system: &System) -> HashSet<Term> {
    // New numbers are kept apart from those that ghosts hold: a guard for the sake of what is known of ghosts already.
    let ghosts = system.shared.values().filter(|variable| variable.role == Role::Ghost);
    let ghosts: HashSet<Term> = ghosts.map(|variable| variable.copies[0]).collect();
    let without =
        |found: Vec<Term>| found.into_iter().filter(|variable| !ghosts.contains(variable)).collect::<Vec<_>>();
    let mut relevant: HashSet<Term> = HashSet::new();
    let edges = || system.templates.iter().flat_map(|(id, template)| template.edges.iter().map(move |edge| (id, edge)));
    relevant.extend(without(variables(&system.terms, edges().map(|(_, edge)| edge.guard))));
    relevant.extend(without(variables(&system.terms, system.accesses.iter().flat_map(Access::terms))));
    loop {
        let mut read = Vec::new();
        for (id, edge) in edges() {
            for (place, value) in &edge.updates {
                let written = match place {
                    Place::Shared(shared) => system.shared[*shared].copies[0],
                    Place::Local(local) => system.templates[id].locals[*local].copies[0],
                };
                read.extend(relevant.contains(&written).then_some(*value));
            }
            for spawn in &edge.spawns {
                for (local, value) in &spawn.arguments {
                    let written = system.templates[spawn.template].locals[*local].copies[0];
                    read.extend(relevant.contains(&written).then_some(*value));
                }
            }
        }
        let before = relevant.len();
        relevant.extend(without(variables(&system.terms, read)));
        if relevant.len() == before {
            return relevant;
        }
    }
}
