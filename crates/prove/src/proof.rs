//! A checked invariant as a proof that others can read: obligations as SMT-LIB 2, for any solver, and statements like
//! C, for people.

use crate::check::Checked;
use crate::check::obligations::{Obligation, Obligations};
use crate::expression::conjuncts;
use crate::in_c;
use crate::invariant::{At, Invariant};
use crate::system::{LocationKind, System};
use selvedge_formula::{Term, Terms, smt};
use selvedge_program::{Program, Proof, Statement};

/// The proof that `check` accepted.
pub fn proof(
    (program, system): (&Program, &mut System),
    (technique, invariant): (&'static str, &Invariant),
    checked: &Checked,
    with_script: bool,
) -> Proof {
    Proof {
        technique,
        level: invariant.level(),
        obligations: checked.obligations,
        statements: statements(program, system, invariant),
        advice: Vec::new(),
        in_c: in_c::part(program, system, invariant),
        script: with_script.then(|| script(program, system, invariant)),
    }
}

/// Every obligation as a question whose answer must be `unsat`.
pub fn script(program: &Program, system: &mut System, invariant: &Invariant) -> String {
    let terms_before = system.terms.count();
    let edges: Vec<_> = system.edges().collect();
    let mut obligations = Obligations::new(system, invariant);
    let mut all = obligations.of_beginning();
    all.extend(obligations.of_races());
    for (template, edge) in edges {
        all.extend(obligations.of_edge(template, edge));
    }
    let comments: Vec<String> = all.iter().map(|obligation| comment(program, system, obligation)).collect();
    let questions = comments.iter().map(String::as_str).zip(all.iter().map(|obligation| obligation.violation));
    let text = smt::questions(&system.terms, questions);
    system.terms.truncate(terms_before);
    format!("; A proof by invariants: none of these {} questions can be answered with sat.\n{text}", all.len())
}

fn comment(program: &Program, system: &System, obligation: &Obligation) -> String {
    let about: Vec<String> = obligation.about.iter().map(|at| place(program, system, *at)).collect();
    let after = obligation.edge.map(|(template, edge)| {
        let template = &system.templates[template];
        let edge = &template.edges[edge];
        let at = program.source.describe(edge.loc);
        format!(", after a step of {} from {} to {} at {at}", template.name, edge.from, edge.to)
    });
    format!("{}, at {}{}", obligation.condition, about.join(" and "), after.unwrap_or_default())
}

fn place(program: &Program, system: &System, (template, location): At) -> String {
    let template = &system.templates[template];
    format!("{} of {} ({})", location, template.name, program.source.describe(template.locations[location].loc))
}

/// The statements by place, without those that say nothing.
fn statements(program: &Program, system: &System, invariant: &Invariant) -> Vec<Statement> {
    let runs = |at: &At| system.templates[at.0].locations[at.1].kind == LocationKind::Running;
    let says = |statement: Term| statement != Terms::TRUE && statement != Terms::FALSE;
    let name = |at: At| system.templates[at.0].name.clone();
    let line = |at: At| program.source.describe(system.templates[at.0].locations[at.1].loc);
    let mut single: Vec<(At, Term)> = invariant.single.iter().map(|(at, statement)| (*at, *statement)).collect();
    single.sort_unstable();
    single.retain(|(at, statement)| runs(at) && says(*statement));
    let about_one = single.into_iter().map(|(at, statement)| Statement {
        threads: vec![name(at)],
        at: vec![line(at)],
        holds: conjuncts(&system.terms, statement),
    });
    let mut pairs: Vec<((At, At), Term)> =
        invariant.pairs.iter().map(|(pair, statement)| (*pair, *statement)).collect();
    pairs.sort_unstable();
    pairs.retain(|((one, other), statement)| runs(one) && runs(other) && says(*statement));
    let about_two = pairs.into_iter().map(|((one, other), statement)| Statement {
        threads: vec![name(one), name(other)],
        at: vec![line(one), line(other)],
        holds: conjuncts(&system.terms, statement),
    });
    about_one.chain(about_two).collect()
}
