//! The dependences of edges: variables that no guard depends on are left out, and so is what a local gets where nobody
//! reads it any more (cone of influence; liveness). So are edges of which nobody ever notices anything.

use super::state::Var;
use super::walk::{Graph, Target};
use crate::system::TemplateId;
use hashbrown::{HashMap, HashSet};
use selvedge_formula::{Term, Terms};
use selvedge_program::Loc;

/// A new thread: its template, its number, and what its variables begin with.
pub type RawSpawn = (TemplateId, Term, Vec<(Var, Term)>);

/// An edge before its variables have numbers.
pub struct RawEdge {
    pub from: usize,
    pub to: usize,
    pub guard: Term,
    pub updates: Vec<(Var, Term)>,
    pub spawns: Vec<RawSpawn>,
    pub loc: Loc,
}

pub struct Variables<'a> {
    pub terms: &'a Terms,
    pub of: HashMap<Term, Var>,
    cache: HashMap<Term, HashSet<Var>>,
}

impl<'a> Variables<'a> {
    pub fn new(terms: &'a Terms, of: HashMap<Term, Var>) -> Variables<'a> {
        Variables { terms, of, cache: HashMap::new() }
    }

    /// The variables in a term.
    pub fn within(&mut self, term: Term) -> &HashSet<Var> {
        let (terms, of) = (self.terms, &self.of);
        self.cache
            .entry(term)
            .or_insert_with(|| terms.cone([term]).into_iter().filter_map(|term| of.get(&term).copied()).collect())
    }
}

/// The edges that others may notice, now or later. Where a thread stays for good without that, as one that waits in
/// vain does, it may as well stay where it was before. `accesses`: locations before accesses that may race.
pub fn noticed(
    graph: &Graph,
    edges: &[RawEdge],
    accesses: impl Iterator<Item = usize>,
    is_shared: impl Fn(Var) -> bool,
) -> Vec<bool> {
    let mut matters: Vec<bool> = graph.locations.iter().map(|target| !matches!(target, Target::At(_))).collect();
    accesses.for_each(|location| matters[location] = true);
    let acts = |edge: &RawEdge| !edge.spawns.is_empty() || edge.updates.iter().any(|(var, _)| is_shared(*var));
    edges.iter().filter(|edge| acts(edge)).for_each(|edge| matters[edge.from] = true);
    loop {
        let before = matters.clone();
        edges.iter().filter(|edge| before[edge.to]).for_each(|edge| matters[edge.from] = true);
        if before == matters {
            return edges.iter().map(|edge| matters[edge.to] || acts(edge)).collect();
        }
    }
}

/// Variables that a guard depends on, or one of these terms.
pub fn needed(
    variables: &mut Variables<'_>,
    edges: &[Vec<RawEdge>],
    asked: impl Iterator<Item = Term>,
) -> HashSet<Var> {
    let mut needed: HashSet<Var> = HashSet::new();
    for term in asked {
        needed.extend(variables.within(term));
    }
    for edge in edges.iter().flatten() {
        needed.extend(variables.within(edge.guard));
    }
    loop {
        let before = needed.len();
        for edge in edges.iter().flatten() {
            let arguments = edge.spawns.iter().flat_map(|(_, _, arguments)| arguments);
            for (var, term) in edge.updates.iter().chain(arguments) {
                if needed.contains(var) {
                    needed.extend(variables.within(*term));
                }
            }
            for (template, number, _) in &edge.spawns {
                if needed.contains(&Var::Number(*template)) {
                    needed.extend(variables.within(*number));
                }
            }
        }
        if needed.len() == before {
            return needed;
        }
    }
}

/// Drops updates of locals that nobody reads behind the edge. `asked`: terms that are asked about at locations.
pub fn drop_dead(
    variables: &mut Variables<'_>,
    locations: usize,
    (edges, asked): (&mut [RawEdge], &[(usize, Term)]),
    is_local: impl Fn(Var) -> bool,
) {
    let mut live: Vec<HashSet<Var>> = vec![HashSet::new(); locations];
    for (location, term) in asked {
        live[*location].extend(variables.within(*term).iter().copied().filter(|var| is_local(*var)));
    }
    loop {
        let mut changed = false;
        for edge in edges.iter().rev() {
            let mut before: HashSet<Var> = variables.within(edge.guard).clone();
            let written: HashSet<Var> = edge.updates.iter().map(|(var, _)| *var).collect();
            for (var, term) in &edge.updates {
                if !is_local(*var) || live[edge.to].contains(var) {
                    before.extend(variables.within(*term));
                }
            }
            for (_, number, arguments) in &edge.spawns {
                before.extend(variables.within(*number));
                arguments.iter().for_each(|(_, term)| before.extend(variables.within(*term)));
            }
            before.extend(live[edge.to].iter().filter(|var| !written.contains(*var)));
            for var in before.into_iter().filter(|var| is_local(*var)) {
                changed |= live[edge.from].insert(var);
            }
        }
        if !changed {
            break;
        }
    }
    for edge in edges {
        let live = &live[edge.to];
        edge.updates.retain(|(var, _)| !is_local(*var) || live.contains(var));
    }
}
