//! The rules that systems and invariants keep, so that what is said about them means something.
//!
//! 1. Guards, statements and `initial` are truth values; a value has the width of the place that it is written to.
//! 2. The expressions of an edge are over shared variables, copy 0 of its template's locals and its own inputs.
//! 3. An edge writes each place at most once, and never a thread's number.
//! 4. A spawn gives each local of the new thread at most one value.
//! 5. `initial` is over shared variables and copy 0 of main's locals.
//! 6. A statement about one thread is over shared variables and copy 0 of its locals, one about a pair also over copy 1
//!    of the second thread's.

use crate::invariant::Invariant;
use crate::system::{Edge, Place, System, Template, TemplateId};
use hashbrown::HashSet;
use selvedge_formula::{Node, Term};

/// All violations, with their places.
pub fn problems_of_system(system: &System) -> Vec<String> {
    let mut problems = Vec::new();
    let scope = scope(system, &[(system.main, 0)]);
    is_truth_value(system, system.initial, "the initial condition", &mut problems);
    in_scope(system, system.initial, &scope, "the initial condition", &mut problems);
    for (id, template) in &system.templates {
        for (index, edge) in template.edges.iter().enumerate() {
            problems_of_edge(
                system,
                (id, template),
                edge,
                &format!("edge {index} of {}", template.name),
                &mut problems,
            );
        }
    }
    problems
}

pub fn problems_of_invariant(system: &System, invariant: &Invariant) -> Vec<String> {
    let mut problems = Vec::new();
    for ((template, location), statement) in &invariant.single {
        let name = format!("the statement at {location} of {}", system.templates[*template].name);
        is_truth_value(system, *statement, &name, &mut problems);
        in_scope(system, *statement, &scope(system, &[(*template, 0)]), &name, &mut problems);
    }
    for ((one, other), statement) in &invariant.pairs {
        let name = format!("the statement about {one:?} and {other:?}");
        is_truth_value(system, *statement, &name, &mut problems);
        in_scope(system, *statement, &scope(system, &[(one.0, 0), (other.0, 1)]), &name, &mut problems);
    }
    problems.sort_unstable();
    problems
}

fn problems_of_edge(
    system: &System,
    (id, template): (TemplateId, &Template),
    edge: &Edge,
    name: &str,
    problems: &mut Vec<String>,
) {
    let mut scope = scope(system, &[(id, 0)]);
    scope.extend(&edge.inputs);
    is_truth_value(system, edge.guard, &format!("the guard of {name}"), problems);
    in_scope(system, edge.guard, &scope, name, problems);
    let mut written = HashSet::new();
    for (place, value) in &edge.updates {
        let bits = match place {
            Place::Shared(shared) => system.shared[*shared].bits,
            Place::Local(local) => template.locals[*local].bits,
        };
        if system.terms.bits(*value) != bits {
            problems.push(format!("{name} writes {} bits to {place:?}, which has {bits}", system.terms.bits(*value)));
        }
        if !written.insert(*place) || *place == Place::Local(template.number) {
            problems.push(format!("{name} must not write {place:?}"));
        }
        in_scope(system, *value, &scope, name, problems);
    }
    for spawn in &edge.spawns {
        let mut given = HashSet::new();
        for (local, value) in &spawn.arguments {
            let bits = system.templates[spawn.template].locals[*local].bits;
            if !given.insert(*local) || system.terms.bits(*value) != bits {
                problems.push(format!("{name} gives a new thread's {local} twice, or not in its width"));
            }
            in_scope(system, *value, &scope, name, problems);
        }
    }
}

/// The variables that may be spoken of: shared ones, and these copies of these templates' locals.
fn scope(system: &System, threads: &[(TemplateId, usize)]) -> HashSet<Term> {
    let locals = threads
        .iter()
        .flat_map(|&(template, copy)| system.templates[template].locals.values().map(move |local| local.copies[copy]));
    system.shared.values().map(|shared| shared.copies[0]).chain(locals).collect()
}

fn is_truth_value(system: &System, term: Term, name: &str, problems: &mut Vec<String>) {
    if system.terms.bits(term) != 1 {
        problems.push(format!("{name} has {} bits", system.terms.bits(term)));
    }
}

fn in_scope(system: &System, term: Term, scope: &HashSet<Term>, name: &str, problems: &mut Vec<String>) {
    let is_foreign = |t: &Term| matches!(system.terms.node(*t), Node::Var { .. }) && !scope.contains(t);
    for foreign in system.terms.cone([term]).into_iter().filter(is_foreign) {
        problems.push(format!("{name} speaks of {}", system.terms.name(foreign).unwrap_or_default()));
    }
}
