//! Thread-modular invariants: what proofs are made of, whoever found them.
//!
//! Level 1: for every location of every template one statement over the shared variables and the thread's own locals,
//! which holds whenever a thread stands there, whatever all other threads do (Owicki and Gries 1976; Flanagan and
//! Qadeer, SPIN 2003). Level 2: for every pair of locations one statement over the shared variables and the locals of
//! both threads (Hoenicke, Majumdar, Podelski: Thread modularity at many levels, POPL 2017). A level-2 invariant has
//! level-1 statements, too.
//!
//! An invariant proves a system if
//! 1. main's first location: `initial` implies its statement;
//! 2. a thread's own step leads from its statement to the statement behind the edge;
//! 3. a new thread begins with its template's first statement, after the edge that created it;
//! 4. a step of another thread (with another number, whose own statement holds, too; at level 2 also the statements of
//!    both pairs) keeps the statement of a thread that stands still;
//! 5. statements of error locations are false.
//!
//! At level 2, 2 to 4 are about pairs: `(0, 1)` while 0 steps, while 1 steps, while a third one does, and a new thread
//! beside every other.

use crate::system::{LocationId, System, TemplateId};
use hashbrown::HashMap;
use selvedge_formula::Term;

/// A thread's place: which template, and where in it.
pub type At = (TemplateId, LocationId);

#[derive(Clone, Debug, Default)]
pub struct Invariant {
    /// Over shared variables and copy 0 of the template's locals. A location that is not named: unreachable.
    pub single: HashMap<At, Term>,
    /// Over shared variables, copy 0 of the first template's locals and copy 1 of the second's, in addition to `single`
    /// of both. A pair that is not named: nothing in addition. Each pair stands once; the other order means the same
    /// with copies exchanged.
    pub pairs: HashMap<(At, At), Term>,
}

impl Invariant {
    pub fn level(&self) -> u32 {
        if self.pairs.is_empty() { 1 } else { 2 }
    }

    pub fn at(&self, system: &mut System, at: At) -> Term {
        self.single.get(&at).copied().unwrap_or_else(|| system.terms.bool(false))
    }
}
