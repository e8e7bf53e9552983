//! A proof that nothing goes wrong, however long runs are and however many threads there are: for people, and for
//! solvers.

use serde::Serialize;

/// Statements that hold wherever threads stand, and hence exclude what was asked about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Proof {
    /// The method that found it, as in "by abstract interpretation".
    pub technique: &'static str,
    /// How many threads a statement is about, at most.
    pub level: u32,
    /// Formulas that had to be unsatisfiable, and are.
    pub obligations: usize,
    /// In the order of the program.
    pub statements: Vec<Statement>,
    /// Advice for the user: locks that are taken in different orders.
    pub advice: Vec<String>,
    /// The part that other tools can read.
    #[serde(skip)]
    pub in_c: InC,
    /// All obligations in SMT-LIB 2, if they were asked for.
    #[serde(skip)]
    pub script: Option<String>,
}

/// Something that holds whenever a thread stands at a place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Statement {
    /// The thread's start function; two, if it is about two threads.
    pub threads: Vec<String>,
    /// File and line of each.
    pub at: Vec<String>,
    /// Like C; all of them hold.
    pub holds: Vec<String>,
}

/// The part of a proof that can be said in C, over variables of the program and ghosts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InC {
    pub ghosts: Vec<Ghost>,
    /// For each line of which that is known.
    pub lines: Vec<LineInvariant>,
}

/// A variable that remembers something for proofs: 0 at first, and set by statements of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ghost {
    pub name: String,
    pub of: GhostOf,
    /// File, line and new value, where threads are created or locks change.
    pub updates: Vec<(String, u32, u32)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GhostOf {
    /// Whether threads of a kind were created.
    Creation,
    /// Whether a mutex is locked.
    Lock,
}

/// A fact that holds whenever a thread is about to take a step on a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineInvariant {
    pub function: String,
    pub file: String,
    pub line: u32,
    /// Expressions of C, each with the numbers of the ghosts in it.
    pub holds: Vec<(String, Vec<usize>)>,
}
