//! Locks that are taken in different orders: advice, for which a proof that was found has all that is needed.
//!
//! A thread that takes one lock while it holds another puts the two in an order. If the orders of all threads have a
//! cycle, the threads along it may come to wait for one another (Havelund, Using runtime analysis to guide model
//! checking of Java programs, SPIN 2000). No cycle counts that one thread makes alone, or of which all parts hold a
//! further lock. Whether threads ever meet there is a question of its own, so this is never a verdict.
//!
//! The thread holds a lock wherever the statement of the proof says so, in all cases; and takes one on an edge
//! behind which it may hold it, and before which it does not.

use crate::invariant::Invariant;
use crate::owners::Lock;
use crate::system::{Instances, Place, Role, System, TemplateId, substitute};
use selvedge_engine::Control;
use selvedge_formula::{Blaster, Cadical, Solved, Term, Terms};
use selvedge_program::{Loc, Program};
use std::collections::BTreeSet;

/// Longer cycles are not looked for.
const LONGEST: usize = 4;

/// A lock is taken while others are held.
struct Taking {
    template: TemplateId,
    lock: usize,
    held: BTreeSet<usize>,
    at: Loc,
}

/// What to tell the user of cycles.
pub fn lock_order(
    program: &Program,
    system: &mut System,
    (locks, invariant): (&[Lock], &Invariant),
    control: &Control,
) -> Vec<String> {
    if locks.len() < 2 {
        return Vec::new();
    }
    let terms_before = system.terms.count();
    let takings = takings(system, (locks, invariant), control);
    system.terms.truncate(terms_before);
    let name = |lock: usize| name(program, system, &locks[lock]);
    let at = |taking: &Taking| program.source.describe(taking.at);
    let mut advice = Vec::new();
    for cycle in cycles(system, &takings) {
        let told = |number: usize| {
            let (taking, before) = (&takings[cycle[number]], &takings[cycle[(number + cycle.len() - 1) % cycle.len()]]);
            format!(
                "`{}` at {} by {} while it holds `{}`",
                name(taking.lock),
                at(taking),
                thread(system, taking),
                name(before.lock)
            )
        };
        let all: Vec<String> = (0..cycle.len()).map(told).collect();
        advice.push(format!("locks are taken in different orders: {}", all.join(", ")));
    }
    advice
}

fn thread(system: &System, taking: &Taking) -> String {
    system.templates[taking.template].name.clone()
}

fn name(program: &Program, system: &System, lock: &Lock) -> String {
    let variable = &system.shared[lock.variable()];
    match variable.role {
        Role::Cell { global, offset: 0 } => program.globals[global].name.clone(),
        Role::Cell { .. } | Role::Object | Role::Register | Role::Number | Role::Ghost => {
            variable.name.trim_start_matches("owner of ").to_string()
        }
    }
}

fn takings(system: &mut System, (locks, invariant): (&[Lock], &Invariant), control: &Control) -> Vec<Taking> {
    let mut takings = Vec::new();
    for (template, edge) in system.edges().collect::<Vec<_>>() {
        let edge = system.templates[template].edges[edge].clone();
        let writes: Vec<(Term, Term)> = (edge.updates.iter())
            .filter_map(|(place, value)| match place {
                Place::Shared(shared) => Some((system.shared[*shared].copies[0], *value)),
                Place::Local(_) => None,
            })
            .collect();
        let statement = invariant.single.get(&(template, edge.from)).copied().unwrap_or(Terms::FALSE);
        let before = system.terms.and(statement, edge.guard);
        let held: Vec<Term> = locks.iter().map(|lock| lock.is_held_by(system, (template, 0))).collect();
        for (number, lock) in locks.iter().enumerate() {
            let is_written = edge.updates.iter().any(|(place, _)| *place == Place::Shared(lock.variable()));
            if !is_written || control.is_over() {
                continue;
            }
            let behind = substitute(&mut system.terms, held[number], &writes);
            let not_yet = system.terms.not(held[number]);
            let taken = system.terms.and(not_yet, behind);
            let taken = system.terms.and(before, taken);
            if !may_be(&system.terms, taken, control) {
                continue;
            }
            let is_held = |system: &mut System, other: usize| {
                let free = system.terms.not(held[other]);
                let free = system.terms.and(taken, free);
                other != number && !may_be(&system.terms, free, control)
            };
            let held: BTreeSet<usize> = (0..locks.len()).filter(|other| is_held(system, *other)).collect();
            takings.push(Taking { template, lock: number, held, at: edge.loc });
        }
    }
    takings
}

/// Where the solver is stopped, too.
fn may_be(terms: &Terms, condition: Term, control: &Control) -> bool {
    let deadline = control.time_limit.and_then(|limit| control.started.checked_add(limit));
    let mut solver = Blaster::new(Cadical::with_limits(control.stop.clone(), deadline));
    let condition = solver.literal(terms, condition);
    solver.solve(&[condition]) != Solved::Unsat
}

/// Each holds the lock that the one before it takes; the first has the least lock, so that a cycle is told once.
fn cycles(system: &System, takings: &[Taking]) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = Vec::new();
    let mut told: BTreeSet<Vec<usize>> = BTreeSet::new();
    let mut waiting: Vec<Vec<usize>> = (0..takings.len()).map(|first| vec![first]).collect();
    while let Some(way) = waiting.pop() {
        let last = &takings[way[way.len() - 1]];
        for (number, next) in takings.iter().enumerate() {
            let is_next = next.held.contains(&last.lock) && next.lock != last.lock;
            if !is_next || next.lock < takings[way[0]].lock {
                continue;
            }
            if number == way[0] {
                let locks: Vec<usize> = way.iter().map(|at| takings[*at].lock).collect();
                if way.len() > 1 && may_wait(system, takings, &way) && told.insert(locks) {
                    found.push(way.clone());
                }
            } else if way.len() < LONGEST && way.iter().all(|at| takings[*at].lock != next.lock) {
                waiting.push([way.as_slice(), &[number]].concat());
            }
        }
    }
    found.sort_unstable();
    found
}

/// Can it be different threads that stand there at the same time?
fn may_wait(system: &System, takings: &[Taking], cycle: &[usize]) -> bool {
    let same = |one: &Taking, other: &Taking| {
        one.template == other.template && system.templates[one.template].instances == Instances::Once
    };
    let apart = |(number, one): (usize, &usize)| cycle[..number].iter().all(|o| !same(&takings[*one], &takings[*o]));
    let common = cycle.iter().map(|at| takings[*at].held.clone()).reduce(|all, held| &all & &held);
    cycle.iter().enumerate().all(apart) && common.is_none_or(|common| common.is_empty())
}
