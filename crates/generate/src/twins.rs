//! Evil twins: programs that differ from another in one place, as a bug would make them differ. A proof of the one is
//! none of the other, and a tool that proves both has to be right about both.

use crate::endless::{Endless, Stmt};

/// All programs that one edit makes of this one.
pub fn twins(of: &Endless) -> Vec<Endless> {
    let mut found: Vec<Endless> =
        edits(&of.main).into_iter().map(|main| Endless { main, functions: of.functions.clone() }).collect();
    for (number, body) in of.functions.iter().enumerate() {
        for edited in edits(body) {
            let mut twin = of.clone();
            twin.functions[number] = edited;
            found.push(twin);
        }
    }
    found
}

fn edits(list: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut found = Vec::new();
    for (position, stmt) in list.iter().enumerate() {
        for replacement in replacements(stmt) {
            let mut edited = list.to_vec();
            edited.splice(position..=position, replacement);
            found.push(edited);
        }
    }
    found
}

/// The replacements of a statement in twins.
fn replacements(stmt: &Stmt) -> Vec<Vec<Stmt>> {
    let other = |constant: i8| (constant + 1) % 3;
    let inside =
        |wrap: &dyn Fn(Vec<Stmt>) -> Stmt| edits(stmt.inner()).into_iter().map(|body| vec![wrap(body)]).collect();
    let mut found: Vec<Vec<Stmt>> = match stmt {
        Stmt::Set(v, n) | Stmt::Publish(v, n) | Stmt::Exchange(v, n) => {
            vec![Vec::new(), vec![Stmt::Set(*v, other(*n))], vec![Stmt::Increment(*v)]]
        }
        Stmt::Increment(v) => vec![Vec::new(), vec![Stmt::Increment(*v), Stmt::Increment(*v)]],
        Stmt::Check(v, n) => vec![vec![Stmt::Check(*v, other(*n))]],
        Stmt::Assume(v, n) | Stmt::Wait(v, n) => vec![Vec::new(), vec![Stmt::Wait(*v, other(*n))]],
        Stmt::Fence | Stmt::Separate | Stmt::Exit | Stmt::ExitProcess | Stmt::Misuse => vec![Vec::new()],
        Stmt::Spawn(function) => vec![vec![Stmt::Spawn(*function), Stmt::Spawn(*function)]],
        Stmt::If(v, n, _) => inside(&|body| Stmt::If(*v, *n, body)),
        Stmt::While(_) => inside(&Stmt::While),
        Stmt::Until(v, n, _) => inside(&|body| Stmt::Until(*v, *n, body)),
        Stmt::Forever(_) => inside(&Stmt::Forever),
        Stmt::Atomic(_) => inside(&Stmt::Atomic),
    };
    match stmt {
        // Others may come between; the condition is forgotten.
        Stmt::Atomic(body) | Stmt::If(_, _, body) => found.push(body.clone()),
        Stmt::Until(_, _, body) => found.push(vec![Stmt::While(body.clone())]),
        Stmt::Forever(_)
        | Stmt::While(_)
        | Stmt::Set(..)
        | Stmt::Publish(..)
        | Stmt::Exchange(..)
        | Stmt::Fence
        | Stmt::Separate
        | Stmt::Increment(_)
        | Stmt::Check(..)
        | Stmt::Assume(..)
        | Stmt::Wait(..)
        | Stmt::Spawn(_)
        | Stmt::Exit
        | Stmt::ExitProcess
        | Stmt::Misuse => {}
    }
    found
}
