//! The checker of proofs: is an invariant inductive, and does it exclude every error?
//!
//! The answer is "safe" only if this code has said so. It knows nothing of how invariants are found, uses no lockset,
//! mover or slice, and asks our own bit-blaster about every obligation (`obligations.rs`), over the real widths, on the
//! edges as they were extracted. Each edge has a solver of its own, which is asked about many obligations at once: is
//! one of them violated?

pub mod obligations;

use crate::counters;
use crate::invariant::{At, Invariant};
use crate::system::{LocationKind, System, TemplateId};
use crate::well_formed::{problems_of_invariant, problems_of_system};
use obligations::{Condition, Obligation, Obligations};
use selvedge_engine::Control;
use selvedge_formula::{Blaster, Cadical, Node, Solved, Term, Terms};
use selvedge_program::Reason;
use std::fmt;

/// Obligations that are asked about at once.
const AT_ONCE: usize = 64;

/// A proof.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Obligations that were more than trivially true.
    pub obligations: usize,
    /// Places of misuse that nobody asked about, which the invariant does not exclude.
    pub ends: Vec<At>,
}

/// Why there is no proof.
#[derive(Clone, Debug)]
pub enum Refuted {
    /// An obligation does not hold.
    Violated(Box<Counterexample>),
    /// Rules of systems or invariants are broken: an error of ours.
    Malformed(Vec<String>),
    /// There was no time to tell.
    Stopped(Reason),
}

/// An obligation that does not hold, and why.
#[derive(Clone, Debug)]
pub struct Counterexample {
    pub condition: Condition,
    pub edge: Option<(TemplateId, usize)>,
    pub about: Vec<At>,
    /// Values of variables under which it does not, by their names.
    pub model: Vec<(String, u128)>,
}

impl fmt::Display for Refuted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refuted::Stopped(reason) => reason.fmt(f),
            Refuted::Malformed(problems) => f.write_str(&problems.join("; ")),
            Refuted::Violated(why) => {
                write!(f, "{} does not hold", why.condition)?;
                if let Some((template, edge)) = why.edge {
                    write!(f, " behind edge {edge} of {template}")?;
                }
                let places: Vec<String> = why.about.iter().map(|(t, l)| format!("{l} of {t}")).collect();
                let model: Vec<String> = why.model.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                write!(f, ", at {}: {}", places.join(" and "), model.join(", "))
            }
        }
    }
}

/// Is the invariant a proof of the system? Terms that are made on the way are forgotten again.
pub fn check(system: &mut System, invariant: &Invariant, control: &Control) -> Result<Checked, Refuted> {
    let mut problems = problems_of_system(system);
    problems.extend(problems_of_invariant(system, invariant));
    problems.extend(counters::problems(system));
    if !problems.is_empty() {
        return Err(Refuted::Malformed(problems));
    }
    let terms_before = system.terms.count();
    let checked = all_hold(system, invariant, control);
    system.terms.truncate(terms_before);
    checked
}

fn all_hold(system: &mut System, invariant: &Invariant, control: &Control) -> Result<Checked, Refuted> {
    let mut checked = Checked::default();
    let edges: Vec<(TemplateId, usize)> = system.edges().collect();
    let mut obligations = Obligations::new(system, invariant);
    let beginning = obligations.of_beginning();
    let mut judge = |system: &System, all: &[Obligation]| -> Result<(), Refuted> {
        let mut solver = Blaster::new(Cadical::with_limits(control.stop.clone(), deadline(control)));
        for some in all.chunks(AT_ONCE) {
            none_violated(&mut solver, &system.terms, some, control)?;
        }
        checked.obligations += all.len();
        Ok(())
    };
    judge(obligations.system, &beginning)?;
    for &(template, edge) in &edges {
        let all = obligations.of_edge(template, edge);
        judge(obligations.system, &all)?;
    }
    checked.ends = ends(&mut obligations, &edges, control)?;
    Ok(checked)
}

fn none_violated(
    solver: &mut Blaster<Cadical>,
    terms: &Terms,
    obligations: &[Obligation],
    control: &Control,
) -> Result<(), Refuted> {
    if obligations.is_empty() {
        return Ok(());
    }
    let asked = solver.fresh();
    let mut some = vec![!asked];
    some.extend(obligations.iter().map(|obligation| solver.literal(terms, obligation.violation)));
    solver.add_clause(&some);
    match solver.solve(&[asked]) {
        Solved::Unsat => {
            solver.add_clause(&[!asked]);
            Ok(())
        }
        Solved::Interrupted => Err(Refuted::Stopped(control.why_stopped())),
        Solved::Sat => {
            let is_violated = |obligation: &&Obligation| solver.value(terms, obligation.violation) == 1;
            let violated = obligations.iter().find(is_violated).expect("a model violates an obligation");
            let variables = terms.cone([violated.violation]).into_iter();
            let model = variables.filter(|t| matches!(terms.node(*t), Node::Var { .. })).map(|variable| {
                let name = terms.name(variable).unwrap_or_default().to_string();
                (name, solver.value(terms, variable))
            });
            Err(Refuted::Violated(Box::new(Counterexample {
                condition: violated.condition,
                edge: violated.edge,
                about: violated.about.clone(),
                model: model.collect(),
            })))
        }
    }
}

/// The places of unchecked misuse to which the invariant lets some edge lead.
fn ends(
    obligations: &mut Obligations<'_>,
    edges: &[(TemplateId, usize)],
    control: &Control,
) -> Result<Vec<At>, Refuted> {
    let mut ends: Vec<At> = Vec::new();
    for &(template, index) in edges {
        let to = obligations.system.templates[template].edges[index].to;
        let kind = &obligations.system.templates[template].locations[to].kind;
        if !matches!(kind, LocationKind::Unchecked { .. }) || ends.contains(&(template, to)) {
            continue;
        }
        let taken: Term = obligations.taken(template, index);
        let mut solver = Blaster::new(Cadical::with_limits(control.stop.clone(), deadline(control)));
        let taken = solver.literal(&obligations.system.terms, taken);
        match solver.solve(&[taken]) {
            Solved::Sat => ends.push((template, to)),
            Solved::Unsat => {}
            Solved::Interrupted => return Err(Refuted::Stopped(control.why_stopped())),
        }
    }
    ends.sort_unstable();
    Ok(ends)
}

fn deadline(control: &Control) -> Option<std::time::Instant> {
    control.time_limit.and_then(|limit| control.started.checked_add(limit))
}
