//! A proof that nothing goes wrong, however long runs are and however many threads there are: for people, and for solvers.

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
